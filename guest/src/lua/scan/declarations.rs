//! Statements that declare names: `local`, `function` and `for`.
//!
//! Owns: from where on a name means the new variable.
//! Never: knows what a name refers to; that are the scopes.

use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use super::{Event, Scanner, check_count};
use crate::lua::blocks::Opener;

/// What is done where the expressions of a statement end.
#[derive(Debug, Clone, Copy)]
pub(super) enum DeferredAction {
    /// Declares a local. In its own first value, its name means what it meant before.
    Declare { name: Token, has_value: bool, may_hold: bool },
    /// Closes the scope of a `repeat`, whose condition sees the names of its block.
    CloseScope,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    /// The number of brackets and blocks that are open where the statement begins.
    level: usize,
    action: DeferredAction,
}

impl Scanner<'_> {
    /// Does what is pending if the token shows that the expressions of the current statement have ended.
    pub(super) fn end_expressions(&mut self, kind: Kind, before: Kind) {
        let is_next = match kind {
            Kind::Name | Kind::Function => before.ends_statement(),
            Kind::ParenOpen => before.ends_statement() && !before.takes_argument(),
            kind => kind.begins_statement() || kind.closes(),
        };
        if !is_next {
            return;
        }
        let level = self.open.len();
        let from = self.pending.iter().rposition(|pending| pending.level != level).map_or(0, |outer| outer + 1);
        for pending in self.pending.drain(from..) {
            match pending.action {
                DeferredAction::Declare { name, has_value, may_hold } => {
                    self.scopes.declare_local(name.text(self.source), name.start, has_value, may_hold);
                }
                DeferredAction::CloseScope => self.scopes.close(),
            }
        }
        self.note_pending();
    }

    fn note_pending(&mut self) {
        self.pending_level = self.pending.last().map_or(usize::MAX, |last| last.level);
    }

    pub(super) fn defer(&mut self, action: DeferredAction) {
        self.pending.push(Pending { level: self.open.len(), action });
        self.note_pending();
    }

    pub(super) fn local(&mut self) -> Result<(), SyntaxError> {
        self.forget_targets();
        if self.tokens.peek().kind == Kind::Function {
            self.tokens.bump()?;
            return self.local_function();
        }
        if self.scopes.is_top() {
            self.events.push(Event::Local(self.tokens.peek().start));
        }
        let first = self.pending.len();
        while self.tokens.peek().kind == Kind::Name {
            let name = self.tokens.bump()?;
            check_count(self.pending.len() - first, name)?;
            self.defer(DeferredAction::Declare { name, has_value: true, may_hold: true });
            self.attribute()?;
            if self.tokens.peek().kind != Kind::Comma {
                break;
            }
            self.tokens.bump()?;
        }
        self.previous = Kind::Semicolon;
        let is_given = self.tokens.peek().kind == Kind::Assign;
        let is_only = self.scopes.is_top() && self.pending.len() == first + 1;
        let is_other = is_given && is_only && !self.value_may_be_table();
        for Pending { action, .. } in self.pending.iter_mut().skip(first) {
            if let DeferredAction::Declare { has_value, may_hold, .. } = action {
                (*has_value, *may_hold) = (is_given, !is_other);
            }
        }
        Ok(())
    }

    /// Whether the value after the next token, a `=`, may be a table that the chunk makes.
    fn value_may_be_table(&self) -> bool {
        let mut ahead = self.tokens;
        let Ok(first) = ahead.bump().map(|_| ahead.peek()) else { return true };
        if first.kind != Kind::Name {
            let is_other = first.kind.is_string()
                || matches!(
                    first.kind,
                    Kind::Number | Kind::True | Kind::False | Kind::Function | Kind::Minus | Kind::Not
                );
            return !is_other;
        }
        let Ok(second) = ahead.bump().map(|_| ahead.peek().kind) else { return true };
        match second {
            Kind::Dot | Kind::Colon | Kind::BracketOpen => false,
            Kind::ParenOpen | Kind::BraceOpen | Kind::Plain | Kind::Escaped | Kind::Long => {
                matches!(first.text(self.source), "setmetatable" | "require")
            }
            _ => true,
        }
    }

    /// Reads `<const>` or `<close>`.
    fn attribute(&mut self) -> Result<(), SyntaxError> {
        if self.tokens.peek().kind == Kind::Less {
            self.tokens.bump()?;
            self.scopes.facts.closes |= self.functions == 0 && self.tokens.peek().text(self.source) == "close";
            self.take(Kind::Name)?;
            self.take(Kind::Greater)?;
        }
        Ok(())
    }

    fn local_function(&mut self) -> Result<(), SyntaxError> {
        let name = self.tokens.peek();
        if name.kind == Kind::Name {
            if self.scopes.is_top() {
                self.events.push(Event::Local(name.start));
            }
            self.tokens.bump()?;
            self.scopes.declare_local(name.text(self.source), name.start, true, false);
        }
        self.function_body(name)
    }

    pub(super) fn function(&mut self, token: Token, after_statement: bool) -> Result<(), SyntaxError> {
        let name = self.tokens.peek();
        let mut is_method = false;
        if name.kind == Kind::Name && after_statement && self.in_statements() {
            self.tokens.bump()?;
            if self.scopes.is_top() {
                self.events.push(Event::Function(name.start));
            }
            self.function_target(name);
            while matches!(self.tokens.peek().kind, Kind::Dot | Kind::Colon | Kind::Name) {
                is_method |= self.tokens.bump()?.kind == Kind::Colon;
            }
        }
        self.function_body(token)?;
        if is_method {
            self.scopes.declare_local("self", token.start, true, true);
        }
        Ok(())
    }

    /// Opens the body and declares the parameters in it.
    fn function_body(&mut self, token: Token) -> Result<(), SyntaxError> {
        self.suspend_statement();
        self.push(Opener::Function, token);
        self.functions += 1;
        if self.tokens.peek().kind != Kind::ParenOpen {
            let at = self.tokens.peek().start as usize;
            return Err(SyntaxError { at, message: "'(' expected after 'function'" });
        }
        self.tokens.bump()?;
        while matches!(self.tokens.peek().kind, Kind::Name | Kind::Comma | Kind::Dots) {
            let parameter = self.tokens.bump()?;
            if parameter.kind == Kind::Name {
                self.scopes.declare_local(parameter.text(self.source), parameter.start, true, true);
            }
        }
        if self.tokens.peek().kind != Kind::ParenClose {
            let at = self.tokens.peek().start as usize;
            return Err(SyntaxError { at, message: "')' expected after the parameters" });
        }
        self.tokens.bump()?;
        self.previous = Kind::Semicolon;
        Ok(())
    }

    pub(super) fn for_header(&mut self, token: Token) -> Result<(), SyntaxError> {
        self.forget_targets();
        self.push(Opener::Header, token);
        while matches!(self.tokens.peek().kind, Kind::Name | Kind::Comma) {
            let name = self.tokens.bump()?;
            if name.kind == Kind::Name {
                self.defer(DeferredAction::Declare { name, has_value: true, may_hold: true });
            }
        }
        Ok(())
    }
}
