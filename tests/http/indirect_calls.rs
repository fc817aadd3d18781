//! Calls through `call_tool`: they reach what the bearer's direct calls reach, and nothing else.

use serde_json::{Value, json};

use super::declare;
use super::owners::{call, config};
use wardroom_test_support::{HttpServer, TestDir};

const TWO: [(&str, &str); 2] = [("alice", "alice-token"), ("bob", "bob-token")];

/// Calls a tool through `call_tool`.
fn call_indirectly(server: &HttpServer, token: &str, tool: &str, arguments: &Value) -> (Value, bool) {
    call(server, token, "call_tool", &json!({"name": tool, "arguments": arguments}))
}

#[test]
fn run_of_another_token_is_out_of_reach_of_call_tool() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let code = json!({"code": "return alc.llm('the secret question')"});
    let (waits, _) = call(&server, "alice-token", "alc_run", &code);
    let session = waits["session_id"].as_str().unwrap();
    let reply = json!({"session_id": session, "response": "mine"});
    // Listed tools begin, answer, cancel and show runs: `call_tool` calls them for no bearer.
    for token in ["bob-token", "alice-token"] {
        for (tool, arguments) in [
            ("alc_run", code.clone()),
            ("alc_continue", reply.clone()),
            ("alc_cancel", json!({"session_id": session})),
            ("alc_status", json!({"session_id": session})),
            ("alc_log_view", json!({"session_id": session})),
        ] {
            let (refused, failed) = call_indirectly(&server, token, tool, &arguments);
            assert!(failed && refused["error"]["code"] == "CALL_BY_NAME", "{token} {tool}: {refused}");
        }
    }
    // The run is as it was, and there is no other one.
    for (token, n_active) in [("alice-token", 1), ("bob-token", 0)] {
        assert_eq!(call(&server, token, "alc_status", &json!({})).0["active_sessions"], n_active, "{token}");
    }
    assert_eq!(call(&server, "alice-token", "alc_continue", &reply).0["result"], "mine");
    // Unlisted tools annotate the log of a finished run, and count runs.
    let note = json!({"session_id": session, "content": "x"});
    let refused = call(&server, "bob-token", "alc_note", &note);
    assert!(refused.1 && refused.0["error"]["code"] == "NOT_FOUND", "{refused:?}");
    assert_eq!(call_indirectly(&server, "bob-token", "alc_note", &note), refused);
    let (noted, failed) = call_indirectly(&server, "alice-token", "alc_note", &note);
    assert_eq!((&noted["notes_count"], failed), (&json!(1), false), "{noted}");
    for (token, n_runs) in [("alice-token", 1), ("bob-token", 0)] {
        let counted = call_indirectly(&server, token, "alc_stats", &json!({}));
        assert_eq!(counted.0["total_sessions"], n_runs, "{token}");
        assert_eq!(call(&server, token, "alc_stats", &json!({})), counted, "{token}");
    }
}

/// A tool that a caller may not use does not exist for the caller, neither by its name nor for `call_tool`.
#[test]
fn tool_of_another_endpoint_is_out_of_reach_of_call_tool() {
    let dir = TestDir::new();
    declare(&dir, "gated", "", ", mcp.groups: [staff]", "return 'here'");
    let endpoints = "[http.endpoints.all]\npath = \"/mcp\"\ntokens = [\"alice\", \"bob\"]\n\
                     [http.endpoints.few]\npath = \"/few\"\ntokens = [\"alice\"]\n\
                     services = [\"tools\", \"resources\"]\n\
                     [http.endpoints.staff]\npath = \"/staff\"\ntokens = [\"alice\"]\ngroups = [\"staff\"]\n";
    let server = HttpServer::start_with(&dir, &config(&TWO, endpoints), &[]);
    let call_at = |path: &str, tool: &str, arguments: Value| {
        let headers = [("authorization", "Bearer alice-token".to_owned())];
        let params = json!({"name": tool, "arguments": arguments});
        server.connect().call_at(path, &headers, "tools/call", params).messages().pop().unwrap()
    };
    for (path, tool, arguments) in [
        ("/few", "alc_stats", json!({})),
        ("/few", "alc_card_list", json!({})),
        ("/few", "alc_run", json!({"code": "return 1"})),
        ("/few", "gated", json!({})),
        ("/mcp", "gated", json!({})),
    ] {
        let direct = call_at(path, tool, arguments.clone());
        assert_eq!(direct["error"]["code"], -32602, "{path} {tool}: {direct}");
        let indirect = call_at(path, "call_tool", json!({"name": tool, "arguments": arguments}));
        let error = &indirect["result"]["structuredContent"]["error"];
        let expected = format!("no tool is called {tool}: find_tools finds tools by what they do");
        assert_eq!((&error["code"], &error["message"]), (&json!("TOOL_NOT_FOUND"), &json!(expected)), "{path}");
        let found = call_at(path, "find_tools", json!({"query": tool, "limit": 20}));
        let tools = found["result"]["structuredContent"]["tools"].as_array().unwrap();
        assert!(tools.iter().all(|known| known["name"] != tool), "{path} {tool}: {found}");
    }
    // Where the caller may use them, the same calls arrive.
    let counted = call_at("/mcp", "call_tool", json!({"name": "alc_stats", "arguments": {}}));
    assert_eq!(counted["result"]["structuredContent"]["total_sessions"], 0, "{counted}");
    assert_eq!(call_at("/staff", "gated", json!({}))["result"]["content"][0]["text"], "here");
    let gated = call_at("/staff", "call_tool", json!({"name": "gated", "arguments": {}}));
    assert_eq!(gated["result"]["structuredContent"]["error"]["code"], "CALL_BY_NAME", "{gated}");
}
