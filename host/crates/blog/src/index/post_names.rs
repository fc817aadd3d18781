//! The posts that links name, remembered while a state of the index lasts: many posts link to the same few.
//!
//! Owns: how many are remembered.
//! Never: reads the index.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use tantivy::DocAddress;

use super::row::LinkedPost;
use crate::limits::MAX_REMEMBERED_POSTS;

/// The posts that links named so far.
#[derive(Default)]
pub(super) struct PostNames {
    pub(super) by_slug: Remembered<String, Option<DocAddress>>,
    /// `None` for a document that is no post.
    pub(super) by_document: Remembered<DocAddress, Option<LinkedPost>>,
}

/// Values that were found.
pub(super) struct Remembered<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for Remembered<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Remembered<K, V> {
    /// Returns the value for a key, found now unless it is remembered.
    pub(super) fn get_or_find<E>(&self, key: K, find: impl FnOnce(&K) -> Result<V, E>) -> Result<V, E> {
        if let Some(value) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(value.clone());
        }
        let value = find(&key)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED_POSTS {
            known.clear();
        }
        known.insert(key, value.clone());
        Ok(value)
    }
}
