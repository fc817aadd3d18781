//! `templates`: texts with `{{name}}` placeholders, as in prompts.
//!
//! Never: expands placeholders in inserted values.

use mlua::{Table, Value};

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};

const END: &str = "}}";
/// A longer text between braces is no name.
const MAX_NAME_BYTES: usize = 1024;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "templates.render",
        "Replaces `{{name}}` and `{{name.inner}}` by values, once and literally. A name without a value stays.",
        &[param("text", ParamKind::String, "string", ""), optional_param("values", ParamKind::Table, "table", "")],
        &[returns("string", "")],
        render,
    ),
    module_function(
        "templates.get",
        "Not supported: returns an error.",
        &[optional_param("id", ParamKind::String, "string", "")],
        &[returns("nil", "")],
        |call| {
            Err(call.format_error("there are no sets of templates: read the text from a resource, and use templates.render(text, values)").into())
        },
    ),
];

fn render(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (text, values) = (call.next_text()?, call.next_table());
    let mut rendered = String::with_capacity(text.len());
    let mut rest = text.as_str();
    // The length of what is left after the next `}}`, which is searched once: a text of braces costs its length.
    let mut after_end = None;
    while let Some((before, after)) = rest.split_once("{{") {
        if after_end.is_none_or(|left| left + END.len() > after.len()) {
            after_end = after.split_once(END).map(|(_, next)| next.len());
        }
        let Some(left) = after_end else { break };
        let (name, next) = after.split_at_checked(after.len() - left).unwrap_or((after, ""));
        let name = name.strip_suffix(END).filter(|name| name.len() <= MAX_NAME_BYTES);
        rendered.push_str(before);
        match name.map(|name| lookup_value(values.as_ref(), name.trim())).transpose()?.flatten() {
            Some(value) => {
                rendered.push_str(&value);
                rest = next;
            }
            // Only `{{` is skipped: the text up to `}}` may contain another placeholder.
            None => {
                rendered.push_str("{{");
                rest = after;
            }
        }
    }
    rendered.push_str(rest);
    Ok(call.create_string(&rendered)?)
}

/// The value of a name as text, or `None` if there is none.
fn lookup_value(values: Option<&Table>, name: &str) -> Result<Option<String>, ModuleError> {
    let Some(values) = values else { return Ok(None) };
    let mut found: Value = values.raw_get(name)?;
    if found.is_nil() {
        found = Value::Table(values.clone());
        for part in name.split('.') {
            found = match found {
                Value::Table(table) => table.raw_get(part)?,
                _ => Value::Nil,
            };
        }
    }
    Ok(match found {
        Value::String(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_) => Some(found.to_string()?),
        Value::Nil => None,
        other if other == Value::NULL => None,
        _ => return Err(format!("templates.render: the value of '{name}' is not a text").into()),
    })
}
