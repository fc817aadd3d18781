//! Why a fetch failed. `Display` may be shown to a client: it says nothing about this machine.

use serde::{Deserialize, Serialize};

use crate::limits::MAX_FETCH_REDIRECTS;
use wardroom_base::byte_size::ByteSize;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetError {
    #[error("the fetch process has ended: restart the server to start another one")]
    HelperGone,
    #[error("too many fetches run at once, try again")]
    Busy,
    #[error("cancelled")]
    Cancelled,
    #[error("it timed out")]
    TimedOut,
    #[error("it is larger than {}", ByteSize(*.0))]
    TooLarge(u64),
    #[error("more than {MAX_FETCH_REDIRECTS} redirects")]
    TooManyRedirects,
    /// The request is not allowed. The caller can change it, or the operator can allow it.
    #[error("refused: {0}")]
    Refused(String),
    /// The request is wrong wherever it would go.
    #[error("refused: {0}")]
    Invalid(String),
    /// The operator allowed no requests to this host and port.
    #[error("refused: {}", not_allowed(.host, *.is_redirect))]
    HostNotAllowed { host: String, is_redirect: bool },
    /// A failure of the network, the remote side, or this machine.
    #[error("{0}")]
    Failed(String),
}

fn not_allowed(host: &str, is_redirect: bool) -> String {
    if is_redirect { format!("it redirects to {host}, which is not allowed") } else { format!("{host} is not allowed") }
}
