//! TOML from outside: cards and `alc.local.toml`.
//!
//! Owns: how deep a document may be nested, checked before anything is built: a recursive function on a deeper one would
//! overflow the stack.
//! Never: shows words of the document or of the parser to a client.

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wardroom_toml_nesting::{Nesting, NestingLimits, error_offset};

use crate::limits::MAX_JSON_DEPTH;

/// Why a text was refused. `Display` is for the log, since the parser may quote the document.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TomlError {
    pub line: usize,
    kind: TomlErrorKind,
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TomlErrorKind {
    TooDeep,
    /// The parser's own limits, which are lower in two respects.
    TooDeepForParser,
    Malformed,
}

impl TomlError {
    fn new(text: &str, at: usize, problem: TomlErrorKind, reason: &str) -> Self {
        let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        Self { line, kind: problem, reason: reason.to_owned() }
    }

    /// The message that a client may see.
    #[must_use]
    pub fn public_message(&self) -> String {
        match self.kind {
            TomlErrorKind::TooDeep => format!("line {}: nested deeper than {MAX_JSON_DEPTH} levels", self.line),
            TomlErrorKind::TooDeepForParser => {
                format!("line {}: more than {MAX_PARSER_DEPTH} nested brackets, or parts of one key", self.line)
            }
            TomlErrorKind::Malformed => format!("line {}: not TOML", self.line),
        }
    }
}

/// The parser's own limit of nested brackets, and of parts of one key.
const MAX_PARSER_DEPTH: usize = 80;

/// The document counts as a table.
const LIMITS: NestingLimits = NestingLimits { levels: MAX_JSON_DEPTH - 1, parser_levels: MAX_PARSER_DEPTH };

/// Parses a document. The caller bounds its size.
///
/// # Errors
/// When it is not TOML, or nested too deep.
pub fn parse(text: &str) -> Result<toml::Table, TomlError> {
    check_nesting(text)?;
    toml::from_str(text).map_err(|error| malformed(text, &error))
}

/// Parses a document as JSON, without building its tables twice. Date-times become strings, numbers that JSON lacks become null.
/// The caller bounds its size.
///
/// # Errors
/// When it is not TOML, nested too deep, or has a number that no integer or float of 64 bits is.
pub fn parse_json(text: &str) -> Result<Map<String, Value>, TomlError> {
    check_nesting(text)?;
    let table = DeTable::parse(text).map_err(|error| malformed(text, &error))?;
    json_table(table.get_ref())
        .map_err(|at| TomlError::new(text, at, TomlErrorKind::Malformed, "a number has more than 64 bits"))
}

fn malformed(text: &str, error: &toml::de::Error) -> TomlError {
    let at = error.span().map_or(0, |span| span.start);
    TomlError::new(text, at, TomlErrorKind::Malformed, error.message())
}

/// Converts a table, or returns where a number is too large.
fn json_table(table: &DeTable<'_>) -> Result<Map<String, Value>, usize> {
    table.iter().map(|(key, value)| Ok((key.get_ref().to_string(), json_value(value)?))).collect()
}

fn json_value(value: &Spanned<DeValue<'_>>) -> Result<Value, usize> {
    let too_large = || value.span().start;
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| too_large())?.into()
        }
        DeValue::Float(number) => {
            let float: f64 = number.as_str().parse().map_err(|_| too_large())?;
            // Only what is written as infinite is.
            if float.is_infinite() && !number.as_str().contains("inf") {
                return Err(too_large());
            }
            float.into()
        }
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => items.iter().map(json_value).collect::<Result<Vec<_>, _>>()?.into(),
        DeValue::Table(table) => json_table(table)?.into(),
    })
}

/// Whether a document cannot be nested too deep, however it is read: each of these characters adds two levels at most, a dot of a
/// header among them.
fn is_shallow(text: &str) -> bool {
    let nesting = text.bytes().filter(|byte| matches!(byte, b'.' | b'[' | b'{')).count();
    2 * nesting < MAX_JSON_DEPTH && nesting < MAX_PARSER_DEPTH
}

/// Runs over the same events that a document is built from, without building anything. Any error ends the check, since
/// the parser would continue after it and build what it can.
fn check_nesting(text: &str) -> Result<(), TomlError> {
    if is_shallow(text) {
        return Ok(());
    }
    let nesting = Nesting::measure(text, LIMITS);
    if let Some(at) = nesting.too_deep_at {
        return Err(TomlError::new(text, at, TomlErrorKind::TooDeep, "nested too deep"));
    }
    if let Some(at) = nesting.too_deep_for_parser_at {
        return Err(TomlError::new(text, at, TomlErrorKind::TooDeepForParser, "nested too deep for the parser"));
    }
    nesting.malformed.map_or(Ok(()), |error| {
        Err(TomlError::new(text, error_offset(&error), TomlErrorKind::Malformed, error.description()))
    })
}
