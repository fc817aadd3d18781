//! The replay: calls that a branch makes again, answered from the journal.
//!
//! Never: answers a call that differs from the one in the journal, or makes a change again whose answer is there.

use super::Branch;
use super::script_call::ScriptCall;
use crate::runs::context::RunContext;
use crate::runs::error::RunError;
use crate::runs::journal::{CallEvent, CallLine};
use crate::runs::run_state::RunState;

impl Branch {
    /// Answers a call from the journal.
    pub(super) fn replay(
        &mut self,
        line: CallLine,
        call: &ScriptCall,
        shared: &mut RunState,
        run_context: &RunContext,
    ) -> Result<(), RunError> {
        if (line.number, &line.operation, &line.digest) != (call.number, &call.operation, &call.digest) {
            return Err(RunError::diverged(self.path(), call.number, &call.operation));
        }
        // The journal has the error of a notification as the answer that reported it.
        self.deferred_error = None;
        match line.event {
            CallEvent::Answer(answer) => {
                if let Ok(value) = &answer {
                    shared.discard_flushed_writes(&call.operation, &call.arguments, value);
                }
                self.resume_script(answer)?;
            }
            CallEvent::Announced(plan) => match call.build_arguments(&shared.memory) {
                Ok((arguments, _held)) => self.apply_effect(call, &arguments, &plan, true, shared, run_context)?,
                // The process that announced the change may have made it.
                Err(error) => return Err(RunError::retryable(&error)),
            },
            CallEvent::Queries { ids, asked } => self.await_replies(ids, &asked, shared),
            CallEvent::Fork => match self.replay_queue.pop_front() {
                // The fork's outcome is known: no child is started again.
                Some(CallLine { number, operation, event: CallEvent::Answer(outcome), .. })
                    if number == call.number && operation == "fork" =>
                {
                    shared.drop_branches(&self.child_path_prefix(call));
                    self.resume_script(outcome)?;
                }
                other => {
                    other.into_iter().for_each(|line| self.replay_queue.push_front(line));
                    self.start_fork(call, true, shared, run_context)?;
                }
            },
        }
        Ok(())
    }
}
