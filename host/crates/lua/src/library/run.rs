//! Functions about the run itself: log, progress, statistics, time and budget.

use mlua::Value;
use serde_json::{Value as Json, json};

use super::function::{FunctionBody, FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};
use crate::limits::MAX_RUN_STATS_BYTES;
use wardroom_base::byte_size::ByteSize;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.log",
        doc: "Writes to the session's log. An unknown level counts as \"info\".",
        generics: "",
        params: &[
            param("level", ParamKind::String, "\"error\"|\"warn\"|\"info\"|\"debug\"", ""),
            param("message", ParamKind::String, "string", ""),
        ],
        returns: &[],
        body: FunctionBody::Rust(log),
    },
    LibraryFunction {
        name: "alc.progress",
        doc: "Reports the progress of the run.",
        generics: "",
        params: &[
            param("step", ParamKind::Number, "number", ""),
            param("total", ParamKind::Number, "number", ""),
            optional_param("message", ParamKind::String, "string", ""),
        ],
        returns: &[],
        body: FunctionBody::Rust(progress),
    },
    LibraryFunction {
        name: "alc.time",
        doc: "Seconds since 1970-01-01 UTC, with a fraction.",
        generics: "",
        params: &[],
        returns: &[returns("number", "")],
        body: FunctionBody::Rust(time),
    },
    LibraryFunction {
        name: "alc.budget_remaining",
        doc: "What is left of the run's budget; nil without any, and a limit that was not set is nil in it.",
        generics: "",
        params: &[],
        returns: &[returns("alc.BudgetRemaining|nil", "")],
        body: FunctionBody::Rust(|call| call.request_value("budget", json!({}))),
    },
    LibraryFunction {
        name: "alc.stats.record",
        doc: "Records a figure of the run, which its result carries in `stats.custom`.",
        generics: "",
        params: &[
            param("key", ParamKind::String, "string", ""),
            optional_param("value", ParamKind::Any, "alc.Json", ""),
        ],
        returns: &[],
        body: FunctionBody::Rust(record_stat),
    },
    LibraryFunction {
        name: "alc.stats.get",
        doc: "Reads a figure that this run recorded.",
        generics: "",
        params: &[param("key", ParamKind::String, "string", "")],
        returns: &[returns("alc.Json", "value nil when it was not recorded")],
        body: FunctionBody::Rust(get_stat),
    },
];

fn log(call: &mut FunctionCall) -> Result<Value, String> {
    // The log accepts every text, because a log line must not stop a strategy.
    let level = String::from_utf8_lossy(&call.next_bytes()).to_ascii_lowercase();
    let message = String::from_utf8_lossy(&call.next_bytes()).into_owned();
    let level = if ["error", "warn", "debug"].contains(&level.as_str()) { level } else { "info".to_owned() };
    call.notify("log", json!({ "level": level, "message": message, "source": "alc.log" }))
}

fn progress(call: &mut FunctionCall) -> Result<Value, String> {
    let (step, total) = (call.next_json("step")?, call.next_json("total")?);
    let message = call.next_optional_text()?;
    call.notify("progress", json!({ "step": step, "total": total, "message": message }))
}

fn time(call: &mut FunctionCall) -> Result<Value, String> {
    let answer = call.library.host.request("time", json!({}))?.into_value();
    answer.as_f64().map(Value::Number).ok_or_else(|| call.format_error("the server's answer is not a time"))
}

fn record_stat(call: &mut FunctionCall) -> Result<Value, String> {
    let key = call.next_text()?;
    let value = call.next_json("value")?;
    let size = |key: &str, value: &Json| key.len() + value.to_string().len();
    let before = call.library.recorded_stats.borrow().get(&key).map_or(0, |value| size(&key, value));
    let bytes = call.library.recorded_stats_bytes.get() - before + size(&key, &value);
    // The server counts the records of all scripts of a run. This check bounds the memory of this one.
    if bytes > MAX_RUN_STATS_BYTES {
        let limit = ByteSize(MAX_RUN_STATS_BYTES as u64);
        return Err(call.format_error(&format!("more than {limit} are recorded in this run")));
    }
    call.library.recorded_stats_bytes.set(bytes);
    call.library.recorded_stats.borrow_mut().insert(key.clone(), value.clone());
    call.notify("stats.record", json!({ "key": key, "value": value }))
}

fn get_stat(call: &mut FunctionCall) -> Result<Value, String> {
    let key = call.next_text()?;
    let value = call.library.recorded_stats.borrow().get(&key).cloned();
    value.map_or(Ok(Value::Nil), |value| call.decode(&value))
}
