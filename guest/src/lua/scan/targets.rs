//! The variables to the left of a possible `=`.
//!
//! Owns: which names are assigned to, and which only looked as if they were.
//! Never: reads what is assigned.

use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use super::{Event, Scanner, check_count};
use crate::lua::scope::{Scopes, Variable};
use crate::lua::value::{Reason, Unknown};

/// The beginning of one of the variables left of a possible `=`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    token: Token,
    is_whole: bool,
    /// The variable of which this is a use, if no `=` follows.
    used: Option<Variable>,
}

/// The statement that is being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statement {
    /// The number of targets that belong to the statements around it.
    first: usize,
    /// The number of brackets and blocks that were open where its targets began.
    level: usize,
    /// The number of targets behind the first.
    others: usize,
    /// The first target that begins with a bracket. The names within count as targets, too.
    pub(super) wrapped: Option<u32>,
}

impl Scanner<'_> {
    fn target(&mut self, token: Token) -> Target {
        let is_whole = matches!(self.tokens.peek().kind, Kind::Assign | Kind::Comma);
        // A whole variable to the left of `=` is not read.
        let used = if is_whole { None } else { self.scopes.used(token.text(self.source)) };
        Target { token, is_whole, used }
    }

    pub(super) fn begin_targets(&mut self, token: Token) {
        self.forget_targets();
        self.statement.level = self.open.len();
        self.add_target(token);
    }

    fn add_target(&mut self, token: Token) {
        let mut target = self.target(token);
        let next = self.tokens.peek().kind;
        // A call reads the variable, whether an assignment to what it returns follows or not.
        if (matches!(next, Kind::ParenOpen | Kind::BraceOpen | Kind::Colon) || next.is_string())
            && let Some(variable) = target.used.take()
        {
            self.note_use(variable, token);
        }
        self.targets.push(target);
    }

    pub(super) fn begin_wrapped(&mut self, token: Token) {
        self.forget_targets();
        self.statement.level = self.open.len();
        self.statement.wrapped = Some(token.start);
    }

    pub(super) fn wrapped_name(&mut self, token: Token) {
        if !self.in_statements() {
            let target = Target { used: None, ..self.target(token) };
            self.targets.push(target);
        }
    }

    /// The name that a function statement assigns to, of which the first part was read.
    pub(super) fn function_target(&mut self, name: Token) {
        let is_whole = self.tokens.peek().kind == Kind::ParenOpen;
        let target = Target { token: name, is_whole, used: None };
        note_write(self.source, &mut self.scopes, &mut self.events, target, true);
    }

    /// Keeps the targets of the current statement while the body of a function within it is read.
    pub(super) fn suspend_statement(&mut self) {
        self.suspended.push(self.statement);
        self.statement = Statement { first: self.targets.len(), ..Statement::default() };
    }

    pub(super) fn resume_statement(&mut self) {
        self.forget_targets();
        self.statement = self.suspended.pop().unwrap_or_default();
    }

    /// No `=` follows the targets: they are uses.
    pub(super) fn forget_targets(&mut self) {
        (self.statement.wrapped, self.statement.others) = (None, 0);
        while self.targets.len() > self.statement.first {
            let target = self.targets.pop();
            if let Some((variable, token)) = target.and_then(|target| Some((target.used?, target.token))) {
                self.note_use(variable, token);
            }
        }
    }

    pub(super) fn next_target(&mut self) -> Result<(), SyntaxError> {
        let is_open = self.targets.len() > self.statement.first || self.statement.wrapped.is_some();
        if !is_open || self.statement.level != self.open.len() || !self.in_statements() {
            return Ok(());
        }
        let next = self.tokens.peek();
        self.statement.others += 1;
        check_count(self.statement.others, next)?;
        if next.kind == Kind::Name {
            self.previous = self.tokens.bump()?.kind;
            self.add_target(next);
        } else if next.kind == Kind::ParenOpen {
            self.statement.wrapped.get_or_insert(next.start);
        }
        Ok(())
    }

    pub(super) fn commit_targets(&mut self) {
        if self.statement.level != self.open.len() || !self.in_statements() {
            return;
        }
        let wrapped = self.statement.wrapped.take();
        if self.scopes.is_top() {
            let wrapped = wrapped.map(|at| Event::Doubt(Unknown { at, reason: Reason::Wrapped }));
            let assigned =
                wrapped.or(self.targets.get(self.statement.first).map(|first| Event::Assign(first.token.start)));
            self.events.extend(assigned);
        }
        for target in self.targets.drain(self.statement.first..) {
            let is_whole = target.is_whole || wrapped.is_some();
            note_write(self.source, &mut self.scopes, &mut self.events, Target { is_whole, ..target }, false);
        }
    }
}

fn note_write<'s>(
    source: &'s str,
    scopes: &mut Scopes<'s>,
    events: &mut Vec<Event>,
    target: Target,
    is_function: bool,
) {
    let at = target.token.start;
    let variable = scopes.note_write(target.token.text(source), at, target.is_whole);
    if let (false, false, Some(variable)) = (scopes.is_top(), target.is_whole, variable) {
        events.push(Event::BlockWrite { variable, at, is_function });
    }
}
