//! JSON rows of the listing tools: filtered, sorted, limited and projected as in the original.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::error_code as code;
use crate::limits::MAX_ORDER_KEYS;
use wardroom_service::{ServiceError, escape_and_truncate};

pub(super) type JsonRow = Map<String, Value>;

/// The keys of a tool's rows.
pub(super) struct RowFields {
    pub(super) summary: &'static [&'static str],
    /// The keys that `full` adds to those of `summary`.
    pub(super) full: &'static [&'static str],
    /// The sort order when the caller gives none.
    pub(super) default_sort: &'static str,
}

impl RowFields {
    /// Whether a row has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.summary.contains(&key) || self.full.contains(&key)
    }

    /// Returns the keys to include in the output.
    pub(super) fn select(
        &self,
        fields: Option<Vec<String>>,
        verbose: Option<&str>,
    ) -> Result<Vec<String>, ServiceError> {
        let own = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let keys = match verbose.unwrap_or("summary") {
            "summary" => own(self.summary),
            "full" => [own(self.summary), own(self.full)].concat(),
            other => {
                let message = format!(
                    "invalid verbose value \"{}\" (expected \"summary\" or \"full\")",
                    escape_and_truncate(other)
                );
                return Err(ServiceError::tool(code::INVALID_VERBOSE, message));
            }
        };
        Ok(fields.unwrap_or(keys))
    }
}

/// Parses a sort order into keys, each with whether it is descending.
pub(super) fn parse_sort(sort: &str) -> Result<Vec<(String, bool)>, ServiceError> {
    let key = |part: &str| {
        let (key, down) = part.trim().strip_prefix('-').map_or((part.trim(), false), |key| (key, true));
        let empty = || ServiceError::tool(code::INVALID_SORT, "sort: a key is empty");
        (!key.is_empty()).then(|| (key.to_owned(), down)).ok_or_else(empty)
    };
    if sort.split(',').nth(MAX_ORDER_KEYS).is_some() {
        return Err(ServiceError::tool(code::INVALID_SORT, format!("sort: there are more than {MAX_ORDER_KEYS} keys")));
    }
    sort.split(',').map(key).collect()
}

pub(super) fn matches_filter(row: &JsonRow, filter: &JsonRow) -> bool {
    filter.iter().all(|(key, value)| row.get(key).unwrap_or(&Value::Null) == value)
}

/// Compares rows by the keys, and by name if those are equal. A missing value comes last.
pub(super) fn compare_rows(a: &JsonRow, b: &JsonRow, order: &[(String, bool)]) -> Ordering {
    let mut by_key = order.iter().map(|(key, down)| match (non_null(a, key), non_null(b, key)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) if *down => compare_values(b, a),
        (Some(a), Some(b)) => compare_values(a, b),
    });
    let by_name = || row_name(a).cmp(row_name(b));
    by_key.find(|order| order.is_ne()).unwrap_or_else(by_name)
}

fn row_name(row: &JsonRow) -> &str {
    row.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn non_null<'r>(row: &'r JsonRow, key: &str) -> Option<&'r Value> {
    row.get(key).filter(|value| !value.is_null())
}

fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        _ => type_rank(a).cmp(&type_rank(b)),
    }
}

const fn type_rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Returns the maximum number of rows: 50 by default, unlimited for 0 and less.
pub(super) fn effective_limit(limit: Option<i32>) -> usize {
    usize::try_from(limit.unwrap_or(50)).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX)
}

pub(super) fn pick_fields(row: JsonRow, keys: &[String]) -> JsonRow {
    row.into_iter().filter(|(key, _)| keys.contains(key)).collect()
}
