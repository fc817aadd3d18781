//! A call that a script makes.

use serde_json::Value;

use crate::limits::{MAX_BATCH_QUERIES, MAX_CARD_BYTES};
use crate::runs::journal::{NewCallEvent, NewCallLine};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::memory::{MemoryLease, MemoryShare, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_lua::counted_bytes;

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
    pub(super) fn queries(&self, memory: &MemoryShare) -> Result<Vec<Payload>, OutOfMemory> {
        // As many small payloads take no more than their values would.
        let _held = lease_unless_small(self.arguments.value_bytes() * 2, memory)?;
        Ok(self.field("queries").and_then(|queries| queries.into_typed().ok()).unwrap_or_default())
    }

    /// Checks a call whose arguments are copied several times before the size of their file is known.
    pub(super) fn check_size(&self) -> Result<(), String> {
        /// JSON is longer than TOML by its escapes and quotation marks.
        const MAX_CARD_JSON_BYTES: u64 = 4 * MAX_CARD_BYTES;
        let bytes = self.arguments.text_bytes() as u64;
        if matches!(self.operation.as_str(), "card.create" | "card.append") && bytes > MAX_CARD_JSON_BYTES {
            let (bytes, limit) = (ByteSize(bytes), ByteSize(MAX_CARD_BYTES));
            return Err(format!("alc.{}: the card would have {bytes}, the limit is {limit}", self.operation));
        }
        Ok(())
    }

    /// Returns the line of a journal about the call.
    pub(super) fn line<'l>(&'l self, branch: &'l str, event: NewCallEvent<'l>) -> NewCallLine<'l> {
        NewCallLine { branch, number: self.number, operation: &self.operation, digest: &self.digest, event }
    }

    /// Returns the call without its arguments, which may be large.
    pub(super) fn without_arguments(&self) -> Self {
        let Self { number, operation, digest, .. } = self;
        let (operation, digest) = (operation.clone(), digest.clone());
        Self { number: *number, operation, arguments: Payload::default(), digest }
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
    memory.lease(counted_bytes(bytes))
}

pub(super) fn check_batch_size(queries: &[Payload]) -> Result<(), String> {
    match queries.len() {
        0 => Err("alc.llm_batch: empty items array".to_owned()),
        len if len > MAX_BATCH_QUERIES => Err(format!("alc.llm_batch: {len} items, the limit is {MAX_BATCH_QUERIES}")),
        _ => Ok(()),
    }
}
