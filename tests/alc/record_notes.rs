//! Notes are appended to a log in order, and none is lost.

use std::fs;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TestAlcService, TestDir};

const LOG: &str = "{\n  \"session_id\": \"s\",\n  \"n\": 1.50,\n  \"transcript\": [{\"prompt\": \"}]\"}]\n}\n";

fn text(dir: &TestDir) -> String {
    fs::read_to_string(dir.app_path().join("logs/s.json")).unwrap()
}

fn notes(dir: &TestDir) -> Vec<Value> {
    let log: Value = serde_json::from_str(&text(dir)).unwrap();
    log["notes"].as_array().cloned().unwrap_or_default()
}

fn note(content: &str) -> Value {
    json!({"session_id": "s", "content": content})
}

#[test]
fn adding_a_note_keeps_the_rest_of_the_log_verbatim() {
    let dir = TestDir::new();
    dir.write_file("logs/s.json", LOG);
    let service = TestAlcService::new(&dir);
    let first = service.call("alc_note", json!({"session_id": "s", "content": "a\n\"b\"", "title": "T"})).unwrap();
    assert_eq!(first, json!({"session_id": "s", "notes_count": 1}));
    let timestamp = notes(&dir)[0]["timestamp"].as_u64().unwrap();
    let head = LOG.strip_suffix("\n}\n").unwrap();
    let expected = format!(
        "{head},\n  \"notes\": [\n    {{\n      \"timestamp\": {timestamp},\n      \"title\": \"T\",\n      \
         \"content\": \"a\\n\\\"b\\\"\"\n    }}\n  ]\n}}\n"
    );
    assert_eq!(text(&dir), expected);
    assert_eq!(service.call("alc_note", note("second")).unwrap()["notes_count"], 2);
    assert!(text(&dir).starts_with(expected.strip_suffix("\n  ]\n}\n").unwrap()));
    assert_eq!(notes(&dir)[1]["title"], Value::Null);
    // The log reads as before.
    assert_eq!(service.call("alc_log_view", json!({"session_id": "s"})).unwrap()["notes"][1]["content"], "second");
}

#[test]
fn note_is_added_to_any_valid_log_form() {
    for (log, count) in [
        ("{}", 1),
        (" { } ", 1),
        ("{\"a\":1}", 1),
        ("{\"notes\":[]}", 1),
        ("{\"notes\" : [ ] , \"z\":{}}", 1),
        ("{\"notes\":[{\"content\":\"]\"}],\"z\":1}", 2),
        ("{\"notes\":[1,\n2\n]}\n", 3),
    ] {
        let dir = TestDir::new();
        dir.write_file("logs/s.json", log);
        let answer = TestAlcService::new(&dir).call("alc_note", note("x")).unwrap();
        assert_eq!(answer["notes_count"], count, "{log}");
        assert_eq!(notes(&dir).len(), count, "{log}");
        assert_eq!(notes(&dir)[count - 1]["content"], "x", "{log}");
        let (mut before, mut after): (Value, Value) =
            (serde_json::from_str(log).unwrap(), serde_json::from_str(&text(&dir)).unwrap());
        for log in [&mut before, &mut after] {
            log.as_object_mut().unwrap().remove("notes");
        }
        assert_eq!(before, after);
    }
}

#[test]
fn summary_counts_notes() {
    let dir = TestDir::new();
    dir.write_file("logs/s.json", LOG);
    let service = TestAlcService::new(&dir);
    service.call("alc_note", note("without a summary")).unwrap();
    assert!(!dir.app_path().join("logs/s.meta.json").exists());
    let summary = dir.write_file("logs/s.meta.json", "{\"session_id\":\"s\",\"notes_count\":0,\"elapsed_ms\":5}");
    service.call("alc_note", note("with one")).unwrap();
    let expected = "{\"elapsed_ms\":5,\"notes_count\":2,\"session_id\":\"s\"}";
    assert_eq!(fs::read_to_string(&summary).unwrap(), expected);
    // A malformed summary does not prevent a note.
    fs::write(&summary, "broken").unwrap();
    assert_eq!(service.call("alc_note", note("third")).unwrap()["notes_count"], 3);
}

#[test]
fn refused_note_changes_nothing() {
    let dir = TestDir::new();
    for (name, log) in [("s", LOG), ("list", "[]"), ("odd", "{\"notes\": {}}"), ("torn", "{\"a\": 1} }")] {
        dir.write_file(&format!("logs/{name}.json"), log);
    }
    let service = TestAlcService::new(&dir);
    let long = "x".repeat(64 * 1024 + 1);
    for (arguments, expected) in [
        (json!({"session_id": "none", "content": "x"}), "NOT_FOUND Log file not found for session 'none'"),
        (
            json!({"session_id": "a/b", "content": "x"}),
            "INVALID_SESSION_ID the session_id contains reserved character '/'",
        ),
        (json!({"session_id": "list", "content": "x"}), "MALFORMED Log file is not a JSON object"),
        (json!({"session_id": "odd", "content": "x"}), "MALFORMED 'notes' field is not an array"),
        (json!({"session_id": "s", "content": long}), "NOTE_TOO_LARGE the content has 64.1 KiB, the limit is 64 KiB"),
        (
            json!({"session_id": "s", "content": "x", "title": "x".repeat(1025)}),
            "NOTE_TOO_LARGE the title has 1.1 KiB, the limit is 1 KiB",
        ),
    ] {
        assert_eq!(service.tool_refusal("alc_note", arguments), expected);
    }
    let torn = service.call("alc_note", json!({"session_id": "torn", "content": "x"})).unwrap_err();
    let expected = "Failed to parse the log of session 'torn': not JSON at line 1 column 10";
    assert_eq!(torn.to_string(), expected);
    assert_eq!(text(&dir), LOG);
    assert_eq!(fs::read_to_string(dir.app_path().join("logs/torn.json")).unwrap(), "{\"a\": 1} }");
    // A missing log is not locked.
    assert!(!dir.app_path().join("logs/.none.json.lock").exists());
}

#[test]
fn concurrent_servers_lose_no_note() {
    const NOTES: usize = 40;
    let dir = TestDir::new();
    dir.write_file("logs/s.json", LOG);
    let mut clients =
        [StdioClient::start(&dir, ClientRevision::Legacy), StdioClient::start(&dir, ClientRevision::Modern)];
    for n in 0..NOTES {
        for client in &mut clients {
            client.send_request("tools/call", json!({"name": "alc_note", "arguments": note(&n.to_string())}));
        }
    }
    for client in &mut clients {
        for _ in 0..NOTES {
            let answer = client.receive();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
    }
    let mut found: Vec<usize> =
        notes(&dir).iter().map(|note| note["content"].as_str().unwrap().parse().unwrap()).collect();
    found.sort_unstable();
    let expected: Vec<usize> = (0..NOTES).flat_map(|n| [n, n]).collect();
    assert_eq!(found, expected);
}

#[test]
fn killed_server_leaves_a_valid_log_with_every_acknowledged_note() {
    let dir = TestDir::new();
    dir.write_file("logs/s.json", LOG);
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    for n in 0..100 {
        client.send_request("tools/call", json!({"name": "alc_note", "arguments": note(&n.to_string())}));
    }
    for _ in 0..5 {
        assert_eq!(client.receive()["result"]["isError"], false);
    }
    // Dropping the client kills the server.
    drop(client);
    let before = notes(&dir).len();
    assert!(before >= 5, "{before}");
    let answer = TestAlcService::new(&dir).call("alc_note", note("next")).unwrap();
    assert_eq!(answer["notes_count"], before + 1);
}
