//! The network: helper processes that fetch, since a confined server has no sockets and starts no programs.
//!
//! Owns: the helper processes, their messages with the server, which addresses may be reached, and the time and size
//! limits of fetches.
//! Gives: [`HttpFetcher`] and [`GitFetcher`], each the handle on one process, and [`NetError`].
//! Never: is used unless the operator enabled it, or trusts the server more than necessary: the helper that connects
//! decides which addresses are allowed.
//!
//! ```text
//! server ──(socket: two pipes a call)── helper http ──(TLS)── the world
//!    └─────(socket: and a folder)────── helper git ──starts── git ── the world
//! ```

mod address;
mod error;
mod git;
mod helper;
mod helper_server;
mod http;
pub mod limits;
mod policy;

pub use self::error::NetError;
pub use self::git::{GitFetcher, normalize_git_url as git_address};
pub use self::helper::{HelperConfig, HelperConfinement, HelperStatus};
pub use self::http::{FetchRequest, FetchResponse, HttpFetcher};
pub use self::policy::FetchPolicy;

/// Functions that tests outside the crate call without a process.
#[doc(hidden)]
pub mod testing {
    pub use crate::address::is_public;
}

/// The hidden commands, which run in the helper processes.
pub mod processes {
    pub use crate::git::process::run as git;
    pub use crate::http::process::run as http;
}
