//! What a chunk finds around it, as far as extraction relies on it: the language's globals, and the library of shapes.
//!
//! Owns: which of them the chunk leaves as they are.
//! Never: doubts a module that the chunk requires: that one may do anything with what it gets, but is taken to leave the
//! library `alc_shapes` as it is.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use crate::lua::scan::{Scan, Use};
use crate::lua::scope::{DEBUG, REQUIRE, SETMETATABLE, is_reflective, reflective_global};

/// The library whose `instrument` replaces an entry of a module, and leaves `meta` as it is. That is a rule of the
/// library, on which the packages of the public collection rely.
const SHAPES: &str = "alc_shapes";

/// Its part that shapes are made of, of which no function gets a module.
const TYPES: &str = "alc_shapes.t";

#[derive(Debug)]
pub(super) struct Surroundings {
    /// Where code first runs that may change any global.
    pub(super) globals_change: Option<u32>,
    /// Where code first gets hold of the locals of every function, or of a table without its name.
    pub(super) locals_change: Option<u32>,
    /// Whether code may have given any global another meaning.
    pub(super) is_rewired: bool,
    pub(super) keeps_setmetatable: bool,
    /// Whether `require` and all that the library of shapes uses are the language's own.
    pub(super) keeps_require: bool,
}

impl Surroundings {
    pub(super) fn of(source: &str, scan: &Scan) -> Self {
        let mut rewired = scan.facts.rewired;
        // The value of a local `_ENV` may be the module, whose fields then change without its name.
        let mut locals_change = rewired.filter(|_| !scan.facts.keeps(DEBUG)).or(scan.facts.local_environment);
        let mut is_changed_elsewhere = false;
        for read in &scan.uses {
            let reached = match required(source, *read) {
                Some(required) if matches!(required.module, Module::Part | Module::Other) => {
                    is_changed_elsewhere = true;
                    reflective_global(required.name)
                }
                Some(_) => None,
                // Whichever module that requires, it may be the table of globals.
                None if read.variable == REQUIRE => Some(REQUIRE),
                None => Some(read.variable).filter(|global| is_reflective(*global) && !is_harmless(source, *read)),
            };
            rewired = rewired.or(reached.map(|_| read.at));
            locals_change = locals_change.or(reached.filter(|global| *global == DEBUG).map(|_| read.at));
        }
        let keeps_setmetatable = rewired.is_none() && scan.facts.keeps(SETMETATABLE) && !is_changed_elsewhere;
        let keeps_require = rewired.is_none() && scan.facts.keeps_all();
        let globals_change = scan.facts.call.or(rewired);
        Self { globals_change, locals_change, is_rewired: rewired.is_some(), keeps_setmetatable, keeps_require }
    }
}

/// The module that a `require` with a constant asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Module {
    Shapes,
    Types,
    /// Another part of the library of shapes, or the library by another path, which has the same parts.
    Part,
    Other,
}

/// A call of `require` with one constant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Required<'s> {
    name: &'s str,
    pub(super) module: Module,
    /// Where the call ends.
    pub(super) end: u32,
}

/// Reads the call, if the use is that of `require` in one whose only argument is a constant.
pub(super) fn required(source: &str, read: Use) -> Option<Required<'_>> {
    if read.variable != REQUIRE {
        return None;
    }
    let mut tokens = Tokens::resume(source.as_bytes(), read.at);
    tokens.bump_known();
    let has_bracket = tokens.take(Kind::ParenOpen);
    let argument = tokens.bump_known();
    let end = if has_bracket { tokens.peek().end } else { argument.end };
    let is_closed = !has_bracket || tokens.take(Kind::ParenClose);
    let text = argument.text(source);
    let name = text.get(1..text.len().saturating_sub(1)).filter(|_| is_closed && argument.kind == Kind::Plain)?;
    let module = match name {
        SHAPES => Module::Shapes,
        TYPES => Module::Types,
        _ if name.contains(SHAPES) => Module::Part,
        _ => Module::Other,
    };
    Some(Required { name, module, end })
}

/// Whether a use of a global through which others are reached reads one of its fields that leads to none: a source asks
/// by `_G.alc` whether there is an engine, and gives a function of `debug` to `xpcall`.
fn is_harmless(source: &str, read: Use) -> bool {
    let mut tokens = Tokens::resume(source.as_bytes(), read.at);
    let library = tokens.bump_known().text(source);
    let field = if tokens.take(Kind::Dot) { tokens.bump_known().text(source) } else { "" };
    matches!((library, field), ("_G", "alc") | ("debug", "traceback") | ("package", "path" | "cpath" | "config"))
}
