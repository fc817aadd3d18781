//! The body of `run`: which fields of its first parameter it reads, and which of them every call needs.
//!
//! Owns: what happens to the parameter, statement by statement: reads, writes, and where other code gets hold of it.
//! Never: takes a field for required after anything that may leave the function, or change the parameter or that field.

use std::collections::{BTreeMap, BTreeSet};

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::{Kind, Token};

use super::guards::{self, Subjects};
use super::inputs::InputNeed;
use super::run_function::ends_expression;
use crate::limits::MAX_INPUTS;

/// What a body does with its first parameter.
#[derive(Debug, Default)]
pub(super) struct BodyFields<'s> {
    /// The fields that it reads before it writes them, in the order of their first reads.
    pub(super) fields: Vec<(&'s str, InputNeed)>,
    /// The tables of defaults that it has `alc.tuning` fill with the parameter's fields.
    pub(super) defaults: Vec<&'s str>,
    /// Whether nothing else reads the parameter.
    pub(super) is_complete: bool,
}

/// Reads the function whose parameters begin at `parameters`. `is_certain` says whether a call fails where it fails.
pub(super) fn body_fields(source: &str, parameters: u32, is_certain: bool) -> BodyFields<'_> {
    let mut tokens = Tokens::resume(source.as_bytes(), parameters);
    tokens.take(Kind::ParenOpen);
    let first = tokens.bump_known();
    if first.kind != Kind::Name {
        // Without a name, `...` may have the fields.
        return BodyFields { is_complete: first.kind == Kind::ParenClose, ..BodyFields::default() };
    }
    let parameter = first.text(source);
    while !matches!(tokens.peek().kind, Kind::ParenClose | Kind::End) {
        // A second parameter of the same name hides the first.
        if tokens.bump_known().text(source) == parameter {
            return BodyFields::default();
        }
    }
    tokens.take(Kind::ParenClose);
    let subjects = Subjects { source, parameter, aliases: BTreeMap::new() };
    let found = BodyFields { is_complete: true, ..BodyFields::default() };
    let mut body = Body {
        subjects,
        tokens,
        recent: [Token { kind: Kind::Semicolon, start: parameters, end: parameters }; 3],
        open: Vec::new(),
        functions: 0,
        locals: Vec::new(),
        found,
        at: BTreeMap::new(),
        written: BTreeSet::new(),
        is_certain,
    };
    while body.step().is_some() {}
    body.found
}

struct Body<'s> {
    subjects: Subjects<'s>,
    tokens: Tokens<'s>,
    /// The tokens before the current one, the last one first.
    recent: [Token; 3],
    /// What is open within the body.
    open: Vec<Kind>,
    /// How many of `open` are bodies of functions.
    functions: u32,
    /// The names that the current statement of the body declares.
    locals: Vec<&'s str>,
    found: BodyFields<'s>,
    /// The index of each field in `found`.
    at: BTreeMap<&'s str, usize>,
    /// The fields that may have been written.
    written: BTreeSet<&'s str>,
    /// Whether a call in which the statement that is read next fails does fail.
    is_certain: bool,
}

impl<'s> Body<'s> {
    /// Reads the next token with what belongs to it. Returns `None` where nothing more can be told.
    fn step(&mut self) -> Option<()> {
        let token = self.tokens.bump_known();
        let starts = self.recent[0].kind.ends_statement();
        if self.open.is_empty() {
            self.begin_statement(token, starts);
        }
        match token.kind {
            Kind::End => return None,
            Kind::Name => self.name(token, starts)?,
            Kind::Local => {
                self.local()?;
                // Behind the names, a value or the next statement begins.
                self.note(Token { kind: Kind::Semicolon, ..token });
                return Some(());
            }
            Kind::For => self.for_names()?,
            Kind::Function => return self.function(),
            Kind::Return | Kind::Goto if self.functions == 0 => self.is_certain = false,
            Kind::Assign if self.open.is_empty() => self.values(),
            kind if kind.opens() => self.open.push(kind),
            kind if kind.closes() => {
                let opener = self.open.pop()?;
                self.functions -= u32::from(opener == Kind::Function);
            }
            _ => {}
        }
        self.note(token);
        Some(())
    }

    fn note(&mut self, token: Token) {
        self.recent = [token, self.recent[0], self.recent[1]];
    }

    fn text(&self, token: Token) -> &'s str {
        token.text(self.subjects.source)
    }

    /// Reads ahead in a statement that may be a guard, and forgets what the statement may change.
    fn begin_statement(&mut self, token: Token, starts: bool) {
        match token.kind {
            Kind::If => {
                let guard = guards::failing_branch(&self.subjects, self.tokens);
                guard.needed.iter().for_each(|field| self.require(field));
                if !guard.is_all {
                    self.subjects.aliases.clear();
                }
            }
            Kind::Name if starts && self.text(token) == "assert" => {
                guards::asserted(&self.subjects, self.tokens).iter().for_each(|field| self.require(field));
            }
            Kind::Name if starts => self.subjects.aliases.clear(),
            Kind::While | Kind::For | Kind::Do | Kind::Repeat | Kind::Return | Kind::Goto => {
                self.subjects.aliases.clear();
            }
            _ => return,
        }
        self.locals.clear();
    }

    /// Reads ahead in the values of an assignment or a declaration of the body.
    fn values(&mut self) {
        let mut ahead = self.tokens;
        let mut aliases = Vec::new();
        loop {
            let first = ahead.peek();
            if first.kind == Kind::Name && self.text(first) == "assert" {
                ahead.bump_known();
                guards::asserted(&self.subjects, ahead).iter().for_each(|field| self.require(field));
                break;
            }
            let Some(field) = self.subjects.own_field(&mut ahead) else { break };
            let next = ahead.bump_known().kind;
            if next == Kind::Or && guards::is_error_call(self.subjects.source, ahead) {
                self.require(field);
            } else if next != Kind::Comma && !ends_expression(next) {
                break;
            }
            aliases.push(field);
            if next != Kind::Comma {
                break;
            }
        }
        for (index, name) in std::mem::take(&mut self.locals).into_iter().enumerate() {
            self.subjects.aliases.remove(name);
            if let Some(field) = aliases.get(index)
                && self.subjects.aliases.len() < MAX_INPUTS
            {
                self.subjects.aliases.insert(name, field);
            }
        }
    }

    fn local(&mut self) -> Option<()> {
        self.locals.clear();
        let mut ahead = self.tokens;
        let mut names = Vec::new();
        while ahead.peek().kind == Kind::Name {
            names.push(self.text(ahead.bump_known()));
            if ahead.take(Kind::Less) {
                ahead.take(Kind::Name);
                ahead.take(Kind::Greater);
            }
            if !ahead.take(Kind::Comma) {
                break;
            }
        }
        if names.contains(&self.subjects.parameter) {
            return self.lose();
        }
        if ahead.peek().kind != Kind::Assign {
            for name in &names {
                self.subjects.aliases.remove(name);
            }
        }
        if self.open.is_empty() {
            self.locals = names;
        }
        if self.tokens.peek().kind != Kind::Function {
            self.tokens = ahead;
        }
        Some(())
    }

    fn for_names(&mut self) -> Option<()> {
        let mut ahead = self.tokens;
        while matches!(ahead.peek().kind, Kind::Name | Kind::Comma) {
            if self.text(ahead.bump_known()) == self.subjects.parameter {
                return self.lose();
            }
        }
        self.tokens = ahead;
        Some(())
    }

    /// Reads the head of a function within the body, or all of one that has its own variable of the parameter's name.
    fn function(&mut self) -> Option<()> {
        // It may assign to any variable that it sees.
        self.subjects.aliases.clear();
        let mut is_hidden = false;
        while self.tokens.peek().kind != Kind::ParenOpen {
            let token = self.tokens.bump_known();
            if token.kind == Kind::End || self.text(token) == self.subjects.parameter {
                return self.lose();
            }
        }
        while !matches!(self.tokens.peek().kind, Kind::ParenClose | Kind::End) {
            let token = self.tokens.bump_known();
            is_hidden |= self.text(token) == self.subjects.parameter;
        }
        let close = self.tokens.bump_known();
        if is_hidden {
            let mut depth = 1_usize;
            while depth > 0 {
                let token = self.tokens.bump_known();
                if token.kind == Kind::End {
                    return None;
                }
                depth = depth + usize::from(token.kind.opens()) - usize::from(token.kind.closes());
                self.note(token);
            }
            return Some(());
        }
        self.note(Token { kind: Kind::Semicolon, ..close });
        self.open.push(Kind::Function);
        self.functions += 1;
        Some(())
    }

    /// Nothing that follows is known to be about the parameter.
    fn lose(&mut self) -> Option<()> {
        self.found.is_complete = false;
        None
    }

    fn name(&mut self, token: Token, starts: bool) -> Option<()> {
        let before = self.recent[0].kind;
        let text = self.text(token);
        let is_key = self.open.last() == Some(&Kind::BraceOpen)
            && matches!(before, Kind::BraceOpen | Kind::Comma | Kind::Semicolon)
            && self.tokens.peek().kind == Kind::Assign;
        if is_key || matches!(before, Kind::Dot | Kind::Colon | Kind::Goto | Kind::DoubleColon) {
            return Some(());
        }
        if text == "alc" {
            self.tuning();
        }
        if text != self.subjects.parameter {
            return Some(());
        }
        let mut ahead = self.tokens;
        match self.subjects.field_name(&mut ahead) {
            Some(field) => {
                self.tokens = ahead;
                self.field(field, starts);
                Some(())
            }
            None => self.whole(starts),
        }
    }

    /// Whether the current token is between statements, not within brackets.
    fn in_statements(&self) -> bool {
        self.open.last().is_none_or(|open| !matches!(open, Kind::ParenOpen | Kind::BraceOpen | Kind::BracketOpen))
    }

    /// A field of the parameter, which was read.
    fn field(&mut self, field: &'s str, starts: bool) {
        let (before, next) = (self.recent[0].kind, self.tokens.peek().kind);
        if next == Kind::Assign {
            // `ctx.n = ctx.n or 5` reads the field before it writes it.
            let mut ahead = self.tokens;
            ahead.bump_known();
            if self.subjects.own_field(&mut ahead) == Some(field) {
                let is_optional = ahead.take(Kind::Or) && !guards::is_error_call(self.subjects.source, ahead);
                self.add(field, if is_optional { InputNeed::Optional } else { InputNeed::Read });
            }
            self.write(field);
            return;
        }
        let mut ahead = self.tokens;
        let stands_alone = matches!(
            before,
            Kind::Assign
                | Kind::Comma
                | Kind::Semicolon
                | Kind::ParenOpen
                | Kind::BraceOpen
                | Kind::BracketOpen
                | Kind::Return
                | Kind::And
                | Kind::Or
        );
        let has_default = stands_alone && ahead.take(Kind::Or) && !guards::is_error_call(self.subjects.source, ahead);
        self.add(field, if has_default { InputNeed::Optional } else { InputNeed::Read });
        if next == Kind::Comma && self.in_statements() && (starts || before == Kind::Comma) {
            // It may be one of several that an assignment writes.
            self.write(field);
        }
    }

    /// A use of the parameter other than one of its fields.
    fn whole(&mut self, starts: bool) -> Option<()> {
        let [last, second, third] = self.recent;
        let (before, next) = (last.kind, self.tokens.peek().kind);
        let may_be_target = self.in_statements() && (starts || before == Kind::Comma);
        if may_be_target && matches!(next, Kind::Assign | Kind::Comma) {
            // `ctx = ctx or {}` leaves it as it is: a run gets a table.
            return if self.is_defaulted() { Some(()) } else { self.lose() };
        }
        let is_compared = matches!(before, Kind::Not | Kind::Equal | Kind::NotEqual)
            || matches!(next, Kind::Equal | Kind::NotEqual | Kind::And | Kind::Then);
        // The caller of a function within gets the table, and may write to it.
        let is_returned =
            self.functions == 0 && before == Kind::Return && (ends_expression(next) || next == Kind::Semicolon);
        let is_typed = before == Kind::ParenOpen
            && next == Kind::ParenClose
            && second.kind == Kind::Name
            && self.text(second) == "type"
            && !matches!(third.kind, Kind::Dot | Kind::Colon);
        if !(is_compared || is_returned || is_typed) {
            self.is_certain = false;
            self.found.is_complete = false;
        }
        Some(())
    }

    /// Reads the rest of `ctx = ctx or {}`, if it follows the first name.
    fn is_defaulted(&mut self) -> bool {
        let mut ahead = self.tokens;
        let is_again = ahead.take(Kind::Assign) && self.text(ahead.bump_known()) == self.subjects.parameter;
        let is_default =
            is_again && ahead.take(Kind::Or) && ahead.take(Kind::BraceOpen) && ahead.peek().kind == Kind::BraceClose;
        if is_default {
            self.note(ahead.bump_known());
            self.tokens = ahead;
        }
        is_default
    }

    /// Reads `.tuning(DEFAULTS, ctx)` behind `alc`, if it follows: that reads the fields that the table has.
    fn tuning(&mut self) {
        let mut ahead = self.tokens;
        let is_call = ahead.take(Kind::Dot)
            && self.text(ahead.bump_known()) == "tuning"
            && ahead.take(Kind::ParenOpen)
            && ahead.peek().kind == Kind::Name;
        let table = self.text(ahead.bump_known());
        let is_given = is_call && ahead.take(Kind::Comma) && self.text(ahead.bump_known()) == self.subjects.parameter;
        if is_given && ahead.peek().kind == Kind::ParenClose {
            self.tokens = ahead;
            self.tokens.bump_known();
            self.is_certain = false;
            if !self.found.defaults.contains(&table) {
                self.found.defaults.push(table);
            }
        }
    }

    fn add(&mut self, field: &'s str, need: InputNeed) {
        let known = self.at.get(field).and_then(|index| self.found.fields.get_mut(*index));
        if let Some((_, known)) = known {
            if *known == InputNeed::Read {
                *known = need;
            }
        } else if !self.written.contains(field) {
            self.at.insert(field, self.found.fields.len());
            self.found.fields.push((field, need));
        }
    }

    fn write(&mut self, field: &'s str) {
        self.written.insert(field);
    }

    /// Notes that the current statement fails without the field.
    fn require(&mut self, field: &'s str) {
        if self.is_certain && !self.written.contains(field) {
            self.add(field, InputNeed::Required);
            if let Some((_, need)) = self.at.get(field).and_then(|index| self.found.fields.get_mut(*index)) {
                *need = InputNeed::Required;
            }
        }
    }
}
