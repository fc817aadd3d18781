//! `env`: the environment variables that the operator lets handlers see.

use mlua::Value;
use serde_json::json;

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] = &[module_function(
    "env.get",
    "Returns a variable; an error if it is not set, or handlers may not read it.",
    &[param("name", ParamKind::String, "string", "")],
    &[returns("string", "")],
    get,
)];

fn get(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let name = call.next_text()?;
    let answer = call.try_request("env.get", json!({"name": name}))?;
    match answer.as_str() {
        Some(value) => Ok(call.create_string(value)?),
        None => Err(ModuleError::not_found(format!("env.get: {name} is not set, or handlers may not read it"))),
    }
}
