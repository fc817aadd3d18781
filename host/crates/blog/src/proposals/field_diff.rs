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
        fields.iter().find(|(known, _)| is_same_name(known, name)).map(|(_, value)| value_text(value))
    };
    let removed = current.iter().filter(|(name, _)| value(&proposed, name).is_none());
    let rows = proposed.iter().chain(removed).map(|(name, _)| ChangedField {
        name: name.clone(),
        current: value(&current, name),
        proposed: value(&proposed, name),
    });
    Ok(rows.filter(|row| row.current != row.proposed).collect())
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
