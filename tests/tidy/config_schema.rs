//! The JSON Schema of `config.toml` is what the program reads and what `docs/CONFIG.md` says.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};

use super::root;
use wardroom_base::json_schema::CompiledSchema;
use wardroom_config::{Config, json_schema};

fn schema() -> Value {
    json_schema(&["alc", "registry", "resources"])
}

/// Compiles the schema as one of 2020-12: its keywords mean the same in draft 07, which it names for editors.
fn compiled() -> CompiledSchema {
    let mut schema = schema();
    assert_eq!(
        schema.as_object_mut().unwrap().remove("$schema"),
        Some(json!("http://json-schema.org/draft-07/schema#"))
    );
    CompiledSchema::new(&schema).unwrap()
}

/// Whether the schema accepts a text.
fn accepts(schema: &CompiledSchema, text: &str) -> Result<(), String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    schema.check(&serde_json::to_value(table).unwrap())
}

/// The blocks of a page in one language; a hash that the page leaves out is filled in.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let begin = format!("```{language}\n");
    let blocks = text.split(begin.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap());
    // Each token has another one.
    let fill = |block: &str| {
        let mut parts = block.split("sha256 = \"…\"");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.enumerate().fold(first, |text, (at, part)| format!("{text}sha256 = \"{:064x}\"{part}", at + 1))
    };
    blocks.map(fill).collect()
}

#[test]
fn schema_accepts_what_the_page_shows() {
    let schema = compiled();
    let examples = blocks("docs/CONFIG.md", "toml");
    assert_eq!(examples.len(), 2);
    for example in examples.iter().map(String::as_str).chain([""]) {
        Config::parse(example).unwrap();
        accepts(&schema, example).unwrap();
    }
}

#[test]
fn schema_refuses_what_the_program_refuses() {
    let schema = compiled();
    let hash = "0a".repeat(32);
    for wrong in [
        "sever = {}".to_owned(),
        "[server]\ngrace = 1".to_owned(),
        "[server]\ngrace_ms = '1'".to_owned(),
        "[server]\nmemory = 0".to_owned(),
        "[server]\nwatch = 'never'".to_owned(),
        "[cache]\ndir = 'cache'".to_owned(),
        "[services]\nenabled = 'alc'".to_owned(),
        "[alc]\ntools = 'some'".to_owned(),
        "[blog]\nroot = 'blog'".to_owned(),
        "[blog]\naccept = 'human_strict'".to_owned(),
        "[blog]\npublic_url = 'example.org'".to_owned(),
        "[ace]\nmax_deltas = 101".to_owned(),
        "[ace]\nmin_confidence = 1.5".to_owned(),
        "[ace]\nroutes = [{ tags = [], section = 'Go' }]".to_owned(),
        "[ace]\nroutes = [{ tags = ['go'], section = ' ' }]".to_owned(),
        "[network]\ngit = 'yes'".to_owned(),
        "[mounts.p]\npath = '/p'".to_owned(),
        "[mounts.p]\npath = 'p'\nas = 'package'".to_owned(),
        "[mounts.p]\npath = '/p'\nas = 'folder'".to_owned(),
        "[mounts.'a b']\npath = '/p'\nas = 'package'".to_owned(),
        "[http.tokens.t]\nsha256 = '0a'".to_owned(),
        format!("[http.tokens.'a b']\nsha256 = '{hash}'"),
        format!("[http.tokens.t]\nsha256 = '{hash}'\nscope = 'x'"),
        "[http.endpoints.e]\npath = 'mcp'".to_owned(),
        "[http.endpoints.e]\nscope = 'x'".to_owned(),
    ] {
        assert!(Config::parse(&wrong).is_err(), "{wrong}");
        assert!(accepts(&schema, &wrong).is_err(), "{wrong}");
    }
    assert!(accepts(&schema, "[services]\nenabled = ['weblog']").is_err());
    assert!(accepts(&schema, "[http.endpoints.e]\npath = '/e'\nservices = ['weblog']").is_err());
}

/// The keys below an object's schema, by their paths. Those of named tables have `NAME` in their place.
fn collect_keys<'s>(schema: &'s Value, path: &str, keys: &mut BTreeMap<String, (&'s Value, bool)>) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        assert!(below["description"].is_string(), "{path} has no description");
        if below["properties"].is_object() {
            collect_keys(below, &path, keys);
        } else if below["additionalProperties"].is_object() {
            collect_keys(&below["additionalProperties"], &format!("{path}.NAME"), keys);
        } else {
            keys.insert(path, (below, required.contains(&json!(name))));
        }
    }
}

/// The rows of the page's tables of keys: the path of each key, and its default as the page has it.
fn documented_keys() -> BTreeMap<String, String> {
    let page = fs::read_to_string(root().join("docs/CONFIG.md")).unwrap();
    let (mut keys, mut section) = (BTreeMap::new(), None);
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [first, default, _, ..] = cells.as_slice() else {
            section = None;
            continue;
        };
        if *default == "default" {
            // `key of [server]`, or `key` where each row names its section.
            section = Some(first.split(['[', ']']).nth(1).unwrap_or_default().to_owned());
            continue;
        }
        let Some(section) = &section else { continue };
        let mut current = section.clone();
        for name in first.split(", ").map(|name| name.trim_matches('`')).filter(|name| !name.starts_with('-')) {
            let name = match name.strip_prefix('[').and_then(|name| name.split_once("] ")) {
                Some((named, name)) => {
                    current = named.to_owned();
                    name
                }
                None => name,
            };
            keys.insert(format!("{current}.{name}"), (*default).to_owned());
        }
    }
    keys
}

#[test]
fn page_has_the_keys_and_the_defaults_of_the_schema() {
    let schema = schema();
    let mut keys = BTreeMap::new();
    collect_keys(&schema, "", &mut keys);
    let documented = documented_keys();
    assert_eq!(documented.keys().collect::<Vec<_>>(), keys.keys().collect::<Vec<_>>());
    let mut n_compared = 0;
    for (path, shown) in documented {
        let (key, is_required) = &keys[&path];
        assert_eq!(*is_required, shown == "required", "{path}");
        let value: Option<toml::Table> = toml::from_str(&format!("value = {}", shown.trim_matches('`'))).ok();
        match value {
            Some(mut table) => {
                let value = serde_json::to_value(table.remove("value").unwrap()).unwrap();
                assert_eq!(key["default"], value, "{path}");
                n_compared += 1;
            }
            // The page says it in words.
            None => assert!(key.get("default").is_none_or(|default| *default == json!([])), "{path}"),
        }
    }
    assert!(n_compared > 20, "{n_compared}");
}

/// These constants belong to crates that the configuration does not depend on.
#[test]
fn schema_has_the_defaults_of_services() {
    use wardroom_ace::limits::{DEFAULT_MAX_BULLET_LINES, DEFAULT_MAX_BULLET_TOKENS, DEFAULT_MAX_DELTAS};
    use wardroom_blog::limits::{DEFAULT_HTTP_PROPOSAL_TTL, DEFAULT_STDIO_PROPOSAL_TTL};
    let schema = schema();
    let default = |section: &str, key: &str| schema["properties"][section]["properties"][key]["default"].clone();
    let fraction = wardroom_ace::AceOptions::default().min_confidence.fraction();
    for (section, key, value) in [
        ("ace", "max_deltas", json!(DEFAULT_MAX_DELTAS)),
        ("ace", "max_bullet_lines", json!(DEFAULT_MAX_BULLET_LINES)),
        ("ace", "max_bullet_tokens", json!(DEFAULT_MAX_BULLET_TOKENS)),
        ("ace", "min_confidence", json!(fraction)),
        ("blog", "proposal_ttl_app", json!(DEFAULT_HTTP_PROPOSAL_TTL.as_secs() / 60)),
        ("blog", "proposal_ttl_cli", json!(DEFAULT_STDIO_PROPOSAL_TTL.as_secs() / 60)),
    ] {
        assert_eq!(default(section, key), value, "{key}");
    }
}

/// Editors complete values from a list, and know no references.
#[test]
fn schema_is_plain() {
    fn check(value: &Value) {
        match value {
            Value::Object(fields) => {
                let has = |fields: &Map<String, Value>, key: &str| fields.contains_key(key);
                assert!(!has(fields, "$ref") && !has(fields, "oneOf") && !has(fields, "anyOf"), "{value}");
                fields.values().for_each(check);
            }
            Value::Array(items) => items.iter().for_each(check),
            value => assert!(!value.is_null()),
        }
    }
    let schema = schema();
    check(&schema);
    let watch = &schema["properties"]["server"]["properties"]["watch"];
    assert_eq!((&watch["enum"], &watch["default"]), (&json!(["events", "poll", "off"]), &json!("events")));
    assert_eq!(watch["enumDescriptions"].as_array().unwrap().len(), 3);
}
