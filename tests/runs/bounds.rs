//! The limits of runs: processes, journals, prompts, time on the disk.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::replay::journal;
use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TEST_TIMEOUT, TestDir};

/// Waits until the number of workers is in the range.
#[track_caller]
fn wait_for_workers(runner: &RunClient, wanted: std::ops::RangeInclusive<usize>) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let count = runner.0.grandchild_processes("lua-worker").len();
        if wanted.contains(&count) {
            return;
        }
        assert!(Instant::now() < deadline, "{count} workers, and not {wanted:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn paused_runs_above_limit_lose_workers() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local t = {} for i = 1, 12 do t[i] = alc.llm('prompt ' .. i) end return t";
    let mut waits = runner.run_code(code);
    let session = waits["session_id"].clone();
    for n in 1..12 {
        waits = runner.answer_query(&waits, &format!("answer {n}"));
    }
    let status = |runner: &mut RunClient| {
        let asked = json!({"session_id": session, "pending_filter": "full", "include_history": true});
        let mut status = runner.call_ok("alc_status", asked)["sessions"][0].take();
        for changing in ["elapsed_ms", "budget_remaining"] {
            status["metrics"].as_object_mut().unwrap().remove(changing);
        }
        status
    };
    let before = status(&mut runner);
    for _ in 0..20 {
        runner.run_code("return alc.llm('p')");
    }
    wait_for_workers(
        &runner,
        1..=wardroom_alc::limits::MAX_WARM_RUN_PROCESSES + wardroom_lua::limits::WARM_LUA_WORKERS,
    );
    // The status survives the eviction unchanged.
    assert_eq!(status(&mut runner), before);
    assert_eq!(before["metrics"]["conversation_history"].as_array().unwrap().len(), 10);
    let done = runner.answer_query(&waits, "answer 12");
    assert_eq!((&done["result"][0], &done["result"][11]), (&json!("answer 1"), &json!("answer 12")));
}

#[test]
fn newest_run_keeps_all_its_workers() {
    let dir = TestDir::new();
    dir.write_package("waits", "return {run = function() return alc.llm('p') end}");
    let mut runner = RunClient::start(&dir);
    runner.run_code("return alc.llm('older')");
    let code = "local t = {} for i = 1, 20 do t[i] = 'waits' end return #alc.fork(t, {})";
    let waits = runner.run_code(code);
    let known: BTreeSet<i32> = runner.0.grandchild_processes("lua-worker").into_iter().collect();
    // These are the workers of both runs, and none of them restarted for the reply.
    assert!(known.len() >= 22, "{known:?}");
    let queries = waits["queries"].as_array().unwrap();
    let one = json!({"session_id": waits["session_id"], "query_id": queries[0]["id"], "response": "x"});
    assert_eq!(runner.call_ok("alc_continue", one), json!({"status": "accepted", "remaining": 19}));
    let now: BTreeSet<i32> = runner.0.grandchild_processes("lua-worker").into_iter().collect();
    assert!(now.intersection(&known).count() >= 21, "{known:?} {now:?}");
}

#[test]
fn oversized_fork_context_fails_fork() {
    let dir = TestDir::new();
    dir.write_package("waits", "return {run = function() return 1 end}");
    // This makes the call as large as possible, and the child's start message is larger than the call.
    let around = json!({"request": {"operation": "fork", "arguments": {"ctx": {"a": ""}, "on_error": null, "strategies": ["waits"]}}});
    let length = wardroom_process::limits::MAX_FRAME_BYTES - around.to_string().len();
    let code = format!("local ok, why = pcall(alc.fork, {{'waits'}}, {{a = ('x'):rep({length})}}) return {{ok, why}}");
    let result = RunClient::start(&dir).run_result(&code);
    let why = result[1].as_str().unwrap();
    assert!(
        why.contains("alc.fork: strategy 'waits' cannot be started") && why.contains("larger than 16 MiB"),
        "{why}"
    );
}

#[test]
fn contexts_of_children_count_as_memory_of_run() {
    let dir = TestDir::new();
    dir.write_package("one", "return {run = function(ctx) return #ctx.a end}");
    let mut runner = RunClient::start(&dir);
    let code = |count: usize| {
        let names = vec!["'one'"; count].join(", ");
        format!(
            "local ok, made = pcall(alc.fork, {{{names}}}, {{a = ('x'):rep(8 * 1024 * 1024)}}) \
             return {{ok, ok and made[1].result or made}}"
        )
    };
    assert_eq!(runner.run_result(&code(1)), json!([true, 8 * 1024 * 1024]));
    let result = runner.run_result(&code(32));
    let why = result[1].as_str().unwrap();
    assert!(why.contains("alc.fork: strategy 'one' cannot be started") && why.contains("the run would hold"), "{why}");
}

#[test]
fn journal_above_limit_is_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "alc.state.set('big', ('x'):rep(1000000)) alc.llm('p') \
                for i = 1, 60 do alc.state.get('big') end return 1";
    let waits = runner.run_code(code);
    let answer = json!({"session_id": waits["session_id"], "response": "x"});
    let why = runner.expect_refusal("alc_continue", answer, "TOO_LARGE");
    assert!(why.contains("the journal of the run"), "{why}");
    let len = fs::metadata(journal(&dir, &waits["session_id"])).unwrap().len();
    assert!(len < wardroom_appdir::limits::MAX_JOURNAL_BYTES, "{len}");
    // The run can be cancelled, and other runs are possible.
    runner.call_ok("alc_cancel", json!({"session_id": waits["session_id"]}));
    assert_eq!(runner.run_result("return 1"), 1);
}

#[test]
fn expired_runs_are_removed() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let [old, young, over] = ["a", "b", "c"].map(|prompt| runner.run_code(&format!("return alc.llm('{prompt}')")));
    runner.answer_query(&over, "x");
    drop(runner);
    let path = |waits: &Value| journal(&dir, &waits["session_id"]);
    let age = |path: &std::path::Path, age: Duration| {
        fs::File::options().append(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
    };
    age(&path(&old), wardroom_alc::limits::PENDING_RUN_TTL);
    age(&path(&young), wardroom_alc::limits::PENDING_RUN_TTL - Duration::from_secs(3600));
    age(&path(&over).with_extension("over.jsonl"), wardroom_alc::limits::FINISHED_RUN_TTL);
    let mut runner = RunClient::start(&dir);
    runner.run_result("return 1");
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 1);
    assert!(path(&young).exists());
    let answer = json!({"session_id": old["session_id"], "response": "x"});
    runner.expect_refusal("alc_continue", answer, "SESSION_NOT_FOUND");
    assert_eq!(runner.answer_query(&young, "x")["result"], "x");
}

#[test]
fn paused_runs_above_limit_are_refused() {
    let dir = TestDir::new();
    let most = wardroom_alc::limits::MAX_PENDING_RUNS;
    let paths: Vec<_> = (0..most).map(|n| dir.write_file(&format!("runs/s-1-{n:032x}.jsonl"), "")).collect();
    let mut runner = RunClient::start(&dir);
    let asks = json!({"code": "return alc.llm('p')"});
    let why = runner.expect_refusal("alc_run", asks.clone(), "TOO_MANY_RUNS");
    assert!(why.contains(&format!("the limit is {most}")) && why.contains("sessions drop"), "{why}");
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), most);
    // A run without a pause is still possible.
    assert_eq!(runner.run_result("return 1"), 1);
    assert_eq!(runner.call_ok("alc_status", json!({}))["active_sessions"], most);
    fs::remove_file(&paths[0]).unwrap();
    let deadline = Instant::now() + TEST_TIMEOUT;
    while runner.call_tool("alc_run", asks.clone()).1 {
        assert!(Instant::now() < deadline);
    }
    runner.expect_refusal("alc_run", asks, "TOO_MANY_RUNS");
}

#[test]
fn batch_above_limit_is_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let batch = |count: usize| {
        format!("local t = {{}} for i = 1, {count} do t[i] = {{prompt = 'p'}} end return #alc.llm_batch(t)")
    };
    let most = wardroom_alc::limits::MAX_BATCH_QUERIES;
    let waits = runner.run_code(&batch(most));
    assert_eq!(waits["queries"].as_array().unwrap().len(), most);
    let why = runner.run_error(&batch(most + 1));
    assert!(why.contains(&format!("alc.llm_batch: {} items, the limit is {most}", most + 1)), "{why}");
    let parallel = format!("local t = {{}} for i = 1, {} do t[i] = i end return alc.parallel(t, tostring)", most + 1);
    assert!(runner.run_error(&parallel).contains("the limit is"));
}

#[test]
fn prompts_above_total_limit_are_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    dir.write_package("once", "return {run = function() return alc.llm(('x'):rep(5000000)) end}");
    let waits = runner.run_code("alc.llm(('x'):rep(12000000)) return alc.fork({'once'}, {})");
    // The prompt of the child counts with that of its parent, though this one is answered.
    let ends = runner.answer_query(&waits, "y");
    let why = ends["result"][0]["error"].as_str().unwrap_or_else(|| panic!("{ends:.2000}"));
    assert!(why.contains("the prompts of the run are over the limit of 16 MiB in total"), "{why}");
}

#[test]
fn active_runs_at_limit_can_all_be_cancelled() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let most = wardroom_alc::limits::MAX_ACTIVE_RUNS;
    let spin = |client: &mut StdioClient| {
        client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": "while true do end"}}))
    };
    let ids: BTreeSet<u64> = (0..most).map(|_| spin(&mut client)).collect();
    let deadline = Instant::now() + TEST_TIMEOUT;
    let sessions = loop {
        let status = client.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
        let sessions = status["result"]["structuredContent"]["sessions"].as_array().unwrap().clone();
        if sessions.len() == most {
            break sessions;
        }
        assert!(Instant::now() < deadline, "{}", sessions.len());
    };
    let refused = spin(&mut client);
    let busy = client.receive();
    assert_eq!((&busy["id"], &busy["result"]["structuredContent"]["error"]["code"]), (&json!(refused), &json!("BUSY")));
    let mut cancels = BTreeSet::new();
    for session in sessions {
        let arguments = json!({"session_id": session["session_id"]});
        cancels.insert(client.send_request("tools/call", json!({"name": "alc_cancel", "arguments": arguments})));
    }
    for _ in 0..2 * most {
        let answer = client.receive();
        let (id, content) = (answer["id"].as_u64().unwrap(), &answer["result"]["structuredContent"]);
        if ids.contains(&id) {
            assert_eq!(content["error"]["code"], "CANCELLED", "{answer:#}");
        } else {
            assert!(cancels.remove(&id), "{answer:#}");
            assert_eq!(content["status"], "cancelled", "{answer:#}");
        }
    }
    assert_eq!(RunClient(client).run_result("return 1"), 1);
}
