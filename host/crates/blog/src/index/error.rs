//! Why the index has no answer.
//!
//! Owns: what counts as damage, which is mended by making the index again, and what does not: a full disk, too many open
//! files.

use std::io;
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};

use wardroom_appdir::AppDirError;
use wardroom_sandbox::SandboxError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    /// There is no index that was ever complete.
    #[error("there is no index")]
    Missing,
    /// Another process writes.
    #[error("another process updates the index")]
    Busy,
    /// The files of the index are damaged, or of another version.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    /// The system failed: there are too many open files, or the disk is full.
    #[error("the index cannot be used: {0}")]
    Failed(String),
    /// More than `MAX_COUNTED_GROUPS`.
    #[error("there are too many groups to count")]
    TooManyGroups,
    #[error("the folder of the index: {0}")]
    Store(#[from] AppDirError),
    /// The settings files cannot be read at present. The index stays unchanged.
    #[error("the settings of the blog: {0}")]
    Settings(AppDirError),
    #[error("{0}")]
    Sandbox(#[from] SandboxError),
}

impl From<TantivyError> for IndexError {
    fn from(error: TantivyError) -> Self {
        match &error {
            TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) if path.as_os_str() == "meta.json" => {
                Self::Missing
            }
            TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => Self::Missing,
            TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_))
            | TantivyError::DataCorruption(_)
            | TantivyError::IncompatibleIndex(_)
            | TantivyError::SchemaError(_) => Self::Damaged(error.to_string()),
            TantivyError::OpenReadError(OpenReadError::IoError { io_error: cause, .. })
            | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: cause, .. })
            | TantivyError::IoError(cause) => from_cause(cause, error.to_string()),
            TantivyError::OpenDirectoryError(_)
            | TantivyError::OpenWriteError(_)
            | TantivyError::LockFailure(..)
            | TantivyError::ErrorInThread(_)
            | TantivyError::SystemError(_) => Self::Failed(error.to_string()),
            // What makes no sense to the library. Checksums decide before anything is removed.
            _ => Self::Damaged(error.to_string()),
        }
    }
}

/// A file that is shorter than it says is damaged.
fn from_cause(cause: &Arc<io::Error>, message: String) -> IndexError {
    // People are told what to do about these.
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            return IndexError::Store(AppDirError::DiskFull("the index".to_owned()));
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            return IndexError::Store(AppDirError::ReadOnlyDisk("the index".to_owned()));
        }
        _ => {}
    }
    let is_damage = matches!(cause.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData);
    if is_damage { IndexError::Damaged(message) } else { IndexError::Failed(message) }
}

impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> Self {
        let message = error.to_string();
        from_cause(&Arc::new(error), message)
    }
}

impl From<serde_json::Error> for IndexError {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}
