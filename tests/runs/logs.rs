//! The log of a run: what its scripts wrote and why they failed, over pauses, crashes and forks.

use std::fs;

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir, run_wardroom};

/// Returns the lines of a run's log, each as its branch, source and message.
fn log_of(dir: &TestDir, session: &Value) -> Vec<(String, String, String)> {
    let app = dir.app_path().display().to_string();
    let session = session.as_str().unwrap();
    let shown = run_wardroom(dir.root(), &["logs", session, "--json", "--appdir", &app]).expect_success();
    let lines = shown.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    lines
        .filter(|line| line["end"].is_null())
        .map(|line| (text(&line, "branch"), text(&line, "source"), text(&line, "message")))
        .collect()
}

/// Answers the only query of a run, which must fail then; returns the answer.
#[track_caller]
fn answer_to_failure(runner: &mut RunClient, waits: &Value) -> Value {
    let (session, query) = (&waits["session_id"], &waits["query_id"]);
    let arguments = json!({"session_id": session, "query_id": query, "response": "x"});
    let (failed, is_error) = runner.call_tool("alc_continue", arguments);
    assert!(is_error, "{failed:#}");
    failed
}

fn printed(text: &str) -> (String, String, String) {
    (String::new(), "print".to_owned(), text.to_owned())
}

#[test]
fn each_line_is_kept_once_over_restarts() {
    let dir = TestDir::new();
    let code = "print('a') alc.llm('1') print('b') alc.state.set('k', 1) print('c') alc.llm('2') print('d') return 1";
    let mut runner = RunClient::start(&dir);
    let mut waits = runner.run_code(code);
    for _ in 0..2 {
        drop(runner);
        runner = RunClient::start(&dir);
        let status = runner.call_ok("alc_status", json!({"session_id": waits["session_id"]}));
        assert_eq!(status["sessions"][0]["metrics"]["recent_logs"][0]["message"], "a", "{status:#}");
        let session = waits["session_id"].clone();
        waits = runner.answer_query(&waits, "x");
        if waits["status"] == "completed" {
            assert_eq!(log_of(&dir, &session), ["a", "b", "c", "d"].map(printed));
            let log = runner.call_ok("alc_log_view", json!({"session_id": session}));
            let messages: Vec<&str> =
                log["logs"].as_array().unwrap().iter().map(|line| line["message"].as_str().unwrap()).collect();
            assert_eq!(messages, ["a", "b", "c", "d"], "{log:#}");
            return;
        }
    }
    panic!("{waits:#}");
}

/// The traceback goes through the module to the line that failed, and says in which fork.
#[test]
fn error_in_a_module_of_a_fork_is_found_in_the_log() {
    let dir = TestDir::new();
    dir.write_package(
        "outer",
        "local inner = require('outer.inner')\nreturn {run = function(ctx) return inner.check(ctx) end}",
    );
    let inner = "local M = {}\nlocal function deep(ctx)\n  return ctx.missing.field\nend\nfunction M.check(ctx) local found = deep(ctx) return found end\nreturn M";
    fs::write(dir.app_path().join("packages/outer/inner.lua"), inner).unwrap();
    let mut runner = RunClient::start(&dir);
    let waits =
        runner.run_code("local all = alc.fork({'outer'}, {task = 'x'}) alc.llm(all[1].error) error('given up')");
    // The strategy goes on without its fork.
    let status = runner.call_ok("alc_status", json!({"session_id": waits["session_id"]}));
    let shown = status["sessions"][0]["metrics"]["recent_logs"][0]["message"].as_str().unwrap().to_owned();
    assert!(shown.contains("inner.lua:3:") && shown.contains("stack traceback"), "{status:#}");
    let failed = answer_to_failure(&mut runner, &waits);
    assert!(failed["error"].as_str().unwrap().contains("given up"), "{failed:#}");
    let uri = format!("alc://logs/{}", waits["session_id"].as_str().unwrap());
    let read = runner.0.read_resource(&uri).unwrap()["text"].as_str().unwrap().to_owned();
    assert!(read.contains("inner.lua:3:") && read.contains("given up"), "{read}");
    let log = log_of(&dir, &waits["session_id"]);
    let [(branch, source, message), (root, _, last)] = log.as_slice() else { panic!("{log:#?}") };
    assert_eq!((branch.as_str(), source.as_str(), root.as_str()), ("0-0", "error", ""));
    assert!(
        message.contains("inner.lua:3:") && message.contains("'deep'") && message.contains("inner.lua:5:"),
        "{message}"
    );
    assert!(last.contains("given up") && last.contains("traceback"), "{last}");
    let app = dir.app_path().display().to_string();
    let session = waits["session_id"].as_str().unwrap();
    let shown = run_wardroom(dir.root(), &["logs", session, "--appdir", &app]);
    assert!(shown.stderr.contains(&format!("the run {session} failed: ")), "{shown:?}");
    let log = runner.call_ok("alc_log_view", json!({"session_id": session}));
    assert!(log["error"].as_str().unwrap().contains("given up"), "{log:#}");
}

#[test]
fn log_says_where_a_script_was_stopped() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits =
        runner.run_code("alc.llm('p') alc.state.get('k') local t = {} while true do t[#t + 1] = ('x'):rep(1e6) end");
    answer_to_failure(&mut runner, &waits);
    let log = log_of(&dir, &waits["session_id"]);
    let [(_, source, message)] = log.as_slice() else { panic!("{log:#?}") };
    assert_eq!(source, "stopped");
    assert!(message.ends_with("it stood after its call 2, state.get") && message.contains("memory"), "{message}");
}

#[test]
fn log_says_where_a_script_stood_when_its_time_was_over() {
    let dir = TestDir::new();
    let config = dir.write_file("config.toml", "[alc]\nrun_cpu_s = 1\n").display().to_string();
    let mut runner = RunClient::start_with(&dir, &["--config", &config]);
    let waits = runner.run_code("alc.llm('p') alc.state.get('k') while true do end");
    let (session, query) = (&waits["session_id"], &waits["query_id"]);
    runner.call_tool("alc_continue", json!({"session_id": session, "query_id": query, "response": "x"}));
    let log = log_of(&dir, session);
    let [(_, source, message)] = log.as_slice() else { panic!("{log:#?}") };
    assert_eq!(source, "stopped");
    assert!(message.ends_with("it stood after its call 2, state.get") && message.contains("processor"), "{message}");
}

/// A log that is full changes nothing of the run, also in a replay.
#[test]
fn full_log_stops_no_run() {
    const LINES: usize = wardroom_alc::limits::MAX_JOURNALED_LOG_LINES;
    let dir = TestDir::new();
    let code = format!("for n = 1, {LINES} + 50 do print(n) end local a = alc.llm('p') print('late') return a");
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(&code);
    drop(runner);
    assert_eq!(RunClient::start(&dir).answer_query(&waits, "x")["result"], "x");
    let log = log_of(&dir, &waits["session_id"]);
    assert_eq!(log.len(), LINES + 1);
    assert_eq!((log[LINES - 1].2.as_str(), log[LINES].1.as_str()), (LINES.to_string().as_str(), "wardroom"));
}

/// What fails without a question has no journal: its client is told, and its transcript keeps it.
#[test]
fn failure_without_a_question_is_told_and_kept() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.run_error("print('here') error('broken')");
    let listed = runner.call_ok("alc_log_view", json!({}));
    let session = listed["sessions"][0]["session_id"].clone();
    let log = runner.call_ok("alc_log_view", json!({"session_id": session}));
    assert!(log["error"].as_str().unwrap().contains("broken"), "{log:#}");
    let last = log["logs"].as_array().unwrap().last().unwrap();
    assert!(last["message"].as_str().unwrap().contains("traceback"), "{log:#}");
}
