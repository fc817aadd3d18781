//! The parser's view of the tokens: one token of lookahead, the depth, and the wording of errors.
//!
//! Owns: the steps that all grammar rules share.
//! Never: knows a rule of the grammar; `statement` and `expression` do.

use wardroom_lua_syntax::lexer::{Tokens, UNEXPECTED_CHARACTER};
use wardroom_lua_syntax::position::Position;
use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use super::limits::MAX_DEPTH;
use super::scope::Scopes;
use crate::problem::{Halt, Problems, quoted};

pub(super) struct Parser<'s, 'p> {
    source: &'s [u8],
    tokens: Tokens<'s>,
    depth: u32,
    pub(super) scopes: Scopes<'s>,
    pub(super) problems: &'p mut Problems,
}

impl<'s, 'p> Parser<'s, 'p> {
    /// Starts at the beginning of a chunk.
    ///
    /// # Errors
    /// The first token is invalid.
    pub(super) fn new(source: &'s [u8], problems: &'p mut Problems) -> Result<Self, Halt> {
        match Tokens::of_chunk(source) {
            Ok(tokens) => Ok(Self { source, tokens, depth: 0, scopes: Scopes::default(), problems }),
            Err(error) => Err(invalid_token(source, problems, error)),
        }
    }

    pub(super) const fn peek(&self) -> Kind {
        self.tokens.peek().kind
    }

    /// Returns the offset of the next token.
    pub(super) const fn at(&self) -> u32 {
        self.tokens.peek().start
    }

    /// Returns the kind of the token after the next one. An invalid token counts as the end; the parser finds it later.
    pub(super) fn peek_second(&self) -> Kind {
        let mut ahead = self.tokens;
        ahead.bump_known();
        ahead.peek().kind
    }

    pub(super) fn bump(&mut self) -> Result<Token, Halt> {
        self.tokens.bump().map_err(|error| invalid_token(self.source, self.problems, error))
    }

    /// Takes the next token if it has this kind.
    pub(super) fn take(&mut self, kind: Kind) -> Result<bool, Halt> {
        let found = self.peek() == kind;
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, kind: Kind) -> Result<Token, Halt> {
        if self.peek() == kind { self.bump() } else { Err(self.syntax_error(&format!("{} expected", shown(kind)))) }
    }

    /// Takes the token that closes what `opener` opened.
    pub(super) fn close(&mut self, kind: Kind, opener: Kind, opened_at: u32) -> Result<(), Halt> {
        if self.peek() == kind { self.bump().map(|_| ()) } else { Err(self.unclosed(kind, opener, opened_at)) }
    }

    #[cold]
    fn unclosed(&mut self, kind: Kind, opener: Kind, opened_at: u32) -> Halt {
        let opened = self.line(opened_at);
        let mut message = format!("{} expected", shown(kind));
        if opened != self.line(self.at()) {
            message = format!("{message} (to close {} at line {opened})", shown(opener));
        }
        self.syntax_error(&message)
    }

    pub(super) fn name(&mut self) -> Result<Name<'s>, Halt> {
        let token = self.expect(Kind::Name)?;
        Ok(Name { text: self.text(token), at: token.start })
    }

    fn text(&self, token: Token) -> &'s [u8] {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// Goes a level deeper. The caller goes up again with [`leave`](Self::leave), unless the check ends.
    pub(super) fn enter(&mut self) -> Result<(), Halt> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) const fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    #[cold]
    fn too_deep(&mut self) -> Halt {
        self.problems.fatal(self.at() as usize, format!("chunk has too many syntax levels (the limit is {MAX_DEPTH})"))
    }

    /// Ends the check with an error at the next token.
    #[cold]
    pub(super) fn syntax_error(&mut self, message: &str) -> Halt {
        let token = self.tokens.peek();
        let near = if token.kind == Kind::End { "<eof>".into() } else { format!("'{}'", quoted(self.text(token))) };
        self.problems.fatal(token.start as usize, format!("{message} near {near}"))
    }

    /// Returns the line of an offset, for a message.
    #[cold]
    pub(super) fn line(&self, at: u32) -> u32 {
        Position::of(self.source, at as usize).line
    }
}

/// Ends the check with the lexer's error.
#[cold]
fn invalid_token(source: &[u8], problems: &mut Problems, SyntaxError { at, message }: SyntaxError) -> Halt {
    let rest = source.get(at..).unwrap_or_default();
    let character = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match character {
        // Operators of other languages begin like that: `!=`, `$`.
        Some(character) if message == UNEXPECTED_CHARACTER => problems.fatal(at, format!("{message} '{character}'")),
        _ => problems.fatal(at, message),
    }
}

/// A name in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'s> {
    pub(super) text: &'s [u8],
    pub(super) at: u32,
}

/// Returns a kind as a message shows it, for those that the parser expects.
#[cold]
const fn shown(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "<name>",
        Kind::End => "<eof>",
        Kind::BlockEnd => "'end'",
        Kind::Then => "'then'",
        Kind::Do => "'do'",
        Kind::If => "'if'",
        Kind::In => "'in'",
        Kind::For => "'for'",
        Kind::While => "'while'",
        Kind::Repeat => "'repeat'",
        Kind::Until => "'until'",
        Kind::Function => "'function'",
        Kind::Assign => "'='",
        Kind::Comma => "','",
        Kind::Greater => "'>'",
        Kind::DoubleColon => "'::'",
        Kind::ParenOpen => "'('",
        Kind::ParenClose => "')'",
        Kind::BraceOpen => "'{'",
        Kind::BraceClose => "'}'",
        Kind::BracketOpen => "'['",
        Kind::BracketClose => "']'",
        _ => "another token",
    }
}
