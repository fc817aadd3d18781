//! Fields in YAML: one on each line, with the lines of their values below.
//!
//! Owns: how values are written: lists in lines of their own, two spaces deeper than their field; lists and tables within
//! those between brackets; texts plain where every version of YAML reads them as texts, else between single quotes, and
//! between double quotes where a character needs an escape. A date stays plain where it was plain: Astro refuses a text.
//! Never: writes a text in several lines.

use std::ops::Range;

use super::{Edit, Splice, is_date};
use crate::error::ParseError;
use crate::front_matter::{Entry, Form, resolve_yaml};
use crate::value::{Value, is_escaped, write_quoted};

pub(super) fn splices(edit: &Edit<'_>, value: Option<&Value>) -> Result<Vec<Splice>, ParseError> {
    let indent = match edit.entries.first() {
        Some(first) => edit.text(edit.line_start(first.key.start)..first.key.start),
        None => "",
    };
    match (edit.entry(), value) {
        (Some(entry), Some(value)) => replace(edit, indent, entry, value),
        (Some(entry), None) => {
            let place = place(edit, entry)?;
            let (_, next) = edit.line_end(place.last_line_end);
            Ok(vec![Splice::new(edit.line_start(entry.key.start)..next, "")])
        }
        (None, Some(value)) => {
            let end = edit.block.len();
            let before = if edit.block.is_empty() || edit.block.ends_with(['\n', '\r']) { "" } else { edit.eol };
            let mut line = format!("{before}{indent}{}:", text(edit.name));
            write_value(edit, indent, value, false, &mut line);
            Ok(vec![Splice::new(end..end, line + edit.eol)])
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// Where the parts of a field are.
struct Place {
    /// After the `:`.
    colon_end: usize,
    /// The end of the line with the name, without its break.
    header_end: usize,
    /// The end of the value's last line: `header_end` or later.
    last_line_end: usize,
    /// The end of the value.
    value_end: usize,
}

fn place(edit: &Edit<'_>, entry: &Entry) -> Result<Place, ParseError> {
    let line_start = edit.line_start(entry.key.start);
    let after_key = edit.text(entry.key.end..edit.block.len());
    let colon = after_key.len() - after_key.trim_start_matches([' ', '\t']).len();
    let is_alone = edit.text(line_start..entry.key.start).bytes().all(|byte| byte == b' ');
    if !is_alone || !after_key.get(colon..).is_some_and(|rest| rest.starts_with(':')) {
        return Err(edit.refuse(entry.key.start, "it is not written as `name: value` on a line of its own"));
    }
    let colon_end = entry.key.end + colon + 1;
    let (header_end, mut at) = edit.line_end(colon_end);
    let region_end = edit.entries.iter().map(|other| other.key.start).filter(|start| *start > entry.key.start).min();
    let region_end = region_end.map_or(edit.block.len(), |start| edit.line_start(start));
    let value_end = entry.written.end.max(colon_end);
    // Blank lines and comments after the value belong to the next field.
    let mut last_line_end = header_end;
    while at < region_end {
        let (end, next) = edit.line_end(at);
        let line = edit.text(at..end).trim();
        if !line.is_empty() && !line.starts_with('#') || at < entry.written.end {
            last_line_end = end;
        }
        at = next.max(at + 1);
    }
    Ok(Place { colon_end, header_end, last_line_end, value_end })
}

fn replace(edit: &Edit<'_>, indent: &str, entry: &Entry, value: &Value) -> Result<Vec<Splice>, ParseError> {
    let place = place(edit, entry)?;
    let mut written = String::new();
    write_value(edit, indent, value, is_plain_date(edit, entry), &mut written);
    let is_block = written.starts_with(edit.eol);
    // A comment stays that follows the name, if the value is below, or the end of the value on its line.
    let header_tail = place.colon_end..place.header_end;
    let is_below = place.last_line_end > place.header_end && is_comment(edit, &header_tail);
    let value_tail = place.value_end.min(place.last_line_end)..place.last_line_end;
    let comment = if is_below {
        edit.text(header_tail)
    } else if entry.form == Form::Inline && is_comment(edit, &value_tail) {
        edit.text(value_tail)
    } else {
        ""
    };
    let text = if is_block { format!("{comment}{written}") } else { format!("{written}{comment}") };
    Ok(vec![Splice::new(place.colon_end..place.last_line_end, text)])
}

fn is_comment(edit: &Edit<'_>, range: &Range<usize>) -> bool {
    let text = edit.text(range.clone());
    text.trim_start().starts_with('#') && text.starts_with([' ', '\t'])
}

fn is_plain_date(edit: &Edit<'_>, entry: &Entry) -> bool {
    is_date(edit.text(entry.written.clone()))
}

/// Writes the value of a field, from its `:` on.
fn write_value(edit: &Edit<'_>, indent: &str, value: &Value, is_plain_date: bool, out: &mut String) {
    match value {
        Value::List(items) if !items.is_empty() => {
            for item in items {
                out.push_str(edit.eol);
                out.push_str(indent);
                out.push_str("  - ");
                write_inline(item, out);
            }
        }
        Value::Text(date) if is_plain_date && is_date(date) => {
            out.push(' ');
            out.push_str(date);
        }
        value => {
            out.push(' ');
            write_inline(value, out);
        }
    }
}

fn write_inline(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number),
        Value::Text(value) => out.push_str(&text(value)),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_inline(item, out);
            }
            out.push(']');
        }
        Value::Table(fields) => {
            out.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&text(name));
                out.push_str(": ");
                write_inline(value, out);
            }
            out.push('}');
        }
    }
}

/// Writes a text, plain or between quotes.
fn text(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    if !text.contains(is_escaped) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::new();
    write_quoted(text, &mut out);
    out
}

/// Whether a text means itself without quotes, also for the readers of YAML 1.1 that Jekyll and Hugo have.
fn is_plain(text: &str) -> bool {
    let is_allowed = |char: char| char.is_alphanumeric() || matches!(char, ' ' | '.' | '_' | '/' | '-');
    text.starts_with(|char: char| char.is_alphanumeric() || char == '/')
        && !text.ends_with(' ')
        && text.chars().all(is_allowed)
        && !is_keyword(text)
        && !(text.starts_with(char::is_numeric) && may_be_number(text))
        && matches!(resolve_yaml(text), Value::Text(_))
}

fn is_keyword(text: &str) -> bool {
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text that begins with a digit may be a number or a date. A hyphen that no exponent and no year precedes is in
/// neither: that is how identifiers look.
fn may_be_number(text: &str) -> bool {
    let is_year = |year: &str| year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    let is_dated = text.split_once('-').is_some_and(|(year, _)| is_year(year));
    let has_hyphen =
        text.as_bytes().windows(2).any(|pair| matches!(pair, [before, b'-'] if !matches!(before, b'e' | b'E')));
    is_dated || !has_hyphen
}
