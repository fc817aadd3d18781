//! Tools that lists leave out: they are found, called with the caller's own rights, and listed where nothing finds them.

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

use super::arguments::wrong_arguments;

/// Returns the tools of every page of the list.
pub(super) fn listed_tools(client: &mut StdioClient) -> Vec<Value> {
    let (mut tools, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let mut page = client.call("tools/list", params)["result"].take();
        tools.append(page["tools"].as_array_mut().unwrap());
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            return tools;
        }
    }
}

fn names(client: &mut StdioClient) -> Vec<String> {
    listed_tools(client).iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
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

#[test]
fn query_is_a_few_words() {
    let dir = TestDir::new_demo();
    let client = &mut StdioClient::start(&dir, ClientRevision::Legacy);
    let long = call(client, "find_tools", json!({"query": "a ".repeat(2049)}));
    assert_eq!(code(&long), "invalid_arguments");
    assert!(call(client, "find_tools", json!({"query": "a ".repeat(2048)}))["structuredContent"]["tools"].is_array());
}

/// The arguments that `call_tool` passes on are checked as those of a direct call.
#[test]
fn refusal_of_arguments_is_the_same_through_call_tool() {
    let dir = TestDir::new_demo();
    let all = listed_tools(&mut StdioClient::start_with(&dir, ClientRevision::Modern, &["--service", "alc"]));
    for revision in ClientRevision::ALL {
        let client = &mut StdioClient::start(&dir, revision);
        let listed = names(client);
        let mut n_called = 0;
        for tool in all.iter().filter(|tool| !listed.iter().any(|name| tool["name"] == *name)) {
            let name = tool["name"].as_str().unwrap();
            let arguments = wrong_arguments(tool);
            let indirect = call(client, "call_tool", json!({"name": name, "arguments": arguments}));
            if tool["annotations"]["destructiveHint"] == true {
                assert_eq!(code(&indirect), "CALL_BY_NAME", "{name}");
                continue;
            }
            let direct = call(client, name, arguments);
            assert_eq!(code(&direct), "invalid_arguments", "{name}");
            assert_eq!(indirect, direct, "{name}");
            n_called += 1;
        }
        assert!(n_called >= 20, "{n_called}");
    }
}

/// `call_tool` refuses every tool that asks its client something, before the tool asks or begins a run.
#[test]
fn tool_that_asks_its_client_is_called_by_its_own_name() {
    let dir = TestDir::new();
    dir.write_package("asks_it", "return {run = function(ctx) return alc.llm('one') end}");
    let form = "elicit.form('Your name?', { type = 'object', properties = { name = { type = 'string' } } })";
    dir.write_file(
        "registry/asks/run.lua",
        format!("local elicit = require('elicit')\nreturn {{ call = function() return {form} end }}\n"),
    );
    dir.write_file(
        "registry/asks/_index.yaml",
        "version: \"1.0\"\nnamespace: asks\nentries:\n  - name: asks\n    kind: function.lua\n    \
         source: file://run.lua\n    method: call\n    modules: [elicit]\n    \
         meta: { mcp.tool: true, mcp.name: asks, mcp.description: Asks }\n",
    );
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[alc]\nsampling = true\n").unwrap();
    let nothing = json!({});
    let run = json!({"code": "return alc.llm('one')"});
    let advice = json!({"strategy": "asks_it"});
    let eval = json!({"strategy": "asks_it", "scenario": "return {cases = {{input = 'i', expected = 'e'}}}"});
    for revision in ClientRevision::ALL {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config);
        let capabilities = json!({"sampling": {}, "elicitation": {"form": {}}});
        let mut client = StdioClient::spawn(command, revision).declaring(capabilities);
        if revision == ClientRevision::Legacy {
            client.initialize();
        }
        let n_active = |client: &mut StdioClient| {
            call(client, "alc_status", json!({}))["structuredContent"]["active_sessions"].as_u64().unwrap()
        };
        let n_before = n_active(&mut client);
        let asking = [
            ("alc_run", &run, "sampling/createMessage"),
            ("alc_advice", &advice, "sampling/createMessage"),
            ("alc_eval", &eval, "sampling/createMessage"),
            ("asks", &nothing, "elicitation/create"),
        ];
        for (tool, arguments, _) in asking {
            // `StdioClient::call` fails for a message that is not the response.
            let refused = call(&mut client, "call_tool", json!({"name": tool, "arguments": arguments}));
            assert_eq!(code(&refused), "CALL_BY_NAME", "{tool}");
        }
        assert_eq!(n_active(&mut client), n_before);
        // The same arguments make each tool ask when it is called by its name.
        for (tool, arguments, method) in asking {
            client.send_request("tools/call", json!({"name": tool, "arguments": arguments}));
            let asked = client.receive();
            if revision == ClientRevision::Modern {
                let mut requests = asked["result"]["inputRequests"].as_object().unwrap().values();
                assert_eq!(requests.next().unwrap()["method"], method, "{tool}: {asked}");
                continue;
            }
            assert_eq!(asked["method"], method, "{tool}: {asked}");
            let declined = json!({"code": -1, "message": "declined"});
            client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": declined}));
            assert!(client.receive()["result"].is_object());
        }
    }
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
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path());
        let mut able = StdioClient::spawn(command, revision).declaring(all);
        if revision == ClientRevision::Legacy {
            able.initialize();
        }
        assert_eq!(names(&mut able), plain, "{revision:?}");
    }
}
