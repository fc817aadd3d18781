//! The bounds of files and folders, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Bytes between the checkpoints around a page that is read there. A few rows may lie far apart, with blank lines between.
pub const MAX_INLINE_SCAN_BYTES: u64 = 256 * 1024;
/// Names looked at for one completion, or for one kind of thing on a page of a list, in all folders together. There can
/// be any number of files and of folders.
pub const MAX_NAMES_SCANNED: usize = 200_000;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Largest document that is kept in memory for a moment, in bytes, and all of them together: what is read at once by
/// [`MAX_INLINE_READ_BYTES`] is also what is read often.
pub const MAX_READ_CACHE_ENTRY_BYTES: usize = 32 * 1024;
pub const MAX_READ_CACHE_BYTES: usize = 4 * 1024 * 1024;
/// Largest JSON Lines file, in bytes. A sparse file of any size costs its maker nothing, and each client that asks for a
/// page of it would keep a worker busy until all of it was scanned.
pub const MAX_JSONL_FILE_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// Longest single line of a JSON Lines file, in bytes.
pub const MAX_JSONL_LINE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a JSON Lines file that are read at a time. Between two pieces a scan looks whether anybody still wants to know.
pub const FILE_READ_CHUNK_BYTES: usize = 64 * 1024;
/// Bytes between two checkpoints of the line index, and so the most that is read in vain for a page.
pub const LINE_INDEX_STRIDE_BYTES: u64 = 64 * 1024;
/// A line index is kept as a file only for larger files; smaller ones are cheaper to read again, in bytes.
pub const LINE_INDEX_FILE_MIN_BYTES: u64 = 1024 * 1024;
/// Line indexes held in memory.
pub const MAX_CACHED_LINE_INDEXES: usize = 64;
/// A journal, in bytes. A run that never ends would fill the disk, and a replay reads it whole.
pub const MAX_JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a journal that are read at a time in search of its last line end.
pub const JOURNAL_READ_CHUNK_BYTES: usize = 64 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// After how long without a write a temporary file is taken for the leftover of a writer that was killed. Such files would
/// fill the disk in the end; a writer that lives needs seconds.
pub const STALE_TEMP_FILE_AGE: Duration = Duration::from_secs(60 * 60);
/// How long a writer waits for another process's lock.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
