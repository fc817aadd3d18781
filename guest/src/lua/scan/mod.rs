//! The scan: one pass over a whole chunk that finds its statements of interest.
//!
//! Owns: the balance of brackets and blocks, where statements begin, and every use of a variable of the top level. It is
//! a recogniser, not a parser: it accepts all of Lua, and some text that is not Lua.
//! Never: recurses, and never parses expressions.

mod declarations;
mod targets;

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use self::declarations::{DeferredAction, Pending};
use self::targets::{Statement, Target};
use super::blocks::{Open, Opener};
use super::scope::{Facts, Scopes, Variable};
use super::value::{Reason, Unknown};
use crate::limits::MAX_VARIABLES;

/// A statement of interest, by the offset at which to read it again.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// `local a, b = …` at the top level, after `local`.
    Local(u32),
    /// `a.b, c = …` at the top level.
    Assign(u32),
    /// `function a.b.c()` at the top level, after `function`.
    Function(u32),
    /// `return …` at the top level, after `return`.
    Return(u32),
    /// A statement of the top level after which the order of its statements, or a target of one, is uncertain.
    Doubt(Unknown),
    /// An assignment within a block to a part of a variable of the top level, or the name in a function statement there.
    BlockWrite { variable: Variable, at: u32, is_function: bool },
}

/// A place where the value of a variable of the top level, or a part of it, is read or called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) variable: Variable,
    pub(crate) at: u32,
}

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) events: Vec<Event>,
    /// Every use of a variable that may hold a table, by its offset. Statements that the replay follows are included.
    pub(crate) uses: Vec<Use>,
    pub(crate) facts: Facts,
}

/// Scans a whole chunk.
///
/// # Errors
/// The first position that shows that the source is not a Lua chunk.
pub(crate) fn scan(source: &str) -> Result<Scan, SyntaxError> {
    let mut scanner = Scanner {
        source,
        tokens: Tokens::of_chunk(source.as_bytes())?,
        previous: Kind::Semicolon,
        open: Vec::new(),
        functions: 0,
        scopes: Scopes::new(),
        pending: Vec::new(),
        pending_level: usize::MAX,
        targets: Vec::new(),
        statement: Statement::default(),
        suspended: Vec::new(),
        events: Vec::new(),
        uses: Vec::new(),
    };
    while scanner.tokens.peek().kind != Kind::End {
        scanner.step()?;
    }
    if let Some(unclosed) = scanner.open.last() {
        return Err(SyntaxError { at: unclosed.at as usize, message: unclosed.opener.complaint() });
    }
    scanner.forget_targets();
    scanner.uses.sort_unstable_by_key(|read| read.at);
    Ok(Scan { events: scanner.events, uses: scanner.uses, facts: scanner.scopes.into_facts() })
}

struct Scanner<'s> {
    source: &'s str,
    tokens: Tokens<'s>,
    /// The token before the current one. The end of any argument is a closing bracket, so that this tells whether
    /// another argument may follow.
    previous: Kind,
    open: Vec<Open>,
    /// How many of `open` are bodies of functions.
    functions: u32,
    scopes: Scopes<'s>,
    pending: Vec<Pending>,
    /// The level of the last of `pending`, or one that is never reached.
    pending_level: usize,
    /// The targets of the current statement, if a `=` follows, and before them those of the statements around it.
    targets: Vec<Target>,
    statement: Statement,
    /// The statements in which the open bodies of functions stand.
    suspended: Vec<Statement>,
    events: Vec<Event>,
    uses: Vec<Use>,
}

impl<'s> Scanner<'s> {
    fn step(&mut self) -> Result<(), SyntaxError> {
        let before = self.previous;
        let after_statement = before.ends_statement();
        let is_argument = before.takes_argument();
        let token = self.tokens.bump()?;
        self.previous = token.kind;
        if self.pending_level == self.open.len() {
            self.end_expressions(token.kind, before);
        }
        match token.kind {
            Kind::Name if after_statement && self.in_statements() => self.begin_targets(token),
            Kind::Name => self.name(token, before),
            Kind::Comma => self.next_target()?,
            Kind::Assign => self.commit_targets(),
            Kind::Local => self.local()?,
            Kind::Function => self.function(token, after_statement)?,
            Kind::For => self.for_header(token)?,
            Kind::In => self.note_call(token),
            Kind::Return => self.note_return(token),
            Kind::DoubleColon => self.label(token)?,
            Kind::Goto => self.jump()?,
            Kind::While => self.push(Opener::Header, token),
            Kind::Do => self.block_body(token),
            Kind::If => self.push(Opener::If, token),
            Kind::Else | Kind::ElseIf => self.next_branch(token)?,
            Kind::Repeat => self.push(Opener::Repeat, token),
            Kind::ParenOpen => {
                if is_argument {
                    self.note_call(token);
                } else if after_statement && self.in_statements() {
                    self.begin_wrapped(token);
                }
                self.push(Opener::Paren, token);
            }
            Kind::BracketOpen => self.push(Opener::Bracket, token),
            Kind::BraceOpen if is_argument => {
                self.note_call(token);
                self.push(Opener::Argument, token);
            }
            Kind::BraceOpen => self.push(Opener::Brace, token),
            kind if kind.is_string() && is_argument => {
                self.note_call(token);
                self.previous = Kind::ParenClose;
            }
            kind if kind.closes() => self.close(token)?,
            _ => {}
        }
        Ok(())
    }

    /// A name within an expression.
    fn name(&mut self, token: Token, before: Kind) {
        if matches!(before, Kind::Dot | Kind::Colon) {
            return;
        }
        let is_field = self.open.last().is_some_and(|open| matches!(open.opener, Opener::Brace | Opener::Argument))
            && matches!(before, Kind::BraceOpen | Kind::Comma | Kind::Semicolon)
            && self.tokens.peek().kind == Kind::Assign;
        if is_field {
            return;
        }
        if let Some(variable) = self.scopes.used(token.text(self.source)) {
            self.note_use(variable, token);
        }
        if self.statement.wrapped.is_some() {
            self.wrapped_name(token);
        }
    }

    fn note_use(&mut self, variable: Variable, token: Token) {
        self.uses.push(Use { variable, at: token.start });
    }

    /// Notes a call that is not in the body of a function.
    fn note_call(&mut self, token: Token) {
        if self.functions == 0 {
            self.scopes.facts.call.get_or_insert(token.start);
        }
    }

    /// Whether the current position is between statements, not within brackets.
    fn in_statements(&self) -> bool {
        self.open.last().is_none_or(|open| open.opener.is_block())
    }

    fn push(&mut self, opener: Opener, token: Token) {
        if opener.is_block() {
            self.scopes.open();
        }
        self.open.push(Open { opener, at: token.start });
    }

    fn close(&mut self, token: Token) -> Result<(), SyntaxError> {
        let opener = self.open.pop().map(|open| open.opener);
        let fits = match token.kind {
            Kind::ParenClose => opener == Some(Opener::Paren),
            Kind::BracketClose => opener == Some(Opener::Bracket),
            Kind::BraceClose => matches!(opener, Some(Opener::Brace | Opener::Argument)),
            Kind::Until => opener == Some(Opener::Repeat),
            _ => matches!(opener, Some(Opener::If | Opener::Body | Opener::Function)),
        };
        if !fits {
            return Err(SyntaxError { at: token.start as usize, message: "closes something that is not open" });
        }
        if opener == Some(Opener::Repeat) {
            self.defer(DeferredAction::CloseScope);
        } else if opener.is_some_and(Opener::is_block) {
            self.scopes.close();
        }
        if opener == Some(Opener::Argument) {
            self.previous = Kind::ParenClose;
        }
        if opener == Some(Opener::Function) {
            self.resume_statement();
            self.functions -= 1;
        }
        Ok(())
    }

    fn block_body(&mut self, token: Token) {
        match self.open.last_mut() {
            Some(open) if open.opener == Opener::Header => open.opener = Opener::Body,
            _ => self.push(Opener::Body, token),
        }
    }

    fn next_branch(&mut self, token: Token) -> Result<(), SyntaxError> {
        if self.open.last().is_none_or(|open| open.opener != Opener::If) {
            return Err(SyntaxError { at: token.start as usize, message: "branch outside an 'if'" });
        }
        self.scopes.close();
        self.scopes.open();
        Ok(())
    }

    fn take(&mut self, kind: Kind) -> Result<(), SyntaxError> {
        if self.tokens.peek().kind == kind {
            self.tokens.bump()?;
        }
        Ok(())
    }

    fn note_return(&mut self, token: Token) {
        self.forget_targets();
        if self.open.is_empty() {
            self.events.push(Event::Return(token.end));
        } else if self.functions == 0 {
            self.doubt(token, Reason::EarlyReturn);
        }
    }

    fn jump(&mut self) -> Result<(), SyntaxError> {
        self.previous = Kind::Semicolon;
        self.take(Kind::Name)
    }

    fn label(&mut self, token: Token) -> Result<(), SyntaxError> {
        if self.open.is_empty() {
            self.doubt(token, Reason::Label);
        }
        self.take(Kind::Name)?;
        self.take(Kind::DoubleColon)
    }

    fn doubt(&mut self, token: Token, reason: Reason) {
        self.events.push(Event::Doubt(Unknown { at: token.start, reason }));
    }
}

/// Lua refuses statements with more than about 200 variables. A source of them would need many times its own size.
fn check_count(count: usize, next: Token) -> Result<(), SyntaxError> {
    if count > MAX_VARIABLES {
        return Err(SyntaxError { at: next.start as usize, message: "too many variables in one statement" });
    }
    Ok(())
}
