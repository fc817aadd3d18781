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

use super::live::{Budget, Live, Query};
use crate::evals::Place;
use wardroom_appdir::{AppDirError, Folder, Journal as File, Privacy};
use wardroom_base::hex::hex;
use wardroom_base::limits::{JOURNAL_END_BYTES, MAX_JOURNAL_BYTES};

/// Changes when a journal means something else.
pub(super) const FORMAT: u32 = 1;
/// Where journals are, in the AppDir.
pub(super) const FOLDER: &str = "runs";

/// How the name of a journal ends whose run waits, and of one whose run is over.
pub(super) const WAITS: &str = ".jsonl";
pub(super) const OVER: &str = ".over.jsonl";

/// The first line: everything that a run depends on beside the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) v: u32,
    /// The program and the Lua whose behaviour the answers belong to.
    pub(super) engine: String,
    pub(super) session: String,
    pub(super) started_ms: u64,
    pub(super) script: Script,
}

/// What runs, and with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Script {
    pub(super) source: Source,
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
pub(super) enum Source {
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
pub(super) enum Line {
    /// A script asked and got an answer.
    Answer {
        /// Which strand of the run, and its how manieth question.
        s: String,
        n: u64,
        /// What was asked: the operation, and a digest of its arguments.
        op: String,
        q: String,
        #[serde(flatten)]
        got: Got,
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
pub(super) enum Got {
    Ok(Value),
    Err(String),
}

impl From<Result<Value, String>> for Got {
    fn from(result: Result<Value, String>) -> Self {
        match result {
            Ok(value) => Self::Ok(value),
            Err(message) => Self::Err(message),
        }
    }
}

impl From<Got> for Result<Value, String> {
    fn from(got: Got) -> Self {
        match got {
            Got::Ok(value) => Ok(value),
            Got::Err(message) => Err(message),
        }
    }
}

/// Where the lines go.
pub(super) enum Journal {
    /// No client knows the run yet: what is lost with the process is lost with the call that started it.
    Held(Vec<u8>),
    Open(File),
}

impl Journal {
    pub(super) fn new(header: &Header) -> Result<Self, AppDirError> {
        let mut held = Vec::new();
        line(&mut held, header)?;
        Ok(Self::Held(held))
    }

    /// Whether another process may carry the run on.
    pub(super) const fn is_named(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Adds a line. A process that is killed now loses nothing of it, once the run was named.
    pub(super) fn add(&mut self, added: &Line) -> Result<(), AppDirError> {
        self.add_all(std::slice::from_ref(added))
    }

    /// Adds several lines, all or none.
    pub(super) fn add_all(&mut self, added: &[Line]) -> Result<(), AppDirError> {
        if added.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for added in added {
            line(&mut bytes, added)?;
        }
        let is_end =
            matches!(added, [Line::End { .. } | Line::Report { .. } | Line::Storing { .. } | Line::Stored { .. }]);
        let limit = if is_end { MAX_JOURNAL_BYTES } else { MAX_JOURNAL_BYTES - JOURNAL_END_BYTES };
        let len = match self {
            Self::Held(held) => held.len() as u64,
            Self::Open(file) => file.len(),
        };
        if len + bytes.len() as u64 > limit {
            return Err(AppDirError::TooLarge {
                name: "the journal of the run".into(),
                len: len + bytes.len() as u64,
                limit,
            });
        }
        match self {
            Self::Held(held) => held.append(&mut bytes),
            Self::Open(file) => file.append(&bytes)?,
        }
        Ok(())
    }

    /// Makes everything outlast the machine's loss of power; the run is about to be named.
    pub(super) fn settle(&mut self, app: &Folder, session: &str) -> Result<(), AppDirError> {
        if let Self::Held(held) = self {
            let mut file = create(app, session)?;
            let appended = file.append(held);
            if let Err(error) = appended.and_then(|()| file.flush()) {
                // Nobody will be told its name.
                let _ = file.remove();
                return Err(error);
            }
            *self = Self::Open(file);
            return Ok(());
        }
        match self {
            Self::Held(_) => Ok(()),
            Self::Open(file) => file.flush(),
        }
    }

    /// The run waits, here and in any other process that takes it.
    pub(super) fn rest(&mut self) -> Result<(), AppDirError> {
        match self {
            Self::Held(_) => Ok(()),
            Self::Open(file) => file.rest(),
        }
    }

    /// The run goes on here; whether it did nowhere else meanwhile.
    pub(super) fn wake(&mut self) -> Result<bool, AppDirError> {
        match self {
            Self::Held(_) => Ok(true),
            Self::Open(file) => file.wake(),
        }
    }

    /// Writes down that the run is over, where anybody knows of it.
    pub(super) fn end(&mut self, session: &str, end: &Line) -> Result<(), AppDirError> {
        if matches!(self, Self::Held(_)) {
            return Ok(());
        }
        self.add(end)?;
        match self {
            Self::Held(_) => Ok(()),
            Self::Open(file) => file.rename(&format!("{session}{OVER}")),
        }
    }
}

fn create(app: &Folder, session: &str) -> Result<File, AppDirError> {
    let name = file_name(session, false);
    match app.create_journal(&name, Privacy::Owner) {
        Err(AppDirError::NotFound(_)) => {
            app.create_folder(FOLDER)?;
            app.create_journal(&name, Privacy::Owner)
        }
        created => created,
    }
}

/// The name of a journal whose run waits, or of one whose run is over.
pub(super) fn file_name(session: &str, is_over: bool) -> String {
    format!("{FOLDER}/{session}{}", if is_over { OVER } else { WAITS })
}

fn line(bytes: &mut Vec<u8>, value: &impl Serialize) -> Result<(), AppDirError> {
    let failed = |error: serde_json::Error| AppDirError::Io { name: "a journal line".into(), source: error.into() };
    serde_json::to_writer(&mut *bytes, value).map_err(failed)?;
    bytes.push(b'\n');
    Ok(())
}

/// How the names of the strands begin that a strand's question forks.
pub(super) fn child_prefix(strand: &str, question: u64) -> String {
    let dot = if strand.is_empty() { "" } else { "." };
    format!("{strand}{dot}{question}-")
}

/// What was asked, short: a run that asks for something else at the same place is another run.
pub(super) fn digest(operation: &str, arguments: &Value) -> String {
    let mut hash = Sha256::new();
    hash.update(operation.as_bytes());
    hash.update([0]);
    // Keys are sorted, so that the same arguments have the same text. It is never there as a whole: it may be large.
    let written = serde_json::to_writer(BufWriter::new(Hashing(&mut hash)), arguments);
    debug_assert!(written.is_ok(), "a hash takes everything");
    hex(hash.finalize().iter().take(12))
}

/// A hash as something that is written to.
struct Hashing<'h>(&'h mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Posted changes that may be in the stores: of each strand so many, in these namespaces.
pub(super) struct Storing {
    pub(super) posts: BTreeMap<String, u64>,
    pub(super) namespaces: Vec<String>,
}

/// A journal that was read back.
pub(super) struct Past {
    pub(super) header: Header,
    /// What each strand asked, in its order.
    pub(super) strands: HashMap<String, VecDeque<Line>>,
    pub(super) replies: Vec<(String, String, Option<Value>)>,
    pub(super) stored: BTreeMap<String, u64>,
    /// What was about to be stored since, and may have been.
    pub(super) storing: Vec<Storing>,
    pub(super) pauses: u64,
    /// The queries that the client was told of.
    pub(super) told: HashSet<String>,
    /// Where its report may have been stored.
    pub(super) report: Option<Place>,
    pub(super) end: Option<(bool, Value)>,
}

/// Why a journal is of no use here.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("line {0} is not one of a journal")]
    Malformed(usize),
    #[error("it was written by a newer version (format {0}, this one knows {FORMAT})")]
    Newer(u64),
    #[error("it is empty")]
    Empty,
}

impl Past {
    /// The last answer of the client's, where the run was going on when its process ended: the client did not hear what
    /// came of it, and may say it again.
    pub(super) fn unheard(&self) -> Option<String> {
        let all = self.ids().all(|id| self.replies.iter().any(|(known, ..)| known == id));
        self.replies.last().filter(|_| all).map(|(_, text, _)| text.clone())
    }

    /// What a status tells of the run: what the journal has of it, without doing it again.
    pub(super) fn live(&self) -> Live {
        let script = &self.header.script;
        let mut live = Live::new(script.strategy.clone(), self.header.started_ms, Budget::of(&script.context));
        live.pauses = self.pauses;
        // The children of a fork whose outcome is known are over, whatever they waited for.
        let over = |line: &Line| match line {
            Line::Answer { s, n, op, .. } if op == "fork" => Some(child_prefix(s, *n)),
            _ => None,
        };
        let over: Vec<String> = self.strands.values().flatten().filter_map(over).collect();
        let replies: HashMap<&str, _> =
            self.replies.iter().map(|(id, text, usage)| (id.as_str(), (text, usage))).collect();
        for line in self.strands.values().flatten() {
            let Line::Queries { s, ids, asked, .. } = line else { continue };
            live.queries.extend(ids.iter().zip(asked).map(|(id, asked)| {
                let mut query = Query::of(id.clone(), asked);
                if let Some((text, usage)) = replies.get(id.as_str()) {
                    query.answered(text, usage.as_ref());
                }
                query.is_dropped = over.iter().any(|prefix| s.starts_with(prefix));
                query
            }));
        }
        live.in_order();
        live
    }

    /// The names of all queries.
    pub(super) fn ids(&self) -> impl Iterator<Item = &String> {
        let asked = self.strands.values().flatten().filter_map(|line| match line {
            Line::Queries { ids, .. } => Some(ids),
            _ => None,
        });
        asked.flatten()
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let (_, first) = lines.next().ok_or(Unreadable::Empty)?;
        let version: Value = serde_json::from_slice(first).map_err(|_| Unreadable::Malformed(1))?;
        match version.get("v").and_then(Value::as_u64) {
            Some(v) if v > u64::from(FORMAT) => return Err(Unreadable::Newer(v)),
            Some(_) => {}
            None => return Err(Unreadable::Malformed(1)),
        }
        let header = serde_json::from_value(version).map_err(|_| Unreadable::Malformed(1))?;
        let mut past = Self {
            header,
            strands: HashMap::new(),
            replies: Vec::new(),
            stored: BTreeMap::new(),
            storing: Vec::new(),
            pauses: 0,
            told: HashSet::new(),
            report: None,
            end: None,
        };
        for (number, line) in lines {
            past.take(serde_json::from_slice(line).map_err(|_| Unreadable::Malformed(number + 1))?);
        }
        Ok(past)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Reply { id, text, usage } => self.replies.push((id, text, usage)),
            Line::Storing { posts, namespaces } => self.storing.push(Storing { posts, namespaces }),
            Line::Stored { posts } => {
                self.stored = posts;
                self.storing.clear();
            }
            Line::Report { id, digest } => self.report = Some(Place { id, digest }),
            Line::Paused => {
                self.pauses += 1;
                self.told = self.ids().cloned().collect();
            }
            Line::End { failed, payload } => self.end = Some((failed, payload)),
            Line::Answer { ref s, n, .. } => {
                let strand = self.strands.entry(s.clone()).or_default();
                // The change that was announced was made.
                if strand.back().is_some_and(|last| matches!(last, Line::Announced { n: made, .. } if *made == n)) {
                    strand.pop_back();
                }
                strand.push_back(line);
            }
            Line::Announced { ref s, .. } | Line::Queries { ref s, .. } | Line::Fork { ref s, .. } => {
                self.strands.entry(s.clone()).or_default().push_back(line);
            }
        }
    }
}
