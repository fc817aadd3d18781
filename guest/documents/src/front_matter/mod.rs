//! Front matter: the fields before the body of a document.
//!
//! Owns: fields, in whichever syntax, and the limits that all syntaxes share. Duplicate names are errors, as for
//! Hugo and Astro: two readers of one file would disagree on which of them counts.
//! Never: interprets a field; the host knows titles and dates.

mod json;
mod toml;
mod yaml;

use std::ops::Range;

use crate::error::{ParseError, ReadError};
use crate::limits::MAX_FIELDS;
use crate::position::{Lines, to_u32};
use crate::source::{Block, Contents, Source, Syntax};
use crate::value::Value;

pub(crate) use json::parse_value;
pub(crate) use toml::first_header as first_toml_header;
pub(crate) use yaml::{parse_scalar_or_list, resolve as resolve_yaml};

/// A top-level field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// From 1.
    pub line: u32,
    pub json: String,
    /// A scalar's characters, without quotes and escapes; `None` for lists, tables and null.
    pub text: Option<String>,
}

/// The fields of a document, and where its body begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    pub fields: Vec<Field>,
    pub body_start: u32,
}

/// A field as its parser found it, with places in the parsed text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) text: Option<String>,
    /// The name as it is written, with its quotes.
    pub(crate) key: Range<usize>,
    /// The value as it is written. Of a list or table in YAML without brackets, from its first value to its last.
    pub(crate) written: Range<usize>,
    pub(crate) form: Form,
}

/// How a value is written, as far as an edit depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Within a line, or between quotes or brackets.
    Inline,
    /// In lines of its own, by indentation.
    Indented,
    /// In several places, as tables of TOML with headers or dotted names.
    Scattered,
}

/// Reads the front matter of a script or template.
///
/// # Errors
/// When there is front matter that cannot be read.
pub fn read(source: &[u8]) -> Result<FrontMatter, ReadError> {
    let source = Source::read(source, Contents::Code)?;
    let fields = fields(&source, &Lines::new(source.text.as_bytes()))?;
    Ok(FrontMatter { fields, body_start: to_u32(source.body_start) })
}

/// Reads the fields of a source that is split.
pub(crate) fn fields(source: &Source<'_>, lines: &Lines) -> Result<Vec<Field>, ReadError> {
    let Some(block) = &source.front_matter else { return Ok(Vec::new()) };
    let entries = entries(source, block).map_err(|error| error.located(source.text))?;
    Ok(entries.into_iter().map(|entry| to_field(entry, block.range.start, lines)).collect())
}

/// Makes a field of an entry whose parsed text begins at `offset`.
pub(crate) fn to_field(entry: Entry, offset: usize, lines: &Lines) -> Field {
    let line = lines.line(offset + entry.key.start);
    Field { name: entry.name, line, json: entry.value.to_json(), text: entry.text }
}

fn entries(source: &Source<'_>, block: &Block) -> Result<Vec<Entry>, ParseError> {
    parse(block.syntax, source.block(block)).map_err(|error| error.shifted(block.range.start))
}

/// Parses front matter without its delimiters. Places count from the start of `block`.
pub(crate) fn parse(syntax: Syntax, block: &str) -> Result<Vec<Entry>, ParseError> {
    let entries = match syntax {
        Syntax::Yaml => yaml::parse(block),
        Syntax::Toml => toml::parse(block),
        Syntax::Json => json::parse(block),
    }?;
    if entries.len() > MAX_FIELDS { Err(ParseError::TooMuch("fields")) } else { Ok(entries) }
}

/// Returns the error of a table that has the same field twice.
fn duplicate(at: usize, name: &str) -> ParseError {
    let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    ParseError::malformed(at, format!("the field `{name}` occurs twice: remove one of them"))
}

#[cfg(test)]
mod tests;
