//! The summary of a log: its own file, or what the log itself says.

use serde_json::{Map, Value, json};

use crate::limits::{MAX_SUMMARY_BYTES, MAX_UNSUMMARIZED_READ_BYTES};
use crate::stored_json::{read_json_object, value_at};
use wardroom_appdir::{AppDirError, Folder};

/// Returns the summary of a log. If its summary file cannot be read, the fields come from the log, or are null besides
/// the id for a log above [`MAX_UNSUMMARIZED_READ_BYTES`]. `None` for a log that cannot be read.
pub(crate) fn read_log_summary(logs: &Folder, session: &str) -> Option<Map<String, Value>> {
    match read_json_object(logs, &format!("{session}.meta.json"), MAX_SUMMARY_BYTES) {
        Ok(summary) => return Some(summary),
        Err(AppDirError::NotFound(_)) => {}
        // A power failure can leave an empty summary.
        Err(error) => tracing::debug!(%error, "cannot read the summary of a log, reading the log"),
    }
    let log = match read_json_object(logs, &format!("{session}.json"), MAX_UNSUMMARIZED_READ_BYTES) {
        Ok(log) => Value::Object(log),
        Err(AppDirError::TooLarge { .. }) => json!({"session_id": session}),
        Err(error) => {
            tracing::debug!(%error, "cannot read a log, skipped");
            return None;
        }
    };
    // Without an id it is not the log of a session.
    value_at(&log, "/session_id").as_str()?;
    let mut summary = Map::new();
    for name in ["session_id", "strategy", "task_hint"] {
        summary.insert(name.to_owned(), value_at(&log, &format!("/{name}")).clone());
    }
    for name in ["elapsed_ms", "rounds", "llm_calls", "total_prompt_chars", "total_response_chars"] {
        summary.insert(name.to_owned(), value_at(&log, &format!("/stats/{name}")).clone());
    }
    summary.insert("notes_count".to_owned(), value_at(&log, "/notes").as_array().map_or(0, Vec::len).into());
    Some(summary)
}
