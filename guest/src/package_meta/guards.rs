//! Guards: statements that fail unless a field is there.
//!
//! Owns: the forms of conditions that hold, or fail, whenever a field is nil.
//! Never: moves the position of its caller. A form that is not known shows nothing.

use std::collections::BTreeMap;

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

/// What guards are about.
pub(super) struct Subjects<'s> {
    pub(super) source: &'s str,
    /// The parameter whose fields they are.
    pub(super) parameter: &'s str,
    /// Locals that have the value of a field.
    pub(super) aliases: BTreeMap<&'s str, &'s str>,
}

/// An `if` statement.
#[derive(Default)]
pub(super) struct Guard<'s> {
    /// The fields without which it fails.
    pub(super) needed: Vec<&'s str>,
    /// Whether it does nothing but fail, or go on.
    pub(super) is_all: bool,
}

/// A comparison, by what it is of a field that is nil.
enum Test<'s> {
    TrueOfNil(&'s str),
    FalseOfNil(&'s str),
}

impl<'s> Subjects<'s> {
    /// Reads `.name` or `["name"]`.
    pub(super) fn field_name(&self, tokens: &mut Tokens<'s>) -> Option<&'s str> {
        let mut ahead = *tokens;
        let name = if ahead.take(Kind::Dot) {
            let name = ahead.bump_known();
            if name.kind != Kind::Name {
                return None;
            }
            name.text(self.source)
        } else {
            let (opener, name) = (ahead.bump_known().kind, ahead.bump_known());
            if opener != Kind::BracketOpen || name.kind != Kind::Plain || !ahead.take(Kind::BracketClose) {
                return None;
            }
            inner(name.text(self.source))?
        };
        *tokens = ahead;
        Some(name)
    }

    /// Reads a field of the parameter.
    pub(super) fn own_field(&self, tokens: &mut Tokens<'s>) -> Option<&'s str> {
        let mut ahead = *tokens;
        let name = ahead.bump_known();
        if name.kind != Kind::Name || name.text(self.source) != self.parameter {
            return None;
        }
        let field = self.field_name(&mut ahead)?;
        *tokens = ahead;
        Some(field)
    }

    /// Reads a field, or a local that has its value.
    fn subject(&self, tokens: &mut Tokens<'s>) -> Option<&'s str> {
        let name = tokens.peek();
        if name.kind == Kind::Name
            && let Some(field) = self.aliases.get(name.text(self.source))
        {
            tokens.bump_known();
            return Some(field);
        }
        self.own_field(tokens)
    }

    /// Reads one comparison, if it is a whole operand of `and` and `or`: the caller checks that it ends there.
    fn test(&self, tokens: &mut Tokens<'s>) -> Option<Test<'s>> {
        if tokens.take(Kind::Not) {
            return self.subject(tokens).map(Test::TrueOfNil);
        }
        if tokens.take(Kind::Nil) {
            let is_equal = equality(tokens)?;
            let field = self.subject(tokens)?;
            return Some(if is_equal { Test::TrueOfNil(field) } else { Test::FalseOfNil(field) });
        }
        let mut ahead = *tokens;
        if ahead.bump_known().text(self.source) == "type" && ahead.take(Kind::ParenOpen) {
            let field = self.subject(&mut ahead)?;
            if !ahead.take(Kind::ParenClose) {
                return None;
            }
            let is_equal = equality(&mut ahead)?;
            let name = ahead.bump_known();
            let is_nil_name = inner(name.text(self.source)).filter(|_| name.kind == Kind::Plain)? == "nil";
            *tokens = ahead;
            return Some(if is_equal == is_nil_name { Test::TrueOfNil(field) } else { Test::FalseOfNil(field) });
        }
        let field = self.subject(tokens)?;
        if !matches!(tokens.peek().kind, Kind::Equal | Kind::NotEqual) {
            return Some(Test::FalseOfNil(field));
        }
        let is_equal = equality(tokens)?;
        let test = if is_equal { Test::TrueOfNil(field) } else { Test::FalseOfNil(field) };
        tokens.take(Kind::Nil).then_some(test)
    }
}

fn equality(tokens: &mut Tokens<'_>) -> Option<bool> {
    let operator = tokens.peek().kind;
    let is_equality = matches!(operator, Kind::Equal | Kind::NotEqual);
    is_equality.then(|| tokens.bump_known().kind == Kind::Equal)
}

/// Returns the text between the quotes of a string without escapes.
fn inner(text: &str) -> Option<&str> {
    text.get(1..text.len().checked_sub(1)?)
}

/// Whether `error(…)` is next.
pub(super) fn is_error_call(source: &str, mut tokens: Tokens<'_>) -> bool {
    let name = tokens.bump_known();
    let next = tokens.peek().kind;
    name.kind == Kind::Name && name.text(source) == "error" && (next == Kind::ParenOpen || next.is_string())
}

/// Skips to one of these tokens outside of brackets and blocks, and returns which one is next.
fn skip_to(tokens: &mut Tokens<'_>, stops: &[Kind]) -> Kind {
    let mut depth = 0_usize;
    loop {
        let kind = tokens.peek().kind;
        if kind == Kind::End || depth == 0 && stops.contains(&kind) {
            return kind;
        }
        if kind.closes() {
            match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Kind::End,
            }
        }
        depth += usize::from(kind.opens());
        tokens.bump_known();
    }
}

/// Reads an `if` statement behind its keyword. Where a condition of alternatives has one that a nil fulfils, the branch
/// is taken, unless an alternative before it fails or is fulfilled, too.
pub(super) fn failing_branch<'s>(subjects: &Subjects<'s>, mut tokens: Tokens<'s>) -> Guard<'s> {
    let mut needed = Vec::new();
    loop {
        let mut ahead = tokens;
        if let Some(Test::TrueOfNil(field)) = subjects.test(&mut ahead)
            && matches!(ahead.peek().kind, Kind::Or | Kind::Then)
        {
            needed.push(field);
        }
        match skip_to(&mut tokens, &[Kind::Or, Kind::Then]) {
            Kind::Or => tokens.bump_known(),
            Kind::Then => break,
            _ => return Guard::default(),
        };
    }
    tokens.bump_known();
    if !is_error_call(subjects.source, tokens) {
        return Guard::default();
    }
    tokens.bump_known();
    if tokens.bump_known().kind == Kind::ParenOpen {
        skip_to(&mut tokens, &[Kind::ParenClose]);
        tokens.bump_known();
    }
    tokens.take(Kind::Semicolon);
    Guard { needed, is_all: tokens.peek().kind == Kind::BlockEnd }
}

/// Reads the first argument behind `assert`, and returns the fields without which it is false.
pub(super) fn asserted<'s>(subjects: &Subjects<'s>, mut tokens: Tokens<'s>) -> Vec<&'s str> {
    let mut needed = Vec::new();
    if !tokens.take(Kind::ParenOpen) {
        return needed;
    }
    loop {
        let mut ahead = tokens;
        if let Some(Test::FalseOfNil(field)) = subjects.test(&mut ahead)
            && matches!(ahead.peek().kind, Kind::And | Kind::Comma | Kind::ParenClose)
        {
            needed.push(field);
        }
        match skip_to(&mut tokens, &[Kind::And, Kind::Or, Kind::Comma, Kind::ParenClose]) {
            Kind::And => _ = tokens.bump_known(),
            Kind::Comma | Kind::ParenClose => return needed,
            // With an alternative, neither side is needed.
            _ => return Vec::new(),
        }
    }
}
