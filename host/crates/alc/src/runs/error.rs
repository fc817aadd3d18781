//! Why a run stops: whether its script failed, and whether the same call can resume the run later.

use super::cancel_reason::CancelReason;
use crate::error_code as code;
use crate::limits::RUN_STEP_TIMEOUT;
use wardroom_appdir::AppDirError;
use wardroom_base::memory::{MemoryHolder, OutOfMemory};
use wardroom_lua::{ScriptStartError, ScriptStopError};
use wardroom_service::ServiceError;

/// Why a run cannot continue here.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    /// The script failed; the client receives the message.
    #[error("{0}")]
    Script(String),
    #[error("cancelled: {0}")]
    Cancelled(CancelReason),
    /// The worker process ended, which need not be the script's fault.
    #[error("{}", ScriptStopError::WorkerDied)]
    WorkerDied,
    /// The replay was interrupted, and may succeed the next time.
    #[error("{0}")]
    Retryable(String),
    /// The script made another call than the journal has.
    #[error("{0}")]
    Diverged(String),
    #[error("the journal cannot be written: {}", journal_reason(.0))]
    Journal(#[from] AppDirError),
    /// The state that the run set cannot be stored now, which is not the run's fault.
    #[error("{0}")]
    StateNotStored(ServiceError),
    /// The server, or the caller, holds too much at the moment.
    #[error("{0}")]
    Memory(OutOfMemory),
    #[error(transparent)]
    Lua(ScriptStartError),
}

/// Says why a journal cannot be written, and what helps.
fn journal_reason(error: &AppDirError) -> String {
    match error {
        AppDirError::DiskFull(_) => "the disk or a quota is full; free some space and try again".to_owned(),
        AppDirError::TooManyOpenFiles(_) => "too many files are open; try again".to_owned(),
        AppDirError::PermissionDenied(_) => {
            "the system does not let this server write to the folder runs; change its rights, or restart the server if it \
             was replaced"
                .to_owned()
        }
        other => other.to_string(),
    }
}

impl RunError {
    /// Maps why a script stopped to an error. A replay that is stopped is retryable, because the script came further
    /// before: the machine may have been too busy, or the server short of memory.
    pub(super) fn from_stop(stopped: ScriptStopError, is_replaying: bool) -> Self {
        match stopped {
            ScriptStopError::WorkerDied | ScriptStopError::Cancelled => stopped.into(),
            stopped if is_replaying => Self::retryable(&stopped),
            stopped => stopped.into(),
        }
    }

    /// Returns the error of a replay that lacks time or memory.
    pub(super) fn retryable(why: &dyn std::fmt::Display) -> Self {
        Self::Retryable(format!("the run cannot be resumed now ({why}): try again"))
    }

    /// Maps values that are over a limit to the script's failure. Other errors may pass, and the run can be resumed
    /// then.
    pub(super) fn from_store_error(error: ServiceError, is_named: bool) -> Self {
        match error {
            ServiceError::Tool { code: code::STATE_TOO_LARGE, message, .. } => Self::Script(message),
            ServiceError::Tool { code, message, details } if is_named => {
                let message = format!("{message}. The run is kept: fix the problem and send the answer again");
                Self::StateNotStored(ServiceError::Tool { code, message, details })
            }
            error => Self::StateNotStored(error),
        }
    }

    /// Returns the error of a script that makes `operation` its call of this number, where the journal has another one.
    pub(super) fn diverged(branch_path: &str, number: u64, operation: &str) -> Self {
        let now = format!("is now '{operation}', but was another call or had other arguments");
        Self::diverged_at_step(branch_path, number, &now)
    }

    /// Returns the error of a script that ended after `call_count` calls, where the journal has more.
    pub(super) fn ended_early(branch_path: &str, call_count: u64, how: &str) -> Self {
        Self::diverged_at_step(branch_path, call_count, &format!("was a query, but now the script {how}"))
    }

    fn diverged_at_step(branch_path: &str, number: u64, how: &str) -> Self {
        let branch = if branch_path.is_empty() { String::new() } else { format!(" of fork {branch_path}") };
        Self::Diverged(format!(
            "the script does not repeat its earlier calls: step {}{branch} {how}; a package that it uses may have \
             changed",
            number + 1
        ))
    }
}

impl From<ScriptStopError> for RunError {
    fn from(stopped: ScriptStopError) -> Self {
        match stopped {
            ScriptStopError::WorkerDied => Self::WorkerDied,
            ScriptStopError::ServerMemory(error) => error.into(),
            ScriptStopError::DeadlineExceeded => Self::Script(format!(
                "stopped at its deadline: it went on for {} s without a question or an end, as in an endless loop",
                RUN_STEP_TIMEOUT.as_secs()
            )),
            stopped => Self::Script(stopped.to_string()),
        }
    }
}

/// A run that takes more than a run may is at fault itself. Otherwise the call can be repeated.
impl From<OutOfMemory> for RunError {
    fn from(error: OutOfMemory) -> Self {
        match error.holder {
            MemoryHolder::Run => Self::Script(error.to_string()),
            MemoryHolder::Server | MemoryHolder::Caller => Self::Memory(error),
        }
    }
}

impl From<ScriptStartError> for RunError {
    fn from(error: ScriptStartError) -> Self {
        match error {
            ScriptStartError::OutOfMemory(error) => error.into(),
            error => Self::Lua(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopped_replay_is_retryable() {
        let shortage = |holder| OutOfMemory { holder, needed: 2, limit: 1 };
        let stops = || {
            [
                ScriptStopError::DeadlineExceeded,
                ScriptStopError::OutOfMemory,
                ScriptStopError::WorkersOutOfMemory { limit: 1 },
                ScriptStopError::ServerMemory(shortage(MemoryHolder::Server)),
                ScriptStopError::ServerMemory(shortage(MemoryHolder::Run)),
                ScriptStopError::UnexpectedMessage,
            ]
        };
        for stopped in stops() {
            let error = RunError::from_stop(stopped, true);
            assert!(matches!(error, RunError::Retryable(_)), "{error:?}");
        }
        for stopped in stops() {
            let error = RunError::from_stop(stopped, false);
            assert!(matches!(error, RunError::Script(_) | RunError::Memory(_)), "{error:?}");
        }
        assert!(matches!(RunError::from_stop(ScriptStopError::WorkerDied, true), RunError::WorkerDied));
        let late = RunError::from_stop(ScriptStopError::DeadlineExceeded, false).to_string();
        assert!(late.contains("for 60 s without a question or an end"), "{late}");
    }
}
