//! Tools that lists leave out: they are found, called with the caller's own rights, and listed where nothing finds them.

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

fn names(client: &mut StdioClient) -> Vec<String> {
    let (mut names, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let page = client.call("tools/list", params)["result"].take();
        names.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return names;
        }
    }
}

fn call(client: &mut StdioClient, name: &str, arguments: Value) -> Value {
    let mut params = json!({"name": name});
    params["arguments"] = arguments;
    client.call("tools/call", params)["result"].take()
}

fn code(answer: &Value) -> &str {
    assert_eq!(answer["isError"], true, "{answer}");
    answer["structuredContent"]["error"]["code"].as_str().unwrap()
}

#[test]
fn unlisted_tool_is_found_with_its_schema_and_called() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let client = &mut StdioClient::start(&dir, revision);
        let listed = names(client);
        assert!(listed.iter().filter(|name| name.starts_with("alc_")).count() == 12, "{listed:?}");
        for name in ["find_tools", "call_tool", "alc_run", "search_posts", "add"] {
            assert!(listed.iter().any(|known| known == name), "{name}: {listed:?}");
        }
        let found = call(client, "find_tools", json!({"query": "nicknames of cards"}))["structuredContent"].take();
        let first = &found["tools"][0];
        assert!(first["name"].as_str().unwrap().starts_with("alc_card_"), "{found:#}");
        assert_eq!((&first["inputSchema"]["type"], &first["callBy"]), (&json!("object"), &json!("call_tool")));
        let mistyped =
            call(client, "find_tools", json!({"query": "lineag of a cart", "limit": 1}))["structuredContent"].take();
        assert_eq!(mistyped["tools"][0]["name"], "alc_card_lineage", "{mistyped:#}");
        // The answer is the tool's own, as is its refusal.
        let aliases = call(client, "alc_card_alias_list", json!({}));
        let same = call(client, "call_tool", json!({"name": "alc_card_alias_list", "arguments": {}}));
        assert_eq!(same["structuredContent"], aliases["structuredContent"]);
        let missing = call(client, "call_tool", json!({"name": "alc_card_get", "arguments": {"card_id": "none"}}));
        assert_eq!(code(&missing), code(&call(client, "alc_card_get", json!({"card_id": "none"}))));
    }
}

#[test]
fn listed_and_destructive_tools_are_called_by_their_own_names() {
    let dir = TestDir::new_demo();
    let client = &mut StdioClient::start(&dir, ClientRevision::Legacy);
    for name in ["alc_run", "add", "search_posts", "find_tools", "call_tool", "alc_pkg_remove", "alc_hub_gendoc"] {
        let refused = call(client, "call_tool", json!({"name": name, "arguments": {"name": "cot"}}));
        assert_eq!(code(&refused), "CALL_BY_NAME", "{name}");
    }
    assert!(dir.app_path().join("packages/cot").exists());
    let unknown = call(client, "call_tool", json!({"name": "alc_card_lineges"}));
    assert_eq!(code(&unknown), "TOOL_NOT_FOUND");
    let message = unknown["structuredContent"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("did you mean alc_card_lineage?"), "{message}");
}

/// What a caller may not see is neither found nor called.
#[test]
fn tool_of_another_scope_stays_hidden() {
    let dir = TestDir::new_demo();
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    let found = call(client, "find_tools", json!({"query": "server_info: tells how the server is", "limit": 20}));
    assert!(!found.to_string().contains("server_info"), "{found:#}");
    assert_eq!(code(&call(client, "call_tool", json!({"name": "server_info"}))), "TOOL_NOT_FOUND");
}

#[test]
fn everything_is_listed_where_nothing_searches() {
    let dir = TestDir::new_demo();
    let alone = names(&mut StdioClient::start_with(&dir, ClientRevision::Modern, &["--service", "alc"]));
    assert!(alone.len() == 44 && !alone.contains(&"find_tools".to_owned()), "{alone:?}");
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[alc]\ntools = \"all\"\n[server]\noutput_schemas = false\n").unwrap();
    let args = ["--config", &config.display().to_string()];
    let client = &mut StdioClient::start_with(&dir, ClientRevision::Modern, &args);
    let all = names(client);
    assert!(all.contains(&"alc_card_lineage".to_owned()) && !all.contains(&"call_tool".to_owned()), "{all:?}");
    let page = client.call("tools/list", json!({}))["result"].take();
    assert!(!page.to_string().contains("outputSchema"));
}

#[test]
fn lists_are_the_same_whatever_a_client_declares() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let plain = names(&mut StdioClient::start(&dir, revision));
        let all = json!({"sampling": {}, "elicitation": {}, "roots": {}});
        let mut command = wardroom_test_support::wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path());
        let mut able = StdioClient::spawn(command, revision).declaring(all);
        if revision == ClientRevision::Legacy {
            able.initialize();
        }
        assert_eq!(names(&mut able), plain, "{revision:?}");
    }
}
