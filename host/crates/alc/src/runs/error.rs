//! Why a run does not go on: whose fault that is, and whether the same answer may carry it on later.

use super::branch::{Branch, ScriptCall};
use crate::error_code as code;
use wardroom_appdir::AppDirError;
use wardroom_lua::{ScriptStartError, ScriptStopError};
use wardroom_service::ServiceError;

/// Why a run does not go on here.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    /// Its script is to blame; this is what the client is told.
    #[error("{0}")]
    Script(String),
    #[error("cancelled")]
    Cancelled,
    /// Its process ended, which need not be the script's fault.
    #[error("{}", ScriptStopError::WorkerDied)]
    WorkerDied,
    /// Something was in the way of doing again what the journal has, and need not be the next time.
    #[error("{0}")]
    Retryable(String),
    /// It asked for something else than the run that the journal is of.
    #[error("{0}")]
    Diverged(String),
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] AppDirError),
    /// What it set cannot be stored now, which is not its fault.
    #[error("{0}")]
    StateNotStored(ServiceError),
    #[error(transparent)]
    Lua(ScriptStartError),
}

impl RunError {
    /// Values that are out of bounds are the script's fault. Anything else may pass, and the run goes on then.
    pub(super) fn from_store_error(error: ServiceError, is_named: bool) -> Self {
        match error {
            ServiceError::Tool { code: code::STATE_TOO_LARGE, message, .. } => Self::Script(message),
            ServiceError::Tool { code, message, details } if is_named => {
                let message =
                    format!("{message}. Nothing of the run is lost: send the answer again when that is mended");
                Self::StateNotStored(ServiceError::Tool { code, message, details })
            }
            error => Self::StateNotStored(error),
        }
    }

    pub(super) fn diverged(strand: &Branch, asked: &ScriptCall) -> Self {
        let now = format!("is now '{}' and was another one, or had other arguments", asked.operation);
        Self::diverged_at_step(strand, asked.number, &now)
    }

    /// After so many questions, where the journal has more.
    pub(super) fn ended_early(strand: &Branch, asked: u64, how: &str) -> Self {
        Self::diverged_at_step(strand, asked, &format!("was a question, and now it {how}"))
    }

    fn diverged_at_step(strand: &Branch, number: u64, how: &str) -> Self {
        let strand = if strand.path().is_empty() { String::new() } else { format!(" of fork {}", strand.path()) };
        Self::Diverged(format!(
            "the script does not do again what it did: step {}{strand} {how}; a package that it uses may have changed what \
             it does",
            number + 1
        ))
    }
}

impl From<ScriptStopError> for RunError {
    fn from(stopped: ScriptStopError) -> Self {
        match stopped {
            ScriptStopError::Cancelled => Self::Cancelled,
            ScriptStopError::WorkerDied => Self::WorkerDied,
            stopped => Self::Script(stopped.to_string()),
        }
    }
}

impl From<ScriptStartError> for RunError {
    fn from(error: ScriptStartError) -> Self {
        Self::Lua(error)
    }
}
