//! The state that the branches of a run share.
//!
//! Owns: the queries and their replies, the pending writes, and which writes an earlier process stored.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::context::RunContext;
use super::error::RunError;
use super::journal::{CallEvent, CallLine, JournalHeader, JournalLine, NewCallLine, RunJournal, call_digest};
use super::live_status::{LiveStatus, RunBudget, RunProgress, truncate_log_line};
use super::processor_time::ProcessorTime;
use super::queries::LlmQuery;
use super::replay_log::StateFlush;
use super::run_log::RunLog;
use crate::evals::EvalTarget;
use crate::limits::MAX_RUN_MEMORY_BYTES;
use crate::logs::LogEntry;
use crate::state::{ApplyStatus, PendingWrites, SetError, StateNamespace, StateStore};
use wardroom_base::memory::{MemoryHolder, MemoryLease, MemoryShare, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;
use wardroom_lua::counted_bytes;

/// The state that the branches of a run share.
pub(super) struct RunState {
    pub(super) run_id: String,
    pub(super) journal: RunJournal,
    pub(super) seed: u64,
    /// Journal lines of branches that are not restarted yet.
    pub(super) replay_queues: HashMap<String, VecDeque<CallLine>>,
    /// State that was set and is not stored.
    pub(super) pending_writes: PendingWrites,
    pub(super) branch_count: usize,
    pub(super) status: Arc<Mutex<LiveStatus>>,
    /// The number of writes of each branch, and how many of them an earlier process stored.
    pub(super) write_counts: BTreeMap<String, u64>,
    pub(super) stored_write_counts: BTreeMap<String, u64>,
    /// Flushes that an earlier process made without confirming them.
    pub(super) stored_flushes: Vec<StateFlush>,
    pub(super) next_query_number: u64,
    /// The eval as which an earlier process may have stored the run's report.
    pub(super) report_target: Option<EvalTarget>,
    /// Replies in the journal to queries that are not replayed yet.
    pub(super) journaled_replies: HashMap<String, (String, Option<Value>)>,
    pub(super) processor_time: ProcessorTime,
    pub(super) log: RunLog,
    /// What the run may hold.
    pub(super) memory: MemoryShare,
    /// The memory of the journal, until it is on disk, and of the queries and their replies.
    held: MemoryLease,
}

/// Why a notification has no effect.
pub(super) enum NotificationError {
    /// The message is for the script.
    Refused(String),
    Memory(OutOfMemory),
}

impl From<OutOfMemory> for NotificationError {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

impl From<SetError> for NotificationError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Refused(error) => Self::Refused(error.to_string()),
            SetError::Memory(error) => Self::Memory(error),
        }
    }
}

impl RunState {
    pub(super) fn new(header: &JournalHeader, journal: RunJournal, run_context: &RunContext) -> Self {
        let memory = run_context.memory().share(MemoryHolder::Run, MAX_RUN_MEMORY_BYTES);
        let budget = RunBudget::from_context(&header.script.context);
        let live = LiveStatus::new(header.script.strategy.clone(), header.started_ms, budget);
        Self {
            run_id: header.session.clone(),
            journal,
            seed: header.script.seed,
            replay_queues: HashMap::new(),
            pending_writes: PendingWrites::with_memory(memory.lease_none()),
            branch_count: 1,
            status: Arc::new(Mutex::new(live)),
            write_counts: BTreeMap::new(),
            stored_write_counts: BTreeMap::new(),
            stored_flushes: Vec::new(),
            next_query_number: 0,
            report_target: None,
            journaled_replies: HashMap::new(),
            processor_time: ProcessorTime::new(run_context.processor_time),
            log: RunLog::default(),
            held: memory.lease_none(),
            memory,
        }
    }

    pub(super) fn lock_status(&self) -> MutexGuard<'_, LiveStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line to the journal, for which the run must have the memory.
    pub(super) fn append_line(&mut self, line: &JournalLine) -> Result<(), RunError> {
        self.journal.append(line)?;
        self.account_memory()
    }

    /// Appends the line of a call.
    pub(super) fn append_call(&mut self, line: &NewCallLine<'_>) -> Result<(), RunError> {
        self.journal.append_call(line)?;
        self.account_memory()
    }

    /// Takes the memory for what the run has collected, unless it is little.
    pub(super) fn account_memory(&mut self) -> Result<(), RunError> {
        Ok(self.lease_text(0)?)
    }

    /// Takes the memory for what the run has collected, and for more text.
    pub(super) fn lease_text(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let bytes = self.journal.buffered_bytes() + self.lock_status().queries.text_bytes() + more;
        self.held.resize(counted_bytes(bytes))
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
            queries.into_iter().for_each(|query| live.queries.add(query));
        }
        for id in ids {
            if let Some((text, usage)) = self.journaled_replies.remove(&id) {
                self.record_reply(&id, &text, usage.as_ref());
            }
        }
    }

    pub(super) fn record_reply(&self, id: &str, text: &str, usage: Option<&Value>) {
        let mut live = self.lock_status();
        live.last_activity_ms = unix_time::now_ms();
        live.queries.record_reply(id, text, usage);
    }

    /// Returns the replies to these queries, if all have arrived.
    pub(super) fn replies_if_complete(&self, ids: &[String]) -> Option<Value> {
        let live = self.lock_status();
        let reply = |id: &String| live.queries.get(id)?.reply.clone();
        ids.iter().map(reply).collect::<Option<Vec<_>>>().map(Value::from)
    }

    /// Handles a message that expects no answer. An error, such as a value over a limit, becomes the answer to the
    /// script's next call.
    pub(super) fn handle_notification(
        &mut self,
        branch_path: &str,
        operation: &str,
        arguments: &Value,
    ) -> Result<(), NotificationError> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let value = || arguments.get("value").unwrap_or(&Value::Null);
        match operation {
            // Children's stats are ignored: a child that ended before a crash does not run again.
            "stats.record" if branch_path.is_empty() => {
                let recorded = self.lock_status().record_stat(text("key"), value());
                return recorded.map_err(NotificationError::Refused);
            }
            "stats.record" => {}
            "progress" => {
                let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
                let message = arguments.get("message").and_then(Value::as_str).map(truncate_log_line);
                let (step, total) = (number("step").unwrap_or_default(), number("total"));
                self.lock_status().progress = Some(RunProgress { step, total, message });
            }
            "state.set" => {
                let (number, namespace) = (self.count_write(branch_path), text("ns"));
                // An earlier process stored the write, and others may have changed the key since.
                if !self.is_write_stored(branch_path, number, namespace) {
                    let namespace = StateNamespace::parse(namespace).map_err(SetError::Refused)?;
                    self.pending_writes.set_leased(&namespace, text("key"), value())?;
                }
            }
            other => tracing::warn!(operation = other, "unknown notification of a script"),
        }
        Ok(())
    }

    /// Adds a line to the run's log, and returns whether it is new: an earlier process may have added it.
    pub(super) fn log(&mut self, entry: &LogEntry) -> bool {
        if self.log.is_known(entry) {
            return false;
        }
        if let Some(line) = self.log.line_of(entry)
            && let Err(error) = self.journal.append(&line)
        {
            // A replay counts the lines: later ones must not take the place of this one.
            self.log.close();
            tracing::debug!(%error, "the rest of a run's log is not journaled");
        }
        self.lock_status().push_log_entry(entry);
        true
    }

    /// Counts a notification for which there is no memory: the numbers of later writes depend on it.
    pub(super) fn skip_notification(&mut self, branch_path: &str, operation: &str) {
        if operation == "state.set" {
            self.count_write(branch_path);
        }
    }

    /// Counts one more write of a branch, and returns its number, from 1.
    fn count_write(&mut self, branch_path: &str) -> u64 {
        let made = self.write_counts.entry(branch_path.to_owned()).or_default();
        *made += 1;
        *made
    }

    /// Discards pending writes of a namespace that a change of state stored together with itself.
    pub(super) fn discard_flushed_writes(&mut self, operation: &str, arguments: &Payload, answer: &Payload) {
        // A change without effect writes nothing.
        let is_change = operation == "state.incr"
            || matches!(operation, "state.delete" | "state.set_nx") && *answer == Value::Bool(true).into();
        if !is_change {
            return;
        }
        let namespace = arguments.field("ns").and_then(|named| named.into_typed::<String>().ok());
        if let Some(Ok(namespace)) = namespace.as_deref().map(StateNamespace::parse) {
            self.pending_writes.discard(&namespace);
        }
    }

    /// Marks queries whose replies are no longer needed.
    pub(super) fn drop_queries(&self, ids: &[String]) {
        let mut live = self.lock_status();
        ids.iter().for_each(|id| live.queries.drop_query(id));
    }

    /// Removes the branches below `prefix`, which have ended: their queries count, and need no replies.
    pub(super) fn drop_branches(&mut self, prefix: &str) {
        let names: Vec<String> = self.replay_queues.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        let lines: Vec<CallLine> = names.iter().filter_map(|name| self.replay_queues.remove(name)).flatten().collect();
        for line in lines {
            if let CallEvent::Queries { ids, asked } = line.event {
                self.add_queries(ids.iter().zip(&asked).map(|(id, query)| LlmQuery::new(id.clone(), query)).collect());
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
            self.append_line(&JournalLine::Storing { write_counts: self.write_counts.clone(), namespaces })?;
        }
        self.pending_writes
            .flush(state, name.as_deref())
            .map_err(|error| RunError::from_store_error(error, is_named))?;
        self.append_line(&JournalLine::Stored { write_counts: self.write_counts.clone() })
    }

    /// Finds out which unconfirmed flushes were stored. Writes whose outcome is unknown are made again, with the same
    /// values.
    pub(super) fn find_stored_flushes(
        &self,
        storing: Vec<StateFlush>,
        state: &StateStore,
    ) -> Result<Vec<StateFlush>, RunError> {
        let mut found = Vec::new();
        for StateFlush { write_counts: posts, namespaces } in storing {
            let name = flush_id(&self.run_id, &posts);
            let mut made = Vec::new();
            for namespace in namespaces {
                let parsed =
                    StateNamespace::parse(&namespace).map_err(|error| RunError::from_store_error(error, true))?;
                let became = state
                    .apply_status(&parsed, &name, None)
                    .map_err(|error| RunError::from_store_error(error, true))?;
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
