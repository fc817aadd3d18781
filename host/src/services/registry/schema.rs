//! JSON Schemas (2020-12) of declared tools: compiled once, when they are loaded.
//!
//! Owns: their bounds. A schema reaches nothing outside itself.
//! Never: repeats a value that did not fit; it says where, and what was wanted.

use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use crate::limits::{MAX_PATTERN_BYTES, MAX_SCHEMA_BYTES};
use crate::services::shown;

/// A schema that values are tried on.
#[derive(Debug, Clone)]
pub(super) struct Compiled(Arc<Validator>);

impl Compiled {
    /// # Errors
    /// What is wrong with the schema, in words.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            return Err(format!("has {bytes} bytes, the limit is {MAX_SCHEMA_BYTES}"));
        }
        // One engine whose time is linear, whatever the pattern.
        let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
        let options = jsonschema::options().with_draft(Draft::Draft202012).with_pattern_options(patterns);
        let built = options.build(schema);
        let validator = built.map_err(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
            format!("is no JSON Schema of 2020-12{place}: {}", shown(&error.to_string()))
        })?;
        Ok(Self(Arc::new(validator)))
    }

    /// # Errors
    /// Where a value does not fit, and why: the first of what is wrong with it.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "/".to_owned() } else { shown(&place) };
            format!("{place}: {}", shown(&error.masked_with("the value").to_string()))
        })
    }
}
