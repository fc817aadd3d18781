//! `wardroom agents`: the files of agents in a home of its own.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Finished, TestDir, wardroom};

const CLAUDE: &str = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\"}\n  }\n}\n";

fn home() -> TestDir {
    let dir = TestDir::new();
    fs::write(dir.outside().join(".claude.json"), CLAUDE).unwrap();
    dir
}

fn claude(dir: &TestDir) -> String {
    fs::read_to_string(dir.outside().join(".claude.json")).unwrap()
}

fn run(dir: &TestDir, args: &[&str]) -> Finished {
    wardroom(dir.outside(), &[&["agents"], args].concat())
}

fn rows(finished: &Finished) -> Vec<Value> {
    serde_json::from_str(&finished.stdout).unwrap()
}

#[test]
fn an_entry_that_was_written_starts_and_is_gone_when_it_is_removed() {
    let dir = home();
    let app = dir.app().display().to_string();
    run(&dir, &["install", "claude_code", "--yes", "--appdir", &app, "--service", "resources"]).ok();
    let row = rows(&run(&dir, &["status", "claude_code", "--json"])).remove(0);
    assert_eq!((&row["ours"], &row["starts"]), (&true.into(), &true.into()), "{row}");
    let app = dir.app().canonicalize().unwrap();
    assert_eq!(row["entry"]["args"], serde_json::json!(["--appdir", app, "--service", "resources"]));
    let written = claude(&dir);
    let again = run(
        &dir,
        &["install", "claude_code", "--yes", "--appdir", &app.display().to_string(), "--service", "resources"],
    );
    assert_eq!(again.ok(), "");
    assert_eq!(claude(&dir), written);
    run(&dir, &["uninstall", "claude_code", "--yes"]).ok();
    assert_eq!(claude(&dir), CLAUDE);
}

#[test]
fn without_a_word_the_difference_is_shown_and_nothing_is_written() {
    let dir = home();
    let shown = run(&dir, &["install", "claude_code"]);
    assert_eq!(shown.status, 1, "{shown:?}");
    assert!(shown.stdout.contains("+    \"wardroom\": {\n"), "{}", shown.stdout);
    assert!(shown.stderr.contains("hint: say --yes"), "{}", shown.stderr);
    assert_eq!(claude(&dir), CLAUDE);
    let shown = run(&dir, &["install", "claude_code", "--dry-run"]).ok();
    assert!(shown.contains("+    \"wardroom\": {\n"), "{shown}");
    assert_eq!(claude(&dir), CLAUDE);
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_the_others_are_written() {
    let dir = home();
    let broken: PathBuf = dir.outside().join(".cursor/mcp.json");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "{\n  \"mcpServers\": {\n").unwrap();
    let done = run(&dir, &["install", "--all", "--yes"]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stderr.contains("mcp.json: line "), "{}", done.stderr);
    assert_eq!(fs::read_to_string(&broken).unwrap(), "{\n  \"mcpServers\": {\n");
    assert!(claude(&dir).contains("\"wardroom\""));
    assert!(!dir.outside().join(".codex").exists());
}

#[test]
fn an_entry_whose_program_is_gone_is_said_to_be() {
    let dir = home();
    let gone = r#"{"mcpServers": {"wardroom": {"command": "/no/such/wardroom"}}}"#;
    fs::write(dir.outside().join(".claude.json"), gone).unwrap();
    let status = run(&dir, &["status", "claude_code"]);
    assert_eq!(status.status, 1);
    assert!(status.stdout.contains("/no/such/wardroom does not start: "), "{}", status.stdout);
}

#[test]
fn who_is_meant_must_be_said() {
    let dir = home();
    assert_eq!(run(&dir, &["install", "--yes"]).status, 1);
    assert_eq!(run(&dir, &["install", "nobody", "--yes"]).status, 2);
    assert_eq!(run(&dir, &["install", "zed", "--yes"]).status, 1);
    assert_eq!(run(&dir, &["install", "claude_code", "--yes", "--name", "a b"]).status, 1);
    assert_eq!(claude(&dir), CLAUDE);
    let printed = run(&dir, &["print", "openai_codex", "--name", "alc"]).ok();
    assert!(printed.starts_with("[mcp_servers.alc]\ncommand = "), "{printed}");
}
