//! The tool `alc_log_view`: lists the newest sessions, or shows the transcript of one.
//!
//! Never: reads more logs than the list shows.

use std::cmp::Reverse;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wardroom_rules::alc::ALC_SCHEME;

use super::logs::{LogStore, read_log_summary};
use super::recent::RecentDocuments;
use super::tool::{AlcTool, ToolCall, continue_large};
use super::top_n::TopN;
use crate::error_code as code;
use crate::limits::MAX_DIR_NAMES_SCANNED;
use crate::session_owner::is_visible;
use wardroom_appdir::AppDirError;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::payload::Payload;
use wardroom_base::uri::{IdKind, SessionId};
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, Step, ToolBehavior, ToolOutput, Work};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LogViewArgs {
    /// The session whose log to show. Without one, sessions are listed, the newest first.
    session_id: Option<String>,
    /// The most sessions in the list (50 when absent), or the most rounds of the log, where the newest are kept (all
    /// that fit when absent).
    limit: Option<usize>,
    /// The most characters of the log (100000 when absent); the oldest rounds are left out first.
    max_chars: Option<usize>,
}

/// A list of sessions, or the log of one.
#[derive(Serialize, JsonSchema)]
struct LogViewOutput {
    /// The summary of each session: session_id, strategy, task_hint, elapsed_ms, rounds, llm_calls, notes_count and more.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<Map<String, Value>>>,
    /// The fields of the log: session_id, strategy, task_hint, stats, error, logs, transcript and notes. Of a log that was cut,
    /// truncated, original_rounds and returned_rounds too, and no logs.
    #[serde(flatten)]
    log: Map<String, Value>,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_log_view",
    title: "View session logs",
    description: "Opens the log (transcript) of a recorded session: reads back what happened step by step, every \
                  prompt and reply of the model. Without a session_id, lists the sessions, newest first.",
    behavior: ToolBehavior::READ_ONLY,
    is_on_demand: false,
    input: input_schema::<LogViewArgs>,
    output: output_schema::<LogViewOutput>,
    call: ToolCall::Steps(|alc, arguments, info| {
        let LogViewArgs { session_id, limit, max_chars } = parse_arguments(arguments)?;
        let limit = limit.map(|limit| check_cap("limit", limit)).transpose()?;
        let Some(session) = session_id else {
            // The names of all logs can take tens of megabytes.
            let recent = Arc::clone(&alc.recent);
            return Ok(continue_large(&alc.logs, move |logs, info| {
                serialize_output(&list_logged_sessions(logs, &recent.logs, limit.unwrap_or(DEFAULT_SESSIONS), info)?)
                    .map(ToolOutput::from)
            }));
        };
        let max_chars = check_cap("max_chars", max_chars.unwrap_or(DEFAULT_MAX_CHARS))?;
        let session = find_session(&session, info)?;
        let log = view_log(&alc.logs, session, limit.unwrap_or(usize::MAX), max_chars)?;
        Ok(Step::Next(
            log.and_then(|log| serialize_output(&LogViewOutput { sessions: None, log }).map(ToolOutput::from)),
        ))
    }),
}];

const DEFAULT_SESSIONS: usize = 50;
const DEFAULT_MAX_CHARS: usize = 100_000;

/// Checks a parameter against the resource's cap. A value above the cap is refused, not lowered.
fn check_cap(name: &str, value: usize) -> Result<usize, ServiceError> {
    let logs = ALC_SCHEME.templates.iter().find(|template| template.kind == IdKind::SessionId);
    let param = logs.and_then(|logs| logs.params.iter().find(|param| param.name == name));
    let cap = param.map_or(0, |param| param.cap);
    if value > cap {
        return Err(ServiceError::tool(code::OUT_OF_RANGE, format!("{name}={value} exceeds cap of {cap}")));
    }
    Ok(value)
}

/// Parses the id of a session.
fn parse_session_id(id: &str) -> Result<SessionId, ServiceError> {
    SessionId::parse(id)
        .map_err(|error| ServiceError::tool(code::INVALID_SESSION_ID, format!("the session_id {error}")))
}

/// Parses the id of a session that the caller may know of.
pub(super) fn find_session(id: &str, info: &RequestInfo) -> Result<SessionId, ServiceError> {
    let session = parse_session_id(id)?;
    if is_visible(id, info) { Ok(session) } else { Err(log_not_found_error(&session)) }
}

/// Returns the error for a missing log, in the original's words.
pub(super) fn log_not_found_error(session: &SessionId) -> ServiceError {
    ServiceError::tool(code::NOT_FOUND, format!("Log file not found for session '{session}'"))
}

fn view_log(
    logs: &LogStore,
    session: SessionId,
    limit: usize,
    max_chars: usize,
) -> Result<Work<Map<String, Value>>, ServiceError> {
    let named = session.clone();
    let as_tool_error = move |error| match error {
        ServiceError::NotFound { .. } => log_not_found_error(&named),
        ServiceError::Invalid(message) => ServiceError::tool(code::OUT_OF_RANGE, message),
        other => other,
    };
    let read = logs.resolve_log(&session, limit, max_chars, &format!("alc://logs/{session}"));
    let read = read.map_err(as_tool_error.clone())?.map_error(as_tool_error);
    Ok(read.and_then(move |content| match Payload::parse(&content.text, content.text.len()).map(Payload::into_value) {
        Ok(Value::Object(log)) => Ok(log),
        Ok(_) => Err(ServiceError::tool(code::MALFORMED, "Log file is not a JSON object")),
        Err(error) => Err(ServiceError::from_parse_error(&format!("log '{session}'"), error)),
    }))
}

fn list_logged_sessions(
    logs: &LogStore,
    recent: &RecentDocuments,
    limit: usize,
    info: &RequestInfo,
) -> Result<LogViewOutput, ServiceError> {
    let failed = |error| ServiceError::from_list_error("the logs", error);
    let (mut sessions, mut remaining) = (Vec::new(), MAX_PAGE_BYTES);
    let folder = match logs.open_folder() {
        Ok(folder) => folder,
        Err(AppDirError::NotFound(_)) => return Ok(LogViewOutput { sessions: Some(sessions), log: Map::new() }),
        Err(error) => return Err(failed(error)),
    };
    let newest = newest_sessions(logs, recent, limit.min(MAX_NAMES_SCANNED), info).map_err(failed)?;
    for session in newest {
        let Some(summary) = read_log_summary(&folder, &session) else { continue };
        let size = Value::from_iter(summary.clone()).to_string().len();
        if size > remaining {
            break;
        }
        remaining -= size;
        sessions.push(summary);
    }
    Ok(LogViewOutput { sessions: Some(sessions), log: Map::new() })
}

/// Returns the ids of the newest logs that the caller may see.
fn newest_sessions(
    logs: &LogStore,
    recent: &RecentDocuments,
    limit: usize,
    info: &RequestInfo,
) -> Result<Vec<String>, AppDirError> {
    let is_wanted = |session: &str| is_visible(session, info);
    let page = recent.page(&logs.document_folders()?, None, limit, is_wanted, &|| info.cancellation.is_cancelled())?;
    if page.is_complete {
        return Ok(page.documents.into_iter().map(|(_, session)| session).collect());
    }
    // There are more logs than lists know of, and the newest may be among those.
    let mut found = TopN::new(limit);
    logs.for_each_log(MAX_DIR_NAMES_SCANNED, |session, stat| {
        if is_wanted(&session) {
            found.add((Reverse(stat.modified), session));
        }
    })?;
    Ok(found.into_sorted().map(|(_, session)| session).collect())
}
