//! The journal of a run: every answer that its scripts received, one JSON line each, before they see it.
//!
//! Owns: the format, what is kept in memory until the first pause (nobody can name the run before), and what of a journal
//! a later process reads back.
//! Never: changes a line that was written; a torn last one was never answered.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{self, BufWriter};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::live_status::{LiveStatus, LlmQuery, RunBudget};
use crate::evals::EvalTarget;
use crate::limits::JOURNAL_RESERVED_BYTES;
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_appdir::{AppDirError, Folder, JournalFile as File, Privacy};
use wardroom_base::hex::encode_hex;

/// Changes when a journal means something else.
pub(super) const JOURNAL_FORMAT_VERSION: u32 = 1;
/// Where journals are, in the AppDir.
pub(super) const JOURNAL_DIR: &str = "runs";

/// How the name of a journal ends whose run waits, and of one whose run is over.
pub(super) const PAUSED_SUFFIX: &str = ".jsonl";
pub(super) const FINISHED_SUFFIX: &str = ".over.jsonl";

/// The first line: everything that a run depends on beside the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JournalHeader {
    pub(super) v: u32,
    /// The program and the Lua whose behaviour the answers belong to.
    pub(super) engine: String,
    pub(super) session: String,
    pub(super) started_ms: u64,
    pub(super) script: RunSpec,
}

/// What runs, and with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunSpec {
    pub(super) source: ScriptSource,
    pub(super) context: Value,
    pub(super) seed: u64,
    /// The package that runs, as logs and evals name it.
    pub(super) strategy: Option<String>,
    /// The result is an eval's report, to be stored as one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) eval: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScriptSource {
    Code { name: String, text: String },
    Package(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Any further line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub(super) enum JournalLine {
    /// A script asked and got an answer.
    Answer {
        /// Which strand of the run, and its how manieth question.
        s: String,
        n: u64,
        /// What was asked: the operation, and a digest of its arguments.
        op: String,
        q: String,
        #[serde(flatten)]
        got: JournalAnswer,
    },
    /// A change is about to be made, which is not repeated: how things stood before.
    Announced { s: String, n: u64, op: String, q: String, plan: Value },
    /// A script waits for what these queries bring.
    Queries { s: String, n: u64, q: String, ids: Vec<String>, asked: Vec<Value> },
    /// A script waits for strands of its own.
    Fork { s: String, n: u64, q: String },
    /// The client answered a query.
    Reply { id: String, text: String, usage: Option<Value> },
    /// The client is told of queries that it was not told of.
    Paused,
    /// So many of each strand's posted changes are about to be stored, in these namespaces.
    Storing { posts: BTreeMap<String, u64>, namespaces: Vec<String> },
    /// How many of each strand's posted changes are in the stores.
    Stored { posts: BTreeMap<String, u64> },
    /// The run's report is about to be stored as this eval, whose file has this digest.
    Report { id: String, digest: String },
    /// The run is over: what the client was told.
    End { failed: bool, payload: Value },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum JournalAnswer {
    Ok(Value),
    Err(String),
}

impl From<Result<Value, String>> for JournalAnswer {
    fn from(result: Result<Value, String>) -> Self {
        match result {
            Ok(value) => Self::Ok(value),
            Err(message) => Self::Err(message),
        }
    }
}

impl From<JournalAnswer> for Result<Value, String> {
    fn from(got: JournalAnswer) -> Self {
        match got {
            JournalAnswer::Ok(value) => Ok(value),
            JournalAnswer::Err(message) => Err(message),
        }
    }
}

/// Where the lines go.
pub(super) enum RunJournal {
    /// No client knows the run yet: what is lost with the process is lost with the call that started it.
    Buffered(Vec<u8>),
    OnDisk(File),
}

impl RunJournal {
    pub(super) fn new(header: &JournalHeader) -> Result<Self, AppDirError> {
        let mut held = Vec::new();
        write_line(&mut held, header)?;
        Ok(Self::Buffered(held))
    }

    /// Whether another process may carry the run on.
    pub(super) const fn is_on_disk(&self) -> bool {
        matches!(self, Self::OnDisk(_))
    }

    /// Adds a line. A process that is killed now loses nothing of it, once the run was named.
    pub(super) fn append(&mut self, added: &JournalLine) -> Result<(), AppDirError> {
        self.append_all(std::slice::from_ref(added))
    }

    /// Adds several lines, all or none.
    pub(super) fn append_all(&mut self, added: &[JournalLine]) -> Result<(), AppDirError> {
        if added.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for added in added {
            write_line(&mut bytes, added)?;
        }
        let is_end = matches!(
            added,
            [JournalLine::End { .. }
                | JournalLine::Report { .. }
                | JournalLine::Storing { .. }
                | JournalLine::Stored { .. }]
        );
        let limit = if is_end { MAX_JOURNAL_BYTES } else { MAX_JOURNAL_BYTES - JOURNAL_RESERVED_BYTES };
        let len = match self {
            Self::Buffered(held) => held.len() as u64,
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
            Self::Buffered(held) => held.append(&mut bytes),
            Self::OnDisk(file) => file.append(&bytes)?,
        }
        Ok(())
    }

    /// Makes everything outlast the machine's loss of power; the run is about to be named.
    pub(super) fn make_durable(&mut self, app: &Folder, session: &str) -> Result<(), AppDirError> {
        if let Self::Buffered(held) = self {
            let mut file = create_journal_file(app, session)?;
            let appended = file.append(held);
            if let Err(error) = appended.and_then(|()| file.flush()) {
                // Nobody will be told its name.
                let _ = file.remove();
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

    /// The run waits, here and in any other process that takes it.
    pub(super) fn unlock(&mut self) -> Result<(), AppDirError> {
        match self {
            Self::Buffered(_) => Ok(()),
            Self::OnDisk(file) => file.unlock(),
        }
    }

    /// The run goes on here; whether it did nowhere else meanwhile.
    pub(super) fn relock(&mut self) -> Result<bool, AppDirError> {
        match self {
            Self::Buffered(_) => Ok(true),
            Self::OnDisk(file) => file.relock(),
        }
    }

    /// Writes down that the run is over, where anybody knows of it.
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

fn create_journal_file(app: &Folder, session: &str) -> Result<File, AppDirError> {
    let name = journal_file_name(session, false);
    match app.create_journal(&name, Privacy::Owner) {
        Err(AppDirError::NotFound(_)) => {
            app.create_folder(JOURNAL_DIR)?;
            app.create_journal(&name, Privacy::Owner)
        }
        created => created,
    }
}

/// The name of a journal whose run waits, or of one whose run is over.
pub(super) fn journal_file_name(session: &str, is_over: bool) -> String {
    format!("{JOURNAL_DIR}/{session}{}", if is_over { FINISHED_SUFFIX } else { PAUSED_SUFFIX })
}

fn write_line(bytes: &mut Vec<u8>, value: &impl Serialize) -> Result<(), AppDirError> {
    let failed = |error: serde_json::Error| AppDirError::Io { name: "a journal line".into(), source: error.into() };
    serde_json::to_writer(&mut *bytes, value).map_err(failed)?;
    bytes.push(b'\n');
    Ok(())
}

/// How the names of the strands begin that a strand's question forks.
pub(super) fn child_path_prefix(strand: &str, question: u64) -> String {
    let dot = if strand.is_empty() { "" } else { "." };
    format!("{strand}{dot}{question}-")
}

/// What was asked, short: a run that asks for something else at the same place is another run.
pub(super) fn call_digest(operation: &str, arguments: &Value) -> String {
    let mut hash = Sha256::new();
    hash.update(operation.as_bytes());
    hash.update([0]);
    // Keys are sorted, so that the same arguments have the same text. It is never there as a whole: it may be large.
    let written = serde_json::to_writer(BufWriter::new(HashWriter(&mut hash)), arguments);
    debug_assert!(written.is_ok(), "a hash takes everything");
    encode_hex(hash.finalize().iter().take(12))
}

/// A hash as something that is written to.
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

/// Posted changes that may be in the stores: of each strand so many, in these namespaces.
pub(super) struct StateFlush {
    pub(super) write_counts: BTreeMap<String, u64>,
    pub(super) namespaces: Vec<String>,
}

/// A journal that was read back.
pub(super) struct ReplayLog {
    pub(super) header: JournalHeader,
    /// What each strand asked, in its order.
    pub(super) branches: HashMap<String, VecDeque<JournalLine>>,
    pub(super) replies: Vec<(String, String, Option<Value>)>,
    pub(super) stored_write_counts: BTreeMap<String, u64>,
    /// What was about to be stored since, and may have been.
    pub(super) unconfirmed_flushes: Vec<StateFlush>,
    pub(super) pauses: u64,
    /// The queries that the client was told of.
    pub(super) delivered_queries: HashSet<String>,
    /// Where its report may have been stored.
    pub(super) report_target: Option<EvalTarget>,
    pub(super) end: Option<(bool, Value)>,
}

/// Why a journal is of no use here.
#[derive(Debug, thiserror::Error)]
pub(super) enum JournalParseError {
    #[error("line {0} is not one of a journal")]
    Malformed(usize),
    #[error("it was written by a newer version (format {0}, this one knows {JOURNAL_FORMAT_VERSION})")]
    NewerFormat(u64),
    #[error("it is empty")]
    Empty,
}

impl ReplayLog {
    /// The last answer of the client's, where the run was going on when its process ended: the client did not hear what
    /// came of it, and may say it again.
    pub(super) fn unacknowledged_reply(&self) -> Option<String> {
        let all = self.query_ids().all(|id| self.replies.iter().any(|(known, ..)| known == id));
        self.replies.last().filter(|_| all).map(|(_, text, _)| text.clone())
    }

    /// What a status tells of the run: what the journal has of it, without doing it again.
    pub(super) fn to_live_status(&self) -> LiveStatus {
        let script = &self.header.script;
        let mut live =
            LiveStatus::new(script.strategy.clone(), self.header.started_ms, RunBudget::from_context(&script.context));
        live.pauses = self.pauses;
        // The children of a fork whose outcome is known are over, whatever they waited for.
        let over = |line: &JournalLine| match line {
            JournalLine::Answer { s, n, op, .. } if op == "fork" => Some(child_path_prefix(s, *n)),
            _ => None,
        };
        let over: Vec<String> = self.branches.values().flatten().filter_map(over).collect();
        let replies: HashMap<&str, _> =
            self.replies.iter().map(|(id, text, usage)| (id.as_str(), (text, usage))).collect();
        for line in self.branches.values().flatten() {
            let JournalLine::Queries { s, ids, asked, .. } = line else { continue };
            live.queries.extend(ids.iter().zip(asked).map(|(id, asked)| {
                let mut query = LlmQuery::from_json(id.clone(), asked);
                if let Some((text, usage)) = replies.get(id.as_str()) {
                    query.set_reply(text, usage.as_ref());
                }
                query.is_dropped = over.iter().any(|prefix| s.starts_with(prefix));
                query
            }));
        }
        live.sort_queries();
        live
    }

    /// The names of all queries.
    pub(super) fn query_ids(&self) -> impl Iterator<Item = &String> {
        let asked = self.branches.values().flatten().filter_map(|line| match line {
            JournalLine::Queries { ids, .. } => Some(ids),
            _ => None,
        });
        asked.flatten()
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, JournalParseError> {
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let (_, first) = lines.next().ok_or(JournalParseError::Empty)?;
        let version: Value = serde_json::from_slice(first).map_err(|_| JournalParseError::Malformed(1))?;
        match version.get("v").and_then(Value::as_u64) {
            Some(v) if v > u64::from(JOURNAL_FORMAT_VERSION) => return Err(JournalParseError::NewerFormat(v)),
            Some(_) => {}
            None => return Err(JournalParseError::Malformed(1)),
        }
        let header = serde_json::from_value(version).map_err(|_| JournalParseError::Malformed(1))?;
        let mut past = Self {
            header,
            branches: HashMap::new(),
            replies: Vec::new(),
            stored_write_counts: BTreeMap::new(),
            unconfirmed_flushes: Vec::new(),
            pauses: 0,
            delivered_queries: HashSet::new(),
            report_target: None,
            end: None,
        };
        for (number, line) in lines {
            past.push_line(serde_json::from_slice(line).map_err(|_| JournalParseError::Malformed(number + 1))?);
        }
        Ok(past)
    }

    fn push_line(&mut self, line: JournalLine) {
        match line {
            JournalLine::Reply { id, text, usage } => self.replies.push((id, text, usage)),
            JournalLine::Storing { posts, namespaces } => {
                self.unconfirmed_flushes.push(StateFlush { write_counts: posts, namespaces })
            }
            JournalLine::Stored { posts } => {
                self.stored_write_counts = posts;
                self.unconfirmed_flushes.clear();
            }
            JournalLine::Report { id, digest } => self.report_target = Some(EvalTarget { id, digest }),
            JournalLine::Paused => {
                self.pauses += 1;
                self.delivered_queries = self.query_ids().cloned().collect();
            }
            JournalLine::End { failed, payload } => self.end = Some((failed, payload)),
            JournalLine::Answer { ref s, n, .. } => {
                let strand = self.branches.entry(s.clone()).or_default();
                // The change that was announced was made.
                if strand
                    .back()
                    .is_some_and(|last| matches!(last, JournalLine::Announced { n: made, .. } if *made == n))
                {
                    strand.pop_back();
                }
                strand.push_back(line);
            }
            JournalLine::Announced { ref s, .. }
            | JournalLine::Queries { ref s, .. }
            | JournalLine::Fork { ref s, .. } => {
                self.branches.entry(s.clone()).or_default().push_back(line);
            }
        }
    }
}
