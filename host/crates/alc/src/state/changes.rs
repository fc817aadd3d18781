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

use super::Namespace;
use wardroom_appdir::{AppDirError, Folder, Journal, Privacy};
use wardroom_base::hex::hex;
use wardroom_base::limits::MAX_STATE_CHANGES_BYTES;

/// A change that is to be found again.
#[derive(Debug, Clone)]
pub(super) struct Named<'a> {
    pub(super) id: &'a str,
    pub(super) answer: &'a Value,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// It answered this.
    Yes(Value),
    No,
    /// Too much has happened since, or somebody changed the namespace without a lock.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum Line {
    /// What the namespace is, and what this change makes of it.
    Change { id: String, before: String, after: String, answer: Value },
    /// What came of the change before; nothing where nobody can tell.
    Came { made: Option<bool> },
    /// There were lines before.
    Cut,
}

/// The changes of one namespace, for who holds its lock.
pub(super) struct Changes<'f> {
    folder: &'f Folder,
    name: String,
    file: Option<Journal>,
    lines: Vec<Line>,
}

impl<'f> Changes<'f> {
    /// Those that were noted so far.
    pub(super) fn open(folder: &'f Folder, namespace: &Namespace) -> Result<Self, AppDirError> {
        let name = format!(".{namespace}.changes");
        let file = match folder.stat(&name) {
            Err(AppDirError::NotFound(_)) => None,
            found => found.and_then(|_| folder.open_journal(&name)).map(Some)?,
        };
        let bytes = file.as_ref().map(|file| file.read(2 * MAX_STATE_CHANGES_BYTES)).transpose()?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok(Self { folder, name, file, lines })
    }

    /// Notes that the namespace is about to become `after`. Nothing is noted where nobody will ask.
    pub(super) fn note(&mut self, before: &str, after: &str, named: Option<&Named>) -> Result<(), AppDirError> {
        let mut noted: Vec<Line> = self.open_end(&digest(before)).into_iter().collect();
        noted.extend(named.map(|Named { id, answer }| Line::Change {
            id: (*id).to_owned(),
            before: digest(before),
            after: digest(after),
            answer: (*answer).clone(),
        }));
        if noted.is_empty() {
            return Ok(());
        }
        self.shorten()?;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.folder.create_journal(&self.name, Privacy::Owner)?),
        };
        file.append(&text(&noted))?;
        self.lines.append(&mut noted);
        Ok(())
    }

    /// What came of the last change, where no line says it yet.
    fn open_end(&self, now: &str) -> Option<Line> {
        match self.lines.last() {
            Some(Line::Change { before, after, .. }) => Some(Line::Came { made: verdict(before, after, now) }),
            Some(Line::Came { .. } | Line::Cut) | None => None,
        }
    }

    /// What became of a change of that name, the namespace being `now`.
    pub(super) fn made(&self, id: &str, now: &str) -> Made {
        let is_it = |line: &Line| matches!(line, Line::Change { id: known, .. } if known == id);
        let Some(at) = self.lines.iter().rposition(is_it) else {
            return if self.lines.first() == Some(&Line::Cut) { Made::Unknown } else { Made::No };
        };
        let made = match (self.lines.get(at), self.lines.get(at + 1)) {
            (_, Some(Line::Came { made })) => *made,
            (Some(Line::Change { before, after, .. }), None) => verdict(before, after, &digest(now)),
            _ => None,
        };
        match (made, self.lines.get(at)) {
            (Some(true), Some(Line::Change { answer, .. })) => Made::Yes(answer.clone()),
            (Some(false), _) => Made::No,
            _ => Made::Unknown,
        }
    }

    /// Leaves the newer half of what has become too much.
    fn shorten(&mut self) -> Result<(), AppDirError> {
        if self.file.as_ref().is_none_or(|file| file.len() < MAX_STATE_CHANGES_BYTES) {
            return Ok(());
        }
        let mut kept = vec![Line::Cut];
        kept.extend(self.lines.drain(self.lines.len() / 2..));
        self.folder.write(&self.name, &text(&kept), Privacy::Owner)?;
        self.file = Some(self.folder.open_journal(&self.name)?);
        self.lines = kept;
        Ok(())
    }
}

fn verdict(before: &str, after: &str, now: &str) -> Option<bool> {
    if now == after {
        Some(true)
    } else if now == before {
        Some(false)
    } else {
        None
    }
}

fn text(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{}\n", serde_json::json!(line)).into_bytes()).collect()
}

/// Of a namespace's text; of none that of an empty one.
fn digest(text: &str) -> String {
    hex(Sha256::digest(text.as_bytes()).iter().take(12))
}
