//! The limits of Lua workers, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;
use wardroom_base::limits::MAX_JSON_DEPTH;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Stats that `alc.stats.record` keeps of one run, in bytes. A script could fill memory and the journal.
pub const MAX_RUN_STATS_BYTES: usize = 256 * 1024;

// ---- Script library ------------------------------------------------------------------------------------------------

/// Nesting of a value that a script exchanges. Requests, answers and records wrap the value in a few more levels.
pub const MAX_LUA_DEPTH: usize = MAX_JSON_DEPTH - 4;
/// Values in one exchanged value. The length of a Lua table can be billions when only a few of its elements are set.
pub const MAX_LUA_VALUES: usize = 500_000;
/// Bins of a histogram. All are allocated before the first value is counted.
pub const MAX_HISTOGRAM_BINS: u64 = 1_000_000;
/// Elements that one call of `alc.math` draws. A call cannot be interrupted, and would hold its worker until the
/// deadline.
pub const MAX_MATH_DRAWS: u64 = 10_000_000;
/// Greatest argument of the special functions of `alc.math` that sum a series. For some greater arguments the sum would
/// never end.
pub const MAX_SPECIAL_FUNCTION_ARGUMENT: f64 = 1e12;
/// All chunks of one `alc.chunk` or `text.splitter` call together, in bytes. Overlapping chunks could repeat a text any
/// number of times.
pub const MAX_CHUNKS_TOTAL_BYTES: usize = 64 * 1024 * 1024;

// ---- Processes -----------------------------------------------------------------------------------------------------

/// Buffered notifications from which on a worker writes at once, in bytes; fewer are written with its next request. A
/// script that only notifies would fill its memory.
pub const WORKER_SEND_BUFFER_BYTES: usize = 32 * 1024;
/// Memory of a Lua state, in bytes. A script that takes more gets an error.
pub const MAX_LUA_MEMORY_BYTES: usize = 128 * 1024 * 1024;
/// Largest source that `load`, `require` or a run compiles, in bytes. The compiler takes seconds for some sources of
/// this size, and only the deadline stops it.
pub const MAX_LUA_SOURCE_BYTES: usize = 1024 * 1024;
/// Workers that exist at the same time: warm, running and paused. Each is a process.
pub const MAX_LUA_WORKERS: usize = 256;
/// How often the memory of a worker that computes is measured. All workers together may exceed their limit by what they
/// take in this time.
pub const WORKER_MEASURE_INTERVAL: Duration = Duration::from_millis(10);
/// Memory of a worker that is kept after its call or its run, in bytes; a larger one is ended at once. What it no
/// longer needs would be missing to the others.
pub const MAX_IDLE_WORKER_BYTES: usize = 16 * 1024 * 1024;
/// Workers that are started ahead of a run, with their Lua state created. Each idle worker is a process.
pub const WARM_LUA_WORKERS: usize = 2;
/// Finished workers that wait to be ended. Each is a process; beyond this number the run ends its worker itself.
pub const MAX_UNREAPED_WORKERS: usize = 8;
/// Time after a run starts or ends before the pool starts or ends a worker. Starting a process takes the processor that
/// the run needs.
pub const POOL_REFILL_DELAY: Duration = Duration::from_millis(10);

/// Bytes of a run's messages that are not counted as the server's memory, for each worker: there are few workers, and
/// most messages are small.
pub const UNCOUNTED_MESSAGE_BYTES: usize = 64 * 1024;
/// Longest message of a Lua error, and longest traceback, that a worker reports, in bytes; the rest is cut off. A
/// script could fail with a text that fills the server's memory.
pub const MAX_SCRIPT_ERROR_BYTES: usize = 64 * 1024;
/// How long a worker's message waits for the server's memory before the run fails. Other calls end meanwhile.
pub const MEMORY_WAIT_TIMEOUT: Duration = Duration::from_secs(10);

// ---- Handlers ------------------------------------------------------------------------------------------------------

/// Calls of one namespace that compute at the same time; others wait. A call that waits for an answer is not counted,
/// so that nested calls cannot deadlock.
pub const MAX_RUNNING_CALLS_PER_NAMESPACE: usize = 4;
/// Of those, the calls of one caller over HTTP: endless calls of one would hold up the others.
pub const MAX_RUNNING_CALLS_PER_NAMESPACE_AND_CALLER: usize = MAX_RUNNING_CALLS_PER_NAMESPACE - 1;
/// Workers of handlers, all namespaces together: computing, waiting or idle. Handlers would take the workers of
/// strategies.
pub const MAX_HANDLER_WORKERS: usize = 96;
/// Idle workers of handlers, all namespaces together; the longest idle one is ended first. Each is a process.
pub const MAX_IDLE_HANDLER_WORKERS: usize = 16;
/// Time after which an idle handler worker is ended when another handler is called. It would hold its memory forever.
pub const HANDLER_WORKER_IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Calls that a worker serves before it is replaced. Memory that its process leaks would grow forever.
pub const MAX_CALLS_PER_WORKER: u32 = 10_000;
/// Chunks that `text.splitter` makes of one text, and parts that a regular expression finds in it. Many empty parts of
/// a short text would fill the worker.
pub const MAX_TEXT_PARTS: usize = 100_000;
/// Rounds of `hash.pbkdf2`. A call cannot be interrupted, and would hold its worker until the deadline.
pub const MAX_PBKDF2_ROUNDS: u64 = 10_000_000;
/// Longest key that `hash.pbkdf2` derives, in bytes. Each part of it takes all rounds again.
pub const MAX_PBKDF2_KEY_BYTES: u64 = 1024;
