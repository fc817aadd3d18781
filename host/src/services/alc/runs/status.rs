//! `alc_status`: the runs that go on or wait.
//!
//! Owns: how much of a query is shown.
//! Never: waits for a run.

use std::sync::PoisonError;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::live::{Live, Query};
use super::registry::Known;
use super::tool_error;
use super::tools::StatusArguments;
use crate::services::alc::Alc;
use crate::services::schema::answer;
use crate::services::{ServiceError, ToolAnswer, shown};

#[derive(Serialize, JsonSchema)]
pub(super) struct Status {
    active_sessions: usize,
    sessions: Vec<Snapshot>,
}

#[derive(Serialize, JsonSchema)]
struct Snapshot {
    session_id: String,
    strategy: Option<String>,
    /// `running` or `paused`.
    state: &'static str,
    phase: &'static str,
    /// Unix time in milliseconds.
    started_at: u64,
    last_activity_at: u64,
    pending_queries: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<Value>>,
    metrics: Value,
}

/// What is shown of each query that waits.
struct Filter {
    query_id: bool,
    max_tokens: bool,
    system: bool,
    flags: [bool; 2],
    prompt: Prompt,
}

#[derive(Clone, Copy)]
enum Prompt {
    Off,
    First(usize),
    Full,
}

pub(super) fn of(alc: &Alc, asked: &StatusArguments) -> Result<ToolAnswer, ServiceError> {
    let filter = asked
        .pending_filter
        .as_ref()
        .map(|filter| Filter::of(filter, alc.runs.as_ref().map_or(0, |runs| runs.settings.preview_chars)))
        .transpose()?;
    let mut known = alc.runs.as_ref().map(|runs| runs.registry.known()).unwrap_or_default();
    if let Some(id) = &asked.session_id {
        known.retain(|run| run.id == *id);
        if known.is_empty() {
            let message = format!("session '{}' not found (may have completed)", shown(id));
            return Err(tool_error("SESSION_NOT_FOUND", message));
        }
    }
    let history = asked.include_history.unwrap_or(false);
    let mut sessions: Vec<Snapshot> = known.iter().map(|run| snapshot(run, filter.as_ref(), history)).collect();
    sessions.sort_by(|a, b| (a.started_at, &a.session_id).cmp(&(b.started_at, &b.session_id)));
    answer(&Status { active_sessions: sessions.len(), sessions }).map(ToolAnswer::from)
}

fn snapshot(run: &Known, filter: Option<&Filter>, history: bool) -> Snapshot {
    let live: &Live = &run.live.lock().unwrap_or_else(PoisonError::into_inner);
    let state = if run.is_running { "running" } else { "paused" };
    Snapshot {
        session_id: run.id.clone(),
        strategy: live.strategy.clone(),
        state,
        phase: state,
        started_at: live.started_ms,
        last_activity_at: live.last_ms,
        pending_queries: live.pending().count(),
        pending: filter.map(|filter| live.pending().map(|query| filter.show(query)).collect()),
        metrics: live.metrics(history),
    }
}

impl Filter {
    fn of(asked: &Value, preview: usize) -> Result<Self, ServiceError> {
        let preset = |prompt, system| Self { query_id: true, max_tokens: true, system, flags: [true; 2], prompt };
        match asked {
            Value::String(name) => match name.as_str() {
                "meta" => Ok(preset(Prompt::Off, false)),
                "preview" => Ok(preset(Prompt::First(preview), false)),
                "full" => Ok(preset(Prompt::Full, true)),
                other => Err(tool_error(
                    "INVALID",
                    format!(
                        "unknown pending_filter preset '{}' (valid: \"meta\" | \"preview\" | \"full\")",
                        shown(other)
                    ),
                )),
            },
            Value::Object(fields) => Ok(Self::fields(fields, preview)),
            other => {
                let kind = match other {
                    Value::Null => "null",
                    Value::Bool(_) => "bool",
                    Value::Number(_) => "number",
                    Value::String(_) | Value::Array(_) | Value::Object(_) => "array",
                };
                let message = format!("pending_filter must be a preset name (string) or filter object, got {kind}");
                Err(tool_error("INVALID", message))
            }
        }
    }

    fn fields(fields: &Map<String, Value>, preview: usize) -> Self {
        let flag = |name: &str| fields.get(name).and_then(Value::as_bool).unwrap_or(false);
        let prompt = fields.get("prompt");
        let mode = prompt.and_then(|prompt| prompt.get("mode")).and_then(Value::as_str);
        let chars = prompt.and_then(|prompt| prompt.get("chars")).and_then(Value::as_u64);
        let chars = chars.and_then(|chars| usize::try_from(chars).ok()).unwrap_or(preview);
        Self {
            query_id: flag("query_id"),
            max_tokens: flag("max_tokens"),
            system: flag("system"),
            flags: [flag("grounded"), flag("underspecified")],
            prompt: match mode {
                Some("full") => Prompt::Full,
                Some("preview") => Prompt::First(chars),
                _ => Prompt::Off,
            },
        }
    }

    fn show(&self, query: &Query) -> Value {
        let mut all = query.asked("query_id");
        let [grounded, underspecified] = self.flags;
        let shown = [
            ("query_id", self.query_id),
            ("max_tokens", self.max_tokens),
            ("system", self.system),
            ("grounded", grounded),
            ("underspecified", underspecified),
        ];
        for (name, _) in shown.into_iter().filter(|(_, shown)| !shown) {
            all.remove(name);
        }
        match self.prompt {
            Prompt::Full => {}
            Prompt::Off => drop(all.remove("prompt")),
            Prompt::First(chars) => {
                let preview: String = query.prompt.chars().take(chars).collect();
                all.insert("prompt".into(), preview.into());
            }
        }
        all.into()
    }
}
