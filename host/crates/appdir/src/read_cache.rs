//! A cache of small files that are read repeatedly.
//!
//! Owns: when cached content is valid: for [`CACHE_TTL`], while the file's metadata is unchanged, and only if the file
//! was settled when it was read, so that any later change shows in its metadata.
//! Never: returns content without the metadata of an open file, or stores names: the key is the file's identity.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{FileId, Stat};
use crate::limits::{MAX_READ_CACHE_BYTES, MAX_READ_CACHE_ENTRY_BYTES};

/// Limits how long a change goes unnoticed that the metadata do not show: a writer that has the file mapped, or a
/// change on another machine. Rarer reads gain nothing from the cache.
const CACHE_TTL: Duration = Duration::from_millis(250);

/// One cache for the whole process: a file is the same file through every handle.
static CACHE: LazyLock<Mutex<ReadCache>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct ReadCache {
    entries: HashMap<FileId, CachedFile>,
    /// The sum of the entries' charged bytes.
    bytes: usize,
}

/// The minimum memory of an entry in addition to the content.
const ENTRY_OVERHEAD_BYTES: usize = 256;

struct CachedFile {
    stat: Stat,
    bytes: Arc<[u8]>,
    read_at: Instant,
}

impl CachedFile {
    fn charged_bytes(&self) -> usize {
        ENTRY_OVERHEAD_BYTES + self.bytes.len()
    }
}

/// Returns the cached content of a file with this metadata.
pub(super) fn get(now: &Stat) -> Option<Arc<[u8]>> {
    let cache = lock_cache();
    let entry = cache.entries.get(&now.file_id)?;
    (entry.stat == *now && entry.read_at.elapsed() < CACHE_TTL).then(|| Arc::clone(&entry.bytes))
}

/// Caches content that was read, after `since`, from a file with this metadata.
pub(super) fn insert(stat: Stat, bytes: &[u8], since: Instant) {
    if bytes.len() > MAX_READ_CACHE_ENTRY_BYTES || !stat.is_settled() {
        return;
    }
    let entry = CachedFile { stat, bytes: bytes.into(), read_at: since };
    let mut cache = lock_cache();
    // A full cache is cleared: files that are read often are soon cached again.
    if cache.bytes + entry.charged_bytes() > MAX_READ_CACHE_BYTES {
        *cache = ReadCache::default();
    }
    cache.bytes += entry.charged_bytes();
    if let Some(replaced) = cache.entries.insert(stat.file_id, entry) {
        cache.bytes = cache.bytes.saturating_sub(replaced.charged_bytes());
    }
}

fn lock_cache() -> MutexGuard<'static, ReadCache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}
