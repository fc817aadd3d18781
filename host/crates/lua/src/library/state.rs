//! `alc.state`: values that outlive the run. The server keeps them.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::function::{Body, Call, Function, Kind, optional, param, returns};
use wardroom_base::state_rules;

const KEY: super::function::Param = param("key", Kind::String, "string", "");

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "alc.state.get",
        doc: "Reads a key; a null that was kept is nil.",
        generic: "",
        params: &[KEY, optional("default", Kind::Any, "any", "when there is no such key")],
        returns: &[returns("any", "")],
        body: Body::Rust(get),
    },
    Function {
        name: "alc.state.set",
        doc: "It is on disk when the run pauses or ends, or when state is read.",
        generic: "",
        params: &[KEY, optional("value", Kind::Any, "alc.Json", "")],
        returns: &[],
        body: Body::Rust(set),
    },
    Function {
        name: "alc.state.set_nx",
        doc: "Sets a key that is not there yet.",
        generic: "",
        params: &[KEY, optional("value", Kind::Any, "alc.Json", "")],
        returns: &[returns("boolean", "set false when the key was there")],
        body: Body::Rust(set_nx),
    },
    Function {
        name: "alc.state.has",
        doc: "Whether there is such a key.",
        generic: "",
        params: &[KEY],
        returns: &[returns("boolean", "")],
        body: Body::Rust(|call| by_key(call, "state.has")),
    },
    Function {
        name: "alc.state.delete",
        doc: "Removes a key.",
        generic: "",
        params: &[KEY],
        returns: &[returns("boolean", "deleted false when there was no such key")],
        body: Body::Rust(|call| by_key(call, "state.delete")),
    },
    Function {
        name: "alc.state.keys",
        doc: "All keys of the namespace.",
        generic: "",
        params: &[],
        returns: &[returns("string[]", "keys sorted")],
        body: Body::Rust(|call| call.ask("state.keys", json!({ "ns": call.library.namespace() }))),
    },
    Function {
        name: "alc.state.incr",
        doc: "Adds to a number, and nobody comes in between; raises when the key holds something else.",
        generic: "",
        params: &[
            KEY,
            optional("delta", Kind::Number, "number", "(default 1)"),
            optional("default", Kind::Number, "number", "where a new key begins (default 0)"),
        ],
        returns: &[returns("number", "value after the addition")],
        body: Body::Rust(incr),
    },
];

fn get(call: &mut Call) -> Result<Value, String> {
    let arguments = json!({ "ns": call.library.namespace(), "key": call.text()? });
    let answer = call.library.host.ask("state.get", arguments)?;
    match (answer.get("found"), answer.get("value")) {
        (Some(Json::Bool(true)), value) => call.decode(value.unwrap_or(&Json::Null)),
        _ => Ok(call.value()),
    }
}

/// The server hears of it later: what can be wrong with it by itself is said here and now.
fn set(call: &mut Call) -> Result<Value, String> {
    let (namespace, key) = (call.library.namespace(), call.text()?);
    let value = call.json("value")?;
    let checked = state_rules::check_namespace(&namespace)
        .and_then(|()| state_rules::check_key(&key))
        .and_then(|()| state_rules::value_text(&key, &value));
    checked.map_err(|why| call.blame(&why))?;
    call.post("state.set", json!({ "ns": namespace, "key": key, "value": value }))
}

fn set_nx(call: &mut Call) -> Result<Value, String> {
    let key = call.text()?;
    let arguments = json!({ "ns": call.library.namespace(), "key": key, "value": call.json("value")? });
    call.ask("state.set_nx", arguments)
}

fn by_key(call: &mut Call, operation: &str) -> Result<Value, String> {
    let arguments = json!({ "ns": call.library.namespace(), "key": call.text()? });
    call.ask(operation, arguments)
}

fn incr(call: &mut Call) -> Result<Value, String> {
    let key = call.text()?;
    let number = |number: Json, default: i64| if number.is_null() { json!(default) } else { number };
    let delta = number(call.json("delta")?, 1);
    let default = number(call.json("default")?, 0);
    call.ask("state.incr", json!({ "ns": call.library.namespace(), "key": key, "delta": delta, "default": default }))
}
