//! Edits of front matter, in the syntax that it has.
//!
//! Owns: which bytes change, and the proof that nothing else does: the result is read again, and refused if any field is
//! not what it was or should be, or the body is another one. A field that has its new value already keeps its bytes.
//! Never: formats what it does not change. A comment within a value that is replaced goes with it.

mod json;
mod toml;
mod yaml;

use std::ops::Range;

use crate::error::{ParseError, ReadError};
use crate::front_matter::{self, Entry, parse_value};
use crate::limits::{MAX_CHANGE_BYTES, MAX_CHANGES, MAX_FRONT_MATTER_BYTES, MAX_REPARSED_BYTES};
use crate::source::{Block, Contents, Source, Syntax, bom_length, decode, line_at, split};
use crate::value::Value;

/// A change of one top-level field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    /// The new value; `None` removes the field.
    pub json: Option<String>,
}

/// A piece of text in the place of another.
#[derive(Debug, PartialEq, Eq)]
struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splice {
    fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// One change, as the writer of a syntax receives it.
struct Edit<'e> {
    block: &'e str,
    entries: &'e [Entry],
    /// The line break of the source.
    eol: &'static str,
    name: &'e str,
}

impl<'e> Edit<'e> {
    fn refuse(&self, at: usize, reason: &str) -> ParseError {
        ParseError::malformed(at, format!("`{}` is not changed: {reason}", self.name))
    }

    /// Returns the start of the line in which a byte is.
    fn line_start(&self, at: usize) -> usize {
        let before = self.block.get(..at).unwrap_or_default();
        before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
    }

    /// Returns the end of the line in which a byte is, and where the next one begins.
    fn line_end(&self, at: usize) -> (usize, usize) {
        line_at(self.block, at).map_or((at, at), |line| (line.end(), line.next))
    }

    fn text(&self, range: Range<usize>) -> &'e str {
        self.block.get(range).unwrap_or_default()
    }

    fn entry(&self) -> Option<&'e Entry> {
        self.entries.iter().find(|entry| entry.name == self.name)
    }
}

/// Changes fields of a source and returns the new one. Of two changes of one field the last counts.
///
/// # Errors
/// When the front matter cannot be read, a new value is no JSON or not expressible, or a limit is exceeded.
pub fn edit(source: &[u8], changes: &[Change]) -> Result<Vec<u8>, ReadError> {
    let text = decode(source)?;
    let edited = edit_text(text, changes).map_err(|error| error.located(text))?;
    decode(edited.as_bytes())?;
    Ok(edited.into_bytes())
}

fn edit_text(text: &str, changes: &[Change]) -> Result<String, ParseError> {
    let bytes = changes.iter().map(|Change { name, json }| name.len() + json.as_ref().map_or(0, String::len));
    if changes.len() > MAX_CHANGES || bytes.sum::<usize>() > MAX_CHANGE_BYTES {
        return Err(ParseError::TooMuch("changes"));
    }
    let changes = parse_changes(changes)?;
    let source = split(text, Contents::Code)?;
    let eol = line_break(text);
    let (before, mut block, after, syntax) = match &source.front_matter {
        Some(Block { syntax, range }) => {
            let after = text.get(range.end..).unwrap_or_default().to_owned();
            (text.get(..range.start).unwrap_or_default().to_owned(), source_block(&source).to_owned(), after, *syntax)
        }
        None => {
            let bom = text.get(..bom_length(text)).unwrap_or_default();
            (format!("{bom}---{eol}"), String::new(), format!("---{eol}{}", source.body()), Syntax::Yaml)
        }
    };
    let start = source.front_matter.as_ref().map_or(0, |block| block.range.start);
    let mut entries = front_matter::parse(syntax, &block).map_err(|error| error.shifted(start))?;
    let expected = expected_fields(&entries, &changes);
    let (mut is_changed, mut reparsed_bytes) = (false, 0);
    for (name, value) in &changes {
        let current = entries.iter().find(|entry| entry.name == *name);
        let is_same = match (current, value) {
            (None, None) => true,
            (Some(entry), Some(value)) => entry.value.is_equivalent(value),
            _ => false,
        };
        if is_same {
            continue;
        }
        let edit = Edit { block: &block, entries: &entries, eol, name };
        let splices = match syntax {
            Syntax::Yaml => yaml::splices(&edit, value.as_ref()),
            Syntax::Toml => toml::splices(&edit, value.as_ref()),
            Syntax::Json => Ok(json::splices(&edit, value.as_ref())),
        };
        block = apply(&block, splices.map_err(|error| error.shifted(start))?);
        // Even if a later change would shorten it again.
        if block.len() > MAX_FRONT_MATTER_BYTES {
            return Err(ParseError::TooMuch("front matter"));
        }
        reparsed_bytes += block.len();
        if reparsed_bytes > MAX_REPARSED_BYTES {
            return Err(ParseError::TooMuch("changes"));
        }
        entries = front_matter::parse(syntax, &block).map_err(|error| unwritable(&error, name))?;
        is_changed = true;
    }
    if !is_changed {
        return Ok(text.to_owned());
    }
    let edited = format!("{before}{block}{after}");
    check(&edited, &source, &expected)?;
    Ok(edited)
}

fn source_block<'s>(source: &Source<'s>) -> &'s str {
    source.front_matter.as_ref().map_or("", |block| source.block(block))
}

/// Returns the first line break of a text: the one that it has throughout, if one program wrote it.
fn line_break(text: &str) -> &'static str {
    match text.find(['\n', '\r']).and_then(|at| text.as_bytes().get(at..)) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

/// Parses the new values. The last change of a name takes the place of those before it.
fn parse_changes(changes: &[Change]) -> Result<Vec<(String, Option<Value>)>, ParseError> {
    let mut parsed = Vec::<(String, Option<Value>)>::new();
    for Change { name, json } in changes {
        if name.is_empty() {
            return Err(ParseError::malformed(0, "a field needs a name"));
        }
        let value = json.as_deref().map(parse_value).transpose().map_err(|error| match error {
            ParseError::Malformed { message, .. } => {
                ParseError::malformed(0, format!("the new value of `{name}` is {message}"))
            }
            ParseError::TooDeep { .. } => ParseError::TooDeep { at: 0 },
            ParseError::TooMuch(limit) => ParseError::TooMuch(limit),
        })?;
        parsed.retain(|(known, _)| known != name);
        parsed.push((name.clone(), value));
    }
    Ok(parsed)
}

fn expected_fields(entries: &[Entry], changes: &[(String, Option<Value>)]) -> Vec<(String, Value)> {
    let is_changed = |entry: &&Entry| changes.iter().all(|(name, _)| *name != entry.name);
    let kept = entries.iter().filter(is_changed).map(|entry| (entry.name.clone(), entry.value.clone()));
    let new = changes.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    kept.chain(new).collect()
}

/// Applies splices that do not overlap.
fn apply(block: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let (mut out, mut at) = (String::with_capacity(block.len()), 0);
    for Splice { range, text } in splices {
        out.push_str(block.get(at..range.start).unwrap_or_default());
        out.push_str(&text);
        at = range.end.max(at);
    }
    out.push_str(block.get(at..).unwrap_or_default());
    out
}

/// Reads the result as any reader would, and compares.
fn check(edited: &str, before: &Source<'_>, expected: &[(String, Value)]) -> Result<(), ParseError> {
    let refuse = |error: ParseError| unwritable(&error, "front matter");
    let after = split(edited, Contents::Code).map_err(refuse)?;
    let syntax = after.front_matter.as_ref().map_or(Syntax::Yaml, |block| block.syntax);
    let entries = front_matter::parse(syntax, source_block(&after)).map_err(refuse)?;
    let fields = entries.into_iter().map(|entry| (entry.name, entry.value)).collect();
    let is_body_kept = after.body() == before.body();
    if is_body_kept && Value::Table(fields).is_equivalent(&Value::Table(expected.to_vec())) {
        return Ok(());
    }
    Err(entangled("front matter"))
}

/// Returns the error of a written field that reads differently: a limit, or something around it.
fn unwritable(error: &ParseError, name: &str) -> ParseError {
    match error {
        ParseError::Malformed { .. } => entangled(name),
        ParseError::TooDeep { .. } => ParseError::TooDeep { at: 0 },
        ParseError::TooMuch(limit) => ParseError::TooMuch(limit),
    }
}

fn entangled(name: &str) -> ParseError {
    ParseError::malformed(
        0,
        format!("`{name}` cannot be changed without changing something else: edit the file itself"),
    )
}

/// Whether a text begins like a date, as programs write it: `2024-03-01`.
fn is_date(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'+' | b' ' | b'T' | b'Z');
    let shape = text.as_bytes().get(..10).map(|day| {
        day.iter().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
    });
    shape == Some(true) && text.len() <= 35 && text.bytes().all(|byte| is_part(&byte)) && !text.ends_with([' ', ':'])
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
