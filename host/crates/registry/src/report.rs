//! The findings about one index, while it is read.

use std::collections::HashMap;

use serde_json::Value;

use super::problems::{Gravity, Problem, cut};
use wardroom_base::json_schema::Compiled;
use wardroom_base::limits::MAX_REGISTRY_PROBLEMS;

/// Where findings about one file go.
pub(super) struct Report {
    pub(super) file: String,
    pub(super) problems: Vec<Problem>,
    /// How many there were, and how many of them were errors.
    all: usize,
    errors: usize,
    pub(super) schemas: Schemas,
}

/// The schemas that were compiled, by their text: most do not change with their index.
#[derive(Default)]
pub(super) struct Schemas {
    known: HashMap<String, Compiled>,
    used: HashMap<String, Compiled>,
}

impl Schemas {
    /// # Errors
    /// What is wrong with the schema, in words.
    pub(super) fn compile(&mut self, schema: &Value) -> Result<Compiled, String> {
        let text = schema.to_string();
        let compiled = match self.used.get(&text).or_else(|| self.known.get(&text)) {
            Some(compiled) => compiled.clone(),
            None => Compiled::new(schema)?,
        };
        self.used.insert(text, compiled.clone());
        Ok(compiled)
    }

    /// What was used since the last time is known from now on, and what an entry still holds that was not read again.
    pub(super) fn turn(&mut self) {
        self.known.retain(|_, compiled| compiled.is_held());
        self.known.extend(std::mem::take(&mut self.used));
    }
}

impl Report {
    pub(super) fn new(file: &str, schemas: Schemas) -> Self {
        Self { file: file.to_owned(), problems: Vec::new(), all: 0, errors: 0, schemas }
    }

    /// What it is about is not there.
    pub(super) fn error(&mut self, line: u64, message: impl Into<String>) {
        self.errors += 1;
        self.add(line, Gravity::Error, message.into());
    }

    pub(super) fn warn(&mut self, line: u64, message: impl Into<String>) {
        self.add(line, Gravity::Warning, message.into());
    }

    pub(super) const fn errors(&self) -> usize {
        self.errors
    }

    fn add(&mut self, line: u64, gravity: Gravity, message: String) {
        self.all += 1;
        if self.all <= MAX_REGISTRY_PROBLEMS {
            self.problems.push(Problem { file: self.file.clone(), line, gravity, message: cut(message) });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Schemas;

    /// Several looks may pass in which no entry is read, and so no schema asked for.
    #[test]
    fn a_schema_that_an_entry_holds_is_compiled_once() {
        let (mut schemas, schema) = (Schemas::default(), json!({"type": "string"}));
        let held = schemas.compile(&schema).unwrap();
        for _ in 0..3 {
            schemas.turn();
        }
        assert!(schemas.compile(&schema).unwrap().ptr_eq(&held));
        drop(held);
        for _ in 0..3 {
            schemas.turn();
        }
        assert!(schemas.known.is_empty());
    }
}
