//! `yaml`: encoding and decoding of YAML documents.

use std::collections::HashSet;

use mlua::{Table, Value};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value as Json;

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "yaml.encode",
        "A table as YAML, its keys sorted.",
        &[
            param("value", ParamKind::Table, "table", ""),
            optional_param(
                "options",
                ParamKind::Table,
                "{ field_order?: string[], sort_unordered?: boolean }",
                "the keys of `field_order` come first",
            ),
        ],
        &[returns("string", "")],
        encode,
    ),
    module_function(
        "yaml.decode",
        "One document of YAML.",
        &[param("text", ParamKind::String, "string", "")],
        &[returns("any", "")],
        decode,
    ),
];

fn encode(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let value = call.next_json("value")?;
    let order: Option<Table> = call.next_table().and_then(|options| options.raw_get("field_order").ok());
    let order: Vec<String> =
        order.map(|order| order.sequence_values().collect::<mlua::Result<_>>()).transpose()?.unwrap_or_default();
    let mut listed = HashSet::new();
    let order: Vec<String> = order.into_iter().filter(|key| listed.insert(key.clone())).collect();
    let text = serde_saphyr::to_string(&KeyOrderedJson { value: &value, order: &order, listed: &listed });
    Ok(call.create_string(&text.map_err(|error| call.format_error(&error.to_string()))?)?)
}

fn decode(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let text = call.next_text()?;
    if text.trim().is_empty() {
        return Err(call.format_error("there is no document").into());
    }
    let mut options = serde_saphyr::Options::default();
    // As in YAML 1.2, `yes` and `on` are texts.
    options.strict_booleans = true;
    let document: Json = serde_saphyr::from_str_with_options(&text, options).map_err(|error| {
        let place = error.location().map(|place| format!("line {} column {}", place.line(), place.column()));
        // The further lines of the parser's error quote the text, and what follows a comma is advice on its own functions.
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let prefix = place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let message = message.strip_prefix(&prefix).unwrap_or(message);
        let message =
            message.split_once(", set ").or_else(|| message.split_once(", use ")).map_or(message, |(first, _)| first);
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        ModuleError::new("INTERNAL", call.format_error(&format!("not YAML{place}: {message}")))
    })?;
    Ok(call.decode(&document)?)
}

/// A JSON document that is serialized with the keys in `order` first.
struct KeyOrderedJson<'a> {
    value: &'a Json,
    order: &'a [String],
    /// The keys of `order`.
    listed: &'a HashSet<String>,
}

impl Serialize for KeyOrderedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = |value| KeyOrderedJson { value, ..*self };
        match self.value {
            Json::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(&inner(item)))?;
                list.end()
            }
            Json::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                let first = self.order.iter().filter_map(|key| fields.get_key_value(key));
                let others = fields.iter().filter(|(key, _)| !self.listed.contains(*key));
                first.chain(others).try_for_each(|(key, value)| map.serialize_entry(key, &inner(value)))?;
                map.end()
            }
            plain => plain.serialize(serializer),
        }
    }
}
