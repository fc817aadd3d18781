//! Tokens: the output of the lexer. A token borrows nothing; it is a kind and two offsets.
//!
//! Owns: the kinds, and which kinds may follow each other.
//! Never: holds a decoded value; `string` and `number` decode when a constant needs one.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    End,
    Name,
    Number,
    /// `"…"` or `'…'` without a backslash.
    Plain,
    /// `"…"` or `'…'` with a backslash.
    Escaped,
    /// `[[…]]`, `[==[…]==]`.
    Long,
    And,
    Break,
    Do,
    Else,
    ElseIf,
    BlockEnd,
    False,
    For,
    Function,
    Goto,
    If,
    In,
    Local,
    Nil,
    Not,
    Or,
    Repeat,
    Return,
    Then,
    True,
    Until,
    While,
    Plus,
    Minus,
    Star,
    Slash,
    DoubleSlash,
    Percent,
    Caret,
    Hash,
    Ampersand,
    Tilde,
    Pipe,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Assign,
    ParenOpen,
    ParenClose,
    BraceOpen,
    BraceClose,
    BracketOpen,
    BracketClose,
    DoubleColon,
    Semicolon,
    Colon,
    Comma,
    Dot,
    Concat,
    Dots,
}

impl Kind {
    /// Returns the keyword that `word` is, or `Name`.
    #[inline]
    pub fn of_word(word: &[u8]) -> Self {
        if word.len() < 2 || word.len() > 8 {
            return Self::Name;
        }
        match word {
            b"and" => Self::And,
            b"break" => Self::Break,
            b"do" => Self::Do,
            b"else" => Self::Else,
            b"elseif" => Self::ElseIf,
            b"end" => Self::BlockEnd,
            b"false" => Self::False,
            b"for" => Self::For,
            b"function" => Self::Function,
            b"goto" => Self::Goto,
            b"if" => Self::If,
            b"in" => Self::In,
            b"local" => Self::Local,
            b"nil" => Self::Nil,
            b"not" => Self::Not,
            b"or" => Self::Or,
            b"repeat" => Self::Repeat,
            b"return" => Self::Return,
            b"then" => Self::Then,
            b"true" => Self::True,
            b"until" => Self::Until,
            b"while" => Self::While,
            _ => Self::Name,
        }
    }

    #[inline]
    pub const fn is_string(self) -> bool {
        matches!(self, Self::Plain | Self::Escaped | Self::Long)
    }

    /// Whether a name after this token begins a statement, at a position where statements stand.
    #[inline]
    pub const fn ends_statement(self) -> bool {
        self.ends_operand()
            || matches!(
                self,
                Self::Semicolon | Self::Do | Self::Then | Self::Else | Self::Repeat | Self::Break | Self::DoubleColon
            )
    }

    /// Whether a bracket, a brace or a string after this token is the argument of a call. After an argument that is no
    /// bracket the token does not tell: `f {} (x)` is two calls, `t = {} (x)` is none.
    #[inline]
    pub const fn takes_argument(self) -> bool {
        matches!(self, Self::Name | Self::ParenClose | Self::BracketClose)
    }

    #[inline]
    const fn ends_operand(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Number
                | Self::Plain
                | Self::Escaped
                | Self::Long
                | Self::Nil
                | Self::True
                | Self::False
                | Self::Dots
                | Self::ParenClose
                | Self::BracketClose
                | Self::BraceClose
                | Self::BlockEnd
        )
    }

    /// Whether this keyword or symbol can only begin a statement, follow one, or end the source.
    #[inline]
    pub const fn begins_statement(self) -> bool {
        matches!(
            self,
            Self::End
                | Self::Break
                | Self::Do
                | Self::Else
                | Self::ElseIf
                | Self::For
                | Self::Goto
                | Self::If
                | Self::Local
                | Self::Repeat
                | Self::Return
                | Self::While
                | Self::Semicolon
                | Self::DoubleColon
        )
    }

    /// Whether this token opens something that another token must close. `while` and `for` are counted by their `do`.
    #[inline]
    pub const fn opens(self) -> bool {
        matches!(
            self,
            Self::ParenOpen | Self::BraceOpen | Self::BracketOpen | Self::Function | Self::If | Self::Do | Self::Repeat
        )
    }

    #[inline]
    pub const fn closes(self) -> bool {
        matches!(self, Self::ParenClose | Self::BraceClose | Self::BracketClose | Self::BlockEnd | Self::Until)
    }

    #[inline]
    pub const fn is_unary(self) -> bool {
        matches!(self, Self::Minus | Self::Not | Self::Hash | Self::Tilde)
    }

    /// Whether this is a binary operator that folding does not compute, and that binds less tightly than `..`.
    #[inline]
    pub const fn is_loose_binary(self) -> bool {
        matches!(
            self,
            Self::And
                | Self::Or
                | Self::Equal
                | Self::NotEqual
                | Self::LessEqual
                | Self::GreaterEqual
                | Self::Less
                | Self::Greater
                | Self::Ampersand
                | Self::Tilde
                | Self::Pipe
                | Self::ShiftLeft
                | Self::ShiftRight
        )
    }

    #[inline]
    pub const fn is_binary(self) -> bool {
        self.is_loose_binary()
            || self.is_additive()
            || self.is_multiplicative()
            || matches!(self, Self::Concat | Self::Caret)
    }

    #[inline]
    pub const fn is_additive(self) -> bool {
        matches!(self, Self::Plus | Self::Minus)
    }

    #[inline]
    pub const fn is_multiplicative(self) -> bool {
        matches!(self, Self::Star | Self::Slash | Self::DoubleSlash | Self::Percent)
    }
}

/// A kind and its position. Offsets fit: callers limit the length of a source.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    #[inline]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Why a source is not Lua, and the offset of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    pub at: usize,
    pub message: &'static str,
}
