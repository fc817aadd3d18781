//! `wardroom sessions`.

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir, run_wardroom};

fn sessions(dir: &TestDir, args: &[&str]) -> wardroom_test_support::CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["sessions"], args, &["--appdir", &app]].concat())
}

/// The error of a command that must fail.
fn refused(dir: &TestDir, args: &[&str]) -> String {
    let finished = sessions(dir, args);
    assert_eq!(finished.status, 1, "{finished:?}");
    finished.stderr
}

#[test]
fn sessions_lists_shows_and_drops_runs() {
    let dir = TestDir::new();
    assert_eq!(sessions(&dir, &["list", "--json"]).expect_success().trim(), "[]");
    let mut runner = RunClient::start(&dir);
    let (waits, over) = (runner.run_code("return alc.llm('what?')"), runner.run_code("return alc.llm('p')"));
    runner.answer_query(&over, "x");
    let failed = runner.run_code("alc.llm('p') error('given up')");
    let reply = json!({"session_id": failed["session_id"], "query_id": "q-0", "response": "x"});
    runner.call_tool("alc_continue", reply);
    let failed = failed["session_id"].as_str().unwrap();
    let (waits, over) = (waits["session_id"].as_str().unwrap(), over["session_id"].as_str().unwrap());
    drop(runner);
    let listed = sessions(&dir, &["list"]).expect_success();
    assert!(listed.contains(&format!("{waits}  waits")) && listed.contains(&format!("{over}  done")), "{listed}");
    assert!(listed.contains(&format!("{failed}  failed")) && listed.contains("given up"), "{listed}");
    let rows: Value = serde_json::from_str(&sessions(&dir, &["list", "--json"]).expect_success()).unwrap();
    assert!(rows.as_array().unwrap().iter().all(|row| row["age_s"].is_u64()), "{rows:#}");
    assert!(sessions(&dir, &["show", waits]).expect_success().contains("what?"));
    sessions(&dir, &["drop", waits]).expect_success();
    let gone = refused(&dir, &["drop", waits]);
    assert!(gone.contains("there is no run") && gone.contains("hint: "), "{gone}");
    assert!(refused(&dir, &["show", "../x"]).contains("the session's name"));
}

/// A paused run belongs to no process; a running one belongs to its server.
#[test]
fn running_run_is_not_dropped() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('p')");
    sessions(&dir, &["drop", waits["session_id"].as_str().unwrap()]).expect_success();
    let answer = |waits: &Value| json!({"session_id": waits["session_id"], "response": "x"});
    runner.expect_refusal("alc_continue", answer(&waits), "SESSION_NOT_FOUND");
    let stuck = runner.run_code("alc.llm('p') while true do end");
    runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer(&stuck)}));
    while runner.call_ok("alc_status", json!({"session_id": stuck["session_id"]}))["sessions"][0]["state"] == "paused" {
    }
    let listed = sessions(&dir, &["list"]).expect_success();
    assert!(listed.contains(&format!("{}  runs ", stuck["session_id"].as_str().unwrap())), "{listed}");
    let held = refused(&dir, &["drop", stuck["session_id"].as_str().unwrap()]);
    assert!(held.contains("a server is using the run") && held.contains("hint: "), "{held}");
}
