//! The content of small files that are read repeatedly.
//!
//! Owns: which files are small enough, and what an entry costs.
//! Never: returns content without the metadata of an open file.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use super::{FileCache, FileCacheLimits, Stat};
use crate::limits::{MAX_READ_CACHE_BYTES, MAX_READ_CACHE_ENTRY_BYTES};

/// The minimum memory of an entry in addition to the content.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// One cache for the whole process: a file is the same file through every handle. Rarer reads gain nothing from it.
static CACHE: LazyLock<FileCache<[u8]>> = LazyLock::new(|| {
    FileCache::new(FileCacheLimits {
        max_entries: MAX_READ_CACHE_BYTES / ENTRY_OVERHEAD_BYTES,
        max_bytes: MAX_READ_CACHE_BYTES,
        max_age: Duration::from_millis(250),
    })
});

/// Returns the cached content of a file with this metadata.
pub(super) fn get(stat: &Stat) -> Option<Arc<[u8]>> {
    if stat.len > MAX_READ_CACHE_ENTRY_BYTES as u64 { None } else { CACHE.get(stat) }
}

/// Caches content that was read, after `since`, from a file with this metadata.
pub(super) fn insert(stat: Stat, bytes: &[u8], since: Instant) {
    if bytes.len() <= MAX_READ_CACHE_ENTRY_BYTES {
        CACHE.insert(stat, &bytes.into(), ENTRY_OVERHEAD_BYTES + bytes.len(), since);
    }
}
