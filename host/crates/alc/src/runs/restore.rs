//! The restoration of a run from the journal that this or another process wrote.

use super::context::{RunContext, WorkerCrashPolicy};
use super::error::RunError;
use super::record_final_answer;
use super::replay_log::ReplayLog;
use super::run::Run;
use super::tool_answer::finish_run;
use super::tool_error::{busy_error, not_found_error};
use crate::error_code as code;
use wardroom_appdir::AppDirError;
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_lua::engine_version;
use wardroom_service::{ServiceError, ToolOutput, escape_and_truncate};

/// A run that was restored from its journal.
pub(super) enum RestoredRun {
    Paused(Box<Run>),
    /// The final answer, which the client may or may not have received.
    Finished(ToolOutput),
}

pub(super) enum RestoreError {
    Run(RunError),
    Service(ServiceError),
}

/// Restores a run, with further attempts where the failure need not be the run's.
pub(super) fn restore_with_retries(id: &str, mut run_context: RunContext) -> Result<RestoredRun, RestoreError> {
    const MAX_RESTORE_ATTEMPTS: usize = 3;
    for _ in 1..MAX_RESTORE_ATTEMPTS {
        match restore(id, &run_context) {
            // A pre-started worker may have died as well.
            Err(RestoreError::Run(RunError::WorkerDied)) => run_context.crash_policy = WorkerCrashPolicy::FailChild,
            restored => return restored,
        }
    }
    restore(id, &run_context)
}

/// Restores a run from the journal that this or another process wrote, and replays it.
fn restore(id: &str, run_context: &RunContext) -> Result<RestoredRun, RestoreError> {
    let failed = |error| match error {
        AppDirError::NotFound(_) => RestoreError::Service(not_found_error(id)),
        AppDirError::Locked(_) => RestoreError::Service(busy_error(id)),
        error => RestoreError::Service(ServiceError::from_write_error(&format!("the journal of {id}"), error)),
    };
    let file = run_context.run_store.open(id).map_err(failed)?;
    let unreadable = |why: &dyn std::fmt::Display| {
        let message = format!("the journal of session '{id}' cannot be used: {why}");
        RestoreError::Service(ServiceError::tool(code::UNREADABLE, message))
    };
    // The whole journal, and its lines.
    let journal_bytes = usize::try_from(file.len()).unwrap_or(usize::MAX).saturating_mul(2);
    let held = run_context.memory().lease(journal_bytes).map_err(|error| RestoreError::Run(error.into()))?;
    let bytes = file.read(MAX_JOURNAL_BYTES).map_err(|error| unreadable(&error))?;
    let replay_log = ReplayLog::parse(&bytes).map_err(|error| unreadable(&error))?;
    if replay_log.header.engine != engine_version() {
        return Err(unreadable(&format!(
            "the version {} wrote it, and this is {}",
            escape_and_truncate(&replay_log.header.engine),
            engine_version()
        )));
    }
    if replay_log.header.session != id {
        return Err(unreadable(&"it belongs to another run"));
    }
    if let Some((failed, payload)) = replay_log.end {
        let held = run_context.info.memory.hold_answer(payload.text_bytes(), 0);
        held.map_err(|error| RestoreError::Run(error.into()))?;
        return Ok(RestoredRun::Finished(ToolOutput { is_error: failed, ..payload.into() }));
    }
    let mut run = Run::restore(replay_log, file, run_context).map_err(RestoreError::Run)?;
    let over = match run.advance(run_context) {
        Err(RunError::Script(message)) => Some(Err(message)),
        advanced => advanced.map_err(RestoreError::Run)?,
    };
    if !run.is_caught_up() {
        return Err(RestoreError::Run(RunError::Diverged("the script makes fewer calls than before".to_owned())));
    }
    // All lines are replayed: what is left of them is counted as the run's.
    drop(held);
    run.shared.lease_text(0).map_err(|error| RestoreError::Run(RunError::retryable(&error)))?;
    match over {
        Some(result) => {
            let ended = finish_run(&mut run, run_context.stores, result, &run_context.info.memory);
            let answer = ended.map_err(RestoreError::Run)?;
            record_final_answer(id, &answer, run_context.info);
            Ok(RestoredRun::Finished(answer))
        }
        None => Ok(RestoredRun::Paused(Box::new(run))),
    }
}
