//! The tokens within `{{ … }}` and `{% … %}`.
//!
//! Owns: where each token begins and ends.
//! Never: reads past its tag, allocates, or reads a byte more than twice.

#[cfg(test)]
thread_local! {
    /// The number of bytes that this thread has read, counting repeated reads.
    pub(super) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    End,
    Name,
    Number,
    String,
    /// A quote without another one in its tag.
    OpenString,
    /// `{{` or `{%`: the tag before it has no end.
    TagOpen,
    Equal,
    Greater,
    /// An operator of Liquid, or of other languages, that is not supported.
    OtherOperator,
    Assign,
    Pipe,
    Colon,
    Comma,
    Dot,
    BracketOpen,
    BracketClose,
    /// The beginning of a range.
    ParenOpen,
    Unknown,
}

/// A kind and its position in the template.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tokens of one tag, with one token of lookahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'s> {
    /// The template up to the end of the tag.
    source: &'s [u8],
    at: usize,
    next: Token,
}

impl<'s> Tokens<'s> {
    /// Reads the part of a template between two offsets.
    pub(super) fn new(source: &'s [u8], start: usize, end: usize) -> Self {
        let source = source.get(..end).unwrap_or(source);
        let mut tokens = Self { source, at: start, next: Token { kind: Kind::End, start, end: start } };
        tokens.bump();
        tokens
    }

    pub(super) const fn peek(&self) -> Token {
        self.next
    }

    /// Takes the next token. At the end, the token is [`Kind::End`] each time.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.next;
        #[cfg(test)]
        let before = self.at;
        while self.byte(0).is_ascii_whitespace() {
            self.at += 1;
        }
        let start = self.at.min(self.source.len());
        let (len, kind) = self.read();
        self.at = start + len;
        #[cfg(test)]
        READ.set(READ.get() + self.at - before);
        self.next = Token { kind, start, end: self.at };
        token
    }

    pub(super) fn text(&self, token: Token) -> &'s [u8] {
        self.source.get(token.start..token.end).unwrap_or_default()
    }

    /// Returns the byte `ahead` of the next one; 0 at the end of the tag.
    fn byte(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Returns the length and the kind of the token here.
    fn read(&self) -> (usize, Kind) {
        match (self.byte(0), self.byte(1)) {
            (0, _) if self.at >= self.source.len() => (0, Kind::End),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => (self.name(), Kind::Name),
            (b'0'..=b'9', _) | (b'-', b'0'..=b'9') => (self.number(), Kind::Number),
            (quote @ (b'"' | b'\''), _) => self.string(quote),
            (b'{', b'{' | b'%') => (2, Kind::TagOpen),
            (b'=', b'=') => (2, Kind::Equal),
            (b'=', _) => (1, Kind::Assign),
            (b'>', b'=') | (b'<', b'=' | b'>') | (b'!', b'=') | (b'&', b'&') | (b'|', b'|') => (2, Kind::OtherOperator),
            (b'>', _) => (1, Kind::Greater),
            (b'<' | b'!' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&', _) => (1, Kind::OtherOperator),
            (b'|', _) => (1, Kind::Pipe),
            (b':', _) => (1, Kind::Colon),
            (b',', _) => (1, Kind::Comma),
            (b'.', _) => (1, Kind::Dot),
            (b'[', _) => (1, Kind::BracketOpen),
            (b']', _) => (1, Kind::BracketClose),
            (b'(', _) => (1, Kind::ParenOpen),
            // The source is UTF-8: a character takes as many bytes as its first one says.
            (0xf0.., _) => (4, Kind::Unknown),
            (0xe0.., _) => (3, Kind::Unknown),
            (0xc0.., _) => (2, Kind::Unknown),
            _ => (1, Kind::Unknown),
        }
    }

    /// `post`, `not-found`, `empty?`.
    fn name(&self) -> usize {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let len = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        len + usize::from(rest.get(len) == Some(&b'?'))
    }

    /// `12`, `-1.5`. A point that no digit follows is no part of it.
    fn number(&self) -> usize {
        let digits = |from: usize| {
            let rest = self.source.get(self.at + from..).unwrap_or_default();
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        };
        let sign = usize::from(self.byte(0) == b'-');
        let whole = sign + digits(sign);
        let fraction = if self.byte(whole) == b'.' { digits(whole + 1) } else { 0 };
        if fraction > 0 { whole + 1 + fraction } else { whole }
    }

    fn string(&self, quote: u8) -> (usize, Kind) {
        let rest = self.source.get(self.at + 1..).unwrap_or_default();
        match rest.iter().position(|b| *b == quote) {
            Some(len) => (len + 2, Kind::String),
            None => (rest.len() + 1, Kind::OpenString),
        }
    }
}
