//! `alc.llm`, `alc.llm_batch` and `alc.fork`: functions that wait for a model or for other runs.
//!
//! Never: counts a budget. The server does, because other runs may use the same budget.

use mlua::{Table, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::function::{FunctionBody, FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.llm",
        doc: "Asks the model, and waits for its answer.\nRaises `budget_exceeded: …` when a limit of the run is reached.",
        generics: "",
        params: &[
            param("prompt", ParamKind::String, "string", ""),
            optional_param(
                "opts",
                ParamKind::Table,
                "alc.LlmOpts",
                "an option of another type than it should have is ignored",
            ),
        ],
        returns: &[returns("string", "answer")],
        body: FunctionBody::Rust(llm),
    },
    LibraryFunction {
        name: "alc.llm_batch",
        doc: "Asks several questions at once. An empty list raises.",
        generics: "",
        params: &[param("items", ParamKind::Table, "alc.LlmItem[]", "")],
        returns: &[returns("string[]", "answers in the order of the questions")],
        body: FunctionBody::Rust(llm_batch),
    },
    LibraryFunction {
        name: "alc.fork",
        doc: "Runs several packages side by side, each in a VM and with a copy of `ctx` of its own.\n\
              The names are of letters, digits, `_` and `-`; an empty list raises.",
        generics: "",
        params: &[
            param("names", ParamKind::Table, "string[]", ""),
            optional_param("ctx", ParamKind::Table, "AlcCtx", ""),
            optional_param("opts", ParamKind::Table, "alc.ForkOpts", ""),
        ],
        returns: &[returns("alc.ForkResult[]", "results in the order of the names")],
        body: FunctionBody::Rust(fork),
    },
];

/// The default length limit of an answer, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 1024;

fn llm(call: &mut FunctionCall) -> Result<Value, String> {
    let prompt = call.next_text()?;
    let opts = call.next_table();
    let query = build_query(&prompt, opts.as_ref());
    let answers = request_answers(call, &[query], false)?;
    answers.into_iter().next().map_or(Ok(Value::Nil), |answer| call.decode(&answer))
}

fn llm_batch(call: &mut FunctionCall) -> Result<Value, String> {
    let Some(items) = call.next_table() else { return Ok(Value::Nil) };
    let mut queries = Vec::new();
    for index in 1..=items.raw_len() {
        let item: Option<Table> = items.raw_get(index).ok();
        let prompt = item.as_ref().and_then(|item| text_field(item, "prompt"));
        let prompt = prompt.ok_or_else(|| {
            let problem = if item.is_none() { "is not a table" } else { "has no text in `prompt`" };
            call.format_error(&format!("item {index} {problem}"))
        })?;
        queries.push(build_query(&prompt, item.as_ref()));
    }
    if queries.is_empty() {
        return Err(call.format_error("empty items array"));
    }
    let answers = request_answers(call, &queries, true)?;
    call.decode(&Json::Array(answers))
}

/// The text in a field. A number counts as text.
fn text_field(table: &Table, name: &str) -> Option<String> {
    match table.get(name).ok()? {
        Value::String(text) => text.to_str().ok().map(|text| text.to_owned()),
        number @ (Value::Integer(_) | Value::Number(_)) => number.to_string().ok(),
        _ => None,
    }
}

fn build_query(prompt: &str, opts: Option<&Table>) -> Json {
    let field = |name: &str| opts.and_then(|opts| opts.get::<Value>(name).ok()).unwrap_or(Value::Nil);
    let max_tokens = match field("max_tokens") {
        Value::Integer(tokens) => u32::try_from(tokens).ok(),
        Value::Number(tokens) if tokens.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&tokens) => {
            Some(tokens as u32)
        }
        _ => None,
    };
    json!({
        "prompt": prompt,
        "system": opts.and_then(|opts| text_field(opts, "system")),
        "max_tokens": max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "grounded": field("grounded") == Value::Boolean(true),
        "underspecified": field("underspecified") == Value::Boolean(true),
    })
}

/// Requests one answer for each query.
fn request_answers(call: &FunctionCall, queries: &[Json], is_batch: bool) -> Result<Vec<Json>, String> {
    let answers = call.library.host.request("llm", json!({ "queries": queries, "batch": is_batch }))?;
    match answers.into_value() {
        Json::Array(answers) if answers.len() == queries.len() && answers.iter().all(Json::is_string) => Ok(answers),
        _ => Err(call.format_error("the server's answers do not match the questions")),
    }
}

fn fork(call: &mut FunctionCall) -> Result<Value, String> {
    let Some(names) = call.next_table() else { return Ok(Value::Nil) };
    let mut strategies = Vec::new();
    for index in 1..=names.raw_len() {
        match names.raw_get(index) {
            Ok(Value::String(name)) => strategies.push(check_strategy_name(call, &name.to_string_lossy())?),
            _ => return Err(call.format_error(&format!("strategy {index} is not a name"))),
        }
    }
    if strategies.is_empty() {
        return Err(call.format_error("strategies must be a non-empty array"));
    }
    let ctx = match call.next_json("ctx")? {
        Json::Null => json!({}),
        // An empty list decoded from JSON counts as an empty object.
        Json::Array(list) if list.is_empty() => json!({}),
        ctx @ Json::Object(_) => ctx,
        _ => return Err(call.format_error("ctx must be a table with named fields")),
    };
    let on_error = call.next_table().and_then(|opts| text_field(&opts, "on_error"));
    let raises = matches!(on_error.as_deref(), Some("abort" | "fail"));
    let arguments = json!({ "strategies": strategies, "ctx": ctx, "on_error": on_error });
    let results = call.library.host.request("fork", arguments)?;
    if raises {
        let failed = |result: &&ForkOutcome| !result.ok;
        let outcomes: Vec<ForkOutcome> = results.clone().into_typed().map_err(|error| error.to_string())?;
        if let Some(ForkOutcome { strategy, error, .. }) = outcomes.iter().find(failed) {
            return Err(call.format_error(&format!("strategy '{strategy}' failed: {error}")));
        }
    }
    call.decode_payload(&results)
}

/// What the server says of one strategy, beside its result.
#[derive(Deserialize)]
struct ForkOutcome {
    strategy: String,
    ok: bool,
    #[serde(default)]
    error: String,
}

fn check_strategy_name(call: &FunctionCall, name: &str) -> Result<String, String> {
    let is_good = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_good.then(|| name.to_owned()).ok_or_else(|| call.format_error(&format!("invalid strategy name '{name}'")))
}
