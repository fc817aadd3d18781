//! Which changes of a namespace were made, for runs whose process died while it made one.
//!
//! Owns: `state/.{namespace}.changes`, beside the namespace, where the original's readers do not look. Under the
//! namespace's lock a line says what a change is about to make of it; whoever changes the namespace next compares that with
//! what is there, and adds a line that says whether it was made. So a change that was made stays known, whatever others
//! did to the namespace since.
//! Never: grows beyond a bound, or is flushed for its own sake: what a run's journal has may be lost with the power, too.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::StateNamespace;
use crate::limits::MAX_STATE_CHANGE_LOG_BYTES;
use wardroom_appdir::{AppDirError, Folder, JournalFile, Privacy};
use wardroom_base::hex::encode_hex;

/// A change that is to be found again.
#[derive(Debug, Clone)]
pub(super) struct ChangeRecord<'a> {
    pub(super) id: &'a str,
    pub(super) answer: &'a Value,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum ApplyStatus {
    /// It answered this.
    Applied(Value),
    NotApplied,
    /// Too much has happened since, or somebody changed the namespace without a lock.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum StateChangeLine {
    /// What the namespace is, and what this change makes of it.
    Change { id: String, before: String, after: String, answer: Value },
    /// What came of the change before; nothing where nobody can tell.
    Came { made: Option<bool> },
    /// There were lines before.
    Cut,
}

/// The changes of one namespace, for who holds its lock.
pub(super) struct StateChangeLog<'f> {
    folder: &'f Folder,
    file_name: String,
    file: Option<JournalFile>,
    lines: Vec<StateChangeLine>,
}

impl<'f> StateChangeLog<'f> {
    /// Those that were noted so far.
    pub(super) fn open(folder: &'f Folder, namespace: &StateNamespace) -> Result<Self, AppDirError> {
        let name = format!(".{namespace}.changes");
        let file = match folder.stat(&name) {
            Err(AppDirError::NotFound(_)) => None,
            found => found.and_then(|_| folder.open_journal(&name)).map(Some)?,
        };
        let bytes =
            file.as_ref().map(|file| file.read(2 * MAX_STATE_CHANGE_LOG_BYTES)).transpose()?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok(Self { folder, file_name: name, file, lines })
    }

    /// Notes that the namespace is about to become `after`. Nothing is noted where nobody will ask.
    pub(super) fn record(
        &mut self,
        before: &str,
        after: &str,
        named: Option<&ChangeRecord>,
    ) -> Result<(), AppDirError> {
        let mut noted: Vec<StateChangeLine> = self.pending_outcome(&text_digest(before)).into_iter().collect();
        noted.extend(named.map(|ChangeRecord { id, answer }| StateChangeLine::Change {
            id: (*id).to_owned(),
            before: text_digest(before),
            after: text_digest(after),
            answer: (*answer).clone(),
        }));
        if noted.is_empty() {
            return Ok(());
        }
        self.compact()?;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.folder.create_journal(&self.file_name, Privacy::Owner)?),
        };
        file.append(&encode_lines(&noted))?;
        self.lines.append(&mut noted);
        Ok(())
    }

    /// What came of the last change, where no line says it yet.
    fn pending_outcome(&self, now: &str) -> Option<StateChangeLine> {
        match self.lines.last() {
            Some(StateChangeLine::Change { before, after, .. }) => {
                Some(StateChangeLine::Came { made: infer_applied(before, after, now) })
            }
            Some(StateChangeLine::Came { .. } | StateChangeLine::Cut) | None => None,
        }
    }

    /// What became of a change of that name, the namespace being `now`.
    pub(super) fn apply_status(&self, id: &str, now: &str) -> ApplyStatus {
        let is_it = |line: &StateChangeLine| matches!(line, StateChangeLine::Change { id: known, .. } if known == id);
        let Some(at) = self.lines.iter().rposition(is_it) else {
            return if self.lines.first() == Some(&StateChangeLine::Cut) {
                ApplyStatus::Unknown
            } else {
                ApplyStatus::NotApplied
            };
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

    /// Leaves the newer half of what has become too much.
    fn compact(&mut self) -> Result<(), AppDirError> {
        if self.file.as_ref().is_none_or(|file| file.len() < MAX_STATE_CHANGE_LOG_BYTES) {
            return Ok(());
        }
        let mut kept = vec![StateChangeLine::Cut];
        kept.extend(self.lines.drain(self.lines.len() / 2..));
        self.folder.write(&self.file_name, &encode_lines(&kept), Privacy::Owner)?;
        self.file = Some(self.folder.open_journal(&self.file_name)?);
        self.lines = kept;
        Ok(())
    }
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

/// Of a namespace's text; of none that of an empty one.
fn text_digest(text: &str) -> String {
    encode_hex(Sha256::digest(text.as_bytes()).iter().take(12))
}
