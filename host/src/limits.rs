//! Every bound in the server, by name, with who could exhaust what without it.
//!
//! Owns: the numbers. A room that can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Bytes read from a client at a time.
pub const READ_BYTES: usize = 64 * 1024;
/// Longest line on stdio, in bytes. A client could otherwise make the server hold any amount of memory. The largest
/// source that a tool takes fits, every character of it escaped.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;
/// What is kept of a longer line, in bytes: its beginning, which may name the request.
pub const LINE_HEAD_BYTES: usize = 4096;
/// Most values in one message. Decoded, the shortest of them takes a hundred times its length.
pub const MAX_LINE_VALUES: usize = 100_000;
/// Requests that run at the same time. Each may hold a thread and a file.
pub const MAX_RUNNING_REQUESTS: usize = 64;
/// Requests of those that do slow work at the same time, each on a thread of its own.
pub const MAX_WORKERS: usize = 32;
/// Requests of those that answer with a large document at the same time, from the reading to the encoding. A character can
/// be six in JSON, so that all workers together would make gigabytes of answers before the first is sent.
pub const MAX_LARGE_READS: usize = 2;
/// From where on a document is large, in bytes.
pub const LARGE_BYTES: u64 = 1024 * 1024;
/// Subscriptions that a client keeps open. Each holds a task and a name.
pub const MAX_LISTENS: usize = 64;
/// Resources that clients subscribe to, all subscriptions together. Each costs a look whenever something near it changes.
pub const MAX_WATCHED: usize = 1024;
/// Folders watched for one of them, or for one service's list. Each is held open meanwhile, and the system has a limited
/// number of watches for each user. Where there are more, somebody looks from time to time.
pub const MAX_WATCHED_FOLDERS: usize = 256;
/// Requests that were read and wait for their turn. A client that never stops sending would fill memory.
pub const MAX_WAITING_REQUESTS: usize = 16 * 1024;
/// Bytes of the waiting requests, for the client that sends few but large ones.
pub const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of answers that the client has not read yet. Above it no further request is started; with that many bytes of
/// refusals, nothing more is read.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// Largest file that is read on the protocol's own thread: some microseconds of copying.
pub const LIGHT_BYTES: u64 = 32 * 1024;
/// Largest card that is parsed there, in bytes; parsing costs more than reading.
pub const LIGHT_CARD_BYTES: u64 = 4 * 1024;
/// Most rows that are checked there, and most bytes of them.
pub const LIGHT_ROWS: usize = 200;
pub const LIGHT_PAGE_BYTES: usize = 32 * 1024;
/// Bytes between the checkpoints around a page that is read there. A few rows may lie far apart, with blank lines between.
pub const LIGHT_SPAN_BYTES: u64 = 256 * 1024;
/// Cursors that we hand out hold one name at most; anything longer is not ours.
pub const MAX_CURSOR_BYTES: usize = 512;
/// Bytes of a client's own words that an error repeats. A client could otherwise be sent back as much as it sends. URIs have
/// a bound of their own.
pub const MAX_SHOWN_BYTES: usize = 200;
/// Entries on a page of any list.
pub const LIST_PAGE: usize = 100;
/// Of the cards, evals and logs that are listed one by one, the newest of each. A client that collects every page would
/// otherwise be filled by a folder that nobody ever empties.
pub const MAX_LISTED_RECENT: usize = 100;
/// Values in one completion answer, as the protocol says.
pub const MAX_COMPLETIONS: usize = 100;
/// Names looked at for one completion, or for one kind of thing on a page of a list, in all folders together. There can
/// be any number of files and of folders.
pub const MAX_NAMES_SCANNED: usize = 200_000;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Package source, in bytes: what the guest accepts.
pub const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// A card. Its tables take some two hundred times their text in memory while they are parsed, and every worker may hold
/// one.
pub const MAX_CARD_BYTES: u64 = 1024 * 1024;
/// Any other single document that is answered whole: an eval, a scenario, a type stub.
pub const MAX_DOCUMENT_BYTES: u64 = 8 * 1024 * 1024;
/// A transcript. It is read whole, since its rounds are cut from the oldest end.
pub const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;
/// Fields of a transcript beside its rounds, each of which is noted while it is cut: more than the longest answer has
/// room for.
pub const MAX_LOG_FIELDS: usize = 250_000;
/// The narrative of a package, in bytes.
pub const MAX_NARRATIVE_BYTES: u64 = 1024 * 1024;
/// Cached indices of packages that are put together for one answer, the first by name. Any number may lie there.
pub const MAX_HUB_SOURCES: usize = 64;
/// One of them, in bytes. Each is read and parsed whole.
pub const MAX_HUB_SOURCE_BYTES: u64 = 4 * 1024 * 1024;
/// Packages in one of them, each of which is noted before it is looked at.
pub const MAX_HUB_PACKAGES: usize = 20_000;
/// All packages of the answer together, in bytes.
pub const MAX_HUB_BYTES: usize = 8 * 1024 * 1024;
/// `alc.local.toml` and other small configuration.
pub const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Text of one page of samples, in bytes; `nextOffset` says where the page ended. Text of a resource in the answer of a
/// tool too, which has it twice and escapes it once more.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Largest JSON Lines file, in bytes. A sparse file of any size costs its maker nothing, and each client that asks for a
/// page of it would keep a worker busy until all of it was scanned.
pub const MAX_ROWS_FILE_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// Longest single line of a JSON Lines file, in bytes.
pub const MAX_ROW_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a JSON Lines file that are read at a time. Between two pieces a scan looks whether anybody still wants to know.
pub const ROWS_CHUNK_BYTES: usize = 64 * 1024;
/// Bytes between two checkpoints of the line index, and so the most that is read in vain for a page.
pub const INDEX_STRIDE_BYTES: u64 = 64 * 1024;
/// A line index is kept as a file only for larger files; smaller ones are cheaper to read again, in bytes.
pub const INDEX_FILE_FROM_BYTES: u64 = 1024 * 1024;
/// Line indexes held in memory.
pub const MAX_CACHED_INDEXES: usize = 64;
/// Depth of JSON that is passed on to a client, and of TOML that is parsed for one: whatever walks a deeper document
/// could be made to overflow its stack, which ends the process.
pub const MAX_JSON_DEPTH: usize = 100;

// ---- What runs in the sandbox --------------------------------------------------------------------------------------

/// Instances of the guest that exist at the same time.
pub const GUEST_INSTANCES: u32 = 8;
/// How long a caller waits for one of them.
pub const GUEST_QUEUE_TIME: Duration = Duration::from_secs(10);
/// Linear memory of an instance, in bytes.
pub const GUEST_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// Elements of an instance's tables.
pub const GUEST_TABLE_ELEMENTS: usize = 10_000;
/// Stack of an instance, in bytes.
pub const GUEST_STACK_BYTES: usize = 512 * 1024;
/// Wall time of one call into an instance.
pub const GUEST_WALL_TIME: Duration = Duration::from_secs(1);
/// How often running instances look at the clock.
pub const GUEST_TICK: Duration = Duration::from_millis(10);
/// What one call may return, in bytes.
pub const GUEST_OUTPUT_BYTES: usize = 1024 * 1024;
/// What the pool keeps resident in each instance's memory: saves page faults on typical packages, in bytes.
pub const GUEST_RESIDENT_BYTES: usize = 2 * 1024 * 1024;
/// Extracted metadata held in memory, by the content it was extracted from.
pub const MAX_CACHED_METADATA: usize = 1024;
/// Bytes of that metadata. A folder of packages could otherwise fill memory with documents of the largest size.
pub const MAX_CACHED_METADATA_BYTES: usize = 16 * 1024 * 1024;

// ---- What scripts see ----------------------------------------------------------------------------------------------

/// Depth of a value that a script exchanges. A request, an answer and a record each wrap it in a few levels more.
pub const MAX_LUA_DEPTH: usize = MAX_JSON_DEPTH - 4;
/// Values in one of them. The length of a Lua table can be billions when only a few of its elements are set.
pub const MAX_LUA_VALUES: usize = 2_000_000;

// ---- Where Lua runs ------------------------------------------------------------------------------------------------

/// One message between the server and a worker, in bytes, either way. A script could otherwise make the server hold any
/// amount of memory.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a frame that are read at a time.
pub const FRAME_READ_BYTES: usize = 32 * 1024;
/// What a worker posts is written at once from this many bytes on, and before that with its next request.
pub const POSTED_BYTES: usize = 32 * 1024;
/// Memory of a Lua state, in bytes. A script that takes more gets an error.
pub const LUA_MEMORY_BYTES: usize = 128 * 1024 * 1024;
/// Address space of a worker's process, in bytes: its Lua state, the binary, and a message while it is converted.
pub const WORKER_SPACE_BYTES: u64 = 768 * 1024 * 1024;
/// Source that `load`, `require` or a run compiles, in bytes. The compiler takes seconds for some sources of this size, and
/// nothing but the deadline stops it.
pub const MAX_LUA_SOURCE_BYTES: usize = 1024 * 1024;
/// Workers that exist at the same time, warm, running and paused. Each is a process.
pub const MAX_LUA_WORKERS: usize = 256;
/// Workers that wait for a run, with their Lua state made.
pub const WARM_LUA_WORKERS: usize = 2;
/// How long a worker may take to be started, which is some milliseconds. Whoever starts a run waits for it.
pub const SPAWN_TIME: Duration = Duration::from_secs(10);
/// How often a waiting step looks whether its run was cancelled.
pub const LUA_LOOK_TIME: Duration = Duration::from_millis(20);

// ---- Time ----------------------------------------------------------------------------------------------------------

/// After the end of input, how long running requests may go on before they are cancelled, and how long the client may
/// take to read what is left (a default: `[server] grace_ms`).
pub const DEFAULT_GRACE: Duration = Duration::from_secs(10);
/// How long cancelled work may take to notice, before the process ends without it.
pub const SHUTDOWN_TIME: Duration = Duration::from_millis(300);
/// After how long without a write a temporary file is taken for the leftover of a writer that was killed. Such files would
/// fill the disk in the end; a writer that lives needs seconds.
pub const LEFTOVER_TIME: Duration = Duration::from_secs(60 * 60);
/// How long a writer waits for another process's lock.
pub const LOCK_TIME: Duration = Duration::from_secs(10);
