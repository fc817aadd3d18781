//! Tool arguments and answers: typed on our side, JSON with a derived schema on the other.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{ServiceError, SharedSchema as Object};
use crate::error_code as code;
use crate::limits::MAX_CHECKED_ARGUMENTS_BYTES;
use wardroom_base::json_schema::{CompiledSchema, Violations};
use wardroom_base::payload::{Payload, PayloadError, escape_and_truncate};
use wardroom_ranking::closest_field;

/// Returns the self-contained JSON Schema (2020-12, the protocol's own dialect) of arguments: it has no references. What
/// may be left out has no `null`, though it is accepted: a model pays for each word of a list.
pub fn input_schema<T: JsonSchema>() -> Payload {
    let mut settings = SchemaSettings::draft2020_12();
    settings.transforms.push(Box::new(RecursiveTransform(shorten_argument)));
    settings.transforms.push(Box::new(RecursiveTransform(remove_zero_minimum)));
    Payload::from_value(generate_schema::<T>(settings).to_value())
}

/// Returns the schema by which the violations of arguments are found.
fn checked_schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.transforms.push(Box::new(RecursiveTransform(shorten_argument)));
    generate_schema::<T>(settings).to_value()
}

/// Removes the minimum of the unsigned numbers of Rust.
fn remove_zero_minimum(schema: &mut Schema) {
    if schema.get("minimum") == Some(&Value::from(0)) {
        schema.remove("minimum");
    }
}

/// Removes from the schema of an argument what a caller need not know.
fn shorten_argument(schema: &mut Schema) {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if schema.get("default").is_some_and(is_nothing) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        variants.retain(|variant| variant.get("type").is_none_or(|kind| kind != "null"));
    }
}

/// Returns the schema of an answer, which may be a failure; a field that may be omitted is not required.
pub fn output_schema<T: JsonSchema>() -> Payload {
    let mut schema = generate_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    allow_error_output(schema.ensure_object());
    Payload::from_value(schema.to_value())
}

/// The schema of a tool's answers, as the documentation and as lists have it.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// With descriptions.
    pub documented: Object,
    /// What programs check, and no more: a model pays for each word of a list.
    pub listed: Object,
}

impl OutputSchema {
    /// Returns the forms of a schema of ours.
    #[must_use]
    pub fn new(schema: Payload) -> Self {
        let documented = share_schema(schema);
        Self { listed: Arc::new(shorten_answer(&documented)), documented }
    }

    /// Returns a schema that users declared, which is listed as it is.
    #[must_use]
    pub fn declared(schema: Object) -> Self {
        Self { listed: Arc::clone(&schema), documented: schema }
    }
}

/// Returns the schema of an answer without descriptions, without what its fields consist of, and without which of them a
/// failure lacks.
fn shorten_answer(documented: &Map<String, Value>) -> Map<String, Value> {
    let mut listed = documented.clone();
    listed.remove("description");
    listed.remove("anyOf");
    if let Some(Value::Object(fields)) = listed.get_mut("properties") {
        fields.values_mut().for_each(|field| *field = shorten_field(field));
    }
    listed
}

/// Returns the type of a field, and its values where they are enumerated.
fn shorten_field(field: &Value) -> Value {
    let mut short = Map::new();
    let variants = ["anyOf", "oneOf"].into_iter().find_map(|word| field.get(word)?.as_array());
    let types: Vec<&Value> = match variants {
        Some(variants) => variants.iter().filter_map(|variant| variant.get("type")).collect(),
        None => field.get("type").into_iter().collect(),
    };
    // A variant without a type allows any.
    if variants.is_none_or(|variants| variants.len() == types.len()) {
        let mut names: Vec<Value> = Vec::new();
        for kind in types {
            let kinds = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
            names.extend(kinds.iter().filter(|kind| !names.contains(kind)).cloned().collect::<Vec<_>>());
        }
        match names.as_slice() {
            [] => {}
            [only] => drop(short.insert("type".into(), only.clone())),
            _ => drop(short.insert("type".into(), names.into())),
        }
    }
    if let Some(values) = field.get("enum") {
        short.insert("enum".into(), values.clone());
    }
    Value::Object(short)
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
/// A tool error that names every field in which the arguments violate the tool's schema.
pub fn parse_arguments<T: DeserializeOwned + JsonSchema>(arguments: Payload) -> Result<T, ServiceError> {
    parse_or_explain(arguments)
        .map_err(|why| ServiceError::tool(code::INVALID_ARGUMENTS, format!("invalid arguments: {why}")))
}

/// Parses the arguments of a tool whose specification has an error of its own for them.
///
/// # Errors
/// Every field in which the arguments violate the tool's schema.
pub fn parse_or_explain<T: DeserializeOwned + JsonSchema>(arguments: Payload) -> Result<T, String> {
    // Of large arguments there is no copy, and only the parser's message.
    if arguments.text_bytes() + arguments.value_bytes() > MAX_CHECKED_ARGUMENTS_BYTES {
        return arguments.into_typed().map_err(|error| explain_parse_error(&error));
    }
    arguments.to_typed().map_err(|error| match find_violations::<T>(&arguments) {
        // Of one field that is missing or unknown the parser knows more: the known fields.
        Some(found)
            if found.listed.len() > 1
                || !names_field(&error)
                || found.listed.iter().any(|violation| names_several(violation)) =>
        {
            found.to_string()
        }
        _ => explain_parse_error(&error),
    })
}

/// Returns the parser's message, which repeats names and values, with a known field that is similar to an unknown one.
fn explain_parse_error(error: &PayloadError) -> String {
    let error = error.to_string();
    let meant = closest_field(&error).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    format!("{}{meant}", escape_and_truncate(&error))
}

fn names_field(error: &PayloadError) -> bool {
    let error = error.to_string();
    error.starts_with("missing field") || error.starts_with("unknown field")
}

/// Whether a violation is about several unknown fields.
fn names_several(violation: &str) -> bool {
    violation.ends_with(" were unexpected)")
}

/// Returns in what arguments violate the schema of a tool.
fn find_violations<T: JsonSchema>(arguments: &Payload) -> Option<Violations> {
    let schema = checked_schema::<T>();
    let mut value = arguments.to_value();
    accept_lenient_forms(&mut value, &schema);
    CompiledSchema::new(&schema).ok()?.violations(&value).ok()?
}

/// Changes arguments to what they are accepted as, so that only what is refused is a violation: null stands for what is
/// absent, and the text of an object for the object.
fn accept_lenient_forms(arguments: &mut Value, schema: &Value) {
    let Value::Object(fields) = arguments else { return };
    for (name, value) in fields.iter_mut() {
        let wants_text =
            schema.pointer("/properties").and_then(|fields| fields.get(name)?.get("type")) == Some(&json!("string"));
        let object = value.as_str().filter(|_| !wants_text).and_then(|text| serde_json::from_str(text).ok());
        if let Some(object @ Value::Object(_)) = object {
            *value = object;
        }
    }
    remove_nulls(arguments);
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Serializes the answer of a tool.
///
/// # Errors
/// When a type of ours cannot be represented in JSON.
pub fn serialize_output(value: &impl Serialize) -> Result<Payload, ServiceError> {
    Payload::from_typed(value).map_err(|error| ServiceError::internal("cannot encode the answer as JSON", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, serde::Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        /// The first.
        One,
        Two,
    }

    /// All of it.
    #[derive(serde::Deserialize, serde::Serialize, JsonSchema)]
    struct Parts {
        /// How many.
        count: usize,
        kind: Kind,
        maybe: Option<Kind>,
        #[serde(default)]
        list: Vec<Kind>,
        any: Option<Value>,
    }

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its form is used")]
    struct Given {
        name: String,
        count: u32,
        list: Option<Vec<u32>>,
        filter: Option<Map<String, Value>>,
    }

    #[track_caller]
    fn check_refused(arguments: Value, expected: &str) {
        // Arguments come as text, or from another service as a value.
        for payload in [Payload::text_of(&arguments).unwrap(), Payload::from_value(arguments)] {
            let refused = parse_arguments::<Given>(payload).unwrap_err();
            assert_eq!(refused.to_string(), format!("invalid arguments: {expected}"));
        }
    }

    #[test]
    fn every_violation_of_arguments_is_named() {
        check_refused(
            json!({"count": "x", "list": [1, "y"], "filter": null}),
            "/: \"name\" is a required property; /count: the value is not of type \"integer\"; \
             /list/1: the value is not of type \"integer\"",
        );
        check_refused(json!({"name": 1, "count": 1}), "/name: the value is not of type \"string\"");
        // The parser knows more of a single field that is missing or unknown.
        let fields = "`name`, `count`, `list`, `filter`";
        check_refused(
            json!({"name": "n", "count": 1, "x": 1}),
            &format!("unknown field `x`, expected one of {fields}"),
        );
        check_refused(
            json!({"name": "n", "count": 1, "x": 1, "y": 2}),
            "/: Additional properties are not allowed ('x', 'y' were unexpected)",
        );
        check_refused(json!({"name": "n", "count": -1}), "/count: the value is less than the minimum of 0");
        check_refused(json!({"name": "n"}), "missing field `count`");
    }

    #[test]
    fn violations_of_large_arguments_are_not_searched_for() {
        let check = |bytes: usize| {
            let payload = Payload::text_of(&json!({"name": "n".repeat(bytes), "count": "x", "list": "y"})).unwrap();
            parse_arguments::<Given>(payload).unwrap_err().to_string().contains("/list: ")
        };
        assert!(check(1000) && !check(MAX_CHECKED_ARGUMENTS_BYTES));
    }

    #[test]
    fn text_of_an_object_is_no_violation() {
        let schema = input_schema::<Given>().into_value();
        let mut given = json!({"name": "{}", "filter": "{\"a\": 1}", "list": null});
        accept_lenient_forms(&mut given, &schema);
        assert_eq!(given, json!({"name": "{}", "filter": {"a": 1}}));
    }

    #[test]
    fn arguments_have_neither_null_nor_empty_defaults() {
        let schema = input_schema::<Parts>().into_value();
        assert_eq!(schema["properties"]["count"], json!({"type": "integer", "description": "How many."}));
        assert!(!schema.to_string().contains("null") && !schema.to_string().contains("default"), "{schema}");
        assert!(schema.get("$schema").is_none());
    }

    #[test]
    fn listed_answer_has_types_alone() {
        let schema = OutputSchema::new(output_schema::<Parts>());
        assert_eq!(schema.documented["properties"]["count"]["description"], "How many.");
        let listed = Value::Object((*schema.listed).clone());
        assert_eq!(listed["properties"]["count"], json!({"type": "integer"}));
        assert_eq!(listed["properties"]["list"], json!({"type": "array"}));
        assert_eq!(listed["properties"]["any"], json!({}));
        assert_eq!(schema.documented["anyOf"][1], json!({"required": ["error"]}));
        assert!(!listed.to_string().contains("description"), "{listed}");
    }
}
