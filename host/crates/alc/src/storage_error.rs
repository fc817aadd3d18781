//! The errors of stored files, as the callers of tools and scripts get them.
//!
//! Owns: the codes that the service crate's words lack: a name that is taken, a missing file, a cancelled call.
//! Never: shows a name of `error`, which is for the log.

use crate::error_code as code;
use wardroom_appdir::AppDirError;
use wardroom_service::ServiceError;

/// Converts the error of a failed write to `what`.
pub(super) fn write_error(what: &str, error: AppDirError) -> ServiceError {
    match error {
        AppDirError::NotRegularFile(_) | AppDirError::NotAFolder(_) | AppDirError::AlreadyExists(_) => {
            ServiceError::tool(code::IN_THE_WAY, format!("cannot change {what}: something else has its name"))
        }
        AppDirError::Cancelled(_) => {
            ServiceError::tool(code::CANCELLED, format!("the call was cancelled while it changed {what}"))
        }
        error => ServiceError::from_write_error(what, error),
    }
}

/// Whether the same stands in the way of every other write.
pub(super) fn is_obstacle(error: &ServiceError) -> bool {
    use code::{BUSY, CANCELLED, DISK_FULL, FOLDER_REMOVED, NOT_PERMITTED, READ_ONLY};
    matches!(
        error,
        ServiceError::Tool { code: BUSY | CANCELLED | DISK_FULL | FOLDER_REMOVED | NOT_PERMITTED | READ_ONLY, .. }
    )
}

/// Converts the error of an operation that reads `what`, and may write it.
pub(super) fn access_error(what: &str, error: AppDirError) -> ServiceError {
    match error {
        AppDirError::NotFound(_) => ServiceError::tool(code::NOT_FOUND, format!("{what} is not there")),
        AppDirError::Cancelled(_) => {
            ServiceError::tool(code::CANCELLED, format!("the call was cancelled while it read {what}"))
        }
        AppDirError::PermissionDenied(_)
        | AppDirError::ReadOnly(_)
        | AppDirError::ReadOnlyDisk(_)
        | AppDirError::Locked(_)
        | AppDirError::TooManyOpenFiles(_)
        | AppDirError::DiskFull(_) => ServiceError::from_write_error(what, error),
        error => ServiceError::from_read_error(what, error),
    }
}
