//! `alc_status`.

use std::time::Instant;

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TEST_TIMEOUT, TestDir};

#[test]
fn pending_queries_are_shown_by_filter() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm(('x'):rep(300), {system = 's'})");
    let session = waits["session_id"].clone();
    let mut pending = |filter| {
        let status = runner.call_ok("alc_status", json!({"session_id": session, "pending_filter": filter}));
        status["sessions"][0]["pending"].clone()
    };
    assert_eq!(pending(json!("meta")), json!([{"query_id": "q-0", "max_tokens": 1024}]));
    assert_eq!(pending(json!("preview"))[0]["prompt"], "x".repeat(200));
    assert_eq!(pending(json!("full"))[0]["prompt"], "x".repeat(300));
    assert_eq!(pending(json!({"prompt": {"mode": "preview", "chars": 3}})), json!([{"prompt": "xxx"}]));
    let status = runner.call_ok("alc_status", json!({"include_history": true}));
    let snapshot = &status["sessions"][0];
    assert_eq!((&status["active_sessions"], &snapshot["state"]), (&json!(1), &json!("paused")));
    assert_eq!((&snapshot["pending_queries"], &snapshot["metrics"]["conversation_history"]), (&json!(1), &json!([])));
    assert_eq!(snapshot.get("pending"), None);
    let unknown = runner.expect_refusal("alc_status", json!({"pending_filter": "x"}), "INVALID");
    assert_eq!(unknown, "unknown pending_filter preset 'x' (valid: \"meta\" | \"preview\" | \"full\")");
    let kind = runner.expect_refusal("alc_status", json!({"pending_filter": true}), "INVALID");
    assert_eq!(kind, "pending_filter must be a preset name (string) or filter object, got bool");
    let gone = runner.expect_refusal("alc_status", json!({"session_id": "s-x"}), "SESSION_NOT_FOUND");
    assert_eq!(gone, "session 's-x' not found (may have completed)");
}

#[test]
fn long_journals_of_other_servers_are_listed_with_their_times_alone() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let mut start = |bytes: usize| {
        let arguments = json!({"code": "return alc.llm('p')", "ctx": {"pad": "x".repeat(bytes)}});
        runner.call_ok("alc_run", arguments)["session_id"].clone()
    };
    // The newest is read first; then the other long one would be too much.
    let (short, old, new) = (start(10), start(5 * 1024 * 1024), start(5 * 1024 * 1024));
    let mut other = RunClient::start(&dir);
    let listed = other.call_ok("alc_status", json!({}));
    assert_eq!(listed["active_sessions"], 3);
    let queries = |id: &Value| {
        let rows = listed["sessions"].as_array().unwrap();
        rows.iter().find(|row| row["session_id"] == *id).unwrap().get("pending_queries").cloned()
    };
    assert_eq!([queries(&short), queries(&old), queries(&new)], [Some(json!(1)), None, Some(json!(1))]);
}

#[test]
fn runs_of_other_servers_are_listed() {
    let dir = TestDir::new();
    dir.write_package("asks", "return {run = function() alc.llm('what?') while true do end end}");
    let mut runner = RunClient::start(&dir);
    let waits = runner.call_ok("alc_advice", json!({"strategy": "asks", "task": "t"}));
    let mut other = RunClient::start(&dir);
    let own = runner.call_ok("alc_status", json!({}))["sessions"][0].clone();
    let listed = other.call_ok("alc_status", json!({}));
    assert_eq!((&listed["active_sessions"], listed["sessions"].as_array().unwrap().len()), (&json!(1), 1));
    let row = &listed["sessions"][0];
    for known in ["session_id", "strategy", "state", "phase", "started_at", "pending_queries"] {
        assert_eq!(row[known], own[known], "{listed:#}");
    }
    assert_eq!((&row["strategy"], &row["pending_queries"]), (&json!("asks"), &json!(1)));
    let filtered = other.call_ok("alc_status", json!({"pending_filter": "full", "include_history": true}));
    assert_eq!(filtered["sessions"][0]["pending"][0]["prompt"], "what?", "{filtered:#}");
    assert!(row["last_activity_at"].as_u64() >= row["started_at"].as_u64(), "{listed:#}");
    // One run by its id, with the contents of its journal.
    let asked = json!({"session_id": waits["session_id"], "pending_filter": "full"});
    let one = other.call_ok("alc_status", asked.clone())["sessions"][0].clone();
    let told = runner.call_ok("alc_status", asked.clone())["sessions"][0].clone();
    for known in ["session_id", "strategy", "state", "started_at", "pending_queries", "pending"] {
        assert_eq!(one[known], told[known], "{one:#}");
    }
    assert_eq!(one["pending"][0]["prompt"], "what?");
    // The state while the other server executes the run.
    let answer = json!({"session_id": waits["session_id"], "response": "x"});
    runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer}));
    let deadline = Instant::now() + TEST_TIMEOUT;
    while other.call_ok("alc_status", json!({}))["sessions"][0]["state"] != "running" {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(other.call_ok("alc_status", asked.clone())["sessions"][0]["state"], "running");
    drop(runner);
    assert_eq!(other.call_ok("alc_status", asked.clone())["sessions"][0]["state"], "paused");
    other.call_ok("alc_cancel", json!({"session_id": waits["session_id"]}));
    assert_eq!(other.call_ok("alc_status", json!({}))["active_sessions"], 0);
    other.expect_refusal("alc_status", asked, "SESSION_NOT_FOUND");
}

#[test]
fn run_that_another_server_answered_is_shown_as_it_is() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("local a = alc.llm('first') return a .. alc.llm('second')");
    let session = waits["session_id"].clone();
    let mut other = RunClient::start(&dir);
    let answer = json!({"session_id": session, "query_id": waits["query_id"], "response": "a"});
    assert_eq!(other.call_ok("alc_continue", answer)["prompt"], "second");
    for arguments in [json!({"session_id": session, "pending_filter": "full"}), json!({"pending_filter": "full"})] {
        let status = runner.call_ok("alc_status", arguments);
        assert_eq!(status["active_sessions"], 1, "{status:#}");
        assert_eq!(status["sessions"][0]["pending"][0]["prompt"], "second", "{status:#}");
        assert_eq!(status["sessions"][0]["pending_queries"], 1, "{status:#}");
    }
    // Each goes on from what the other one wrote.
    let query = runner.call_ok("alc_status", json!({"pending_filter": "full"}))["sessions"][0]["pending"][0].clone();
    let answer = json!({"session_id": session, "query_id": query["query_id"], "response": "b"});
    assert_eq!(runner.call_ok("alc_continue", answer)["result"], "ab");
}
