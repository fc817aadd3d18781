//! Fields in TOML, as Hugo has them.
//!
//! Owns: where a new field goes: after the last one before the first header, since a field after that would be in its table.
//! A date stays a date where it was one.
//! Never: changes a field that is written in several places: a table with a header, or dotted names.

use super::{Edit, Splice};
use crate::error::ParseError;
use crate::front_matter::{Entry, Form, first_toml_header};
use crate::source::lines_from;
use crate::value::{Value, write_quoted};

pub(super) fn splices(edit: &Edit<'_>, value: Option<&Value>) -> Result<Vec<Splice>, ParseError> {
    if value.is_some_and(has_null) {
        return Err(edit.refuse(0, "TOML has no null"));
    }
    let Some(entry) = edit.entry() else {
        return Ok(value.map(|value| insert(edit, value)).into_iter().collect());
    };
    if entry.form == Form::Scattered {
        return Err(edit.refuse(entry.key.start, "it is a table with lines of its own"));
    }
    let Some(value) = value else {
        let (end, next) = edit.line_end(entry.written.end);
        let tail = edit.text(entry.written.end..end).trim();
        if !tail.is_empty() && !tail.starts_with('#') {
            return Err(edit.refuse(entry.key.start, "something else follows it on its line"));
        }
        return Ok(vec![Splice::new(edit.line_start(entry.key.start)..next, "")]);
    };
    let mut written = String::new();
    match value {
        Value::Text(date) if is_date(edit, entry) && date.parse::<toml_edit::Datetime>().is_ok() => {
            written.push_str(date);
        }
        value => write_value(value, &mut written),
    }
    Ok(vec![Splice::new(entry.written.clone(), written)])
}

fn insert(edit: &Edit<'_>, value: &Value) -> Splice {
    let end = first_toml_header(edit.block).map_or(edit.block.len(), |header| edit.line_start(header));
    // Blank lines and comments before a header belong to it. A `#` within a value begins no comment.
    let is_content = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
    let lines = lines_from(edit.block, 0).take_while(|line| line.start < end);
    let by_line = lines.filter(|line| is_content(line.text)).last().map_or(0, |line| line.next);
    let values = edit.entries.iter().filter(|entry| entry.form == Form::Inline && entry.written.end <= end);
    let by_value = values.map(|entry| edit.line_end(entry.written.end).1).max().unwrap_or(0);
    let at = by_line.max(by_value);
    let mut line = String::new();
    if !edit.text(0..at).is_empty() && !edit.text(0..at).ends_with(['\n', '\r']) {
        line.push_str(edit.eol);
    }
    write_key(edit.name, &mut line);
    line.push_str(" = ");
    write_value(value, &mut line);
    line.push_str(edit.eol);
    Splice::new(at..at, line)
}

fn is_date(edit: &Edit<'_>, entry: &Entry) -> bool {
    edit.text(entry.written.clone()).parse::<toml_edit::Datetime>().is_ok()
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.iter().any(has_null),
        Value::Table(fields) => fields.iter().any(|(_, value)| has_null(value)),
        Value::Bool(_) | Value::Number(_) | Value::Text(_) => false,
    }
}

fn write_key(name: &str, out: &mut String) {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        out.push_str(name);
    } else {
        write_quoted(name, out);
    }
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number),
        Value::Text(text) => write_quoted(text, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Table(fields) => {
            out.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                write_key(name, out);
                out.push_str(" = ");
                write_value(value, out);
            }
            out.push_str(if fields.is_empty() { "}" } else { " }" });
        }
    }
}
