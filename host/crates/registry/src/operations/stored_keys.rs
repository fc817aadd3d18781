//! How many keys each namespace of handlers has stored, so that a new key does not cost a look at all others.
//!
//! Owns: when a count holds: while the folder's own metadata are those that its last writer in this process left.
//! Never: counts, or is used without the lock that each writer of the namespace takes. Changes of another process within one tick
//! of the file system's clock may be missed: the limit on keys is one on the space that they take, not a promise.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wardroom_appdir::{Folder, Stat};

#[derive(Debug, Default)]
pub struct StoredKeyCounts(Mutex<HashMap<String, StoredKeyCount>>);

#[derive(Debug)]
struct StoredKeyCount {
    folder: Stat,
    n_keys: usize,
}

impl StoredKeyCounts {
    /// Returns the number of keys in a namespace's folder, if it is known.
    pub(super) fn get(&self, namespace: &str, folder: &Folder) -> Option<usize> {
        let stat = folder.stat_self().ok()?;
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(namespace).filter(|count| count.folder == stat).map(|count| count.n_keys)
    }

    /// Notes the number of keys after a change, if it is known.
    pub(super) fn set(&self, namespace: &str, folder: &Folder, n_keys: Option<usize>) {
        let count = n_keys.and_then(|n_keys| Some(StoredKeyCount { folder: folder.stat_self().ok()?, n_keys }));
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match count {
            Some(count) => drop(counts.insert(namespace.to_owned(), count)),
            None => drop(counts.remove(namespace)),
        }
    }
}
