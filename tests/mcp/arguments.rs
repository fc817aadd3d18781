//! Arguments that violate the input schema of a tool: the error names each violation, not the first alone.

use serde_json::{Map, Value, json};

use super::tool_search::listed_tools;
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

const UNKNOWN: &str = "no_such_argument";

/// Returns a value of a wrong type for each argument of a tool, and an argument that the tool does not have.
pub(super) fn wrong_arguments(tool: &Value) -> Value {
    let mut arguments = Map::new();
    for (name, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
        let wrong = if schema["type"] == "boolean" { json!(5) } else { json!(false) };
        arguments.insert(name.clone(), wrong);
    }
    arguments.insert(UNKNOWN.to_owned(), json!(1));
    Value::Object(arguments)
}

/// Calls a tool that must refuse its arguments; returns the violations.
#[track_caller]
fn refusal(client: &mut StdioClient, tool: &str, arguments: &Value) -> String {
    let answer = client.call("tools/call", json!({"name": tool, "arguments": arguments}));
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{tool}: {answer}");
    let error = &result["structuredContent"]["error"];
    // Clients without structured content read the text.
    assert_eq!(result["content"][0]["text"], error["message"], "{tool}");
    let message = error["message"].as_str().unwrap();
    message.strip_prefix("invalid arguments: ").unwrap_or_else(|| panic!("{tool}: {message}")).to_owned()
}

#[test]
fn violations_of_built_in_tools_are_named_together() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let client = &mut StdioClient::start(&dir, revision);
        let text = |name: &str| format!("/{name}: the value is not of type \"string\"");
        let integer = |name: &str| format!("/{name}: the value is not of type \"integer\"");
        let unknown = "/: Additional properties are not allowed ('nonsense' was unexpected)".to_owned();
        for (tool, arguments, expected) in [
            (
                "alc_card_find",
                json!({"pkg": 1, "limit": "x", "nonsense": 1}),
                [text("pkg"), integer("limit"), unknown.clone()],
            ),
            (
                "alc_card_lineage",
                json!({"card_id": 7, "depth": "x", "nonsense": 1}),
                [text("card_id"), integer("depth"), unknown.clone()],
            ),
            (
                "search_posts",
                json!({"query": 1, "limit": "x", "nonsense": 1}),
                [text("query"), integer("limit"), unknown.clone()],
            ),
            (
                "find_tools",
                json!({"query": 1, "limit": "x", "nonsense": 1}),
                [text("query"), integer("limit"), unknown],
            ),
        ] {
            let refused = refusal(client, tool, &arguments);
            let mut violations: Vec<_> = refused.split("; ").collect();
            let mut expected = expected.each_ref().map(String::as_str);
            violations.sort_unstable();
            expected.sort_unstable();
            assert_eq!(violations, expected, "{tool}");
        }
    }
}

#[test]
fn each_argument_of_each_listed_tool_is_named() {
    let dir = TestDir::new_demo();
    for args in [&[][..], &["--service", "alc"]] {
        let client = &mut StdioClient::start_with(&dir, ClientRevision::Modern, args);
        let tools = listed_tools(client);
        assert!(tools.len() > 30, "{}", tools.len());
        for tool in &tools {
            let name = tool["name"].as_str().unwrap();
            let properties = tool["inputSchema"]["properties"].as_object();
            let is_closed = tool["inputSchema"]["additionalProperties"] == false;
            // Such a tool of the demo has nothing to refuse.
            if !is_closed && properties.is_none_or(Map::is_empty) {
                continue;
            }
            let refused = refusal(client, name, &wrong_arguments(tool));
            for argument in properties.into_iter().flatten().map(|(argument, _)| argument) {
                assert!(refused.contains(&format!("/{argument}: ")), "{name}: {argument}: {refused}");
            }
            assert!(!is_closed || refused.contains(UNKNOWN), "{name}: {refused}");
        }
    }
}
