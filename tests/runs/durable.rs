//! Runs that survive the process that started them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir};

/// Everything that could differ from one process to the next, before, between and after two pauses.
const CODE: &str = "
    local seen = {tostring({}), tostring(print), math.random(), os.time(), alc.time(), os.clock()}
    local order = {} for k in pairs({a = 1, b = 2, c = 3, dd = 4, [{}] = 5}) do order[#order + 1] = type(k) == 'string' and k or 't' end
    local made = alc.card.create({pkg = {name = 'p' .. ctx.n}})
    local count = alc.state.incr('count')
    alc.state.set('s' .. ctx.n, ctx.n)
    local first = alc.llm('first ' .. ctx.n)
    local again = alc.state.incr('count' .. ctx.n)
    local batch = alc.llm_batch({{prompt = 'b1'}, {prompt = 'b2'}})
    return {seen = seen, order = order, card = made.card_id, first = first, again = again, batch = batch,
            required = require('mod').value, random = math.random(1, 1000000)}";

fn journals(dir: &TestDir) -> Vec<PathBuf> {
    fs::read_dir(dir.app_path().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn start(runner: &mut RunClient, n: u64) -> Value {
    runner.call_ok("alc_run", json!({"code": CODE, "ctx": {"n": n}}))
}

/// Answers all queries of a run until it has finished.
fn finish(runner: &mut RunClient, mut waits: Value) -> Value {
    while waits["status"] == "needs_response" {
        let one = vec![json!({"id": waits["query_id"]})];
        let queries = waits["queries"].as_array().unwrap_or(&one);
        let answers: Vec<Value> =
            queries.iter().map(|query| json!({"query_id": query["id"], "response": "answer"})).collect();
        waits = runner.call_ok("alc_continue", json!({"session_id": waits["session_id"], "responses": answers}));
    }
    waits
}

#[test]
fn fifty_runs_survive_server_restarts() {
    let dir = TestDir::new();
    dir.write_package("mod", "return {value = 'loaded'}");
    let mut runner = RunClient::start(&dir);
    let waits: Vec<Value> = (0..50).map(|n| start(&mut runner, n)).collect();
    // Half of the runs are one reply further.
    let waits: Vec<Value> = waits
        .into_iter()
        .enumerate()
        .map(|(n, waits)| if n % 2 == 0 { runner.answer_query(&waits, "answer") } else { waits })
        .collect();
    drop(runner);
    assert_eq!(journals(&dir).len(), 50);
    // A quarter of the runs is restored here once, all of them in the next server.
    let mut runner = RunClient::start(&dir);
    let waits: Vec<Value> = waits
        .into_iter()
        .enumerate()
        .map(|(n, waits)| if n % 4 == 1 { runner.answer_query(&waits, "answer") } else { waits })
        .collect();
    drop(runner);
    let mut runner = RunClient::start(&dir);
    let mut cards = BTreeSet::new();
    for waits in waits {
        let done = finish(&mut runner, waits);
        let result = &done["result"];
        assert_eq!((&result["first"], &result["batch"]), (&json!("answer"), &json!(["answer", "answer"])));
        assert_eq!((&result["again"], &result["required"]), (&json!(1), &json!("loaded")));
        cards.insert(result["card"].as_str().unwrap().to_owned());
    }
    // No effect was repeated, and none was lost.
    let state: Value = serde_json::from_slice(&fs::read(dir.app_path().join("state/default.json")).unwrap()).unwrap();
    assert_eq!(state["count"], 50);
    assert!((0..50).all(|n| state[format!("s{n}")] == n && state[format!("count{n}")] == 1), "{state:#}");
    let made =
        fs::read_dir(dir.app_path().join("cards")).unwrap().flat_map(|pkg| fs::read_dir(pkg.unwrap().path()).unwrap());
    let made = made.filter(|file| file.as_ref().unwrap().file_name().to_str().unwrap().ends_with(".toml"));
    assert_eq!((made.count(), cards.len()), (50, 50));
}

#[test]
fn restored_run_sees_same_values() {
    let dir = TestDir::new();
    dir.write_package("mod", "return {value = 'loaded'}");
    let code =
        "local seen = {tostring({}), tostring(print), math.random(), os.time(), alc.time(), require('mod').value}
                local order = {} for k in pairs({a = 1, b = 2, c = 3, dd = 4}) do order[#order + 1] = k end
                local text = alc.llm(alc.json_encode({seen, order}))
                return {seen, order, math.random(), text}";
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(code);
    let saw: Value = serde_json::from_str(waits["prompt"].as_str().unwrap()).unwrap();
    drop(runner);
    // The restored run sees the module's old text.
    dir.write_package("mod", "return {value = 'changed'}");
    let done = RunClient::start(&dir).answer_query(&waits, "x");
    assert_eq!((&done["result"][0], &done["result"][1]), (&saw[0], &saw[1]));
}

/// A journal has one line for each record, however its parts were sent.
#[test]
fn context_on_several_lines_survives_restart() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let ctx = "{\n  \"greeting\":\r\n    \"hello\"\n}";
    let waits = runner.call_ok("alc_run", json!({"code": "return ctx.greeting .. alc.llm('p')", "ctx": ctx}));
    drop(runner);
    let mut runner = RunClient::start(&dir);
    assert_eq!(runner.answer_query(&waits, " there")["result"], "hello there");
}

#[test]
fn journaled_reply_is_not_requested_again() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm_batch({{prompt = 'a'}, {prompt = 'b'}})");
    let (session, queries) = (&waits["session_id"], &waits["queries"]);
    runner.call_ok("alc_continue", json!({"session_id": session, "query_id": queries[0]["id"], "response": "A"}));
    drop(runner);
    let mut runner = RunClient::start(&dir);
    let done = runner.call_ok("alc_continue", json!({"session_id": session, "response": "B"}));
    assert_eq!(done["result"], json!(["A", "B"]));
}

#[test]
fn one_process_at_a_time_executes_run() {
    let dir = TestDir::new();
    let (mut one, mut other) = (RunClient::start(&dir), RunClient::start(&dir));
    let answer = |waits: &Value, text: &str| json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": text});
    // The run is paused in both processes, and continues in the one that receives the reply.
    let first = one.run_code("return alc.llm('p') .. alc.llm('q') .. alc.llm('r')");
    let second = other.call_ok("alc_continue", answer(&first, "a"));
    let third = one.call_ok("alc_continue", answer(&second, "b"));
    assert_eq!(other.call_ok("alc_continue", answer(&third, "c"))["result"], "abc");
    let stuck = one.run_code("alc.llm('p') while true do end");
    one.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer(&stuck, "a")}));
    while one.call_ok("alc_status", json!({"session_id": stuck["session_id"]}))["sessions"][0]["state"] == "paused" {}
    let busy = other.expect_refusal("alc_continue", answer(&stuck, "a"), "BUSY");
    assert!(busy.contains("executes session"), "{busy}");
}

#[test]
fn finished_run_repeats_its_answer() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('p')");
    let done = runner.answer_query(&waits, "x");
    drop(runner);
    assert_eq!(RunClient::start(&dir).answer_query(&waits, "x"), done);
}

#[test]
fn tampered_journal_is_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("alc.time() return alc.llm('p')");
    drop(runner);
    let path = journals(&dir).remove(0);
    let whole = fs::read_to_string(&path).unwrap();
    let answer = json!({"session_id": waits["session_id"], "response": "x"});
    let refused = |text: &str, code: &str| {
        fs::write(&path, text).unwrap();
        RunClient::start(&dir).expect_refusal("alc_continue", answer.clone(), code)
    };
    let diverged = refused(&whole.replace("\"op\":\"time\"", "\"op\":\"env\""), "DIVERGED");
    assert!(diverged.contains("step 1"), "{diverged}");
    refused("", "UNREADABLE");
    refused("{}\n", "UNREADABLE");
    refused(&whole.replacen("\"v\":2", "\"v\":99", 1), "UNREADABLE");
    refused(&whole.replacen("wardroom", "elsewhere", 1), "UNREADABLE");
    refused(&format!("{whole}{{\"t\":\"nonsense\"}}\n"), "UNREADABLE");
    // A torn last line was never answered.
    fs::write(&path, format!("{whole}{{\"t\":\"rep")).unwrap();
    assert_eq!(RunClient::start(&dir).call_ok("alc_continue", answer)["result"], "x");
}

#[test]
fn journal_is_readable_by_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.run_code("return alc.llm('p')");
    let mode = fs::metadata(journals(&dir).remove(0)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn restored_fork_keeps_replies() {
    let dir = TestDir::new();
    dir.write_package(
        "asks",
        "return {run = function(ctx) local n = alc.state.incr('n') return {alc.llm('one'), alc.llm('two'), n} end}",
    );
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.fork({'asks', 'asks'}, {})");
    let first = waits["queries"][0]["id"].clone();
    let waits = runner
        .call_ok("alc_continue", json!({"session_id": waits["session_id"], "query_id": first, "response": "answer"}));
    drop(runner);
    let done = finish(&mut RunClient::start(&dir), waits);
    let result = json!(["answer", "answer", 1]);
    assert_eq!((&done["result"][0]["result"], &done["result"][1]["result"]), (&result, &result));
}

#[test]
fn evicted_runs_are_restored_from_journals() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits: Vec<Value> =
        (0..40).map(|n| runner.run_code(&format!("local x = {n} return {{x, alc.llm('p')}}"))).collect();
    for (n, waits) in waits.iter().enumerate() {
        assert_eq!(runner.answer_query(waits, "a")["result"], json!([n, "a"]));
    }
}
