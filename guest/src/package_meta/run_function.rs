//! The function that a package runs: the value of `run` in its module.
//!
//! Owns: from the value of the field to the parameters of a function in the source.
//! Never: trusts a call with that function, unless it is `instrument` of `alc_shapes`, which gives on what it gets.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use super::escapes::use_at;
use super::replay::{RUN, Replay};
use crate::lua::scan::Use;
use crate::lua::value::{Key, Reason, TableId, Text, Unknown, Value};

/// The functions of the language that guards of inputs call.
const GUARDS: [&str; 3] = ["assert", "error", "type"];

/// The most tokens from the beginning of `require("alc_shapes").instrument(M` to its module.
const MAX_INSTRUMENT_TOKENS: usize = 8;

/// A function of the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunFunction {
    /// The offset of the bracket before its parameters.
    pub(super) parameters: u32,
    /// Whether the package runs this function, with the arguments of the call, in the language as it is.
    pub(super) is_certain: bool,
}

impl<'s> Replay<'_, 's> {
    /// Returns the function that the package runs, or the one that its `run` is made of.
    pub(super) fn run_function(&mut self, uses: &[Use]) -> Option<RunFunction> {
        let Value::Table(id) = self.returned else { return None };
        let module = self.heap.table(id).filter(|_| self.lost.is_none())?;
        let is_plain = module.escape.or(module.rest).is_none() && !module.has_metatable && self.metatable.is_none();
        let is_followed = self.doubt.is_none() && !self.variables.surroundings.is_rewired;
        let Some(Value::Unknown(mut value)) = module.fields.get(&RUN).cloned() else { return None };
        let mut is_certain = is_plain && is_followed && keeps_guards(self.source);
        while value.reason == Reason::Call {
            is_certain = is_certain && self.is_instrument_call(value.at, id, uses);
            // Each was there before the one that it is replaced by, so that this ends.
            value = self.wrapped.remove(&value.at)?;
        }
        let at = if value.reason == Reason::Variable { self.named_function(value.at)? } else { value };
        let parameters = if at.reason == Reason::Function { self.parameters(at.at)? } else { return None };
        Some(RunFunction { parameters, is_certain })
    }

    /// Returns the keys of a table that a local of the top level has.
    pub(super) fn default_names(&self, table: &str) -> Option<Vec<&str>> {
        let variable = self.variables.names.get(table)?;
        let writes = self.variables.facts.of(*variable);
        let Some(Value::Table(id)) = self.variables.values.get(variable) else { return None };
        let keys = self.heap.table(*id).filter(|_| writes.is_local && writes.at_top == 1)?.fields.keys();
        Some(keys.filter_map(|key| if let Key::Text(text) = key { Some(Text::as_str(text)) } else { None }).collect())
    }

    /// Whether the call at `at` is all of `S.instrument(M, "run")`, with the module itself.
    fn is_instrument_call(&self, at: u32, module: TableId, uses: &[Use]) -> bool {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        for _ in 0..MAX_INSTRUMENT_TOKENS {
            let token = tokens.bump_known();
            if token.kind == Kind::Name && token.text(self.source) == "instrument" && tokens.take(Kind::ParenOpen) {
                break;
            }
        }
        let Some(read) = use_at(uses, tokens.bump_known().start as usize) else { return false };
        let holds_module = matches!(self.variables.values.get(&read.variable), Some(Value::Table(id)) if *id == module);
        let names_run =
            tokens.take(Kind::Comma) && matches!(tokens.bump_known().text(self.source), "\"run\"" | "'run'");
        let is_whole = tokens.take(Kind::ParenClose) && ends_expression(tokens.peek().kind);
        holds_module && names_run && is_whole && self.is_instrumented(read, uses)
    }

    /// Returns the function that the local with the name at `at` has, if the name is a whole value and the local never
    /// has another one.
    fn named_function(&self, at: u32) -> Option<Unknown> {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        let variable = *self.variables.names.get(tokens.bump_known().text(self.source))?;
        let after = tokens.peek().kind;
        let is_whole = ends_expression(after) || matches!(after, Kind::Comma | Kind::BraceClose);
        let writes = self.variables.facts.of(variable);
        let is_constant = writes.is_local && writes.at_top == 1 && writes.in_block.is_none();
        match self.variables.values.get(&variable) {
            // A later variable of this name is another one.
            Some(Value::Unknown(value)) if is_whole && is_constant && variable < at => Some(*value),
            _ => None,
        }
    }

    /// Returns the offset of the bracket before the parameters of the function at `at`: its keyword, or its name.
    fn parameters(&mut self, at: u32) -> Option<u32> {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        if tokens.take(Kind::Function) {
            return (tokens.peek().kind == Kind::ParenOpen && self.is_function(at)).then(|| tokens.peek().start);
        }
        tokens.take(Kind::Name);
        while tokens.take(Kind::Dot) {
            tokens.take(Kind::Name);
        }
        // The first parameter of a method is not written.
        (tokens.peek().kind == Kind::ParenOpen).then(|| tokens.peek().start)
    }
}

/// Whether an expression ends before this token.
pub(super) const fn ends_expression(next: Kind) -> bool {
    next.begins_statement() || matches!(next, Kind::Name | Kind::Function | Kind::BlockEnd | Kind::Until)
}

/// Whether the source only calls the functions that guards use, and declares nothing of their names.
fn keeps_guards(source: &str) -> bool {
    let Ok(mut tokens) = Tokens::of_chunk(source.as_bytes()) else { return false };
    let (mut before, mut open) = (Kind::Semicolon, Vec::new());
    while tokens.peek().kind != Kind::End {
        let token = tokens.bump_known();
        if token.kind == Kind::Name
            && !matches!(before, Kind::Dot | Kind::Colon)
            && GUARDS.contains(&token.text(source))
        {
            let next = tokens.peek().kind;
            let is_call = before != Kind::Function && (next.is_string() || next == Kind::ParenOpen);
            let is_key = open.last() == Some(&Kind::BraceOpen)
                && matches!(before, Kind::BraceOpen | Kind::Comma | Kind::Semicolon)
                && next == Kind::Assign;
            if !is_call && !is_key {
                return false;
            }
        }
        if token.kind.opens() {
            open.push(token.kind);
        } else if token.kind.closes() {
            open.pop();
        }
        before = token.kind;
    }
    true
}
