//! Metadata and errors as the command prints them.
//!
//! Owns: one line of JSON for an answer, one line for an error and one for its hint.
//! Never: prints.

use std::fmt;

use wardroom_lua_syntax::position::Position;

use crate::json;
use crate::package_meta::{ExtractError, Metadata, Unresolved};

/// Returns the answer as one line of JSON, without a line break.
#[must_use]
pub fn line(metadata: &Metadata) -> String {
    let mut line = String::with_capacity(metadata.json.len() + 64);
    line.push_str("{\"meta\":");
    line.push_str(&metadata.json);
    line.push_str(",\"doc\":");
    match &metadata.doc {
        Some(doc) => json::push_string(&mut line, doc),
        None => line.push_str("null"),
    }
    line.push_str(",\"unresolved\":[");
    for (index, unresolved) in metadata.unresolved.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        push_unresolved(&mut line, unresolved);
    }
    line.push_str("]}");
    line
}

/// Returns a hint for the source's author about an error.
#[must_use]
pub const fn hint(error: &ExtractError) -> &'static str {
    match error {
        ExtractError::InvalidId(_) => "give the package a name of 1 to 200 letters, digits, _, . and -",
        ExtractError::TooLarge(_) => "leave in init.lua what declares the package, and move the rest to other modules",
        ExtractError::NotUtf8(_) => "save the file as UTF-8",
        ExtractError::Syntax { .. } => "mend the file there; it is read, and never run",
        ExtractError::TooDeep(_) => "nest less there",
        ExtractError::TooMuch(_) => "keep less in the metadata; the package's own code can hold what is long",
    }
}

fn push_unresolved(line: &mut String, unresolved: &Unresolved) {
    line.push_str("{\"path\":");
    json::push_string(line, &unresolved.path);
    line.push_str(",\"line\":");
    json::push_int(line, unresolved.position.line.into());
    line.push_str(",\"column\":");
    json::push_int(line, unresolved.position.column.into());
    line.push_str(",\"reason\":");
    json::push_string(line, unresolved.reason);
    line.push('}');
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |Position { line, column }: &Position| format!("line {line}, column {column}");
        match self {
            Self::InvalidId(reason) => write!(f, "package name {reason}"),
            Self::TooLarge(limit) => write!(f, "source is longer than {limit} bytes"),
            Self::NotUtf8(position) => write!(f, "{}: source is not UTF-8", place(position)),
            Self::Syntax { position, message } => write!(f, "{}: {message}", place(position)),
            Self::TooDeep(position) => write!(f, "{}: nested too deep", place(position)),
            Self::TooMuch(limit) => write!(f, "metadata is longer than {limit} bytes"),
        }
    }
}

impl std::error::Error for ExtractError {}
