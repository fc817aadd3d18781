//! The size of the lists of tools: what an output schema says several times is paid for by every client.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::tool_search::listed_tools;
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// Parts that are at most this long may repeat, in bytes of JSON.
const MAX_REPEATED_BYTES: usize = 160;

fn count_parts(schema: &Value, counts: &mut BTreeMap<String, usize>) {
    match schema {
        Value::Object(fields) => {
            *counts.entry(schema.to_string()).or_default() += 1;
            fields.values().for_each(|part| count_parts(part, counts));
        }
        Value::Array(items) => items.iter().for_each(|part| count_parts(part, counts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the long parts of a schema that occur more than once.
fn repeated_parts(schema: &Value) -> Vec<String> {
    let mut counts = BTreeMap::new();
    count_parts(schema, &mut counts);
    let is_repeated = |(part, count): &(String, usize)| part.len() > MAX_REPEATED_BYTES && *count > 1;
    counts.into_iter().filter(is_repeated).map(|(part, _)| part).collect()
}

/// Returns a schema without its descriptions. The property with the name `description` stays, since it is an object.
fn without_descriptions(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, part)| *name != "description" || !part.is_string());
            fields.map(|(name, part)| (name.clone(), without_descriptions(part))).collect()
        }
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

#[test]
fn no_output_schema_repeats_itself() {
    let part = |description: &str| {
        let names =
            ["first", "second", "third", "fourth", "fifth", "sixth"].map(|name| (name, json!({"type": "integer"})));
        let properties: BTreeMap<_, _> = names.into_iter().collect();
        json!({"type": "object", "description": description, "properties": properties})
    };
    let twice = json!({"type": "object", "properties": {"a": part("One."), "b": part("Another one.")}});
    assert!(repeated_parts(&without_descriptions(&twice)).iter().any(|part| part.contains("\"type\":\"object\"")));

    let dir = TestDir::new_demo();
    // The tools of a learning log are listed where there is one.
    std::fs::create_dir(dir.app_path().join("ace")).unwrap();
    for args in [&[][..], &["--service", "alc"]] {
        let tools = listed_tools(&mut StdioClient::start_with(&dir, ClientRevision::Modern, args));
        let schemas: Vec<_> = tools.iter().filter(|tool| tool["outputSchema"].is_object()).collect();
        assert!(schemas.len() > 30, "{}", schemas.len());
        for tool in schemas {
            for schema in [&tool["outputSchema"], &without_descriptions(&tool["outputSchema"])] {
                assert_eq!(repeated_parts(schema), Vec::<String>::new(), "{}", tool["name"]);
            }
        }
    }
}
