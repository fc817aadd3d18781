//! `funcs`: other entries' functions, each in a state of its own.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, param, returns};

const REST: Param = Param { name: "...", kind: Kind::Any, shown: "any", doc: "", optional: true };

pub(super) const FUNCTIONS: &[Function] = &[of(
    "funcs.call",
    "What another entry's function returns, or its error.",
    &[param("id", Kind::String, "string", "namespace:name"), REST],
    &[returns("any", "")],
    invoke,
)];

fn invoke(call: &mut Call) -> Result<Value, Fault> {
    let id = call.text()?;
    if !id.split_once(':').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty()) {
        return Err(call.blame("id must be namespace:name").into());
    }
    let mut given = Vec::new();
    for (at, value) in call.rest().into_iter().enumerate() {
        given.push(call.encode(&value, &format!("argument {}", at + 1))?);
    }
    let answer = call.request("funcs.call", json!({"id": id, "arguments": given}))?;
    Ok(call.decode(answer.get("value").unwrap_or(&Json::Null))?)
}
