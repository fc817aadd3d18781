//! A parsed journal: what a later process needs to replay a run.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::journal::{CallEvent, CallLine, JOURNAL_FORMAT_VERSION, JournalHeader, JournalLine, child_path_prefix};
use super::live_status::{LiveStatus, RunBudget};
use super::queries::LlmQuery;
use crate::evals::EvalTarget;
use crate::limits::MAX_RUN_QUERIES;
use crate::logs::LogEntry;
use wardroom_base::payload::{self, Payload};

/// Writes that may be stored: the number for each branch, and their namespaces.
pub(super) struct StateFlush {
    pub(super) write_counts: BTreeMap<String, u64>,
    pub(super) namespaces: Vec<String>,
}

/// A parsed journal.
pub(super) struct ReplayLog {
    pub(super) header: JournalHeader,
    /// The calls of each branch, in their order.
    pub(super) branches: HashMap<String, VecDeque<CallLine>>,
    pub(super) replies: Vec<(String, String, Option<Value>)>,
    pub(super) stored_write_counts: BTreeMap<String, u64>,
    /// Flushes since then that were about to be stored, and may have been.
    pub(super) unconfirmed_flushes: Vec<StateFlush>,
    pub(super) pauses: u64,
    pub(super) log: Vec<LogEntry>,
    /// The processor time up to the last pause.
    pub(super) processor_time: Duration,
    /// The queries that the client has received.
    pub(super) delivered_queries: HashSet<String>,
    /// Queries since the last pause.
    undelivered_queries: HashSet<String>,
    /// The eval as which the report may have been stored.
    pub(super) report_target: Option<EvalTarget>,
    pub(super) end: Option<(bool, Payload)>,
}

/// The only field of the first line that every version knows.
#[derive(Deserialize)]
struct JournalVersion {
    v: u64,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum JournalParseError {
    #[error("line {0} is not a line of a journal")]
    Malformed(usize),
    #[error("a newer version wrote it (format {0}, this version knows {JOURNAL_FORMAT_VERSION})")]
    NewerFormat(u64),
    #[error("the journal is empty")]
    Empty,
}

impl ReplayLog {
    /// Returns the last reply of the client, if the run was executing when its process ended. The client did not
    /// receive the outcome, and may repeat the reply.
    pub(super) fn unacknowledged_reply(&self) -> Option<String> {
        let answered: HashSet<&String> = self.replies.iter().map(|(id, ..)| id).collect();
        let all = self.query_ids().all(|id| answered.contains(id));
        self.replies.last().filter(|_| all).map(|(_, text, _)| text.clone())
    }

    /// Returns the run's status from the journal alone, without a replay.
    pub(super) fn to_live_status(&self) -> LiveStatus {
        let script = &self.header.script;
        let mut live =
            LiveStatus::new(script.strategy.clone(), self.header.started_ms, RunBudget::from_context(&script.context));
        live.pauses = self.pauses;
        self.log.iter().for_each(|entry| live.push_log_entry(entry));
        // The children of a fork with a known outcome have ended: their queries are dropped.
        let over = |line: &CallLine| line.is_fork_outcome().then(|| child_path_prefix(&line.branch, line.number));
        let over: Vec<String> = self.branches.values().flatten().filter_map(over).collect();
        let replies: HashMap<&str, _> =
            self.replies.iter().map(|(id, text, usage)| (id.as_str(), (text, usage))).collect();
        for line in self.branches.values().flatten() {
            let CallEvent::Queries { ids, asked } = &line.event else { continue };
            let is_dropped = over.iter().any(|prefix| line.branch.starts_with(prefix));
            for (id, asked) in ids.iter().zip(asked) {
                let mut query = LlmQuery::new(id.clone(), asked);
                if let Some((text, usage)) = replies.get(id.as_str()) {
                    query.set_reply(text, usage.as_ref());
                }
                query.is_dropped = is_dropped;
                live.queries.add(query);
            }
        }
        live
    }

    /// Returns the ids of all queries.
    pub(super) fn query_ids(&self) -> impl Iterator<Item = &String> {
        let asked = self.branches.values().flatten().filter_map(|line| match &line.event {
            CallEvent::Queries { ids, .. } => Some(ids),
            _ => None,
        });
        asked.flatten()
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, JournalParseError> {
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let (_, first) = lines.next().ok_or(JournalParseError::Empty)?;
        let malformed = |_| JournalParseError::Malformed(1);
        let JournalVersion { v } = serde_json::from_slice(first).map_err(malformed)?;
        if v > u64::from(JOURNAL_FORMAT_VERSION) {
            return Err(JournalParseError::NewerFormat(v));
        }
        let header = serde_json::from_slice(first).map_err(malformed)?;
        let mut replay_log = Self {
            header,
            branches: HashMap::new(),
            replies: Vec::new(),
            stored_write_counts: BTreeMap::new(),
            unconfirmed_flushes: Vec::new(),
            pauses: 0,
            log: Vec::new(),
            processor_time: Duration::ZERO,
            delivered_queries: HashSet::new(),
            undelivered_queries: HashSet::new(),
            report_target: None,
            end: None,
        };
        for (number, line) in lines {
            let malformed = JournalParseError::Malformed(number + 1);
            let Ok(line) = payload::parse_stored(line) else { return Err(malformed) };
            if let JournalLine::Call(CallLine { event: CallEvent::Queries { ids, .. }, .. }) = &line
                && !replay_log.add_query_ids(ids)
            {
                return Err(malformed);
            }
            replay_log.push_line(line);
        }
        Ok(replay_log)
    }

    /// Notes queries. Returns whether a run can have made them: each id is new, and they are not too many.
    fn add_query_ids(&mut self, ids: &[String]) -> bool {
        let known = self.delivered_queries.len() + self.undelivered_queries.len();
        let are_new =
            ids.iter().all(|id| !self.delivered_queries.contains(id) && self.undelivered_queries.insert(id.clone()));
        are_new && (known + ids.len()) as u64 <= MAX_RUN_QUERIES
    }

    fn push_line(&mut self, line: JournalLine) {
        match line {
            JournalLine::Reply { id, text, usage, .. } => self.replies.push((id, text, usage)),
            JournalLine::Storing { write_counts, namespaces } => {
                self.unconfirmed_flushes.push(StateFlush { write_counts, namespaces });
            }
            JournalLine::Stored { write_counts } => {
                self.stored_write_counts = write_counts;
                self.unconfirmed_flushes.clear();
            }
            JournalLine::Report { id, digest } => self.report_target = Some(EvalTarget { id, digest }),
            JournalLine::Paused { processor_ms, .. } => {
                self.pauses += 1;
                self.processor_time = Duration::from_millis(processor_ms);
                self.delivered_queries.extend(self.undelivered_queries.drain());
            }
            JournalLine::Log(entry) => self.log.push(entry),
            JournalLine::Spent { processor_ms } => self.processor_time = Duration::from_millis(processor_ms),
            JournalLine::End { failed, payload } => self.end = Some((failed, payload)),
            JournalLine::Call(line) => {
                let branch = self.branches.entry(line.branch.clone()).or_default();
                // An answer after a write-ahead line means that the change was made.
                let is_announced =
                    |last: &CallLine| last.number == line.number && matches!(last.event, CallEvent::Announced(_));
                if matches!(line.event, CallEvent::Answer(_)) && branch.back().is_some_and(is_announced) {
                    branch.pop_back();
                }
                branch.push_back(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(lines: &[Value]) -> Result<ReplayLog, JournalParseError> {
        let header = json!({"v": 1, "engine": "e", "session": "s-1", "started_ms": 1000,
            "script": {"source": {"package": "vote"}, "context": {}, "seed": 1, "strategy": "vote"}});
        let journal: String = std::iter::once(&header).chain(lines).map(|line| format!("{line}\n")).collect();
        ReplayLog::parse(journal.as_bytes())
    }

    fn queries(branch: &str, ids: &[String]) -> Value {
        let asked: Vec<Value> = ids.iter().map(|id| json!({"prompt": id})).collect();
        json!({"t": "queries", "s": branch, "n": 0, "q": "d", "ids": ids, "asked": asked})
    }

    fn ids(numbers: impl Iterator<Item = u64>) -> Vec<String> {
        numbers.map(|number| format!("q-{number}")).collect()
    }

    #[test]
    fn queries_before_the_last_pause_were_delivered() {
        let paused = json!({"t": "paused", "cpu_ms": 0});
        let reply = json!({"t": "reply", "id": "q-1", "text": "a", "usage": null});
        let lines = [queries("", &ids(0..2)), paused, reply, queries("0-0", &ids(2..4))];
        let log = parse(&lines).unwrap();
        let mut delivered: Vec<&String> = log.delivered_queries.iter().collect();
        delivered.sort();
        assert_eq!(delivered, ["q-0", "q-1"]);
        assert_eq!(log.unacknowledged_reply(), None);
        let live = log.to_live_status();
        let waiting: Vec<&str> = live.queries.waiting().iter().map(|query| query.id.as_str()).collect();
        assert_eq!(waiting, ["q-0", "q-2", "q-3"]);
    }

    #[test]
    fn journal_with_queries_that_no_run_made_is_malformed() {
        let malformed = |lines: &[Value]| matches!(parse(lines), Err(JournalParseError::Malformed(line)) if line == lines.len() + 1);
        let paused = json!({"t": "paused", "cpu_ms": 0});
        assert!(malformed(&[queries("", &ids([0, 0].into_iter()))]));
        assert!(malformed(&[queries("", &ids(0..1)), queries("0-0", &ids(0..1))]));
        assert!(malformed(&[queries("", &ids(0..1)), paused, queries("", &ids(0..1))]));
        assert!(parse(&[queries("", &ids((0..MAX_RUN_QUERIES).rev()))]).is_ok());
        assert!(malformed(&[queries("", &ids((0..=MAX_RUN_QUERIES).rev()))]));
    }
}
