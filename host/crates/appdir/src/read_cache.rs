//! Small documents, kept in memory for whoever reads the same one again and again.
//!
//! Owns: when what was read may be given again: for a moment, while a look at the file finds it exactly as it was, and only
//! if it had held still for long enough when it was read that any later change shows in that look.
//! Never: gives a document that was not reached by its name this time, or knows names: a file is known by what it is.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stat;
use crate::limits::{MAX_READ_CACHE_BYTES, MAX_READ_CACHE_ENTRY_BYTES};

/// What the system does not show (a writer that has the file mapped, a change on another machine) is not missed for longer.
/// Whoever reads less often gains nothing by this.
const CACHE_TTL: Duration = Duration::from_millis(250);

/// Those of the whole process: a file is the same file through every handle.
static CACHE: LazyLock<Mutex<ReadCache>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct ReadCache {
    entries: HashMap<(u64, u64), CachedFile>,
    /// What they hold together.
    bytes: usize,
}

/// What an entry takes beside the document, at least.
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

/// Whether there is anything to be found: else nobody need look.
pub(super) fn is_empty() -> bool {
    lock_cache().entries.is_empty()
}

/// The content of a file that looks like this now.
pub(super) fn get(now: &Stat) -> Option<Arc<[u8]>> {
    let documents = lock_cache();
    let kept = documents.entries.get(&now.file_id)?;
    (kept.stat == *now && kept.read_at.elapsed() < CACHE_TTL).then(|| Arc::clone(&kept.bytes))
}

/// Keeps what was read from a file after it had looked like this, `since` then.
pub(super) fn insert(stat: Stat, bytes: &[u8], since: Instant) {
    if bytes.len() > MAX_READ_CACHE_ENTRY_BYTES || !stat.is_settled() {
        return;
    }
    let kept = CachedFile { stat, bytes: bytes.into(), read_at: since };
    let mut documents = lock_cache();
    // Full is empty: what is read again is soon kept again.
    if documents.bytes + kept.charged_bytes() > MAX_READ_CACHE_BYTES {
        *documents = ReadCache::default();
    }
    documents.bytes += kept.charged_bytes();
    if let Some(replaced) = documents.entries.insert(stat.file_id, kept) {
        documents.bytes = documents.bytes.saturating_sub(replaced.charged_bytes());
    }
}

fn lock_cache() -> MutexGuard<'static, ReadCache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}
