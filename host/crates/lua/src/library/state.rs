//! `alc.state`: values that outlive the run. The server stores them.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::function::{FunctionBody, FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};
use wardroom_base::state_rules;

const KEY: super::function::FunctionParam = param("key", ParamKind::String, "string", "");

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.state.get",
        doc: "Reads a key; a null that was kept is nil.",
        generics: "",
        params: &[KEY, optional_param("default", ParamKind::Any, "any", "when there is no such key")],
        returns: &[returns("any", "")],
        body: FunctionBody::Rust(get),
    },
    LibraryFunction {
        name: "alc.state.set",
        doc: "It is on disk when the run pauses or ends, or when state is read.",
        generics: "",
        params: &[KEY, optional_param("value", ParamKind::Any, "alc.Json", "")],
        returns: &[],
        body: FunctionBody::Rust(set),
    },
    LibraryFunction {
        name: "alc.state.set_nx",
        doc: "Sets a key that is not there yet.",
        generics: "",
        params: &[KEY, optional_param("value", ParamKind::Any, "alc.Json", "")],
        returns: &[returns("boolean", "set false when the key was there")],
        body: FunctionBody::Rust(set_nx),
    },
    LibraryFunction {
        name: "alc.state.has",
        doc: "Whether there is such a key.",
        generics: "",
        params: &[KEY],
        returns: &[returns("boolean", "")],
        body: FunctionBody::Rust(|call| request_by_key(call, "state.has")),
    },
    LibraryFunction {
        name: "alc.state.delete",
        doc: "Removes a key.",
        generics: "",
        params: &[KEY],
        returns: &[returns("boolean", "deleted false when there was no such key")],
        body: FunctionBody::Rust(|call| request_by_key(call, "state.delete")),
    },
    LibraryFunction {
        name: "alc.state.keys",
        doc: "All keys of the namespace.",
        generics: "",
        params: &[],
        returns: &[returns("string[]", "keys sorted")],
        body: FunctionBody::Rust(|call| call.request_value("state.keys", json!({ "ns": call.library.namespace() }))),
    },
    LibraryFunction {
        name: "alc.state.incr",
        doc: "Adds to a number atomically; raises when the value is not a number.",
        generics: "",
        params: &[
            KEY,
            optional_param("delta", ParamKind::Number, "number", "(default 1)"),
            optional_param("default", ParamKind::Number, "number", "where a new key begins (default 0)"),
        ],
        returns: &[returns("number", "value after the addition")],
        body: FunctionBody::Rust(incr),
    },
];

fn get(call: &mut FunctionCall) -> Result<Value, String> {
    let arguments = json!({ "ns": call.library.namespace(), "key": call.next_text()? });
    let answer = call.library.host.request("state.get", arguments)?.into_value();
    match (answer.get("found"), answer.get("value")) {
        (Some(Json::Bool(true)), value) => call.decode(value.unwrap_or(&Json::Null)),
        _ => Ok(call.next_value()),
    }
}

/// Sends the write as a notification, so errors that need no server are raised here.
fn set(call: &mut FunctionCall) -> Result<Value, String> {
    let (namespace, key) = (call.library.namespace(), call.next_text()?);
    let value = call.next_json("value")?;
    let checked = state_rules::check_namespace(&namespace)
        .and_then(|()| state_rules::check_key(&key))
        .and_then(|()| state_rules::encode_value(&key, &value));
    checked.map_err(|why| call.format_error(&why))?;
    call.notify("state.set", json!({ "ns": namespace, "key": key, "value": value }))
}

fn set_nx(call: &mut FunctionCall) -> Result<Value, String> {
    let key = call.next_text()?;
    let arguments = json!({ "ns": call.library.namespace(), "key": key, "value": call.next_json("value")? });
    call.request_value("state.set_nx", arguments)
}

fn request_by_key(call: &mut FunctionCall, operation: &str) -> Result<Value, String> {
    let arguments = json!({ "ns": call.library.namespace(), "key": call.next_text()? });
    call.request_value(operation, arguments)
}

fn incr(call: &mut FunctionCall) -> Result<Value, String> {
    let key = call.next_text()?;
    let number = |number: Json, default: i64| if number.is_null() { json!(default) } else { number };
    let delta = number(call.next_json("delta")?, 1);
    let default = number(call.next_json("default")?, 0);
    call.request_value(
        "state.incr",
        json!({ "ns": call.library.namespace(), "key": key, "delta": delta, "default": default }),
    )
}
