//! What a tool takes, as a table: made of the same schema that clients are shown.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Rows for every argument of a schema, those of objects within it after them; nothing for a tool that takes none.
pub(super) fn table(schema: &Map<String, Value>) -> String {
    let mut rows = String::new();
    object(&mut rows, "", schema, schema);
    if rows.is_empty() {
        return "Takes no arguments.\n".to_owned();
    }
    format!("| argument | type | required | description |\n| --- | --- | --- | --- |\n{rows}")
}

fn object(rows: &mut String, above: &str, schema: &Map<String, Value>, root: &Map<String, Value>) {
    let required =
        |name: &str| schema.get("required").and_then(Value::as_array).is_some_and(|all| all.contains(&name.into()));
    for (name, argument) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let argument = resolved(argument, root);
        let path = format!("{above}{name}");
        let default = argument.get("default").filter(|value| !value.is_null());
        let default = default.map(|value| format!(" `{value}` when absent.")).unwrap_or_default();
        let described = argument.get("description").and_then(Value::as_str).unwrap_or_default();
        let described = format!("{}{default}", described.replace('\n', " ").replace('|', "\\|"));
        let needed = if required(name) { "yes" } else { "" };
        writeln!(rows, "| `{path}` | {} | {needed} | {} |", type_of(&argument, root), described.trim()).unwrap();
        object(rows, &format!("{path}."), &argument, root);
        for one in argument.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            object(rows, &format!("{path}."), &resolved(one, root), root);
        }
        if let Some(items) = argument.get("items") {
            object(rows, &format!("{path}[]."), &resolved(items, root), root);
        }
    }
}

/// What a reference refers to, with what stands beside it. A schema that says nothing is one that takes anything.
fn resolved(schema: &Value, root: &Map<String, Value>) -> Map<String, Value> {
    let Value::Object(schema) = schema else {
        assert_eq!(*schema, Value::Bool(true), "an argument that takes nothing");
        return Map::new();
    };
    let Some(name) = schema.get("$ref").and_then(Value::as_str) else {
        return match nullable(schema, root) {
            Some(inner) => with(inner, schema),
            None => schema.clone(),
        };
    };
    let name = name.strip_prefix("#/$defs/").unwrap_or_else(|| panic!("a reference of another form: {name}"));
    with(resolved(&root["$defs"][name], root), schema)
}

/// The schema beside `null`, where one of the two may come.
fn nullable(schema: &Map<String, Value>, root: &Map<String, Value>) -> Option<Map<String, Value>> {
    let either = schema.get("anyOf")?.as_array()?;
    match either.as_slice() {
        [one, null] if null["type"] == "null" => Some(resolved(one, root)),
        _ => None,
    }
}

/// The inner schema, described by the outer one where that has words of its own.
fn with(mut inner: Map<String, Value>, outer: &Map<String, Value>) -> Map<String, Value> {
    for key in ["description", "default"] {
        if let Some(value) = outer.get(key) {
            inner.insert(key.to_owned(), value.clone());
        }
    }
    inner
}

fn type_of(schema: &Map<String, Value>, root: &Map<String, Value>) -> String {
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values = values.iter().filter(|value| !value.is_null()).map(|value| format!("`{value}`"));
        return values.collect::<Vec<_>>().join(" or ");
    }
    if let Some(either) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        let kinds = either.iter().filter(|one| one["type"] != "null").map(|one| type_of(&resolved(one, root), root));
        return kinds.collect::<Vec<_>>().join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    let kinds: Vec<&str> = match schema.get("type") {
        None => return "any".to_owned(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        Some(kind) => kind.as_str().into_iter().collect(),
    };
    let kinds = kinds.into_iter().map(|kind| match kind {
        "array" => match schema.get("items") {
            Some(items) => format!("array of {}", type_of(&resolved(items, root), root)),
            None => "array".to_owned(),
        },
        "integer" | "number" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!("{kind}, {least} to {most}"),
            (Some(least), None) => format!("{kind}, {least} or more"),
            (None, Some(most)) => format!("{kind}, {most} or less"),
            (None, None) => kind.to_owned(),
        },
        kind => kind.to_owned(),
    });
    kinds.collect::<Vec<_>>().join(" or ")
}

#[test]
fn a_table_says_what_a_schema_says() {
    let schema = serde_json::json!({
        "type": "object",
        "$defs": {"Place": {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1}}, "required": ["line"]}},
        "properties": {
            "name": {"type": "string", "description": "Who | what."},
            "count": {"type": ["integer", "null"], "minimum": 0, "maximum": 9, "default": 3},
            "kind": {"enum": ["a", "b", null]},
            "at": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "description": "Where."},
            "all": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
            "either": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
            "anything": true,
        },
        "required": ["name"],
    });
    let rows = [
        "| argument | type | required | description |",
        "| --- | --- | --- | --- |",
        "| `all` | array of object |  |  |",
        "| `all[].line` | integer, 1 or more | yes |  |",
        "| `anything` | any |  |  |",
        "| `at` | object |  | Where. |",
        "| `at.line` | integer, 1 or more | yes |  |",
        "| `count` | integer, 0 to 9 |  | `3` when absent. |",
        "| `either` | string or boolean |  |  |",
        "| `kind` | `\"a\"` or `\"b\"` |  |  |",
        "| `name` | string | yes | Who \\| what. |",
    ];
    let mut made: Vec<String> = table(schema.as_object().unwrap()).lines().map(str::to_owned).collect();
    // In the order of the schema, which depends on how maps are built.
    made[2..].sort();
    let mut rows = rows;
    rows[2..].sort_unstable();
    assert_eq!(made, rows);
    assert_eq!(table(&Map::new()), "Takes no arguments.\n");
}
