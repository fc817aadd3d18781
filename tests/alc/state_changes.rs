//! Changes of state, made as runs make them.

use serde_json::{Number, Value};
use wardroom_alc::state::{KeyChange, PendingWrites, StateNamespace, StateStore};
use wardroom_service::ServiceError;

/// Sets values as one change.
pub(super) fn set_all<'k>(
    state: &StateStore,
    namespace: &StateNamespace,
    values: impl IntoIterator<Item = (&'k str, Value)>,
) -> Result<(), ServiceError> {
    let mut pending = PendingWrites::default();
    for (key, value) in values {
        pending.set(namespace, key, &value)?;
    }
    pending.flush(state, None)
}

/// The writes of a run, whose changes of one key have no id.
pub(super) struct RunWrites<'s> {
    pub(super) pending: PendingWrites,
    state: &'s StateStore,
    namespace: &'s StateNamespace,
}

impl<'s> RunWrites<'s> {
    pub(super) fn new(state: &'s StateStore, namespace: &'s StateNamespace) -> Self {
        Self { pending: PendingWrites::default(), state, namespace }
    }

    fn change(&mut self, key: &str, change: &KeyChange) -> Result<Value, ServiceError> {
        self.pending.apply_key_change(self.state, self.namespace, key, change, None)
    }

    pub(super) fn delete(&mut self, key: &str) -> Result<Value, ServiceError> {
        self.change(key, &KeyChange::Delete)
    }

    pub(super) fn set_nx(&mut self, key: &str, value: &Value) -> Result<Value, ServiceError> {
        self.change(key, &KeyChange::SetNx(value))
    }

    /// Adds 1 to a number, which begins with a default.
    pub(super) fn incr(&mut self, key: &str, default: i64) -> Result<Value, ServiceError> {
        self.change(key, &KeyChange::Incr { delta: &Number::from(1), default: &Number::from(default) })
    }
}
