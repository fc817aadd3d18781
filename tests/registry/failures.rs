//! The log of handlers that failed, as the person who declared them reads it.

use std::fs;

use serde_json::{Value, json};

use super::effects::listing;
use super::{call_failure, call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, TestDir, run_wardroom};

const LOG: &str = "store/@failures.jsonl";

fn failures(dir: &TestDir, arguments: &[&str]) -> Vec<Value> {
    let app_dir = dir.app_path();
    let command = [&["--appdir", app_dir.to_str().unwrap(), "registry", "failures", "--json"][..], arguments].concat();
    let printed = run_wardroom(dir.root(), &command).expect_success();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn failure_has_what_was_printed_before_and_where_it_happened() {
    let dir = TestDir::new();
    let body = "print('began with', arguments.n)\nlog.warn('almost')\nlocal function deep(x)\n  return x.field.missing\nend\n\
                local function outer(x)\n  local found = deep(x)\n  return found\nend\nreturn (outer({}))";
    let refuses =
        "local errors = require('errors')\nreturn nil, errors.new{kind = 'NOT_FOUND', message = 'no such thing'}";
    declare(
        &dir,
        &[
            listing(&tool(&dir, "t", "", body), "log"),
            tool(&dir, "slow", "      mcp.timeout: 0.2\n", "while true do end"),
            tool(&dir, "refuses", "", refuses),
            tool(&dir, "good", "", "return 'fine'"),
        ]
        .concat(),
    );
    let client = &mut serve(&dir, ClientRevision::Modern);
    let shown = call_failure(client, "t", json!({"n": "secret-argument"}));
    assert!(!shown.contains("traceback"), "{shown}");
    call_failure(client, "slow", json!({}));
    // What a handler answers on purpose is no failure of it.
    call_failure(client, "refuses", json!({}));
    assert_eq!(call_text(client, "good", json!({})), "fine");

    let found = failures(&dir, &[]);
    let [raised, slow] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((&raised["entry"], &raised["kind"]), (&json!("app:t"), &json!("INTERNAL")));
    assert_eq!((&slow["entry"], &slow["kind"]), (&json!("app:slow"), &json!("TIMEOUT")));
    assert_eq!(
        raised["lines"],
        json!([{"level": "info", "message": "began with\tsecret-argument"}, {"level": "warning", "message": "almost"}])
    );
    let message = raised["message"].as_str().unwrap();
    assert!(message.contains("t.lua:6:") || message.contains(":6:"), "{message}");
    let traceback = raised["traceback"].as_str().unwrap();
    assert!(traceback.contains("deep") && traceback.contains("outer"), "{traceback}");
    assert_eq!(failures(&dir, &["app:slow"]).len(), 1);
    assert_eq!(failures(&dir, &["slow"]), failures(&dir, &["app:slow"]));
    assert_eq!(&failures(&dir, &["-n", "1"]), std::slice::from_ref(slow));

    let app_dir = dir.app_path();
    let printed = run_wardroom(dir.root(), &["--appdir", app_dir.to_str().unwrap(), "registry", "failures", "app:t"]);
    let text = printed.expect_success();
    assert!(
        text.contains("  app:t  INTERNAL\n    info    began with  secret-argument\n    warning almost\n"),
        "{text}"
    );
}

#[test]
fn many_failures_are_counted_and_damaged_rows_are_passed_over() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "t", "", "error('no ' .. string.rep('x', 9000))"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    for _ in 0..60 {
        call_failure(client, "t", json!({}));
    }
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    call_failure(client, "t", json!({}));
    let found = failures(&dir, &["-n", "1000"]);
    let not_logged: u64 = found.iter().filter_map(|failure| failure["not_logged"].as_u64()).sum();
    assert_eq!(found.len() as u64 + not_logged, 61, "{} kept, {not_logged} counted", found.len());
    assert!(found.iter().all(|failure| failure["message"].as_str().unwrap().len() < 5_000));

    let path = dir.app_path().join(LOG);
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{{\n[]\n{before}{{\"ts\": \"\u{1b}[2J\"}}\n")).unwrap();
    assert_eq!(failures(&dir, &["-n", "1000"]).len(), found.len());
}

#[test]
fn row_of_control_characters_stays_small() {
    let dir = TestDir::new();
    let body = "for _ = 1, 30 do print(string.rep('\\1', 5000)) end\nerror(string.rep('\\1', 5000))";
    declare(&dir, &tool(&dir, "t", "", body));
    call_failure(&mut serve(&dir, ClientRevision::Modern), "t", json!({}));
    let log = fs::read_to_string(dir.app_path().join(LOG)).unwrap();
    assert!(log.len() < 33_000, "{}", log.len());
    let [failure] = &failures(&dir, &[])[..] else { panic!("{log}") };
    assert!(failure["message"].as_str().unwrap().contains("\u{1}"));
}

/// Whoever can open the log can hold its lock: the call's answer does not wait for it, and the failure is counted.
#[test]
fn failure_is_counted_while_another_process_holds_the_log() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "t", "", "error('no')"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    call_failure(client, "t", json!({}));
    let held = fs::File::open(dir.app_path().join(LOG)).unwrap();
    held.lock().unwrap();
    call_failure(client, "t", json!({}));
    call_failure(client, "t", json!({}));
    assert_eq!(failures(&dir, &[]).len(), 1);
    drop(held);
    call_failure(client, "t", json!({}));
    let found = failures(&dir, &[]);
    assert_eq!((found.len(), &found[1]["not_logged"]), (2, &json!(2)), "{found:#?}");
}

#[test]
fn nothing_failed_is_an_empty_list() {
    let dir = TestDir::new();
    assert_eq!(failures(&dir, &[]), Vec::<Value>::new());
    assert!(!dir.app_path().join(LOG).exists());
}
