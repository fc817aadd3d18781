//! `resources`: the server's resources that the caller may read.

use mlua::Value;
use serde_json::json;

use super::module_function;
use crate::library::function::{LibraryFunction, ParamKind, optional_param, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "resources.read",
        "The content of a resource; bytes that are no text are base64 in `blob`.",
        &[param("uri", ParamKind::String, "string", "")],
        &[returns("{ uri: string, mimeType?: string, text?: string, blob?: string }", "")],
        |call| {
            let uri = call.next_text()?;
            call.try_request_value("resources.read", json!({"uri": uri}))
        },
    ),
    module_function(
        "resources.list",
        "One page of the resources.",
        &[optional_param("cursor", ParamKind::String, "string", "`nextCursor` of the page before")],
        &[returns("{ resources: table[], nextCursor?: string }", "")],
        |call| {
            let cursor = call.next_optional_text()?;
            call.try_request_value("resources.list", json!({"cursor": cursor}))
        },
    ),
    module_function(
        "resources.changed",
        "Notifies subscribers that a resource changed, or the list of resources.",
        &[optional_param("uri", ParamKind::String, "string", "the list of resources, if missing")],
        &[returns("true", "")],
        |call| {
            let uri = call.next_optional_text()?;
            call.notify("changed", json!({"what": "resources", "uri": uri}))?;
            Ok(Value::Boolean(true))
        },
    ),
];
