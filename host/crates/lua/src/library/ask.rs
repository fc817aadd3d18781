//! `alc.llm`, `alc.llm_batch` and `alc.fork`: what waits for somebody else's answer.
//!
//! Never: counts a budget; the server does, which knows what other runs of the same budget use.

use mlua::{Table, Value};
use serde_json::{Value as Json, json};

use super::function::{Body, Call, Function, Kind, optional, param, returns};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "alc.llm",
        doc: "Asks the model, and waits for its answer.\nRaises `budget_exceeded: …` when a limit of the run is reached.",
        generic: "",
        params: &[
            param("prompt", Kind::String, "string", ""),
            optional("opts", Kind::Table, "alc.LlmOpts", "an option of another type than it should have is ignored"),
        ],
        returns: &[returns("string", "answer")],
        body: Body::Rust(llm),
    },
    Function {
        name: "alc.llm_batch",
        doc: "Asks several questions at once. An empty list raises.",
        generic: "",
        params: &[param("items", Kind::Table, "alc.LlmItem[]", "")],
        returns: &[returns("string[]", "answers in the order of the questions")],
        body: Body::Rust(llm_batch),
    },
    Function {
        name: "alc.fork",
        doc: "Runs several packages side by side, each in a VM and with a copy of `ctx` of its own.\n\
              The names are of letters, digits, `_` and `-`; an empty list raises.",
        generic: "",
        params: &[
            param("names", Kind::Table, "string[]", ""),
            optional("ctx", Kind::Table, "AlcCtx", ""),
            optional("opts", Kind::Table, "alc.ForkOpts", ""),
        ],
        returns: &[returns("alc.ForkResult[]", "results in the order of the names")],
        body: Body::Rust(fork),
    },
];

/// What is allowed for an answer when nothing is said, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 1024;

fn llm(call: &mut Call) -> Result<Value, String> {
    let prompt = call.text()?;
    let opts = call.table();
    let query = query(&prompt, opts.as_ref());
    let answers = answers(call, &[query], false)?;
    answers.into_iter().next().map_or(Ok(Value::Nil), |answer| call.decode(&answer))
}

fn llm_batch(call: &mut Call) -> Result<Value, String> {
    let Some(items) = call.table() else { return Ok(Value::Nil) };
    let mut queries = Vec::new();
    for index in 1..=items.raw_len() {
        let item: Option<Table> = items.raw_get(index).ok();
        let prompt = item.as_ref().and_then(|item| text(item, "prompt"));
        let prompt = prompt.ok_or_else(|| {
            let got = if item.is_none() { "no table" } else { "no text in `prompt`" };
            call.blame(&format!("item {index} has {got}"))
        })?;
        queries.push(query(&prompt, item.as_ref()));
    }
    if queries.is_empty() {
        return Err(call.blame("empty items array"));
    }
    let answers = answers(call, &queries, true)?;
    call.decode(&Json::Array(answers))
}

/// The text in a field; a number is one too.
fn text(table: &Table, name: &str) -> Option<String> {
    match table.get(name).ok()? {
        Value::String(text) => text.to_str().ok().map(|text| text.to_owned()),
        number @ (Value::Integer(_) | Value::Number(_)) => number.to_string().ok(),
        _ => None,
    }
}

fn query(prompt: &str, opts: Option<&Table>) -> Json {
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
        "system": opts.and_then(|opts| text(opts, "system")),
        "max_tokens": max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "grounded": field("grounded") == Value::Boolean(true),
        "underspecified": field("underspecified") == Value::Boolean(true),
    })
}

/// One answer for each query.
fn answers(call: &Call, queries: &[Json], is_batch: bool) -> Result<Vec<Json>, String> {
    let answers = call.library.host.ask("llm", json!({ "queries": queries, "batch": is_batch }))?;
    match answers {
        Json::Array(answers) if answers.len() == queries.len() && answers.iter().all(Json::is_string) => Ok(answers),
        _ => Err(call.blame("the answer does not fit the questions")),
    }
}

fn fork(call: &mut Call) -> Result<Value, String> {
    let Some(names) = call.table() else { return Ok(Value::Nil) };
    let mut strategies = Vec::new();
    for index in 1..=names.raw_len() {
        match names.raw_get(index) {
            Ok(Value::String(name)) => strategies.push(strategy_name(call, &name.to_string_lossy())?),
            _ => return Err(call.blame(&format!("strategy {index} is no name"))),
        }
    }
    if strategies.is_empty() {
        return Err(call.blame("strategies must be a non-empty array"));
    }
    let ctx = match call.json("ctx")? {
        Json::Null => json!({}),
        // An empty list that JSON made is as good as an empty object.
        Json::Array(list) if list.is_empty() => json!({}),
        ctx @ Json::Object(_) => ctx,
        _ => return Err(call.blame("ctx must be a table with named fields")),
    };
    let on_error = call.table().and_then(|opts| text(&opts, "on_error"));
    let raises = matches!(on_error.as_deref(), Some("abort" | "fail"));
    let arguments = json!({ "strategies": strategies, "ctx": ctx, "on_error": on_error });
    let results = call.library.host.ask("fork", arguments)?;
    let failed = |result: &&Json| result.get("ok") != Some(&Json::Bool(true));
    if let Some(failed) = results.as_array().and_then(|results| results.iter().find(failed)).filter(|_| raises) {
        let word = |name: &str| failed.get(name).and_then(Json::as_str).unwrap_or("unknown");
        return Err(call.blame(&format!("strategy '{}' failed: {}", word("strategy"), word("error"))));
    }
    call.decode(&results)
}

fn strategy_name(call: &Call, name: &str) -> Result<String, String> {
    let is_good = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_good.then(|| name.to_owned()).ok_or_else(|| call.blame(&format!("invalid strategy name '{name}'")))
}
