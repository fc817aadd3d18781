//! `elicit`, `sample` and `roots`: what is asked of the client, its user and its model.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::{Fault, of};
use crate::lua::library::function::{Call, Function, Kind, Param, Return, param, returns};

const MESSAGE: Param = param("message", Kind::String, "string", "what is asked");
const ANSWER: &[Return] = &[returns("{ action: \"accept\"|\"decline\"|\"cancel\", content?: table }", "")];

pub(super) const ELICIT: &[Function] = &[
    of(
        "elicit.form",
        "Asks the user for values.",
        &[MESSAGE, param("schema", Kind::Table, "table", "a JSON Schema of an object with plain fields")],
        ANSWER,
        |call| {
            let (message, schema) = (call.text()?, call.json("schema")?);
            call.fetch("elicit", json!({"message": message, "schema": schema}))
        },
    ),
    of(
        "elicit.url",
        "Asks the user to go to a page.",
        &[MESSAGE, param("url", Kind::String, "string", "")],
        ANSWER,
        |call| {
            let (message, url) = (call.text()?, call.text()?);
            call.fetch("elicit", json!({"message": message, "url": url}))
        },
    ),
];

pub(super) const SAMPLE: &[Function] = &[of(
    "sample.create",
    "Asks the client's model.",
    &[param(
        "request",
        Kind::Any,
        "string|{ messages: table[], system?: string, max_tokens?: integer, temperature?: number }",
        "a text is one message of the user",
    )],
    &[returns("{ role: string, content: table, model: string, stopReason?: string }", "")],
    sample,
)];

pub(super) const ROOTS: &[Function] = &[of(
    "roots.list",
    "The folders that the client works in.",
    &[],
    &[returns("{ uri: string, name?: string }[]", "")],
    |call| call.fetch("roots", json!({})),
)];

/// What is allowed for an answer when nothing is said, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 1024;

fn sample(call: &mut Call) -> Result<Value, Fault> {
    let mut request = match call.json("request")? {
        Json::Object(request) => request,
        Json::String(text) => {
            let message = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
            [("messages".to_owned(), message)].into_iter().collect()
        }
        _ => return Err(call.blame("the request is a text, or a table with `messages`").into()),
    };
    let Some(Json::Array(messages)) = request.get_mut("messages") else {
        return Err(call.blame("`messages` must be a list").into());
    };
    for message in messages {
        // A text is the content that it is short for.
        if let Some(content) = message.get_mut("content").filter(|content| content.is_string()) {
            *content = json!({"type": "text", "text": content.take()});
        }
    }
    request.entry("max_tokens").or_insert_with(|| DEFAULT_MAX_TOKENS.into());
    call.fetch("sample", Json::Object(request))
}
