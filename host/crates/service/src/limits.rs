//! The bounds of services and tasks, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Longest line on stdio, in bytes. A client could otherwise make the server hold any amount of memory. The largest
/// source that a tool takes fits, every character of it escaped.
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// From where on a document is large, in bytes.
pub const LARGE_RESPONSE_THRESHOLD_BYTES: u64 = 1024 * 1024;
/// Folders watched for one of them, or for one service's list. Each is held open meanwhile, and the system has a limited
/// number of watches for each user. Where there are more, somebody looks from time to time.
pub const MAX_WATCHED_DIRS_PER_RESOURCE: usize = 256;
/// Largest file that is read on the protocol's own thread: some microseconds of copying.
pub const MAX_INLINE_READ_BYTES: u64 = 32 * 1024;
/// Cursors that we hand out hold one name at most; anything longer is not ours.
pub const MAX_CURSOR_BYTES: usize = 512;
/// Entries on a page of any list.
pub const LIST_PAGE_SIZE: usize = 100;
/// Values in one completion answer, as the protocol says.
pub const MAX_COMPLETIONS: usize = 100;
/// Tasks on an AppDir, over or not; how long each is kept from its creation on, and how large its file may be: the call, its
/// questions and its result.
pub const MAX_STORED_TASKS: usize = 2_000;
pub const TASK_TTL: Duration = Duration::from_secs(60 * 60);
pub const MAX_TASK_FILE_BYTES: u64 = 40 * 1024 * 1024;
/// How often the files of those are looked for whose time is over. They hold arguments and results.
pub const TASK_SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// How far one is, in its handler's words, in bytes.
pub const MAX_TASK_STATUS_MESSAGE_BYTES: usize = 2000;
/// How long whoever worked on one tries to note what came of it: a lock may be held, or the disk be full, for a while.
pub const TASK_RESULT_WRITE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Text of one page of samples, in bytes; `nextOffset` says where the page ended. Text of a resource in the answer of a
/// tool too, which has it twice and escapes it once more.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
