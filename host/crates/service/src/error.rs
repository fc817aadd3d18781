//! The errors of services: who can fix each, what the client sees, and what only the log gets.

use crate::error_code::{self as code, ToolErrorCode};
use std::error::Error;
use std::fmt;

use super::{ClientCapability, InputRequired};
use wardroom_appdir::AppDirError;
use wardroom_base::memory::OutOfMemory;
pub use wardroom_base::payload::escape_and_truncate;
use wardroom_base::payload::{Payload, PayloadError};
use wardroom_base::uri::UriError;

const FOLDER_REMOVED: &str = "the folder was removed, and this server knows none that took its place: restart it";

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// No such resource exists, whatever the scheme.
    #[error("resource not found: {uri}")]
    NotFound { uri: String },
    /// No such resource exists, and one that the caller may read has a similar URI.
    #[error("resource not found: {uri}; did you mean {meant}?")]
    NotFoundSimilar { uri: String, meant: String },
    /// The caller can fix the request; the message says how.
    #[error("{0}")]
    Invalid(String),
    #[error("Unknown tool: {0}")]
    UnknownTool(UnknownName),
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(UnknownName),
    /// The call ends with input requests, and resumes when the client responds.
    #[error("the call requires input from its client first")]
    InputRequired(Box<InputRequired>),
    /// The client lacks a capability that the call needs.
    #[error("this call requires a client that can {}, and this client does not declare it", describe_capability(*.0))]
    MissingCapability(ClientCapability),
    /// A tool's failure within its own domain.
    #[error("{message}")]
    Tool { code: ToolErrorCode, message: String, details: Option<Payload> },
    /// A failure in the protocol's own form, as a handler gave it.
    #[error("{message}")]
    Protocol { code: i32, message: String, data: Option<Payload> },
    /// A file is larger than its reader may read.
    #[error("{public_message}")]
    TooLarge { public_message: String, cause: AppDirError },
    /// A failure that the caller cannot fix. The client sees `public_message`; `cause` is for the log.
    #[error("{public_message}")]
    Internal { public_message: String, cause: Option<Box<dyn Error + Send + Sync>> },
}

/// A name that does not exist, and the one that may be meant, of those that the caller may use.
#[derive(Debug)]
pub struct UnknownName {
    pub name: String,
    pub meant: Option<String>,
}

impl UnknownName {
    /// A name that nothing is known to be like.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), meant: None }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape_and_truncate(&self.name))?;
        self.meant.as_ref().map_or(Ok(()), |meant| write!(f, "; did you mean {meant}?"))
    }
}

impl ServiceError {
    /// Creates the error for a cursor, or a service's part of one, that this server did not issue.
    pub fn unknown_cursor() -> Self {
        Self::Invalid("unknown cursor: start again without one".to_owned())
    }

    /// Creates a failure with a cause that only the log gets.
    pub fn internal(public: impl Into<String>, cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Internal { public_message: public.into(), cause: Some(Box::new(cause)) }
    }

    /// Creates a tool's failure within its own domain, which its caller can fix.
    pub fn tool(code: ToolErrorCode, message: impl Into<String>) -> Self {
        Self::Tool { code, message: message.into(), details: None }
    }

    /// Converts the error of a failed write to `what`. The names in `error` are for the log.
    pub fn from_write_error(what: &str, error: AppDirError) -> Self {
        match error {
            AppDirError::Locked(_) => Self::tool(code::BUSY, format!("{what} is in use by another process, try again")),
            AppDirError::TooManyOpenFiles(_) => {
                Self::tool(code::BUSY, format!("cannot change {what} now: too many files are open, try again"))
            }
            AppDirError::DiskFull(_) => Self::tool(
                code::DISK_FULL,
                format!("cannot change {what}: the disk or a quota is full; free some space and try again"),
            ),
            AppDirError::PermissionDenied(_) => Self::write_denied(what),
            AppDirError::ReadOnly(_) => {
                Self::tool(code::READ_ONLY, format!("cannot change {what}: its folder was opened read-only"))
            }
            AppDirError::FolderRemoved(_) => {
                Self::tool(code::FOLDER_REMOVED, format!("cannot change {what}: {FOLDER_REMOVED}"))
            }
            AppDirError::ReadOnlyDisk(_) => {
                Self::tool(code::READ_ONLY, format!("cannot change {what}: its disk is mounted read-only"))
            }
            other => Self::internal(format!("cannot change {what}"), other),
        }
    }

    /// Creates the error for a write that the system refuses to this process.
    pub fn write_denied(what: &str) -> Self {
        let message = format!(
            "the system does not let this server write {what}: its folder belongs to another user, is not writable, or \
             is not one that a confined server may write (docs/CONFINEMENT.md#server); name another folder, change the \
             rights of this one, or restart the server if it was replaced"
        );
        Self::tool(code::NOT_PERMITTED, message)
    }

    /// Converts the error of a file operation for the reader of `uri`. The names in `error` are for the log.
    pub fn from_read_error(uri: &str, error: AppDirError) -> Self {
        let public = match &error {
            AppDirError::NotFound(_) => return Self::NotFound { uri: uri.to_owned() },
            AppDirError::PermissionDenied(_) => format!("the system does not let this server read {uri}"),
            AppDirError::FolderRemoved(_) => {
                return Self::tool(code::FOLDER_REMOVED, format!("cannot read {uri}: {FOLDER_REMOVED}"));
            }
            AppDirError::TooLarge { .. } => {
                return Self::TooLarge { public_message: format!("{uri} {}", error.predicate()), cause: error };
            }
            AppDirError::OutsideRoot(_)
            | AppDirError::NotRegularFile(_)
            | AppDirError::NotUtf8(_)
            | AppDirError::ChangedDuringRead(_) => format!("{uri} {}", error.predicate()),
            // Only a cancelled call gets here, and its answer is dropped.
            AppDirError::Cancelled(_) => format!("reading {uri} was cancelled"),
            AppDirError::TooManyOpenFiles(_) => format!("cannot read {uri} now: too many files are open, try again"),
            AppDirError::NotAFolder(_)
            | AppDirError::DanglingLink(_)
            | AppDirError::AlreadyExists(_)
            | AppDirError::ReadOnly(_)
            | AppDirError::ReadOnlyDisk(_)
            | AppDirError::Locked(_)
            | AppDirError::DiskFull(_)
            | AppDirError::Io { .. } => format!("cannot read {uri}"),
        };
        Self::internal(public, error)
    }

    /// Converts the error of listing `what`.
    pub fn from_list_error(what: &str, error: AppDirError) -> Self {
        match error {
            AppDirError::FolderRemoved(_) => {
                Self::tool(code::FOLDER_REMOVED, format!("cannot list {what}: {FOLDER_REMOVED}"))
            }
            other => Self::internal(format!("cannot list {what}"), other),
        }
    }

    /// Converts the error of JSON that cannot be parsed, for the reader of `what`. The parser's message is for the log.
    pub fn from_parse_error(what: &str, error: PayloadError) -> Self {
        let public = format!("Failed to parse {what}: {error}");
        match error {
            PayloadError::Malformed(cause) | PayloadError::WrongType(cause) => Self::internal(public, cause),
            bound => Self::internal(public, bound),
        }
    }

    /// Creates the error of a call that gets no more memory.
    #[must_use]
    pub fn out_of_memory(error: OutOfMemory) -> Self {
        Self::tool(code::OUT_OF_MEMORY, error.to_string())
    }
}

const fn describe_capability(feature: ClientCapability) -> &'static str {
    match feature {
        ClientCapability::Sampling => "ask its model (sampling)",
        ClientCapability::SamplingWithTools => "let its model call tools (sampling with tools)",
        ClientCapability::FormElicitation => "ask its user (elicitation)",
        ClientCapability::UrlElicitation => "send its user to a page (elicitation by URL)",
        ClientCapability::Roots => "name the folders that its user works in (roots)",
    }
}

impl From<UriError> for ServiceError {
    fn from(error: UriError) -> Self {
        match error {
            UriError::NotFound { uri } => Self::NotFound { uri },
            other => Self::Invalid(other.to_string()),
        }
    }
}
