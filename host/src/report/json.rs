//! JSON: at a terminal indented and in colours, elsewhere on one line as programs read it.
//!
//! Never: changes a value.

use std::fmt::Write as _;

use serde_json::Value;

use super::terminal::{self, TextRole, paint};
use super::{CommandError, escape_for_terminal, print_line, write_line};

/// Prints a value: on one line to a program, indented to a person.
pub(crate) fn print_json(value: &Value) -> Result<(), CommandError> {
    if terminal::is_output_terminal() { print_pretty(value) } else { print_line(&value.to_string()) }
}

/// Prints a value indented, to a program too.
pub(crate) fn print_json_document(value: &Value) -> Result<(), CommandError> {
    if terminal::is_output_terminal() {
        return print_pretty(value);
    }
    print_line(&serde_json::to_string_pretty(value).unwrap_or_default())
}

fn print_pretty(value: &Value) -> Result<(), CommandError> {
    pretty(value, terminal::obeys_styles()).lines().try_for_each(write_line)
}

/// Returns a value on several lines, in which nothing but colours is an escape sequence.
fn pretty(value: &Value, is_styled: bool) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0, is_styled);
    out
}

fn write_value(out: &mut String, value: &Value, depth: usize, is_styled: bool) {
    let scalar = |role| paint(&escape_for_terminal(&value.to_string()), role, is_styled);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (at, (name, field)) in fields.iter().enumerate() {
                begin_item(out, at, depth);
                let name = escape_for_terminal(&Value::from(name.as_str()).to_string());
                let _ = write!(out, "{}: ", paint(&name, Some(TextRole::Name), is_styled));
                write_value(out, field, depth + 1, is_styled);
            }
            end_items(out, depth);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                begin_item(out, at, depth);
                write_value(out, item, depth + 1, is_styled);
            }
            end_items(out, depth);
            out.push(']');
        }
        Value::String(_) => out.push_str(&scalar(Some(TextRole::Good))),
        Value::Null => out.push_str(&scalar(Some(TextRole::Faint))),
        Value::Bool(_) | Value::Number(_) => out.push_str(&scalar(Some(TextRole::Warning))),
        Value::Object(_) | Value::Array(_) => out.push_str(&scalar(None)),
    }
}

fn begin_item(out: &mut String, at: usize, depth: usize) {
    out.push_str(if at == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n("  ", depth + 1));
}

fn end_items(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn without_colours_it_is_what_serde_writes() {
        for value in [json!({"a": [1, {"b": null}], "c": {}, "d": [], "e": "x\ny"}), json!([]), json!("x"), json!([[]])]
        {
            assert_eq!(pretty(&value, false), serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn control_characters_of_a_text_do_not_reach_the_terminal() {
        let shown = pretty(&json!({"a\u{9b}b": "\u{1b}[2J\u{202e}"}), true);
        assert_eq!(shown.matches('\u{1b}').count(), 4, "{shown:?}");
        assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{shown:?}");
    }
}
