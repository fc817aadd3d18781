//! Servers and workers that are killed while a run executes, and the results of the run afterwards.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TEST_TIMEOUT, TestDir};

/// Computes without a call, the same in every process, long enough to observe the journal before the next call.
const BUSY: &str = "local n = 0 for i = 1, 1e8 do n = n ~ i end";

pub(super) fn journal(dir: &TestDir, session: &Value) -> PathBuf {
    dir.app_path().join(format!("runs/{}.jsonl", session.as_str().unwrap()))
}

pub(super) fn state(dir: &TestDir, namespace: &str) -> Value {
    serde_json::from_slice(&fs::read(dir.app_path().join(format!("state/{namespace}.json"))).unwrap()).unwrap()
}

/// Sends replies, and kills the server once the journal contains this word. Fails if the server has answered by then,
/// because the test would not test a crash.
fn kill_when_journaled(mut runner: RunClient, dir: &TestDir, answers: &Value, word: &str) {
    let path = journal(dir, &answers["session_id"]);
    runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answers}));
    let deadline = Instant::now() + TEST_TIMEOUT;
    while !fs::read_to_string(&path).unwrap().contains(word) {
        assert!(Instant::now() < deadline, "{}", fs::read_to_string(&path).unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(runner.0.receive_within(Duration::ZERO), None);
}

fn kill_workers(runner: &RunClient) {
    for worker in runner.0.grandchild_processes("lua-worker") {
        kill_process(Pid::from_raw(worker).unwrap(), Signal::KILL).unwrap();
    }
}

#[test]
fn write_before_ineffective_delete_survives_crash() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = format!(
        "alc.llm('1') alc.state.set('kept', 1) local gone = alc.state.delete('missing') {BUSY} alc.llm('2') \
         return {{gone, alc.state.get('kept')}}"
    );
    let waits = runner.run_code(&code);
    let answer = json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": "x"});
    kill_when_journaled(runner, &dir, &answer, "state.delete");
    let mut runner = RunClient::start(&dir);
    let waits = runner.call_ok("alc_continue", answer);
    assert_eq!(state(&dir, "default"), json!({"kept": 1}));
    assert_eq!(runner.answer_query(&waits, "y")["result"], json!([false, 1]));
}

#[test]
fn waiting_child_with_killed_worker_is_replayed() {
    let dir = TestDir::new();
    dir.write_package("asks", "return {run = function() local n = alc.state.incr('n') return {alc.llm('p'), n} end}");
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("local n = alc.state.incr('n') return {alc.fork({'asks', 'asks'}, {}), n}");
    kill_workers(&runner);
    let answers: Vec<Value> = ["q-0", "q-1"].map(|id| json!({"query_id": id, "response": "a"})).into();
    let done = runner.call_ok("alc_continue", json!({"session_id": waits["session_id"], "responses": answers}));
    let child = json!({"strategy": "asks", "ok": true, "result": ["a", 1]});
    assert_eq!(done["result"], json!([[child, child], 1]), "{done:#}");
}

#[test]
fn reply_without_id_never_answers_undelivered_query() {
    let dir = TestDir::new();
    dir.write_package("twice", "return {run = function() return {alc.llm('t1'), alc.llm('t2')} end}");
    dir.write_package("slow", &format!("return {{run = function() alc.llm('s') {BUSY} return n end}}"));
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.fork({'twice', 'slow'}, {})");
    let session = waits["session_id"].clone();
    let answers: Vec<Value> = ["q-0", "q-1"].map(|id| json!({"query_id": id, "response": "a"})).into();
    let answers = json!({"session_id": session, "responses": answers});
    // One child makes its next query while the other one computes: the client does not receive it.
    kill_when_journaled(runner, &dir, &answers, "\"q-2\"");
    let mut runner = RunClient::start(&dir);
    let waits = runner.call_ok("alc_continue", json!({"session_id": session, "response": "in other words"}));
    assert_eq!((&waits["query_id"], &waits["prompt"]), (&json!("q-2"), &json!("t2")), "{waits:#}");
    assert_eq!(runner.answer_query(&waits, "c")["result"][0]["result"], json!(["a", "c"]));
}

#[test]
fn restored_run_publishes_new_status() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return {alc.llm('first'), alc.llm('second')}");
    kill_workers(&runner);
    let waits = runner.answer_query(&waits, "x");
    let asked = json!({"session_id": waits["session_id"], "pending_filter": "full"});
    let status = runner.call_ok("alc_status", asked);
    let prompts: Vec<&Value> =
        status["sessions"][0]["pending"].as_array().unwrap().iter().map(|query| &query["prompt"]).collect();
    assert_eq!(prompts, ["second"], "{status:#}");
}

/// Makes a paused run without a process. Returns its journal's path and text, and the reply that resumes it.
fn waiting(dir: &TestDir) -> (PathBuf, String, Value) {
    let waits = RunClient::start(dir).run_code("alc.time() return alc.llm('p')");
    let path = journal(dir, &waits["session_id"]);
    let whole = fs::read_to_string(&path).unwrap();
    (path, whole, json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": "x"}))
}

#[test]
fn script_ending_during_replay_has_diverged() {
    let dir = TestDir::new();
    let (path, whole, answer) = waiting(&dir);
    for (other, how) in [("error('no')", "failed (code:1: no)"), ("do return 1 end", "returned")] {
        let text = whole.replacen("alc.time()", other, 1);
        fs::write(&path, &text).unwrap();
        let why = RunClient::start(&dir).expect_refusal("alc_continue", answer.clone(), "DIVERGED");
        assert!(why.contains(&format!("step 1 was a query, but now the script {how}")), "{why}");
        // The run has not finished: its journal can still be repaired.
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(RunClient::start(&dir).call_ok("alc_continue", answer)["result"], "x");
}

#[test]
fn out_of_memory_during_replay_is_retryable() {
    let dir = TestDir::new();
    let (path, whole, answer) = waiting(&dir);
    let text = whole.replacen("alc.time()", "do local s = ('x'):rep(2e8) end", 1);
    fs::write(&path, &text).unwrap();
    let why = RunClient::start(&dir).expect_refusal("alc_continue", answer.clone(), "BUSY");
    assert!(why.contains("try again"), "{why}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    fs::write(&path, whole).unwrap();
    assert_eq!(RunClient::start(&dir).call_ok("alc_continue", answer)["result"], "x");
}

#[test]
fn eval_report_is_stored_once() {
    let dir = TestDir::new();
    dir.write_package("asks_it", "return {run = function(ctx) ctx.result = alc.llm(ctx.task) return ctx end}");
    let mut runner = RunClient::start(&dir);
    let scenario = "return {cases = {{input = '1+1', expected = '2'}}, graders = {'exact_match'}}";
    let waits = runner.call_ok("alc_eval", json!({"strategy": "asks_it", "scenario": scenario}));
    let done = runner.answer_query(&waits, "2");
    drop(runner);
    // This is the state after a server died between storing the report and journaling the end.
    let path = journal(&dir, &waits["session_id"]);
    let over = path.with_extension("over.jsonl");
    let whole = fs::read_to_string(&over).unwrap();
    let (before, end) = whole.trim_end().rsplit_once('\n').unwrap();
    assert!(end.contains("\"t\":\"end\""), "{end}");
    fs::remove_file(&over).unwrap();
    let evals = || fs::read_dir(dir.app_path().join("evals")).unwrap().count();
    let stored = evals();
    fs::write(&path, format!("{before}\n")).unwrap();
    let again = RunClient::start(&dir).answer_query(&waits, "2");
    assert_eq!((&again["eval_id"], evals()), (&done["eval_id"], stored), "{again:#}");
    // A server that died earlier has not stored the report, even if another file has the eval's name.
    let eval = dir.app_path().join(format!("evals/{}.json", done["eval_id"].as_str().unwrap()));
    for is_replaced in [false, true] {
        let left = journal(&dir, &waits["session_id"]).with_extension("over.jsonl");
        fs::remove_file(left).unwrap();
        fs::write(&path, format!("{before}\n")).unwrap();
        if is_replaced {
            fs::write(&eval, "{}").unwrap();
        } else {
            fs::remove_file(&eval).unwrap();
        }
        let again = RunClient::start(&dir).answer_query(&waits, "2");
        let id = again["eval_id"].as_str().unwrap();
        assert!(dir.app_path().join(format!("evals/{id}.json")).exists(), "{again:#}");
        assert_eq!(fs::read_to_string(&eval).is_ok_and(|text| text == "{}"), is_replaced);
    }
}

/// Makes all kinds of calls, many times between two pauses, and returns their answers.
const LONG_SCRIPT: &str = "
    local seen = {}
    local function note(...) for _, value in ipairs({...}) do seen[#seen + 1] = value end end
    for round = 1, 3 do
        for i = 1, 30 do
            local key = 'k' .. i % 7
            alc.state.set(key, round * i)
            note(alc.state.incr('sum', i), alc.state.get(key), alc.state.set_nx('n' .. i, round))
            note(alc.state.delete('n' .. (i - 3)), alc.state.delete('never'), #alc.state.keys())
            if i % 10 == 0 then
                local id = alc.card.create({card_id = 'p_' .. round .. '_' .. i, pkg = {name = 'p'}}).card_id
                note(id, alc.card.append(id, {i = i}).i, alc.card.write_samples(id, {{i = i}}).count)
                note(#alc.card.list({pkg = 'p'}), require('mod').value, math.type(math.random(1, 1000)))
            end
        end
        note(alc.llm('round ' .. round))
        if round == 2 then note(alc.json_encode(alc.fork({'child', 'child'}, {}))) end
    end
    return seen";

/// Runs [`LONG_SCRIPT`] to its end. The server is killed after each delay in ms after a reply, unless it has answered by then.
fn run_with_kills(delays: &[u64]) -> (Value, Value, usize, usize) {
    let dir = TestDir::new();
    dir.write_package("mod", "return {value = 'loaded'}");
    dir.write_package(
        "child",
        "return {run = function() for i = 1, 20 do alc.state.incr('c') end return {alc.llm('c'), alc.state.incr('c')} end}",
    );
    let mut runner = RunClient::start(&dir);
    let mut waits = runner.run_code(LONG_SCRIPT);
    let session = waits["session_id"].clone();
    let (mut delays, mut killed) = (delays.iter(), 0);
    while waits["status"] != "completed" {
        let one = vec![json!({"id": waits["query_id"], "prompt": waits["prompt"]})];
        let queries = waits["queries"].as_array().unwrap_or(&one);
        let answers: Vec<Value> =
            queries.iter().map(|query| json!({"query_id": query["id"], "response": query["prompt"]})).collect();
        let answers = json!({"session_id": session, "responses": answers});
        waits = loop {
            runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answers}));
            let delay = delays.next().copied();
            match runner.0.receive_within(delay.map_or(TEST_TIMEOUT, Duration::from_millis)) {
                Some(answer) => break answer["result"]["structuredContent"].clone(),
                None => {
                    assert!(delay.is_some());
                    killed += 1;
                    runner = RunClient::start(&dir);
                }
            }
        };
        assert!(waits["error"].is_null(), "{waits:#}");
    }
    // Temporary files of a killed writer begin with a dot, unlike cards.
    let names = fs::read_dir(dir.app_path().join("cards/p")).unwrap().map(|entry| entry.unwrap().file_name());
    let cards = names.filter(|name| !name.to_string_lossy().starts_with('.')).count();
    (waits["result"].clone(), state(&dir, "default"), cards, killed)
}

#[test]
fn result_is_equal_wherever_server_is_killed() {
    let reference = run_with_kills(&[]);
    let mut all = 0;
    for first in [2, 5, 9] {
        // Each server is killed a little later in the run, until one answers first.
        let delays: Vec<u64> = (0..12).map(|n| first + 7 * n % 40).collect();
        let (result, state, cards, killed) = run_with_kills(&delays);
        assert_eq!((&result, &state, cards), (&reference.0, &reference.1, reference.2), "{delays:?}");
        all += killed;
    }
    assert!(all > 3, "{all}");
}
