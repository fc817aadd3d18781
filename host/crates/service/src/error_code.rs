//! The error codes of tools: a client's program branches on the code, and its model reads the message.
//!
//! Owns: the codes that every service may use, and the macro by which a service declares its own.
//! Gives: [`ToolErrorCode`], which holds only declared codes; `docs/ERRORS.md` lists them. Handlers of declared tools choose their own.
//! Never: changes a code that clients know.

use std::fmt;

/// An error code, as in `structuredContent.error.code`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToolErrorCode(&'static str);

impl ToolErrorCode {
    /// Creates a code; only [`error_codes!`](crate::error_codes) calls this.
    #[doc(hidden)]
    #[must_use]
    pub const fn declared(code: &'static str) -> Self {
        Self(code)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether the code says that something is not there, such as `not_found` or `CARD_NOT_FOUND`.
    pub(crate) fn is_absence(self) -> bool {
        self.0.to_ascii_uppercase().ends_with("NOT_FOUND")
    }
}

impl fmt::Display for ToolErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for ToolErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Declares the codes of a service: a constant for each, which patterns may name, and `ALL`, which the generated page
/// lists.
#[macro_export]
macro_rules! error_codes {
    ($($name:ident = $code:literal: $meaning:literal;)*) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::ToolErrorCode = $crate::ToolErrorCode::declared($code);
        )*

        /// Every code that is declared here, with its meaning.
        pub const ALL: &[($crate::ToolErrorCode, &str)] = &[$(($name, $meaning),)*];
    };
}

error_codes! {
    BUSY = "BUSY": "Another process or call holds what the call needs. The same call may succeed later.";
    CANCELLED = "CANCELLED": "The client cancelled the call.";
    DISK_FULL = "DISK_FULL": "The disk or a quota is full.";
    FOLDER_REMOVED = "FOLDER_REMOVED": "The folder was removed after the server opened it: restart the server.";
    HELPER_GONE = "HELPER_GONE": "A process that works for the server has ended: restart the server.";
    INTERNAL = "internal": "The server failed. Its log says why, under the id of the request.";
    INVALID_ARGUMENTS = "invalid_arguments": "The arguments do not match the tool's schema.";
    NOT_FOUND = "NOT_FOUND": "The item that the arguments name does not exist.";
    NOT_PERMITTED = "NOT_PERMITTED": "The operating system does not let this server make the change.";
    OUT_OF_MEMORY = "OUT_OF_MEMORY": "The call would hold more memory than the server, its caller or its run may. The \
                                      message says which, and what helps.";
    READ_ONLY = "READ_ONLY": "The folder was opened read-only.";
    UNSUPPORTED = "unsupported": "The client lacks a capability that the call needs.";
    UNAVAILABLE = "UNAVAILABLE": "The handler's process cannot be started or does not answer.";
}
