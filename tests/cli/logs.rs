//! `wardroom logs`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::json;

use wardroom_test_support::{RunClient, TestDir, run_wardroom, wardroom_command};

#[test]
fn without_a_run_it_says_how_to_get_one() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    let refused = run_wardroom(dir.root(), &["logs", "--appdir", &app]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("there is no run\n") && refused.stderr.contains("hint: a run is kept"),
        "{refused:?}"
    );
    let refused = run_wardroom(dir.root(), &["logs", "s-none", "--appdir", &app]);
    assert!(refused.stderr.contains("there is no run s-none"), "{refused:?}");
}

#[test]
fn newest_run_is_shown_and_control_characters_are_not_obeyed() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    let mut runner = RunClient::start(&dir);
    runner.run_code("print('other') return alc.llm('p')");
    let waits = runner.run_code("print('red\\27[31m') alc.log('warn', 'two\\nlines') return alc.llm('p')");
    let shown = run_wardroom(dir.root(), &["logs", "--appdir", &app]).expect_success();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() == 3 && !shown.contains("other") && !shown.contains('\u{1b}'), "{shown}");
    assert!(
        lines[0].contains("Z  info   red") && lines[1].ends_with("  warn   two") && lines[2] == "    lines",
        "{shown}"
    );
    let quiet = runner.run_code("return alc.llm('p')");
    let shown = run_wardroom(dir.root(), &["logs", quiet["session_id"].as_str().unwrap(), "--appdir", &app]);
    assert!(shown.stdout.is_empty() && shown.stderr.contains("logged nothing yet"), "{shown:?}");
    runner.answer_query(&waits, "x");
    let session = waits["session_id"].as_str().unwrap();
    let shown = run_wardroom(dir.root(), &["logs", session, "--appdir", &app]);
    assert!(shown.stderr.contains(&format!("the run {session} is done")), "{shown:?}");
}

/// The journal gets another name when the run ends: whoever follows it reads on.
#[test]
fn run_is_followed_to_its_end() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("print('before') alc.llm('p') print('after') error('broken')");
    let mut command = wardroom_command(dir.root());
    command.args(["logs", "-f", "--json", "--appdir"]).arg(dir.app_path());
    let mut following = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("before"), "{first}");
    let (session, query) = (&waits["session_id"], &waits["query_id"]);
    runner.call_tool("alc_continue", json!({"session_id": session, "query_id": query, "response": "x"}));
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(following.wait().unwrap().success());
    assert!(rest.len() == 3 && rest[0].contains("after") && rest[1].contains("traceback"), "{rest:#?}");
    assert!(rest[2].starts_with("{\"end\":\"failed\"") && rest[2].contains("broken"), "{rest:#?}");
}
