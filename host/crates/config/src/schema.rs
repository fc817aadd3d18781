//! The JSON Schema of `config.toml`, for editors.
//!
//! Owns: its form: draft 07, which every editor reads, without references and without `null`, which TOML lacks.
//! Never: has a key, a value or a description of its own: they are those of the types. It cannot say every rule of
//! [`Config::parse`](super::Config::parse), and refuses nothing that the rules allow.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

use super::Config;

pub(super) const ABSOLUTE_PATTERN: &str = "^/";
/// What `check_config_name` allows.
pub(super) const CONFIG_NAME_PATTERN: &str = "^[A-Za-z0-9_-]{1,64}$";
/// What the name of a package may be.
pub(super) const ID_PATTERN: &str = "^[A-Za-z0-9_.-]{1,200}$";

/// Where the names of services stand.
const SERVICE_LISTS: [&str; 2] = [
    "/properties/services/properties/enabled/items",
    "/properties/http/properties/endpoints/additionalProperties/properties/services/items",
];

/// Returns the JSON Schema of `config.toml`, for a program that has these services.
#[must_use]
pub fn json_schema(services: &[&str]) -> Value {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    settings.transforms.push(Box::new(RecursiveTransform(simplify)));
    let mut schema = settings.into_generator().into_root_schema_for::<Config>().to_value();
    for list in SERVICE_LISTS {
        if let Some(items) = schema.pointer_mut(list) {
            *items = json!({"type": "string", "enum": services});
        }
    }
    schema
}

/// Removes what means nothing in TOML, and gives enumerations the form that editors complete best.
fn simplify(schema: &mut Schema) {
    // The name of a Rust integer type is not a format that validators know.
    schema.remove("format");
    // Comments are broken into lines.
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    // Of a key without a default, and of a section, whose keys have their own.
    if schema.get("default").is_some_and(|default| default.is_null() || default.is_object()) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    flatten_enumeration(schema);
}

/// Replaces alternatives that are one described value each by a list of the values.
fn flatten_enumeration(schema: &mut Schema) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else { return };
    let all = |key: &str| variants.iter().map(|variant| variant.get(key).cloned()).collect::<Option<Vec<_>>>();
    let (Some(values), Some(docs)) = (all("const"), all("description")) else { return };
    schema.remove("oneOf");
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), values.into());
    // The one is VS Code's, the other one taplo's.
    schema.insert("enumDescriptions".into(), docs.clone().into());
    schema.insert("x-taplo".into(), json!({"docs": {"enumValues": docs}}));
}
