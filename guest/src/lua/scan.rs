//! The scan: one pass over a whole chunk that finds its statements of interest.
//!
//! Owns: the balance of brackets and blocks, where statements begin, and every use of a variable of the top level. It is
//! a recogniser, not a parser: it accepts all of Lua, and some text that is not Lua.
//! Never: recurses, and never parses expressions.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use super::blocks::{Open, Opener};
use super::scope::{Facts, Scopes, Variable};
use super::value::{Reason, Unknown};

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

/// The beginning of one of the variables left of a possible `=`.
#[derive(Debug, Clone, Copy)]
struct Target<'s> {
    name: &'s str,
    token: Token,
    is_whole: bool,
    /// The variable of which this is a use, if no `=` follows.
    used: Option<Variable>,
}

/// The statement that is being read.
#[derive(Debug, Clone, Copy, Default)]
struct Statement {
    /// The number of targets that belong to the statements around it.
    first: usize,
    /// The number of brackets and blocks that were open where its targets began.
    level: usize,
    /// The first target that begins with a bracket. The names within count as targets, too.
    wrapped: Option<u32>,
}

/// The name of a local whose first value is still being read. There, the name means what it meant before.
#[derive(Debug, Clone, Copy)]
struct Pending {
    name: Token,
    /// The number of brackets and blocks that are open where the statement begins.
    level: usize,
    may_hold: bool,
}

struct Scanner<'s> {
    source: &'s str,
    tokens: Tokens<'s>,
    previous: Kind,
    open: Vec<Open>,
    /// How many of `open` are bodies of functions.
    functions: u32,
    scopes: Scopes<'s>,
    pending: Vec<Pending>,
    /// The level of the last of `pending`, or one that is never reached.
    pending_level: usize,
    /// The targets of the current statement, if a `=` follows, and before them those of the statements around it.
    targets: Vec<Target<'s>>,
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
        let token = self.tokens.bump()?;
        self.previous = token.kind;
        if self.pending_level == self.open.len() {
            self.end_declaration(token.kind, before);
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
            Kind::While => self.push(Opener::Header, token),
            Kind::Do => self.block_body(token),
            Kind::If => self.push(Opener::If, token),
            Kind::Else | Kind::ElseIf => self.next_branch(token)?,
            Kind::Repeat => self.push(Opener::Repeat, token),
            Kind::ParenOpen => {
                if before.is_before_bracket() && self.in_statements() {
                    self.begin_wrapped(token);
                }
                self.note_argument(token, before);
                self.push(Opener::Paren, token);
            }
            Kind::BracketOpen => self.push(Opener::Bracket, token),
            Kind::BraceOpen => {
                self.note_argument(token, before);
                self.push(Opener::Brace, token);
            }
            kind if kind.is_string() => self.note_argument(token, before),
            kind if kind.closes() => self.close(token)?,
            _ => {}
        }
        Ok(())
    }

    /// Declares the names of a `local` or a `for` where the token shows that the values have ended.
    fn end_declaration(&mut self, kind: Kind, before: Kind) {
        let is_next = match kind {
            Kind::Name | Kind::Function => before.ends_statement(),
            Kind::ParenOpen => before.is_before_bracket(),
            kind => kind.begins_statement() || kind.closes(),
        };
        if !is_next {
            return;
        }
        let level = self.open.len();
        let from = self.pending.iter().rposition(|pending| pending.level != level).map_or(0, |outer| outer + 1);
        for Pending { name, may_hold, .. } in self.pending.drain(from..) {
            self.scopes.declare_local(name.text(self.source), name.start, true, may_hold);
        }
        self.note_pending();
    }

    fn note_pending(&mut self) {
        self.pending_level = self.pending.last().map_or(usize::MAX, |last| last.level);
    }

    /// A name within an expression.
    fn name(&mut self, token: Token, before: Kind) {
        if matches!(before, Kind::Dot | Kind::Colon | Kind::Goto) {
            return;
        }
        let is_field = self.open.last().is_some_and(|open| open.opener == Opener::Brace)
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

    /// Notes the call that an argument after `before` makes.
    fn note_argument(&mut self, token: Token, before: Kind) {
        if matches!(before, Kind::Name | Kind::ParenClose | Kind::BracketClose) {
            self.note_call(token);
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
            Kind::BraceClose => opener == Some(Opener::Brace),
            Kind::Until => opener == Some(Opener::Repeat),
            _ => matches!(opener, Some(Opener::If | Opener::Body | Opener::Function)),
        };
        if !fits {
            return Err(SyntaxError { at: token.start as usize, message: "closes something that is not open" });
        }
        if opener.is_some_and(Opener::is_block) {
            self.scopes.close();
        }
        if opener == Some(Opener::Function) {
            self.forget_targets();
            self.statement = self.suspended.pop().unwrap_or_default();
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

    fn target(&mut self, token: Token) -> Target<'s> {
        let is_whole = matches!(self.tokens.peek().kind, Kind::Assign | Kind::Comma);
        let name = token.text(self.source);
        // A whole variable to the left of `=` is not read.
        let used = if is_whole { None } else { self.scopes.used(name) };
        Target { name, token, is_whole, used }
    }

    fn begin_targets(&mut self, token: Token) {
        self.forget_targets();
        self.statement.level = self.open.len();
        let target = self.target(token);
        self.targets.push(target);
    }

    fn begin_wrapped(&mut self, token: Token) {
        self.forget_targets();
        self.statement.level = self.open.len();
        self.statement.wrapped = Some(token.start);
    }

    fn wrapped_name(&mut self, token: Token) {
        if !self.in_statements() {
            let target = Target { used: None, ..self.target(token) };
            self.targets.push(target);
        }
    }

    /// No `=` follows the targets: they are uses.
    fn forget_targets(&mut self) {
        self.statement.wrapped = None;
        while self.targets.len() > self.statement.first {
            let target = self.targets.pop();
            if let Some((variable, token)) = target.and_then(|target| Some((target.used?, target.token))) {
                self.note_use(variable, token);
            }
        }
    }

    fn next_target(&mut self) -> Result<(), SyntaxError> {
        let is_open = self.targets.len() > self.statement.first || self.statement.wrapped.is_some();
        if !is_open || self.statement.level != self.open.len() || !self.in_statements() {
            return Ok(());
        }
        let next = self.tokens.peek();
        if next.kind == Kind::Name {
            self.previous = self.tokens.bump()?.kind;
            let target = self.target(next);
            self.targets.push(target);
        } else if next.kind == Kind::ParenOpen {
            self.statement.wrapped.get_or_insert(next.start);
        }
        Ok(())
    }

    fn commit_targets(&mut self) {
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
            note_write(&mut self.scopes, &mut self.events, Target { is_whole, ..target }, false);
        }
    }

    fn local(&mut self) -> Result<(), SyntaxError> {
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
            self.pending.push(Pending { name, level: self.open.len(), may_hold: true });
            self.attribute()?;
            if self.tokens.peek().kind != Kind::Comma {
                break;
            }
            self.tokens.bump()?;
        }
        self.previous = Kind::Semicolon;
        if self.tokens.peek().kind != Kind::Assign {
            for Pending { name, .. } in self.pending.drain(first..) {
                self.scopes.declare_local(name.text(self.source), name.start, false, true);
            }
        } else if self.scopes.is_top() && self.pending.len() == first + 1 {
            let may_hold = self.value_may_be_table();
            if let Some(only) = self.pending.last_mut() {
                only.may_hold = may_hold;
            }
        }
        self.note_pending();
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

    fn take(&mut self, kind: Kind) -> Result<(), SyntaxError> {
        if self.tokens.peek().kind == kind {
            self.tokens.bump()?;
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

    fn function(&mut self, token: Token, after_statement: bool) -> Result<(), SyntaxError> {
        let name = self.tokens.peek();
        if name.kind == Kind::Name && after_statement && self.in_statements() {
            self.tokens.bump()?;
            let is_whole = self.tokens.peek().kind == Kind::ParenOpen;
            if self.scopes.is_top() {
                self.events.push(Event::Function(name.start));
            }
            let target = Target { name: name.text(self.source), token: name, is_whole, used: None };
            note_write(&mut self.scopes, &mut self.events, target, true);
            while matches!(self.tokens.peek().kind, Kind::Dot | Kind::Colon | Kind::Name) {
                self.tokens.bump()?;
            }
        }
        self.function_body(token)
    }

    /// Opens the body and declares the parameters in it.
    fn function_body(&mut self, token: Token) -> Result<(), SyntaxError> {
        self.suspended.push(self.statement);
        self.statement = Statement { first: self.targets.len(), ..Statement::default() };
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

    fn for_header(&mut self, token: Token) -> Result<(), SyntaxError> {
        self.forget_targets();
        self.push(Opener::Header, token);
        while matches!(self.tokens.peek().kind, Kind::Name | Kind::Comma) {
            let name = self.tokens.bump()?;
            if name.kind == Kind::Name {
                self.pending.push(Pending { name, level: self.open.len(), may_hold: true });
            }
        }
        self.note_pending();
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

fn note_write<'s>(scopes: &mut Scopes<'s>, events: &mut Vec<Event>, target: Target<'s>, is_function: bool) {
    let at = target.token.start;
    let variable = scopes.note_write(target.name, at, target.is_whole);
    if let (false, false, Some(variable)) = (scopes.is_top(), target.is_whole, variable) {
        events.push(Event::BlockWrite { variable, at, is_function });
    }
}
