//! The metadata of a Lua package: the field `meta` of its chunk's module table, read from the source; and the inputs that
//! the function `run` of that table reads.
//!
//! Owns: the types that callers see, and the order of the steps.
//! Never: executes any of the source, and adds nothing to the package's own metadata.

mod doc;
mod escapes;
mod guards;
mod inputs;
mod render;
mod replay;
mod run_body;
mod run_function;
mod surroundings;
mod targets;
#[cfg(test)]
mod tests;

use wardroom_lua_syntax::position::Position;
use wardroom_lua_syntax::token::SyntaxError;
use wardroom_rules::id::{self, IdKind};

pub use self::inputs::{CodeInput, CodeInputs, InputNeed, inputs};
use crate::limits;
use crate::lua::scan::{Scan, scan};
use crate::lua::value::Heap;

/// The metadata of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The constant fields, as a compact JSON object with its keys sorted.
    pub json: String,
    /// The leading `---` block.
    pub doc: Option<String>,
    /// The parts that are not constants, in source order.
    pub unresolved: Vec<Unresolved>,
}

/// A part of the metadata that is not a constant; `json` has null instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The path in the metadata: `tags[2]`. Empty for the metadata as a whole, which may then be other than `json`.
    pub path: String,
    pub position: Position,
    pub reason: &'static str,
}

/// Why there is no metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractError {
    /// The package's name is not an identifier; carries the rule that it breaks.
    InvalidId(String),
    /// The source is longer than this many bytes.
    TooLarge(u32),
    NotUtf8(Position),
    Syntax {
        position: Position,
        message: &'static str,
    },
    TooDeep(Position),
    /// The answer would be longer than this many bytes.
    TooMuch(u32),
}

/// Extracts the metadata of the package `name` from its `init.lua`.
///
/// The module table is the value that the chunk returns. Statements at the top level count in their order; an
/// assignment within a block may or may not happen, so that its target is unresolved. So is a table that code gets hold
/// of which is not followed. Where nothing is unresolved, `json` is what running the chunk would make, if the modules
/// that it requires leave the language and the library `alc_shapes` as they are.
///
/// # Errors
/// A name that is not an identifier, a source that is not Lua, or one that is past a limit.
pub fn extract(name: &str, source: &[u8]) -> Result<Metadata, ExtractError> {
    let (text, scan) = scanned(name, source)?;
    let mut heap = Heap::new();
    let found = replay::meta(text, &scan, &mut heap);
    render::metadata(text, &heap, &found, doc::leading(text))
}

/// Checks the arguments of a call, and scans the source.
fn scanned<'s>(name: &str, source: &'s [u8]) -> Result<(&'s str, Scan), ExtractError> {
    if source.len() > limits::MAX_SOURCE_BYTES {
        return Err(ExtractError::TooLarge(as_u32(limits::MAX_SOURCE_BYTES)));
    }
    id::check(IdKind::PackageName, name).map_err(|error| ExtractError::InvalidId(error.to_string()))?;
    let text =
        str::from_utf8(source).map_err(|error| ExtractError::NotUtf8(Position::of(source, error.valid_up_to())))?;
    let scan = scan(text)
        .map_err(|SyntaxError { at, message }| ExtractError::Syntax { position: Position::of(source, at), message })?;
    Ok((text, scan))
}

/// Converts a limit to the interface's type; all limits are far below that type's maximum.
fn as_u32(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}
