//! Tool arguments and answers: typed on our side, JSON with a derived schema on the other.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{ServiceError, SharedSchema as Object};
use wardroom_base::payload::Payload;

/// Returns the self-contained JSON Schema (2020-12) of arguments: it has no references.
pub fn input_schema<T: JsonSchema>() -> Payload {
    Payload::from_value(generate_schema::<T>(SchemaSettings::draft2020_12()).to_value())
}

/// Returns the schema of an answer, which may be a failure; a field that may be omitted is not required.
pub fn output_schema<T: JsonSchema>() -> Payload {
    let mut schema = generate_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    allow_error_output(schema.ensure_object());
    Payload::from_value(schema.to_value())
}

/// Converts a schema to the form that lists share.
pub fn share_schema(schema: Payload) -> Object {
    match schema.into_value() {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// Adds `error` to an output schema: some clients check failures against the schema too, and would report their own
/// complaint instead of the failure.
pub fn allow_error_output(schema: &mut Map<String, Value>) {
    let failure =
        json!({"type": "object", "description": "Why the call failed: `code`, `message` and optional `details`."});
    if let Some(required) = schema.remove("required") {
        schema.insert("anyOf".into(), json!([{"required": required}, {"required": ["error"]}]));
    }
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Some(properties) = properties.as_object_mut() {
        let error = match properties.remove("error") {
            Some(of_answer) => json!({"anyOf": [of_answer, failure]}),
            None => failure,
        };
        properties.insert("error".into(), error);
    }
}

fn generate_schema<T: JsonSchema>(mut settings: SchemaSettings) -> Schema {
    settings.inline_subschemas = true;
    // The name of a Rust integer type is not a format that validators know; some of them warn.
    settings.transforms.push(Box::new(RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
        // A line break within a paragraph of a doc comment is not part of the text.
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace('\n', " ");
        }
        expand_true_schemas(schema);
    })));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type means nothing to a client.
    schema.remove("title");
    schema
}

/// Replaces the schema `true`, which allows any value, by `{}`. Both mean the same, but clients that expect an object
/// refuse the tool.
fn expand_true_schemas(schema: &mut Schema) {
    let anything = |value: &mut Value| {
        if *value == Value::Bool(true) {
            *value = Value::Object(Map::new());
        }
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(anything);
    }
    if let Some(items) = schema.get_mut("items") {
        anything(items);
    }
}

/// Parses the arguments of a tool.
///
/// # Errors
/// A tool error that names the field.
pub fn parse_arguments<T: DeserializeOwned>(arguments: Payload) -> Result<T, ServiceError> {
    arguments.into_typed().map_err(|error| ServiceError::invalid_arguments(&error))
}

/// Serializes the answer of a tool.
///
/// # Errors
/// When a type of ours cannot be represented in JSON.
pub fn serialize_output(value: &impl Serialize) -> Result<Payload, ServiceError> {
    Payload::from_typed(value).map_err(|error| ServiceError::internal("cannot encode the answer as JSON", error))
}
