//! The sidecar of a picture: its title, alternative text and caption, beside it in a file of their own.
//!
//! Owns: the lenient reading. The programs that wrote these files put texts between quotes without escaping anything, and
//! joined lists with `", "`. So a source that is no YAML is read line by line: each value as YAML if it is that by itself,
//! else without its quotes. A line that is no field continues the text before it. Of two fields of one name the last
//! counts, as for those programs.
//! Never: refuses a source for one bad line.

use crate::error::ReadError;
use crate::front_matter::{self, Entry, Field, Form, parse_scalar_or_list, to_field};
use crate::limits::{MAX_FIELDS, MAX_FRONT_MATTER_BYTES};
use crate::position::Lines;
use crate::source::{Contents, Line, Source, bom_length, decode, lines_from};
use crate::value::Value;

/// Reads a sidecar. One that is never closed, or never begun, is read too: nothing follows its fields.
///
/// # Errors
/// When no line is a field and the source is no YAML either, or a limit is exceeded.
pub fn read(source: &[u8]) -> Result<Vec<Field>, ReadError> {
    let text = decode(source)?;
    let lines = Lines::new(source);
    let strict = Source::read(source, Contents::Post).and_then(|source| front_matter::fields(&source, &lines));
    match strict {
        Ok(fields) if !fields.is_empty() => return Ok(fields),
        Err(error @ ReadError::TooMuch(_)) => return Err(error),
        Ok(_) | Err(_) => {}
    }
    if text.len() > MAX_FRONT_MATTER_BYTES {
        return Err(ReadError::TooMuch("front matter"));
    }
    let written = collect(text);
    if written.is_empty() {
        return strict;
    }
    if written.len() > MAX_FIELDS {
        return Err(ReadError::TooMuch("fields"));
    }
    Ok(written.into_iter().map(|field| to_field(field.read(), 0, &lines)).collect())
}

/// A field as it is written.
struct WrittenField<'s> {
    name: &'s str,
    start: usize,
    value: String,
}

/// Collects the fields between the delimiters, in the order of their last lines.
fn collect(text: &str) -> Vec<WrittenField<'_>> {
    let mut fields = Vec::<WrittenField<'_>>::new();
    let start = bom_length(text);
    for line in lines_from(text, start) {
        if matches!(line.text.trim_end(), "---" | "...") {
            if line.start == start {
                continue;
            }
            break;
        }
        if let Some((name, value)) = split_field(&line) {
            fields.retain(|field| field.name != name);
            fields.push(WrittenField { name, start: line.start, value: value.to_owned() });
        } else if let Some(field) = fields.last_mut() {
            field.value.push('\n');
            field.value.push_str(line.text);
        }
        if fields.len() > MAX_FIELDS {
            break;
        }
    }
    fields
}

/// Splits `name: value`.
fn split_field<'s>(line: &Line<'s>) -> Option<(&'s str, &'s str)> {
    let (name, value) = line.text.split_once(':')?;
    let is_name = name.starts_with(char::is_alphabetic)
        && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-'));
    (is_name && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((name, value))
}

impl WrittenField<'_> {
    fn read(self) -> Entry {
        let (value, text) = parse_scalar_or_list(&self.value).unwrap_or_else(|| {
            let value = read_unescaped(self.value.trim());
            let text = if let Value::Text(text) = &value { Some(text.clone()) } else { None };
            (value, text)
        });
        let key = self.start..self.start + self.name.len();
        Entry { name: self.name.to_owned(), value, text, written: key.clone(), key, form: Form::Inline }
    }
}

/// Reads a text or a list whose texts are between quotes without escapes.
fn read_unescaped(value: &str) -> Value {
    let Some(items) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return Value::Text(unquote(value).to_owned());
    };
    let items = items.trim();
    let quoted = items.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Value::List(match quoted {
        Some(items) => items.split("\", \"").map(|item| Value::Text(item.to_owned())).collect(),
        None => items.split(',').map(|item| Value::Text(unquote(item.trim()).to_owned())).collect(),
    })
}

fn unquote(text: &str) -> &str {
    let within = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests;
