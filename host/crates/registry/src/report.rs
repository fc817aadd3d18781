//! The problems of one index, collected while it is parsed.

use std::collections::HashMap;

use serde_json::Value;

use super::declarations::schema_keywords::known_keywords;
use super::problems::{RegistryProblem, Severity, truncate_message};
use crate::limits::{MAX_NAME_COMPARISONS, MAX_REGISTRY_PROBLEMS};
use wardroom_base::json_schema::CompiledSchema;
use wardroom_ranking::closest_name;

/// Collects the problems of one file.
pub(super) struct IndexReport {
    pub(super) file: String,
    pub(super) problems: Vec<RegistryProblem>,
    /// How many problems there are, and how many of them are errors.
    problem_count: usize,
    error_count: usize,
    comparisons_left: usize,
    /// The known keyword that one may be a misspelling of: many schemas have the same keywords of their author.
    keywords: HashMap<String, Option<&'static str>>,
    pub(super) schemas: SchemaCache,
}

/// The compiled schemas by their text: most schemas do not change with their index.
#[derive(Default)]
pub(super) struct SchemaCache {
    previous: HashMap<String, CompiledSchema>,
    current: HashMap<String, CompiledSchema>,
}

impl SchemaCache {
    /// Compiles a schema, or returns it compiled before.
    ///
    /// # Errors
    /// A message that says what is wrong with the schema.
    pub(super) fn compile(&mut self, schema: &Value) -> Result<CompiledSchema, String> {
        let text = schema.to_string();
        let compiled = match self.current.get(&text).or_else(|| self.previous.get(&text)) {
            Some(compiled) => compiled.clone(),
            None => CompiledSchema::new(schema)?,
        };
        self.current.insert(text, compiled.clone());
        Ok(compiled)
    }

    /// Ends a scan. Keeps the schemas that it used, and those that a reused entry still holds.
    pub(super) fn next_generation(&mut self) {
        self.previous.retain(|_, compiled| compiled.is_shared());
        self.previous.extend(std::mem::take(&mut self.current));
    }
}

impl IndexReport {
    pub(super) fn new(file: &str, schemas: SchemaCache) -> Self {
        Self {
            file: file.to_owned(),
            problems: Vec::new(),
            problem_count: 0,
            error_count: 0,
            comparisons_left: MAX_NAME_COMPARISONS,
            keywords: HashMap::new(),
            schemas,
        }
    }

    /// Adds an error: the entry, or the whole index, is not offered.
    pub(super) fn error(&mut self, line: u64, message: impl Into<String>) {
        self.error_count += 1;
        self.push(line, Severity::Error, message.into());
    }

    pub(super) fn warn(&mut self, line: u64, message: impl Into<String>) {
        self.push(line, Severity::Warning, message.into());
    }

    /// Returns the known name that one may be a misspelling of, while comparisons are left.
    pub(super) fn closest_name<'n>(
        &mut self,
        name: &str,
        known: impl ExactSizeIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        self.comparisons_left = self.comparisons_left.checked_sub(known.len())?;
        closest_name(name, known)
    }

    /// Returns the keyword of JSON Schema that one may be a misspelling of, while comparisons are left.
    pub(super) fn closest_keyword(&mut self, keyword: &str) -> Option<&'static str> {
        if let Some(meant) = self.keywords.get(keyword) {
            return *meant;
        }
        let meant = self.closest_name(keyword, known_keywords());
        self.keywords.insert(keyword.to_owned(), meant);
        meant
    }

    pub(super) const fn error_count(&self) -> usize {
        self.error_count
    }

    fn push(&mut self, line: u64, severity: Severity, message: String) {
        self.problem_count += 1;
        if self.problem_count <= MAX_REGISTRY_PROBLEMS {
            self.problems.push(RegistryProblem {
                file: self.file.clone(),
                line,
                severity,
                message: truncate_message(message),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SchemaCache;

    /// Several scans may pass that parse no entry, and so request no schema.
    #[test]
    fn schema_held_by_entry_is_compiled_once() {
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
