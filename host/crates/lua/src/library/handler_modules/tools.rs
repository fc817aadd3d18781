//! `tools` and `prompts`: the server's other tools, and notifications that the lists changed.

use mlua::Value;
use serde_json::json;

use super::module_function;
use crate::library::function::{FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] =
    &[CALL_FUNCTION, changed_function("tools.changed", "Notifies subscribers that the list of tools changed.")];

pub(super) const PROMPTS: &[LibraryFunction] =
    &[changed_function("prompts.changed", "Notifies subscribers that the list of prompts changed.")];

const RETURNS_TRUE: &[FunctionReturn] = &[returns("true", "")];

const fn changed_function(name: &'static str, doc: &'static str) -> LibraryFunction {
    module_function(name, doc, &[], RETURNS_TRUE, |call| {
        let what = call.function.name.split('.').next().unwrap_or_default();
        call.notify("changed", json!({"what": what}))?;
        Ok(Value::Boolean(true))
    })
}

const CALL_FUNCTION: LibraryFunction = module_function(
    "tools.call",
    "Calls a tool and returns its result. A tool that fails returns `isError`, which is not an error here.",
    &[
        param("name", ParamKind::String, "string", ""),
        optional_param("arguments", ParamKind::Table, "table", "(default {})"),
    ],
    &[returns("{ content: table[], structuredContent?: table, isError: boolean }", "")],
    |call| {
        let (name, arguments) = (call.next_text()?, call.next_json("arguments")?);
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        call.try_request_value("tools.call", json!({"name": name, "arguments": arguments}))
    },
);
