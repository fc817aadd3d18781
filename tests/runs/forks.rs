//! Forks: strategies side by side, in processes of their own.

use serde_json::json;

use crate::support::{Runner, TestDir};

fn strategies(dir: &TestDir) {
    dir.package("twice", "return {run = function(ctx) local a = alc.llm('t1') return {text = a .. alc.llm('t2')} end}");
    dir.package("once-more", "return {run = function(ctx) return {text = alc.llm('o ' .. ctx.task)} end}");
    dir.package("fails", "return {run = function() error('broken', 0) end}");
    dir.package("spins", "return {run = function() while true do end end}");
}

#[test]
fn no_child_waits_for_another_ones_answer() {
    let dir = TestDir::new();
    strategies(&dir);
    let mut runner = Runner::start(&dir);
    let waits = runner.run("return alc.fork({'twice', 'once-more'}, {task = 'x'})");
    let query = |prompt: &str, waits: &serde_json::Value| {
        let queries = waits["queries"].as_array().unwrap();
        queries.iter().find(|query| query["prompt"] == prompt).unwrap()["id"].clone()
    };
    let session = &waits["session_id"];
    let (first, other) = (query("t1", &waits), query("o x", &waits));
    // The other one has no answer yet, and this one goes on.
    let both = runner.ok("alc_continue", json!({"session_id": session, "query_id": first, "response": "1"}));
    let second = query("t2", &both);
    assert_eq!(query("o x", &both), other);
    let left = runner.ok("alc_continue", json!({"session_id": session, "query_id": second, "response": "2"}));
    assert_eq!(left, json!({"status": "accepted", "remaining": 1}));
    let done = runner.ok("alc_continue", json!({"session_id": session, "query_id": other, "response": "O"}));
    assert_eq!(
        done["result"],
        json!([{"strategy": "twice", "ok": true, "result": {"text": "12"}},
               {"strategy": "once-more", "ok": true, "result": {"text": "O"}}])
    );
    assert_eq!(done["stats"]["auto"]["llm_calls"], 3);
}

#[test]
fn a_failing_child_is_its_own_failure_unless_the_parent_says_otherwise() {
    let dir = TestDir::new();
    strategies(&dir);
    let mut runner = Runner::start(&dir);
    let result = runner.result("return alc.fork({'fails', 'none'}, {task = 'x'})");
    assert_eq!(result[0], json!({"strategy": "fails", "ok": false, "error": "broken"}));
    assert_eq!(result[1]["ok"], false);
    for on_error in ["fail", "abort"] {
        let code = format!("return alc.fork({{'fails'}}, {{}}, {{on_error = '{on_error}'}})");
        let why = runner.error(&code);
        assert!(why.contains("alc.fork: strategy 'fails' failed: broken"), "{why}");
    }
}

#[test]
fn what_cannot_be_forked_is_refused() {
    let dir = TestDir::new();
    dir.package("endless", "return {run = function(ctx) return alc.fork({'endless'}, ctx) end}");
    let mut runner = Runner::start(&dir);
    for (code, wanted) in [
        ("return alc.fork({}, {})", "strategies must be a non-empty array"),
        ("return alc.fork({'../x'}, {})", "invalid strategy name"),
        ("local t = {} for i = 1, 100 do t[i] = 'x' end return alc.fork(t, {})", "more than"),
    ] {
        let why = runner.error(code);
        assert!(why.contains(wanted), "{why}");
    }
    // Each level tells the one above it.
    let result = runner.result("return alc.fork({'endless'}, {})").to_string();
    assert!(result.contains("nested deeper than"), "{result}");
}

#[test]
fn a_childs_state_is_its_own() {
    let dir = TestDir::new();
    dir.package("counts", "return {run = function() return {n = alc.state.incr('n')} end}");
    let mut runner = Runner::start(&dir);
    let result = runner.result("return alc.fork({'counts', 'counts'}, {})");
    assert_eq!((&result[0]["result"]["n"], &result[1]["result"]["n"]), (&json!(1), &json!(1)));
}
