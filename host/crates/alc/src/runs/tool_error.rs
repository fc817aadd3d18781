//! The errors of the tools for runs, in the original's words.

use super::error::RunError;
use super::run::ReplyError;
use super::run_table::ClaimError;
use crate::error_code as code;
use wardroom_appdir::AppDirError;
use wardroom_lua::ScriptStartError;
use wardroom_service::{ServiceError, escape_and_truncate};

/// The beginning of error messages about resuming a run.
pub(super) const CONTINUE_PREFIX: &str = "Continue";

/// Returns why a run was not resumed, as the message of an error says it.
pub(crate) fn continue_failure(message: &str) -> &str {
    let reason = message.strip_prefix(CONTINUE_PREFIX).and_then(|rest| rest.strip_prefix(" failed: "));
    reason.unwrap_or(message)
}

pub(super) fn run_tool_error(stop: &RunError) -> ServiceError {
    let code = match stop {
        RunError::Cancelled(_) => code::CANCELLED,
        RunError::WorkerDied => code::DIED,
        RunError::Diverged(_) => code::DIVERGED,
        RunError::Script(_) => code::SCRIPT,
        RunError::Journal(AppDirError::TooLarge { .. }) => code::TOO_LARGE,
        RunError::Journal(AppDirError::FolderRemoved(_))
        | RunError::StateNotStored(ServiceError::Tool { code: code::FOLDER_REMOVED, .. }) => code::FOLDER_REMOVED,
        RunError::Retryable(_)
        | RunError::Lua(ScriptStartError::Busy)
        | RunError::StateNotStored(ServiceError::Tool { code: code::BUSY, .. }) => code::BUSY,
        RunError::Memory(_) | RunError::Lua(ScriptStartError::OutOfMemory(_)) => code::OUT_OF_MEMORY,
        RunError::Lua(ScriptStartError::InvalidInput(_)) => code::INVALID,
        RunError::Journal(_) | RunError::StateNotStored(_) | RunError::Lua(ScriptStartError::Unavailable(_)) => {
            code::STORE
        }
    };
    ServiceError::tool(code, stop.to_string())
}

pub(super) fn reply_tool_error(refused: &ReplyError) -> ServiceError {
    let code = match refused {
        ReplyError::UnknownQuery(_) => code::UNKNOWN_QUERY,
        ReplyError::AlreadyAnswered(_) => code::ALREADY_ANSWERED,
        ReplyError::NoPendingQuery | ReplyError::AmbiguousQuery(_) => code::WHICH_QUERY,
        ReplyError::Journal(AppDirError::FolderRemoved(_)) => code::FOLDER_REMOVED,
        ReplyError::Journal(_) => code::STORE,
        ReplyError::Memory(_) => code::OUT_OF_MEMORY,
    };
    ServiceError::tool(code, format!("{CONTINUE_PREFIX} failed: {refused}"))
}

pub(super) fn claim_tool_error(id: &str, taken: ClaimError) -> ServiceError {
    match taken {
        ClaimError::InUse => busy_error(id),
        ClaimError::AtCapacity => {
            ServiceError::tool(code::BUSY, "too many runs execute now: try again when one of them waits or ends")
        }
    }
}

pub(super) fn busy_error(id: &str) -> ServiceError {
    ServiceError::tool(
        code::BUSY,
        format!("{CONTINUE_PREFIX} failed: another call or process executes session '{id}': try again later"),
    )
}

pub(super) fn not_found_error(id: &str) -> ServiceError {
    ServiceError::tool(
        code::SESSION_NOT_FOUND,
        format!("{CONTINUE_PREFIX} failed: session '{}' not found", escape_and_truncate(id)),
    )
}
