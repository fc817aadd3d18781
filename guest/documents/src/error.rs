//! Errors of reading a document.
//!
//! Never: quotes more of the document than a name or a character.

use wardroom_lua_syntax::position::Position;

use crate::position::Lines;

/// The reason for which a document is neither read nor edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The source is longer than this many bytes.
    TooLarge(u32),
    NotUtf8(Position),
    Malformed {
        position: Position,
        message: String,
    },
    /// Front matter or quotes and lists of the body are nested too deep.
    TooDeep(Position),
    /// There is more than a limit of this name.
    TooMuch(&'static str),
}

/// A `ReadError` whose place is still an offset: parsers of a part know nothing of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseError {
    Malformed { at: usize, message: String },
    TooDeep { at: usize },
    TooMuch(&'static str),
}

impl ParseError {
    pub(crate) fn malformed(at: usize, message: impl Into<String>) -> Self {
        Self::Malformed { at, message: message.into() }
    }

    /// Returns the error with its place in a text that begins `offset` bytes before the part.
    pub(crate) fn shifted(self, offset: usize) -> Self {
        match self {
            Self::Malformed { at, message } => Self::Malformed { at: at.saturating_add(offset), message },
            Self::TooDeep { at } => Self::TooDeep { at: at.saturating_add(offset) },
            Self::TooMuch(limit) => Self::TooMuch(limit),
        }
    }

    pub(crate) fn located(self, source: &str) -> ReadError {
        let place = |at| Lines::new(source.as_bytes()).locate(at);
        match self {
            Self::Malformed { at, message } => ReadError::Malformed { position: place(at), message },
            Self::TooDeep { at } => ReadError::TooDeep(place(at)),
            Self::TooMuch(limit) => ReadError::TooMuch(limit),
        }
    }
}
