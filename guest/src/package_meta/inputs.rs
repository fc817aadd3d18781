//! The inputs of a package: the fields of `ctx` that its function `run` reads.
//!
//! Owns: the types that callers see, and the limits of an answer.
//! Never: calls an input required unless every call without it fails: a caller refuses calls that lack one.

use super::run_body::{BodyFields, body_fields};
use super::{ExtractError, replay, scanned};
use crate::limits::{MAX_INPUT_NAME_BYTES, MAX_INPUTS};
use crate::lua::value::Heap;

/// The inputs that the code of a package shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeInputs {
    /// In the order in which the code names them first; those of a table of defaults last.
    pub inputs: Vec<CodeInput>,
    /// Whether `run` reads no other field: its first parameter is not given to other code, and the answer is not cut.
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeInput {
    pub name: String,
    pub need: InputNeed,
}

/// What the code does without an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputNeed {
    /// Every call without it fails.
    Required,
    /// The code has a value for it.
    Optional,
    /// The code reads it, and does not show what follows without it.
    Read,
}

/// Finds the inputs of the package `name` in its `init.lua`.
///
/// # Errors
/// As [`extract`](super::extract), except that no nesting and no metadata is too much: neither is read.
pub fn inputs(name: &str, source: &[u8]) -> Result<CodeInputs, ExtractError> {
    let (text, scan) = scanned(name, source)?;
    let mut heap = Heap::new();
    let mut replay = replay::follow(text, &scan, &mut heap);
    let Some(run) = replay.run_function(&scan.uses) else {
        return Ok(CodeInputs { inputs: Vec::new(), is_complete: false });
    };
    let BodyFields { fields, defaults, mut is_complete } = body_fields(text, run.parameters, run.is_certain);
    let mut found: Vec<CodeInput> = Vec::new();
    for (name, need) in fields {
        add(&mut found, name, need, &mut is_complete);
    }
    for table in defaults {
        match replay.default_names(table) {
            Some(names) => names.iter().for_each(|name| add(&mut found, name, InputNeed::Optional, &mut is_complete)),
            None => is_complete = false,
        }
    }
    Ok(CodeInputs { inputs: found, is_complete })
}

/// Adds an input that is not there yet, within the limits.
fn add(found: &mut Vec<CodeInput>, name: &str, need: InputNeed, is_complete: &mut bool) {
    if let Some(input) = found.iter_mut().find(|input| input.name == name) {
        if input.need == InputNeed::Read {
            input.need = need;
        }
    } else if found.len() < MAX_INPUTS && name.len() <= MAX_INPUT_NAME_BYTES {
        found.push(CodeInput { name: name.to_owned(), need });
    } else {
        *is_complete = false;
    }
}
