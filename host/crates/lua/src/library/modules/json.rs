//! `json`, as handlers have it: what cannot be done is an error to look at.

use mlua::{Lua, Table, Value};
use serde_json::Value as Json;

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, optional, param, returns};
use crate::library::json::array;
use crate::values;
use wardroom_base::json_schema::Compiled;

const SCHEMA: crate::library::function::Param =
    param("schema", Kind::Any, "table|string", "a JSON Schema, or the text of one");

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "json.encode",
        "Encodes as compact JSON with sorted keys. An empty table is `{}`, unless `json.array` marked it.",
        &[optional("value", Kind::Any, "any", "")],
        &[returns("string", "")],
        |call| {
            let document = call.json("value")?;
            Ok(call.string(&document.to_string())?)
        },
    ),
    of(
        "json.decode",
        "Decodes JSON. A null is nil where it stands alone, and `json.null` within a list or an object.",
        &[param("text", Kind::String, "string", "")],
        &[returns("any", "")],
        |call| {
            let decoded = values::decode(call.lua, &call.bytes());
            Ok(decoded.map_err(|message| call.blame(&message))?)
        },
    ),
    of(
        "json.validate",
        "Whether a value is as a JSON Schema says.",
        &[SCHEMA, optional("value", Kind::Any, "any", "")],
        &[returns("true", "")],
        |call| {
            let schema = schema(call)?;
            let value = call.json("value")?;
            validate(&schema, &value)
        },
    ),
    of(
        "json.validate_string",
        "Whether a text is JSON that is as a JSON Schema says.",
        &[SCHEMA, param("text", Kind::String, "string", "")],
        &[returns("true", "")],
        |call| {
            let schema = schema(call)?;
            let value = serde_json::from_slice(&call.bytes()).map_err(|error| call.blame(&error.to_string()))?;
            validate(&schema, &value)
        },
    ),
    of(
        "json.array",
        "Marks a table as a list, so that it is `[]` in JSON when it is empty.",
        &[optional("items", Kind::Table, "any[]", "(default: a new table)")],
        &[returns("any[]", "items the same table")],
        |call| Ok(array(call)?),
    ),
];

pub(super) fn constants(_: &Lua, module: &Table) -> mlua::Result<()> {
    module.raw_set("null", Value::NULL)
}

fn schema(call: &mut Call) -> Result<Json, Fault> {
    match call.json("schema")? {
        Json::String(text) => Ok(serde_json::from_str(&text).map_err(|error| call.blame(&format!("schema: {error}")))?),
        schema => Ok(schema),
    }
}

/// Here, and not in the server: this process can be ended, however long it takes.
fn validate(schema: &Json, value: &Json) -> Result<Value, Fault> {
    let compiled = Compiled::here(schema).map_err(|why| format!("the schema {why}"))?;
    compiled.check(value)?;
    Ok(Value::Boolean(true))
}
