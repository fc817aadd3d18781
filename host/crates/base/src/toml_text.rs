//! TOML from outside: cards and `alc.local.toml`.
//!
//! Owns: the nesting of a document, checked before anything is built. Dotted keys nest without a bracket and multiply
//! with bracketed ones, so the parser's own limit on brackets does not limit the result, and a recursive function on it
//! would overflow the stack.
//! Never: shows words of the document or of the parser to a client.

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, ParseError, Source, Span};

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
    let tokens = Source::new(text).lex().into_vec();
    let (mut nesting, mut malformed) = (NestingTracker::default(), None::<ParseError>);
    parse_document(&tokens, &mut nesting, &mut malformed);
    if let Some(at) = nesting.too_deep_at {
        return Err(TomlError::new(text, at, TomlErrorKind::TooDeep, "nested too deep"));
    }
    if let Some(at) = nesting.too_deep_for_parser_at {
        return Err(TomlError::new(text, at, TomlErrorKind::TooDeepForParser, "nested too deep for the parser"));
    }
    match malformed {
        Some(error) => {
            let at = error.unexpected().or(error.context()).map_or(0, |span| span.start());
            Err(TomlError::new(text, at, TomlErrorKind::Malformed, error.description()))
        }
        None => Ok(()),
    }
}

/// The greatest number of tables and arrays around the current position.
#[derive(Default)]
struct NestingTracker {
    /// Levels around the current key: of the header, of the open brackets, and of the keys before those.
    depth: usize,
    /// Tables that the current key has opened, one for each dot.
    dots: usize,
    /// The dots of the key before each open bracket.
    open_brackets: Vec<usize>,
    too_deep_at: Option<usize>,
    /// As `too_deep_at`, for the parser's limits.
    too_deep_for_parser_at: Option<usize>,
}

impl NestingTracker {
    /// Checks the position against both limits. The document counts as a table.
    fn check(&mut self, deepest: usize, span: Span) -> bool {
        if deepest + 1 > MAX_JSON_DEPTH && self.too_deep_at.is_none() {
            self.too_deep_at = Some(span.start());
        }
        if self.open_brackets.len() > MAX_PARSER_DEPTH || self.dots + 1 > MAX_PARSER_DEPTH {
            self.too_deep_for_parser_at.get_or_insert(span.start());
        }
        self.too_deep_at.is_none()
    }

    fn begin_header(&mut self) {
        (self.depth, self.dots) = (0, 0);
        self.open_brackets.clear();
    }

    /// Any part of a header can be an array of tables, so each part counts twice.
    fn end_header(&mut self, span: Span) {
        self.depth = 2 * (self.dots + 1);
        self.dots = 0;
        self.check(self.depth, span);
    }

    fn begin_bracket(&mut self, span: Span) -> bool {
        self.open_brackets.push(self.dots);
        self.depth += self.dots + 1;
        self.dots = 0;
        self.check(self.depth, span)
    }

    fn end_bracket(&mut self) {
        if let Some(dots) = self.open_brackets.pop() {
            self.depth = self.depth.saturating_sub(dots + 1);
            self.dots = dots;
        }
    }
}

impl EventReceiver for NestingTracker {
    fn std_table_open(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.begin_header();
    }

    fn std_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn array_table_open(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.begin_header();
    }

    fn array_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn inline_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.begin_bracket(span)
    }

    fn inline_table_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.end_bracket();
    }

    fn array_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.begin_bracket(span)
    }

    fn array_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.end_bracket();
    }

    fn key_sep(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.dots += 1;
        self.check(self.depth + self.dots, span);
    }

    fn value_sep(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }

    fn newline(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        // A line end between brackets does not end the key.
        if self.open_brackets.is_empty() {
            self.dots = 0;
        }
    }
}
