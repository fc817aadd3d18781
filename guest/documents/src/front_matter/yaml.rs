//! Front matter in YAML 1.2, with the core schema.
//!
//! Owns: which plain scalars are numbers, truth values or null. Dates stay text, `yes` and `no` too, and tags count for
//! nothing. Items of lists keep their characters. Aliases are expanded within a limit; a merge key (`<<`) is a field of that
//! name.
//! Never: accepts more than one document.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle};

use super::{Entry, Form, duplicate};
use crate::error::ParseError;
use crate::limits::{MAX_ALIASED_BYTES, MAX_DEPTH};
use crate::value::Value;

/// Parses a block. One without anything but comments has no fields.
pub(super) fn parse(block: &str) -> Result<Vec<Entry>, ParseError> {
    let mut builder = Builder::new(block);
    let entries = builder.document(Builder::fields)?;
    Ok(entries.unwrap_or_default())
}

/// Parses a text that is one value, without the name before it: a scalar or a list.
pub(crate) fn parse_scalar_or_list(text: &str) -> Option<(Value, Option<String>)> {
    let node = Builder::new(text).document(Builder::node).ok()?;
    let (value, text) = node.map_or((Value::Null, None), |node| (node.value, node.text));
    (!matches!(value, Value::Table(_))).then_some((value, text))
}

/// Resolves a plain scalar by the core schema.
pub(crate) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let radix = |prefix, radix| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if text.get(2..).is_some_and(is_digits)
        && let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8))
    {
        return Value::Number(number.to_string());
    }
    if is_decimal(text) { Value::number(text) } else { Value::Text(text.to_owned()) }
}

fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
    are_digits(whole)
        && are_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && are_digits(digits))
}

/// A value with the place where it is written.
struct Node {
    value: Value,
    text: Option<String>,
    written: Range<usize>,
    form: Form,
}

struct Builder<'b> {
    parser: Parser<'b, StrInput<'b>>,
    block: &'b str,
    anchors: BTreeMap<usize, (Value, Option<String>)>,
    aliased_bytes: usize,
}

type Next<'b> = (Event<'b>, Span);

impl<'b> Builder<'b> {
    fn new(block: &'b str) -> Self {
        let mut options = granit_parser::options! { disallow_directives: true };
        options.set_emit_comments(false);
        let parser = Parser::new_from_str_with_options(block, options);
        Self { parser, block, anchors: BTreeMap::new(), aliased_bytes: 0 }
    }

    /// Reads the only document, of which `read` reads the node; `None` if there is no document.
    fn document<T>(
        &mut self,
        read: impl FnOnce(&mut Self, Next<'b>, usize) -> Result<T, ParseError>,
    ) -> Result<Option<T>, ParseError> {
        let mut found = None;
        let mut read = Some(read);
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(found),
                Event::DocumentStart(..) => {
                    let Some(read) = read.take() else {
                        return Err(ParseError::malformed(start(&span), "a second YAML document begins here"));
                    };
                    let next = self.next()?;
                    found = Some(read(self, next, 0)?);
                }
                _ => return Err(ParseError::malformed(start(&span), "unexpected YAML")),
            }
        }
    }

    fn next(&mut self) -> Result<Next<'b>, ParseError> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(self.refuse(&error)),
            None => Err(ParseError::malformed(self.block.len(), "the YAML ends unexpectedly")),
        }
    }

    fn refuse(&self, error: &ScanError) -> ParseError {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.block.len());
        let remedy = match error.kind() {
            // The scanner reads ahead, and has a limit of its own.
            ErrorKind::RecursionLimitExceeded => return ParseError::TooDeep { at },
            ErrorKind::MappingValueNotAllowed => ": put a value that contains `: ` between quotes",
            _ => "",
        };
        let info: String = error.info().chars().take(200).collect();
        ParseError::malformed(at, format!("not YAML: {info}{remedy}"))
    }

    /// Reads the top-level table.
    fn fields(&mut self, (event, span): Next<'b>, depth: usize) -> Result<Vec<Entry>, ParseError> {
        let Event::MappingStart(..) = event else {
            let message = "the front matter is no table: write lines of the form `name: value`";
            return Err(ParseError::malformed(start(&span), message));
        };
        let mut entries = Vec::new();
        self.entries(depth, |entry| entries.push(entry))?;
        Ok(entries)
    }

    /// Reads the entries of a table, from the event after its start to its end. Returns the place of its end.
    fn entries(&mut self, depth: usize, mut add: impl FnMut(Entry)) -> Result<Span, ParseError> {
        let mut names = BTreeSet::new();
        loop {
            let (event, span) = self.next()?;
            let (name, anchor) = match event {
                Event::MappingEnd => return Ok(span),
                Event::Scalar(name, _, anchor, _) => (name.into_owned(), anchor),
                _ => return Err(ParseError::malformed(start(&span), "the name of a field must be text")),
            };
            if anchor > 0 {
                self.anchors.insert(anchor, (Value::Text(name.clone()), Some(name.clone())));
            }
            let key = span.byte_range().unwrap_or_default();
            if !names.insert(name.clone()) {
                return Err(duplicate(key.start, &name));
            }
            let next = self.next()?;
            let node = self.node(next, depth + 1)?;
            let Node { value, text, written, form } = node;
            add(Entry { name, value, text, key, written, form });
        }
    }

    /// Reads the node that begins with an event.
    fn node(&mut self, (event, span): Next<'b>, depth: usize) -> Result<Node, ParseError> {
        let start = start(&span);
        if depth >= MAX_DEPTH && matches!(event, Event::SequenceStart(..) | Event::MappingStart(..)) {
            return Err(ParseError::TooDeep { at: start });
        }
        let mut node = Node { value: Value::Null, text: None, written: start..start, form: Form::Inline };
        let anchor = match event {
            Event::Scalar(text, style, anchor, _) => {
                node.written = self.trimmed(span.byte_range().unwrap_or_default());
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    node.form = Form::Indented;
                }
                // The parser gives a missing value as `~`, in an empty place.
                let is_missing = style == ScalarStyle::Plain && node.written.is_empty();
                node.value = match style {
                    _ if is_missing => Value::Null,
                    ScalarStyle::Plain => resolve(&text),
                    _ => Value::Text(text.clone().into_owned()),
                };
                node.text = (node.value != Value::Null).then(|| text.into_owned());
                anchor
            }
            Event::Alias(id) => {
                let Some((value, text)) = self.anchors.get(&id) else {
                    return Err(ParseError::malformed(start, "an alias of the value in which it is"));
                };
                self.aliased_bytes = self.aliased_bytes.saturating_add(value.weight());
                if self.aliased_bytes > MAX_ALIASED_BYTES {
                    return Err(ParseError::TooMuch("aliases"));
                }
                (node.value, node.text) = (value.clone(), text.clone());
                node.written = span.byte_range().unwrap_or_default();
                0
            }
            Event::SequenceStart(style, anchor, _) => {
                let mut items = Vec::new();
                let end = loop {
                    let next = self.next()?;
                    if let (Event::SequenceEnd, span) = &next {
                        break *span;
                    }
                    let item = self.node(next, depth + 1)?;
                    node.written.end = node.written.end.max(item.written.end);
                    items.push(as_written(item));
                };
                close(&mut node, style, &end);
                node.value = Value::List(items);
                anchor
            }
            Event::MappingStart(style, anchor, _) => {
                let (mut fields, mut last) = (Vec::new(), start);
                let end = self.entries(depth, |entry| {
                    last = last.max(entry.key.end).max(entry.written.end);
                    fields.push((entry.name, entry.value));
                })?;
                node.written.end = node.written.end.max(last);
                close(&mut node, style, &end);
                node.value = Value::Table(fields);
                anchor
            }
            _ => return Err(ParseError::malformed(start, "a value is missing")),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, (node.value.clone(), node.text.clone()));
        }
        Ok(node)
    }

    /// Returns a place without the line breaks and spaces at its end.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.block.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }
}

/// Returns an item of a list. A number or truth value that JSON would write otherwise is its characters: a list is one of
/// names far more often than of numbers, and `007` is not `7` as a name.
fn as_written(item: Node) -> Value {
    match (item.value, item.text) {
        (value @ (Value::Number(_) | Value::Bool(_)), Some(text)) if value.to_json() != text => Value::Text(text),
        (value, _) => value,
    }
}

fn start(span: &Span) -> usize {
    span.byte_range().map_or(0, |range| range.start)
}

/// Notes where a list or table ends: at its bracket, or with its last value.
fn close(node: &mut Node, style: StructureStyle, end: &Span) {
    match style {
        StructureStyle::Flow => node.written.end = end.byte_range().map_or(node.written.end, |range| range.end),
        StructureStyle::Block => node.form = Form::Indented,
    }
}
