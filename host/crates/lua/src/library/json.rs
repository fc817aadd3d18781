//! `json`, and the same functions of `alc`.

use mlua::Value;

use super::function::{FunctionBody, FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};
use crate::json_conversion;
use crate::library::module_error::error_text;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.json_encode",
        doc: "Encodes as compact JSON with sorted keys. Functions and strings that are not UTF-8 raise.",
        generics: "",
        params: &[optional_param("value", ParamKind::Any, "alc.Json", "")],
        returns: &[returns("string", "")],
        body: FunctionBody::Rust(encode),
    },
    LibraryFunction {
        name: "alc.json_decode",
        doc: "Decodes JSON; raises when it is malformed.",
        generics: "",
        params: &[param("text", ParamKind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when the text is `null`")],
        body: FunctionBody::Rust(decode),
    },
    LibraryFunction {
        name: "json.encode",
        doc: "The same as `alc.json_encode`.",
        generics: "",
        params: &[optional_param("value", ParamKind::Any, "alc.Json", "")],
        returns: &[returns("string", "")],
        body: FunctionBody::Rust(encode),
    },
    LibraryFunction {
        name: "json.decode",
        doc: "The same as `alc.json_decode`.",
        generics: "",
        params: &[param("text", ParamKind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when the text is `null`")],
        body: FunctionBody::Rust(decode),
    },
    LibraryFunction {
        name: "json.array",
        doc: "Marks a table as a list, so that it is `[]` in JSON when it is empty.",
        generics: "",
        params: &[optional_param("items", ParamKind::Table, "any[]", "(default: a new table)")],
        returns: &[returns("any[]", "items the same table")],
        body: FunctionBody::Rust(mark_array),
    },
];

fn encode(call: &mut FunctionCall) -> Result<Value, String> {
    let text = call.next_json_text("value")?;
    call.create_string(&text)
}

fn decode(call: &mut FunctionCall) -> Result<Value, String> {
    json_conversion::decode(call.lua, &call.next_bytes()).map_err(|message| call.format_error(&message))
}

pub(super) fn mark_array(call: &mut FunctionCall) -> Result<Value, String> {
    let items = call.next_table().map_or_else(|| call.lua.create_table(), Ok).map_err(|error| error_text(&error))?;
    let mark = json_conversion::array_metatable(call.lua).map_err(|error| error_text(&error))?;
    // A protected metatable is not replaced.
    let theirs =
        items.metatable().is_some_and(|meta| meta != mark && !matches!(meta.raw_get("__metatable"), Ok(Value::Nil)));
    if theirs {
        return Err(call.format_error("the table has a protected metatable"));
    }
    items.set_metatable(Some(mark)).map_err(|error| error_text(&error))?;
    Ok(Value::Table(items))
}
