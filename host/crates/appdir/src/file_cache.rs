//! A cache of what files contained, by the identity of the file.
//!
//! Owns: when an entry is valid: while the metadata of its file are the same, and only if the file was settled when it
//! was read, so that any later change shows in its metadata.
//! Never: stores a name, or reads a file: the caller has its metadata.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{FileId, Stat};

/// The bounds of a cache.
#[derive(Debug, Clone, Copy)]
pub struct FileCacheLimits {
    pub max_entries: usize,
    /// The most bytes of all entries together, as the caller weighs them.
    pub max_bytes: usize,
    /// How long an entry is used. Limits how long a change goes unnoticed that the metadata do not show: a writer that
    /// has the file mapped, or a change on another machine.
    pub max_age: Duration,
}

/// Values that were made from files. A full cache is cleared: what is in use is soon cached again, and no insertion costs
/// more than another.
pub struct FileCache<T: ?Sized> {
    limits: FileCacheLimits,
    state: Mutex<CacheState<T>>,
}

struct CacheState<T: ?Sized> {
    entries: HashMap<FileId, CachedValue<T>>,
    bytes: usize,
}

struct CachedValue<T: ?Sized> {
    stat: Stat,
    value: Arc<T>,
    bytes: usize,
    read_at: Instant,
}

impl<T: ?Sized> FileCache<T> {
    #[must_use]
    pub fn new(limits: FileCacheLimits) -> Self {
        Self { limits, state: Mutex::new(CacheState { entries: HashMap::new(), bytes: 0 }) }
    }

    /// Returns the value of the file with this metadata.
    #[must_use]
    pub fn get(&self, stat: &Stat) -> Option<Arc<T>> {
        let state = self.lock();
        let entry = state.entries.get(&stat.file_id)?;
        let is_valid = entry.stat == *stat && entry.read_at.elapsed() < self.limits.max_age;
        is_valid.then(|| Arc::clone(&entry.value))
    }

    /// Caches a value of `bytes`, which was made after `read_at` from the file with this metadata.
    pub fn insert(&self, stat: Stat, value: &Arc<T>, bytes: usize, read_at: Instant) {
        if bytes > self.limits.max_bytes || !stat.is_settled() {
            return;
        }
        let mut state = self.lock();
        state.remove(stat.file_id);
        if state.entries.len() >= self.limits.max_entries || state.bytes + bytes > self.limits.max_bytes {
            (state.entries, state.bytes) = (HashMap::new(), 0);
        }
        state.bytes += bytes;
        let entry = CachedValue { stat, value: Arc::clone(value), bytes, read_at };
        state.entries.insert(stat.file_id, entry);
    }

    fn lock(&self) -> MutexGuard<'_, CacheState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> CacheState<T> {
    fn remove(&mut self, id: FileId) {
        if let Some(removed) = self.entries.remove(&id) {
            self.bytes = self.bytes.saturating_sub(removed.bytes);
        }
    }
}
