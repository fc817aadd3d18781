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

/// Returns the self-contained JSON Schema (2020-12, the protocol's own dialect) of arguments: it has no references.
pub fn input_schema<T: JsonSchema>() -> Payload {
    Payload::from_value(generate_schema::<T>(SchemaSettings::draft2020_12()).to_value())
}

/// Returns the schema of an answer, which may be a failure; a field that may be omitted is not required. It says what
/// programs check: the documentation of a field is in the tool's description, since a model pays for each word of a list.
pub fn output_schema<T: JsonSchema>() -> Payload {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.transforms.push(Box::new(RecursiveTransform(shorten)));
    let mut schema = generate_schema::<T>(settings);
    allow_error_output(schema.ensure_object());
    Payload::from_value(schema.to_value())
}

/// Removes from the schema of an answer what no program checks.
fn shorten(schema: &mut Schema) {
    schema.remove("description");
    schema.remove("minimum");
    let Some(Value::Array(variants)) = schema.get("oneOf") else { return };
    // The variants of an enumeration, each of which had its description.
    let names: Option<Vec<Value>> = variants.iter().flat_map(variant_names).collect();
    if let Some(names) = names {
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), names.into());
    }
}

/// Returns the names that a variant of an enumeration stands for; `None` for other schemas.
fn variant_names(variant: &Value) -> Vec<Option<Value>> {
    match (variant.get("const"), variant.get("enum")) {
        (Some(name), _) => vec![Some(name.clone())],
        (None, Some(Value::Array(names))) => names.iter().cloned().map(Some).collect(),
        _ => vec![None],
    }
}

/// Converts a schema to the form that lists share.
pub fn share_schema(schema: Payload) -> Object {
    match schema.into_value() {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// Lets an answer be a failure, with `error` alone: some clients check failures against the schema too, and would report
/// their own complaint instead of the failure.
fn allow_error_output(schema: &mut Map<String, Value>) {
    if let Some(required) = schema.remove("required") {
        schema.insert("anyOf".into(), json!([{"required": required}, {"required": ["error"]}]));
    }
    let error = schema.get_mut("properties").and_then(|properties| properties.get_mut("error"));
    if let Some(of_answer) = error {
        // A failure is an object with `code`, `message` and optional `details`.
        *of_answer = Value::Object(Map::new());
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        schema.remove("additionalProperties");
    }
}

fn generate_schema<T: JsonSchema>(mut settings: SchemaSettings) -> Schema {
    settings.inline_subschemas = true;
    // The name of a Rust integer type is not a format that validators know; some of them warn.
    settings.transforms.push(Box::new(RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
        // Both are what a schema means that says nothing of them.
        if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
            schema.remove("additionalProperties");
        }
        // A line break within a paragraph of a doc comment is not part of the text.
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace('\n', " ");
        }
        expand_true_schemas(schema);
    })));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type means nothing to a client, and the dialect is the protocol's own.
    schema.remove("title");
    schema.remove("$schema");
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
