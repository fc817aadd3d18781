//! The violations of a schema, as far as they can be listed.
//!
//! Owns: how many violations are listed, and for which values: `jsonschema` builds all of them before it returns the first
//! one, each with the whole path to its value.
//! Never: repeats an invalid value.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::limits::{MAX_LISTED_VIOLATIONS, MAX_VIOLATIONS_BYTES};
use crate::payload::escape_and_truncate;

/// What a violation takes beside the paths in it.
const VIOLATION_BYTES: usize = 512;

/// The violations of an invalid value: at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations {
    /// The location and the reason of each.
    pub listed: Vec<String>,
    /// Those that are not listed.
    pub n_others: usize,
}

impl Violations {
    /// Finds the violations of a value; `None` for a valid one. `steps` is the work of its validation, and `schema_bytes` the
    /// length of its schema. Of a value whose violations could fill memory, only the first one is listed.
    pub(super) fn find(validator: &Validator, value: &Value, steps: u64, schema_bytes: usize) -> Option<Self> {
        let first = validator.validate(value).err()?;
        let each = VIOLATION_BYTES + schema_bytes + name_bytes(value);
        if steps.saturating_mul(each as u64) > MAX_VIOLATIONS_BYTES as u64 {
            return Some(Self { listed: vec![describe(&first)], n_others: 0 });
        }
        // Keywords that look at the same property each report it.
        let mut seen = HashSet::new();
        let mut listed: Vec<String> = validator.iter_errors(value).map(|error| describe(&error)).collect();
        listed.retain(|violation| seen.insert(violation.clone()));
        let n_others = listed.len().saturating_sub(MAX_LISTED_VIOLATIONS);
        listed.truncate(MAX_LISTED_VIOLATIONS);
        Some(Self { listed, n_others })
    }
}

impl std::fmt::Display for Violations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.listed.join("; "))?;
        match self.n_others {
            0 => Ok(()),
            n => write!(f, "; and {n} more"),
        }
    }
}

fn describe(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let place = if place.is_empty() { "/".to_owned() } else { escape_and_truncate(&place) };
    let reason = match error.kind() {
        // `jsonschema` names two of many values.
        ValidationErrorKind::Enum { options: Value::Array(values) } => {
            // What may be null may be left out.
            let values = values.iter().filter(|value| !value.is_null());
            let values: Vec<String> = values.map(Value::to_string).collect();
            format!("the value is not one of {}", values.join(", "))
        }
        _ => error.masked_with("the value").to_string(),
    };
    format!("{place}: {}", escape_and_truncate(&reason))
}

/// Returns the length of all names in a value: no path in it is longer.
fn name_bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(name_bytes).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + name_bytes(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
