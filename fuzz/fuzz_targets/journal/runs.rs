//! The journal of runs: the files of its crate themselves, since that would bring wasmtime.

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/runs/journal.rs"]
mod journal;
#[path = "../../../host/crates/alc/src/runs/journal_line.rs"]
mod journal_line;
mod live_status;
mod queries;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/runs/replay_log.rs"]
mod replay_log;

use std::collections::{BTreeMap, HashSet};

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use serde_json::Value;
use wardroom_base::payload::Payload;

use self::journal::{CallEvent, CallLine, JournalHeader, JournalLine, RunSpec, ScriptSource};
use self::replay_log::{JournalParseError, ReplayLog};
use crate::logs::LogEntry;

/// What `journal.rs` names of the store.
mod store {
    use wardroom_appdir::{AppDirError, JournalFile};

    pub const FINISHED_SUFFIX: &str = ".done";

    pub enum RunStore {}

    impl RunStore {
        pub fn create(&self, _: &str) -> Result<JournalFile, AppDirError> {
            match *self {}
        }
    }
}

/// A line after the header.
#[derive(Arbitrary, Debug)]
pub enum Line {
    Answer { branch: u8, n: u8, op: String, got: Result<i64, String> },
    Announced { branch: u8, n: u8, op: String, plan: Option<bool> },
    Queries { branch: u8, n: u8, ids: Vec<String>, asked: Vec<u8> },
    Fork { branch: u8, n: u8 },
    Reply { id: String, text: String, usage: Option<u8>, at_ms: Option<u64> },
    Paused(u64, Option<u64>),
    Spent(u64),
    Log { branch: u8, at: u64, level: String, text: String },
    Storing(Vec<(u8, u64)>, Vec<String>),
    Stored(Vec<(u8, u64)>),
    Report(String, String),
    End(bool, Option<String>),
}

fn counts(counts: Vec<(u8, u64)>) -> BTreeMap<String, u64> {
    counts.into_iter().map(|(branch, count)| (branch_path(branch), count)).collect()
}

fn branch_path(branch: u8) -> String {
    ["", "0-1", "0-2", "1-1.0-1"][usize::from(branch) % 4].to_owned()
}

fn call(branch: u8, number: u8, operation: String, event: CallEvent) -> JournalLine {
    let digest = "0123456789abcdef01234567".to_owned();
    JournalLine::Call(CallLine { branch: branch_path(branch), number: number.into(), operation, digest, event })
}

impl From<Line> for JournalLine {
    fn from(line: Line) -> Self {
        match line {
            Line::Answer { branch, n, op, got } => {
                let answer = got.map(|number| Payload::from_value(serde_json::json!({"n": number, "$": "\u{2028}"})));
                call(branch, n, op, CallEvent::Answer(answer))
            }
            Line::Announced { branch, n, op, plan } => {
                call(branch, n, op, CallEvent::Announced(Payload::from_value(plan.into())))
            }
            Line::Queries { branch, n, ids, asked } => {
                let asked = asked.into_iter().map(|number| Payload::from_value(number.into())).collect();
                call(branch, n, "llm".to_owned(), CallEvent::Queries { ids, asked })
            }
            Line::Fork { branch, n } => call(branch, n, "fork".to_owned(), CallEvent::Fork),
            Line::Reply { id, text, usage, at_ms } => Self::Reply { id, text, usage: usage.map(Value::from), at_ms },
            Line::Paused(processor_ms, at_ms) => Self::Paused { processor_ms, at_ms },
            Line::Spent(processor_ms) => Self::Spent { processor_ms },
            Line::Log { branch, at, level, text } => {
                Self::Log(LogEntry::written(at, &branch_path(branch), &level, "print", &text))
            }
            Line::Storing(posts, namespaces) => Self::Storing { write_counts: counts(posts), namespaces },
            Line::Stored(posts) => Self::Stored { write_counts: counts(posts) },
            Line::Report(id, digest) => Self::Report { id, digest },
            Line::End(failed, text) => Self::End { failed, payload: Payload::from_value(text.into()) },
        }
    }
}

/// Writes the lines of a journal, each of which reads as what it was.
pub fn write(package: Option<String>, seed: u64, lines: Vec<Line>) -> Vec<Vec<u8>> {
    let source = match package {
        Some(name) => ScriptSource::Package(name),
        None => ScriptSource::Code { name: "code".to_owned(), text: "return 1\n".to_owned() },
    };
    let context = Payload::from_value(serde_json::json!({"budget": {"max_llm_calls": 3}, "text": "\r\n"}));
    let script = RunSpec { source, context, seed, strategy: None, eval: seed % 2 == 1 };
    let header = JournalHeader { v: 1, engine: "e".to_owned(), session: "s".to_owned(), started_ms: seed, script };
    let mut written = vec![serde_json::to_vec(&header).expect("a header is JSON")];
    let mut known = HashSet::new();
    for line in lines {
        let mut line = JournalLine::from(line);
        // No run gives an id twice.
        if let JournalLine::Call(CallLine { event: CallEvent::Queries { ids, .. }, .. }) = &mut line {
            ids.retain(|id| known.insert(id.clone()));
        }
        let text = serde_json::to_vec(&line).expect("a line is JSON");
        let read: JournalLine = serde_json::from_slice(&text).expect("a line can be read");
        assert_eq!(read, line);
        written.push(text);
    }
    for line in &mut written {
        assert!(!line.contains(&b'\n'), "a line is one");
        line.push(b'\n');
    }
    written
}

/// Reads a journal. An error is the number of its line.
pub fn parse(bytes: &[u8]) -> Result<RunSummary, Option<usize>> {
    let log = ReplayLog::parse(bytes).map_err(|error| match error {
        JournalParseError::Malformed(line) => Some(line),
        JournalParseError::NewerFormat(_) | JournalParseError::Empty => None,
    })?;
    // What clients see of it.
    let status = log.to_live_status();
    let reply = log.unacknowledged_reply();
    assert!(reply.is_none() || !log.replies.is_empty());
    Ok(RunSummary {
        replies: log.replies.clone(),
        pauses: log.pauses,
        calls: log.branches.values().map(std::collections::VecDeque::len).sum(),
        end: log.end.clone().map(|(failed, payload)| (failed, payload.into_value())),
        queries: log.query_ids().count(),
        shown: status.queries.count,
        report: log.report_target.map(|report| (report.id, report.digest)),
    })
}

/// What a journal says of its run.
#[derive(Debug, PartialEq)]
pub struct RunSummary {
    pub replies: Vec<(String, String, Option<Value>)>,
    pub pauses: u64,
    pub calls: usize,
    pub end: Option<(bool, Value)>,
    pub queries: usize,
    pub shown: usize,
    pub report: Option<(String, String)>,
}
