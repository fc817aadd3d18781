//! `funcs`: calls of other entries' functions, each in its own Lua state.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, FunctionParam, LibraryFunction, ParamKind, param, returns};

const VARARGS: FunctionParam =
    FunctionParam { name: "...", kind: ParamKind::Any, lua_type: "any", doc: "", is_optional: true };

pub(super) const FUNCTIONS: &[LibraryFunction] = &[module_function(
    "funcs.call",
    "Calls another entry's function and returns its result, or its error.",
    &[param("id", ParamKind::String, "string", "namespace:name"), VARARGS],
    &[returns("any", "")],
    invoke,
)];

fn invoke(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let id = call.next_text()?;
    if !id.split_once(':').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty()) {
        return Err(call.format_error("id must be namespace:name").into());
    }
    let mut given = Vec::new();
    for (at, value) in call.remaining_values().into_iter().enumerate() {
        given.push(call.encode(&value, &format!("argument {}", at + 1))?);
    }
    let answer = call.try_request("funcs.call", json!({"id": id, "arguments": given}))?;
    Ok(call.decode(answer.get("value").unwrap_or(&Json::Null))?)
}
