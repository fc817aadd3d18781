//! State that a run has set and that is not stored yet: a thousand sets cost one write.
//!
//! Owns: that the run reads its own writes, and that a change with an answer (delete, `set_nx`, `incr`) is stored
//! atomically with all earlier writes to that namespace.
//! Never: forgets a value that could not be written, or holds more than `MAX_PENDING_STATE_BYTES`.

use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::entries::{NamespaceEntries, check_key, decode_value, encode_value};
use super::{ChangeEffect, ChangeRecorder, StateNamespace, StateStore, increment_value};
use crate::error_code as code;
use crate::limits::MAX_PENDING_STATE_BYTES;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::memory::{MemoryLease, OutOfMemory};
use wardroom_lua::counted_bytes;
use wardroom_service::ServiceError;

/// The values that one run has set, by namespace.
#[derive(Debug, Default)]
pub struct PendingWrites {
    namespaces: BTreeMap<StateNamespace, HashMap<String, Box<RawValue>>>,
    byte_count: usize,
    /// The memory of the run that they count as, if a run makes them.
    memory: Option<MemoryLease>,
}

/// A change of one key that is stored at once, because it has an answer.
#[derive(Debug, Clone, Copy)]
pub enum KeyChange<'a> {
    Delete,
    SetNx(&'a Value),
    Incr { delta: &'a Number, default: &'a Number },
}

/// Why a value is not set.
#[derive(Debug)]
pub(crate) enum SetError {
    /// The value is over a limit, or too much is pending.
    Refused(ServiceError),
    Memory(OutOfMemory),
}

impl From<ServiceError> for SetError {
    fn from(error: ServiceError) -> Self {
        Self::Refused(error)
    }
}

impl PendingWrites {
    /// Creates no writes, the bytes of which count as memory of this lease.
    #[must_use]
    pub fn with_memory(memory: MemoryLease) -> Self {
        Self { memory: Some(memory), ..Self::default() }
    }

    /// Sets a key, visible to this run at once and to others after the next flush.
    ///
    /// # Errors
    /// When the value is over a limit, or too much is pending; then nothing is set.
    pub fn set(&mut self, namespace: &StateNamespace, key: &str, value: &Value) -> Result<(), ServiceError> {
        self.set_leased(namespace, key, value).map_err(|error| match error {
            SetError::Refused(error) => error,
            SetError::Memory(error) => ServiceError::out_of_memory(error),
        })
    }

    /// As [`Self::set`], with a lack of memory apart from other errors, because it may pass.
    pub(crate) fn set_leased(&mut self, namespace: &StateNamespace, key: &str, value: &Value) -> Result<(), SetError> {
        check_key(key)?;
        let text = encode_value(key, value)?;
        let before = self.pending_value(namespace, key).map_or(0, |old| entry_size(key, old));
        let bytes = self.byte_count - before + entry_size(key, &text);
        if bytes > MAX_PENDING_STATE_BYTES {
            let message = format!(
                "this run has set {} of state since its last pause, the limit is {}",
                ByteSize(bytes as u64),
                ByteSize(MAX_PENDING_STATE_BYTES as u64)
            );
            return Err(SetError::Refused(ServiceError::tool(code::STATE_TOO_LARGE, message)));
        }
        if let Some(memory) = &mut self.memory {
            memory.resize(counted_bytes(bytes)).map_err(SetError::Memory)?;
        }
        self.byte_count = bytes;
        let pending = match self.namespaces.get_mut(namespace) {
            Some(pending) => pending,
            None => self.namespaces.entry(namespace.clone()).or_default(),
        };
        pending.insert(key.to_owned(), text);
        Ok(())
    }

    /// Returns the value of a key as [`StateStore::get`] does, with this run's writes.
    ///
    /// # Errors
    /// As [`StateStore::get`].
    pub fn get(
        &self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
    ) -> Result<Option<Value>, ServiceError> {
        match self.pending_value(namespace, key) {
            Some(text) => decode_value(text).map(Some),
            None => state.get(namespace, key),
        }
    }

    /// Whether a key exists, with this run's writes.
    ///
    /// # Errors
    /// As [`StateStore::contains_key`].
    pub fn contains_key(
        &self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
    ) -> Result<bool, ServiceError> {
        Ok(self.pending_value(namespace, key).is_some() || state.contains_key(namespace, key)?)
    }

    /// Returns all keys, sorted, with this run's writes.
    ///
    /// # Errors
    /// As [`StateStore::keys`].
    pub fn keys(&self, state: &StateStore, namespace: &StateNamespace) -> Result<Vec<String>, ServiceError> {
        let mut keys = state.keys(namespace)?;
        if let Some(pending) = self.namespaces.get(namespace) {
            keys.extend(pending.keys().cloned());
            keys.sort_unstable();
            keys.dedup();
        }
        Ok(keys)
    }

    /// Changes a key at once, with all pending writes to its namespace, and returns the answer. The outcome of a change
    /// with an id (`name`) can be looked up by [`StateStore::apply_status`], unless the change had no effect.
    ///
    /// # Errors
    /// As [`increment_value`], and when the namespace cannot be read or changed.
    pub fn apply_key_change(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
        key_change: &KeyChange,
        name: Option<&str>,
    ) -> Result<Value, ServiceError> {
        let has_effect = |exists: bool| match key_change {
            KeyChange::Delete => exists,
            KeyChange::SetNx(_) => !exists,
            KeyChange::Incr { .. } => true,
        };
        if !matches!(key_change, KeyChange::Incr { .. }) && !has_effect(self.contains_key(state, namespace, key)?) {
            return Ok(false.into());
        }
        let name = name.map(|name| (name, &Value::clone as &dyn Fn(&Value) -> Value));
        let is_pending = self.pending_value(namespace, key).is_some();
        // Another run may have made the same change since.
        let without_effect =
            |entries: &NamespaceEntries| (!has_effect(is_pending || entries.contains_key(key))).then(|| false.into());
        self.apply_with_pending(state, namespace, name, without_effect, |entries| match key_change {
            KeyChange::Delete => Ok(entries.delete(key).into()),
            KeyChange::SetNx(value) => entries.set(key, value).map(|()| true.into()),
            KeyChange::Incr { delta, default } => entries.update(key, |found| {
                let sum = increment_value(found, key, delta, default)?;
                Ok((Some(sum.clone()), sum))
            }),
        })
    }

    /// Stores all pending writes, each namespace as one change. With an id (`name`), the outcome of each can be looked
    /// up by [`StateStore::apply_status`].
    ///
    /// # Errors
    /// As [`Self::apply_key_change`], of the first namespace that could not be written; errors that may pass come before
    /// those of a namespace that is too large. Writes that failed stay for the next flush, and do not stop the others.
    pub fn flush(&mut self, state: &StateStore, name: Option<&str>) -> Result<(), ServiceError> {
        let namespaces: Vec<StateNamespace> = self.namespaces.keys().cloned().collect();
        let is_lasting = |error: &ServiceError| matches!(error, ServiceError::Tool { code: code::STATE_TOO_LARGE, .. });
        // Writes have no answer.
        let nothing = |(): &()| Value::Null;
        let mut failed = None;
        for namespace in &namespaces {
            let name = name.map(|name| (name, &nothing as &dyn Fn(&()) -> Value));
            match self.apply_with_pending(state, namespace, name, |_| None, |_| Ok(())) {
                Err(error) if failed.as_ref().is_none_or(is_lasting) => failed = Some(error),
                Err(_) | Ok(()) => {}
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Returns the namespaces with pending writes.
    pub fn namespaces(&self) -> impl Iterator<Item = &StateNamespace> {
        self.namespaces.keys()
    }

    /// Drops the pending writes of a namespace, because they are stored.
    pub fn discard(&mut self, namespace: &StateNamespace) {
        if let Some(pending) = self.namespaces.remove(namespace) {
            self.release(&pending);
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }

    fn release(&mut self, stored: &HashMap<String, Box<RawValue>>) {
        self.byte_count -= stored.iter().map(|(key, text)| entry_size(key, text)).sum::<usize>();
        if let Some(memory) = &mut self.memory {
            memory.resize_held(counted_bytes(self.byte_count));
        }
    }

    fn pending_value(&self, namespace: &StateNamespace, key: &str) -> Option<&RawValue> {
        self.namespaces.get(namespace)?.get(key).map(AsRef::as_ref)
    }

    /// Makes a change together with all pending writes to the namespace. A change that would have no effect has an answer
    /// already, and the writes stay pending.
    fn apply_with_pending<T>(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        name: Option<ChangeRecorder<'_, T>>,
        answer_without_effect: impl FnOnce(&NamespaceEntries) -> Option<T>,
        change: impl FnOnce(&mut NamespaceEntries) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let pending = self.namespaces.get(namespace);
        let mut are_stored = false;
        let answer = state.modify_entries(namespace, name, |entries| {
            if let Some(answer) = answer_without_effect(entries) {
                return Ok(ChangeEffect::None(answer));
            }
            are_stored = true;
            for (key, text) in pending.into_iter().flatten() {
                entries.set_encoded(key, text.clone());
            }
            change(entries).map(ChangeEffect::Made)
        })?;
        if are_stored && let Some(pending) = self.namespaces.remove(namespace) {
            self.release(&pending);
        }
        Ok(answer)
    }
}

/// Returns the memory that a value takes, with an overhead for each entry: a million empty values count, too.
fn entry_size(key: &str, text: &RawValue) -> usize {
    const ENTRY_OVERHEAD_BYTES: usize = 96;
    ENTRY_OVERHEAD_BYTES + key.len() + text.get().len()
}
