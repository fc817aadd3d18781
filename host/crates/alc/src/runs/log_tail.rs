//! The log of a stored run, from some place of its journal on, so that a person can follow it.
//!
//! Owns: which lines of the journal are whole, and which of them are the log and the end.
//! Never: locks a journal, or holds more of it than one line.

use super::journal::JournalLine;
use super::store::RunStore;
use crate::limits::MAX_RUN_FAILURE_BYTES;
use crate::logs::LogEntry;
use wardroom_appdir::{AppDirError, PositionedFile};
use wardroom_base::payload::{self, Payload};

/// What was added to a run's log.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LogNews {
    pub entries: Vec<LogEntry>,
    /// Of a run that has ended: why it failed, if it did.
    pub end: Option<Result<(), String>>,
}

/// How far a journal is read.
#[derive(Debug, Default)]
pub struct LogPosition(u64);

/// A longer line is no part of the log: JSON takes up to six bytes for one of a text.
const MAX_LINE_BYTES: usize = 8 * MAX_RUN_FAILURE_BYTES;
const READ_BYTES: usize = 256 * 1024;
/// With what such lines begin, since the kind is the first field that is written.
const LOG_START: &[u8] = b"{\"t\":\"log\"";
const END_START: &[u8] = b"{\"t\":\"end\"";
const FAILED_END_START: &[u8] = b"{\"t\":\"end\",\"failed\":true";

impl RunStore {
    /// Reads what a run's log has since a position, and moves that on. A line that a process is writing comes the next
    /// time.
    ///
    /// # Errors
    /// When there is no such run.
    pub fn read_log(&self, run_id: &str, position: &mut LogPosition) -> Result<LogNews, AppDirError> {
        let file = self.open_unlocked(run_id)?;
        let mut news = LogNews::default();
        let (mut at, mut line, mut is_too_long) = (position.0, Vec::new(), false);
        let mut piece = vec![0; READ_BYTES];
        while at < file.len() {
            let wanted = usize::try_from(file.len() - at).unwrap_or(READ_BYTES).min(READ_BYTES);
            let Some(read) = piece.get_mut(..wanted) else { break };
            file.read_at(read, at)?;
            for part in read.split_inclusive(|byte| *byte == b'\n') {
                if line.len() + part.len() <= MAX_LINE_BYTES {
                    line.extend_from_slice(part);
                } else if !is_too_long {
                    let kept = MAX_LINE_BYTES.saturating_sub(line.len());
                    line.extend_from_slice(part.get(..kept).unwrap_or_default());
                    is_too_long = true;
                }
                at += part.len() as u64;
                if part.ends_with(b"\n") {
                    news.add_line(&line, is_too_long);
                    line.clear();
                    is_too_long = false;
                    position.0 = at;
                }
            }
        }
        Ok(news)
    }

    fn open_unlocked(&self, run_id: &str) -> Result<PositionedFile, AppDirError> {
        match self.open_positioned(run_id, false) {
            Err(AppDirError::NotFound(_)) => self.open_positioned(run_id, true),
            opened => opened,
        }
    }
}

impl LogNews {
    fn add_line(&mut self, line: &[u8], is_too_long: bool) {
        if line.starts_with(LOG_START) {
            if let Ok(JournalLine::Log(entry)) = payload::parse_stored(line) {
                self.entries.push(entry);
            }
        } else if line.starts_with(END_START) {
            self.end = Some(match is_too_long {
                false => end_of(line),
                true if line.starts_with(FAILED_END_START) => Err("its error is too long to show".to_owned()),
                true => Ok(()),
            });
        }
    }
}

fn end_of(line: &[u8]) -> Result<(), String> {
    let Ok(JournalLine::End { failed: true, payload }) = payload::parse_stored(line) else { return Ok(()) };
    let error = payload.field("error").and_then(|error| error.into_typed::<String>().ok());
    Err(error.unwrap_or_else(|| status_of(&payload)))
}

fn status_of(payload: &Payload) -> String {
    payload.field("status").and_then(|status| status.into_typed::<String>().ok()).unwrap_or_default()
}
