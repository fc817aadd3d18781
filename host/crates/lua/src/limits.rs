//! The bounds of Lua workers, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;
use wardroom_base::limits::MAX_JSON_DEPTH;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// What `alc.stats.record` keeps in one run, in bytes.
pub const MAX_RUN_STATS_BYTES: usize = 256 * 1024;

// ---- What scripts see ----------------------------------------------------------------------------------------------

/// Depth of a value that a script exchanges. A request, an answer and a record each wrap it in a few levels more.
pub const MAX_LUA_DEPTH: usize = MAX_JSON_DEPTH - 4;
/// Values in one of them. The length of a Lua table can be billions when only a few of its elements are set.
pub const MAX_LUA_VALUES: usize = 500_000;
/// Bins of a histogram, each of which is allocated before the first value is counted.
pub const MAX_HISTOGRAM_BINS: u64 = 1_000_000;
/// Elements that one call of `alc.math` draws.
pub const MAX_MATH_DRAWS: u64 = 10_000_000;
/// Greatest argument of the special functions of `alc.math` that sum a series. The sum would never end for some greater ones.
pub const MAX_SPECIAL_FUNCTION_ARGUMENT: f64 = 1e12;
/// Bytes of all pieces of `alc.chunk` together. Pieces that overlap could repeat a text any number of times.
pub const MAX_CHUNKS_TOTAL_BYTES: usize = 64 * 1024 * 1024;

// ---- Where Lua runs ------------------------------------------------------------------------------------------------

/// What a worker posts is written at once from this many bytes on, and before that with its next request.
pub const WORKER_SEND_BUFFER_BYTES: usize = 32 * 1024;
/// Memory of a Lua state, in bytes. A script that takes more gets an error.
pub const MAX_LUA_MEMORY_BYTES: usize = 128 * 1024 * 1024;
/// Source that `load`, `require` or a run compiles, in bytes. The compiler takes seconds for some sources of this size, and
/// nothing but the deadline stops it.
pub const MAX_LUA_SOURCE_BYTES: usize = 1024 * 1024;
/// Workers that exist at the same time, warm, running and paused. Each is a process.
pub const MAX_LUA_WORKERS: usize = 256;
/// Workers that wait for a run, with their Lua state made.
pub const WARM_LUA_WORKERS: usize = 2;
/// Workers whose run is over and that were not ended yet.
pub const MAX_UNREAPED_WORKERS: usize = 8;
/// How long nobody starts or ends a worker after a run began or ended.
pub const POOL_REFILL_DELAY: Duration = Duration::from_millis(10);

// ---- Declared handlers ---------------------------------------------------------------------------------------------

/// Calls of one namespace that compute at the same time; the others wait. One that waits for an answer is not counted, so
/// that handlers that call each other never wait for themselves.
pub const MAX_RUNNING_CALLS_PER_NAMESPACE: usize = 4;
/// Workers that handlers of all namespaces have, computing, waiting for an answer or idle. Strategies have the others.
pub const MAX_HANDLER_WORKERS: usize = 96;
/// Workers that wait for a call of their namespace, all namespaces together: the one that waited longest goes.
pub const MAX_IDLE_HANDLER_WORKERS: usize = 16;
/// How long one waits, at most, when others are called.
pub const HANDLER_WORKER_IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Calls that a worker serves before another one takes its place: nothing that its process gathers grows for ever.
pub const MAX_CALLS_PER_WORKER: u32 = 10_000;
/// Chunks that `text.splitter` makes of one text, parts that a regular expression finds in it, and a pattern's compiled
/// size in bytes.
pub const MAX_TEXT_PARTS: usize = 100_000;
/// Rounds of `hash.pbkdf2`, and bytes of its key.
pub const MAX_PBKDF2_ROUNDS: u64 = 10_000_000;
pub const MAX_PBKDF2_KEY_BYTES: u64 = 1024;
