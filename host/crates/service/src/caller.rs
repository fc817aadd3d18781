//! The caller: what an endpoint and a token say about the other side of a call.
//!
//! Owns: the plain type for that. Decisions by it fail closed: no scope is not every scope, and no groups are none.
//! Never: holds a claim that the other side makes about itself.

/// The other side of a call, as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Caller {
    /// The scope of the endpoint that received the call, if the endpoint has one.
    pub scope: Option<String>,
    /// The groups of the caller; `None` for an anonymous caller.
    pub groups: Option<Vec<String>>,
    pub transport: Transport,
    /// A digest of the endpoint and the token, which separates one caller's data from another's. The same on every
    /// server with the same configuration.
    pub identity_digest: Option<[u8; 32]>,
}

/// How a call arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Transport {
    /// From the agent that started this process.
    #[default]
    Stdio,
    Http {
        /// Whether other machines can reach the listener.
        is_remote: bool,
    },
    /// From a person at the command line.
    CommandLine,
}
