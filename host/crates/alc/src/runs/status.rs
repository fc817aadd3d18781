//! `alc_status`: the runs that go on or wait.
//!
//! Owns: how much of a query is shown.
//! Never: waits for a run.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::journal::{Past, file_name};
use super::live::{Live, Query};
use super::registry::Known;
use super::stored::sessions as sessions_of;
use super::tools::StatusArguments;
use super::{Stored, tool_error};
use crate::Alc;
use wardroom_appdir::Folder;
use wardroom_base::limits::{MAX_JOURNAL_BYTES, MAX_LISTED_RUNS};
use wardroom_base::uri::SessionId;
use wardroom_service::schema::answer;
use wardroom_service::{ServiceError, ToolAnswer, shown};

#[derive(Serialize, JsonSchema)]
pub(super) struct Status {
    /// Of all servers on the AppDir.
    active_sessions: usize,
    /// Those that this server has carried on, and the newest of the others.
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
    /// Absent for a run of which only the journal is known, unless it is asked for by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_queries: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Value>,
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
    let app = &alc.folders.app;
    let known = alc.runs.as_ref().map(|runs| runs.registry.known()).unwrap_or_default();
    let history = asked.include_history.unwrap_or(false);
    let snapshot = |run: &Known| {
        // Another process may have taken it over.
        let goes_on = run.is_running || app.is_locked(&file_name(&run.id, false));
        let live = run.live.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot(&run.id, &live, goes_on, filter.as_ref(), history)
    };
    if let Some(id) = &asked.session_id {
        // One that waits does so as a file, or it was ended elsewhere.
        let is_there = |run: &&Known| run.is_running || app.stat(&file_name(&run.id, false)).is_ok();
        let found = match known.iter().find(|run| run.id == *id).filter(is_there) {
            Some(run) => snapshot(run),
            None => {
                let unknown = || {
                    tool_error("SESSION_NOT_FOUND", format!("session '{}' not found (may have completed)", shown(id)))
                };
                let (live, goes_on) = waiting(app, id).ok_or_else(unknown)?;
                self::snapshot(id, &live, goes_on, filter.as_ref(), history)
            }
        };
        return answer(&Status { active_sessions: 1, sessions: vec![found] }).map(ToolAnswer::from);
    }
    let mut stored = sessions_of(app).map_err(|error| ServiceError::internal("cannot list the runs", error))?;
    stored.retain(|run| !run.is_over);
    let waiting: HashSet<&str> = stored.iter().map(|run| run.session.as_str()).collect();
    let known: Vec<&Known> = known.iter().filter(|run| run.is_running || waiting.contains(run.id.as_str())).collect();
    let names: HashSet<&str> = known.iter().map(|run| run.id.as_str()).collect();
    let others: Vec<&Stored> = stored.iter().filter(|run| !names.contains(run.session.as_str())).collect();
    let mut sessions: Vec<Snapshot> = known.iter().copied().map(snapshot).collect();
    let active_sessions = sessions.len() + others.len();
    sessions.extend(others.into_iter().take(MAX_LISTED_RUNS).map(|run| row(run, app)));
    sessions.sort_by(|a, b| (a.started_at, &a.session_id).cmp(&(b.started_at, &b.session_id)));
    answer(&Status { active_sessions, sessions }).map(ToolAnswer::from)
}

const fn state(goes_on: bool) -> &'static str {
    if goes_on { "running" } else { "paused" }
}

fn snapshot(id: &str, live: &Live, goes_on: bool, filter: Option<&Filter>, history: bool) -> Snapshot {
    Snapshot {
        session_id: id.to_owned(),
        strategy: live.strategy.clone(),
        state: state(goes_on),
        phase: state(goes_on),
        started_at: live.started_ms,
        last_activity_at: live.last_ms,
        pending_queries: Some(live.pending().count()),
        pending: filter.map(|filter| live.pending().map(|query| filter.show(query)).collect()),
        metrics: Some(live.metrics(history)),
    }
}

/// A run that another process, or an earlier one, carried on, as its file looks from outside.
fn row(run: &Stored, app: &Folder) -> Snapshot {
    let last = run.modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let last = u64::try_from(last.as_millis()).unwrap_or(u64::MAX);
    // Its name says when it began.
    let began = run.session.strip_prefix("s-").and_then(|rest| u64::from_str_radix(rest.split_once('-')?.0, 16).ok());
    let state = state(run.goes_on(app));
    Snapshot {
        session_id: run.session.clone(),
        strategy: None,
        state,
        phase: state,
        started_at: began.unwrap_or(last),
        last_activity_at: last,
        pending_queries: None,
        pending: None,
        metrics: None,
    }
}

/// What a journal says of its run, if there is one and it is not over; and whether some process carries it on.
fn waiting(app: &Folder, id: &str) -> Option<(Live, bool)> {
    SessionId::parse(id).ok()?;
    let name = file_name(id, false);
    let document = app.read(&name, MAX_JOURNAL_BYTES).ok()?;
    // Another process may be in the middle of the last line.
    let whole = document.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let past = Past::parse(document.bytes.get(..whole)?).ok().filter(|past| past.end.is_none())?;
    let mut live = past.live();
    if let Some(at) = document.modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()) {
        live.last_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
    }
    Some((live, app.is_locked(&name)))
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
