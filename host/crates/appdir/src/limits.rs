//! The limits of files and folders, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Bytes between the checkpoints around a page that is read on the protocol thread. Few rows may lie far apart, with
/// blank lines between, and all other requests wait.
pub const MAX_INLINE_SCAN_BYTES: u64 = if cfg!(fuzzing) { 200 } else { 256 * 1024 };
/// Names scanned for one completion, or for one kind of item on a list page, in all folders together. Folders may hold
/// any number of files.
pub const MAX_NAMES_SCANNED: usize = 200_000;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Largest file that the read cache keeps, in bytes: the size that `MAX_INLINE_READ_BYTES` lets the protocol thread
/// read. Few large files would evict all small ones.
pub const MAX_READ_CACHE_ENTRY_BYTES: usize = 32 * 1024;
/// All files in the read cache together, in bytes. A client that reads many files would fill memory.
pub const MAX_READ_CACHE_BYTES: usize = 4 * 1024 * 1024;
/// Largest JSON Lines file, in bytes. A sparse file of any size costs its author nothing, and each page request would
/// hold a worker until all of it is scanned.
pub const MAX_JSONL_FILE_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// Longest line of a JSON Lines file, in bytes. A file without line ends would fill memory.
pub const MAX_JSONL_LINE_BYTES: usize = if cfg!(fuzzing) { 150 } else { 4 * 1024 * 1024 };
/// Bytes of a JSON Lines file that are read at a time. Between two chunks a scan checks whether it was cancelled.
pub const FILE_READ_CHUNK_BYTES: usize = if cfg!(fuzzing) { 48 } else { 64 * 1024 };
/// Bytes between two checkpoints of the line index, and so the most that is read in vain for a page. A smaller stride
/// takes more memory.
pub const LINE_INDEX_STRIDE_BYTES: u64 = if cfg!(fuzzing) { 64 } else { 64 * 1024 };
/// Smallest file whose line index is saved to a file, in bytes. Smaller files are cheaper to scan again.
pub const LINE_INDEX_FILE_MIN_BYTES: u64 = if cfg!(fuzzing) { 100 } else { 1024 * 1024 };
/// Line indexes kept as files. Each is of one samples file, which may be gone by now.
pub const MAX_SAVED_LINE_INDEXES: usize = 500;
/// Line indexes kept in memory. A client that reads many samples files would fill memory.
pub const MAX_CACHED_LINE_INDEXES: usize = 64;
/// Largest journal, in bytes. A run that never ends would fill the disk, and a replay reads the journal whole.
pub const MAX_JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a journal that are read at a time to find its last line end. Reading all of it would take up to
/// `MAX_JOURNAL_BYTES`.
pub const JOURNAL_READ_CHUNK_BYTES: usize = 64 * 1024;
/// Journals of which a process remembers that a flush failed. One that fails with each flush would fill memory; the oldest is
/// forgotten, and not copied when it is opened again.
pub const MAX_FAILED_FLUSHES: usize = 1_000;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Age of an unchanged temporary file from which on it counts as left over by a killed writer and is removed. Left-over
/// files would fill the disk; a live writer takes seconds.
pub const STALE_TEMP_FILE_AGE: Duration = Duration::from_secs(60 * 60);
/// Time that a writer waits for another process's lock. A process that hangs would hold all writers.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
