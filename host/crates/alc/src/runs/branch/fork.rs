//! A fork: the branches that one call of a script starts, and the outcome that the script gets.

use serde_json::{Map, Value, json};

use super::script_call::ScriptCall;
use super::{Branch, BranchStart, BranchState};
use crate::limits::{MAX_FORK_DEPTH, MAX_RUN_BRANCHES};
use crate::runs::context::{RunContext, WorkerCrashPolicy};
use crate::runs::error::RunError;
use crate::runs::journal::{ScriptSource, call_digest};
use crate::runs::run_state::RunState;
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
        let names = call.strategies();
        let context = call.arguments.get("ctx").filter(|context| context.is_object());
        let context = context.cloned().unwrap_or_else(|| Map::new().into());
        let count = names.len();
        let abort = matches!(call.arguments.get("on_error").and_then(Value::as_str), Some("abort" | "fail"));
        let prefix = self.child_path_prefix(call);
        let mut fork = BranchFork { call: call.clone(), children: Vec::new(), is_fail_fast: abort };
        for (number, strategy) in names.into_iter().enumerate() {
            let name = format!("{prefix}{number}");
            let mut context = context.clone();
            if let Some(fields) = context.as_object_mut() {
                fields.insert("_ns".into(), format!("{}.fork-{number}", self.namespace).into());
            }
            let source = ScriptSource::Package(strategy.clone());
            // Each child has random numbers of its own, the same in every replay.
            let seed = shared.seed ^ u64::from_str_radix(&call_digest(&name, &Value::Null)[..16], 16).unwrap_or(1);
            let branch_start = BranchStart { path: name, source: &source, context, seed };
            match Self::start(branch_start, &mut shared.replay_queues, run_context) {
                Ok(branch) => fork.children.push(ForkChild { strategy, branch: Some(branch), error: None }),
                Err(RunError::Lua(error)) if !is_replay || matches!(error, ScriptStartError::InvalidInput(_)) => {
                    drop(fork);
                    let message = format!("alc.fork: strategy '{strategy}' cannot be started: {error}");
                    return self.answer_call(call, Err(message), shared);
                }
                Err(stop) => return Err(stop),
            }
        }
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
        self.children.iter().filter_map(|child| child.branch.as_ref()).for_each(|branch| branch.abandon(shared));
    }

    /// Returns the parent's answer, once it is certain.
    pub(super) fn result(&self) -> Option<Result<Value, String>> {
        let mut results = Vec::new();
        for child in &self.children {
            let over = match (&child.error, child.branch.as_ref().map(Branch::result)) {
                (Some(message), _) => Err(message),
                (None, Some(Some(Ok(value)))) => Ok(value),
                (None, Some(Some(Err(message)))) => Err(message),
                (None, _) => {
                    results.push(None);
                    continue;
                }
            };
            let strategy = &child.strategy;
            match over {
                Err(message) if self.is_fail_fast => {
                    return Some(Err(format!("alc.fork: strategy '{strategy}' failed: {message}")));
                }
                Err(message) => results.push(Some(json!({"strategy": strategy, "ok": false, "error": message}))),
                Ok(value) => results.push(Some(json!({"strategy": strategy, "ok": true, "result": value}))),
            }
        }
        results.into_iter().collect::<Option<Vec<_>>>().map(|all| Ok(all.into()))
    }
}
