//! Fetches of declared handlers: only from hosts that the operator allows, and within the handler's time.

use std::time::Duration;

use serde_json::json;

use super::web::{Web, reply};
use super::{TEST_TIMEOUT, command};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// Calls the tool of a server whose handlers may fetch from `hosts`, and returns the result.
fn call_handler(web: &Web, hosts: &str, timeout: &str, body: &str) -> serde_json::Value {
    let dir = TestDir::new();
    dir.write_file("registry/app/t.lua", format!("return {{ call = function(arguments)\n{body}\nend }}"));
    dir.write_file(
        "registry/app/_index.yaml",
        format!(
            "version: \"1.0\"\nnamespace: app\nentries:\n  - name: t\n    kind: function.lua\n    source: file://t.lua\n    method: \
             call\n    modules: [http_client]\n    meta:\n      mcp.tool: true\n      mcp.name: t\n      mcp.description: d\n{timeout}"
        ),
    );
    let network = format!("private = [\"{}\"]\n[registry]\nhosts = [{hosts}]", web.host());
    let mut client = StdioClient::spawn(command(&dir, web, &network), ClientRevision::Legacy);
    client.initialize();
    client.call("tools/call", json!({"name": "t", "arguments": {"url": web.url("/x")}}))["result"].take()
}

const GET: &str = "local answer, why = http_client.get(arguments.url, { headers = { ['X-Own'] = 'yes' } })\n\
                   if not answer then return nil, why end\nreturn answer.status_code .. ' ' .. answer.body";

#[test]
fn handler_reaches_only_allowed_hosts() {
    let web = Web::start(|_, out| reply(out, 200, &[], "hello"));
    let own = format!("\"{}\"", web.host());
    let answer = call_handler(&web, &own, "", GET);
    assert_eq!((&answer["content"][0]["text"], &answer["isError"]), (&json!("200 hello"), &json!(false)), "{answer}");
    assert_eq!(web.seen()[0].header("x-own"), Some("yes"));
    for hosts in ["", "\"example.com\""] {
        let refused = call_handler(&web, hosts, "", GET);
        assert_eq!(refused["isError"], true, "{hosts}: {refused}");
        assert!(refused.to_string().contains("[registry] hosts"), "{hosts}: {refused}");
    }
    assert_eq!(web.seen().len(), 1);
}

#[test]
fn handler_gets_every_value_of_a_header() {
    let headers = [("set-cookie", "a=1; Path=/"), ("link", "<x>"), ("set-cookie", "b=2"), ("link", "<y>")];
    let web = Web::start(move |_, out| reply(out, 200, &headers, ""));
    let own = format!("\"{}\"", web.host());
    let body = "local answer = http_client.get(arguments.url)\nreturn answer.headers['set-cookie'] .. '|' .. answer.headers.link";
    let answer = call_handler(&web, &own, "", body);
    assert_eq!(answer["content"][0]["text"], "a=1; Path=/\nb=2|<x>, <y>", "{answer}");
}

#[test]
fn slow_host_ends_with_handler_timeout() {
    let web = Web::start(|_, _| {
        std::thread::sleep(TEST_TIMEOUT + Duration::from_secs(5));
        Ok(())
    });
    let own = format!("\"{}\"", web.host());
    // The handler's own timeout is longer than the test's.
    let patient = GET.replace("headers =", "timeout = 60, headers =");
    let answer = call_handler(&web, &own, "      mcp.timeout: 1\n", &patient);
    // A handler that times out at the last moment may still return its own error.
    let text = answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(["app:t: timed out after 1 s", "it timed out"].contains(&text), "{answer}");
}
