//! Why a run does not go on: whose fault that is, and whether the same answer may carry it on later.

use super::strand::{Question, Strand};
use wardroom_appdir::AppDirError;
use wardroom_lua::{LuaError, Stopped};
use wardroom_service::ServiceError;

/// Why a run does not go on here.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    /// Its script is to blame; this is what the client is told.
    #[error("{0}")]
    Script(String),
    #[error("cancelled")]
    Cancelled,
    /// Its process ended, which need not be the script's fault.
    #[error("{}", Stopped::Died)]
    Died,
    /// Something was in the way of doing again what the journal has, and need not be the next time.
    #[error("{0}")]
    NotNow(String),
    /// It asked for something else than the run that the journal is of.
    #[error("{0}")]
    Diverged(String),
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] AppDirError),
    /// What it set cannot be stored now, which is not its fault.
    #[error("{0}")]
    Unstored(ServiceError),
    #[error(transparent)]
    Lua(LuaError),
}

impl Stop {
    /// Values that are out of bounds are the script's fault. Anything else may pass, and the run goes on then.
    pub(super) fn storing(error: ServiceError, is_named: bool) -> Self {
        match error {
            ServiceError::Tool { code: "STATE_TOO_LARGE", message, .. } => Self::Script(message),
            ServiceError::Tool { code, message, details } if is_named => {
                let message =
                    format!("{message}. Nothing of the run is lost: send the answer again when that is mended");
                Self::Unstored(ServiceError::Tool { code, message, details })
            }
            error => Self::Unstored(error),
        }
    }

    pub(super) fn diverged(strand: &Strand, asked: &Question) -> Self {
        let now = format!("is now '{}' and was another one, or had other arguments", asked.operation);
        Self::other(strand, asked.number, &now)
    }

    /// After so many questions, where the journal has more.
    pub(super) fn ended_early(strand: &Strand, asked: u64, how: &str) -> Self {
        Self::other(strand, asked, &format!("was a question, and now it {how}"))
    }

    fn other(strand: &Strand, number: u64, how: &str) -> Self {
        let strand = if strand.name().is_empty() { String::new() } else { format!(" of fork {}", strand.name()) };
        Self::Diverged(format!(
            "the script does not do again what it did: step {}{strand} {how}; a package that it uses may have changed what \
             it does",
            number + 1
        ))
    }
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::Died => Self::Died,
            stopped => Self::Script(stopped.to_string()),
        }
    }
}

impl From<LuaError> for Stop {
    fn from(error: LuaError) -> Self {
        Self::Lua(error)
    }
}
