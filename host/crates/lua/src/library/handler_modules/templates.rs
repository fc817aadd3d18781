//! `templates`: texts with `{{name}}` placeholders, as in prompts.
//!
//! Never: expands placeholders in inserted values.

use mlua::{Table, Value};

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};

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
    while let Some((before, after)) = rest.split_once("{{") {
        rendered.push_str(before);
        let Some((name, next)) = after.split_once("}}") else {
            rendered.push_str("{{");
            rest = after;
            break;
        };
        match lookup_value(values.as_ref(), name.trim())? {
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
