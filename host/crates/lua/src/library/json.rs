//! `json`, and the two functions of `alc` that do the same.

use mlua::Value;

use super::function::{Body, Call, Function, Kind, optional, param, returns, words};
use crate::values;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "alc.json_encode",
        doc: "Encodes as compact JSON with sorted keys. Functions and strings that are not UTF-8 raise.",
        generic: "",
        params: &[optional("value", Kind::Any, "alc.Json", "")],
        returns: &[returns("string", "")],
        body: Body::Rust(encode),
    },
    Function {
        name: "alc.json_decode",
        doc: "Decodes JSON; raises when it is malformed.",
        generic: "",
        params: &[param("text", Kind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when the text is `null`")],
        body: Body::Rust(decode),
    },
    Function {
        name: "json.encode",
        doc: "The same as `alc.json_encode`.",
        generic: "",
        params: &[optional("value", Kind::Any, "alc.Json", "")],
        returns: &[returns("string", "")],
        body: Body::Rust(encode),
    },
    Function {
        name: "json.decode",
        doc: "The same as `alc.json_decode`.",
        generic: "",
        params: &[param("text", Kind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when the text is `null`")],
        body: Body::Rust(decode),
    },
    Function {
        name: "json.array",
        doc: "Marks a table as a list, so that it is `[]` in JSON when it is empty.",
        generic: "",
        params: &[optional("items", Kind::Table, "any[]", "(default: a new table)")],
        returns: &[returns("any[]", "items the same table")],
        body: Body::Rust(array),
    },
];

fn encode(call: &mut Call) -> Result<Value, String> {
    let document = call.json("value")?;
    call.string(&document.to_string())
}

fn decode(call: &mut Call) -> Result<Value, String> {
    values::decode(call.lua, &call.bytes()).map_err(|message| call.blame(&message))
}

pub(super) fn array(call: &mut Call) -> Result<Value, String> {
    let items = call.table().map_or_else(|| call.lua.create_table(), Ok).map_err(|error| words(&error))?;
    let mark = values::array_mark(call.lua).map_err(|error| words(&error))?;
    // A metatable that protects itself is not taken away.
    let theirs =
        items.metatable().is_some_and(|meta| meta != mark && !matches!(meta.raw_get("__metatable"), Ok(Value::Nil)));
    if theirs {
        return Err(call.blame("the table has a protected metatable"));
    }
    items.set_metatable(Some(mark)).map_err(|error| words(&error))?;
    Ok(Value::Table(items))
}
