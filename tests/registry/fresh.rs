//! Requests that ask for what is stored now, on a server that nothing tells of changes: as one of several machines.

use std::fs;

use serde_json::{Value, json};

use super::{declare, tool};
use wardroom_test_support::{ClientRevision, HttpServer, StdioClient, TestDir};

const WATCH_NOTHING: &str = "[server]\nwatch = \"off\"\n";

fn declare_answer(dir: &TestDir, answer: &str) {
    declare(dir, &tool(dir, "tells", "", &format!("return '{answer}'")));
}

fn params(is_fresh: bool) -> Value {
    json!({"name": "tells", "arguments": {}, "_meta": {"wardroom/fresh": is_fresh}})
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn listed(answer: &Value) -> Vec<&str> {
    answer["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn request_that_asks_for_what_is_stored_sees_changes_that_nothing_reports() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new();
        declare_answer(&dir, "first");
        let config = dir.root().join("config.toml");
        fs::write(&config, WATCH_NOTHING).unwrap();
        let args = ["--config", config.to_str().unwrap(), "--service", "registry"];
        let mut client = StdioClient::start_with(&dir, revision, &args);
        assert_eq!(text(&client.call("tools/call", params(false))), "first");
        declare_answer(&dir, "second");
        assert_eq!(text(&client.call("tools/call", params(false))), "first");
        assert_eq!(text(&client.call("tools/call", params(true))), "second");
        assert_eq!(text(&client.call("tools/call", params(false))), "second");

        let more = format!("{}{}", tool(&dir, "tells", "", "return 1"), tool(&dir, "new", "", "return 2"));
        declare(&dir, &more);
        let list = |client: &mut StdioClient, is_fresh| {
            client.call("tools/list", json!({"_meta": {"wardroom/fresh": is_fresh}}))
        };
        assert_eq!(listed(&list(&mut client, false)), ["tells"]);
        assert_eq!(listed(&list(&mut client, true)), ["new", "tells"]);
    }
}

/// Over HTTP a tool is resolved before its call is handled.
#[test]
fn request_over_http_sees_changes_that_nothing_reports() {
    let dir = TestDir::new();
    declare_answer(&dir, "first");
    let server = HttpServer::start_with(&dir, WATCH_NOTHING, &["--service", "registry"]);
    let call = |is_fresh| server.call("tools/call", params(is_fresh)).json();
    assert_eq!(text(&call(false)), "first");
    declare_answer(&dir, "second");
    assert_eq!(text(&call(false)), "first");
    assert_eq!(text(&call(true)), "second");
}
