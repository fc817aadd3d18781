//! Restored runs: what they must not repeat, and must not mix up.

use std::fs;

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir};

/// Executes code to its first pause, kills the server, and replies in another one.
fn run_with_restart(dir: &TestDir, code: &str) -> Value {
    let mut runner = RunClient::start(dir);
    let waits = runner.run_code(code);
    assert_eq!(waits["status"], "needs_response", "{waits:#}");
    drop(runner);
    RunClient::start(dir).answer_query(&waits, "x")["result"].clone()
}

#[test]
fn writes_stored_with_increment_are_not_repeated() {
    let dir = TestDir::new();
    let code = "alc.state.set('n', 1) alc.state.incr('n', 5) alc.state.set('d', 1) alc.state.delete('d') \
                alc.state.set('other', 1) alc.state.set_nx('fresh', 2) alc.llm('p') \
                return {alc.state.get('n'), alc.state.has('d'), alc.state.get('other'), alc.state.get('fresh')}";
    assert_eq!(run_with_restart(&dir, code), json!([6, false, 1, 2]));
    let stored: Value = serde_json::from_slice(&fs::read(dir.app_path().join("state/default.json")).unwrap()).unwrap();
    assert_eq!(stored, json!({"fresh": 2, "n": 6, "other": 1}));
}

#[test]
fn two_forks_replay_their_own_answers() {
    let dir = TestDir::new();
    dir.write_package(
        "counts",
        "return {run = function() return {alc.state.incr('n'), alc.time(), math.random()} end}",
    );
    let code = "local a, b = alc.fork({'counts'}, {}), alc.fork({'counts'}, {}) \
                local seen = alc.json_encode({a, b}) local told = alc.llm(seen) \
                return {seen == alc.json_encode({a, b}), seen, told}";
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(code);
    let saw = waits["prompt"].clone();
    drop(runner);
    let result = RunClient::start(&dir).answer_query(&waits, "x")["result"].clone();
    assert_eq!(result[1], saw);
    let forks: Value = serde_json::from_str(saw.as_str().unwrap()).unwrap();
    assert_eq!((&forks[0][0]["result"][0], &forks[1][0]["result"][0]), (&json!(1), &json!(2)));
    assert_ne!(forks[0][0]["result"][2], forks[1][0]["result"][2]);
}

#[test]
fn aborted_fork_stays_aborted_after_restart() {
    let dir = TestDir::new();
    dir.write_package("waits", "return {run = function() return alc.llm('never') end}");
    dir.write_package("fails", "return {run = function() alc.llm('soon') error('broken', 0) end}");
    let code = "local ok, why = pcall(alc.fork, {'waits', 'fails'}, {}, {on_error = 'abort'}) \
                local text = alc.llm('after') return {ok, why, text}";
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(code);
    let soon = waits["queries"].as_array().unwrap().iter().find(|query| query["prompt"] == "soon").unwrap();
    let answer = json!({"session_id": waits["session_id"], "query_id": soon["id"], "response": "x"});
    let after = runner.call_ok("alc_continue", answer);
    // Only the query of the waiting branch is sent.
    assert_eq!((&after["prompt"], &after["queries"]), (&json!("after"), &Value::Null), "{after:#}");
    drop(runner);
    let mut runner = RunClient::start(&dir);
    let done = runner.answer_query(&after, "y");
    assert_eq!((&done["result"][0], &done["result"][2]), (&json!(false), &json!("y")));
    assert!(done["result"][1].as_str().unwrap().contains("strategy 'fails' failed: broken"), "{done:#}");
    assert_eq!(done["stats"]["auto"]["llm_calls"], 3);
}

#[test]
fn query_ids_are_never_reused() {
    let dir = TestDir::new();
    dir.write_package("thrice", "return {run = function(ctx) return {alc.llm('1'), alc.llm('2'), alc.llm('3')} end}");
    let mut runner = RunClient::start(&dir);
    let mut waits = runner.run_code("return alc.fork({'thrice', 'thrice'}, {})");
    let mut seen = std::collections::BTreeSet::new();
    let session = waits["session_id"].clone();
    while waits["status"] != "completed" {
        let one = vec![json!({"id": waits["query_id"], "prompt": waits["prompt"]})];
        let queries = waits["queries"].as_array().unwrap_or(&one).clone();
        let query = queries.last().unwrap();
        assert!(seen.insert(query["id"].as_str().unwrap().to_owned()), "{waits:#}");
        // Each reply goes to a new server, and repeats the prompt that it answers.
        runner = RunClient::start(&dir);
        let answer = json!({"session_id": session, "query_id": query["id"], "response": query["prompt"]});
        waits = runner.call_ok("alc_continue", answer);
        if waits["status"] == "accepted" {
            waits = json!({"session_id": session, "queries": queries[..queries.len() - 1]});
        }
    }
    let result = json!(["1", "2", "3"]);
    assert_eq!((&waits["result"][0]["result"], &waits["result"][1]["result"]), (&result, &result));
    assert_eq!(seen.len(), 6);
}

#[test]
fn write_error_is_reported_once() {
    let dir = TestDir::new();
    // Each value is within the limit, but their sum is not: only the server knows that.
    let code = "for i = 1, 20 do alc.state.set('k' .. i, ('x'):rep(900000)) end local ok = pcall(alc.time) \
                for i = 1, 20 do alc.state.set('k' .. i, 1) end alc.llm('p') return {ok, (pcall(alc.time))}";
    assert_eq!(run_with_restart(&dir, code), json!([false, true]));
}

#[test]
fn paused_run_with_killed_worker_is_resumed() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("local n = alc.state.incr('n') return {alc.llm('p'), n}");
    for worker in runner.0.grandchild_processes("lua-worker") {
        rustix::process::kill_process(rustix::process::Pid::from_raw(worker).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
    }
    assert_eq!(runner.answer_query(&waits, "x")["result"], json!(["x", 1]));
}

#[test]
fn recorded_stats_are_bounded() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let why = runner.run_error("for i = 1, 100 do alc.stats.record('k' .. i, ('x'):rep(10000)) end return 1");
    assert!(why.contains("alc.stats.record: more than"), "{why}");
    runner.run_result("for i = 1, 100 do alc.stats.record('k', ('x'):rep(10000)) end return 1");
}
