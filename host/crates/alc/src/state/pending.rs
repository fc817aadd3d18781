//! What a run has set and that is not written yet: a thousand sets cost one write.
//!
//! Owns: that the run reads what it set, and that whatever it must do at once (delete, `set_nx`, `incr`) is one step with
//! all it set in that namespace before.
//! Never: forgets a value that could not be written, or holds any number of them.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::entries::{Entries, check_key, decoded, encoded};
use super::{Name, Namespace, State, incremented};
use wardroom_base::limits::MAX_PENDING_STATE_BYTES;
use wardroom_service::ServiceError;

/// The values that one run has set, by namespace.
#[derive(Debug, Default)]
pub struct Pending {
    namespaces: BTreeMap<Namespace, BTreeMap<String, Box<RawValue>>>,
    bytes: usize,
}

/// A change of one key that is made at once, since it answers something.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    Delete,
    SetNx(&'a Value),
    Incr { delta: &'a Number, default: &'a Number },
}

impl Pending {
    /// Sets a key, for this run at once and for others with the next flush.
    ///
    /// # Errors
    /// When the value is out of bounds, or too much is set and not flushed; then nothing is set.
    pub fn set(&mut self, namespace: &Namespace, key: &str, value: &Value) -> Result<(), ServiceError> {
        check_key(key)?;
        let text = encoded(key, value)?;
        let before = self.find(namespace, key).map_or(0, |old| size(key, old));
        let bytes = self.bytes - before + size(key, &text);
        if bytes > MAX_PENDING_STATE_BYTES {
            let message = format!(
                "this run has set {bytes} bytes of state since its last pause, the limit is {MAX_PENDING_STATE_BYTES}"
            );
            return Err(ServiceError::tool("STATE_TOO_LARGE", message));
        }
        self.bytes = bytes;
        self.namespaces.entry(namespace.clone()).or_default().insert(key.to_owned(), text);
        Ok(())
    }

    /// As [`State::get`], for this run.
    ///
    /// # Errors
    /// As [`State::get`].
    pub fn get(&self, state: &State, namespace: &Namespace, key: &str) -> Result<Option<Value>, ServiceError> {
        match self.find(namespace, key) {
            Some(text) => decoded(text).map(Some),
            None => state.get(namespace, key),
        }
    }

    /// As [`State::has`], for this run.
    ///
    /// # Errors
    /// As [`State::has`].
    pub fn has(&self, state: &State, namespace: &Namespace, key: &str) -> Result<bool, ServiceError> {
        Ok(self.find(namespace, key).is_some() || state.has(namespace, key)?)
    }

    /// As [`State::keys`], for this run.
    ///
    /// # Errors
    /// As [`State::keys`].
    pub fn keys(&self, state: &State, namespace: &Namespace) -> Result<Vec<String>, ServiceError> {
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
    /// As [`incremented`] and [`State::apply`].
    pub fn change(
        &mut self,
        state: &State,
        namespace: &Namespace,
        key: &str,
        asked: &Asked,
        name: Option<&str>,
    ) -> Result<Value, ServiceError> {
        match asked {
            Asked::Delete if !self.has(state, namespace, key)? => return Ok(false.into()),
            Asked::SetNx(_) if self.has(state, namespace, key)? => return Ok(false.into()),
            Asked::Delete | Asked::SetNx(_) | Asked::Incr { .. } => {}
        }
        let name = name.map(|name| (name, &Value::clone as &dyn Fn(&Value) -> Value));
        self.through(state, namespace, name, |entries| match asked {
            Asked::Delete => Ok(entries.delete(key).into()),
            Asked::SetNx(value) => entries
                .update(key, |found| Ok((found.is_none().then(|| (*value).clone()), found.is_none())))
                .map(Value::from),
            Asked::Incr { delta, default } => entries.update(key, |found| {
                let sum = incremented(found, key, delta, default)?;
                Ok((Some(sum.clone()), sum))
            }),
        })
    }

    /// Deletes a key; whether it was there. Of several processes that delete a key, one is told that it was.
    ///
    /// # Errors
    /// As [`State::apply`].
    pub fn delete(&mut self, state: &State, namespace: &Namespace, key: &str) -> Result<bool, ServiceError> {
        self.change(state, namespace, key, &Asked::Delete, None).map(|answer| answer == true)
    }

    /// Sets a key that is not there; whether it was not. Of several processes one is told that it was not.
    ///
    /// # Errors
    /// As [`State::apply`].
    pub fn set_nx(
        &mut self,
        state: &State,
        namespace: &Namespace,
        key: &str,
        value: &Value,
    ) -> Result<bool, ServiceError> {
        self.change(state, namespace, key, &Asked::SetNx(value), None).map(|answer| answer == true)
    }

    /// Adds to a number; what it is then. See [`incremented`].
    ///
    /// # Errors
    /// As [`incremented`] and [`State::apply`].
    pub fn incr(
        &mut self,
        state: &State,
        namespace: &Namespace,
        key: &str,
        delta: &Number,
        default: &Number,
    ) -> Result<Value, ServiceError> {
        self.change(state, namespace, key, &Asked::Incr { delta, default }, None)
    }

    /// Writes all that was set, each namespace as one change. With a name, each can be asked for afterwards
    /// ([`State::made`]).
    ///
    /// # Errors
    /// As [`State::apply`], of the first namespace that could not be written; one that may be the next time comes before one
    /// that is too large. Such ones stay for the next flush, and stop no other.
    pub fn flush(&mut self, state: &State, name: Option<&str>) -> Result<(), ServiceError> {
        let namespaces: Vec<Namespace> = self.namespaces.keys().cloned().collect();
        let is_lasting = |error: &ServiceError| matches!(error, ServiceError::Tool { code: "STATE_TOO_LARGE", .. });
        // Values that are set answer nothing.
        let nothing = |(): &()| Value::Null;
        let mut failed = None;
        for namespace in &namespaces {
            let name = name.map(|name| (name, &nothing as &dyn Fn(&()) -> Value));
            match self.through(state, namespace, name, |_| Ok(())) {
                Err(error) if failed.as_ref().is_none_or(is_lasting) => failed = Some(error),
                Err(_) | Ok(()) => {}
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Those in which something was set.
    pub fn namespaces(&self) -> impl Iterator<Item = &Namespace> {
        self.namespaces.keys()
    }

    /// What was set there is in the store.
    pub fn forget(&mut self, namespace: &Namespace) {
        if let Some(posted) = self.namespaces.remove(namespace) {
            self.bytes -= posted.iter().map(|(key, text)| size(key, text)).sum::<usize>();
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }

    fn find(&self, namespace: &Namespace, key: &str) -> Option<&RawValue> {
        self.namespaces.get(namespace)?.get(key).map(AsRef::as_ref)
    }

    /// Makes a change together with all that was set in the namespace.
    fn through<T>(
        &mut self,
        state: &State,
        namespace: &Namespace,
        name: Option<Name<'_, T>>,
        change: impl FnOnce(&mut Entries) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let posted = self.namespaces.get(namespace);
        let answer = state.change(namespace, name, |entries| {
            for (key, text) in posted.into_iter().flatten() {
                entries.put(key, text.clone());
            }
            change(entries)
        })?;
        if let Some(posted) = self.namespaces.remove(namespace) {
            self.bytes -= posted.iter().map(|(key, text)| size(key, text)).sum::<usize>();
        }
        Ok(answer)
    }
}

/// What a value takes, with the room around it: a million empty ones are no small thing either.
fn size(key: &str, text: &RawValue) -> usize {
    const AROUND: usize = 96;
    AROUND + key.len() + text.get().len()
}
