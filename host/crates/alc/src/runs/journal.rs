//! The journal of a run: every answer to its scripts, one JSON line each, written before the script sees the answer.
//!
//! Owns: the format, the buffer in memory until the first pause (no client knows the run's id before), and how a later
//! process parses a journal.
//! Never: changes a line that was written. A torn last line was never answered.

use std::collections::BTreeMap;
use std::io::{self, BufWriter};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::store::{FINISHED_SUFFIX, RunStore};
use crate::limits::JOURNAL_RESERVED_BYTES;
use crate::logs::LogEntry;
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_appdir::{AppDirError, JournalFile as File};
use wardroom_base::hex::encode_hex;
use wardroom_base::payload::Payload;

/// Size that a journal's lines may have, besides those at its end.
const MAX_LINES_BYTES: u64 = MAX_JOURNAL_BYTES - JOURNAL_RESERVED_BYTES;

/// Incremented when the meaning of the lines changes.
pub(super) const JOURNAL_FORMAT_VERSION: u32 = 2;
/// The first line: everything that a run depends on besides the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JournalHeader {
    pub(super) v: u32,
    /// The versions of the program and of Lua that produced the answers.
    pub(super) engine: String,
    pub(super) session: String,
    pub(super) started_ms: u64,
    pub(super) script: RunSpec,
}

/// A script and its inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunSpec {
    pub(super) source: ScriptSource,
    pub(super) context: Payload,
    pub(super) seed: u64,
    /// The strategy's package, as logs and evals name it.
    pub(super) strategy: Option<String>,
    /// Whether the result is an eval's report, which is stored.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) eval: bool,
}

impl RunSpec {
    /// The strategy's package, else what messages call the code.
    pub(super) fn name(&self) -> &str {
        match (&self.strategy, &self.source) {
            (Some(strategy), _) => strategy,
            (None, ScriptSource::Package(name) | ScriptSource::Code { name, .. }) => name,
        }
    }
}

/// Returns the whole lines of a journal that was read without its lock: another process may be writing the last one.
pub(super) fn whole_lines(journal: &[u8]) -> &[u8] {
    let end = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    journal.get(..end).unwrap_or_default()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScriptSource {
    Code { name: String, text: String },
    Package(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Every line after the header. `journal_line.rs` has its form in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JournalLine {
    /// A script made a call.
    Call(CallLine),
    /// The client answered a query. Times are for people, and no replay reads them; earlier servers wrote none.
    Reply { id: String, text: String, usage: Option<Value>, at_ms: Option<u64> },
    /// The run pauses with queries that are new to the client, after this processor time.
    Paused { processor_ms: u64, at_ms: Option<u64> },
    /// Branches computed while the run was paused, up to this processor time in all.
    Spent { processor_ms: u64 },
    /// A line of the run's log, which no replay looks at.
    Log(LogEntry),
    /// This number of each branch's writes is about to be stored, in these namespaces.
    Storing { write_counts: BTreeMap<String, u64>, namespaces: Vec<String> },
    /// How many writes of each branch are stored.
    Stored { write_counts: BTreeMap<String, u64> },
    /// The run's report is about to be stored as this eval, whose file has this digest.
    Report { id: String, digest: String },
    /// The run has finished, with this answer to the client.
    End { failed: bool, payload: Payload },
}

/// What became of a script's call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallLine {
    /// The path of the branch.
    pub(super) branch: String,
    /// The number of the call in its branch, from 0.
    pub(super) number: u64,
    pub(super) operation: String,
    /// Of the call and its arguments.
    pub(super) digest: String,
    pub(super) event: CallEvent,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallEvent {
    /// The script got this answer.
    Answer(Result<Payload, String>),
    /// A change is about to be made, and must not be made twice. The plan records the state before it.
    Announced(Payload),
    /// The script waits for the replies to these queries.
    Queries { ids: Vec<String>, asked: Vec<Payload> },
    /// The script waits for the branches that it forked.
    Fork,
}

/// A [`CallLine`] that is written: what it is about is not moved.
#[derive(Clone, Copy)]
pub(super) struct NewCallLine<'l> {
    pub(super) branch: &'l str,
    pub(super) number: u64,
    pub(super) operation: &'l str,
    pub(super) digest: &'l str,
    pub(super) event: NewCallEvent<'l>,
}

#[derive(Clone, Copy)]
pub(super) enum NewCallEvent<'l> {
    Answer(&'l Result<Payload, String>),
    Announced(&'l Payload),
    Queries { ids: &'l [String], asked: &'l [Payload] },
    Fork,
}

impl CallLine {
    /// Whether it is the answer to a fork.
    pub(super) fn is_fork_outcome(&self) -> bool {
        self.operation == "fork" && matches!(self.event, CallEvent::Answer(_))
    }

    pub(super) fn as_new(&self) -> NewCallLine<'_> {
        let event = match &self.event {
            CallEvent::Answer(answer) => NewCallEvent::Answer(answer),
            CallEvent::Announced(plan) => NewCallEvent::Announced(plan),
            CallEvent::Queries { ids, asked } => NewCallEvent::Queries { ids, asked },
            CallEvent::Fork => NewCallEvent::Fork,
        };
        NewCallLine {
            branch: &self.branch,
            number: self.number,
            operation: &self.operation,
            digest: &self.digest,
            event,
        }
    }
}

/// The destination of the lines.
pub(super) enum RunJournal {
    /// No client knows the run yet: a crash loses the run together with the call that started it.
    Buffered(Vec<u8>),
    OnDisk(File),
}

impl RunJournal {
    pub(super) fn new(header: &JournalHeader) -> Result<Self, AppDirError> {
        let mut buffer = Vec::new();
        write_line(&mut buffer, header)?;
        Ok(Self::Buffered(buffer))
    }

    /// Returns how many bytes are in memory.
    pub(super) const fn buffered_bytes(&self) -> usize {
        match self {
            Self::Buffered(buffer) => buffer.len(),
            Self::OnDisk(_) => 0,
        }
    }

    /// Whether another process may resume the run.
    pub(super) const fn is_on_disk(&self) -> bool {
        matches!(self, Self::OnDisk(_))
    }

    /// Returns the length of the journal on disk.
    pub(super) fn len_on_disk(&self) -> Option<u64> {
        match self {
            Self::Buffered(_) => None,
            Self::OnDisk(file) => Some(file.len()),
        }
    }

    /// Appends a line. Once the journal is on disk, the line outlasts the process.
    pub(super) fn append(&mut self, added: &JournalLine) -> Result<(), AppDirError> {
        self.append_all(std::slice::from_ref(added))
    }

    /// Appends several lines, all or none.
    pub(super) fn append_all(&mut self, added: &[JournalLine]) -> Result<(), AppDirError> {
        if added.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for added in added {
            write_line(&mut bytes, added)?;
        }
        // The last lines of a run have a place of their own.
        let is_end = matches!(
            added,
            [JournalLine::End { .. }
                | JournalLine::Report { .. }
                | JournalLine::Storing { .. }
                | JournalLine::Stored { .. }]
        );
        self.append_bytes(bytes, if is_end { MAX_JOURNAL_BYTES } else { MAX_LINES_BYTES })
    }

    /// Appends the line of a call.
    pub(super) fn append_call(&mut self, added: &NewCallLine<'_>) -> Result<(), AppDirError> {
        let mut bytes = Vec::new();
        write_line(&mut bytes, added)?;
        self.append_bytes(bytes, MAX_LINES_BYTES)
    }

    fn append_bytes(&mut self, mut bytes: Vec<u8>, limit: u64) -> Result<(), AppDirError> {
        let len = match self {
            Self::Buffered(buffer) => buffer.len() as u64,
            Self::OnDisk(file) => file.len(),
        };
        if len + bytes.len() as u64 > limit {
            return Err(AppDirError::TooLarge {
                name: "the journal of the run".into(),
                len: len + bytes.len() as u64,
                limit,
            });
        }
        match self {
            Self::Buffered(buffer) => buffer.append(&mut bytes),
            Self::OnDisk(file) => file.append(&bytes)?,
        }
        Ok(())
    }

    /// Flushes all lines to the disk, so that they outlast a power failure, before the client learns the run's id.
    pub(super) fn make_durable(&mut self, store: &RunStore, session: &str) -> Result<(), AppDirError> {
        if let Self::Buffered(buffer) = self {
            let mut file = store.create(session)?;
            let appended = file.append(buffer);
            if let Err(error) = appended.and_then(|()| file.flush()) {
                // The client never learns the run's id.
                let _ = file.discard();
                return Err(error);
            }
            *self = Self::OnDisk(file);
            return Ok(());
        }
        match self {
            Self::Buffered(_) => Ok(()),
            Self::OnDisk(file) => file.flush(),
        }
    }

    /// Unlocks the journal of a paused run, so that any process may resume the run.
    pub(super) fn unlock(&mut self) -> Result<(), AppDirError> {
        match self {
            Self::Buffered(_) => Ok(()),
            Self::OnDisk(file) => file.unlock(),
        }
    }

    /// Locks the journal again. Returns whether no other process has resumed the run meanwhile.
    pub(super) fn relock(&mut self) -> Result<bool, AppDirError> {
        match self {
            Self::Buffered(_) => Ok(true),
            Self::OnDisk(file) => file.relock(),
        }
    }

    /// Records the end of the run, if a client knows the run.
    pub(super) fn finish(&mut self, session: &str, end: &JournalLine) -> Result<(), AppDirError> {
        if matches!(self, Self::Buffered(_)) {
            return Ok(());
        }
        self.append(end)?;
        match self {
            Self::Buffered(_) => Ok(()),
            Self::OnDisk(file) => file.rename(&format!("{session}{FINISHED_SUFFIX}")),
        }
    }
}

fn write_line(bytes: &mut Vec<u8>, value: &impl Serialize) -> Result<(), AppDirError> {
    let failed = |error: serde_json::Error| AppDirError::Io { name: "a journal line".into(), source: error.into() };
    serde_json::to_writer(&mut *bytes, value).map_err(failed)?;
    bytes.push(b'\n');
    Ok(())
}

/// Returns the beginning of the paths of the branches that a call forks.
pub(super) fn child_path_prefix(path: &str, number: u64) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{number}-")
}

/// Returns a short digest of a call: a script that makes another call at the same position has diverged.
pub(super) fn call_digest(operation: &str, arguments: &impl Serialize) -> String {
    let mut hash = Sha256::new();
    hash.update(operation.as_bytes());
    hash.update([0]);
    // The worker sorts keys, so that equal arguments have equal text. It is streamed, since it may be large.
    let written = serde_json::to_writer(BufWriter::new(HashWriter(&mut hash)), arguments);
    debug_assert!(written.is_ok(), "a hash takes everything");
    encode_hex(hash.finalize().iter().take(12))
}

/// Writes to a hash.
struct HashWriter<'h>(&'h mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
