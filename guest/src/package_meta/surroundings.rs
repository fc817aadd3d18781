//! What a chunk finds around it, as far as extraction relies on it: the language's globals, and the library of shapes.
//!
//! Owns: which of them the chunk leaves as they are.
//! Never: doubts a module that the chunk requires: that one may do anything with what it gets, but is taken to leave the
//! library `alc_shapes` as it is.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use crate::lua::scan::{Scan, Use};
use crate::lua::scope::{REQUIRE, SETMETATABLE, is_open_door};

/// The library whose `instrument` replaces an entry of a module, and leaves `meta` as it is. That is a rule of the
/// library, on which the packages of the public collection rely.
const SHAPES: &str = "alc_shapes";

#[derive(Debug)]
pub(super) struct Surroundings {
    /// Where code first runs that may change any global.
    pub(super) globals_change: Option<u32>,
    pub(super) keeps_setmetatable: bool,
    pub(super) keeps_require: bool,
}

impl Surroundings {
    pub(super) fn of(source: &str, scan: &Scan) -> Self {
        let mut rewired = scan.facts.rewired;
        let mut is_changed_elsewhere = false;
        for read in &scan.uses {
            if read.variable == REQUIRE {
                is_changed_elsewhere |= required(source, read.at).is_none();
            } else if is_open_door(read.variable) && !is_engine(source, *read) {
                rewired = rewired.or(Some(read.at));
            }
        }
        let keeps = |given| rewired.is_none() && scan.facts.keeps(given);
        let keeps_setmetatable = keeps(SETMETATABLE) && !is_changed_elsewhere;
        Self { globals_change: scan.facts.call.or(rewired), keeps_setmetatable, keeps_require: keeps(REQUIRE) }
    }
}

/// How a chunk asks for the library of shapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Required {
    /// Where the call ends.
    pub(super) end: u32,
    /// Whether it is for the library itself, and not for a part of it.
    pub(super) is_whole: bool,
}

/// Reads the `require` at `at`, if it asks for the library of shapes by a constant.
pub(super) fn required(source: &str, at: u32) -> Option<Required> {
    let mut tokens = Tokens::resume(source.as_bytes(), at);
    tokens.bump_known();
    let has_bracket = tokens.take(Kind::ParenOpen);
    let name = tokens.bump_known();
    let end = if has_bracket { tokens.peek().end } else { name.end };
    let is_closed = !has_bracket || tokens.take(Kind::ParenClose);
    let text = name.text(source).trim_matches(['"', '\'']);
    let is_shapes = name.kind == Kind::Plain && (text == SHAPES || text.strip_prefix(SHAPES)?.starts_with('.'));
    (is_closed && is_shapes).then_some(Required { end, is_whole: text == SHAPES })
}

/// Whether a use is that of `_G` in `_G.alc`, by which a source asks whether there is an engine.
fn is_engine(source: &str, read: Use) -> bool {
    let mut tokens = Tokens::resume(source.as_bytes(), read.at);
    let is_table = tokens.bump_known().text(source) == "_G";
    is_table && tokens.take(Kind::Dot) && tokens.bump_known().text(source) == "alc"
}
