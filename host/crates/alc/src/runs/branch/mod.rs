//! A branch: one script of a run, and the branches that it forked. A run is a tree of branches.
//!
//! Owns: the order call → journal → answer, the part of a journal that a branch has yet to replay, and what the branch
//! waits for.
//! Never: shows a script an answer that the journal lacks; repeats a change that the journal records as made.

mod fork;
mod notification;
mod replay;
mod script_call;

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::fork::BranchFork;
use self::script_call::{ScriptCall, check_batch_size, lease_unless_small};
use crate::limits::RUN_STEP_TIMEOUT;
use crate::logs::LogEntry;
use crate::runs::context::RunContext;
use crate::runs::error::RunError;
use crate::runs::journal::{CallLine, NewCallEvent, ScriptSource, call_digest, child_path_prefix};
use crate::runs::operations::{Effect, WriteAheadEffect};
use crate::runs::queries::LlmQuery;
use crate::runs::run_state::RunState;
use wardroom_base::CONTENT_TARGET;
use wardroom_base::memory::{MemoryHolder, MemoryLease, MemoryShare, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;
use wardroom_lua::{EntryPoint, ScriptRun, ScriptStep, ScriptStopError, StrategyRequest, state_namespace};

pub(super) struct Branch {
    /// The path in the tree: empty for the root, else the numbers of the children, separated by dots.
    path: String,
    /// The namespace of `alc.state` that the script sees.
    namespace: String,
    script: ScriptRun,
    /// Journal lines of this branch that are not replayed yet.
    replay_queue: VecDeque<CallLine>,
    /// The number of calls that the script has made.
    call_count: u64,
    /// When the script has to make a call or end. Notifications do not extend it.
    deadline: Instant,
    state: BranchState,
    /// The last call, with its number, from 1.
    last_call: Option<(u64, String)>,
    /// The error of a notification, which becomes the answer to the next call, or the result.
    deferred_error: Option<String>,
}

enum BranchState {
    /// Waits for nothing: the script can continue.
    Runnable,
    AwaitingReplies(Vec<String>),
    AwaitingFork(BranchFork),
    Finished(BranchResult),
}

/// The result of a finished branch.
struct BranchResult {
    result: Result<Payload, String>,
    /// The memory of the result.
    memory: MemoryLease,
}

/// The inputs of a branch's script.
pub(super) struct BranchStart<'a> {
    pub(super) path: String,
    pub(super) source: &'a ScriptSource,
    pub(super) context: Payload,
    pub(super) seed: u64,
}

impl Branch {
    pub(super) fn start(
        branch_start: BranchStart,
        replay_queues: &mut HashMap<String, VecDeque<CallLine>>,
        memory: &MemoryShare,
        run_context: &RunContext,
    ) -> Result<Self, RunError> {
        let entry = match branch_start.source {
            ScriptSource::Code { name, text } => EntryPoint::Code { name: name.clone(), source: text.clone() },
            ScriptSource::Package(name) => EntryPoint::Package { name: name.clone() },
        };
        let namespace = state_namespace(&branch_start.context);
        let start = StrategyRequest { entry, context: branch_start.context, seed: branch_start.seed };
        let mut script = run_context.start_script(&start, memory)?;
        // The run ends with its root.
        if !branch_start.path.is_empty() {
            script.count_after_end();
        }
        let replay_queue = replay_queues.remove(&branch_start.path).unwrap_or_default();
        Ok(Self {
            path: branch_start.path,
            namespace,
            script,
            replay_queue,
            call_count: 0,
            deadline: Instant::now() + RUN_STEP_TIMEOUT,
            state: BranchState::Runnable,
            last_call: None,
            deferred_error: None,
        })
    }

    /// Returns the result, if the branch has finished.
    pub(super) const fn result(&self) -> Option<&Result<Payload, String>> {
        match &self.state {
            BranchState::Finished(finished) => Some(&finished.result),
            BranchState::Runnable | BranchState::AwaitingReplies(_) | BranchState::AwaitingFork(_) => None,
        }
    }

    /// Takes the result out of a finished branch, with its memory.
    pub(super) fn take_result(&mut self) -> Option<(Result<Payload, String>, MemoryLease)> {
        match std::mem::replace(&mut self.state, BranchState::Runnable) {
            BranchState::Finished(BranchResult { result, memory }) => Some((result, memory)),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Ends the branch with this result, for which the run must have the memory. A run that would hold too much has
    /// failed; a lack of memory that is not its own ends the call only.
    fn finish(&mut self, result: Result<Payload, String>, memory: &MemoryShare) -> Result<(), RunError> {
        let bytes = result.as_ref().map_or_else(String::len, Payload::text_bytes);
        self.state = BranchState::Finished(match lease_unless_small(bytes, memory) {
            Ok(memory) => BranchResult { result, memory },
            Err(error) if error.holder == MemoryHolder::Run => {
                BranchResult { result: Err(error.to_string()), memory: memory.lease_none() }
            }
            Err(error) => return Err(error.into()),
        });
        Ok(())
    }

    /// Whether the branch has replayed its part of the journal.
    pub(super) fn is_caught_up(&self) -> bool {
        self.replay_queue.is_empty()
            && match &self.state {
                BranchState::AwaitingFork(fork) => {
                    fork.children.iter().filter_map(|c| c.branch.as_ref()).all(Self::is_caught_up)
                }
                BranchState::Runnable | BranchState::AwaitingReplies(_) | BranchState::Finished(_) => true,
            }
    }

    /// Collects the scripts that compute, of this branch and of the branches that it forked.
    pub(super) fn collect_running_scripts<'s>(&'s mut self, found: &mut Vec<&'s mut ScriptRun>) {
        match &mut self.state {
            BranchState::Runnable => found.push(&mut self.script),
            BranchState::AwaitingFork(fork) => {
                fork.running_branches().for_each(|branch| branch.collect_running_scripts(found));
            }
            BranchState::AwaitingReplies(_) | BranchState::Finished(_) => {}
        }
    }

    /// Returns the processor time of this branch's worker, and of those of its children.
    pub(super) fn processor_time(&self) -> Duration {
        let children = match &self.state {
            BranchState::AwaitingFork(fork) => fork.processor_time(),
            BranchState::Runnable | BranchState::AwaitingReplies(_) | BranchState::Finished(_) => Duration::ZERO,
        };
        self.script.processor_time() + children
    }

    /// Executes the branch until it waits for the client, has finished, or its script computes.
    pub(super) fn advance(&mut self, shared: &mut RunState, run_context: &RunContext) -> Result<(), RunError> {
        loop {
            match &mut self.state {
                BranchState::Finished(_) => return Ok(()),
                BranchState::AwaitingReplies(ids) => {
                    let Some(replies) = shared.replies_if_complete(ids) else { return Ok(()) };
                    self.resume_script(Ok(replies.into()))?;
                }
                BranchState::AwaitingFork(fork) => {
                    fork.advance(shared, run_context)?;
                    let Some(result) = fork.result() else { return Ok(()) };
                    let BranchState::AwaitingFork(fork) = std::mem::replace(&mut self.state, BranchState::Runnable)
                    else {
                        return Ok(());
                    };
                    fork.abandon(shared);
                    // The children are never executed again: their writes are stored before the fork's outcome is
                    // certain.
                    shared.flush_writes(&run_context.stores.state)?;
                    self.answer_call(&fork.call, result, shared)?;
                }
                BranchState::Runnable => {
                    if !self.step(shared, run_context)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Gives the script an answer.
    fn resume_script(&mut self, answer: Result<Payload, String>) -> Result<(), RunError> {
        self.script.answer(answer).map_err(|stopped| self.classify_stop(stopped))?;
        (self.state, self.deadline) = (BranchState::Runnable, Instant::now() + RUN_STEP_TIMEOUT);
        Ok(())
    }

    /// Drops the queries of this branch and of its children, since their replies are no longer needed.
    fn abandon(&self, shared: &mut RunState) {
        match &self.state {
            BranchState::AwaitingReplies(ids) => shared.drop_queries(ids),
            BranchState::AwaitingFork(fork) => fork.abandon(shared),
            BranchState::Runnable | BranchState::Finished(_) => {}
        }
    }

    /// Handles the script's next message, if there is one.
    fn step(&mut self, shared: &mut RunState, run_context: &RunContext) -> Result<bool, RunError> {
        let polled = match self.script.poll(self.deadline) {
            Ok(polled) => polled,
            Err(stopped) => {
                let error = self.classify_stop(stopped);
                self.log_stop(&error, shared, run_context);
                return Err(error);
            }
        };
        let Some(step) = polled else { return Ok(false) };
        match step {
            ScriptStep::Notify { operation, arguments } => {
                self.handle_notification(&operation, arguments, shared, run_context)?;
            }
            ScriptStep::Returned(_) | ScriptStep::Failed { .. } if !self.replay_queue.is_empty() => {
                return Err(self.early_end_error(&step));
            }
            ScriptStep::Returned(value) => {
                let result = self.deferred_error.take().map_or(Ok(value), Err);
                self.finish(result, &shared.memory)?;
            }
            ScriptStep::Failed { message, traceback } => {
                tracing::debug!(target: CONTENT_TARGET, reason = message, traceback, "a script failed");
                let entry = LogEntry::failure(unix_time::now_ms(), &self.path, &message, traceback.as_deref());
                self.log(&entry, shared, run_context);
                self.finish(Err(message), &shared.memory)?;
            }
            ScriptStep::Request { operation, arguments } => {
                let number = self.call_count;
                self.call_count += 1;
                self.last_call = Some((self.call_count, operation.clone()));
                let call = ScriptCall { number, digest: call_digest(&operation, &arguments), operation, arguments };
                // Arguments can be large, and hashing them takes a while.
                run_context.check_cancelled()?;
                match self.replay_queue.pop_front() {
                    Some(line) => self.replay(line, &call, shared, run_context)?,
                    None => self.execute(&call, shared, run_context)?,
                }
            }
        }
        Ok(true)
    }

    /// Maps why the script stopped to an error.
    fn classify_stop(&self, stopped: ScriptStopError) -> RunError {
        RunError::from_stop(stopped, !self.replay_queue.is_empty())
    }

    /// Returns the error of a script that ended before it had replayed its part of the journal.
    fn early_end_error(&self, end: &ScriptStep) -> RunError {
        let how = match end {
            ScriptStep::Failed { message, .. } => format!("failed ({message})"),
            ScriptStep::Returned(_) | ScriptStep::Request { .. } | ScriptStep::Notify { .. } => "returned".to_owned(),
        };
        RunError::ended_early(self.path(), self.call_count, &how)
    }

    /// Answers a call that takes more memory than its run may hold. Any other lack of memory may pass, and must not decide
    /// what a run does: it ends the client's call.
    fn answer_shortage(
        &mut self,
        call: &ScriptCall,
        error: OutOfMemory,
        shared: &mut RunState,
    ) -> Result<(), RunError> {
        if error.holder != MemoryHolder::Run {
            return Err(error.into());
        }
        self.answer_call(call, Err(format!("alc.{}: {error}", call.operation)), shared)
    }

    /// Executes a call for the first time.
    fn execute(&mut self, call: &ScriptCall, shared: &mut RunState, run_context: &RunContext) -> Result<(), RunError> {
        if let Some(message) = self.deferred_error.take() {
            return self.answer_call(call, Err(message), shared);
        }
        match call.operation.as_str() {
            "llm" => {
                let queries = match call.queries(&shared.memory) {
                    Ok(queries) => queries,
                    Err(error) => return self.answer_shortage(call, error, shared),
                };
                let checked =
                    check_batch_size(&queries).and_then(|()| shared.lock_status().check_query_limits(&queries));
                if let Err(message) = checked {
                    return self.answer_call(call, Err(message), shared);
                }
                let ids = shared.allocate_query_ids(queries.len());
                shared.append_call(&call.line(&self.path, NewCallEvent::Queries { ids: &ids, asked: &queries }))?;
                self.await_replies(ids, &queries, shared);
                Ok(())
            }
            "fork" => {
                if let Err(message) = self.check_fork(call, shared) {
                    return self.answer_call(call, Err(message), shared);
                }
                shared.append_call(&call.line(&self.path, NewCallEvent::Fork))?;
                self.start_fork(call, false, shared, run_context)
            }
            "budget" => {
                let left = shared.lock_status().remaining_budget();
                self.answer_call(call, Ok(left.into()), shared)
            }
            operation => {
                let stop = run_context.deadline_check();
                if let Err(message) = call.check_size() {
                    return self.answer_call(call, Err(message), shared);
                }
                let (arguments, _held) = match call.build_arguments(&shared.memory) {
                    Ok(built) => built,
                    Err(error) => return self.answer_shortage(call, error, shared),
                };
                match run_context.operation_executor(&mut shared.pending_writes, &stop).prepare(operation, &arguments) {
                    Effect::Done(result) => {
                        let is_kept = shared.journal.is_on_disk();
                        let result = run_context.classify_result(operation, result, &stop, is_kept)?;
                        self.answer_call(call, result, shared)
                    }
                    Effect::WriteAhead(plan) => {
                        shared.append_call(&call.line(&self.path, NewCallEvent::Announced(&plan)))?;
                        self.apply_effect(call, &arguments, &plan, false, shared, run_context)
                    }
                }
            }
        }
    }

    fn apply_effect(
        &mut self,
        call: &ScriptCall,
        arguments: &Value,
        plan: &Payload,
        is_replay: bool,
        shared: &mut RunState,
        run_context: &RunContext,
    ) -> Result<(), RunError> {
        let stop = run_context.deadline_check();
        let name = shared.journal.is_on_disk().then(|| call_digest(&shared.run_id, &json!([self.path, call.number])));
        let announced = WriteAheadEffect { operation: &call.operation, arguments, plan, is_replay, change_id: name };
        let (result, was_made) = run_context.operation_executor(&mut shared.pending_writes, &stop).apply(&announced);
        let result = run_context.classify_result(&call.operation, result, &stop, shared.journal.is_on_disk())?;
        if let (true, Ok(value)) = (was_made, &result) {
            shared.discard_flushed_writes(&call.operation, &call.arguments, value);
        }
        self.answer_call(call, result, shared)
    }

    /// Appends an answer to the journal and gives it to the script.
    fn answer_call(
        &mut self,
        call: &ScriptCall,
        result: Result<Payload, String>,
        shared: &mut RunState,
    ) -> Result<(), RunError> {
        shared.append_call(&call.line(&self.path, NewCallEvent::Answer(&result)))?;
        self.resume_script(result)
    }

    fn await_replies(&mut self, ids: Vec<String>, asked: &[Payload], shared: &mut RunState) {
        let queries = ids.iter().zip(asked).map(|(id, query)| LlmQuery::new(id.clone(), query)).collect();
        shared.add_queries(queries);
        self.state = BranchState::AwaitingReplies(ids);
    }

    /// Returns the beginning of the paths of the branches that a call forks.
    fn child_path_prefix(&self, call: &ScriptCall) -> String {
        child_path_prefix(&self.path, call.number)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }
}
