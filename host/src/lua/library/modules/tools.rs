//! `tools`: other tools of this server.

use serde_json::json;

use super::of;
use crate::lua::library::function::{Function, Kind, optional, param, returns};

pub(super) const FUNCTIONS: &[Function] = &[of(
    "tools.call",
    "What a tool answers. One that fails answers with `isError`, which is no error here.",
    &[param("name", Kind::String, "string", ""), optional("arguments", Kind::Table, "table", "(default {})")],
    &[returns("{ content: table[], structuredContent?: table, isError: boolean }", "")],
    |call| {
        let (name, arguments) = (call.text()?, call.json("arguments")?);
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        call.fetch("tools.call", json!({"name": name, "arguments": arguments}))
    },
)];
