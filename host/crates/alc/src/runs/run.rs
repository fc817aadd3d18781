//! One run from its start to its end, over any number of pauses and processes.
//!
//! Owns: the state that the branches of a run share, and when a run pauses: when all branches wait or the root has
//! finished.
//! Never: reports a pause to the client before the pause is on disk.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use super::branch::{Branch, BranchStart};
use super::context::RunContext;
use super::error::RunError;
use super::journal::{JournalHeader, JournalLine, ReplayLog, RunJournal, StateFlush, call_digest};
use super::live_status::{LiveStatus, LlmQuery, RunBudget, RunProgress, truncate_log_line};
use super::store::RunStore;
use crate::evals::EvalTarget;
use crate::limits::QUERY_GATHER_TIMEOUT;
use crate::state::{ApplyStatus, PendingWrites, StateNamespace, StateStore};
use wardroom_appdir::AppDirError;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_lua::wait_for_message;

pub(super) struct Run {
    pub(super) id: String,
    root_branch: Branch,
    pub(super) shared: RunState,
    pub(super) strategy: Option<String>,
    pub(super) is_eval: bool,
    /// A reply whose outcome the client may not have received.
    unacknowledged_reply: Option<String>,
    /// The queries that the client has received.
    delivered_queries: HashSet<String>,
}

/// The state that the branches of a run share.
pub(super) struct RunState {
    pub(super) run_id: String,
    pub(super) journal: RunJournal,
    pub(super) seed: u64,
    /// Journal lines of branches that are not restarted yet.
    pub(super) replay_queues: HashMap<String, VecDeque<JournalLine>>,
    /// State that was set and is not stored.
    pub(super) pending_writes: PendingWrites,
    pub(super) branch_count: usize,
    pub(super) status: Arc<Mutex<LiveStatus>>,
    /// The number of writes of each branch, and how many of them an earlier process stored.
    write_counts: BTreeMap<String, u64>,
    stored_write_counts: BTreeMap<String, u64>,
    /// Flushes that an earlier process made without confirming them.
    stored_flushes: Vec<StateFlush>,
    next_query_number: u64,
    /// The eval as which an earlier process may have stored the run's report.
    pub(super) report_target: Option<EvalTarget>,
    /// Replies in the journal to queries that are not replayed yet.
    journaled_replies: HashMap<String, (String, Option<Value>)>,
}

/// A reply of the client to one query.
#[derive(Debug, Clone)]
pub(super) struct QueryReply {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) usage: Option<Value>,
}

impl Run {
    pub(super) fn start(header: &JournalHeader, run_context: &RunContext) -> Result<Self, RunError> {
        let shared = RunState::new(header, RunJournal::new(header)?);
        Self::start_root_branch(header, shared, run_context)
    }

    /// Restores a run from the journal of another process and restarts its root branch.
    pub(super) fn restore(
        replay_log: ReplayLog,
        file: wardroom_appdir::JournalFile,
        run_context: &RunContext,
    ) -> Result<Self, RunError> {
        let mut shared = RunState::new(&replay_log.header, RunJournal::OnDisk(file));
        let (unacknowledged, delivered) = (replay_log.unacknowledged_reply(), replay_log.delivered_queries.clone());
        let number = |id: &String| id.strip_prefix("q-")?.parse::<u64>().ok();
        shared.next_query_number =
            replay_log.query_ids().filter_map(number).max().map_or(0, |last| last.saturating_add(1));
        shared.replay_queues = replay_log.branches;
        shared.stored_write_counts = replay_log.stored_write_counts;
        shared.stored_flushes =
            shared.find_stored_flushes(replay_log.unconfirmed_flushes, &run_context.stores.state)?;
        shared.report_target = replay_log.report_target;
        shared.lock_status().pauses = replay_log.pauses;
        shared.journaled_replies =
            replay_log.replies.into_iter().map(|(id, text, usage)| (id, (text, usage))).collect();
        Ok(Self {
            unacknowledged_reply: unacknowledged,
            delivered_queries: delivered,
            ..Self::start_root_branch(&replay_log.header, shared, run_context)?
        })
    }

    fn start_root_branch(
        header: &JournalHeader,
        mut shared: RunState,
        run_context: &RunContext,
    ) -> Result<Self, RunError> {
        let script = &header.script;
        let (source, context, seed) = (&script.source, script.context.clone(), script.seed);
        let mut replay_queues = std::mem::take(&mut shared.replay_queues);
        let root =
            Branch::start(BranchStart { path: String::new(), source, context, seed }, &mut replay_queues, run_context)?;
        shared.replay_queues = replay_queues;
        let (id, strategy) = (header.session.clone(), script.strategy.clone());
        Ok(Self {
            id,
            root_branch: root,
            shared,
            strategy,
            is_eval: script.eval,
            unacknowledged_reply: None,
            delivered_queries: HashSet::new(),
        })
    }

    /// Executes the run until every branch waits for the client or the root has finished, and returns the root's
    /// result. Where queries are pending, waits at most `QUERY_GATHER_TIMEOUT` for branches that compute: they continue
    /// meanwhile.
    pub(super) fn advance(&mut self, run_context: &RunContext) -> Result<Option<Result<Value, String>>, RunError> {
        let gather_deadline = Instant::now() + QUERY_GATHER_TIMEOUT;
        loop {
            if (run_context.is_cancelled)() {
                return Err(RunError::Cancelled);
            }
            self.root_branch.advance(&mut self.shared, run_context)?;
            let may_pause = Instant::now() >= gather_deadline && self.root_branch.is_caught_up();
            if may_pause && self.shared.lock_status().pending_queries().next().is_some() {
                return Ok(self.root_branch.result().cloned());
            }
            let mut computing = Vec::new();
            self.root_branch.collect_running_scripts(&mut computing);
            if computing.is_empty() {
                return Ok(self.root_branch.result().cloned());
            }
            wait_for_message(&mut computing, CANCEL_POLL_INTERVAL);
        }
    }

    /// Stores pending writes, and flushes the journal to the disk.
    pub(super) fn persist(&mut self, store: &RunStore, state: &StateStore) -> Result<(), RunError> {
        self.shared.flush_writes(state)?;
        Ok(self.shared.journal.make_durable(store, &self.id)?)
    }

    /// Journals a pause with queries that are new to the client.
    pub(super) fn record_pause(&mut self) -> Result<(), RunError> {
        self.shared.lock_status().pauses += 1;
        self.delivered_queries = self.shared.lock_status().queries.iter().map(|query| query.id.clone()).collect();
        Ok(self.shared.journal.append(&JournalLine::Paused)?)
    }

    /// Returns the number of worker processes.
    pub(super) const fn process_count(&self) -> usize {
        self.shared.branch_count
    }

    /// Whether a pending query is new to the client.
    pub(super) fn has_undelivered_queries(&self) -> bool {
        self.shared.lock_status().pending_queries().any(|query| !self.delivered_queries.contains(&query.id))
    }

    /// Stores pending writes.
    pub(super) fn flush_writes(&mut self, state: &StateStore) -> Result<(), RunError> {
        self.shared.flush_writes(state)
    }

    /// Journals the end of the run. A run that never paused has no journal.
    pub(super) fn record_end(&mut self, failed: bool, payload: &Value) -> Result<(), RunError> {
        Ok(self.shared.journal.finish(&self.id, &JournalLine::End { failed, payload: payload.clone() })?)
    }

    /// Applies replies of the client, all or none. Returns whether one of them had been applied before.
    pub(super) fn apply_replies(&mut self, replies: &[QueryReply]) -> Result<bool, ReplyError> {
        let mut taken: Vec<(String, &QueryReply)> = Vec::new();
        let mut repeated = false;
        let unacknowledged = self.unacknowledged_reply.clone();
        for reply in replies {
            let waiting = |id: &str| !taken.iter().any(|(known, _)| known == id);
            let live = self.shared.lock_status();
            let pending: Vec<&LlmQuery> = live.pending_queries().filter(|query| waiting(&query.id)).collect();
            let id = match (&reply.id, pending.as_slice()) {
                (Some(id), _) => match live.queries.iter().find(|query| query.id == *id) {
                    None => return Err(ReplyError::UnknownQuery(id.clone())),
                    // No branch waits for the reply any more.
                    Some(query) if query.is_dropped => {
                        repeated = true;
                        continue;
                    }
                    // The client repeats a reply whose outcome it did not receive.
                    Some(query) if query.reply.as_ref() == Some(&reply.text) => {
                        repeated = true;
                        continue;
                    }
                    Some(query) if query.reply.is_some() || !waiting(id) => {
                        return Err(ReplyError::AlreadyAnswered(id.clone()));
                    }
                    Some(_) => id.clone(),
                },
                (None, _) if unacknowledged.as_ref() == Some(&reply.text) => {
                    repeated = true;
                    continue;
                }
                (None, []) => return Err(ReplyError::NoPendingQuery),
                // The client cannot have answered a query that it has not received: it repeats an earlier reply.
                (None, pending) => {
                    match pending.iter().filter(|query| self.delivered_queries.contains(&query.id)).collect::<Vec<_>>()
                        [..]
                    {
                        [] => {
                            repeated = true;
                            continue;
                        }
                        [only] => only.id.clone(),
                        ref several => return Err(ReplyError::AmbiguousQuery(several.len())),
                    }
                }
            };
            drop(live);
            taken.push((id, reply));
        }
        let line = |(id, reply): &(String, &QueryReply)| JournalLine::Reply {
            id: id.clone(),
            text: reply.text.clone(),
            usage: reply.usage.clone(),
        };
        let lines: Vec<JournalLine> = taken.iter().map(line).collect();
        self.shared.journal.append_all(&lines).map_err(ReplyError::Journal)?;
        for (id, reply) in taken {
            self.shared.record_reply(&id, &reply.text, reply.usage.as_ref());
        }
        self.unacknowledged_reply = None;
        Ok(repeated)
    }

    /// Returns the ids of the queries that the client has not answered.
    pub(super) fn pending_query_ids(&self) -> Vec<String> {
        self.shared.lock_status().pending_queries().map(|query| query.id.clone()).collect()
    }

    /// Whether the replay has reached the end of the journal.
    pub(super) fn is_caught_up(&self) -> bool {
        self.root_branch.is_caught_up()
    }
}

/// Why a reply of the client is rejected.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReplyError {
    #[error("unknown query_id: {0}")]
    UnknownQuery(String),
    #[error("already responded to query_id: {0}")]
    AlreadyAnswered(String),
    #[error("invalid transition: no pending queries")]
    NoPendingQuery,
    #[error("invalid transition: {0} queries pending; specify query_id explicitly")]
    AmbiguousQuery(usize),
    #[error("the journal cannot be written: {0}")]
    Journal(AppDirError),
}

impl RunState {
    fn new(header: &JournalHeader, journal: RunJournal) -> Self {
        let budget = RunBudget::from_context(&header.script.context);
        let live = LiveStatus::new(header.script.strategy.clone(), header.started_ms, budget);
        Self {
            run_id: header.session.clone(),
            journal,
            seed: header.script.seed,
            replay_queues: HashMap::new(),
            pending_writes: PendingWrites::default(),
            branch_count: 1,
            status: Arc::new(Mutex::new(live)),
            write_counts: BTreeMap::new(),
            stored_write_counts: BTreeMap::new(),
            stored_flushes: Vec::new(),
            next_query_number: 0,
            report_target: None,
            journaled_replies: HashMap::new(),
        }
    }

    pub(super) fn lock_status(&self) -> MutexGuard<'_, LiveStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates ids that no other query of this run has.
    pub(super) fn allocate_query_ids(&mut self, count: usize) -> Vec<String> {
        let first = self.next_query_number;
        self.next_query_number = self.next_query_number.saturating_add(count as u64);
        (first..self.next_query_number).map(|number| format!("q-{number}")).collect()
    }

    /// Adds queries. Those with a reply in the journal are answered at once.
    pub(super) fn add_queries(&mut self, queries: Vec<LlmQuery>) {
        let ids: Vec<String> = queries.iter().map(|query| query.id.clone()).collect();
        {
            let mut live = self.lock_status();
            live.queries.extend(queries);
            live.sort_queries();
        }
        for id in ids {
            if let Some((text, usage)) = self.journaled_replies.remove(&id) {
                self.record_reply(&id, &text, usage.as_ref());
            }
        }
    }

    fn record_reply(&self, id: &str, text: &str, usage: Option<&Value>) {
        let mut live = self.lock_status();
        live.last_activity_ms = super::live_status::now_ms();
        if let Some(query) = live.queries.iter_mut().find(|query| query.id == id) {
            query.set_reply(text, usage);
        }
    }

    /// Returns the replies to these queries, if all have arrived.
    pub(super) fn replies_if_complete(&self, ids: &[String]) -> Option<Value> {
        let live = self.lock_status();
        let reply = |id: &String| live.queries.iter().find(|query| query.id == *id)?.reply.clone();
        ids.iter().map(reply).collect::<Option<Vec<_>>>().map(Value::from)
    }

    /// Handles a message that expects no answer. An error, such as a value over a limit, becomes the answer to the
    /// script's next call.
    pub(super) fn handle_notification(
        &mut self,
        branch_path: &str,
        operation: &str,
        arguments: &Value,
    ) -> Result<(), String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let value = |name: &str| arguments.get(name).cloned().unwrap_or_default();
        match operation {
            "log" => self.lock_status().push_log_line(text("level"), text("message"), text("source")),
            // Children's stats are ignored: a child that ended before a crash does not run again.
            "stats.record" if branch_path.is_empty() => {
                return self.lock_status().record_stat(text("key"), value("value"));
            }
            "stats.record" => {}
            "progress" => {
                let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
                let message = arguments.get("message").and_then(Value::as_str).map(truncate_log_line);
                let (step, total) = (number("step").unwrap_or_default(), number("total"));
                self.lock_status().progress = Some(RunProgress { step, total, message });
            }
            "state.set" => {
                let made = self.write_counts.entry(branch_path.to_owned()).or_default();
                *made += 1;
                let (number, namespace) = (*made, text("ns"));
                // An earlier process stored the write, and others may have changed the key since.
                if !self.is_write_stored(branch_path, number, namespace) {
                    let (key, value) = (text("key"), value("value"));
                    let set = StateNamespace::parse(namespace).and_then(|ns| self.pending_writes.set(&ns, key, &value));
                    return set.map_err(|error| error.to_string());
                }
            }
            other => tracing::warn!(operation = other, "unknown notification of a script"),
        }
        Ok(())
    }

    /// Discards pending writes of a namespace that a change of state stored together with itself.
    pub(super) fn discard_flushed_writes(&mut self, operation: &str, arguments: &Value, answer: &Value) {
        // A change without effect writes nothing.
        let is_change = operation == "state.incr"
            || matches!(operation, "state.delete" | "state.set_nx") && *answer == Value::Bool(true);
        let namespace = arguments.get("ns").and_then(Value::as_str).map(StateNamespace::parse);
        if let Some(Ok(namespace)) = namespace.filter(|_| is_change) {
            self.pending_writes.discard(&namespace);
        }
    }

    /// Marks queries whose replies are no longer needed.
    pub(super) fn drop_queries(&self, ids: &[String]) {
        let mut live = self.lock_status();
        live.queries.iter_mut().filter(|query| ids.contains(&query.id)).for_each(|query| query.is_dropped = true);
    }

    /// Removes the branches below `prefix`, which have ended: their queries count, and need no replies.
    pub(super) fn drop_branches(&mut self, prefix: &str) {
        let names: Vec<String> = self.replay_queues.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        let lines: Vec<JournalLine> =
            names.iter().filter_map(|name| self.replay_queues.remove(name)).flatten().collect();
        for line in lines {
            if let JournalLine::Queries { ids, asked, .. } = line {
                self.add_queries(
                    ids.iter().zip(&asked).map(|(id, query)| LlmQuery::from_json(id.clone(), query)).collect(),
                );
                self.drop_queries(&ids);
            }
        }
    }

    /// Stores pending writes. Once the journal is on disk, the flush is journaled ahead, so that another process can
    /// find out which part of it was stored.
    pub(super) fn flush_writes(&mut self, state: &StateStore) -> Result<(), RunError> {
        if self.pending_writes.is_empty() {
            return Ok(());
        }
        let is_named = self.journal.is_on_disk();
        let name = is_named.then(|| flush_id(&self.run_id, &self.write_counts));
        if is_named {
            let namespaces = self.pending_writes.namespaces().map(ToString::to_string).collect();
            self.journal.append(&JournalLine::Storing { posts: self.write_counts.clone(), namespaces })?;
        }
        self.pending_writes
            .flush(state, name.as_deref())
            .map_err(|error| RunError::from_store_error(error, is_named))?;
        self.journal.append(&JournalLine::Stored { posts: self.write_counts.clone() })?;
        Ok(())
    }

    /// Finds out which unconfirmed flushes were stored. Writes whose outcome is unknown are made again, with the same
    /// values.
    fn find_stored_flushes(&self, storing: Vec<StateFlush>, state: &StateStore) -> Result<Vec<StateFlush>, RunError> {
        let mut found = Vec::new();
        for StateFlush { write_counts: posts, namespaces } in storing {
            let name = flush_id(&self.run_id, &posts);
            let mut made = Vec::new();
            for namespace in namespaces {
                let parsed =
                    StateNamespace::parse(&namespace).map_err(|error| RunError::from_store_error(error, true))?;
                let became =
                    state.apply_status(&parsed, &name).map_err(|error| RunError::from_store_error(error, true))?;
                if matches!(became, ApplyStatus::Applied(_)) {
                    made.push(namespace);
                }
            }
            found.push(StateFlush { write_counts: posts, namespaces: made });
        }
        Ok(found)
    }

    /// Whether an earlier process stored this branch's nth write.
    fn is_write_stored(&self, branch_path: &str, number: u64, namespace: &str) -> bool {
        let among = |posts: &BTreeMap<String, u64>| posts.get(branch_path).is_some_and(|stored| number <= *stored);
        let since = |storing: &StateFlush| {
            among(&storing.write_counts) && storing.namespaces.iter().any(|name| name == namespace)
        };
        among(&self.stored_write_counts) || self.stored_flushes.iter().any(since)
    }
}

/// Returns the id of a flush. No two flushes of a run have the same write counts.
fn flush_id(session: &str, posts: &BTreeMap<String, u64>) -> String {
    call_digest(session, &json!({"posts": posts}))
}
