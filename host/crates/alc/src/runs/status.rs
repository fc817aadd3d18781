//! `alc_status`: the runs that execute or are paused.
//!
//! Owns: which fields of a query are shown.
//! Never: waits for a run.

use std::collections::HashSet;
use std::sync::PoisonError;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::args::StatusArguments;
use super::journal::whole_lines;
use super::live_status::LiveStatus;
use super::queries::LlmQuery;
use super::replay_log::{JournalParseError, ReplayLog};
use super::run_table::TrackedRun;
use super::{RunStore, Runs, StoredRun};
use crate::error_code as code;
use crate::limits::{MAX_LISTED_RUNS, MAX_STATUS_JOURNALS_BYTES};
use crate::session_owner::{is_visible, started_ms};
use wardroom_appdir::AppDirError;
use wardroom_base::memory::MemoryLease;
use wardroom_base::unix_time;
use wardroom_base::uri::SessionId;
use wardroom_service::schema::serialize_output;
use wardroom_service::{RequestInfo, RequestMemory, ServiceError, ToolOutput, escape_and_truncate};

#[derive(Serialize, JsonSchema)]
pub(super) struct StatusOutput {
    /// The number of the caller's active runs, of all servers on the AppDir.
    active_sessions: usize,
    /// The runs that this server has executed, and the newest of the others.
    sessions: Vec<RunSnapshot>,
}

#[derive(Serialize, JsonSchema)]
struct RunSnapshot {
    session_id: String,
    strategy: Option<String>,
    /// `running` or `paused`.
    state: &'static str,
    phase: &'static str,
    /// Unix time in milliseconds.
    started_at: u64,
    last_activity_at: u64,
    /// Absent for a run of another server whose journal is too long to be read for a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_queries: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Value>,
}

/// The fields that are shown of each pending query.
struct QueryFilter {
    shows_query_id: bool,
    shows_max_tokens: bool,
    shows_system: bool,
    shows_flags: [bool; 2],
    prompt: PromptVisibility,
}

#[derive(Clone, Copy)]
enum PromptVisibility {
    Hidden,
    Preview(usize),
    Full,
}

pub(super) fn list_status(
    store: &RunStore,
    runs: Option<&Runs>,
    asked: &StatusArguments,
    info: &RequestInfo,
) -> Result<ToolOutput, ServiceError> {
    let filter = asked
        .pending_filter
        .as_ref()
        .map(|filter| QueryFilter::from_json(filter, runs.map_or(0, |runs| runs.settings.preview_chars)))
        .transpose()?;
    let mut tracked = runs.map(|runs| runs.table.tracked_runs()).unwrap_or_default();
    // A run with which another process has gone on is as its journal says.
    tracked.retain(|run| is_visible(&run.id, info) && run.is_current(store.paused_len(&run.id).ok().flatten()));
    let history = asked.include_history.unwrap_or(false);
    // The texts that the answer copies are counted before they are copied.
    let hold = |bytes: usize| info.memory.hold_answer(bytes, 0).map_err(ServiceError::out_of_memory);
    let copied = |live: &LiveStatus| {
        let pending = filter
            .as_ref()
            .map_or(0, |filter| live.queries.waiting().iter().map(|query| filter.text_bytes(query)).sum());
        pending + if history { live.history_bytes() } else { 0 }
    };
    let of_tracked = |run: &TrackedRun| copied(&run.status.lock().unwrap_or_else(PoisonError::into_inner));
    let snapshot = |run: &TrackedRun| {
        // Another process may have resumed the run.
        let is_running = run.is_running || store.is_locked(&run.id);
        let live = run.status.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot_run(&run.id, &live, is_running, filter.as_ref(), history)
    };
    if let Some(id) = &asked.session_id {
        // A paused run has a journal, unless another process ended it.
        let is_there = |run: &&TrackedRun| run.is_running || store.is_paused(&run.id);
        let found = match tracked.iter().find(|run| run.id == *id).filter(is_there) {
            Some(run) => {
                hold(of_tracked(run))?;
                snapshot(run)
            }
            None => {
                let unknown = || {
                    ServiceError::tool(
                        code::SESSION_NOT_FOUND,
                        format!("session '{}' not found (may have completed)", escape_and_truncate(id)),
                    )
                };
                let paused = if is_visible(id, info) { read_paused_run(store, id, &info.memory)? } else { None };
                // The status is as large as the journal, while it is shown.
                let (live, is_running, _held) = paused.ok_or_else(unknown)?;
                hold(copied(&live))?;
                snapshot_run(id, &live, is_running, filter.as_ref(), history)
            }
        };
        return serialize_output(&StatusOutput { active_sessions: 1, sessions: vec![found] }).map(ToolOutput::from);
    }
    let mut stored = store.list().map_err(|error| ServiceError::from_list_error("the runs", error))?;
    stored.retain(|run| !run.is_finished && is_visible(&run.run_id, info));
    let waiting: HashSet<&str> = stored.iter().map(|run| run.run_id.as_str()).collect();
    let tracked: Vec<&TrackedRun> =
        tracked.iter().filter(|run| run.is_running || waiting.contains(run.id.as_str())).collect();
    let names: HashSet<&str> = tracked.iter().map(|run| run.id.as_str()).collect();
    let others: Vec<&StoredRun> = stored.iter().filter(|run| !names.contains(run.run_id.as_str())).collect();
    let mut bytes_copied = tracked.iter().map(|run| of_tracked(run)).sum::<usize>();
    hold(bytes_copied)?;
    let mut sessions: Vec<RunSnapshot> = tracked.iter().copied().map(snapshot).collect();
    let active_sessions = sessions.len() + others.len();
    let mut bytes_left = MAX_STATUS_JOURNALS_BYTES;
    for run in others.into_iter().take(MAX_LISTED_RUNS) {
        let read = if run.len <= bytes_left { read_paused_run(store, &run.run_id, &info.memory).ok() } else { None };
        let Some((live, is_running, _held)) = read.flatten() else {
            sessions.push(snapshot_stored_run(run, store));
            continue;
        };
        bytes_left -= run.len;
        bytes_copied += copied(&live);
        hold(bytes_copied)?;
        sessions.push(snapshot_run(&run.run_id, &live, is_running, filter.as_ref(), history));
    }
    sessions.sort_by(|a, b| (a.started_at, &a.session_id).cmp(&(b.started_at, &b.session_id)));
    serialize_output(&StatusOutput { active_sessions, sessions }).map(ToolOutput::from)
}

const fn state_name(is_running: bool) -> &'static str {
    if is_running { "running" } else { "paused" }
}

fn snapshot_run(
    id: &str,
    live: &LiveStatus,
    is_running: bool,
    filter: Option<&QueryFilter>,
    history: bool,
) -> RunSnapshot {
    RunSnapshot {
        session_id: id.to_owned(),
        strategy: live.strategy.clone(),
        state: state_name(is_running),
        phase: state_name(is_running),
        started_at: live.started_ms,
        last_activity_at: live.last_activity_ms,
        pending_queries: Some(live.queries.waiting().len()),
        pending: filter.map(|filter| live.queries.waiting().iter().map(|query| filter.apply(query)).collect()),
        metrics: Some(live.metrics(history)),
    }
}

/// Describes a run of another or an earlier process, from its journal's metadata alone.
fn snapshot_stored_run(run: &StoredRun, store: &RunStore) -> RunSnapshot {
    let last = run.modified.map_or(0, unix_time::to_ms);
    let state = state_name(store.is_running(run));
    RunSnapshot {
        session_id: run.run_id.clone(),
        strategy: None,
        state,
        phase: state,
        started_at: started_ms(&run.run_id).unwrap_or(last),
        last_activity_at: last,
        pending_queries: None,
        pending: None,
        metrics: None,
    }
}

/// Reads the status of an unfinished run from its journal, and whether a process executes it, with the memory of both.
fn read_paused_run(
    store: &RunStore,
    id: &str,
    memory: &RequestMemory,
) -> Result<Option<(LiveStatus, bool, MemoryLease)>, ServiceError> {
    if SessionId::parse(id).is_err() {
        return Ok(None);
    }
    let read_error = |error| ServiceError::from_read_error(&format!("the journal of session '{id}'"), error);
    let Some(len) = store.paused_len(id).map_err(read_error)? else { return Ok(None) };
    // The whole journal, and its lines.
    let held = memory.lease(usize::try_from(len).unwrap_or(usize::MAX).saturating_mul(2))?;
    let journal = match store.read_unlocked(id, false) {
        // It was ended.
        Err(AppDirError::NotFound(_)) => return Ok(None),
        read => read.map_err(read_error)?,
    };
    let log = match ReplayLog::parse(whole_lines(&journal.bytes)) {
        // It is begun just now.
        Err(JournalParseError::Empty) => return Ok(None),
        parsed => parsed.map_err(|why| {
            ServiceError::tool(code::UNREADABLE, format!("the journal of session '{id}' cannot be used: {why}"))
        })?,
    };
    if log.end.is_some() {
        return Ok(None);
    }
    let mut live = log.to_live_status();
    if let Some(at) = journal.stat.modified {
        live.last_activity_ms = unix_time::to_ms(at);
    }
    Ok(Some((live, store.is_locked(id), held)))
}

impl QueryFilter {
    fn from_json(asked: &Value, preview: usize) -> Result<Self, ServiceError> {
        let preset = |prompt, system| Self {
            shows_query_id: true,
            shows_max_tokens: true,
            shows_system: system,
            shows_flags: [true; 2],
            prompt,
        };
        match asked {
            Value::String(name) => match name.as_str() {
                "meta" => Ok(preset(PromptVisibility::Hidden, false)),
                "preview" => Ok(preset(PromptVisibility::Preview(preview), false)),
                "full" => Ok(preset(PromptVisibility::Full, true)),
                other => Err(ServiceError::tool(
                    code::INVALID,
                    format!(
                        "unknown pending_filter preset '{}' (valid: \"meta\" | \"preview\" | \"full\")",
                        escape_and_truncate(other)
                    ),
                )),
            },
            Value::Object(fields) => Ok(Self::from_fields(fields, preview)),
            other => {
                let kind = match other {
                    Value::Null => "null",
                    Value::Bool(_) => "bool",
                    Value::Number(_) => "number",
                    Value::String(_) | Value::Array(_) | Value::Object(_) => "array",
                };
                let message = format!("pending_filter must be a preset name (string) or filter object, got {kind}");
                Err(ServiceError::tool(code::INVALID, message))
            }
        }
    }

    fn from_fields(fields: &Map<String, Value>, preview: usize) -> Self {
        let flag = |name: &str| fields.get(name).and_then(Value::as_bool).unwrap_or(false);
        let prompt = fields.get("prompt");
        let mode = prompt.and_then(|prompt| prompt.get("mode")).and_then(Value::as_str);
        let chars = prompt.and_then(|prompt| prompt.get("chars")).and_then(Value::as_u64);
        let chars = chars.and_then(|chars| usize::try_from(chars).ok()).unwrap_or(preview);
        Self {
            shows_query_id: flag("query_id"),
            shows_max_tokens: flag("max_tokens"),
            shows_system: flag("system"),
            shows_flags: [flag("grounded"), flag("underspecified")],
            prompt: match mode {
                Some("full") => PromptVisibility::Full,
                Some("preview") => PromptVisibility::Preview(chars),
                _ => PromptVisibility::Hidden,
            },
        }
    }

    /// Returns the length of the texts that are shown of a query.
    fn text_bytes(&self, query: &LlmQuery) -> usize {
        let system = if self.shows_system { query.system.as_ref().map_or(0, String::len) } else { 0 };
        system
            + match self.prompt {
                PromptVisibility::Hidden => 0,
                PromptVisibility::Preview(chars) => query.prompt.len().min(4 * chars),
                PromptVisibility::Full => query.prompt.len(),
            }
    }

    fn apply(&self, query: &LlmQuery) -> Value {
        // A prompt may be large: what is not shown is not copied.
        let prompt = match self.prompt {
            PromptVisibility::Full => Some(query.prompt.clone()),
            PromptVisibility::Hidden => None,
            PromptVisibility::Preview(chars) => Some(query.prompt.chars().take(chars).collect()),
        };
        let [grounded, underspecified] = self.shows_flags;
        let fields = [
            ("query_id", self.shows_query_id.then(|| query.id.clone().into())),
            ("prompt", prompt.map(Value::from)),
            ("system", self.shows_system.then(|| query.system.clone().into())),
            ("max_tokens", self.shows_max_tokens.then(|| query.max_tokens.into())),
            ("grounded", (grounded && query.is_grounded).then(|| true.into())),
            ("underspecified", (underspecified && query.is_underspecified).then(|| true.into())),
        ];
        let shown = fields.into_iter().filter_map(|(name, field)| Some((name.to_owned(), field?)));
        Value::Object(shown.collect())
    }
}
