//! The tool `alc_note`: appends a note to a session's log.
//!
//! Owns: the update of a log under its lock, so that concurrent writers lose no note.
//! Never: changes anything in a log but its notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::log_view::{find_session, log_not_found_error};
use super::logs::{LogStore, RawFieldsVisitor};
use super::stored_json::{JsonStyle, read_json_object, to_json};
use super::tool::{AlcTool, ToolCall};
use crate::error_code as code;
use crate::limits::{MAX_LOG_BYTES, MAX_NOTE_BYTES, MAX_NOTE_TITLE_BYTES, MAX_SUMMARY_BYTES};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload;
use wardroom_base::unix_time;
use wardroom_base::uri::SessionId;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddNoteArgs {
    /// The session whose log gets the note.
    session_id: String,
    /// The note, at most 64 KiB.
    content: String,
    /// The title of the note, at most 1 KiB.
    title: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct AddNoteOutput {
    session_id: String,
    /// The number of notes in the log now.
    notes_count: usize,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_note",
    title: "Add a note to a session's log",
    description: "Attaches a note (comment, remark) to a finished session or run, in its log, to remember it later.",
    behavior: ToolBehavior::ADDITIVE,
    is_on_demand: true,
    input: input_schema::<AddNoteArgs>,
    output: output_schema::<AddNoteOutput>,
    call: ToolCall::Large(|alc, arguments, info| {
        let AddNoteArgs { session_id, content, title } = parse_arguments(arguments)?;
        let notes_count = add_note(&alc.logs, &find_session(&session_id, info)?, &content, title.as_deref())?;
        serialize_output(&AddNoteOutput { session_id, notes_count }).map(ToolOutput::from)
    }),
}];

/// A note as it is stored, in the order of its fields.
#[derive(Serialize)]
struct LogNote<'a> {
    timestamp: u64,
    title: Option<&'a str>,
    content: &'a str,
}

fn add_note(logs: &LogStore, session: &SessionId, content: &str, title: Option<&str>) -> Result<usize, ServiceError> {
    for (what, len, limit) in
        [("content", content.len(), MAX_NOTE_BYTES), ("title", title.map_or(0, str::len), MAX_NOTE_TITLE_BYTES)]
    {
        if len > limit {
            let message = format!("the {what} has {}, the limit is {}", ByteSize(len as u64), ByteSize(limit as u64));
            return Err(ServiceError::tool(code::NOTE_TOO_LARGE, message));
        }
    }
    let what = format!("the log of session '{session}'");
    let failed = |error| match error {
        AppDirError::NotFound(_) => log_not_found_error(session),
        other => ServiceError::from_write_error(&what, other),
    };
    let folder = logs.open_folder().map_err(failed)?;
    let name = format!("{session}.json");
    // A lock for a missing log would leave a lock file behind.
    folder.stat(&name).map_err(failed)?;
    let _lock = folder.lock(&format!(".{name}.lock")).map_err(failed)?;
    let (log, _) = folder.read_text(&name, MAX_LOG_BYTES).map_err(failed)?;
    payload::check_json_text(&log, log.len()).map_err(|error| ServiceError::from_parse_error(&what, error))?;
    let timestamp = unix_time::now_seconds();
    let note = to_json(&LogNote { timestamp, title, content }, JsonStyle::Pretty)?;
    let (log, count) = append_note(&log, &note, &what)?;
    if log.len() as u64 > MAX_LOG_BYTES {
        let message =
            format!("{what} would have {}, the limit is {}", ByteSize(log.len() as u64), ByteSize(MAX_LOG_BYTES));
        return Err(ServiceError::tool(code::LOG_TOO_LARGE, message));
    }
    folder.write(&name, log.as_bytes(), Privacy::Owner).map_err(failed)?;
    // The log has the note. A summary with an old count until the next note is no failure.
    if let Err(error) = update_notes_count(&folder, session, count) {
        tracing::warn!(%error, "cannot update the summary of a log");
    }
    Ok(count)
}

/// Returns the log with the note at the end of its notes, and the new number of notes. The text of other fields is
/// unchanged.
fn append_note(log: &str, note: &str, what: &str) -> Result<(String, usize), ServiceError> {
    let malformed = |message: &str| ServiceError::tool(code::MALFORMED, message);
    if !log.trim_start().starts_with('{') {
        return Err(malformed("Log file is not a JSON object"));
    }
    let fields = RawFieldsVisitor::parse(log).map_err(|error| ServiceError::from_parse_error(what, error.into()))?;
    let note = note.replace('\n', "\n    ");
    let Some((_, notes)) = fields.get("notes") else {
        let end = log.rfind('}').ok_or_else(|| malformed("Log file is not a JSON object"))?;
        let (fields_text, after) = log.split_at_checked(end).unwrap_or((log, ""));
        let comma = if fields.is_empty() { "" } else { "," };
        let fields_text = fields_text.trim_end();
        return Ok((format!("{fields_text}{comma}\n  \"notes\": [\n    {note}\n  ]\n{after}"), 1));
    };
    let old: Vec<&RawValue> =
        serde_json::from_str(notes.get()).map_err(|_| malformed("'notes' field is not an array"))?;
    let inner = notes.get().trim_end().strip_suffix(']').unwrap_or_default().trim_end();
    let comma = if old.is_empty() { "" } else { "," };
    let notes_text = format!("{inner}{comma}\n    {note}\n  ]");
    let (before, after) = split_around(log, notes.get()).ok_or_else(|| malformed("Log file is not a JSON object"))?;
    Ok((format!("{before}{notes_text}{after}"), old.len() + 1))
}

/// Returns the text before and after a slice of it.
fn split_around<'a>(text: &'a str, piece: &str) -> Option<(&'a str, &'a str)> {
    let start = piece.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some((text.get(..start)?, text.get(start + piece.len()..)?))
}

fn update_notes_count(logs: &Folder, session: &SessionId, count: usize) -> Result<(), AppDirError> {
    let name = format!("{session}.meta.json");
    // Without a summary, readers use the log.
    let Ok(mut summary) = read_json_object(logs, &name, MAX_SUMMARY_BYTES) else { return Ok(()) };
    summary.insert("notes_count".to_owned(), count.into());
    logs.write(&name, Value::Object(summary).to_string().as_bytes(), Privacy::Owner)
}
