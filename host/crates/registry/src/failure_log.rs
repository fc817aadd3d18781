//! The log of declared handlers that failed, for the person who declared them.
//!
//! Owns: `store/@failures.jsonl`: what a handler printed and logged before it failed, why it failed, and where.
//! Never: keeps arguments, makes a call fail, or shows a client more than its answer says.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::limits::{
    FAILURE_LOG_TIMEOUT, MAX_FAILURE_LOG_BYTES, MAX_FAILURE_ROW_BYTES, MAX_FAILURE_TEXT_BYTES,
    MAX_FAILURES_LOGGED_PER_SECOND, MAX_LINES_BEFORE_FAILURE,
};
use crate::operations::STORE_FOLDER;
use wardroom_appdir::{AppDirError, Folder, Privacy, VisitedRow};
use wardroom_base::truncate::truncate_text;

/// A name that no namespace can have.
const LOG_FILE: &str = "@failures.jsonl";

/// A call of a handler that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandlerFailure {
    /// Unix time in milliseconds.
    pub ts: u64,
    /// The id of the entry.
    pub entry: String,
    /// The kind that the caller got.
    pub kind: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// What the handler printed and logged before, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<HandlerLine>,
    /// Failures before this one that were not logged, because there were too many, or another process held the log.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_logged: u64,
}

/// A line that a handler printed or logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandlerLine {
    pub level: String,
    pub message: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl HandlerFailure {
    /// Returns the time as text, in UTC.
    #[must_use]
    pub fn time(&self) -> String {
        let time = i64::try_from(self.ts).ok().and_then(DateTime::<Utc>::from_timestamp_millis).unwrap_or_default();
        time.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

/// The last lines of a handler that runs.
#[derive(Debug, Default)]
pub(crate) struct RecentLines(VecDeque<HandlerLine>);

impl RecentLines {
    pub(crate) fn push(&mut self, level: &str, message: &str) {
        if self.0.len() >= MAX_LINES_BEFORE_FAILURE {
            self.0.pop_front();
        }
        let message = truncate_text(message, MAX_FAILURE_TEXT_BYTES).into_owned();
        self.0.push_back(HandlerLine { level: level.to_owned(), message });
    }

    pub(crate) fn take(&mut self) -> Vec<HandlerLine> {
        std::mem::take(&mut self.0).into()
    }
}

/// The log, for this process.
#[derive(Debug, Default)]
pub(crate) struct FailureLog {
    written: Mutex<WriteRate>,
}

/// What was written in the running second.
#[derive(Debug, Default)]
struct WriteRate {
    second_began: Option<Instant>,
    count: u32,
    not_logged: u64,
}

impl WriteRate {
    /// Counts a failure. Returns how many before it were not logged, if it may be.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.second_began.is_none_or(|began| now.duration_since(began) >= Duration::from_secs(1)) {
            (self.second_began, self.count) = (Some(now), 0);
        }
        if self.count >= MAX_FAILURES_LOGGED_PER_SECOND {
            self.not_logged += 1;
            return None;
        }
        self.count += 1;
        Some(std::mem::take(&mut self.not_logged))
    }
}

impl FailureLog {
    /// Logs a failure, unless there are too many. An error is for the server's log alone.
    pub(crate) fn record(&self, app_dir: &Folder, failure: HandlerFailure) {
        let admitted = self.written.lock().unwrap_or_else(PoisonError::into_inner).admit(Instant::now());
        let Some(not_logged) = admitted else { return };
        let failure = HandlerFailure {
            message: truncate_text(&failure.message, MAX_FAILURE_TEXT_BYTES).into_owned(),
            traceback: failure
                .traceback
                .as_deref()
                .map(|text| truncate_text(text, MAX_FAILURE_TEXT_BYTES).into_owned()),
            not_logged,
            ..failure
        };
        match append(app_dir, &failure) {
            Ok(()) => {}
            Err(AppDirError::Locked(_)) => {
                self.written.lock().unwrap_or_else(PoisonError::into_inner).not_logged += not_logged + 1;
            }
            Err(error) => tracing::warn!(%error, "cannot log the failure of a handler"),
        }
    }
}

fn append(app_dir: &Folder, failure: &HandlerFailure) -> Result<(), AppDirError> {
    let Ok(mut row) = serde_json::to_vec(failure) else { return Ok(()) };
    if row.len() > MAX_FAILURE_ROW_BYTES {
        // Control characters are written as six. The error matters most.
        let short = HandlerFailure { lines: Vec::new(), traceback: None, ..failure.clone() };
        row = serde_json::to_vec(&short).unwrap_or_default();
    }
    row.push(b'\n');
    let store = app_dir.create_folder(STORE_FOLDER)?;
    store.append_newest_rows(LOG_FILE, &row, Privacy::Owner, MAX_FAILURE_LOG_BYTES, FAILURE_LOG_TIMEOUT)
}

/// Returns the newest failures, the newest first; those of one entry, by its id or its name, or of all.
///
/// # Errors
/// When the log cannot be read. A log that is not there has no failure.
pub fn read_failures(app_dir: &Folder, entry: Option<&str>, most: usize) -> Result<Vec<HandlerFailure>, AppDirError> {
    let mut found = Vec::new();
    let visited = app_dir.visit_rows_backwards(&format!("{STORE_FOLDER}/{LOG_FILE}"), &|| false, |row| {
        if let VisitedRow::Row(row) = row
            && let Ok(failure) = serde_json::from_slice::<HandlerFailure>(row)
            && entry.is_none_or(|entry| is_meant(&failure.entry, entry))
        {
            found.push(failure);
        }
        if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match visited {
        Ok(()) | Err(AppDirError::NotFound(_)) => Ok(found),
        Err(error) => Err(error),
    }
}

/// Whether a person means the entry of this id, by it or by its name in its namespace.
fn is_meant(id: &str, name: &str) -> bool {
    id == name || id.split_once(':').is_some_and(|(_, own)| own == name)
}
