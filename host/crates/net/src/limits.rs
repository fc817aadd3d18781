//! The limits of fetching, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Files, folders and links of one installed tree. A tree costs its author little, and could fill the disk.
pub const MAX_INSTALL_ENTRIES: usize = 10_000;
/// All files of one installed tree together, in bytes. A tree could fill the disk.
pub const MAX_INSTALL_BYTES: u64 = 256 * 1024 * 1024;
/// Nesting of folders in an installed tree. Each is open while it is copied, and takes a descriptor.
pub const MAX_INSTALL_DEPTH: usize = 32;

// ---- Fetching ------------------------------------------------------------------------------------------------------

/// HTTP fetches of one server at the same time, of which one caller leaves a quarter to the others. Each holds a thread and a
/// connection.
pub const MAX_CONCURRENT_FETCHES: usize = 8;
/// Lookups of host names at the same time. Each holds a thread until the system gives up, however soon its fetch does.
pub const MAX_NAME_LOOKUPS: usize = 2 * MAX_CONCURRENT_FETCHES;
/// How long a fetch waits for others before it is refused.
pub const FETCH_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Git fetches of one server at the same time, of which one caller has half. Each may take twice [`MAX_INSTALL_BYTES`] of the disk.
pub const MAX_CONCURRENT_CLONES: usize = 2;
/// Largest body of a fetch request or response, in bytes. The server and its helper both hold it in memory.
pub const MAX_FETCH_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Headers of a fetch request or response together, in bytes. A web server could send headers without end.
pub const MAX_FETCH_HEADER_BYTES: usize = 64 * 1024;
/// Headers of a fetch request. Each takes an entry in memory, however short it is.
pub const MAX_FETCH_HEADERS: usize = 64;
/// Redirects of one fetch. Two servers could send it to each other until its timeout.
pub const MAX_FETCH_REDIRECTS: usize = 5;
/// Longest URL, in bytes. It is copied into messages, logs and errors.
pub const MAX_URL_BYTES: usize = 4096;
/// Addresses of one host name that are tried. A name with many dead addresses would use up the timeout.
pub const MAX_RESOLVED_ADDRESSES: usize = 8;
/// Error output that is kept of git, from its end, in bytes. A remote server could make git write without end.
pub const MAX_GIT_STDERR_BYTES: usize = 4096;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time of one fetch, with its redirects and its response body. A slow server would hold a thread and a connection.
pub const MAX_FETCH_TIMEOUT: Duration = Duration::from_secs(60);
/// Time that git has to print its version. The helper waits for it at its start, and must report within
/// `SPAWN_TIMEOUT`.
pub const GIT_VERSION_TIMEOUT: Duration = Duration::from_secs(4);
/// Time that git has to fetch a repository. A slow server would hold one of the few fetch slots.
pub const GIT_FETCH_TIMEOUT: Duration = Duration::from_secs(60);
