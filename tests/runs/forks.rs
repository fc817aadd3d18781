//! Forks: concurrent strategies, in processes of their own.

use serde_json::json;

use wardroom_test_support::{RunClient, TestDir};

fn strategies(dir: &TestDir) {
    dir.write_package(
        "twice",
        "return {run = function(ctx) local a = alc.llm('t1') return {text = a .. alc.llm('t2')} end}",
    );
    dir.write_package("once-more", "return {run = function(ctx) return {text = alc.llm('o ' .. ctx.task)} end}");
    dir.write_package("fails", "return {run = function() error('broken', 0) end}");
    dir.write_package("spins", "return {run = function() while true do end end}");
}

#[test]
fn child_continues_while_sibling_awaits_reply() {
    let dir = TestDir::new();
    strategies(&dir);
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.fork({'twice', 'once-more'}, {task = 'x'})");
    let query = |prompt: &str, waits: &serde_json::Value| {
        let queries = waits["queries"].as_array().unwrap();
        queries.iter().find(|query| query["prompt"] == prompt).unwrap()["id"].clone()
    };
    let session = &waits["session_id"];
    let (first, other) = (query("t1", &waits), query("o x", &waits));
    // The sibling has no reply yet, and this child continues.
    let both = runner.call_ok("alc_continue", json!({"session_id": session, "query_id": first, "response": "1"}));
    let second = query("t2", &both);
    assert_eq!(query("o x", &both), other);
    let left = runner.call_ok("alc_continue", json!({"session_id": session, "query_id": second, "response": "2"}));
    assert_eq!(left, json!({"status": "accepted", "remaining": 1}));
    let done = runner.call_ok("alc_continue", json!({"session_id": session, "query_id": other, "response": "O"}));
    assert_eq!(
        done["result"],
        json!([{"strategy": "twice", "ok": true, "result": {"text": "12"}},
               {"strategy": "once-more", "ok": true, "result": {"text": "O"}}])
    );
    assert_eq!(done["stats"]["auto"]["llm_calls"], 3);
}

#[test]
fn child_failure_fails_fork_only_on_request() {
    let dir = TestDir::new();
    strategies(&dir);
    let mut runner = RunClient::start(&dir);
    let result = runner.run_result("return alc.fork({'fails', 'none'}, {task = 'x'})");
    assert_eq!(result[0], json!({"strategy": "fails", "ok": false, "error": "broken"}));
    assert_eq!(result[1]["ok"], false);
    for on_error in ["fail", "abort"] {
        let code = format!("return alc.fork({{'fails'}}, {{}}, {{on_error = '{on_error}'}})");
        let why = runner.run_error(&code);
        assert!(why.contains("alc.fork: strategy 'fails' failed: broken"), "{why}");
    }
}

#[test]
fn invalid_fork_is_refused() {
    let dir = TestDir::new();
    dir.write_package("endless", "return {run = function(ctx) return alc.fork({'endless'}, ctx) end}");
    let mut runner = RunClient::start(&dir);
    for (code, wanted) in [
        ("return alc.fork({}, {})", "strategies must be a non-empty array"),
        ("return alc.fork({'../x'}, {})", "invalid strategy name"),
        ("local t = {} for i = 1, 100 do t[i] = 'x' end return alc.fork(t, {})", "more than"),
    ] {
        let why = runner.run_error(code);
        assert!(why.contains(wanted), "{why}");
    }
    // Each level reports the error to its parent.
    let result = runner.run_result("return alc.fork({'endless'}, {})").to_string();
    assert!(result.contains("nested deeper than"), "{result}");
}

#[test]
fn child_continues_while_sibling_computes() {
    let dir = TestDir::new();
    // The first child never waits for a reply, and ends when it sees the second child's card.
    dir.write_package("looks", "return {run = function() repeat until alc.card.get('p_there') return 'seen' end}");
    dir.write_package(
        "makes",
        "return {run = function() alc.card.create({card_id = 'p_there', pkg = {name = 'p'}}) return 'made' end}",
    );
    let mut runner = RunClient::start(&dir);
    let result = runner.run_result("return alc.fork({'looks', 'makes', 'looks'}, {})");
    let results: Vec<_> = (0..3).map(|at| result[at]["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["seen", "made", "seen"]);
}

#[test]
fn endless_child_does_not_block_sibling_queries() {
    let dir = TestDir::new();
    strategies(&dir);
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.fork({'spins', 'once-more', 'once-more'}, {task = 'x'})");
    let session = &waits["session_id"];
    let [one, _] = [0, 1].map(|at| waits["queries"][at]["id"].clone());
    // The endless child ends with its run, and the sibling's query is still pending.
    let answer = json!({"session_id": session, "query_id": one, "response": "a"});
    assert_eq!(runner.call_ok("alc_continue", answer), json!({"status": "accepted", "remaining": 1}));
    assert_eq!(runner.call_ok("alc_cancel", json!({"session_id": session}))["status"], "cancelled");
}

#[test]
fn child_namespace_is_below_parents() {
    let dir = TestDir::new();
    dir.write_package("counts", "return {run = function() return {n = alc.state.incr('n')} end}");
    dir.write_package("forks", "return {run = function() return alc.fork({'counts'}, {_ns = 'elsewhere'}) end}");
    let mut runner = RunClient::start(&dir);
    let code = "return {alc.fork({'counts', 'forks'}, {})}";
    runner.call_ok("alc_run", json!({"code": code, "ctx": {"_ns": "mine"}}));
    let names = std::fs::read_dir(dir.app_path().join("state")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".json"));
    names.sort();
    assert_eq!(names, ["mine.fork-0.json", "mine.fork-1.fork-0.json"]);
}

#[test]
fn children_have_separate_state() {
    let dir = TestDir::new();
    dir.write_package("counts", "return {run = function() return {n = alc.state.incr('n')} end}");
    let mut runner = RunClient::start(&dir);
    let result = runner.run_result("return alc.fork({'counts', 'counts'}, {})");
    assert_eq!((&result[0]["result"]["n"], &result[1]["result"]["n"]), (&json!(1), &json!(1)));
}
