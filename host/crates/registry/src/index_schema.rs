//! The JSON Schema of `_index.yaml`, for editors.
//!
//! Owns: its form: draft 07, which every editor reads, with the keys, names and limits of the loader.
//! Never: decides what is loaded. It cannot say every rule of the loader, and refuses what the loader warns of.

use serde_json::{Map, Value, json};

use super::entry::ENTRY_FIELDS;
use super::meta::KNOWN_KEYS;
use crate::limits::{DEFAULT_HANDLER_TIMEOUT, MAX_DECLARED_NAME_BYTES, MAX_HANDLER_TIMEOUT, MAX_PROMPT_MESSAGES};
use wardroom_lua::MODULES;
use wardroom_service::ClientCapability;

/// What the name of an entry and a namespace may be.
const NAME_PATTERN: &str = "^[A-Za-z0-9_.-]{1,200}$";

/// Returns the JSON Schema of an index.
#[must_use]
pub fn index_schema() -> Value {
    let mut definitions: Map<String, Value> =
        meta_key_schemas().into_iter().map(|(key, schema)| (key.to_owned(), schema)).collect();
    definitions.insert("entry".to_owned(), entry_schema());
    definitions.insert("meta".to_owned(), meta_schema());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "_index.yaml of wardroom",
        "description": "Declared tools, prompts and resources: run wardroom help registry to see every key.",
        "type": "object",
        "required": ["version", "namespace", "entries"],
        "additionalProperties": false,
        "properties": {
            "version": {"description": "The version of this format.", "enum": ["1.0", 1], "default": "1.0"},
            "namespace": {
                "description": "A name for all entries of this file: the id of an entry is namespace:name.",
                "type": "string",
                "pattern": NAME_PATTERN,
            },
            "meta": {"description": "What is said of the whole file; it has no effect."},
            "entries": {
                "description": "The declarations.",
                "type": "array",
                "items": {"$ref": "#/definitions/entry"},
            },
        },
        "definitions": definitions,
    })
}

fn entry_schema() -> Value {
    let without_meta = |kind: &str| json!({"properties": {"kind": {"const": kind}}, "not": {"required": ["meta"]}});
    let tool_marker = |key: &str| json!({"required": [key], "properties": {key: {"const": true}}});
    let nested_marker =
        json!({"required": ["mcp"], "properties": {"mcp": {"type": "object", "allOf": [tool_marker("tool")]}}});
    let is_tool = json!({
        "required": ["meta"],
        "properties": {"meta": {"anyOf": [tool_marker("mcp.tool"), nested_marker]}},
    });
    json!({
        "type": "object",
        "required": ["name", "kind"],
        "properties": {
            "name": {
                "description": "The name of the entry, unique in its namespace.",
                "type": "string",
                "pattern": NAME_PATTERN,
            },
            "kind": {
                "description": "function.lua can be called, library.lua is for imports, registry.entry is data.",
                "enum": ["function.lua", "library.lua", "registry.entry"],
            },
            "source": {
                "description": "The Lua file beside this file. A prompt or resource of text alone needs none.",
                "type": "string",
                "pattern": "^file://[^/]",
                "examples": ["file://greet.lua"],
            },
            "method": {
                "description": "The function of the table that the source returns.",
                "type": "string",
                "examples": ["call"],
            },
            "modules": {
                "description": "The modules that the handler may use, and nothing else: wardroom help modules.",
                "type": "array",
                "items": {"enum": MODULES},
            },
            "imports": {
                "description": "Other entries that the source may require: alias: namespace:name.",
                "type": "object",
                "additionalProperties": {"type": "string", "pattern": ":"},
            },
            "meta": {"$ref": "#/definitions/meta"},
            "data": {"description": "The data of a registry.entry, for the module registry."},
            "description": {"description": "A note for people; clients see mcp.description.", "type": "string"},
            "pool": {"description": "Accepted for files of the original; it has no effect."},
            "depends_on": {"description": "Accepted for files of the original; it has no effect."},
        },
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": "registry.entry"}}},
                "else": {"propertyNames": {"enum": ENTRY_FIELDS}},
            },
            {
                "if": is_tool,
                "then": {"required": ["source", "method"], "properties": {"kind": {"const": "function.lua"}}},
            },
            {"if": without_meta("function.lua"), "then": {"required": ["source", "method"]}},
            {"if": without_meta("library.lua"), "then": {"required": ["source"]}},
        ],
    })
}

/// Returns the schema of `meta`: keys with dots in them, or maps that stand for them, and whatever is not the protocol's.
fn meta_schema() -> Value {
    let mut properties = references("");
    properties.insert("mcp".to_owned(), nested("mcp."));
    let known: Vec<&str> = KNOWN_KEYS.into_iter().chain(["mcp"]).collect();
    json!({
        "description": "What the entry declares. Keys that do not begin with mcp are free.",
        "type": "object",
        "properties": properties,
        "propertyNames": {"anyOf": [{"enum": known}, {"not": {"pattern": "^mcp(\\.|$)"}}]},
    })
}

/// Returns the keys that begin with a prefix, without it, each with a reference to its schema.
fn references(prefix: &str) -> Map<String, Value> {
    let keys = KNOWN_KEYS.iter().filter_map(|key| Some((key.strip_prefix(prefix)?, key)));
    keys.map(|(name, key)| (name.to_owned(), json!({"$ref": format!("#/definitions/{key}")}))).collect()
}

/// Returns the schema of a map that stands for keys with dots.
fn nested(prefix: &str) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": references(prefix)})
}

/// The schema of each key of `meta`.
fn meta_key_schemas() -> [(&'static str, Value); KNOWN_KEYS.len()] {
    let text = |description: &str| json!({"description": description, "type": "string"});
    let name = |description: &str| {
        let mut schema = text(description);
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("maxLength".to_owned(), MAX_DECLARED_NAME_BYTES.into());
        }
        schema
    };
    let map = |description: &str| json!({"description": description, "type": "object"});
    let json_schema = |description: &str| {
        let mut schema = map(description);
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("examples".to_owned(), json!([{"type": "object", "properties": {}, "required": []}]));
        }
        schema
    };
    [
        ("mcp.tool", json!({"description": "Declares a tool.", "type": "boolean"})),
        ("mcp.name", name("The name of the tool; the entry's id by default.")),
        ("mcp.title", text("A title for people.")),
        ("mcp.description", text("What it does, and when to use it: models choose by it.")),
        ("mcp.inputSchema", {
            let mut schema = json_schema("A JSON Schema (2020-12) for the arguments, with type: object at its root.");
            if let Some(fields) = schema.as_object_mut() {
                fields.insert("properties".to_owned(), json!({"type": {"const": "object"}}));
            }
            schema
        }),
        ("mcp.outputSchema", json_schema("A JSON Schema (2020-12) for the structured result.")),
        (
            "mcp.annotations",
            json!({
                "description": "What a call does to the world.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "title": text("A title for people."),
                    "readOnlyHint": {"description": "A call changes nothing.", "type": "boolean"},
                    "destructiveHint": {"description": "A call may remove or replace something.", "type": "boolean"},
                    "idempotentHint": {"description": "A second call changes nothing more.", "type": "boolean"},
                    "openWorldHint": {"description": "A call reaches other systems.", "type": "boolean"},
                },
            }),
        ),
        (
            "mcp.scope",
            json!({
                "description": "Only endpoints with this scope have the entry.",
                "anyOf": [{"type": "string"}, {"const": false}],
            }),
        ),
        (
            "mcp.groups",
            json!({
                "description": "Only callers in one of these groups see the entry.",
                "type": "array",
                "items": {"type": "string"},
            }),
        ),
        (
            "mcp.icons",
            json!({
                "description": "Icons, each an address or a map.",
                "type": "array",
                "items": {"anyOf": [
                    {"type": "string", "pattern": "^(https?://|data:)"},
                    {
                        "type": "object",
                        "required": ["src"],
                        "properties": {
                            "src": {"type": "string", "pattern": "^(https?://|data:)"},
                            "mimeType": {"type": "string"},
                            "sizes": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                            "theme": {"enum": ["light", "dark"]},
                        },
                    },
                ]},
            }),
        ),
        ("mcp.meta", map("Becomes _meta of the list entry.")),
        (
            "mcp.ui",
            json!({
                "description": "The ui:// address of an MCP App.",
                "anyOf": [
                    {"type": "string", "pattern": "^ui://"},
                    {
                        "type": "object",
                        "required": ["resourceUri"],
                        "properties": {"resourceUri": {"type": "string", "pattern": "^ui://"}},
                    },
                ],
            }),
        ),
        (
            "mcp.needs",
            json!({
                "description": "Capabilities that the client must declare.",
                "type": "array",
                "items": {"enum": ClientCapability::NAMED.map(|(name, _)| name)},
            }),
        ),
        (
            "mcp.timeout",
            json!({
                "description": "The time of the handler in seconds.",
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": MAX_HANDLER_TIMEOUT.as_secs(),
                "default": DEFAULT_HANDLER_TIMEOUT.as_secs(),
            }),
        ),
        ("mcp.task", json!({"description": "Whether a call runs as a task.", "enum": ["optional", "required"]})),
        (
            "mcp.completions",
            json!({
                "description": "For prompts and templates: the values of an argument, or the id of a function.",
                "type": "object",
                "additionalProperties": {"anyOf": [
                    {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
                    {"type": "string", "pattern": ":"},
                ]},
            }),
        ),
        (
            "mcp.prompt",
            json!({"description": "Declares a prompt.", "anyOf": [{"type": "boolean"}, nested("mcp.prompt.")]}),
        ),
        ("mcp.prompt.name", name("The name of the prompt; the entry's id by default.")),
        ("mcp.prompt.title", text("A title for people.")),
        ("mcp.prompt.description", text("What the prompt is for.")),
        (
            "mcp.prompt.type",
            json!({"description": "A template is not listed, and only extended.", "enum": ["prompt", "template"]}),
        ),
        ("mcp.prompt.tags", json!({"description": "Accepted for files of the original; it has no effect."})),
        (
            "mcp.prompt.arguments",
            json!({
                "description": "The arguments of the prompt.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": false,
                    "properties": {
                        "name": {"type": "string", "minLength": 1},
                        "title": text("A title for people."),
                        "description": text("What the argument means."),
                        "required": {"description": "Whether a call without it fails.", "type": "boolean"},
                        "default": {
                            "description": "The value where a call has none.",
                            "type": ["string", "number", "boolean"],
                        },
                        "type": {"description": "Accepted for files of the original; it has no effect."},
                    },
                },
            }),
        ),
        (
            "mcp.prompt.messages",
            json!({
                "description": "The messages. {{argument}} in a text is replaced by the value.",
                "type": "array",
                "maxItems": MAX_PROMPT_MESSAGES,
                "items": {
                    "type": "object",
                    "required": ["content"],
                    "additionalProperties": false,
                    "properties": {
                        "role": {"enum": ["user", "assistant"], "default": "user"},
                        "content": {
                            "description": "A text, or an item in the protocol's form.",
                            "type": ["string", "object"],
                        },
                    },
                },
            }),
        ),
        (
            "mcp.prompt.extend",
            json!({
                "description": "Parent prompts, whose messages come first.",
                "type": "array",
                "items": {"anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "required": ["id"],
                        "additionalProperties": false,
                        "properties": {
                            "id": {"description": "The name of the prompt.", "type": "string"},
                            "arguments": {
                                "type": "object",
                                "additionalProperties": {"type": ["string", "number", "boolean"]},
                            },
                        },
                    },
                ]},
            }),
        ),
        (
            "mcp.resource",
            json!({
                "description": "Declares a resource: true, or its address.",
                "anyOf": [{"type": "boolean"}, {"type": "string"}, nested("mcp.resource.")],
            }),
        ),
        ("mcp.resource.uri", text("The address, with a scheme that no service of the server has.")),
        ("mcp.resource.template", text("A template of RFC 6570, level 1, in place of an address: notes://{id}.")),
        ("mcp.resource.name", text("The name of the resource; the entry's id by default.")),
        ("mcp.resource.title", text("A title for people.")),
        ("mcp.resource.description", text("What the resource holds.")),
        ("mcp.resource.mimeType", text("The MIME type; by default that of the file's name, or text/plain.")),
        ("mcp.resource.text", text("The content as text. In a template, {{variable}} is replaced.")),
        ("mcp.resource.file", text("A file beside this file with the content.")),
        (
            "mcp.resource.size",
            json!({"description": "The size in bytes that the list shows.", "type": "integer", "minimum": 0}),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn schema_has_the_keys_of_the_loader() {
        assert_eq!(meta_key_schemas().map(|(key, _)| key), KNOWN_KEYS);
        let schema = index_schema();
        let entry = schema.pointer("/definitions/entry/properties").and_then(Value::as_object);
        let fields: BTreeSet<&str> = entry.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        assert_eq!(fields, ENTRY_FIELDS.into_iter().collect());
        for key in KNOWN_KEYS {
            let below = schema.pointer("/definitions/meta/properties/mcp/properties").unwrap();
            assert!(below.get(key.strip_prefix("mcp.").unwrap()).is_some(), "{key}");
        }
    }
}
