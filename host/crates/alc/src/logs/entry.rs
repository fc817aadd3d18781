//! A line of a run's log.
//!
//! Owns: its fields, as `alc_status`, logs and journals have them, and where its text is cut.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::limits::{MAX_RUN_FAILURE_BYTES, MAX_RUN_LOG_LINE_BYTES};
use wardroom_base::truncate::truncate_text;

/// The source of a line that says why a script failed.
const FAILURE: &str = "error";
/// The source of a line that says where a script was stopped. A replay need not stop it again.
const STOP: &str = "stopped";
/// The source of the line that ends a full log.
const SERVER: &str = "wardroom";

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Unix time in milliseconds.
    pub ts: u64,
    pub level: String,
    pub message: String,
    /// `print`, `alc.log`, `error` or `stopped`.
    pub source: String,
    /// The path of the fork that wrote it; empty for the run's own script.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
}

impl LogEntry {
    /// A line that a script wrote.
    pub(crate) fn written(ts: u64, branch: &str, level: &str, source: &str, message: &str) -> Self {
        Self::new(ts, branch, level, source, truncate_text(message, MAX_RUN_LOG_LINE_BYTES).into_owned())
    }

    /// Why a script failed, with the calls that led there.
    pub(crate) fn failure(ts: u64, branch: &str, message: &str, traceback: Option<&str>) -> Self {
        let text = match traceback {
            Some(traceback) if !traceback.is_empty() => format!("{message}\n{traceback}"),
            _ => message.to_owned(),
        };
        Self::new(ts, branch, "error", FAILURE, truncate_text(&text, MAX_RUN_FAILURE_BYTES).into_owned())
    }

    /// Why a script was stopped, and where it stood.
    pub(crate) fn stop(ts: u64, branch: &str, reason: &str, place: &str) -> Self {
        let text = format!("{reason}; it stood {place}");
        Self::new(ts, branch, "error", STOP, truncate_text(&text, MAX_RUN_FAILURE_BYTES).into_owned())
    }

    /// The last line of a log that is full.
    pub(crate) fn end_of_log(ts: u64) -> Self {
        Self::new(ts, "", "warn", SERVER, "the log is full: what follows is not kept".to_owned())
    }

    /// Returns the time as text, in UTC.
    #[must_use]
    pub fn time(&self) -> String {
        let time = i64::try_from(self.ts).ok().and_then(DateTime::<Utc>::from_timestamp_millis).unwrap_or_default();
        time.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// Returns the text that precedes a fork's line for a reader. It is empty for the root strategy.
    #[must_use]
    pub fn branch_prefix(&self) -> String {
        if self.branch.is_empty() { String::new() } else { format!("[fork {}] ", self.branch) }
    }

    /// Whether the line ends a log that is full.
    pub(crate) fn ends_log(&self) -> bool {
        self.source == SERVER
    }

    fn new(ts: u64, branch: &str, level: &str, source: &str, message: String) -> Self {
        Self { ts, level: level.to_owned(), message, source: source.to_owned(), branch: branch.to_owned() }
    }

    /// Whether a replay writes the line again.
    pub(crate) fn is_repeated(&self) -> bool {
        self.source != STOP && self.source != SERVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_has_its_traceback() {
        let failure = LogEntry::failure(1, "1.0", "main:3: no", Some("stack traceback:\n\tmain:3: in f"));
        assert_eq!(failure.message, "main:3: no\nstack traceback:\n\tmain:3: in f");
        assert_eq!(
            (failure.level.as_str(), failure.source.as_str(), failure.branch.as_str()),
            ("error", "error", "1.0")
        );
    }

    #[test]
    fn long_line_is_cut_at_a_character() {
        let line = LogEntry::written(1, "", "info", "print", &"ä".repeat(MAX_RUN_LOG_LINE_BYTES));
        assert_eq!(line.message, format!("{}…", "ä".repeat(MAX_RUN_LOG_LINE_BYTES / 2)));
    }
}
