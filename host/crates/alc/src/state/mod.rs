//! `alc.state.*`: values that runs keep for later runs, one JSON object per namespace, in `state/{namespace}.json`.
//!
//! Owns: `state/`, the names of namespaces, the limits, and that every change is atomic across processes: read, change
//! and replace under the namespace's lock.
//! Gives: the value of a key, changes of keys, and whether an earlier process made a change.
//! Never: rewrites a value that was not changed (its text stays, digits and all), or replaces a file that it cannot
//! read.

mod change_log;
mod entries;
mod pending_writes;

use std::fmt;
use std::sync::Arc;

use serde_json::{Number, Value};

pub use self::change_log::ApplyStatus;
use self::change_log::{ChangeRecord, StateChangeLog};
use self::entries::NamespaceEntries;
pub(crate) use self::pending_writes::SetError;
pub use self::pending_writes::{KeyChange, PendingWrites};
use crate::error_code as code;
use crate::limits::{LARGE_SCRIPT_OPERATION_TIMEOUT, LARGE_STATE_NAMESPACE_BYTES, MAX_STATE_NAMESPACE_BYTES};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::permits::{ThreadPermit, ThreadPermits};
use wardroom_base::state_rules;
use wardroom_service::{ServiceError, escape_and_truncate};

const STATE_DIR: &str = "state";

/// The name of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateNamespace(String);

impl StateNamespace {
    /// Parses a name by the original's rules and by those of ids, since it becomes a file name.
    ///
    /// # Errors
    /// The original's message, with the offending character.
    pub fn parse(name: &str) -> Result<Self, ServiceError> {
        state_rules::check_namespace(name).map_err(|why| ServiceError::tool(code::INVALID_NAMESPACE, why))?;
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for StateNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a change, and the part of its answer that is recorded.
type ChangeRecorder<'n, T> = (&'n str, &'n dyn Fn(&T) -> Value);

/// The answer of a change, and whether it did anything.
enum ChangeEffect<T> {
    Made(T),
    /// The entries are as before.
    None(T),
}

/// All namespaces of an AppDir.
#[derive(Debug, Clone)]
pub struct StateStore {
    app: Folder,
    /// For a large namespace.
    large_permit: Arc<ThreadPermits>,
}

impl StateStore {
    #[must_use]
    pub fn new(app: Folder) -> Self {
        Self { app, large_permit: Arc::new(ThreadPermits::new(1)) }
    }

    /// Returns the value of a key; null is a value too.
    ///
    /// # Errors
    /// When the namespace cannot be read.
    pub fn get(&self, namespace: &StateNamespace, key: &str) -> Result<Option<Value>, ServiceError> {
        let text = self.read_text(namespace)?;
        let _permit = self.large_permit(text.as_deref())?;
        Self::parse_entries(namespace, text.as_deref())?.get(key).transpose()
    }

    /// Whether a key exists.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn contains_key(&self, namespace: &StateNamespace, key: &str) -> Result<bool, ServiceError> {
        let text = self.read_text(namespace)?;
        let _permit = self.large_permit(text.as_deref())?;
        Ok(Self::parse_entries(namespace, text.as_deref())?.contains_key(key))
    }

    /// Returns all keys, sorted.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn keys(&self, namespace: &StateNamespace) -> Result<Vec<String>, ServiceError> {
        let text = self.read_text(namespace)?;
        let _permit = self.large_permit(text.as_deref())?;
        Ok(Self::parse_entries(namespace, text.as_deref())?.keys())
    }

    /// Returns how many changes were recorded of a namespace, for a change that is announced now; `None` where that is not
    /// known.
    ///
    /// # Errors
    /// When its change log cannot be read.
    pub fn count_changes(&self, namespace: &StateNamespace) -> Result<Option<u64>, ServiceError> {
        match self.app.open_folder(STATE_DIR) {
            Err(AppDirError::NotFound(_)) => Ok(Some(0)),
            opened => opened.and_then(|folder| StateChangeLog::count_changes(&folder, namespace)),
        }
        .map_err(|error| read_error(namespace, error))
    }

    /// Returns the outcome of the change with this id, which may have been made by a process that died. It was announced after
    /// `earlier` changes, if that is known.
    ///
    /// # Errors
    /// When the namespace or its change log cannot be read.
    pub fn apply_status(
        &self,
        namespace: &StateNamespace,
        id: &str,
        earlier: Option<u64>,
    ) -> Result<ApplyStatus, ServiceError> {
        let failed = |error| ServiceError::from_write_error(&format!("state namespace '{namespace}'"), error);
        let folder = self.app.create_folder(STATE_DIR).map_err(failed)?;
        let _lock = folder.lock(&format!(".{namespace}.lock")).map_err(failed)?;
        let text = self.read_text(namespace)?.unwrap_or_default();
        Ok(StateChangeLog::open(&folder, namespace).map_err(failed)?.apply_status(id, earlier, &text))
    }

    fn parse_entries<'t>(
        namespace: &StateNamespace,
        text: Option<&'t str>,
    ) -> Result<NamespaceEntries<'t>, ServiceError> {
        text.map_or_else(|| Ok(NamespaceEntries::default()), |text| NamespaceEntries::parse(namespace, text))
    }

    /// Waits until no other large namespace is worked on, if this one is large.
    fn large_permit(&self, text: Option<&str>) -> Result<Option<ThreadPermit<'_>>, ServiceError> {
        if text.is_none_or(|text| text.len() < LARGE_STATE_NAMESPACE_BYTES) {
            return Ok(None);
        }
        let permit = self.large_permit.acquire(LARGE_SCRIPT_OPERATION_TIMEOUT);
        let busy = || ServiceError::tool(code::BUSY, "other calls work on large state: try again later");
        permit.map(Some).ok_or_else(busy)
    }

    fn read_text(&self, namespace: &StateNamespace) -> Result<Option<String>, ServiceError> {
        match self.app.read_text(&format!("{STATE_DIR}/{namespace}.json"), MAX_STATE_NAMESPACE_BYTES) {
            Ok((text, _)) => Ok(Some(text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(read_error(namespace, error)),
        }
    }

    /// Changes a namespace. The answer of a change with an id can be looked up by [`Self::apply_status`], unless the change
    /// says that it had no effect: then nothing is written.
    fn modify_entries<T>(
        &self,
        namespace: &StateNamespace,
        name: Option<ChangeRecorder<'_, T>>,
        change: impl FnOnce(&mut NamespaceEntries) -> Result<ChangeEffect<T>, ServiceError>,
    ) -> Result<T, ServiceError> {
        let failed = |error| ServiceError::from_write_error(&format!("state namespace '{namespace}'"), error);
        let folder = self.app.create_folder(STATE_DIR).map_err(failed)?;
        let _lock = folder.lock(&format!(".{namespace}.lock")).map_err(failed)?;
        let before = self.read_text(namespace)?;
        let _permit = self.large_permit(before.as_deref())?;
        let mut entries = Self::parse_entries(namespace, before.as_deref())?;
        let answer = match change(&mut entries)? {
            ChangeEffect::Made(answer) => answer,
            ChangeEffect::None(answer) => return Ok(answer),
        };
        let after = entries.encode_if_changed();
        // A value that was the same before is recorded, too.
        if after.is_some() || name.is_some() {
            let before = before.unwrap_or_default();
            check_namespace_size(namespace, after.as_ref().unwrap_or(&before).len())?;
            let record = name.map(|(id, recorded)| (id, recorded(&answer)));
            let named = record.as_ref().map(|(id, answer)| ChangeRecord { id, answer });
            let mut changes = StateChangeLog::open(&folder, namespace).map_err(failed)?;
            changes.record(&before, after.as_ref().unwrap_or(&before), named.as_ref()).map_err(failed)?;
        }
        if let Some(text) = after {
            folder.write(&format!("{namespace}.json"), text.as_bytes(), Privacy::Owner).map_err(failed)?;
        }
        Ok(answer)
    }
}

/// Computes the new value of `incr`. Integers are added exactly, where the original converts them to floats; a counter
/// that the original started, `3.0`, stays a float. A sum outside of Lua's integers is a float, too.
///
/// # Errors
/// The original's message for a value that is not a number, and one for a sum that is too large.
pub fn increment_value(
    current: Option<&Value>,
    key: &str,
    delta: &Number,
    default: &Number,
) -> Result<Value, ServiceError> {
    let not_a_number = || {
        ServiceError::tool(code::NOT_A_NUMBER, format!("incr: value at '{}' is not a number", escape_and_truncate(key)))
    };
    let current = match current {
        None => default,
        Some(Value::Number(current)) => current,
        Some(_) => return Err(not_a_number()),
    };
    let exact = current.as_i64().zip(delta.as_i64()).and_then(|(current, delta)| current.checked_add(delta));
    if let Some(exact) = exact {
        return Ok(exact.into());
    }
    let sum = current.as_f64().zip(delta.as_f64()).and_then(|(current, delta)| Number::from_f64(current + delta));
    sum.map(Value::Number).ok_or_else(|| {
        ServiceError::tool(
            code::NOT_A_NUMBER,
            format!("incr: value at '{}' would be too large for a number", escape_and_truncate(key)),
        )
    })
}

fn read_error(namespace: &StateNamespace, error: AppDirError) -> ServiceError {
    let message = match &error {
        AppDirError::TooLarge { len, .. } => return namespace_too_large_error(namespace, "has", *len),
        AppDirError::NotUtf8(_) => format!("state namespace '{namespace}' is not UTF-8 text"),
        _ => return ServiceError::from_read_error(&format!("state namespace '{namespace}'"), error),
    };
    ServiceError::tool(code::STATE_MALFORMED, message)
}

fn check_namespace_size(namespace: &StateNamespace, len: usize) -> Result<(), ServiceError> {
    let len = len as u64;
    if len > MAX_STATE_NAMESPACE_BYTES { Err(namespace_too_large_error(namespace, "would have", len)) } else { Ok(()) }
}

fn namespace_too_large_error(namespace: &StateNamespace, has: &str, len: u64) -> ServiceError {
    ServiceError::tool(
        code::STATE_TOO_LARGE,
        format!(
            "state namespace '{namespace}' {has} {}, the limit is {}: delete keys, or use another namespace",
            ByteSize(len),
            ByteSize(MAX_STATE_NAMESPACE_BYTES)
        ),
    )
}
