//! The context in which a run is executed: the stores, the worker pool and the client's call.
//!
//! Owns: how long the server works for a script.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cancel_reason::RunCancellation;
use super::error::RunError;
use super::live_status::truncate_log_line;
use super::operations::{OperationError, OperationExecutor};
use super::script_stores::ScriptStores;
use super::store::RunStore;
use crate::limits::RUN_STEP_TIMEOUT;
use crate::logs::LogEntry;
use crate::state::PendingWrites;
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_lua::{ScriptRun, ScriptStartError, StrategyRequest, WorkerPool};
use wardroom_service::{LogLevel, RequestInfo};

/// The context in which a run is executed.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    pub(super) stores: &'a ScriptStores,
    pub(super) pool: &'a WorkerPool,
    pub(super) run_store: &'a RunStore,
    /// The other runs of this process, whose idle workers can be evicted.
    pub(super) idle_runs: &'a dyn IdleRuns,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// The processor time that a run may take in all.
    pub(super) processor_time: Duration,
    pub(super) info: &'a RequestInfo,
    pub(super) cancellation: RunCancellation<'a>,
    pub(super) crash_policy: WorkerCrashPolicy,
}

/// The runs of this process that wait for their clients.
pub(super) trait IdleRuns {
    /// Ends their worker processes.
    fn evict_idle(&self);
}

/// The consequence when the worker of a fork's child ends unexpectedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkerCrashPolicy {
    /// The run is restored from its journal.
    RetryRun,
    /// The child fails.
    FailChild,
}

impl RunContext<'_> {
    /// Starts a script. Where the pool has no process left, paused runs give up theirs.
    pub(super) fn start_script(
        &self,
        start: &StrategyRequest,
        memory: &MemoryShare,
    ) -> Result<ScriptRun, ScriptStartError> {
        match self.pool.start_run(start, memory) {
            Err(ScriptStartError::Busy) => {
                self.idle_runs.evict_idle();
                self.pool.start_run(start, memory)
            }
            started => started,
        }
    }

    /// Returns what the caller may hold.
    pub(super) const fn memory(&self) -> &MemoryShare {
        self.info.memory.share()
    }

    /// Notifies the client of a script's progress. The run's status keeps the latest progress.
    pub(super) fn notify_progress(&self, progress: &Value) {
        let Some(client) = &self.info.client else { return };
        let number = |name: &str| progress.get(name).and_then(Value::as_f64);
        let message = progress.get("message").and_then(Value::as_str);
        client.notify_progress(
            number("step").unwrap_or_default(),
            number("total"),
            message.map(truncate_log_line).as_deref(),
        );
    }

    /// Sends a line of a run's log to the client. The run's status keeps the last ones.
    pub(super) fn notify_log(&self, entry: &LogEntry) {
        let Some(client) = &self.info.client else { return };
        let level = LogLevel::from_name(&entry.level).unwrap_or(LogLevel::Info);
        let text = truncate_log_line(&format!("{}{}", entry.branch_prefix(), entry.message));
        client.log_message(level, Some(&entry.source), Payload::from_value(text.into()));
    }

    /// Fails once the run is cancelled.
    pub(super) fn check_cancelled(&self) -> Result<(), RunError> {
        self.cancellation.reason().map_or(Ok(()), |reason| Err(RunError::Cancelled(reason)))
    }

    /// Returns a check that ends the server's work for a script after `RUN_STEP_TIMEOUT`, the script's own limit.
    pub(super) fn deadline_check(&self) -> impl Fn() -> bool + Sync + use<'_> {
        let (deadline, cancellation) = (Instant::now() + RUN_STEP_TIMEOUT, &self.cancellation);
        move || cancellation.reason().is_some() || Instant::now() >= deadline
    }

    pub(super) fn operation_executor<'e>(
        &'e self,
        pending_writes: &'e mut PendingWrites,
        stop: &'e (dyn Fn() -> bool + Sync),
    ) -> OperationExecutor<'e> {
        OperationExecutor { stores: self.stores, environment: self.environment, pending_writes, should_stop: stop }
    }

    /// Returns an operation's result for the script, or an error that ends the step where the call was cancelled, or where
    /// something was in the way of a run that is kept: such an operation is not journaled.
    pub(super) fn classify_result(
        &self,
        operation: &str,
        result: Result<Payload, OperationError>,
        stop: &(dyn Fn() -> bool + Sync),
        is_kept: bool,
    ) -> Result<Result<Payload, String>, RunError> {
        let error = match result {
            Ok(value) => return Ok(Ok(value)),
            Err(error) => error,
        };
        self.check_cancelled()?;
        let message = match error {
            OperationError::Failed(message) => message,
            OperationError::Obstructed(error) if is_kept => return Err(RunError::from_store_error(error, true)),
            // Before its first pause no client could resume the run.
            OperationError::Obstructed(error) => error.to_string(),
        };
        if stop() {
            return Ok(Err(format!("{operation} took longer than {} s: {message}", RUN_STEP_TIMEOUT.as_secs())));
        }
        Ok(Err(message))
    }
}
