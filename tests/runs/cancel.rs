//! Cancelling runs, in all states of their scripts.

use std::time::{Duration, Instant};

use serde_json::json;

use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TEST_TIMEOUT, TestDir};

/// Scripts that never make a call.
const STUCK: [&str; 6] = [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "return ('a'):rep(3000):find('.-.-.-.-b$')",
    "local t = {} for i = 1, 1e12 do t[i % 100] = tostring(i) end",
    // Each piece becomes garbage before the memory limit is reached.
    "while true do local kept = {} for i = 1, 50 do kept[i] = ('x'):rep(1000000) .. i end end",
    // The compiler is slow for so many nested blocks and labels, again and again.
    "local text = ('goto continue '):rep(60000) .. '::continue::' while true do load(text) end",
];

#[test]
fn cancelled_call_stops_its_run() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for code in STUCK {
        let id = client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": code}}));
        std::thread::sleep(Duration::from_millis(100));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    // All runs have ended when no session is active.
    let mut runner = RunClient(client);
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        // Without the cancellation, a run would end much later.
        assert!(Instant::now() < deadline);
        let status = runner.call_ok("alc_status", json!({}));
        if status["active_sessions"] == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(runner.run_result("return 1"), 1);
}

#[test]
fn executing_run_is_cancelled_by_another_call() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for code in STUCK {
        let id = client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": code}}));
        let session = loop {
            let status = client.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
            let found = status["result"]["structuredContent"]["sessions"][0]["session_id"].clone();
            if found.is_string() {
                break found;
            }
        };
        let cancel =
            client.send_request("tools/call", json!({"name": "alc_cancel", "arguments": {"session_id": session}}));
        let mut answers = [client.receive(), client.receive()];
        answers.sort_by_key(|answer| answer["id"].as_u64());
        assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(id), &json!(cancel)));
        let error = json!({"code": "CANCELLED", "message": "cancelled: another call cancelled the run"});
        assert_eq!(answers[0]["result"]["structuredContent"]["error"], error);
        assert_eq!(answers[1]["result"]["structuredContent"]["status"], "cancelled", "{:#}", answers[1]);
    }
}

#[test]
fn paused_run_is_cancelled_for_good() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('p')");
    let session = json!({"session_id": waits["session_id"]});
    let cancelled = runner.call_ok("alc_cancel", session.clone());
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(cancelled["stats"]["auto"]["llm_calls"], 1);
    let again = json!({"session_id": waits["session_id"], "response": "x"});
    runner.expect_refusal("alc_continue", again, "SESSION_NOT_FOUND");
    runner.expect_refusal("alc_cancel", session, "SESSION_NOT_FOUND");
    assert_eq!(std::fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 0);
}
