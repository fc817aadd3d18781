//! `json` for handlers: failures are returned as error values.

use mlua::{Lua, Table, Value};
use serde_json::Value as Json;

use super::{ModuleError, module_function};
use crate::json_conversion;
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};
use crate::library::json::mark_array;
use wardroom_base::json_schema::CompiledSchema;

const SCHEMA: crate::library::function::FunctionParam =
    param("schema", ParamKind::Any, "table|string", "a JSON Schema, or the text of one");

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "json.encode",
        "Encodes as compact JSON with sorted keys. An empty table is `{}`, unless `json.array` marked it.",
        &[optional_param("value", ParamKind::Any, "any", "")],
        &[returns("string", "")],
        |call| {
            let text = call.next_json_text("value")?;
            Ok(call.create_string(&text)?)
        },
    ),
    module_function(
        "json.decode",
        "Decodes JSON. A null is nil where it stands alone, and `json.null` within a list or an object.",
        &[param("text", ParamKind::String, "string", "")],
        &[returns("any", "")],
        |call| {
            let decoded = json_conversion::decode(call.lua, &call.next_bytes());
            Ok(decoded.map_err(|message| call.format_error(&message))?)
        },
    ),
    module_function(
        "json.validate",
        "Whether a value matches a JSON Schema.",
        &[SCHEMA, optional_param("value", ParamKind::Any, "any", "")],
        &[returns("true", "")],
        |call| {
            let schema = next_schema(call)?;
            let value = call.next_json("value")?;
            validate(&schema, &value)
        },
    ),
    module_function(
        "json.validate_string",
        "Whether a text is JSON that matches a JSON Schema.",
        &[SCHEMA, param("text", ParamKind::String, "string", "")],
        &[returns("true", "")],
        |call| {
            let schema = next_schema(call)?;
            let value =
                serde_json::from_slice(&call.next_bytes()).map_err(|error| call.format_error(&error.to_string()))?;
            validate(&schema, &value)
        },
    ),
    module_function(
        "json.array",
        "Marks a table as a list, so that it is `[]` in JSON when it is empty.",
        &[optional_param("items", ParamKind::Table, "any[]", "(default: a new table)")],
        &[returns("any[]", "items the same table")],
        |call| Ok(mark_array(call)?),
    ),
];

pub(super) fn add_constants(_: &Lua, module: &Table) -> mlua::Result<()> {
    module.raw_set("null", Value::NULL)
}

pub(super) fn constant_stubs() -> Vec<String> {
    vec![
        "--- JSON's null, for a field that would be missing with nil.\n---@type lightuserdata\njson.null = nil"
            .to_owned(),
    ]
}

fn next_schema(call: &mut FunctionCall) -> Result<Json, ModuleError> {
    match call.next_json("schema")? {
        Json::String(text) => {
            Ok(serde_json::from_str(&text).map_err(|error| call.format_error(&format!("schema: {error}")))?)
        }
        schema => Ok(schema),
    }
}

/// Validates a value in the worker, not in the server, because a worker that takes too long can be killed.
fn validate(schema: &Json, value: &Json) -> Result<Value, ModuleError> {
    let compiled = CompiledSchema::new_on_current_thread(schema).map_err(|why| format!("the schema {why}"))?;
    compiled.check(value)?;
    Ok(Value::Boolean(true))
}
