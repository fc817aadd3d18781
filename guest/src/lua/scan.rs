//! The scan: one pass over a whole chunk that finds its statements of interest.
//!
//! Owns: the balance of brackets and blocks, and where statements begin. It is a recogniser, not a parser: it accepts
//! all of Lua, and some text that is not Lua.
//! Never: recurses, and never parses expressions.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::{Kind, SyntaxError, Token};

use super::scope::{Facts, Scopes, Variable};

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
    /// `(a).b = …` at the top level, from the bracket: its target is unknown.
    Wrapped(u32),
    /// An assignment within a block to a variable of the top level, or to a part of one.
    BlockWrite { variable: Variable, at: u32 },
}

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) events: Vec<Event>,
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
        scopes: Scopes::default(),
        targets: Vec::new(),
        targets_level: 0,
        wrapped: None,
        events: Vec::new(),
    };
    while scanner.tokens.peek().kind != Kind::End {
        scanner.step()?;
    }
    if let Some(unclosed) = scanner.open.last() {
        return Err(SyntaxError { at: unclosed.at as usize, message: unclosed.opener.complaint() });
    }
    Ok(Scan { events: scanner.events, facts: scanner.scopes.into_facts() })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opener {
    Paren,
    Bracket,
    Brace,
    /// `while` or `for`, until its `do`.
    Header,
    If,
    Repeat,
    /// A function's body, or a block from `do` on.
    Body,
}

impl Opener {
    const fn is_block(self) -> bool {
        matches!(self, Self::Header | Self::If | Self::Repeat | Self::Body)
    }

    const fn complaint(self) -> &'static str {
        match self {
            Self::Paren => "'(' is never closed",
            Self::Bracket => "'[' is never closed",
            Self::Brace => "'{' is never closed",
            Self::Repeat => "'repeat' has no 'until'",
            Self::Header => "loop without 'do'",
            Self::If | Self::Body => "block without 'end'",
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Open {
    opener: Opener,
    at: u32,
}

/// The beginning of one of the variables left of a possible `=`.
#[derive(Debug, Clone, Copy)]
struct Target<'s> {
    name: &'s str,
    at: u32,
    is_whole: bool,
}

struct Scanner<'s> {
    source: &'s str,
    tokens: Tokens<'s>,
    previous: Kind,
    open: Vec<Open>,
    scopes: Scopes<'s>,
    /// The targets of the current statement, if a `=` follows.
    targets: Vec<Target<'s>>,
    /// The number of brackets and blocks that were open where `targets` began.
    targets_level: usize,
    /// The first target that begins with a bracket. The names within count as targets, too.
    wrapped: Option<u32>,
    events: Vec<Event>,
}

impl<'s> Scanner<'s> {
    fn step(&mut self) -> Result<(), SyntaxError> {
        let before = self.previous;
        let after_statement = before.ends_statement();
        let token = self.tokens.bump()?;
        self.previous = token.kind;
        match token.kind {
            Kind::Name if after_statement && self.in_statements() => self.begin_targets(token),
            Kind::Name if self.wrapped.is_some() && !matches!(before, Kind::Dot | Kind::Colon) => {
                self.wrapped_name(token);
            }
            Kind::Comma => self.next_target()?,
            Kind::Assign => self.commit_targets(),
            Kind::Local => self.local()?,
            Kind::Function => self.function(token, after_statement)?,
            Kind::For => self.for_header(token)?,
            Kind::Return => self.note_return(token),
            Kind::DoubleColon => self.label()?,
            Kind::While => self.push(Opener::Header, token),
            Kind::Do => self.block_body(token),
            Kind::If => self.push(Opener::If, token),
            Kind::Else | Kind::ElseIf => self.next_branch(token)?,
            Kind::Repeat => self.push(Opener::Repeat, token),
            Kind::ParenOpen => {
                if before.is_before_bracket() && self.in_statements() {
                    self.begin_wrapped(token);
                }
                self.push(Opener::Paren, token);
            }
            Kind::BracketOpen => self.push(Opener::Bracket, token),
            Kind::BraceOpen => self.push(Opener::Brace, token),
            kind if kind.closes() => self.close(token)?,
            _ => {}
        }
        Ok(())
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
            _ => matches!(opener, Some(Opener::If | Opener::Body)),
        };
        if !fits {
            return Err(SyntaxError { at: token.start as usize, message: "closes something that is not open" });
        }
        if opener.is_some_and(Opener::is_block) {
            self.scopes.close();
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

    fn target(&self, token: Token) -> Target<'s> {
        let is_whole = matches!(self.tokens.peek().kind, Kind::Assign | Kind::Comma);
        Target { name: token.text(self.source), at: token.start, is_whole }
    }

    fn begin_targets(&mut self, token: Token) {
        self.forget_targets();
        self.targets_level = self.open.len();
        self.targets.push(self.target(token));
    }

    fn begin_wrapped(&mut self, token: Token) {
        self.forget_targets();
        self.targets_level = self.open.len();
        self.wrapped = Some(token.start);
    }

    fn wrapped_name(&mut self, token: Token) {
        if !self.in_statements() {
            self.targets.push(self.target(token));
        }
    }

    fn forget_targets(&mut self) {
        self.targets.clear();
        self.wrapped = None;
    }

    fn next_target(&mut self) -> Result<(), SyntaxError> {
        let is_open = !self.targets.is_empty() || self.wrapped.is_some();
        if !is_open || self.targets_level != self.open.len() || !self.in_statements() {
            return Ok(());
        }
        let next = self.tokens.peek();
        if next.kind == Kind::Name {
            self.previous = self.tokens.bump()?.kind;
            self.targets.push(self.target(next));
        } else if next.kind == Kind::ParenOpen {
            self.wrapped.get_or_insert(next.start);
        }
        Ok(())
    }

    fn commit_targets(&mut self) {
        if self.targets_level != self.open.len() || !self.in_statements() {
            return;
        }
        let wrapped = self.wrapped.take();
        if self.scopes.is_top() {
            let assigned = wrapped.map(Event::Wrapped).or(self.targets.first().map(|first| Event::Assign(first.at)));
            self.events.extend(assigned);
        }
        for target in self.targets.drain(..) {
            let is_whole = target.is_whole || wrapped.is_some();
            note_write(&mut self.scopes, &mut self.events, Target { is_whole, ..target });
        }
    }

    fn local(&mut self) -> Result<(), SyntaxError> {
        self.forget_targets();
        if self.tokens.peek().kind == Kind::Function {
            self.tokens.bump()?;
            return self.local_function();
        }
        let mut names = Vec::new();
        if self.scopes.is_top() {
            self.events.push(Event::Local(self.tokens.peek().start));
        }
        while self.tokens.peek().kind == Kind::Name {
            names.push(self.tokens.bump()?);
            self.attribute()?;
            if self.tokens.peek().kind != Kind::Comma {
                break;
            }
            self.tokens.bump()?;
        }
        let has_value = self.tokens.peek().kind == Kind::Assign;
        for name in names {
            self.scopes.declare_local(name.text(self.source), name.start, has_value);
        }
        self.previous = Kind::Semicolon;
        Ok(())
    }

    /// Reads `<const>` or `<close>`.
    fn attribute(&mut self) -> Result<(), SyntaxError> {
        if self.tokens.peek().kind == Kind::Less {
            self.tokens.bump()?;
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
            self.scopes.declare_local(name.text(self.source), name.start, true);
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
            let target = Target { name: name.text(self.source), at: name.start, is_whole };
            note_write(&mut self.scopes, &mut self.events, target);
            while matches!(self.tokens.peek().kind, Kind::Dot | Kind::Colon | Kind::Name) {
                self.tokens.bump()?;
            }
        }
        self.function_body(token)
    }

    /// Opens the body and declares the parameters in it.
    fn function_body(&mut self, token: Token) -> Result<(), SyntaxError> {
        self.forget_targets();
        self.push(Opener::Body, token);
        if self.tokens.peek().kind != Kind::ParenOpen {
            let at = self.tokens.peek().start as usize;
            return Err(SyntaxError { at, message: "'(' expected after 'function'" });
        }
        self.tokens.bump()?;
        while matches!(self.tokens.peek().kind, Kind::Name | Kind::Comma | Kind::Dots) {
            let parameter = self.tokens.bump()?;
            self.declare(parameter);
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
            let variable = self.tokens.bump()?;
            self.declare(variable);
        }
        Ok(())
    }

    fn declare(&mut self, token: Token) {
        if token.kind == Kind::Name {
            self.scopes.declare_local(token.text(self.source), token.start, true);
        }
    }

    fn note_return(&mut self, token: Token) {
        self.forget_targets();
        if self.open.is_empty() {
            self.events.push(Event::Return(token.end));
        }
    }

    fn label(&mut self) -> Result<(), SyntaxError> {
        self.take(Kind::Name)?;
        self.take(Kind::DoubleColon)
    }
}

fn note_write<'s>(scopes: &mut Scopes<'s>, events: &mut Vec<Event>, target: Target<'s>) {
    let variable = scopes.note_write(target.name, target.at, target.is_whole);
    if let (false, false, Some(variable)) = (scopes.is_top(), target.is_whole, variable) {
        events.push(Event::BlockWrite { variable, at: target.at });
    }
}
