//! The text of a log, made shorter as text.
//!
//! Owns: what white space and which characters of a string go. A parsed log takes a hundred times its size in memory,
//! and numbers would lose digits on the way.
//! Never: checks anything: the text is JSON already.

/// The text without the white space outside its strings.
pub(super) fn compact(json: &str) -> String {
    Pieces(json).map(Piece::text).collect()
}

/// Compact text with every string cut to `keep` characters and marked with how many are gone. Keys stay whole.
pub(super) fn shortened(compact: &str, keep: usize) -> String {
    let mut pieces = Pieces(compact).peekable();
    let mut short = String::new();
    while let Some(piece) = pieces.next() {
        let is_key = pieces.peek().is_some_and(|next| next.text().starts_with(':'));
        match piece {
            Piece::String(token) if !is_key => push_cut(&mut short, token, keep),
            Piece::String(text) | Piece::Other(text) => short.push_str(text),
        }
    }
    short
}

fn push_cut(short: &mut String, token: &str, keep: usize) {
    let inner = token.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(token);
    let len = Characters(inner).count();
    let kept: usize = Characters(inner).take(keep).map(str::len).sum();
    let mark = format!("… [{} characters cut]", len.saturating_sub(keep));
    match inner.get(..kept) {
        // A short string is not made longer by its mark.
        Some(kept) if keep + mark.chars().count() < len => {
            short.push('"');
            short.push_str(kept);
            short.push_str(&mark);
            short.push('"');
        }
        _ => short.push_str(token),
    }
}

#[derive(Clone, Copy)]
enum Piece<'a> {
    /// With its quotes.
    String(&'a str),
    /// Brackets, separators, numbers and words.
    Other(&'a str),
}

impl<'a> Piece<'a> {
    const fn text(self) -> &'a str {
        match self {
            Self::String(text) | Self::Other(text) => text,
        }
    }
}

/// What JSON text consists of beside white space.
struct Pieces<'a>(&'a str);

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let text = self.0.trim_start_matches(SPACE);
        let is_string = text.starts_with('"');
        let end = if is_string { string_end(text) } else { text.find(|c| c == '"' || SPACE.contains(&c)) };
        let (piece, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
        self.0 = rest;
        match piece {
            "" => None,
            piece if is_string => Some(Piece::String(piece)),
            piece => Some(Piece::Other(piece)),
        }
    }
}

/// Where the string that the text begins with is over.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    let closes = |byte: u8| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    };
    // One for the opening quote, one to be past the closing one.
    text.bytes().skip(1).position(closes).map(|at| at + 2)
}

/// The characters of a string as they are written: an escape is one, and so is a pair of surrogates.
struct Characters<'a>(&'a str);

impl<'a> Iterator for Characters<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.0.chars().next()?;
        let len = if first == '\\' { escape_len(self.0) } else { first.len_utf8() };
        let (character, rest) = self.0.split_at_checked(len).unwrap_or((self.0, ""));
        self.0 = rest;
        Some(character)
    }
}

fn escape_len(text: &str) -> usize {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
        (Some(_), _) => 6,
        (None, _) => 2,
    }
}
