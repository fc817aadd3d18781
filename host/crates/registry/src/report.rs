//! The findings about one index, while it is read.

use std::collections::HashMap;

use serde_json::Value;

use super::problems::{RegistryProblem, Severity, truncate_message};
use crate::limits::MAX_REGISTRY_PROBLEMS;
use wardroom_base::json_schema::CompiledSchema;

/// Where findings about one file go.
pub(super) struct IndexReport {
    pub(super) file: String,
    pub(super) problems: Vec<RegistryProblem>,
    /// How many there were, and how many of them were errors.
    problem_count: usize,
    error_count: usize,
    pub(super) schemas: SchemaCache,
}

/// The schemas that were compiled, by their text: most do not change with their index.
#[derive(Default)]
pub(super) struct SchemaCache {
    previous: HashMap<String, CompiledSchema>,
    current: HashMap<String, CompiledSchema>,
}

impl SchemaCache {
    /// # Errors
    /// What is wrong with the schema, in words.
    pub(super) fn compile(&mut self, schema: &Value) -> Result<CompiledSchema, String> {
        let text = schema.to_string();
        let compiled = match self.current.get(&text).or_else(|| self.previous.get(&text)) {
            Some(compiled) => compiled.clone(),
            None => CompiledSchema::new(schema)?,
        };
        self.current.insert(text, compiled.clone());
        Ok(compiled)
    }

    /// What was used since the last time is known from now on, and what an entry still holds that was not read again.
    pub(super) fn next_generation(&mut self) {
        self.previous.retain(|_, compiled| compiled.is_shared());
        self.previous.extend(std::mem::take(&mut self.current));
    }
}

impl IndexReport {
    pub(super) fn new(file: &str, schemas: SchemaCache) -> Self {
        Self { file: file.to_owned(), problems: Vec::new(), problem_count: 0, error_count: 0, schemas }
    }

    /// What it is about is not there.
    pub(super) fn error(&mut self, line: u64, message: impl Into<String>) {
        self.error_count += 1;
        self.push(line, Severity::Error, message.into());
    }

    pub(super) fn warn(&mut self, line: u64, message: impl Into<String>) {
        self.push(line, Severity::Warning, message.into());
    }

    pub(super) const fn error_count(&self) -> usize {
        self.error_count
    }

    fn push(&mut self, line: u64, gravity: Severity, message: String) {
        self.problem_count += 1;
        if self.problem_count <= MAX_REGISTRY_PROBLEMS {
            self.problems.push(RegistryProblem {
                file: self.file.clone(),
                line,
                severity: gravity,
                message: truncate_message(message),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SchemaCache;

    /// Several looks may pass in which no entry is read, and so no schema asked for.
    #[test]
    fn a_schema_that_an_entry_holds_is_compiled_once() {
        let (mut schemas, schema) = (SchemaCache::default(), json!({"type": "string"}));
        let held = schemas.compile(&schema).unwrap();
        for _ in 0..3 {
            schemas.next_generation();
        }
        assert!(schemas.compile(&schema).unwrap().ptr_eq(&held));
        drop(held);
        for _ in 0..3 {
            schemas.next_generation();
        }
        assert!(schemas.previous.is_empty());
    }
}
