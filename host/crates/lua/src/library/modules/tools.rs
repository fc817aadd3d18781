//! `tools` and `prompts`: what else this server has.

use mlua::Value;
use serde_json::json;

use super::of;
use crate::library::function::{Function, Kind, Return, optional, param, returns};

pub(super) const FUNCTIONS: &[Function] =
    &[CALL, changed("tools.changed", "Tells who subscribed that the list of tools changed.")];

pub(super) const PROMPTS: &[Function] =
    &[changed("prompts.changed", "Tells who subscribed that the list of prompts changed.")];

const DONE: &[Return] = &[returns("true", "")];

const fn changed(name: &'static str, doc: &'static str) -> Function {
    of(name, doc, &[], DONE, |call| {
        let what = call.function.name.split('.').next().unwrap_or_default();
        call.post("changed", json!({"what": what}))?;
        Ok(Value::Boolean(true))
    })
}

const CALL: Function = of(
    "tools.call",
    "What a tool answers. One that fails answers with `isError`, which is no error here.",
    &[param("name", Kind::String, "string", ""), optional("arguments", Kind::Table, "table", "(default {})")],
    &[returns("{ content: table[], structuredContent?: table, isError: boolean }", "")],
    |call| {
        let (name, arguments) = (call.text()?, call.json("arguments")?);
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        call.fetch("tools.call", json!({"name": name, "arguments": arguments}))
    },
);
