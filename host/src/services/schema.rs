//! Tool arguments and answers: typed on our side, JSON with a derived schema on the other.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Schema as Object, ServiceError};
use crate::payload::Payload;

/// The JSON Schema (2020-12) of arguments that are read, whole: no references to elsewhere.
pub(super) fn schema<T: JsonSchema>() -> Payload {
    generate::<T>(SchemaSettings::draft2020_12())
}

/// The same of an answer that is written: a field that may be left out is not required.
pub(super) fn answer_schema<T: JsonSchema>() -> Payload {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// A schema that was made here, as lists share it.
pub(super) fn object(schema: Payload) -> Object {
    match schema.into_value() {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings) -> Payload {
    settings.inline_subschemas = true;
    // A Rust integer's name is no format that validators know; some of them warn.
    settings.transforms.push(Box::new(RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
        // A paragraph of a comment is one, however it is broken.
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace('\n', " ");
        }
    })));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type says nothing to a client.
    schema.remove("title");
    Payload::from_value(schema.to_value())
}

/// Reads a tool's arguments.
///
/// # Errors
/// A tool error that names the field.
pub(super) fn parse<T: DeserializeOwned>(arguments: Payload) -> Result<T, ServiceError> {
    arguments.into_typed().map_err(|error| ServiceError::arguments(&error))
}

/// Turns a tool's answer into JSON.
///
/// # Errors
/// When one of our own types cannot be JSON.
pub(super) fn answer(value: &impl Serialize) -> Result<Payload, ServiceError> {
    Payload::from_typed(value).map_err(|error| ServiceError::internal("the answer is not JSON", error))
}
