//! Statements.
//!
//! Owns: the grammar of statements and blocks.
//! Never: keeps names; scopes do, for the statements that depend on them.

use wardroom_lua_syntax::token::Kind;

use super::expression::Suffixed;
use super::limits::MAX_LOCALS;
use super::parser::{Name, Parser};
use crate::problem::{Halt, quoted};

/// The hidden variables of a loop, which count as local ones: of `for i = 1, 2` and of `for k in f`.
const NUMERIC_LOOP_STATE: [&[u8]; 3] = [b"(for state)"; 3];
const GENERIC_LOOP_STATE: [&[u8]; 4] = [b"(for state)"; 4];

/// Whether this token ends a block. `until` does too, but its condition still sees the block's variables.
const fn ends_block(kind: Kind) -> bool {
    matches!(kind, Kind::Else | Kind::ElseIf | Kind::BlockEnd | Kind::End | Kind::Until)
}

impl<'s> Parser<'s, '_> {
    /// Reads a whole chunk, to the end of the source.
    pub(super) fn chunk(&mut self) -> Result<(), Halt> {
        self.scopes.open_function();
        self.scopes.set_vararg();
        self.block()?;
        self.expect(Kind::End)?;
        self.scopes.close_function(self.problems)
    }

    /// Reads statements up to a token that ends a block. The scope is the caller's.
    pub(super) fn block(&mut self) -> Result<(), Halt> {
        while !ends_block(self.peek()) {
            let is_return = self.peek() == Kind::Return;
            self.statement()?;
            if is_return {
                break;
            }
        }
        Ok(())
    }

    fn scoped_block(&mut self) -> Result<(), Halt> {
        self.scopes.open_block(false);
        self.block()?;
        self.scopes.close_block();
        Ok(())
    }

    fn statement(&mut self) -> Result<(), Halt> {
        self.enter()?;
        let at = self.at();
        match self.peek() {
            Kind::Semicolon => {
                self.bump()?;
            }
            Kind::If => self.if_statement(at)?,
            Kind::While => self.while_loop(at)?,
            Kind::Do => {
                self.bump()?;
                self.scoped_block()?;
                self.close(Kind::BlockEnd, Kind::Do, at)?;
            }
            Kind::For => self.for_loop(at)?,
            Kind::Repeat => self.repeat_loop(at)?,
            Kind::Function => self.function_statement(at)?,
            Kind::Local => self.local()?,
            Kind::DoubleColon => self.label()?,
            Kind::Return => self.return_statement()?,
            Kind::Break => {
                self.bump()?;
                if !self.scopes.is_in_loop() {
                    self.problems.add(at as usize, "break outside a loop")?;
                }
            }
            Kind::Goto => {
                self.bump()?;
                let name = self.name()?;
                self.scopes.goto(name);
            }
            _ => self.expression_statement()?,
        }
        self.leave();
        Ok(())
    }

    fn if_statement(&mut self, at: u32) -> Result<(), Halt> {
        loop {
            // `if` or `elseif`.
            self.bump()?;
            self.expression()?;
            self.expect(Kind::Then)?;
            self.scoped_block()?;
            if self.peek() != Kind::ElseIf {
                break;
            }
        }
        if self.take(Kind::Else)? {
            self.scoped_block()?;
        }
        self.close(Kind::BlockEnd, Kind::If, at)
    }

    fn while_loop(&mut self, at: u32) -> Result<(), Halt> {
        self.bump()?;
        self.expression()?;
        self.expect(Kind::Do)?;
        self.scopes.open_block(true);
        self.block()?;
        self.close(Kind::BlockEnd, Kind::While, at)?;
        self.scopes.close_block();
        Ok(())
    }

    fn repeat_loop(&mut self, at: u32) -> Result<(), Halt> {
        self.bump()?;
        self.scopes.open_block(true);
        self.block()?;
        self.close(Kind::Until, Kind::Repeat, at)?;
        self.expression()?;
        self.scopes.close_block();
        Ok(())
    }

    fn for_loop(&mut self, at: u32) -> Result<(), Halt> {
        self.bump()?;
        let first = self.name()?;
        let mut names = Vec::new();
        match self.peek() {
            Kind::Assign => {
                self.bump()?;
                names.extend(NUMERIC_LOOP_STATE);
                self.push_local(&mut names, first.text)?;
                self.expression()?;
                self.expect(Kind::Comma)?;
                self.expression()?;
                if self.take(Kind::Comma)? {
                    self.expression()?;
                }
            }
            Kind::Comma | Kind::In => {
                names.extend(GENERIC_LOOP_STATE);
                self.push_local(&mut names, first.text)?;
                while self.take(Kind::Comma)? {
                    let name = self.name()?.text;
                    self.push_local(&mut names, name)?;
                }
                self.expect(Kind::In)?;
                self.expressions()?;
            }
            _ => return Err(self.syntax_error("'=' or 'in' expected")),
        }
        self.expect(Kind::Do)?;
        self.scopes.open_block(true);
        for name in names {
            self.scopes.declare(name, false);
        }
        self.scoped_block()?;
        self.close(Kind::BlockEnd, Kind::For, at)?;
        self.scopes.close_block();
        Ok(())
    }

    fn function_statement(&mut self, at: u32) -> Result<(), Halt> {
        self.bump()?;
        let name = self.name()?;
        let (mut is_whole, mut is_method) = (true, false);
        while self.take(Kind::Dot)? {
            self.name()?;
            is_whole = false;
        }
        if self.take(Kind::Colon)? {
            self.name()?;
            (is_whole, is_method) = (false, true);
        }
        if is_whole {
            self.check_assignable(name)?;
        }
        self.function_body(at, is_method)
    }

    fn local(&mut self) -> Result<(), Halt> {
        self.bump()?;
        if self.peek() == Kind::Function {
            self.bump()?;
            let name = self.name()?.text;
            self.push_local(&mut Vec::new(), name)?;
            self.scopes.declare(name, false);
            return self.function_body(self.at(), false);
        }
        let (mut names, mut constant) = (Vec::new(), Vec::new());
        let mut has_closed = false;
        loop {
            let name = self.name()?.text;
            self.push_local(&mut names, name)?;
            constant.push(self.attribute(&mut has_closed)?);
            if !self.take(Kind::Comma)? {
                break;
            }
        }
        if self.take(Kind::Assign)? {
            self.expressions()?;
        }
        for (name, is_constant) in names.into_iter().zip(constant) {
            self.scopes.declare(name, is_constant);
        }
        Ok(())
    }

    /// Reads `<const>` or `<close>`, and returns whether the variable cannot be assigned to.
    fn attribute(&mut self, has_closed: &mut bool) -> Result<bool, Halt> {
        if !self.take(Kind::Less)? {
            return Ok(false);
        }
        let attribute = self.name()?;
        self.expect(Kind::Greater)?;
        let at = attribute.at as usize;
        match attribute.text {
            b"const" => {}
            b"close" if !*has_closed => *has_closed = true,
            b"close" => self.problems.add(at, "multiple to-be-closed variables in local list")?,
            other => self.problems.add(at, format!("unknown attribute '{}'", quoted(other)))?,
        }
        Ok(true)
    }

    /// Adds a variable to those that a statement is about to declare.
    pub(super) fn push_local(&mut self, names: &mut Vec<&'s [u8]>, name: &'s [u8]) -> Result<(), Halt> {
        if self.scopes.locals() + names.len() >= MAX_LOCALS {
            return Err(
                self.syntax_error(&format!("too many local variables (the limit is {MAX_LOCALS} in a function)"))
            );
        }
        names.push(name);
        Ok(())
    }

    /// Reads `::name::` and the empty statements after it, by which a label may be the last one of its block.
    fn label(&mut self) -> Result<(), Halt> {
        self.bump()?;
        let name = self.name()?;
        self.expect(Kind::DoubleColon)?;
        let earlier = self.scopes.find_label(name.text);
        if let Some(earlier) = earlier {
            let message = format!("label '{}' already defined on line {}", quoted(name.text), self.line(earlier));
            self.problems.add(name.at as usize, message)?;
        } else {
            self.scopes.declare_label(name);
        }
        while matches!(self.peek(), Kind::Semicolon | Kind::DoubleColon) {
            self.statement()?;
        }
        if earlier.is_some() {
            return Ok(());
        }
        let is_last = ends_block(self.peek()) && self.peek() != Kind::Until;
        self.scopes.resolve_gotos(name, is_last, self.problems)
    }

    fn return_statement(&mut self) -> Result<(), Halt> {
        self.bump()?;
        if !ends_block(self.peek()) && self.peek() != Kind::Semicolon {
            self.expressions()?;
        }
        self.take(Kind::Semicolon).map(|_| ())
    }

    /// Reads a call or an assignment.
    fn expression_statement(&mut self) -> Result<(), Halt> {
        let first = self.suffixed()?;
        if !matches!(self.peek(), Kind::Assign | Kind::Comma) {
            return if matches!(first, Suffixed::Call) { Ok(()) } else { Err(self.syntax_error("syntax error")) };
        }
        self.check_target(first)?;
        // Lua recurses once per target, and refuses too many of them.
        let mut levels = 0;
        while self.take(Kind::Comma)? {
            let target = self.suffixed()?;
            self.enter()?;
            levels += 1;
            self.check_target(target)?;
        }
        self.expect(Kind::Assign)?;
        self.expressions()?;
        for _ in 0..levels {
            self.leave();
        }
        Ok(())
    }

    fn check_target(&mut self, target: Suffixed<'s>) -> Result<(), Halt> {
        match target {
            Suffixed::Variable(name) => self.check_assignable(name),
            Suffixed::Index => Ok(()),
            Suffixed::Call | Suffixed::Parenthesised => Err(self.syntax_error("syntax error")),
        }
    }

    fn check_assignable(&mut self, name: Name<'s>) -> Result<(), Halt> {
        if !self.scopes.is_constant(name.text) {
            return Ok(());
        }
        let message = format!("attempt to assign to const variable '{}'", quoted(name.text));
        self.problems.add(name.at as usize, message)
    }
}
