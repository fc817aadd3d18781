//! A fork: the branches that one call of a script starts, and the outcome that the script gets.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::script_call::{ScriptCall, lease_unless_small};
use super::{Branch, BranchStart, BranchState};
use crate::limits::{MAX_FORK_DEPTH, MAX_FORK_RESULT_BYTES, MAX_RUN_BRANCHES};
use crate::runs::context::{RunContext, WorkerCrashPolicy};
use crate::runs::error::RunError;
use crate::runs::journal::{ScriptSource, call_digest};
use crate::runs::run_state::RunState;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_lua::ScriptStartError;
use wardroom_service::escape_and_truncate;

pub(super) struct BranchFork {
    /// The script's `fork` call, which waits for the children.
    pub(super) call: ScriptCall,
    pub(super) children: Vec<ForkChild>,
    /// Whether the first failure of a child fails the fork.
    pub(super) is_fail_fast: bool,
}

pub(super) struct ForkChild {
    strategy: String,
    /// Absent once the child's worker has ended; `error` says why.
    pub(super) branch: Option<Branch>,
    error: Option<String>,
}

impl Branch {
    pub(super) fn check_fork(&self, call: &ScriptCall, shared: &RunState) -> Result<(), String> {
        let names = call.strategies();
        if names.is_empty() {
            return Err("alc.fork: strategies must be a non-empty array".to_owned());
        }
        if let Some(bad) = names.iter().find(|name| PackageName::parse(name).is_err()) {
            return Err(format!("alc.fork: invalid strategy name '{}'", escape_and_truncate(bad)));
        }
        if self.path.split('.').filter(|part| !part.is_empty()).count() >= MAX_FORK_DEPTH {
            return Err(format!("alc.fork: nested deeper than {MAX_FORK_DEPTH}"));
        }
        if shared.branch_count + names.len() > MAX_RUN_BRANCHES {
            let others = MAX_RUN_BRANCHES - 1;
            return Err(format!("alc.fork: more than {others} strategies at the same time, over all forks of the run"));
        }
        Ok(())
    }

    /// Starts the children. The script receives the error of a child that cannot start. In a replay, only an error that
    /// is permanent: the journal may have what the children did, and the start can be tried again.
    pub(super) fn start_fork(
        &mut self,
        call: &ScriptCall,
        is_replay: bool,
        shared: &mut RunState,
        run_context: &RunContext,
    ) -> Result<(), RunError> {
        // The context is there as it was sent, by itself, with a field more, and as a part of the message of a child.
        let copies = match lease_unless_small(3 * call.arguments.text_bytes(), &shared.memory) {
            Ok(copies) => copies,
            Err(error) if is_replay => return Err(RunError::retryable(&error)),
            Err(error) => return self.answer_shortage(call, error, shared),
        };
        let names = call.strategies();
        let context = call.field("ctx").filter(Payload::is_object);
        let context = context.unwrap_or_else(|| Payload::from_value(Map::new().into()));
        let count = names.len();
        let on_error = call.field("on_error").and_then(|named| named.into_typed::<String>().ok());
        let abort = matches!(on_error.as_deref(), Some("abort" | "fail"));
        let prefix = self.child_path_prefix(call);
        let mut fork = BranchFork { call: call.without_arguments(), children: Vec::new(), is_fail_fast: abort };
        for (number, strategy) in names.into_iter().enumerate() {
            let name = format!("{prefix}{number}");
            let context = context.clone().with_field("_ns", format!("{}.fork-{number}", self.namespace).into());
            let source = ScriptSource::Package(strategy.clone());
            // Each child has random numbers of its own, the same in every replay.
            let seed = shared.seed ^ u64::from_str_radix(&call_digest(&name, &Value::Null)[..16], 16).unwrap_or(1);
            let branch_start = BranchStart { path: name, source: &source, context, seed };
            let why = match Self::start(branch_start, &mut shared.replay_queues, &shared.memory, run_context) {
                Ok(branch) => {
                    fork.children.push(ForkChild { strategy, branch: Some(branch), error: None });
                    continue;
                }
                Err(RunError::Lua(error)) if !is_replay || matches!(error, ScriptStartError::InvalidInput(_)) => {
                    error.to_string()
                }
                // The children's contexts together are more than the run may hold.
                Err(RunError::Script(message)) if !is_replay => message,
                Err(RunError::Script(message)) => return Err(RunError::retryable(&message)),
                Err(stop) => return Err(stop),
            };
            drop(fork);
            let message = format!("alc.fork: strategy '{strategy}' cannot be started: {why}");
            return self.answer_call(call, Err(message), shared);
        }
        drop(copies);
        shared.branch_count += count;
        self.state = BranchState::AwaitingFork(fork);
        Ok(())
    }
}

impl BranchFork {
    /// Returns the children that have not failed.
    pub(super) fn running_branches(&mut self) -> impl Iterator<Item = &mut Branch> {
        self.children.iter_mut().filter(|child| child.error.is_none()).filter_map(|child| child.branch.as_mut())
    }

    /// Returns the processor time of the children that have a worker.
    pub(super) fn processor_time(&self) -> Duration {
        self.children.iter().filter_map(|child| child.branch.as_ref()).map(Branch::processor_time).sum()
    }

    /// Advances each child independently: a child that waits or computes blocks no other child.
    pub(super) fn advance(&mut self, shared: &mut RunState, run_context: &RunContext) -> Result<(), RunError> {
        for child in &mut self.children {
            let Some(branch) = child.branch.as_mut().filter(|_| child.error.is_none()) else { continue };
            match branch.advance(shared, run_context) {
                Ok(()) => {}
                // The child can be replayed from the journal in another process.
                Err(RunError::WorkerDied)
                    if run_context.crash_policy == WorkerCrashPolicy::RetryRun || !branch.replay_queue.is_empty() =>
                {
                    return Err(RunError::WorkerDied);
                }
                // A crash of one child's worker is that child's failure.
                Err(stop @ (RunError::Script(_) | RunError::WorkerDied)) => {
                    shared.processor_time.add_ended(branch.processor_time());
                    child.error = Some(stop.to_string());
                    branch.abandon(shared);
                    child.branch = None;
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// Drops the children's queries: the parent continues without the children.
    pub(super) fn abandon(&self, shared: &mut RunState) {
        shared.branch_count -= self.children.len();
        shared.processor_time.add_ended(self.processor_time());
        self.children.iter().filter_map(|child| child.branch.as_ref()).for_each(|branch| branch.abandon(shared));
    }

    /// Returns the parent's answer, once it is certain.
    pub(super) fn result(&self) -> Option<Result<Payload, String>> {
        let failed = |child: &ForkChild| Some((child.strategy.clone(), child.outcome()?.err()?.to_owned()));
        if self.is_fail_fast
            && let Some((strategy, message)) = self.children.iter().find_map(failed)
        {
            return Some(Err(format!("alc.fork: strategy '{strategy}' failed: {message}")));
        }
        let outcomes = self.children.iter().map(|child| {
            let (result, error) = match child.outcome()? {
                Ok(value) => (Some(value), None),
                Err(message) => (None, Some(message)),
            };
            Some(ForkOutcome { error, ok: error.is_none(), result, strategy: &child.strategy })
        });
        let outcomes = outcomes.collect::<Option<Vec<_>>>()?;
        let bytes: usize = outcomes.iter().map(ForkOutcome::text_bytes).sum();
        if bytes > MAX_FORK_RESULT_BYTES {
            let (bytes, limit) = (ByteSize(bytes as u64), ByteSize(MAX_FORK_RESULT_BYTES as u64));
            return Some(Err(format!("alc.fork: the results have {bytes}, the limit is {limit} for all of them")));
        }
        Some(Payload::text_of(&outcomes).map_err(|error| format!("alc.fork: {error}")))
    }
}

/// What the parent gets of one child, with sorted fields.
#[derive(Serialize)]
struct ForkOutcome<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Payload>,
    strategy: &'a str,
}

impl ForkOutcome<'_> {
    /// Returns the length of the result or of the error.
    fn text_bytes(&self) -> usize {
        self.result.map_or(0, Payload::text_bytes) + self.error.map_or(0, str::len)
    }
}

impl ForkChild {
    /// Returns the child's result, once it is certain.
    fn outcome(&self) -> Option<Result<&Payload, &str>> {
        match (&self.error, self.branch.as_ref().map(Branch::result)) {
            (Some(message), _) => Some(Err(message)),
            (None, Some(Some(result))) => Some(result.as_ref().map_err(String::as_str)),
            (None, _) => None,
        }
    }
}
