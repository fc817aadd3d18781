//! One run from its start to its end, over any number of pauses and processes.
//!
//! Owns: when a run pauses: when all branches wait or the root has finished, or when some wait and the others have computed for
//! `QUERY_GATHER_TIMEOUT`.
//! Never: reports a pause to the client before the pause is on disk.

use std::collections::HashSet;
use std::time::Instant;

use serde_json::Value;

use super::branch::{Branch, BranchStart};
use super::context::RunContext;
use super::error::RunError;
use super::journal::{JournalHeader, JournalLine, RunJournal};
use super::replay_log::ReplayLog;
use super::run_log::RunLog;
use super::run_state::RunState;
use super::store::RunStore;
use crate::limits::QUERY_GATHER_TIMEOUT;
use crate::state::StateStore;
use wardroom_appdir::AppDirError;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_base::memory::{MemoryLease, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;
use wardroom_lua::{ScriptRun, wait_for_message};

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
    /// The memory of the root's result, once it was taken.
    result_memory: Option<MemoryLease>,
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
        let shared = RunState::new(header, RunJournal::new(header)?, run_context);
        Self::start_root_branch(header, shared, run_context)
    }

    /// Restores a run from the journal of another process and restarts its root branch.
    pub(super) fn restore(
        mut replay_log: ReplayLog,
        file: wardroom_appdir::JournalFile,
        run_context: &RunContext,
    ) -> Result<Self, RunError> {
        let mut shared = RunState::new(&replay_log.header, RunJournal::OnDisk(file), run_context);
        let (unacknowledged, delivered) =
            (replay_log.unacknowledged_reply(), std::mem::take(&mut replay_log.delivered_queries));
        let number = |id: &String| id.strip_prefix("q-")?.parse::<u64>().ok();
        shared.next_query_number =
            replay_log.query_ids().filter_map(number).max().map_or(0, |last| last.saturating_add(1));
        shared.replay_queues = replay_log.branches;
        shared.log = RunLog::restore(&replay_log.log);
        replay_log.log.into_iter().for_each(|entry| shared.lock_status().push_log_entry(&entry));
        shared.stored_write_counts = replay_log.stored_write_counts;
        shared.stored_flushes =
            shared.find_stored_flushes(replay_log.unconfirmed_flushes, &run_context.stores.state)?;
        shared.report_target = replay_log.report_target;
        shared.lock_status().pauses = replay_log.pauses;
        shared.processor_time.resume_from(replay_log.processor_time);
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
        let branch_start = BranchStart { path: String::new(), source, context, seed };
        let root = Branch::start(branch_start, &mut shared.replay_queues, &shared.memory, run_context)?;
        let (id, strategy) = (header.session.clone(), script.strategy.clone());
        Ok(Self {
            id,
            root_branch: root,
            shared,
            strategy,
            is_eval: script.eval,
            unacknowledged_reply: None,
            delivered_queries: HashSet::new(),
            result_memory: None,
        })
    }

    /// Executes the run until every branch waits for the client or the root has finished, and returns the root's
    /// result. Where queries are pending, waits at most `QUERY_GATHER_TIMEOUT` for branches that compute: they continue
    /// meanwhile.
    pub(super) fn advance(&mut self, run_context: &RunContext) -> Result<Option<Result<Payload, String>>, RunError> {
        let gather_deadline = Instant::now() + QUERY_GATHER_TIMEOUT;
        loop {
            run_context.check_cancelled()?;
            self.root_branch.advance(&mut self.shared, run_context)?;
            if self.shared.processor_time.is_due() {
                let (live, is_replaying) = (self.root_branch.processor_time(), !self.root_branch.is_caught_up());
                if let Err(error) = self.shared.processor_time.check(live, is_replaying) {
                    self.root_branch.log_stop(&error, &mut self.shared, run_context);
                    return Err(error);
                }
            }
            let may_pause = Instant::now() >= gather_deadline && self.root_branch.is_caught_up();
            if may_pause && !self.shared.lock_status().queries.waiting().is_empty() {
                return Ok(self.take_result());
            }
            let mut computing = self.computing_scripts();
            if computing.is_empty() {
                return Ok(self.take_result());
            }
            wait_for_message(&mut computing, CANCEL_POLL_INTERVAL);
        }
    }

    /// Takes the root's result, whose memory stays the run's.
    fn take_result(&mut self) -> Option<Result<Payload, String>> {
        let (result, memory) = self.root_branch.take_result()?;
        self.result_memory = Some(memory);
        Some(result)
    }

    /// Flushes the journal to the disk. Pending writes are stored before.
    pub(super) fn persist(&mut self, store: &RunStore) -> Result<(), RunError> {
        self.shared.journal.make_durable(store, &self.id)?;
        // The first pause empties the journal's buffer.
        self.shared.account_memory()
    }

    /// Journals a pause with queries that are new to the client.
    pub(super) fn record_pause(&mut self) -> Result<(), RunError> {
        let mut live = self.shared.lock_status();
        live.pauses += 1;
        self.delivered_queries.extend(live.queries.waiting().iter().map(|query| query.id.clone()));
        drop(live);
        let spent = self.shared.processor_time.total(self.root_branch.processor_time());
        let processor_ms = unix_time::whole_ms(spent);
        self.shared.append_line(&JournalLine::Paused { processor_ms, at_ms: Some(unix_time::now_ms()) })
    }

    /// Whether branches compute while others wait for the client.
    pub(super) fn is_computing(&mut self) -> bool {
        !self.computing_scripts().is_empty()
    }

    fn computing_scripts(&mut self) -> Vec<&mut ScriptRun> {
        let mut computing = Vec::new();
        self.root_branch.collect_running_scripts(&mut computing);
        computing
    }

    /// Whether the workers of a paused run have to end: they took more processor time than the run has, or too much of
    /// the memory that all workers share.
    pub(super) fn exceeds_limits(&mut self) -> bool {
        let live = self.root_branch.processor_time();
        self.shared.processor_time.is_over(live)
            || self.computing_scripts().into_iter().any(ScriptRun::is_over_worker_limit)
    }

    /// Journals the processor time of a paused run whose workers are about to end, if they computed and no other process
    /// has resumed the run.
    pub(super) fn record_spent_time(&mut self) -> Result<(), AppDirError> {
        if !self.is_computing() || !self.shared.journal.relock()? {
            return Ok(());
        }
        let spent = self.shared.processor_time.total(self.root_branch.processor_time());
        let processor_ms = unix_time::whole_ms(spent);
        self.shared.journal.append(&JournalLine::Spent { processor_ms })
    }

    /// Returns the number of worker processes.
    pub(super) const fn process_count(&self) -> usize {
        self.shared.branch_count
    }

    /// Whether a pending query is new to the client.
    pub(super) fn has_undelivered_queries(&self) -> bool {
        self.shared.lock_status().queries.waiting().iter().any(|query| !self.delivered_queries.contains(&query.id))
    }

    /// Stores pending writes.
    pub(super) fn flush_writes(&mut self, state: &StateStore) -> Result<(), RunError> {
        self.shared.flush_writes(state)
    }

    /// Journals the end of the run. A run that never paused has no journal.
    pub(super) fn record_end(&mut self, failed: bool, payload: &Payload) -> Result<(), RunError> {
        if !self.shared.journal.is_on_disk() {
            return Ok(());
        }
        Ok(self.shared.journal.finish(&self.id, &JournalLine::End { failed, payload: payload.clone() })?)
    }

    /// Applies replies of the client, all or none. Returns whether one of them had been applied before.
    pub(super) fn apply_replies(&mut self, replies: &[QueryReply]) -> Result<bool, ReplyError> {
        let (mut taken, mut taken_ids): (Vec<(String, &QueryReply)>, HashSet<String>) = (Vec::new(), HashSet::new());
        let mut repeated = false;
        let unacknowledged = self.unacknowledged_reply.clone();
        let live = self.shared.lock_status();
        for reply in replies {
            let id = match &reply.id {
                Some(id) => match live.queries.get(id) {
                    None => return Err(ReplyError::UnknownQuery(id.clone())),
                    // No branch waits for the reply any more, or the client repeats one whose outcome it did not receive.
                    Some(query) if query.is_dropped || query.reply.as_ref() == Some(&reply.text) => {
                        repeated = true;
                        continue;
                    }
                    Some(query) if query.reply.is_some() || taken_ids.contains(id) => {
                        return Err(ReplyError::AlreadyAnswered(id.clone()));
                    }
                    Some(_) => id.clone(),
                },
                None if unacknowledged.as_ref() == Some(&reply.text) => {
                    repeated = true;
                    continue;
                }
                None => {
                    let pending = || live.queries.waiting().iter().filter(|query| !taken_ids.contains(&query.id));
                    if pending().next().is_none() {
                        return Err(ReplyError::NoPendingQuery);
                    }
                    let mut delivered = pending().filter(|query| self.delivered_queries.contains(&query.id));
                    match (delivered.next(), delivered.count()) {
                        // The client cannot have answered a query that it has not received: it repeats an earlier reply.
                        (None, _) => {
                            repeated = true;
                            continue;
                        }
                        (Some(only), 0) => only.id.clone(),
                        (Some(_), others) => return Err(ReplyError::AmbiguousQuery(others + 1)),
                    }
                }
            };
            taken_ids.insert(id.clone());
            taken.push((id, reply));
        }
        drop(live);
        self.shared.lease_text(taken.iter().map(|(_, reply)| reply.text.len()).sum())?;
        let line = |(id, reply): &(String, &QueryReply)| JournalLine::Reply {
            id: id.clone(),
            text: reply.text.clone(),
            usage: reply.usage.clone(),
            at_ms: Some(unix_time::now_ms()),
        };
        let lines: Vec<JournalLine> = taken.iter().map(line).collect();
        self.shared.journal.append_all(&lines).map_err(ReplyError::Journal)?;
        for (id, reply) in taken {
            self.shared.record_reply(&id, &reply.text, reply.usage.as_ref());
        }
        self.unacknowledged_reply = None;
        Ok(repeated)
    }

    /// Whether a query with this id waits for a reply.
    pub(super) fn is_waiting_for(&self, id: &str) -> bool {
        self.shared.lock_status().queries.is_waiting(id)
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
    #[error("{0}")]
    Memory(#[from] OutOfMemory),
}
