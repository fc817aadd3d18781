//! What a script tells without waiting for an answer: lines of the log, progress, statistics and writes of its state.
//!
//! Owns: the error of such a message, which becomes the answer to the script's next call.
//! Never: sends a client in a replay what it was sent before.

use serde_json::Value;

use super::Branch;
use super::script_call::lease_unless_small;
use crate::logs::LogEntry;
use crate::runs::context::RunContext;
use crate::runs::error::RunError;
use crate::runs::journal::{CallEvent, CallLine};
use crate::runs::run_state::{NotificationError, RunState};
use wardroom_base::memory::{MemoryHolder, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;

impl Branch {
    /// Logs where the script stood when it was stopped, if that is its failure.
    pub(in crate::runs) fn log_stop(&self, error: &RunError, shared: &mut RunState, run_context: &RunContext) {
        let RunError::Script(reason) = error else { return };
        let place = match &self.last_call {
            Some((number, operation)) => format!("after its call {number}, {operation}"),
            None => "before its first call".to_owned(),
        };
        self.log(&LogEntry::stop(unix_time::now_ms(), &self.path, reason, &place), shared, run_context);
    }

    /// Adds a line to the run's log, and sends it to the client if it is new. A replay may repeat lines that are not in the
    /// journal: those were sent before.
    pub(super) fn log(&self, entry: &LogEntry, shared: &mut RunState, run_context: &RunContext) {
        let is_replayed = !self.replay_queue.is_empty();
        if shared.log(entry) && !is_replayed {
            run_context.notify_log(entry);
        }
    }

    /// Handles a message that expects no answer. Its error becomes the answer to the script's next call.
    pub(super) fn handle_notification(
        &mut self,
        operation: &str,
        arguments: Payload,
        shared: &mut RunState,
        run_context: &RunContext,
    ) -> Result<(), RunError> {
        let handled = match lease_unless_small(arguments.value_bytes(), &shared.memory) {
            Ok(_held) => {
                let arguments = arguments.into_value();
                if operation == "log" {
                    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
                    let (level, source, message) = (text("level"), text("source"), text("message"));
                    let entry = LogEntry::written(unix_time::now_ms(), &self.path, level, source, message);
                    self.log(&entry, shared, run_context);
                    return Ok(());
                }
                // What is replayed was reported before.
                if operation == "progress" && self.replay_queue.is_empty() {
                    run_context.notify_progress(&arguments);
                }
                shared.handle_notification(&self.path, operation, &arguments)
            }
            Err(error) => {
                shared.skip_notification(&self.path, operation);
                Err(error.into())
            }
        };
        let message = match handled {
            Ok(()) => return Ok(()),
            Err(NotificationError::Refused(message)) => message,
            Err(NotificationError::Memory(error)) => self.classify_shortage(operation, error)?,
        };
        self.deferred_error.get_or_insert(message);
        Ok(())
    }

    /// Returns the message for the script if a notification takes more memory than its run may hold. Any other lack of
    /// memory may pass, and must not decide what a run writes.
    fn classify_shortage(&self, operation: &str, error: OutOfMemory) -> Result<String, RunError> {
        match self.replay_queue.front() {
            // In a replay, the script got such a message only if the journal has an error as the next answer.
            None | Some(CallLine { event: CallEvent::Answer(Err(_)), .. }) if error.holder == MemoryHolder::Run => {
                Ok(format!("{operation}: {error}"))
            }
            None => Err(error.into()),
            Some(_) => Err(RunError::retryable(&error)),
        }
    }
}
