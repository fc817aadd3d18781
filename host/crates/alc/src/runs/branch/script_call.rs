//! A call that a script makes.

use serde_json::Value;

use crate::limits::MAX_BATCH_QUERIES;
use wardroom_base::memory::{MemoryLease, MemoryShare, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_lua::limits::UNCOUNTED_MESSAGE_BYTES;

/// A call that a script makes.
#[derive(Clone)]
pub(super) struct ScriptCall {
    pub(super) number: u64,
    pub(super) operation: String,
    pub(super) arguments: Payload,
    pub(super) digest: String,
}

impl ScriptCall {
    /// Builds the arguments, and takes the memory for them.
    pub(super) fn build_arguments(&self, memory: &MemoryShare) -> Result<(Value, MemoryLease), OutOfMemory> {
        let held = lease_unless_small(self.arguments.value_bytes(), memory)?;
        Ok((self.arguments.to_value(), held))
    }

    /// Returns the queries of an `llm` call.
    pub(super) fn queries(&self, memory: &MemoryShare) -> Result<Vec<Payload>, String> {
        // As many small payloads take no more than their values would.
        let held = lease_unless_small(self.arguments.value_bytes() * 2, memory);
        let _held = held.map_err(|error| format!("alc.llm: {error}"))?;
        Ok(self.field("queries").and_then(|queries| queries.into_typed().ok()).unwrap_or_default())
    }

    /// Returns the names of a `fork` call.
    pub(super) fn strategies(&self) -> Vec<String> {
        self.field("strategies").and_then(|names| names.into_typed().ok()).unwrap_or_default()
    }

    pub(super) fn field(&self, name: &str) -> Option<Payload> {
        self.arguments.field(name)
    }
}

/// Takes bytes of a message or of its value, unless they are few.
pub(super) fn lease_unless_small(bytes: usize, memory: &MemoryShare) -> Result<MemoryLease, OutOfMemory> {
    memory.lease(if bytes > UNCOUNTED_MESSAGE_BYTES { bytes } else { 0 })
}

pub(super) fn check_batch_size(queries: &[Payload]) -> Result<(), String> {
    match queries.len() {
        0 => Err("alc.llm_batch: empty items array".to_owned()),
        len if len > MAX_BATCH_QUERIES => Err(format!("alc.llm_batch: {len} items, the limit is {MAX_BATCH_QUERIES}")),
        _ => Ok(()),
    }
}
