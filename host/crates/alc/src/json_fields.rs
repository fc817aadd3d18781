//! Some fields of a JSON object.
//!
//! Owns: that only these become values, and that what they take counts as memory of the caller before it is taken: packages
//! and indices have metadata of their authors, of any shape.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use wardroom_base::memory::MemoryLease;
use wardroom_base::payload::Payload;
use wardroom_service::{RequestMemory, ServiceError};

/// Fields, and the memory that they take while this lives.
pub(super) struct LeasedFields {
    pub(super) fields: Map<String, Value>,
    /// `None` where there are no fields.
    memory: Option<MemoryLease>,
}

impl LeasedFields {
    /// Reads the fields of an object that are wanted. `what` names the object in an error.
    pub(super) fn read(
        text: &str,
        what: &str,
        memory: &RequestMemory,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, ServiceError> {
        let malformed = |error| ServiceError::internal(format!("{what} is not an object"), error);
        let all: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(malformed)?;
        let mut found = Self { fields: Map::new(), memory: None };
        for (name, text) in all.into_iter().filter(|(name, _)| is_wanted(name)) {
            let field = Payload::from_text(text.to_owned())
                .map_err(|error| ServiceError::internal(format!("{what} cannot be read"), error))?;
            found.grow(field.value_bytes() + name.len(), memory)?;
            found.fields.insert(name, field.into_value());
        }
        Ok(found)
    }

    fn grow(&mut self, bytes: usize, memory: &RequestMemory) -> Result<(), ServiceError> {
        match &mut self.memory {
            Some(held) => held.resize(held.bytes() + bytes).map_err(ServiceError::out_of_memory),
            None => {
                self.memory = Some(memory.lease(bytes)?);
                Ok(())
            }
        }
    }

    /// Returns the fields apart from their memory, which has to live as long as they do.
    pub(super) fn into_parts(self) -> (Map<String, Value>, Option<MemoryLease>) {
        (self.fields, self.memory)
    }
}
