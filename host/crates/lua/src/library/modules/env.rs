//! `env`: variables of the environment. Which ones there are, the operator says.

use mlua::Value;
use serde_json::json;

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, param, returns};

pub(super) const FUNCTIONS: &[Function] = &[of(
    "env.get",
    "A variable; an error where it is not set, or handlers may not see it.",
    &[param("name", Kind::String, "string", "")],
    &[returns("string", "")],
    get,
)];

fn get(call: &mut Call) -> Result<Value, Fault> {
    let name = call.text()?;
    let answer = call.request("env.get", json!({"name": name}))?;
    match answer.as_str() {
        Some(value) => Ok(call.string(value)?),
        None => Err(Fault::not_found(format!("env.get: {name} is not set, or not one that handlers may see"))),
    }
}
