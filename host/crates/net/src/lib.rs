//! The network: processes that fetch, since a confined server has no socket and starts no program.
//!
//! Owns: the helper processes, what is said between them and the server, which addresses are reached, and how long and
//! how large anything may get that comes from there.
//! Gives: [`HttpServiceBuilder`] and [`GitFetcher`], each the handle on one process, and [`NetError`].
//! Never: is there unless the operator switched it on, or believes the server more than it must: what may be reached
//! is decided where it is reached.
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

/// What tests outside the crate drive without a process.
#[doc(hidden)]
pub mod testing {
    pub use crate::address::is_public;
}

/// The hidden commands: what runs in the other processes.
pub mod processes {
    pub use crate::git::process::run as git;
    pub use crate::http::process::run as http;
}
