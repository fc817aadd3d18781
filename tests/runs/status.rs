//! `alc_status`.

use serde_json::json;

use crate::support::{Runner, TestDir};

#[test]
fn what_waits_is_shown_as_asked() {
    let dir = TestDir::new();
    let mut runner = Runner::start(&dir);
    let waits = runner.run("return alc.llm(('x'):rep(300), {system = 's'})");
    let session = waits["session_id"].clone();
    let mut pending = |filter| {
        let status = runner.ok("alc_status", json!({"session_id": session, "pending_filter": filter}));
        status["sessions"][0]["pending"].clone()
    };
    assert_eq!(pending(json!("meta")), json!([{"query_id": "q-0", "max_tokens": 1024}]));
    assert_eq!(pending(json!("preview"))[0]["prompt"], "x".repeat(200));
    assert_eq!(pending(json!("full"))[0]["prompt"], "x".repeat(300));
    assert_eq!(pending(json!({"prompt": {"mode": "preview", "chars": 3}})), json!([{"prompt": "xxx"}]));
    let status = runner.ok("alc_status", json!({"include_history": true}));
    let snapshot = &status["sessions"][0];
    assert_eq!((&status["active_sessions"], &snapshot["state"]), (&json!(1), &json!("paused")));
    assert_eq!((&snapshot["pending_queries"], &snapshot["metrics"]["conversation_history"]), (&json!(1), &json!([])));
    assert_eq!(snapshot.get("pending"), None);
    let unknown = runner.refused("alc_status", json!({"pending_filter": "x"}), "INVALID");
    assert_eq!(unknown, "unknown pending_filter preset 'x' (valid: \"meta\" | \"preview\" | \"full\")");
    let kind = runner.refused("alc_status", json!({"pending_filter": true}), "INVALID");
    assert_eq!(kind, "pending_filter must be a preset name (string) or filter object, got bool");
    let gone = runner.refused("alc_status", json!({"session_id": "s-x"}), "SESSION_NOT_FOUND");
    assert_eq!(gone, "session 's-x' not found (may have completed)");
}
