//! Expressions.
//!
//! Owns: the grammar of expressions, tables, calls and function bodies.
//! Never: computes a value.

use wardroom_lua_syntax::token::Kind;

use super::parser::{Name, Parser};
use crate::problem::Halt;

/// The kind of an expression with its suffixes, as far as a statement depends on it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Suffixed<'s> {
    Variable(Name<'s>),
    /// `a.b`, `a[b]`.
    Index,
    Call,
    /// `(a)`.
    Parenthesised,
}

/// Binds tighter than all binary operators but `^`.
const UNARY_PRIORITY: u8 = 12;

/// How tightly a binary operator binds, to the left and to the right. Where the left is greater, it associates to the
/// right.
const fn priority(kind: Kind) -> Option<(u8, u8)> {
    Some(match kind {
        Kind::Or => (1, 1),
        Kind::And => (2, 2),
        Kind::Equal | Kind::NotEqual | Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => (3, 3),
        Kind::Pipe => (4, 4),
        Kind::Tilde => (5, 5),
        Kind::Ampersand => (6, 6),
        Kind::ShiftLeft | Kind::ShiftRight => (7, 7),
        Kind::Concat => (9, 8),
        Kind::Plus | Kind::Minus => (10, 10),
        Kind::Star | Kind::Slash | Kind::DoubleSlash | Kind::Percent => (11, 11),
        Kind::Caret => (14, 13),
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    pub(super) fn expression(&mut self) -> Result<(), Halt> {
        self.operation(0)
    }

    /// Reads a list of one expression or more.
    pub(super) fn expressions(&mut self) -> Result<(), Halt> {
        self.expression()?;
        while self.take(Kind::Comma)? {
            self.expression()?;
        }
        Ok(())
    }

    /// Reads operands as long as the operators between them bind tighter than `limit`.
    fn operation(&mut self, limit: u8) -> Result<(), Halt> {
        self.enter()?;
        if self.peek().is_unary() {
            self.bump()?;
            self.operation(UNARY_PRIORITY)?;
        } else {
            self.operand()?;
        }
        while let Some((left, right)) = priority(self.peek())
            && left > limit
        {
            self.bump()?;
            self.operation(right)?;
        }
        self.leave();
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Halt> {
        match self.peek() {
            Kind::Number | Kind::Plain | Kind::Escaped | Kind::Long | Kind::Nil | Kind::True | Kind::False => {
                self.bump().map(|_| ())
            }
            Kind::Dots => {
                if !self.scopes.is_vararg() {
                    let at = self.at() as usize;
                    self.problems.add(at, "cannot use '...' outside a vararg function")?;
                }
                self.bump().map(|_| ())
            }
            Kind::BraceOpen => self.table(),
            Kind::Function => {
                self.bump()?;
                // For Lua, a function without a name, or with a local one, begins after that.
                self.function_body(self.at(), false)
            }
            _ => self.suffixed().map(|_| ()),
        }
    }

    /// Reads a variable, a call, or anything in parentheses, each with its suffixes.
    pub(super) fn suffixed(&mut self) -> Result<Suffixed<'s>, Halt> {
        let mut read = self.primary()?;
        loop {
            match self.peek() {
                Kind::Dot => {
                    self.bump()?;
                    self.name()?;
                    read = Suffixed::Index;
                }
                Kind::BracketOpen => {
                    self.bracketed_key()?;
                    read = Suffixed::Index;
                }
                Kind::Colon => {
                    self.bump()?;
                    self.name()?;
                    self.arguments()?;
                    read = Suffixed::Call;
                }
                Kind::ParenOpen | Kind::BraceOpen | Kind::Plain | Kind::Escaped | Kind::Long => {
                    self.arguments()?;
                    read = Suffixed::Call;
                }
                _ => return Ok(read),
            }
        }
    }

    fn primary(&mut self) -> Result<Suffixed<'s>, Halt> {
        match self.peek() {
            Kind::Name => self.name().map(Suffixed::Variable),
            Kind::ParenOpen => {
                let open = self.bump()?;
                self.expression()?;
                self.close(Kind::ParenClose, Kind::ParenOpen, open.start)?;
                Ok(Suffixed::Parenthesised)
            }
            _ => Err(self.syntax_error("unexpected symbol")),
        }
    }

    fn bracketed_key(&mut self) -> Result<(), Halt> {
        self.bump()?;
        self.expression()?;
        self.expect(Kind::BracketClose).map(|_| ())
    }

    fn arguments(&mut self) -> Result<(), Halt> {
        match self.peek() {
            Kind::Plain | Kind::Escaped | Kind::Long => self.bump().map(|_| ()),
            Kind::BraceOpen => self.table(),
            Kind::ParenOpen => {
                let open = self.bump()?;
                if self.peek() != Kind::ParenClose {
                    self.expressions()?;
                }
                self.close(Kind::ParenClose, Kind::ParenOpen, open.start)
            }
            _ => Err(self.syntax_error("function arguments expected")),
        }
    }

    fn table(&mut self) -> Result<(), Halt> {
        let open = self.bump()?;
        while self.peek() != Kind::BraceClose {
            match self.peek() {
                Kind::Name if self.peek_second() == Kind::Assign => {
                    self.bump()?;
                    self.bump()?;
                }
                Kind::BracketOpen => {
                    self.bracketed_key()?;
                    self.expect(Kind::Assign)?;
                }
                _ => {}
            }
            self.expression()?;
            if !self.take(Kind::Comma)? && !self.take(Kind::Semicolon)? {
                break;
            }
        }
        self.close(Kind::BraceClose, Kind::BraceOpen, open.start)
    }

    /// Reads a function from its parameters to its `end`. A method has the parameter `self` besides.
    pub(super) fn function_body(&mut self, function_at: u32, is_method: bool) -> Result<(), Halt> {
        self.scopes.open_function();
        self.expect(Kind::ParenOpen)?;
        let mut parameters = Vec::new();
        if is_method {
            parameters.push(&b"self"[..]);
        }
        let mut is_vararg = false;
        if self.peek() != Kind::ParenClose {
            loop {
                match self.peek() {
                    Kind::Name => {
                        let name = self.name()?.text;
                        self.push_local(&mut parameters, name)?;
                    }
                    Kind::Dots => {
                        self.bump()?;
                        is_vararg = true;
                        break;
                    }
                    _ => return Err(self.syntax_error("<name> or '...' expected")),
                }
                if !self.take(Kind::Comma)? {
                    break;
                }
            }
        }
        self.expect(Kind::ParenClose)?;
        if is_vararg {
            self.scopes.set_vararg();
        }
        for name in parameters {
            self.scopes.declare(name, false);
        }
        self.block()?;
        self.close(Kind::BlockEnd, Kind::Function, function_at)?;
        self.scopes.close_function(self.problems)
    }
}
