//! Why a fetch failed. `Display` may be shown to a client: it says nothing about this machine.

use serde::{Deserialize, Serialize};

use crate::limits::MAX_FETCH_REDIRECTS;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetError {
    #[error("the process that fetches has ended, and a server that runs can start no other one: restart the server")]
    HelperGone,
    #[error("too much is being fetched at once, try again")]
    Busy,
    #[error("cancelled")]
    Cancelled,
    #[error("it took longer than it may")]
    TimedOut,
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    #[error("more than {MAX_FETCH_REDIRECTS} redirects")]
    TooManyRedirects,
    /// The request is not allowed. The caller can change it, or the operator can allow it.
    #[error("refused: {0}")]
    Refused(String),
    /// A failure of the network, the remote side, or this machine.
    #[error("{0}")]
    Failed(String),
}
