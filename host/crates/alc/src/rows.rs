//! Rows of JSON objects as the listing tools of the original give them: filtered, sorted, cut and projected.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::pkg::refused;
use wardroom_service::{ServiceError, shown};

pub(super) type Row = Map<String, Value>;

/// Which keys a tool has.
pub(super) struct Shape {
    pub(super) summary: &'static [&'static str],
    /// What `full` has beside those.
    pub(super) full: &'static [&'static str],
    /// The order when nothing is said.
    pub(super) sort: &'static str,
}

impl Shape {
    /// The keys that are answered.
    pub(super) fn wanted(
        &self,
        fields: Option<Vec<String>>,
        verbose: Option<&str>,
    ) -> Result<Vec<String>, ServiceError> {
        let own = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let keys = match verbose.unwrap_or("summary") {
            "summary" => own(self.summary),
            "full" => [own(self.summary), own(self.full)].concat(),
            other => {
                let message = format!("invalid verbose value \"{}\" (expected \"summary\" or \"full\")", shown(other));
                return Err(refused("INVALID_VERBOSE", message));
            }
        };
        Ok(fields.unwrap_or(keys))
    }
}

/// The keys of an order, each with whether it is turned round.
pub(super) fn order(sort: &str) -> Result<Vec<(String, bool)>, ServiceError> {
    let key = |part: &str| {
        let (key, down) = part.trim().strip_prefix('-').map_or((part.trim(), false), |key| (key, true));
        let empty = || refused("INVALID_SORT", "sort: a key is empty");
        (!key.is_empty()).then(|| (key.to_owned(), down)).ok_or_else(empty)
    };
    sort.split(',').map(key).collect()
}

pub(super) fn matches(row: &Row, filter: &Row) -> bool {
    filter.iter().all(|(key, value)| row.get(key).unwrap_or(&Value::Null) == value)
}

/// By the keys, and by name where those are equal. What has no value comes last.
pub(super) fn compare(a: &Row, b: &Row, order: &[(String, bool)]) -> Ordering {
    let by_key = order.iter().map(|(key, down)| match (present(a, key), present(b, key)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) if *down => values(b, a),
        (Some(a), Some(b)) => values(a, b),
    });
    let name = |row: &Row| row.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    by_key.fold(Ordering::Equal, Ordering::then).then_with(|| name(a).cmp(&name(b)))
}

fn present<'r>(row: &'r Row, key: &str) -> Option<&'r Value> {
    row.get(key).filter(|value| !value.is_null())
}

fn values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        _ => rank(a).cmp(&rank(b)),
    }
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// All of them for 0 and less.
pub(super) fn limit(limit: Option<i32>) -> usize {
    usize::try_from(limit.unwrap_or(50)).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX)
}

pub(super) fn project(row: Row, wanted: &[String]) -> Row {
    row.into_iter().filter(|(key, _)| wanted.contains(key)).collect()
}
