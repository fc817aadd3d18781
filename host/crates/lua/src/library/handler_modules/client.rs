//! `elicit`, `sample`, `roots`, `ask`, `client` and `task`: requests to the client, its user and its model.

use mlua::Value;
use serde_json::{Map, Value as Json, json};

use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, param, returns,
};

const MESSAGE: FunctionParam = param("message", ParamKind::String, "string", "the question");
const ANSWER: &[FunctionReturn] = &[returns("{ action: \"accept\"|\"decline\"|\"cancel\", content?: table }", "")];

pub(super) const ELICIT: &[LibraryFunction] = &[
    module_function(
        "elicit.form",
        "Asks the user for values. What the user accepts fits the schema, of which clients get what the protocol has: plain types, bounds, choices, no patterns.",
        &[MESSAGE, param("schema", ParamKind::Table, "table", "a JSON Schema of an object with plain fields")],
        ANSWER,
        |call| {
            let (message, schema) = (call.next_text()?, call.next_json("schema")?);
            call.try_request_value("elicit", json!({"message": message, "schema": schema}))
        },
    ),
    module_function(
        "elicit.url",
        "Asks the user to go to a page.",
        &[MESSAGE, param("url", ParamKind::String, "string", "")],
        ANSWER,
        |call| {
            let (message, url) = (call.next_text()?, call.next_text()?);
            call.try_request_value("elicit", json!({"message": message, "url": url}))
        },
    ),
];

pub(super) const SAMPLE: &[LibraryFunction] = &[module_function(
    "sample.create",
    "Asks the client's model.",
    &[param(
        "request",
        ParamKind::Any,
        "string|{ messages: table[], system?: string, max_tokens?: integer, temperature?: number }",
        "a text is one message of the user",
    )],
    &[returns("{ role: string, content: table, model: string, stopReason?: string }", "")],
    sample,
)];

pub(super) const ROOTS: &[LibraryFunction] = &[module_function(
    "roots.list",
    "The folders that the client works in.",
    &[],
    &[returns("{ uri: string, name?: string }[]", "")],
    |call| call.try_request_value("roots", json!({})),
)];

pub(super) const TASK: &[LibraryFunction] = &[module_function(
    "task.start",
    "Continues the call as a task, whose id the client gets at once; returns whether it is a task. A client without tasks waits for \
     the answer instead. An entry allows this with `mcp.task`.",
    &[],
    &[returns("boolean", "")],
    |call| call.try_request_value("task.start", json!({})),
)];

pub(super) const CLIENT: &[LibraryFunction] = &[module_function(
    "client.can",
    "Whether the client of this call supports a feature.",
    &[param(
        "feature",
        ParamKind::String,
        "\"sampling\"|\"sampling.tools\"|\"elicitation\"|\"elicitation.url\"|\"roots\"",
        "",
    )],
    &[returns("boolean", "")],
    |call| {
        let feature = call.next_text()?;
        match call.request_value("client", json!({}))? {
            Value::Table(features) => match features.raw_get::<Option<bool>>(feature.as_str())? {
                Some(can) => Ok(Value::Boolean(can)),
                None => Err(call
                    .format_error("no such feature: sampling, sampling.tools, elicitation, elicitation.url or roots")
                    .into()),
            },
            other => Ok(other),
        }
    },
)];

pub(super) const ASK: &[LibraryFunction] = &[module_function(
    "ask.all",
    "Asks the client several questions at once. Each has a name, under which its answer is returned.",
    &[param(
        "questions",
        ParamKind::Table,
        "table<string, { form?: { message: string, schema: table }, url?: { message: string, url: string }, \
         sample?: { messages: table[], max_tokens?: integer }, roots?: true }>",
        "one of the four for each name",
    )],
    &[returns("table<string, table>", "what `elicit.form`, `elicit.url`, `sample.create` and `roots.list` answer")],
    |call| {
        let Json::Object(questions) = call.next_json("questions")? else {
            return Err(call.format_error("each question must have a name").into());
        };
        let mut requests = Map::new();
        for (name, question) in questions {
            let (Some((kind, request)), true) =
                (question.as_object().and_then(|of| of.iter().next()), has_single_field(&question))
            else {
                return Err(call.format_error(&format!("{name} must have one of form, url, sample and roots")).into());
            };
            let kind = match kind.as_str() {
                "form" | "url" => "elicit",
                "sample" => "sample",
                "roots" => "roots",
                _ => {
                    return Err(call
                        .format_error(&format!("{name} must have one of form, url, sample and roots"))
                        .into());
                }
            };
            let request = if kind == "roots" { json!({}) } else { request.clone() };
            requests.insert(name, json!({kind: request}));
        }
        call.try_request_value("ask", json!({"requests": requests}))
    },
)];

fn has_single_field(question: &Json) -> bool {
    question.as_object().is_some_and(|fields| fields.len() == 1)
}

/// The default length limit of an answer, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 1024;

fn sample(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let mut request = match call.next_json("request")? {
        Json::Object(request) => request,
        Json::String(text) => {
            let message = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
            [("messages".to_owned(), message)].into_iter().collect()
        }
        _ => return Err(call.format_error("the request must be a text, or a table with `messages`").into()),
    };
    let Some(Json::Array(messages)) = request.get_mut("messages") else {
        return Err(call.format_error("`messages` must be a list").into());
    };
    for message in messages {
        // A plain text is short for a content block of type `text`.
        if let Some(content) = message.get_mut("content").filter(|content| content.is_string()) {
            *content = json!({"type": "text", "text": content.take()});
        }
    }
    request.entry("max_tokens").or_insert_with(|| DEFAULT_MAX_TOKENS.into());
    call.try_request_value("sample", Json::Object(request))
}
