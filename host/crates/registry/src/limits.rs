//! The limits of user-defined tools, prompts and resources, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Registry and schemas ------------------------------------------------------------------------------------------

/// Largest registry index, in bytes. Its author could fill memory at every change.
pub const MAX_YAML_BYTES: usize = 4 * 1024 * 1024;
/// Nesting of a registry index. A deeper one could overflow the parser's stack.
pub const MAX_YAML_DEPTH: usize = 64;
/// Values of a registry index, including those that aliases repeat. A few aliases multiply to any number of values.
pub const MAX_YAML_NODES: usize = 500_000;
/// Indices below one registry root. Each is read and parsed at every change.
pub const MAX_REGISTRY_INDICES: usize = 1_000;
/// Folders that are scanned for indices below one root. Each is watched, and the system has a limited number of watches
/// for each user.
pub const MAX_REGISTRY_DIRS: usize = 5_000;
/// Names that are scanned for indices below one root. A folder of any number of files would hold up each refresh.
pub const MAX_REGISTRY_NAMES_SCANNED: usize = 50_000;
/// Nesting of the folders that are scanned for indices. A deep tree would use up the folders that may be scanned.
pub const MAX_REGISTRY_DEPTH: usize = 12;
/// Entries of all indices together. They are kept in memory; entries beyond this number are not read.
pub const MAX_REGISTRY_ENTRIES: usize = 20_000;
/// Values of all indices together. They are kept in memory; an index that exceeds this number is not read.
pub const MAX_REGISTRY_VALUES: usize = 2_000_000;
/// Handler sources of all indices together, in bytes, each file counted once. They are kept in memory; a source that
/// exceeds this number is not read.
pub const MAX_REGISTRY_SOURCE_BYTES: usize = 64 * 1024 * 1024;
/// Problems that are kept of all indices. An index of nothing but mistakes has one problem per line.
pub const MAX_REGISTRY_PROBLEMS: usize = 1_000;
/// Names of one index that are compared with others to say which is a misspelling: an index could have thousands of both.
pub const MAX_NAME_COMPARISONS: usize = 2_000;
/// Places of other declarations of one name that a problem shows.
pub const MAX_SHOWN_PLACES: usize = 10;
/// Longest problem message, in bytes. It quotes the index, whose author could fill memory.
pub const MAX_REGISTRY_PROBLEM_BYTES: usize = 1_000;
/// Pattern of `registry.find`, in bytes. It is matched in the server, where nothing interrupts it.
pub const MAX_FIND_PATTERN_BYTES: usize = 1024;
/// The same pattern compiled, in bytes: a class of Unicode's letters takes some 50 KB.
pub const MAX_FIND_COMPILED_BYTES: usize = 512 * 1024;
/// Conditions of one `registry.find`. Each pattern is held compiled.
pub const MAX_FIND_CONDITIONS: usize = 16;
/// Text that a pattern of `registry.find` is compared with, in bytes: the beginning of each value. It is matched in the server,
/// where nothing interrupts it.
pub const MAX_FIND_TEXT_BYTES: usize = 4 * 1024;
/// Longest name of a user-defined tool or prompt, in bytes. Every list repeats it.
pub const MAX_DECLARED_NAME_BYTES: usize = 128;
/// Ancestors of a prompt. Each takes stack space of its thread.
pub const MAX_PROMPT_ANCESTORS: usize = 64;
/// Messages of a prompt, including those of its ancestors. Each ancestor is rendered once, and a chain of them would
/// fill memory.
pub const MAX_PROMPT_MESSAGES: usize = 1_000;
/// Text of a prompt, including that of its ancestors, in bytes. Arguments are inserted any number of times, and would
/// fill memory.
pub const MAX_PROMPT_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Items of a handler's result. Each is validated, and encoded with a structure of its own.
pub const MAX_HANDLER_RESULT_ITEMS: usize = 1_000;
/// Time that a source has to be loaded by a check. One that loops would hold up the check of all others.
pub const SOURCE_CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that a handler has unless its entry sets another. A handler that loops would hold its thread and worker.
pub const DEFAULT_HANDLER_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time that an entry may set for its handler. A handler that loops would hold its thread and worker.
pub const MAX_HANDLER_TIMEOUT: Duration = Duration::from_secs(600);
/// Journal of a handler that its client carries until it calls again, in bytes. A handler that reads much before an
/// input request would exceed what clients accept.
pub const MAX_REQUEST_STATE_JOURNAL_BYTES: usize = 64 * 1024;
/// Input requests that a handler sends to its client at once. A handler could flood a user or a model.
pub const MAX_CONCURRENT_INPUT_REQUESTS: usize = 32;
/// Largest value that a handler stores, as JSON, in bytes. A handler could fill memory and the disk.
pub const MAX_HANDLER_STORE_VALUE_BYTES: usize = 1024 * 1024;
/// Longest key that a handler stores a value under, in bytes. Every stored file repeats its key.
pub const MAX_HANDLER_STORE_KEY_BYTES: usize = 512;
/// Keys that the handlers of one namespace store. Each is a file; a handler could fill the disk.
pub const MAX_HANDLER_STORE_KEYS: usize = 10_000;
/// Largest file that a handler reads or writes in a mount, in bytes. It is held in memory, and is part of a message.
pub const MAX_HANDLER_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Names that a handler gets of one folder. A folder of any number of files would fill its worker.
pub const MAX_HANDLER_DIR_NAMES: usize = 10_000;

// ---- Handlers ------------------------------------------------------------------------------------------------------

/// Nesting of handler calls, through tools and functions. Each level holds a worker, and stack space of its thread.
pub const MAX_HANDLER_CALL_DEPTH: usize = 24;
/// Longest message of a log line or of progress, and longest data of a log line as JSON, in bytes. The rest is cut off: a
/// handler that reports large values to a client that does not read would fill memory.
pub const MAX_HANDLER_NOTIFICATION_BYTES: usize = 4 * 1024;
/// Random bytes that a script gets at once. The server makes them, and holds them in memory.
pub const MAX_RANDOM_BYTES: u64 = 64 * 1024;

// ---- Failures ------------------------------------------------------------------------------------------------------

/// Size of the log of failed handlers, in bytes. A client could call a handler that fails any number of times; the older
/// half goes.
pub const MAX_FAILURE_LOG_BYTES: u64 = if cfg!(test) { 8 * 1024 } else { 2 * 1024 * 1024 };
/// Time that a failure waits for other processes that write the log; it is counted then. The answer of the call waits, too.
pub const FAILURE_LOG_TIMEOUT: Duration = Duration::from_millis(50);
/// Failures of one process that are logged in a second. Each is flushed to the disk; further ones are counted.
pub const MAX_FAILURES_LOGGED_PER_SECOND: u32 = 10;
/// Lines of a handler that are kept for the case that it fails, the newest ones.
pub const MAX_LINES_BEFORE_FAILURE: usize = 20;
/// Largest row of a failure, in bytes; of a larger one the error alone is kept. A few rows could fill the log.
pub const MAX_FAILURE_ROW_BYTES: usize = 32 * 1024;
/// Longest text in the log of failures, in bytes. A handler may print or raise any text.
pub const MAX_FAILURE_TEXT_BYTES: usize = 4 * 1024;
