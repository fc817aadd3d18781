//! The fields of the front matter in which two texts of a file differ.
//!
//! Owns: how a value is written for a person.
//! Never: parses a document in this process.

use serde_json::Value;

use super::change::is_same_name;
use super::new::service_error;
use super::plan::PlanError;
use crate::index::BlogSource;
use wardroom_service::ServiceError;

/// A field that changes. `None` where the file does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedField {
    pub(crate) name: String,
    pub(crate) current: Option<String>,
    pub(crate) proposed: Option<String>,
}

/// Returns the fields in which two texts of a file differ; none where the front matter of one cannot be read. Its
/// lines are in the difference.
///
/// # Errors
/// When the sandbox cannot be used.
pub(crate) fn changed_fields(
    source: &BlogSource,
    path: &str,
    before: &str,
    after: &str,
) -> Result<Vec<ChangedField>, ServiceError> {
    let read = |text: &str| match text {
        "" => Ok(Vec::new()),
        text => match source.field_values(path, text) {
            Err(PlanError::Unreadable(_)) => Ok(Vec::new()),
            fields => fields.map_err(service_error),
        },
    };
    let (current, proposed) = (read(before)?, read(after)?);
    let value = |fields: &[(String, Value)], name: &str| {
        fields.iter().find(|(known, _)| is_same_name(known, name)).map(|(_, value)| value.clone())
    };
    let removed = current.iter().filter(|(name, _)| value(&proposed, name).is_none());
    let rows = proposed.iter().chain(removed).filter_map(|(name, _)| {
        // Values are compared as they are: two of them may read the same.
        let (before, after) = (value(&current, name), value(&proposed, name));
        let text = |value: &Value| value_text(value);
        (before != after).then(|| ChangedField {
            name: name.clone(),
            current: before.as_ref().map(text),
            proposed: after.as_ref().map(text),
        })
    });
    Ok(rows.collect())
}

fn value_text(value: &Value) -> String {
    match value {
        // What would read as something else than a text is quoted.
        Value::String(text) if serde_json::from_str::<Value>(text).is_ok() => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(item_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn item_text(item: &Value) -> String {
    match item {
        Value::String(text) if text.contains(',') => item.to_string(),
        item => value_text(item),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn different_values_read_differently() {
        let values =
            [json!(["a", "b"]), json!(["a, b"]), json!("a, b"), json!(true), json!("true"), json!(1), json!("1")];
        let texts: Vec<String> = values.iter().map(value_text).collect();
        assert_eq!(texts, ["a, b", "\"a, b\"", "a, b", "true", "\"true\"", "1", "\"1\""]);
    }
}
