//! The log of a namespace's changes, by which a replay finds out whether a process that died made its change.
//!
//! Owns: `state/.{namespace}.changes`, beside the namespace, where the original's readers do not look. Under the
//! namespace's lock, a line records the digests of the namespace before and after a change that is about to be made.
//! The next writer compares them with the file and appends a line that says whether the change was made. A change that
//! was made therefore stays known, whatever others change later.
//! Never: grows beyond a bound, or is flushed to the disk for its own sake: a power failure may lose a run's journal,
//! too.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::StateNamespace;
use crate::limits::MAX_STATE_CHANGE_LOG_BYTES;
use wardroom_appdir::{AppDirError, Folder, JournalFile, Privacy};
use wardroom_base::hex::encode_hex;
use wardroom_base::payload;
use wardroom_base::unix_time;

/// A change that a later process can look up.
#[derive(Debug, Clone)]
pub(super) struct ChangeRecord<'a> {
    pub(super) id: &'a str,
    pub(super) answer: &'a Value,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum ApplyStatus {
    /// The change was made, with this answer.
    Applied(Value),
    NotApplied,
    /// Too many changes were made since it was announced, or the namespace was changed without the lock.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum StateChangeLine {
    /// The digests of the namespace before and after this change, and its number, from 1. Earlier versions wrote no number.
    Change { id: String, before: String, after: String, answer: Value, n: Option<u64> },
    /// Whether the change before was made; absent where that is unknown.
    Came { made: Option<bool> },
    /// Older lines were removed: those of the changes up to this number, if that is known. A line that cannot be read counts as
    /// one where it is not.
    Cut { removed: Option<u64> },
}

/// The change log of one namespace, for the holder of its lock.
pub(super) struct StateChangeLog<'f> {
    folder: &'f Folder,
    file_name: String,
    file: Option<JournalFile>,
    lines: Vec<StateChangeLine>,
}

impl<'f> StateChangeLog<'f> {
    /// Opens the log and reads its lines.
    pub(super) fn open(folder: &'f Folder, namespace: &StateNamespace) -> Result<Self, AppDirError> {
        let name = file_name(namespace);
        let file = match folder.stat(&name) {
            Err(AppDirError::NotFound(_)) => None,
            found => found.and_then(|_| folder.open_journal(&name)).map(Some)?,
        };
        let bytes =
            file.as_ref().map(|file| file.read(2 * MAX_STATE_CHANGE_LOG_BYTES)).transpose()?.unwrap_or_default();
        let lines = parse_lines(&bytes).collect();
        Ok(Self { folder, file_name: name, file, lines })
    }

    /// Returns how many changes the log of a namespace has had at this moment, without its lock: a later change has a greater
    /// number. `None` where an earlier version wrote it.
    pub(super) fn count_changes(folder: &Folder, namespace: &StateNamespace) -> Result<Option<u64>, AppDirError> {
        let read = match folder.read(&file_name(namespace), 2 * MAX_STATE_CHANGE_LOG_BYTES) {
            Err(AppDirError::NotFound(_)) => return Ok(Some(0)),
            read => read?.bytes,
        };
        Ok(number_of_last(parse_lines(&read).rev()))
    }

    /// Records that the namespace is about to become `after`. A change without an id is not recorded.
    pub(super) fn record(
        &mut self,
        before: &str,
        after: &str,
        named: Option<&ChangeRecord>,
    ) -> Result<(), AppDirError> {
        let outcome = self.pending_outcome(before);
        if outcome.is_none() && named.is_none() {
            return Ok(());
        }
        self.compact()?;
        let mut new_lines: Vec<StateChangeLine> = outcome.into_iter().collect();
        new_lines.extend(named.map(|ChangeRecord { id, answer }| StateChangeLine::Change {
            id: (*id).to_owned(),
            before: text_digest(before),
            after: text_digest(after),
            answer: (*answer).clone(),
            n: number_of_last(self.lines.iter().rev()).map(|last| last + 1),
        }));
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.folder.create_journal(&self.file_name, Privacy::Owner)?),
        };
        file.append(&encode_lines(&new_lines))?;
        self.lines.append(&mut new_lines);
        Ok(())
    }

    /// Returns the outcome of the last change, if no line records it yet.
    fn pending_outcome(&self, now: &str) -> Option<StateChangeLine> {
        match self.lines.last() {
            Some(StateChangeLine::Change { before, after, .. }) => {
                Some(StateChangeLine::Came { made: infer_applied(before, after, &text_digest(now)) })
            }
            Some(StateChangeLine::Came { .. } | StateChangeLine::Cut { .. }) | None => None,
        }
    }

    /// Returns the outcome of the change with this id, where `now` is the namespace's text, and the change was announced when
    /// the log had had `earlier` changes, if that is known.
    pub(super) fn apply_status(&self, id: &str, earlier: Option<u64>, now: &str) -> ApplyStatus {
        let is_it = |line: &StateChangeLine| matches!(line, StateChangeLine::Change { id: known, .. } if known == id);
        let Some(at) = self.lines.iter().rposition(is_it) else {
            // Its line would be one of those that are left.
            let is_left = |line: &StateChangeLine| match line {
                StateChangeLine::Cut { removed } => earlier.zip(*removed).is_some_and(|(n, removed)| n >= removed),
                StateChangeLine::Change { .. } | StateChangeLine::Came { .. } => true,
            };
            return if self.lines.iter().all(is_left) { ApplyStatus::NotApplied } else { ApplyStatus::Unknown };
        };
        let made = match (self.lines.get(at), self.lines.get(at + 1)) {
            (_, Some(StateChangeLine::Came { made })) => *made,
            (Some(StateChangeLine::Change { before, after, .. }), None) => {
                infer_applied(before, after, &text_digest(now))
            }
            _ => None,
        };
        match (made, self.lines.get(at)) {
            (Some(true), Some(StateChangeLine::Change { answer, .. })) => ApplyStatus::Applied(answer.clone()),
            (Some(false), _) => ApplyStatus::NotApplied,
            _ => ApplyStatus::Unknown,
        }
    }

    /// Keeps the newer half of a log that has reached its limit.
    fn compact(&mut self) -> Result<(), AppDirError> {
        if self.file.as_ref().is_none_or(|file| file.len() < MAX_STATE_CHANGE_LOG_BYTES) {
            return Ok(());
        }
        let newer = self.lines.split_off(self.lines.len() / 2);
        let removed = number_of_last(self.lines.iter().rev());
        let mut kept = vec![StateChangeLine::Cut { removed }];
        kept.extend(newer);
        if removed.is_none() {
            // Of an earlier version: the numbers begin here, above all that were announced before.
            let changes = kept.iter_mut().filter_map(|line| match line {
                StateChangeLine::Change { n, .. } => Some(n),
                StateChangeLine::Came { .. } | StateChangeLine::Cut { .. } => None,
            });
            changes.zip(unix_time::now_ms()..).for_each(|(n, number)| *n = Some(number));
        }
        self.folder.write(&self.file_name, &encode_lines(&kept), Privacy::Owner)?;
        self.file = Some(self.folder.open_journal(&self.file_name)?);
        self.lines = kept;
        Ok(())
    }
}

fn file_name(namespace: &StateNamespace) -> String {
    format!(".{namespace}.changes")
}

/// Parses the whole lines of a log. A last one without an end is of a process that was killed before it made the change.
fn parse_lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = StateChangeLine> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| payload::parse_stored(line).unwrap_or(StateChangeLine::Cut { removed: None }))
}

/// Returns the number of the newest change of a log, whose lines come from the newest to the oldest.
fn number_of_last<L: Borrow<StateChangeLine>>(lines: impl Iterator<Item = L>) -> Option<u64> {
    for line in lines {
        match line.borrow() {
            StateChangeLine::Change { n, .. } => return *n,
            StateChangeLine::Cut { removed } => return *removed,
            StateChangeLine::Came { .. } => {}
        }
    }
    Some(0)
}

fn infer_applied(before: &str, after: &str, now: &str) -> Option<bool> {
    if now == after {
        Some(true)
    } else if now == before {
        Some(false)
    } else {
        None
    }
}

fn encode_lines(lines: &[StateChangeLine]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{}\n", serde_json::json!(line)).into_bytes()).collect()
}

/// Returns the digest of a namespace's text; a missing namespace counts as empty text.
fn text_digest(text: &str) -> String {
    encode_hex(Sha256::digest(text.as_bytes()).iter().take(12))
}
