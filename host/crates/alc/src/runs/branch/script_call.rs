//! A call that a script makes.

use serde_json::Value;

use crate::limits::MAX_BATCH_QUERIES;

/// A call that a script makes.
#[derive(Clone)]
pub(super) struct ScriptCall {
    pub(super) number: u64,
    pub(super) operation: String,
    pub(super) arguments: Value,
    pub(super) digest: String,
}

impl ScriptCall {
    pub(super) fn queries(&self) -> &[Value] {
        self.arguments.get("queries").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn strategies(&self) -> Vec<String> {
        let names = self.arguments.get("strategies").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

pub(super) fn check_batch_size(queries: &[Value]) -> Result<(), String> {
    match queries.len() {
        0 => Err("alc.llm_batch: empty items array".to_owned()),
        len if len > MAX_BATCH_QUERIES => Err(format!("alc.llm_batch: {len} items, the limit is {MAX_BATCH_QUERIES}")),
        _ => Ok(()),
    }
}
