//! Why a service has no answer: who can mend it, what the client is told, and what only the log gets.

use crate::error_code::{self as code, ToolErrorCode};
use std::error::Error;

use super::{ClientCapability, InputRequired};
use wardroom_appdir::AppDirError;
pub use wardroom_base::payload::escape_and_truncate;
use wardroom_base::payload::{Payload, PayloadError};
use wardroom_base::uri::UriError;

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// No such thing, in any scheme.
    #[error("resource not found: {uri}")]
    NotFound { uri: String },
    /// The caller can mend it by asking differently; the sentence says how.
    #[error("{0}")]
    Invalid(String),
    #[error("Unknown tool: {}", escape_and_truncate(.0))]
    UnknownTool(String),
    #[error("Unknown prompt: {}", escape_and_truncate(.0))]
    UnknownPrompt(String),
    /// The call ends with questions, and goes on when the client brings the answers.
    #[error("asks the client for something first")]
    InputRequired(Box<InputRequired>),
    /// The client cannot do what the call needs.
    #[error("this client cannot {}, which is needed here", describe_capability(*.0))]
    MissingCapability(ClientCapability),
    /// A tool's failure within its own domain.
    #[error("{message}")]
    Tool { code: ToolErrorCode, message: String, details: Option<Payload> },
    /// A failure in the protocol's own form, as a handler gave it.
    #[error("{message}")]
    Protocol { code: i32, message: String, data: Option<Payload> },
    /// Too much for a light attempt: ask again in full.
    #[error("takes longer than it may here")]
    Later,
    /// A file is larger than this call may read. In a light attempt that says no more than [`Self::Later`].
    #[error("{public_message}")]
    TooLarge { public_message: String, cause: AppDirError },
    /// Nothing that the caller can mend. `public` is what it is told, the cause is for the log.
    #[error("{public_message}")]
    Internal { public_message: String, cause: Option<Box<dyn Error + Send + Sync>> },
}

impl ServiceError {
    /// A cursor, or a service's part of one, that we never gave out.
    pub fn unknown_cursor() -> Self {
        Self::Invalid("unknown cursor: start again without one".to_owned())
    }

    /// A failure with a cause that only the log gets.
    pub fn internal(public: impl Into<String>, cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Internal { public_message: public.into(), cause: Some(Box::new(cause)) }
    }

    /// A tool's failure within its own domain, which its caller can mend.
    pub fn tool(code: ToolErrorCode, message: impl Into<String>) -> Self {
        Self::Tool { code, message: message.into(), details: None }
    }

    /// What a change of files that failed means for whoever wanted to change `what`. The names in `error` are for the log.
    pub fn from_write_error(what: &str, error: AppDirError) -> Self {
        match error {
            AppDirError::Locked(_) => Self::tool(code::BUSY, format!("{what} is in use by another process, try again")),
            AppDirError::TooManyOpenFiles(_) => {
                Self::tool(code::BUSY, format!("cannot change {what} now: too many files are open, try again"))
            }
            AppDirError::DiskFull(_) => Self::tool(
                code::DISK_FULL,
                format!("no room for {what}: the disk or a quota is full; nothing was changed"),
            ),
            AppDirError::PermissionDenied(_) => Self::write_denied(what),
            AppDirError::ReadOnly(_) => {
                Self::tool(code::READ_ONLY, format!("cannot change {what}: it is read-only here"))
            }
            other => Self::internal(format!("cannot change {what}"), other),
        }
    }

    /// What the system refuses to let this process write.
    pub fn write_denied(what: &str) -> Self {
        let message = format!(
            "the system does not let this server write {what}: its folder belongs to somebody else, may not be written, or \
             is not among those that a server is left with (docs/SECURITY.md#confinement); name another place, or have the \
             rights changed"
        );
        Self::tool(code::NOT_PERMITTED, message)
    }

    /// What an operation on files means for the reader of `uri`. The names in `error` are for the log.
    pub fn from_read_error(uri: &str, error: AppDirError) -> Self {
        let public = match &error {
            AppDirError::NotFound(_) => return Self::NotFound { uri: uri.to_owned() },
            AppDirError::OutsideRoot(_) => format!("{uri} leads outside its folder"),
            AppDirError::PermissionDenied(_) => format!("the system does not let this server read {uri}"),
            AppDirError::NotRegularFile(_) => format!("{uri} is not a regular file"),
            AppDirError::TooLarge { len, limit, .. } => {
                return Self::TooLarge {
                    public_message: format!("{uri} has {len} bytes, the limit is {limit}"),
                    cause: error,
                };
            }
            AppDirError::NotIndexed(_) => return Self::Later,
            AppDirError::NotUtf8(_) => format!("{uri} is not UTF-8 text"),
            AppDirError::ChangedDuringRead(_) => format!("{uri} changed while it was read, try again"),
            // Only the call that was cancelled gets here, and its answer is dropped.
            AppDirError::Cancelled(_) => format!("reading {uri} was cancelled"),
            AppDirError::TooManyOpenFiles(_) => format!("cannot read {uri} now: too many files are open, try again"),
            AppDirError::NotAFolder(_)
            | AppDirError::DanglingLink(_)
            | AppDirError::AlreadyExists(_)
            | AppDirError::ReadOnly(_)
            | AppDirError::Locked(_)
            | AppDirError::DiskFull(_)
            | AppDirError::Io { .. } => format!("cannot read {uri}"),
        };
        Self::internal(public, error)
    }

    /// What JSON that cannot be read means for the reader of `what`. The parser's words are for the log.
    pub fn from_parse_error(what: &str, error: PayloadError) -> Self {
        let public = format!("Failed to parse {what}: {error}");
        match error {
            PayloadError::Malformed(cause) | PayloadError::WrongType(cause) => Self::internal(public, cause),
            bound => Self::internal(public, bound),
        }
    }

    /// Arguments of another shape than the tool's schema.
    pub fn invalid_arguments(error: &PayloadError) -> Self {
        // The words of the library repeat names and values.
        let message = format!("invalid arguments: {}", escape_and_truncate(&error.to_string()));
        Self::tool(code::INVALID_ARGUMENTS, message)
    }
}

const fn describe_capability(feature: ClientCapability) -> &'static str {
    match feature {
        ClientCapability::Sampling => "ask its model (sampling)",
        ClientCapability::SamplingWithTools => "let its model call tools (sampling with tools)",
        ClientCapability::FormElicitation => "ask its user (elicitation)",
        ClientCapability::UrlElicitation => "send its user to a page (elicitation by URL)",
        ClientCapability::Roots => "say which folders its user works in (roots)",
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
