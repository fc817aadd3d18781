//! What a script tells of its run, and learns of it: log, progress, figures, time and budget.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::function::{Body, Call, Function, Kind, optional, param, returns};
use wardroom_base::limits::MAX_RECORDED_BYTES;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "alc.log",
        doc: "Writes to the session's log. An unknown level counts as \"info\".",
        generic: "",
        params: &[
            param("level", Kind::String, "\"error\"|\"warn\"|\"info\"|\"debug\"", ""),
            param("message", Kind::String, "string", ""),
        ],
        returns: &[],
        body: Body::Rust(log),
    },
    Function {
        name: "alc.progress",
        doc: "Tells how far the run has come.",
        generic: "",
        params: &[
            param("step", Kind::Number, "number", ""),
            param("total", Kind::Number, "number", ""),
            optional("message", Kind::String, "string", ""),
        ],
        returns: &[],
        body: Body::Rust(progress),
    },
    Function {
        name: "alc.time",
        doc: "Seconds since 1970-01-01 UTC, with a fraction.",
        generic: "",
        params: &[],
        returns: &[returns("number", "")],
        body: Body::Rust(time),
    },
    Function {
        name: "alc.budget_remaining",
        doc: "What is left of the run's budget; nil without any, and a limit that was not set is nil in it.",
        generic: "",
        params: &[],
        returns: &[returns("alc.BudgetRemaining|nil", "")],
        body: Body::Rust(|call| call.ask("budget", json!({}))),
    },
    Function {
        name: "alc.stats.record",
        doc: "Keeps a figure of the run, which its result carries in `stats.custom`.",
        generic: "",
        params: &[param("key", Kind::String, "string", ""), optional("value", Kind::Any, "alc.Json", "")],
        returns: &[],
        body: Body::Rust(record),
    },
    Function {
        name: "alc.stats.get",
        doc: "Reads a figure that this run recorded.",
        generic: "",
        params: &[param("key", Kind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when it was not recorded")],
        body: Body::Rust(recorded),
    },
];

fn log(call: &mut Call) -> Result<Value, String> {
    // A log takes every text: a strategy is not stopped because of one.
    let level = String::from_utf8_lossy(&call.bytes()).to_ascii_lowercase();
    let message = String::from_utf8_lossy(&call.bytes()).into_owned();
    let level = if ["error", "warn", "debug"].contains(&level.as_str()) { level } else { "info".to_owned() };
    call.post("log", json!({ "level": level, "message": message, "source": "alc.log" }))
}

fn progress(call: &mut Call) -> Result<Value, String> {
    let (step, total) = (call.json("step")?, call.json("total")?);
    let message = call.text_or_none()?;
    call.post("progress", json!({ "step": step, "total": total, "message": message }))
}

fn time(call: &mut Call) -> Result<Value, String> {
    let answer = call.library.host.ask("time", json!({}))?;
    answer.as_f64().map(Value::Number).ok_or_else(|| call.blame("the answer is no time"))
}

fn record(call: &mut Call) -> Result<Value, String> {
    let key = call.text()?;
    let value = call.json("value")?;
    let size = |key: &str, value: &Json| key.len() + value.to_string().len();
    let before = call.library.recorded.borrow().get(&key).map_or(0, |value| size(&key, value));
    let bytes = call.library.recorded_bytes.get() - before + size(&key, &value);
    // The server counts what all scripts of the run record; this one alone must not be too much either.
    if bytes > MAX_RECORDED_BYTES {
        return Err(call.blame(&format!("more than {MAX_RECORDED_BYTES} bytes are recorded in this run")));
    }
    call.library.recorded_bytes.set(bytes);
    call.library.recorded.borrow_mut().insert(key.clone(), value.clone());
    call.post("stats.record", json!({ "key": key, "value": value }))
}

fn recorded(call: &mut Call) -> Result<Value, String> {
    let key = call.text()?;
    let value = call.library.recorded.borrow().get(&key).cloned();
    value.map_or(Ok(Value::Nil), |value| call.decode(&value))
}
