//! The log of a run: what its scripts print and log, and why they failed, as lines of its journal.
//!
//! Owns: the bounds of the log, which of its lines an earlier process wrote, and how a later process reads them.
//! Never: changes what a replay computes, or stops a run because its log cannot be written.

use std::collections::HashMap;

use super::journal::JournalLine;
use crate::limits::{MAX_JOURNALED_LOG_BYTES, MAX_JOURNALED_LOG_LINES};
use crate::logs::LogEntry;

/// What of the log is in the journal.
#[derive(Debug, Default)]
pub(super) struct RunLog {
    /// The lines of each branch that an earlier process wrote and the replay has not reached.
    written: HashMap<String, usize>,
    n_lines: usize,
    n_bytes: usize,
    is_full: bool,
}

impl RunLog {
    /// The log of a run that is replayed.
    pub(super) fn restore(entries: &[LogEntry]) -> Self {
        let mut log = Self::default();
        for entry in entries {
            log.n_lines += 1;
            log.n_bytes += entry.message.len();
            log.is_full |= entry.ends_log();
            if entry.is_repeated() {
                *log.written.entry(entry.branch.clone()).or_default() += 1;
            }
        }
        log
    }

    /// Whether an earlier process wrote this line of a branch: its scripts write the same lines in the same order.
    pub(super) fn is_known(&mut self, entry: &LogEntry) -> bool {
        let left = self.written.get_mut(&entry.branch).filter(|left| entry.is_repeated() && **left > 0);
        left.map(|left| *left -= 1).is_some()
    }

    /// Returns the line for the journal: of the line that fills the log, one that says so; `None` once it is full.
    pub(super) fn line_of(&mut self, entry: &LogEntry) -> Option<JournalLine> {
        if self.is_full {
            return None;
        }
        self.n_lines += 1;
        self.n_bytes += entry.message.len();
        self.is_full = self.n_lines > MAX_JOURNALED_LOG_LINES || self.n_bytes > MAX_JOURNALED_LOG_BYTES;
        Some(JournalLine::Log(if self.is_full { LogEntry::end_of_log(entry.ts) } else { entry.clone() }))
    }

    /// Lets no more lines into the journal.
    pub(super) const fn close(&mut self) {
        self.is_full = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(branch: &str, message: &str) -> LogEntry {
        LogEntry::written(1, branch, "info", "print", message)
    }

    fn journaled(log: &mut RunLog, entry: &LogEntry) -> Option<LogEntry> {
        match log.line_of(entry)? {
            JournalLine::Log(entry) => Some(entry),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn replay_repeats_the_lines_of_each_branch_once() {
        let stop = LogEntry::stop(1, "0.0", "it took too long", "before its first call");
        let mut log = RunLog::restore(&[entry("", "a"), entry("0.0", "b"), stop.clone(), entry("", "c")]);
        assert!(log.is_known(&entry("0.0", "b")) && !log.is_known(&entry("0.0", "new")));
        assert!(!log.is_known(&stop));
        assert!(log.is_known(&entry("", "a")) && log.is_known(&entry("", "c")) && !log.is_known(&entry("", "d")));
    }

    #[test]
    fn closed_log_takes_no_line() {
        let mut log = RunLog::default();
        assert!(log.line_of(&entry("", "a")).is_some());
        log.close();
        assert!(log.line_of(&entry("", "b")).is_none());
    }

    #[test]
    fn full_log_says_so_once_and_stays_full() {
        let mut log = RunLog::default();
        for number in 0..MAX_JOURNALED_LOG_LINES {
            assert_eq!(journaled(&mut log, &entry("", "x")).unwrap().source, "print", "{number}");
        }
        let last = journaled(&mut log, &entry("", "x")).unwrap();
        assert!(last.ends_log());
        assert!(log.line_of(&entry("", "x")).is_none());
        assert!(RunLog::restore(&[last]).line_of(&entry("", "x")).is_none());
        let mut log = RunLog::default();
        let n_lines = (0..).take_while(|_| !journaled(&mut log, &entry("", &"x".repeat(5_000))).unwrap().ends_log());
        assert_eq!(n_lines.count(), MAX_JOURNALED_LOG_BYTES / entry("", &"x".repeat(5_000)).message.len());
    }
}
