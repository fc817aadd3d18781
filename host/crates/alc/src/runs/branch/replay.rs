//! The replay: calls that a branch makes again, answered from the journal.
//!
//! Never: answers a call that differs from the one in the journal, or makes a change again whose answer is there.

use super::Branch;
use super::script_call::ScriptCall;
use crate::runs::context::RunContext;
use crate::runs::error::RunError;
use crate::runs::journal::JournalLine;
use crate::runs::run_state::RunState;

impl Branch {
    /// Answers a call from the journal.
    pub(super) fn replay(
        &mut self,
        line: JournalLine,
        call: &ScriptCall,
        shared: &mut RunState,
        run_context: &RunContext,
    ) -> Result<(), RunError> {
        let (number, operation, digest) = match &line {
            JournalLine::Answer { n, op, q, .. } | JournalLine::Announced { n, op, q, .. } => (*n, op.as_str(), q),
            JournalLine::Queries { n, q, .. } => (*n, "llm", q),
            JournalLine::Fork { n, q, .. } => (*n, "fork", q),
            JournalLine::Reply { .. }
            | JournalLine::Paused { .. }
            | JournalLine::Spent { .. }
            | JournalLine::Log(_)
            | JournalLine::Storing { .. }
            | JournalLine::Stored { .. }
            | JournalLine::Report { .. }
            | JournalLine::End { .. } => return Err(RunError::diverged(self.path(), call.number, &call.operation)),
        };
        if (number, operation, digest) != (call.number, call.operation.as_str(), &call.digest) {
            return Err(RunError::diverged(self.path(), call.number, &call.operation));
        }
        // The journal has the error of a notification as the answer that reported it.
        self.deferred_error = None;
        match line {
            JournalLine::Answer { got, .. } => {
                if let Ok(value) = &got {
                    shared.discard_flushed_writes(&call.operation, &call.arguments, value);
                }
                self.resume_script(got)?;
            }
            JournalLine::Announced { plan, .. } => match call.build_arguments(&shared.memory) {
                Ok((arguments, _held)) => self.apply_effect(call, &arguments, &plan, true, shared, run_context)?,
                // The process that announced the change may have made it.
                Err(error) => return Err(RunError::retryable(&error)),
            },
            JournalLine::Queries { ids, asked, .. } => self.await_replies(ids, &asked, shared),
            JournalLine::Fork { .. } => match self.replay_queue.pop_front() {
                // The fork's outcome is known: no child is started again.
                Some(JournalLine::Answer { n, op, got, .. }) if n == call.number && op == "fork" => {
                    shared.drop_branches(&self.child_path_prefix(call));
                    self.resume_script(got)?;
                }
                other => {
                    other.into_iter().for_each(|line| self.replay_queue.push_front(line));
                    self.start_fork(call, true, shared, run_context)?;
                }
            },
            JournalLine::Reply { .. }
            | JournalLine::Paused { .. }
            | JournalLine::Spent { .. }
            | JournalLine::Log(_)
            | JournalLine::Storing { .. }
            | JournalLine::Stored { .. }
            | JournalLine::Report { .. }
            | JournalLine::End { .. } => {}
        }
        Ok(())
    }
}
