//! The bounds of fetching, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Package source, in bytes: what the guest accepts.
pub const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// Any other single document that is answered whole: an eval, a scenario, a type stub.
pub const MAX_DOCUMENT_BYTES: u64 = 8 * 1024 * 1024;
/// Files, folders and links of what is installed at once. A tree costs its maker little, and could fill the disk.
pub const MAX_INSTALL_ENTRIES: usize = 10_000;
/// All of it together, in bytes.
pub const MAX_INSTALL_BYTES: u64 = 256 * 1024 * 1024;
/// Folders of it in each other. Each is open while it is copied.
pub const MAX_INSTALL_DEPTH: usize = 32;

// ---- What is fetched from elsewhere --------------------------------------------------------------------------------

/// Requests of one server at the same time. Each has a thread and a connection.
pub const MAX_CONCURRENT_FETCHES: usize = 8;
/// Repositories of one server that are fetched at the same time. Each may take [`MAX_INSTALL_BYTES`] of the disk twice.
pub const MAX_CONCURRENT_CLONES: usize = 2;
/// The body of a request, and of an answer, in bytes. Both are held in memory, on both sides.
pub const MAX_FETCH_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Headers of a request or an answer, in bytes, and how many a request has.
pub const MAX_FETCH_HEADER_BYTES: usize = 64 * 1024;
pub const MAX_FETCH_HEADERS: usize = 64;
/// Redirects of one request. Two servers could otherwise send it to each other until its time is over.
pub const MAX_FETCH_REDIRECTS: usize = 5;
/// An address, in bytes.
pub const MAX_URL_BYTES: usize = 4096;
/// Addresses of one name that are tried.
pub const MAX_RESOLVED_ADDRESSES: usize = 8;
/// What git says that is kept, from its end, in bytes.
pub const MAX_GIT_STDERR_BYTES: usize = 4096;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long a request may take, with its redirects and its answer.
pub const MAX_FETCH_TIMEOUT: Duration = Duration::from_secs(60);
/// How long git may take to say its version. A helper says that within [`SPAWN_TIMEOUT`].
pub const GIT_VERSION_TIMEOUT: Duration = Duration::from_secs(4);
/// How long git may take to fetch a repository.
pub const GIT_FETCH_TIMEOUT: Duration = Duration::from_secs(60);
