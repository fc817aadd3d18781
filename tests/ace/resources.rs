//! The resources, and the notifications of their changes.

use std::time::Duration;

use serde_json::{Value, json};
use wardroom_test_support::{RunClient, run_wardroom};

use super::test_log::{TestLog, analyze, capture};

#[track_caller]
fn read(client: &mut RunClient, uri: &str) -> Value {
    let content = client.0.read_resource(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
    assert_eq!(content["mimeType"], "application/json");
    assert_eq!(content["_meta"]["wardroom/untrusted"], true);
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

#[test]
fn resources_show_bullets_sections_insights_traces_and_numbers() {
    let log = TestLog::new();
    let mut client = log.client();
    let listed = client.0.call("resources/list", json!({}));
    let uris: Vec<&str> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap()).collect();
    let fixed = ["knowledge/bullets", "knowledge/sections", "logs/recent-insights", "knowledge/stats", "proposals"];
    assert_eq!(uris, fixed.map(|path| format!("ace://{path}")));
    let templates = client.0.call("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "ace://traces/{trace_id}");

    let mut traces = Vec::new();
    for n in 0..25 {
        let word = char::from(b'a' + n);
        traces.push(capture(&mut client, &format!("b-{n}"), &format!("TS{}: {word}{word}", 3000 + u32::from(n))));
    }
    capture(&mut client, "b-0", "TS3000: aa");
    analyze(&mut client);
    client.call_ok("ace_update_knowledge", json!({"maxDeltas": 2}));
    let bullets = read(&mut client, "ace://knowledge/bullets");
    assert_eq!(bullets.as_array().unwrap().len(), 2);
    let mut fields: Vec<&String> = bullets[0].as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["content", "harmful", "helpful", "id", "score", "section"]);
    assert_eq!(
        read(&mut client, "ace://knowledge/sections"),
        json!([
            "Learned Patterns (ACE-managed)",
            "Build & Test Patterns",
            "TypeScript Patterns",
            "Dependency Patterns",
            "Architecture Patterns",
        ])
    );
    let recent = read(&mut client, "ace://logs/recent-insights");
    let stored = log.lines("logs/insights.jsonl");
    let newest: Vec<&Value> = stored.iter().rev().take(20).collect();
    assert_eq!(recent.as_array().unwrap().iter().collect::<Vec<_>>(), newest);
    let id = traces[3]["traceId"].as_str().unwrap();
    assert_eq!(read(&mut client, &format!("ace://traces/{id}")), log.traces()[3]);
    let stats = read(&mut client, "ace://knowledge/stats");
    assert_eq!(
        stats["bullets"],
        json!({"total": 2, "bySection": {"TypeScript Patterns": 2}, "helping": 0, "harming": 0,
        "unused": 2, "learned": 2})
    );
    assert_eq!(stats["traces"], json!({"total": 26, "executions": 26, "failedExecutions": 26, "errors": 26}));
    assert_eq!((&stats["insights"]["total"], &stats["linesSkipped"]), (&json!(25), &json!(0)));
    assert_eq!(stats["insights"]["recurring"][0]["pattern"], "TS3000: aa");
    for uri in ["ace://traces/none", "ace://knowledge/none", "ace://traces/a/b"] {
        let error = client.0.read_resource(uri).unwrap_err();
        assert_eq!(error["message"], format!("resource not found: {uri}"));
    }
    let error = client.0.read_resource("ace://traces/..%2F").unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("the id of a trace"), "{error}");
}

#[test]
fn resources_of_missing_files_are_not_found() {
    let log = TestLog::empty();
    let mut client = log.client();
    for name in ["knowledge/bullets", "knowledge/sections", "logs/recent-insights", "traces/x"] {
        let error = client.0.read_resource(&format!("ace://{name}")).unwrap_err();
        assert_eq!(error["message"], format!("resource not found: ace://{name}"));
    }
    assert_eq!(read(&mut client, "ace://knowledge/stats")["traces"]["total"], 0);
}

#[test]
fn subscriber_learns_of_changes() {
    let log = TestLog::new();
    let mut client = log.client();
    client.0.call("resources/subscribe", json!({"uri": "ace://knowledge/bullets"}));
    let mut other = log.client();
    // A capture is no change of the playbook.
    capture(&mut other, "b", "Cannot find module ./x.js");
    analyze(&mut other);
    assert!(client.0.is_silent_for(Duration::from_millis(500)));
    other.call_ok("ace_update_knowledge", json!({}));
    let message = client.0.receive();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    assert_eq!(message["params"]["uri"], "ace://knowledge/bullets");
}

#[test]
fn subscribers_of_every_resource_learn_of_its_changes_alone() {
    let log = TestLog::new();
    let mut writer = log.client();
    let first = capture(&mut writer, "b", "Cannot find module ./x.js");
    let id = first["traceId"].as_str().unwrap();
    // A client that subscribes within the granularity of a file's times may be told of the change before.
    log.dir.wait_until_settled("ace/logs/execution_traces.jsonl");
    let sections = |log: &TestLog| log.dir.write_file("ace/AGENTS.md", log.playbook() + "## Mine\n");
    let propose = json!({"operations": [{"op": "remove", "bulletIds": ["5e634149"], "reason": "r"}]});
    // Each change, and what it changes.
    type ChangeOfLog<'c> = (&'c str, &'c dyn Fn(&TestLog, &mut RunClient), &'c [&'c str]);
    let changes: [ChangeOfLog<'_>; 5] = [
        ("analysis", &|_, writer| drop(analyze(writer)), &["logs/recent-insights", "knowledge/stats"]),
        (
            "update",
            &|_, writer| drop(writer.call_ok("ace_update_knowledge", json!({}))),
            &["knowledge/bullets", "knowledge/sections", "knowledge/stats"],
        ),
        ("capture", &|_, writer| drop(capture(writer, "b", "x")), &["knowledge/stats", "TRACE"]),
        ("edit", &|log, _| drop(sections(log)), &["knowledge/bullets", "knowledge/sections", "knowledge/stats"]),
        ("proposal", &|_, writer| drop(writer.call_ok("ace_propose_bullets", propose.clone())), &["proposals"]),
    ];
    for (name, change, expected) in changes {
        let mut client = log.client();
        let uris = ["knowledge/bullets", "knowledge/sections", "logs/recent-insights", "knowledge/stats", "proposals"];
        let trace = format!("ace://traces/{id}");
        for uri in uris.map(|path| format!("ace://{path}")).into_iter().chain([trace.clone()]) {
            client.0.call("resources/subscribe", json!({ "uri": uri }));
        }
        change(&log, &mut writer);
        let mut updated = std::collections::BTreeSet::new();
        let expected: std::collections::BTreeSet<String> = expected
            .iter()
            .map(|path| if *path == "TRACE" { trace.clone() } else { format!("ace://{path}") })
            .collect();
        while updated.len() < expected.len() {
            let message = client.0.receive();
            assert_eq!(message["method"], "notifications/resources/updated", "{name}: {message}");
            updated.insert(message["params"]["uri"].as_str().unwrap().to_owned());
        }
        assert_eq!(updated, expected, "{name}");
        // Files that were written one after the other may be noticed so.
        while let Some(message) = client.0.receive_within(Duration::from_millis(300)) {
            assert!(expected.contains(message["params"]["uri"].as_str().unwrap()), "{name}: {message}");
        }
    }
}

#[test]
fn server_of_this_service_alone_has_the_name_of_the_original() {
    let log = TestLog::new();
    let identity = |args: &[&str]| {
        let mut command = wardroom_test_support::wardroom_command(log.dir.root());
        command.args(args).arg("--appdir").arg(log.dir.app_path());
        let mut client =
            wardroom_test_support::StdioClient::spawn(command, wardroom_test_support::ClientRevision::Legacy);
        let info = client.initialize()["result"]["serverInfo"].clone();
        (info["name"].as_str().unwrap().to_owned(), info["version"].as_str().unwrap().to_owned())
    };
    let named = |name: &str, version: &str| (name.to_owned(), version.to_owned());
    assert_eq!(identity(&["--service", "ace"]), named("ace-learning-server", "1.0.0"));
    assert_eq!(identity(&["--service", "ace,alc"]), named("wardroom", env!("CARGO_PKG_VERSION")));
    let config = log.dir.write_file("config.toml", "[server]\nname = 'mine'\nversion = '7'\n").display().to_string();
    assert_eq!(identity(&["--service", "ace", "--config", &config]), named("mine", "7"));
    let app = log.dir.app_path().display().to_string();
    let audited = run_wardroom(log.dir.root(), &["audit", "verify", "--appdir", &app]);
    audited.expect_success();
}
