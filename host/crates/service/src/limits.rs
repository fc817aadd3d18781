//! The limits of services and tasks, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Longest message, in bytes. A client could make the server hold any amount of memory. The largest source that a tool
/// takes fits with every character escaped.
pub const MAX_MESSAGE_BYTES: usize = if cfg!(fuzzing) { 300 } else { 8 * 1024 * 1024 };
/// Size above which a document counts as large, in bytes. Only a few large responses are made at once, since all
/// together would fill memory.
pub const LARGE_RESPONSE_THRESHOLD_BYTES: u64 = 1024 * 1024;
/// Folders that are watched for one resource or list; beyond it changes are polled. Each is held open, and the system
/// has a limited number of watches for each user.
pub const MAX_WATCHED_DIRS_PER_RESOURCE: usize = 256;
/// Largest file that is read on the protocol thread, in bytes: some microseconds of copying, for which all other
/// requests wait.
pub const MAX_INLINE_READ_BYTES: u64 = 32 * 1024;
/// Largest arguments of a tool whose violations of its schema are searched for once they are refused, in bytes with the
/// memory of their values. They are validated a second time.
pub const MAX_CHECKED_ARGUMENTS_BYTES: usize = 256 * 1024;
/// Largest arguments of a tool whose digest for the audit trail is made on the protocol thread, in bytes: a tenth of a
/// millisecond, for which all other requests wait.
pub const MAX_INLINE_DIGEST_BYTES: usize = 32 * 1024;
/// Largest tool argument that is accepted as the text of a JSON object, in bytes. It is parsed a second time, besides
/// its message.
pub const MAX_LENIENT_ARGUMENT_BYTES: usize = 64 * 1024;
/// Listed URIs of one service that are compared with one that does not exist. All of a long list would take longer than the
/// read that failed.
pub const MAX_COMPARED_URIS: usize = 500;
/// Longest list cursor that is parsed, in bytes. Our own cursors hold one name at most.
pub const MAX_CURSOR_BYTES: usize = 512;
/// Entries on a page of any list. A client could request all of a folder at once.
pub const LIST_PAGE_SIZE: usize = 100;
/// Values in one completion result, as the protocol specifies.
pub const MAX_COMPLETIONS: usize = 100;
/// Tasks in an AppDir, finished or not. Each is a file; clients could fill the disk.
pub const MAX_STORED_TASKS: usize = 2_000;
/// Of those, how many the bearer of one token has at most.
pub const MAX_STORED_TASKS_PER_OWNER: usize = MAX_STORED_TASKS / 4 * 3;
/// Time that a task is kept after its creation. Its file holds arguments and results, and would take up disk space
/// forever.
pub const TASK_TTL: Duration = Duration::from_secs(60 * 60);
/// Largest file of a task, in bytes, with its call, its input requests and its result. A client could fill the disk.
pub const MAX_TASK_FILE_BYTES: u64 = 40 * 1024 * 1024;
/// Continuation tokens (`requestState`) that were used within the time that they are valid. Each is a file; clients could
/// fill the disk.
pub const MAX_USED_CONTINUATIONS: usize = 50_000;
/// Of those, how many the bearer of one token has at most.
pub const MAX_USED_CONTINUATIONS_PER_OWNER: usize = MAX_USED_CONTINUATIONS / 4 * 3;
/// Largest reply to a continued call that is kept for a client that did not receive it, in bytes.
pub const MAX_KEPT_REPLY_BYTES: usize = 1024 * 1024;
/// All such replies together, in bytes. Beyond it none is kept.
pub const MAX_ALL_KEPT_REPLY_BYTES: u64 = 1024 * 1024 * 1024;
/// Of that, what those of one caller over HTTP have at most.
pub const MAX_OWN_KEPT_REPLY_BYTES: u64 = MAX_ALL_KEPT_REPLY_BYTES / 4 * 3;
/// Interval at which used tokens are counted again while there is no room for another one.
pub const CONTINUATION_RECOUNT_INTERVAL: Duration = Duration::from_secs(10);
/// Interval at which files of expired tokens are removed.
pub const CONTINUATION_SWEEP_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Interval at which files of expired tasks are removed. They hold arguments and results.
pub const TASK_SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// Longest status message of a task, in bytes. Its handler chooses it, and every poll returns it.
pub const MAX_TASK_STATUS_MESSAGE_BYTES: usize = 2000;
/// Time that a server retries to store the result of a task, since a lock may be held or the disk be full for a while.
/// The retry holds a thread.
pub const TASK_RESULT_WRITE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

// ---- The audit trail -------------------------------------------------------------------------------------------------

/// Largest file of the audit trail, in bytes. A writer reads it once, to continue it.
pub const MAX_AUDIT_FILE_BYTES: u64 = 1024 * 1024;
/// Files of the audit trail. Beyond it the oldest one that no writer has open is removed, which is recorded: callers could
/// fill the disk.
pub const MAX_AUDIT_FILES: usize = 64;
/// Longest subject of a record, in bytes. A caller chooses some of them.
pub const MAX_AUDIT_SUBJECT_BYTES: usize = 256;
/// Interval at which what is counted is recorded again, for each kind and caller, with its number.
pub const AUDIT_COUNT_INTERVAL: Duration = Duration::from_secs(60);
/// Kinds of refusals, with their callers, that are counted apart. All others are counted together.
pub const MAX_COUNTED_KINDS: usize = 256;
/// Such kinds of one caller. A caller chooses the names of what it is refused.
pub const MAX_COUNTED_KINDS_PER_CALLER: usize = 16;
/// Lines that one caller writes at once; what it does beyond them is counted. It would push the lines of others out of the
/// trail.
pub const AUDIT_RECORD_BURST: u32 = 1000;
/// Time after which a caller may write another line: a caller that fills its share needs days to push out the others'.
pub const AUDIT_RECORD_INTERVAL: Duration = Duration::from_secs(5);

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Largest package source, in bytes: the size that the guest accepts. A larger source would take its memory and time.
pub const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// Largest document that is returned whole, in bytes: an eval, a scenario, a type stub. It is held in memory several
/// times.
pub const MAX_DOCUMENT_BYTES: u64 = 8 * 1024 * 1024;
/// Text of one page of samples, in bytes; `nextOffset` says where it ended. Text of a resource in a tool result, which
/// holds it twice and escapes it once more.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
