//! What a run has set and that is not written yet: a thousand sets cost one write.
//!
//! Owns: that the run reads what it set, and that whatever it must do at once (delete, `set_nx`, `incr`) is one step with
//! all it set in that namespace before.
//! Never: forgets a value that could not be written, or holds any number of them.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::entries::{NamespaceEntries, check_key, decode_value, encode_value};
use super::{ChangeRecorder, StateNamespace, StateStore, increment_value};
use crate::error_code as code;
use crate::limits::MAX_PENDING_STATE_BYTES;
use wardroom_service::ServiceError;

/// The values that one run has set, by namespace.
#[derive(Debug, Default)]
pub struct PendingWrites {
    namespaces: BTreeMap<StateNamespace, BTreeMap<String, Box<RawValue>>>,
    byte_count: usize,
}

/// A change of one key that is made at once, since it answers something.
#[derive(Debug, Clone, Copy)]
pub enum KeyChange<'a> {
    Delete,
    SetNx(&'a Value),
    Incr { delta: &'a Number, default: &'a Number },
}

impl PendingWrites {
    /// Sets a key, for this run at once and for others with the next flush.
    ///
    /// # Errors
    /// When the value is out of bounds, or too much is set and not flushed; then nothing is set.
    pub fn set(&mut self, namespace: &StateNamespace, key: &str, value: &Value) -> Result<(), ServiceError> {
        check_key(key)?;
        let text = encode_value(key, value)?;
        let before = self.pending_value(namespace, key).map_or(0, |old| entry_size(key, old));
        let bytes = self.byte_count - before + entry_size(key, &text);
        if bytes > MAX_PENDING_STATE_BYTES {
            let message = format!(
                "this run has set {bytes} bytes of state since its last pause, the limit is {MAX_PENDING_STATE_BYTES}"
            );
            return Err(ServiceError::tool(code::STATE_TOO_LARGE, message));
        }
        self.byte_count = bytes;
        self.namespaces.entry(namespace.clone()).or_default().insert(key.to_owned(), text);
        Ok(())
    }

    /// As [`State::read_variable`], for this run.
    ///
    /// # Errors
    /// As [`State::read_variable`].
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

    /// As [`State::contains_key`], for this run.
    ///
    /// # Errors
    /// As [`State::contains_key`].
    pub fn contains_key(
        &self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
    ) -> Result<bool, ServiceError> {
        Ok(self.pending_value(namespace, key).is_some() || state.contains_key(namespace, key)?)
    }

    /// As [`State::keys`], for this run.
    ///
    /// # Errors
    /// As [`State::keys`].
    pub fn keys(&self, state: &StateStore, namespace: &StateNamespace) -> Result<Vec<String>, ServiceError> {
        let mut keys = state.keys(namespace)?;
        if let Some(posted) = self.namespaces.get(namespace) {
            keys.extend(posted.keys().cloned());
            keys.sort_unstable();
            keys.dedup();
        }
        Ok(keys)
    }

    /// Changes a key at once, with all that was set in its namespace; what that comes to. A change that is given a name can
    /// be asked for afterwards ([`State::made`]), unless it found nothing to do.
    ///
    /// # Errors
    /// As [`increment_value`] and [`State::apply`].
    pub fn apply_key_change(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
        asked: &KeyChange,
        name: Option<&str>,
    ) -> Result<Value, ServiceError> {
        match asked {
            KeyChange::Delete if !self.contains_key(state, namespace, key)? => return Ok(false.into()),
            KeyChange::SetNx(_) if self.contains_key(state, namespace, key)? => return Ok(false.into()),
            KeyChange::Delete | KeyChange::SetNx(_) | KeyChange::Incr { .. } => {}
        }
        let name = name.map(|name| (name, &Value::clone as &dyn Fn(&Value) -> Value));
        self.apply_with_pending(state, namespace, name, |entries| match asked {
            KeyChange::Delete => Ok(entries.delete(key).into()),
            KeyChange::SetNx(value) => entries
                .update(key, |found| Ok((found.is_none().then(|| (*value).clone()), found.is_none())))
                .map(Value::from),
            KeyChange::Incr { delta, default } => entries.update(key, |found| {
                let sum = increment_value(found, key, delta, default)?;
                Ok((Some(sum.clone()), sum))
            }),
        })
    }

    /// Deletes a key; whether it was there. Of several processes that delete a key, one is told that it was.
    ///
    /// # Errors
    /// As [`State::apply`].
    pub fn delete(&mut self, state: &StateStore, namespace: &StateNamespace, key: &str) -> Result<bool, ServiceError> {
        self.apply_key_change(state, namespace, key, &KeyChange::Delete, None).map(|answer| answer == true)
    }

    /// Sets a key that is not there; whether it was not. Of several processes one is told that it was not.
    ///
    /// # Errors
    /// As [`State::apply`].
    pub fn set_nx(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
        value: &Value,
    ) -> Result<bool, ServiceError> {
        self.apply_key_change(state, namespace, key, &KeyChange::SetNx(value), None).map(|answer| answer == true)
    }

    /// Adds to a number; what it is then. See [`increment_value`].
    ///
    /// # Errors
    /// As [`increment_value`] and [`State::apply`].
    pub fn incr(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        key: &str,
        delta: &Number,
        default: &Number,
    ) -> Result<Value, ServiceError> {
        self.apply_key_change(state, namespace, key, &KeyChange::Incr { delta, default }, None)
    }

    /// Writes all that was set, each namespace as one change. With a name, each can be asked for afterwards
    /// ([`State::made`]).
    ///
    /// # Errors
    /// As [`State::apply`], of the first namespace that could not be written; one that may be the next time comes before one
    /// that is too large. Such ones stay for the next flush, and stop no other.
    pub fn flush(&mut self, state: &StateStore, name: Option<&str>) -> Result<(), ServiceError> {
        let namespaces: Vec<StateNamespace> = self.namespaces.keys().cloned().collect();
        let is_lasting = |error: &ServiceError| matches!(error, ServiceError::Tool { code: code::STATE_TOO_LARGE, .. });
        // Values that are set answer nothing.
        let nothing = |(): &()| Value::Null;
        let mut failed = None;
        for namespace in &namespaces {
            let name = name.map(|name| (name, &nothing as &dyn Fn(&()) -> Value));
            match self.apply_with_pending(state, namespace, name, |_| Ok(())) {
                Err(error) if failed.as_ref().is_none_or(is_lasting) => failed = Some(error),
                Err(_) | Ok(()) => {}
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Those in which something was set.
    pub fn namespaces(&self) -> impl Iterator<Item = &StateNamespace> {
        self.namespaces.keys()
    }

    /// What was set there is in the store.
    pub fn discard(&mut self, namespace: &StateNamespace) {
        if let Some(posted) = self.namespaces.remove(namespace) {
            self.byte_count -= posted.iter().map(|(key, text)| entry_size(key, text)).sum::<usize>();
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }

    fn pending_value(&self, namespace: &StateNamespace, key: &str) -> Option<&RawValue> {
        self.namespaces.get(namespace)?.get(key).map(AsRef::as_ref)
    }

    /// Makes a change together with all that was set in the namespace.
    fn apply_with_pending<T>(
        &mut self,
        state: &StateStore,
        namespace: &StateNamespace,
        name: Option<ChangeRecorder<'_, T>>,
        change: impl FnOnce(&mut NamespaceEntries) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let posted = self.namespaces.get(namespace);
        let answer = state.modify_entries(namespace, name, |entries| {
            for (key, text) in posted.into_iter().flatten() {
                entries.set_encoded(key, text.clone());
            }
            change(entries)
        })?;
        if let Some(posted) = self.namespaces.remove(namespace) {
            self.byte_count -= posted.iter().map(|(key, text)| entry_size(key, text)).sum::<usize>();
        }
        Ok(answer)
    }
}

/// What a value takes, with the room around it: a million empty ones are no small thing either.
fn entry_size(key: &str, text: &RawValue) -> usize {
    const ENTRY_OVERHEAD_BYTES: usize = 96;
    ENTRY_OVERHEAD_BYTES + key.len() + text.get().len()
}
