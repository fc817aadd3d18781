//! `wardroom top`.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use super::terminal::{run_at_sized_terminal, start_at_sized_terminal};
use wardroom_test_support::{RunClient, TestDir, eventually, run_wardroom};

fn top(dir: &TestDir, args: &[&str]) -> String {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["top", "--appdir", &app], args].concat()).expect_success()
}

fn snapshot(dir: &TestDir) -> Value {
    serde_json::from_str(&top(dir, &["--json"])).unwrap()
}

/// The names of what servers wrote of themselves.
fn server_files(dir: &TestDir) -> Vec<String> {
    // There is no folder before the first server is listed.
    let entries = std::fs::read_dir(dir.app_path().join("server/running"));
    entries.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn call_at_work_is_shown_while_somebody_watches() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('what now?')");
    let stuck = runner.run_code("alc.llm('p') while true do end");
    let answer = json!({"session_id": stuck["session_id"], "response": "x"});
    runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer}));
    let shown = snapshot(&dir);
    let server = &shown["servers"][0];
    assert_eq!(shown["servers"].as_array().unwrap().len(), 1, "{shown:#}");
    assert_eq!((&server["address"], &server["call_count"]), (&json!("stdio"), &json!(1)), "{shown:#}");
    let call = &server["calls"][0];
    assert_eq!(
        [&call["method"], &call["name"], &call["caller"]],
        ["tools/call", "alc_continue", "operator"],
        "{shown:#}"
    );
    assert!(call["elapsed_ms"].as_u64().unwrap() > 0 && server["requests"].as_u64().unwrap() >= 3, "{shown:#}");
    assert!(server["workers"].as_u64().unwrap() >= 1 && server["memory"]["workers"]["used"].as_u64() > Some(0));
    let runs = shown["runs"].as_array().unwrap();
    let run = |session: &Value| runs.iter().find(|run| run["session_id"] == *session).unwrap();
    assert_eq!(run(&stuck["session_id"])["state"], "runs", "{shown:#}");
    let waiting = run(&waits["session_id"]);
    assert!(waiting["state"] == "waits" && waiting["about"].as_str().unwrap().contains("what now?"), "{shown:#}");

    let text = top(&dir, &[]);
    let found = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(found(&["stdio"]) && found(&["operator", "tools/call", "alc_continue"]), "{text}");
    assert!(found(&[waits["session_id"].as_str().unwrap(), "waits", "what now?"]), "{text}");

    // The server is still at work, and nobody watches any more.
    let writes = |names: &[String]| names.iter().any(|name| name.ends_with(".activity"));
    eventually("the server stops writing what it does", || !writes(&server_files(&dir)));
    assert!(!server_files(&dir).iter().any(|name| name == "watched"));
}

#[test]
fn server_without_requests_is_not_woken() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.run_code("return 1");
    let listed = || server_files(&dir).iter().any(|name| name.ends_with(".memory"));
    eventually("the server is listed", listed);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let server = &snapshot(&dir)["servers"][0];
    assert_eq!((&server["requests"], &server["call_count"]), (&Value::Null, &json!(0)), "{server:#}");
    assert!(server["memory"]["limit"].as_u64().unwrap() > 0, "{server:#}");
}

#[test]
fn without_servers_and_in_a_pipe_it_says_so() {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    assert_eq!(snapshot(&dir), json!({"servers": [], "runs": [], "run_count": 0}));
    let app = dir.app_path().display().to_string();
    let shown = run_wardroom(dir.root(), &["top", "--appdir", &app]);
    assert!(shown.status == 0 && shown.stdout.is_empty() && shown.stderr.contains("no server runs"), "{shown:?}");
}

/// The picture has control characters of the terminal only, and the person gets the screen back.
#[test]
fn person_sees_runs_chooses_one_and_ends_it() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let first = runner.run_code("return alc.llm('what\\27[31m now?')");
    let second = runner.run_code("return alc.llm('and then?')");
    let Some((status, shown)) =
        run_at_sized_terminal(&dir, (110, 40), &[("NO_COLOR", "1")], "top --no-pager </dev/null")
    else {
        return;
    };
    // Its input is no terminal: it prints what a program reads.
    assert!(status == 0 && shown.contains("and then?"), "{shown:?}");
    let Some(mut child) = start_at_sized_terminal(&dir, (110, 40), "top") else { return };
    drop((first, second, runner));
    let mut keys = child.stdin.take().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    keys.write_all(b"\x1b[B").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    keys.write_all(b"q").unwrap();
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(child.wait().unwrap().success(), "{shown}");
    drop(keys);
    assert!(shown.contains("\u{1b}[?1049h") && shown.contains("\u{1b}[?1049l"), "the screen comes back: {shown:?}");
    assert!(shown.contains("and then?") && !shown.contains("what\u{1b}[31m"), "{shown:?}");
}
