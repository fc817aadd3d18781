//! Tests of the tools for cards: arguments, answers and schemas.

use std::sync::Arc;

use serde_json::{Value, json};
use wardroom_alc::Alc;
use wardroom_appdir::{Access, ambient};
use wardroom_service::{Caller, ToolEntry, ToolProvider as _};

use super::{alc, call_tool, create, run_op};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

fn store() -> TestDir {
    let dir = TestDir::new();
    let alc = alc(&dir);
    for (id, rate) in [("p_1", 0.1), ("p_2", 0.2), ("p_3", 0.3)] {
        create(&alc, json!({"card_id": id, "created_at": id, "pkg": {"name": "p"}, "stats": {"pass_rate": rate}}));
    }
    run_op(&alc, "card.write_samples", json!({"card_id": "p_1", "rows": [{"n": 1}, {"n": 2}, {"n": 3}]}));
    run_op(&alc, "card.alias_set", json!({"name": "best", "card_id": "p_3"}));
    dir
}

fn row(id: &str, rate: f64) -> Value {
    json!({"card_id": id, "pkg": "p", "created_at": id, "pass_rate": rate})
}

#[test]
fn card_list_is_paged() {
    let dir = store();
    let alc = alc(&dir);
    let list = |arguments: Value| call_tool(&alc, "alc_card_list", arguments);
    let all = json!({"cards": [row("p_3", 0.3), row("p_2", 0.2), row("p_1", 0.1)], "total": 3});
    assert_eq!(list(json!({})).unwrap(), all);
    assert_eq!(list(json!({"limit": 1})).unwrap(), json!({"cards": [row("p_3", 0.3)], "total": 3, "next_offset": 1}));
    assert_eq!(list(json!({"offset": 2, "limit": 1})).unwrap(), json!({"cards": [row("p_1", 0.1)], "total": 3}));
    assert_eq!(list(json!({"pkg": "none"})).unwrap(), json!({"cards": [], "total": 0}));
    assert_eq!(
        list(json!({"limit": 10_001})).unwrap_err(),
        "LIMIT_TOO_LARGE: limit exceeds 10000: ask for pages with offset"
    );
    assert_eq!(list(json!({"pkg": "a/b"})).unwrap_err(), "INVALID_NAME: Invalid pkg name: 'a/b'");
    assert!(list(json!({"what": 1})).unwrap_err().starts_with("invalid_arguments: "));
}

#[test]
fn json_strings_are_accepted_as_arguments() {
    let dir = store();
    let alc = alc(&dir);
    let find = |arguments: Value| call_tool(&alc, "alc_card_find", arguments);
    let clause = json!({"stats": {"pass_rate": {"gt": 0.1}}});
    let expected = json!({"cards": [row("p_2", 0.2), row("p_3", 0.3)], "total": 2});
    for (clause, order) in [
        (clause.clone(), json!("stats.pass_rate")),
        (json!(clause.to_string()), json!(["stats.pass_rate"])),
        (clause, json!("[\"stats.pass_rate\"]")),
    ] {
        assert_eq!(find(json!({"where": clause, "order_by": order})).unwrap(), expected);
    }
    assert_eq!(
        find(json!({"where": "{"})).unwrap_err(),
        "invalid_arguments: where is a string, but not a JSON object: not JSON at line 1 column 1"
    );
    assert_eq!(find(json!({"where": 5})).unwrap_err(), "INVALID_WHERE: where clause must be a table");
    assert_eq!(find(json!({"order_by": ""})).unwrap_err(), "INVALID_ORDER_BY: order_by key must not be empty");
    let appended =
        call_tool(&alc, "alc_card_append", json!({"card_id": "p_1", "fields": "{\"note\": \"n\"}"})).unwrap();
    assert_eq!(appended["note"], "n");
}

#[test]
fn card_alias_and_sample_answers_are_objects() {
    let dir = store();
    let alc = alc(&dir);
    let card = call_tool(&alc, "alc_card_get", json!({"card_id": "p_3"})).unwrap();
    assert_eq!((&card["card_id"], &card["stats"]["pass_rate"]), (&json!("p_3"), &json!(0.3)));
    assert_eq!(call_tool(&alc, "alc_card_get_by_alias", json!({"name": "best"})).unwrap(), card);
    let alias = json!({"name": "best", "card_id": "p_3", "set_at": "2026-11-21T02:44:17Z"});
    assert_eq!(call_tool(&alc, "alc_card_alias_list", json!({})).unwrap(), json!({"aliases": [alias]}));
    let set = call_tool(&alc, "alc_card_alias_set", json!({"name": "best", "card_id": "p_1"})).unwrap();
    assert_eq!((&set["name"], &set["card_id"]), (&json!("best"), &json!("p_1")));
    let samples = |arguments: Value| call_tool(&alc, "alc_card_samples", arguments).unwrap();
    assert_eq!(
        samples(json!({"card_id": "p_1", "limit": 2})),
        json!({"samples": [{"n": 1}, {"n": 2}], "total": 3, "next_offset": 2})
    );
    assert_eq!(
        samples(json!({"card_id": "p_1", "where": {"n": {"gt": 1}}, "limit": 1})),
        json!({"samples": [{"n": 2}], "next_offset": 1})
    );
    for (tool, arguments, expected) in [
        ("alc_card_get", json!({"card_id": "gone"}), "CARD_NOT_FOUND: card 'gone' not found"),
        ("alc_card_get", json!({"card_id": "../x"}), "INVALID_NAME: Invalid card_id name: '../x'"),
        ("alc_card_get_by_alias", json!({"name": "gone"}), "ALIAS_NOT_FOUND: alias 'gone' not found"),
        ("alc_card_samples", json!({"card_id": "gone"}), "CARD_NOT_FOUND: card 'gone' not found"),
        (
            "alc_card_append",
            json!({"card_id": "p_1", "fields": {"pkg": 1}}),
            "KEY_ALREADY_SET: alc.card.append: key 'pkg' already set on card 'p_1' (immutable)",
        ),
        (
            "alc_card_append",
            json!({"card_id": "p_1", "fields": [1]}),
            "INVALID_CARD: alc.card.append: fields must be a table",
        ),
    ] {
        assert_eq!(call_tool(&alc, tool, arguments).unwrap_err(), expected, "{tool}");
    }
}

#[test]
fn torn_last_sample_is_ignored() {
    let dir = store();
    dir.write_file("cards/p/p_2.samples.jsonl", "{\"n\": 1}\n\n{\"n\": 2");
    assert_eq!(
        call_tool(&alc(&dir), "alc_card_samples", json!({"card_id": "p_2"})).unwrap(),
        json!({"samples": [{"n": 1}], "total": 1})
    );
}

#[test]
fn collection_in_granted_folder_is_installed() {
    let dir = store();
    let alc = alc(&dir);
    let below = |name: &str, text: &str| dir.write_file(&format!("collections/c/{name}"), text);
    below("alc_cards.toml", "");
    below("p/p_1.toml", "schema_version = \"card/v0\"\ncard_id = \"p_1\"\n");
    below("p/p_9.toml", "schema_version = \"card/v0\"\ncard_id = \"p_9\"\n");
    below("p/p_9.samples.jsonl", "{}\n");
    // An attempt that was killed before it wrote the card left these.
    dir.write_file("cards/p/p_9.samples.jsonl", "{\"of\": \"before\"}\n");
    below("p/other.toml", "title = \"no card\"\n");
    below("_hidden/x.toml", "schema_version = \"card/v0\"\n");
    std::fs::write(dir.root().join("secret.toml"), "schema_version = \"card/v0\"\n").unwrap();
    std::os::unix::fs::symlink("../../../../secret.toml", dir.app_path().join("collections/c/p/link.toml")).unwrap();
    let path = dir.app_path().join("collections/x/../c").display().to_string();
    let install = |url: &str| call_tool(&alc, "alc_card_install", json!({"url": url}));
    assert_eq!(
        install(&path).unwrap(),
        json!({"installed_cards": ["p_9"], "skipped_cards": ["p_1"], "packages": ["p"], "source": path, "mode": "card_collection"})
    );
    let samples = call_tool(&alc, "alc_card_samples", json!({"card_id": "p_9"})).unwrap();
    assert_eq!(samples["samples"], json!([{}]));
    assert_eq!(call_tool(&alc, "alc_card_get", json!({"card_id": "p_1"})).unwrap()["stats"]["pass_rate"], 0.1);

    let no_collection = install(&dir.app_path().join("cards").display().to_string()).unwrap_err();
    assert!(no_collection.starts_with("NOT_A_COLLECTION: ") && no_collection.ends_with("it has no alc_cards.toml"));
    let outside = dir.root().display().to_string();
    let refused = install(&outside).unwrap_err();
    assert!(refused.starts_with(&format!("NOT_MOUNTED: {outside} is in no folder")), "{refused}");
    assert!(
        refused.contains("mount add ") && refused.contains(&format!(" '{outside}' --as files --read-only`")),
        "{refused}"
    );
    for climbing in [format!("{}/../..", dir.app_path().display()), "../x".to_owned(), "/".to_owned()] {
        assert!(install(&climbing).unwrap_err().starts_with("NOT_MOUNTED: "), "{climbing}");
    }
    for url in ["https://example.com/cards.git", "git@example.com:cards", "github.com/a/b"] {
        assert!(install(url).unwrap_err().starts_with("NETWORK_OFF: "), "{url}");
    }
}

#[test]
fn collection_in_mount_is_installed() {
    use wardroom_alc::{Alc, AlcFolders, PackageMount};
    use wardroom_appdir::LineIndexCache;
    let dir = store();
    let path = dir.root().join("mount");
    std::fs::create_dir_all(path.join("c/p")).unwrap();
    std::fs::write(path.join("c/alc_cards.toml"), "").unwrap();
    std::fs::write(path.join("c/p/p_9.toml"), "schema_version = \"card/v0\"\n").unwrap();
    let folder = ambient::open_folder(&path, Access::ReadOnly).unwrap();
    let linked = vec![PackageMount::Collection { folder, path: path.clone() }];
    let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: linked };
    let alc = Arc::new(Alc::new(folders, Arc::clone(&wardroom_test_support::SANDBOX), LineIndexCache::new(None)));
    let installed = call_tool(&alc, "alc_card_install", json!({"url": path.join("c").display().to_string()})).unwrap();
    assert_eq!(installed["installed_cards"], json!(["p_9"]));
}

#[test]
fn read_only_server_offers_reading_tools_only() {
    let dir = store();
    let names = |args: &[&str]| -> Vec<String> {
        let mut client = StdioClient::start_with(&dir, ClientRevision::Modern, &[&["--service", "alc"], args].concat());
        let tools = client.call("tools/list", json!({}));
        let tools = tools["result"]["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .filter(|name| name.starts_with("alc_card_"))
            .collect()
    };
    let all = [
        "alc_card_list",
        "alc_card_get",
        "alc_card_find",
        "alc_card_get_by_alias",
        "alc_card_alias_list",
        "alc_card_alias_set",
        "alc_card_append",
        "alc_card_samples",
        "alc_card_lineage",
        "alc_card_sink_backfill",
        "alc_card_install",
    ];
    assert_eq!(names(&[]), all);
    let writes = ["alc_card_alias_set", "alc_card_append", "alc_card_sink_backfill", "alc_card_install"];
    let reads: Vec<&str> = all.into_iter().filter(|name| !writes.contains(name)).collect();
    assert_eq!(names(&["--read-only"]), reads);
}

fn tools(alc: &Alc) -> Vec<Arc<ToolEntry>> {
    alc.list(None, usize::MAX, &Caller::default())
}

#[test]
fn every_schema_is_an_object_without_references() {
    let dir = TestDir::new();
    for tool in tools(&alc(&dir)).into_iter().filter(|tool| tool.name.starts_with("alc_card_")) {
        for schema in [&tool.input_schema, &tool.output_schema.as_ref().unwrap().documented] {
            let schema = Value::Object((**schema).clone());
            assert_eq!(schema["type"], "object", "{}: {schema}", tool.name);
            assert!(!schema.to_string().contains("$ref"), "{}: {schema}", tool.name);
        }
    }
}

/// Collects the violations of a schema, for the keywords that these schemas use.
fn collect_violations(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let kinds = |schema: &Value| -> Vec<String> {
        let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        kinds.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect()
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = kinds(schema);
    if !kinds.is_empty() && !kinds.iter().any(|k| k == kind || k == "number" && kind == "integer") {
        found.push(format!("{at} is {kind}: {schema}"));
    }
    // The schema of a whole answer allows a result or an error.
    let required = schema.pointer("/anyOf/0/required").unwrap_or(&schema["required"]);
    for name in required.as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            found.push(format!("{at} has no {name}"));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            collect_violations(schema, value, &format!("{at}.{name}"), found);
        }
    }
    if schema["items"].is_object() {
        for value in value.as_array().into_iter().flatten() {
            collect_violations(&schema["items"], value, &format!("{at}[]"), found);
        }
    }
}

#[test]
fn answers_match_their_schemas() {
    let dir = store();
    let alc = alc(&dir);
    create(&alc, json!({"card_id": "bare", "pkg": {"name": "q"}, "metadata": {"prior_card_id": "p_1"}}));
    dir.write_file("c/alc_cards.toml", "");
    let tools = tools(&alc);
    for (tool, arguments) in [
        ("alc_card_list", json!({"limit": 2})),
        ("alc_card_list", json!({})),
        ("alc_card_find", json!({"order_by": "stats.pass_rate"})),
        ("alc_card_get", json!({"card_id": "bare"})),
        ("alc_card_get_by_alias", json!({"name": "best"})),
        ("alc_card_alias_list", json!({})),
        ("alc_card_alias_set", json!({"name": "other", "card_id": "bare", "note": "n"})),
        ("alc_card_append", json!({"card_id": "bare", "fields": {"more": 1}})),
        ("alc_card_samples", json!({"card_id": "p_1", "limit": 1})),
        ("alc_card_samples", json!({"card_id": "p_1", "where": {"n": 1}})),
        ("alc_card_lineage", json!({"card_id": "bare"})),
        ("alc_card_install", json!({"url": dir.app_path().join("c").display().to_string()})),
    ] {
        let answer = call_tool(&alc, tool, arguments).unwrap();
        let schema = tools.iter().find(|entry| entry.name == tool).unwrap().output_schema.clone().unwrap().documented;
        let schema = Value::Object((*schema).clone());
        let mut found = Vec::new();
        collect_violations(&schema, &answer, tool, &mut found);
        assert!(found.is_empty(), "{found:?}: {answer}");
    }
}

#[test]
fn client_gets_structured_answers_and_errors() {
    let dir = store();
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        let mut call = |name: &str, arguments: Value| {
            client.call("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
        };
        let found = call("alc_card_find", json!({"where": {"card_id": "p_2"}}));
        assert_eq!(found["structuredContent"], json!({"cards": [row("p_2", 0.2)], "total": 1}));
        assert_eq!(call("alc_card_get", json!({"card_id": "p_2"}))["structuredContent"]["card_id"], "p_2");
        let missing = call("alc_card_get", json!({"card_id": "gone"}));
        assert_eq!(missing["isError"], true);
        let error = json!({"error": {"code": "CARD_NOT_FOUND", "message": "card 'gone' not found"}});
        assert_eq!(missing["structuredContent"], error);
    }
}
