//! How many keys each namespace of handlers has stored, so that a new key does not cost a look at all others.
//!
//! Owns: when a count holds: while the folder's own metadata are those that its last writer in this process left, and not for long,
//! since who counts also removes what killed writers left.
//! Never: counts, or is used without the lock that each writer of the namespace takes. Changes of another process within one tick
//! of the file system's clock may be missed: the limit on keys is one on the space that they take, not a promise.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{Folder, Stat};

#[derive(Debug, Default)]
pub struct StoredKeyCounts(Mutex<HashMap<String, StoredKeyCount>>);

#[derive(Debug)]
struct StoredKeyCount {
    folder: Stat,
    n_keys: usize,
    counted_at: Instant,
}

impl StoredKeyCounts {
    /// Returns the number of keys in a namespace's folder, if it is known.
    pub(super) fn get(&self, namespace: &str, folder: &Folder) -> Option<usize> {
        let stat = folder.stat_self().ok();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(namespace)?;
        if Some(count.folder) == stat && count.counted_at.elapsed() < STALE_TEMP_FILE_AGE {
            return Some(count.n_keys);
        }
        counts.remove(namespace);
        None
    }

    /// Notes the number of keys after a change, if it is known.
    pub(super) fn set(&self, namespace: &str, folder: &Folder, n_keys: Option<usize>) {
        let changed = n_keys.zip(folder.stat_self().ok());
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted_at = counts.remove(namespace).map_or_else(Instant::now, |count| count.counted_at);
        if let Some((n_keys, folder)) = changed {
            counts.insert(namespace.to_owned(), StoredKeyCount { folder, n_keys, counted_at });
        }
    }
}
