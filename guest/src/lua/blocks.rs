//! What is open at a position of a scan: brackets, blocks and the bodies of functions.
//!
//! Owns: the kinds, and what is said of one that is never closed.
//! Never: knows what closes it; that is the scan.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opener {
    Paren,
    Bracket,
    Brace,
    /// The brace of a table that is the argument of a call.
    Argument,
    /// `while` or `for`, until its `do`.
    Header,
    If,
    Repeat,
    /// A block from `do` on.
    Body,
    /// The body of a function, from its `function` on.
    Function,
}

impl Opener {
    pub(crate) const fn is_block(self) -> bool {
        matches!(self, Self::Header | Self::If | Self::Repeat | Self::Body | Self::Function)
    }

    pub(crate) const fn complaint(self) -> &'static str {
        match self {
            Self::Paren => "'(' is never closed",
            Self::Bracket => "'[' is never closed",
            Self::Brace | Self::Argument => "'{' is never closed",
            Self::Repeat => "'repeat' has no 'until'",
            Self::Header => "loop without 'do'",
            Self::If | Self::Body | Self::Function => "block without 'end'",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) opener: Opener,
    pub(crate) at: u32,
}
