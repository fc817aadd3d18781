//! One namespace in memory: keys and the text of their values.
//!
//! Owns: the format of a namespace (pretty-printed, keys sorted).
//! Never: parses a value that is not read.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::StateNamespace;
use crate::error_code as code;
use crate::limits::MAX_STATE_NAMESPACE_BYTES;
use wardroom_base::{payload, state_rules};
use wardroom_service::ServiceError;

#[derive(Debug, Default)]
pub(super) struct NamespaceEntries {
    values: BTreeMap<String, Box<RawValue>>,
    is_changed: bool,
}

impl NamespaceEntries {
    pub(super) fn parse(namespace: &StateNamespace, text: &str) -> Result<Self, ServiceError> {
        let malformed = |why: String| {
            ServiceError::tool(
                code::STATE_MALFORMED,
                format!("state namespace '{namespace}' cannot be read ({why}): fix or remove its file in state/"),
            )
        };
        let limit = usize::try_from(MAX_STATE_NAMESPACE_BYTES).unwrap_or(usize::MAX);
        payload::check_bounds(text, limit).map_err(|error| malformed(error.to_string()))?;
        // The parser's message may contain some of the text.
        let values = serde_json::from_str(text).map_err(|error| match error.line() {
            0 => malformed("not a JSON object".to_owned()),
            line => malformed(format!("not a JSON object at line {line} column {}", error.column())),
        })?;
        Ok(Self { values, is_changed: false })
    }

    pub(super) fn contains_key(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(super) fn get(&self, key: &str) -> Option<Result<Value, ServiceError>> {
        self.values.get(key).map(|text| decode_value(text))
    }

    pub(super) fn into_keys(self) -> Vec<String> {
        self.values.into_keys().collect()
    }

    pub(super) fn set(&mut self, key: &str, value: &Value) -> Result<(), ServiceError> {
        check_key(key)?;
        self.set_encoded(key, encode_value(key, value)?);
        Ok(())
    }

    /// Sets a key to a text that [`encode_value`] returned.
    pub(super) fn set_encoded(&mut self, key: &str, text: Box<RawValue>) {
        if self.values.get(key).is_none_or(|old| old.get() != text.get()) {
            self.values.insert(key.to_owned(), text);
            self.is_changed = true;
        }
    }

    /// Deletes a key. Returns whether it existed.
    pub(super) fn delete(&mut self, key: &str) -> bool {
        let was_there = self.values.remove(key).is_some();
        self.is_changed |= was_there;
        was_there
    }

    pub(super) fn update<T>(
        &mut self,
        key: &str,
        next: impl FnOnce(Option<&Value>) -> Result<(Option<Value>, T), ServiceError>,
    ) -> Result<T, ServiceError> {
        let current = self.get(key).transpose()?;
        let (next, answer) = next(current.as_ref())?;
        if let Some(next) = next {
            self.set(key, &next)?;
        }
        Ok(answer)
    }

    /// Returns the namespace's new text, if it was changed.
    pub(super) fn encode_if_changed(&self) -> Option<String> {
        if !self.is_changed {
            return None;
        }
        let mut text = String::from("{");
        for (n, (key, value)) in self.values.iter().enumerate() {
            text.push_str(if n == 0 { "\n  " } else { ",\n  " });
            text.push_str(&Value::from(key.as_str()).to_string());
            text.push_str(": ");
            text.push_str(value.get());
        }
        text.push_str(if self.values.is_empty() { "}" } else { "\n}" });
        Some(text)
    }
}

pub(super) fn check_key(key: &str) -> Result<(), ServiceError> {
    state_rules::check_key(key).map_err(too_large_error)
}

/// Encodes a value as it is written to the file.
pub(super) fn encode_value(key: &str, value: &Value) -> Result<Box<RawValue>, ServiceError> {
    let text = state_rules::encode_value(key, value).map_err(too_large_error)?;
    RawValue::from_string(text).map_err(|error| ServiceError::internal("a state value is not JSON", error))
}

fn too_large_error(message: String) -> ServiceError {
    ServiceError::tool(code::STATE_TOO_LARGE, message)
}

pub(super) fn decode_value(text: &RawValue) -> Result<Value, ServiceError> {
    serde_json::from_str(text.get()).map_err(|error| ServiceError::internal("a state value is not JSON", error))
}
