//! One namespace in memory: the keys and values of its file, which stay in the text of the file, and the changes of them.
//!
//! Owns: the format of a namespace (pretty-printed, keys sorted).
//! Never: parses a value that is not read, or copies one that was not changed before it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::StateNamespace;
use crate::error_code as code;
use crate::limits::MAX_STATE_NAMESPACE_BYTES;
use wardroom_base::{payload, state_rules};
use wardroom_service::ServiceError;

#[derive(Debug, Default)]
pub(super) struct NamespaceEntries<'t> {
    stored: StoredEntries<'t>,
    /// New values by their keys; `None` for a key that was deleted.
    changes: BTreeMap<String, Option<Box<RawValue>>>,
}

/// The entries of a file, in the order of their keys.
#[derive(Debug, Default)]
struct StoredEntries<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

#[derive(serde::Deserialize)]
struct EntryKey<'t>(#[serde(borrow)] Cow<'t, str>);

impl<'t> StoredEntries<'t> {
    fn get(&self, key: &str) -> Option<&'t RawValue> {
        let at = self.0.binary_search_by(|(stored, _)| (**stored).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for StoredEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = StoredEntries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((EntryKey(key), value)) = object.next_entry()? {
                    entries.push((key, value));
                }
                // A person who edits the file keeps no order. Of equal keys the last one counts.
                if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
                    entries.reverse();
                    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                    entries.dedup_by(|(a, _), (b, _)| a == b);
                }
                Ok(StoredEntries(entries))
            }
        }

        object.deserialize_map(Entries)
    }
}

impl<'t> NamespaceEntries<'t> {
    pub(super) fn parse(namespace: &StateNamespace, text: &'t str) -> Result<Self, ServiceError> {
        let malformed = |why: String| {
            ServiceError::tool(
                code::STATE_MALFORMED,
                format!("state namespace '{namespace}' cannot be read ({why}): fix or remove its file in state/"),
            )
        };
        let limit = usize::try_from(MAX_STATE_NAMESPACE_BYTES).unwrap_or(usize::MAX);
        payload::check_bounds(text, limit).map_err(|error| malformed(error.to_string()))?;
        // The parser's message may contain some of the text.
        let stored = serde_json::from_str(text).map_err(|error| match error.line() {
            0 => malformed("not a JSON object".to_owned()),
            line => malformed(format!("not a JSON object at line {line} column {}", error.column())),
        })?;
        Ok(Self { stored, changes: BTreeMap::new() })
    }

    fn text_of(&self, key: &str) -> Option<&RawValue> {
        match self.changes.get(key) {
            Some(change) => change.as_deref(),
            None => self.stored.get(key),
        }
    }

    /// Returns the keys and the texts of their values, in the order of the keys.
    fn entries(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        let mut stored = self.stored.0.iter().map(|(key, value)| (&**key, *value)).peekable();
        let mut changes = self.changes.iter().map(|(key, value)| (key.as_str(), value.as_deref())).peekable();
        std::iter::from_fn(move || {
            loop {
                let changed = changes.peek().copied();
                match stored.next_if(|(key, _)| changed.is_none_or(|(changed, _)| *key < changed)) {
                    Some(entry) => return Some(entry),
                    None => {
                        let (key, value) = changes.next()?;
                        stored.next_if(|(stored, _)| *stored == key);
                        if let Some(value) = value {
                            return Some((key, value));
                        }
                    }
                }
            }
        })
    }

    pub(super) fn contains_key(&self, key: &str) -> bool {
        self.text_of(key).is_some()
    }

    pub(super) fn get(&self, key: &str) -> Option<Result<Value, ServiceError>> {
        self.text_of(key).map(decode_value)
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.entries().map(|(key, _)| key.to_owned()).collect()
    }

    pub(super) fn set(&mut self, key: &str, value: &Value) -> Result<(), ServiceError> {
        check_key(key)?;
        self.set_encoded(key, encode_value(key, value)?);
        Ok(())
    }

    /// Sets a key to a text that [`encode_value`] returned.
    pub(super) fn set_encoded(&mut self, key: &str, text: Box<RawValue>) {
        if self.text_of(key).is_none_or(|old| old.get() != text.get()) {
            self.changes.insert(key.to_owned(), Some(text));
        }
    }

    /// Deletes a key. Returns whether it existed.
    pub(super) fn delete(&mut self, key: &str) -> bool {
        let was_there = self.contains_key(key);
        if was_there {
            self.changes.insert(key.to_owned(), None);
        }
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
        if self.changes.is_empty() {
            return None;
        }
        let mut text = String::from("{");
        for (key, value) in self.entries() {
            text.push_str(if text.len() == 1 { "\n  " } else { ",\n  " });
            text.push_str(&Value::from(key).to_string());
            text.push_str(": ");
            text.push_str(value.get());
        }
        text.push_str(if text.len() == 1 { "}" } else { "\n}" });
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entries(text: &str) -> NamespaceEntries<'_> {
        let namespace = StateNamespace::parse("test").expect("a name");
        NamespaceEntries::parse(&namespace, text).expect("an object")
    }

    #[test]
    fn last_of_equal_keys_counts_in_any_order_of_keys() {
        let entries = entries(r#"{"b": 1, "a\u0062": 2, "c": 3, "b": 4, "a": 5, "b": 6.0}"#);
        assert_eq!(entries.keys(), ["a", "ab", "b", "c"]);
        let value = |key: &str| entries.get(key).and_then(Result::ok);
        assert_eq!([value("b"), value("ab"), value("d")], [Some(json!(6.0)), Some(json!(2)), None]);
        assert_eq!(entries.encode_if_changed(), None);
    }

    #[test]
    fn changes_are_written_among_what_is_stored() {
        let mut entries = entries(r#"{"b": 1.50, "d": {"x" :1}, "f": 3}"#);
        for (key, value) in [("g", json!(7)), ("a", json!(0)), ("c", json!("two")), ("f", json!(3)), ("d\"", json!([]))]
        {
            entries.set(key, &value).expect("a value");
        }
        assert!(entries.delete("f") && !entries.delete("f") && entries.delete("g") && !entries.delete("e"));
        assert!(!entries.contains_key("f") && entries.get("g").is_none() && entries.contains_key("d"));
        let text = "{\n  \"a\": 0,\n  \"b\": 1.50,\n  \"c\": \"two\",\n  \"d\": {\"x\" :1},\n  \"d\\\"\": []\n}";
        assert_eq!(entries.encode_if_changed().as_deref(), Some(text));
        for key in entries.keys() {
            entries.delete(&key);
        }
        assert_eq!(entries.encode_if_changed().as_deref(), Some("{}"));
    }

    #[test]
    fn equal_value_is_no_change() {
        let mut entries = entries(r#"{"a": 1, "b": null}"#);
        entries.set("a", &json!(1)).expect("a value");
        entries.set("b", &json!(null)).expect("a value");
        assert_eq!(entries.encode_if_changed(), None);
    }
}
