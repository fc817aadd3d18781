//! The lexer: bytes to tokens, by Lua 5.4's rules.
//!
//! Owns: where each token begins and ends, comments, and the first line of a script.
//! Never: allocates, and never reads a byte more than twice.

use crate::chars::is_name_byte;
use crate::number;
use crate::string;
use crate::token::{Kind, SyntaxError, Token};

/// The error at a character with which no token begins.
pub const UNEXPECTED_CHARACTER: &str = "unexpected character";

/// UTF-8's, which Lua skips.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(feature = "count-reads")]
thread_local! {
    /// The number of bytes that this thread has read, counting repeated reads.
    pub static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A source and the position up to which it was read.
#[derive(Debug, Clone, Copy)]
struct Lexer<'s> {
    source: &'s [u8],
    at: usize,
}

impl<'s> Lexer<'s> {
    /// Returns the byte `ahead` of the next one; 0 at the end of the source, where no token can begin either.
    #[inline]
    fn byte(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn token(&mut self) -> Result<Token, SyntaxError> {
        #[cfg(feature = "count-reads")]
        let before = self.at;
        self.skip_blank()?;
        let start = self.at;
        let kind = match self.byte(0) {
            b'0'..=b'9' => self.number()?,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            quote @ (b'"' | b'\'') => self.short_string(quote)?,
            b'[' if matches!(self.byte(1), b'[' | b'=') => self.long_string()?,
            b'.' if self.byte(1).is_ascii_digit() => self.number()?,
            0 if self.at >= self.source.len() => Kind::End,
            byte => self.symbol(byte)?,
        };
        #[cfg(feature = "count-reads")]
        READ.set(READ.get() + self.at - before);
        Ok(Token { kind, start: offset(start), end: offset(self.at) })
    }

    #[inline]
    fn skip_blank(&mut self) -> Result<(), SyntaxError> {
        loop {
            while is_blank(self.byte(0)) {
                self.at += 1;
            }
            if self.byte(0) != b'-' || self.byte(1) != b'-' {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    #[inline]
    fn skip_comment(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        self.at += 2;
        if let Some(level) = string::long_level(self.rest()) {
            let end = string::long_end(self.source, self.at, level);
            self.at = end.ok_or(SyntaxError { at: start, message: "unterminated comment" })?;
        } else {
            self.skip_line();
        }
        Ok(())
    }

    #[inline]
    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    #[inline]
    fn rest(&self) -> &'s [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn word(&mut self) -> Kind {
        let rest = self.rest();
        let len = rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
        self.at += len;
        Kind::of_word(rest.get(..len).unwrap_or_default())
    }

    #[inline]
    fn number(&mut self) -> Result<Kind, SyntaxError> {
        let rest = self.rest();
        let len = number::extent(rest);
        let text = rest.get(..len).unwrap_or_default();
        if !text.iter().all(u8::is_ascii_digit) && number::parse(text).is_none() {
            return Err(SyntaxError { at: self.at, message: "malformed number" });
        }
        self.at += len;
        Ok(Kind::Number)
    }

    #[inline]
    fn short_string(&mut self, quote: u8) -> Result<Kind, SyntaxError> {
        let start = self.at;
        let mut kind = Kind::Plain;
        self.at += 1;
        loop {
            match self.source.get(self.at).copied() {
                Some(byte) if byte == quote => break,
                Some(b'\\') => {
                    kind = Kind::Escaped;
                    let bad = |message| SyntaxError { at: self.at, message };
                    self.at += string::escape(self.rest()).map_err(bad)?.len;
                }
                None | Some(b'\n' | b'\r') => return Err(SyntaxError { at: start, message: "unterminated string" }),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(kind)
    }

    #[inline]
    fn long_string(&mut self) -> Result<Kind, SyntaxError> {
        let start = self.at;
        let Some(level) = string::long_level(self.rest()) else {
            // `[=` that opens nothing is invalid in Lua, too.
            return Err(SyntaxError { at: start, message: "invalid long string delimiter" });
        };
        let end = string::long_end(self.source, start, level);
        self.at = end.ok_or(SyntaxError { at: start, message: "unterminated string" })?;
        Ok(Kind::Long)
    }

    #[inline]
    fn symbol(&mut self, byte: u8) -> Result<Kind, SyntaxError> {
        let (len, kind) = match (byte, self.byte(1)) {
            (b'.', b'.') if self.byte(2) == b'.' => (3, Kind::Dots),
            (b'.', b'.') => (2, Kind::Concat),
            (b'/', b'/') => (2, Kind::DoubleSlash),
            (b'<', b'<') => (2, Kind::ShiftLeft),
            (b'>', b'>') => (2, Kind::ShiftRight),
            (b'=', b'=') => (2, Kind::Equal),
            (b'~', b'=') => (2, Kind::NotEqual),
            (b'<', b'=') => (2, Kind::LessEqual),
            (b'>', b'=') => (2, Kind::GreaterEqual),
            (b':', b':') => (2, Kind::DoubleColon),
            _ => (1, single(byte).ok_or_else(|| self.unexpected(byte))?),
        };
        self.at += len;
        Ok(kind)
    }

    #[inline]
    fn unexpected(&self, byte: u8) -> SyntaxError {
        let message = if byte == 0 { "NUL byte outside a string" } else { UNEXPECTED_CHARACTER };
        SyntaxError { at: self.at, message }
    }
}

const fn single(byte: u8) -> Option<Kind> {
    Some(match byte {
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        b'*' => Kind::Star,
        b'/' => Kind::Slash,
        b'%' => Kind::Percent,
        b'^' => Kind::Caret,
        b'#' => Kind::Hash,
        b'&' => Kind::Ampersand,
        b'~' => Kind::Tilde,
        b'|' => Kind::Pipe,
        b'<' => Kind::Less,
        b'>' => Kind::Greater,
        b'=' => Kind::Assign,
        b'(' => Kind::ParenOpen,
        b')' => Kind::ParenClose,
        b'{' => Kind::BraceOpen,
        b'}' => Kind::BraceClose,
        b'[' => Kind::BracketOpen,
        b']' => Kind::BracketClose,
        b';' => Kind::Semicolon,
        b':' => Kind::Colon,
        b',' => Kind::Comma,
        b'.' => Kind::Dot,
        _ => return None,
    })
}

/// Converts an offset. Callers limit the length of a source, so that the conversion never saturates.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The tokens of a source, with one token of lookahead. A copy saves the position.
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'s> {
    lexer: Lexer<'s>,
    next: Token,
}

impl<'s> Tokens<'s> {
    /// Starts at the beginning of a chunk, after a byte order mark and a line that begins with `#`.
    ///
    /// # Errors
    /// The first token is invalid.
    #[inline]
    pub fn of_chunk(source: &'s [u8]) -> Result<Self, SyntaxError> {
        let mut lexer = Lexer { source, at: 0 };
        if source.starts_with(BYTE_ORDER_MARK) {
            lexer.at = BYTE_ORDER_MARK.len();
        }
        if lexer.byte(0) == b'#' {
            // To Lua, `\r` alone does not end this line, other than all others.
            let rest = lexer.rest();
            lexer.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        }
        let next = lexer.token()?;
        Ok(Self { lexer, next })
    }

    /// Starts at the token that begins at `start`, in a source that was read to its end without an error.
    #[must_use]
    #[inline]
    pub fn resume(source: &'s [u8], start: u32) -> Self {
        let lexer = Lexer { source, at: start as usize };
        let mut tokens = Self { lexer, next: Token { kind: Kind::End, start, end: start } };
        tokens.bump_known();
        tokens
    }

    #[inline]
    pub const fn peek(&self) -> Token {
        self.next
    }

    /// Takes the next token. At the end, the token is [`Kind::End`] each time.
    #[inline]
    pub fn bump(&mut self) -> Result<Token, SyntaxError> {
        let token = self.next;
        self.next = self.lexer.token()?;
        Ok(token)
    }

    /// Takes the next token as [`bump`](Self::bump) does, in a source that was read before: an invalid token counts as
    /// the end.
    #[inline]
    pub fn bump_known(&mut self) -> Token {
        let token = self.next;
        let end = Token { kind: Kind::End, start: token.end, end: token.end };
        self.next = self.lexer.token().unwrap_or(end);
        token
    }

    /// Takes the next token if it has this kind.
    #[inline]
    pub fn take(&mut self, kind: Kind) -> bool {
        let found = self.next.kind == kind;
        if found {
            self.bump_known();
        }
        found
    }
}
