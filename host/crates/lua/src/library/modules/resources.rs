//! `resources`: what this server has, as far as the caller may read it.

use mlua::Value;
use serde_json::json;

use super::of;
use crate::library::function::{Function, Kind, optional, param, returns};

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "resources.read",
        "The content of a resource; bytes that are no text are base64 in `blob`.",
        &[param("uri", Kind::String, "string", "")],
        &[returns("{ uri: string, mimeType?: string, text?: string, blob?: string }", "")],
        |call| {
            let uri = call.text()?;
            call.fetch("resources.read", json!({"uri": uri}))
        },
    ),
    of(
        "resources.list",
        "One page of the resources.",
        &[optional("cursor", Kind::String, "string", "`nextCursor` of the page before")],
        &[returns("{ resources: table[], nextCursor?: string }", "")],
        |call| {
            let cursor = call.text_or_none()?;
            call.fetch("resources.list", json!({"cursor": cursor}))
        },
    ),
    of(
        "resources.changed",
        "Tells who subscribed that a resource changed, or the list of them.",
        &[optional("uri", Kind::String, "string", "the list, without one")],
        &[returns("true", "")],
        |call| {
            let uri = call.text_or_none()?;
            call.post("changed", json!({"what": "resources", "uri": uri}))?;
            Ok(Value::Boolean(true))
        },
    ),
];
