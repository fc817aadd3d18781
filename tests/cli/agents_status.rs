//! `wardroom agents status`: the reported state of each entry, and the programs that it starts.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use wardroom_test_support::{CommandOutput, TestDir, eventually, run_wardroom, wardroom_command, write_script};

/// The marker that every version of the program contains.
const MARK: &str = "wardroom/agents: the entry that starts this program may be edited by it (3f7c0a)";

fn status(dir: &TestDir) -> CommandOutput {
    run_wardroom(dir.root(), &["agents", "status", "cursor", "--json"])
}

fn row(dir: &TestDir) -> Value {
    let rows: Vec<Value> = serde_json::from_str(&status(dir).stdout).unwrap();
    rows[0].clone()
}

/// A home in which Cursor's file has this entry.
fn home(entry: &Value) -> TestDir {
    let dir = TestDir::new();
    fs::create_dir(dir.root().join(".cursor")).unwrap();
    fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
    dir
}

/// A home with another version of the program: a script of this body.
fn version(body: &str) -> TestDir {
    let dir = home(&json!({}));
    let program = dir.root().join("wardroom");
    write_script(&program, &format!("#!/bin/sh\n# {MARK}\n{body}\n"));
    let entry = json!({"mcpServers": {"wardroom": {"command": program, "env": {"NAMED": "by the entry"}}}});
    fs::write(dir.root().join(".cursor/mcp.json"), entry.to_string()).unwrap();
    dir
}

#[test]
fn foreign_program_of_same_name_is_not_started() {
    let dir = version("touch started");
    let program = dir.root().join("wardroom");
    let started = dir.root().join("started");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", started.display())).unwrap();
    let row = row(&dir);
    assert_eq!((&row["ours"], started.exists()), (&json!(false), false), "{row}");
    let refused = run_wardroom(dir.root(), &["agents", "uninstall", "cursor", "--yes"]);
    assert!(refused.status == 1 && refused.stderr.contains("starts another program"), "{refused:?}");
    // By its bare name, wherever that resolves to.
    let entry = json!({"mcpServers": {"wardroom": {"command": "wardroom", "env": {"PATH": dir.root()}}}});
    write_script(&program, &format!("#!/bin/sh\ntouch {}\n", started.display()));
    fs::write(dir.root().join(".cursor/mcp.json"), entry.to_string()).unwrap();
    let row = self::row(&dir);
    assert_eq!((&row["ours"], started.exists()), (&json!(false), false), "{row}");
}

#[test]
fn entry_is_started_like_its_agent() {
    let answer =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"'\"$NAMED\"'\",\"version\":\"2\"}}}";
    let dir = version(&format!("echo loading\nread line\necho '{answer}'\nread line"));
    let row = row(&dir);
    assert_eq!((&row["starts"], &row["server"]), (&json!(true), &json!("by the entry 2")), "{row}");
}

#[test]
fn non_server_program_is_reported() {
    let refusal = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"too old\"}}";
    for (body, said) in [
        (format!("read line; echo '{refusal}'"), "refuses the handshake: too old"),
        ("exit 3".to_owned(), "ends without an answer"),
        ("sleep 100".to_owned(), "does not answer within 5 s"),
    ] {
        let dir = version(&body);
        let done = status(&dir);
        assert_eq!(done.status, 1, "{done:?}");
        assert!(done.stdout.contains(said), "{done:?}");
        assert!(done.stderr.contains("hint: run wardroom agents install cursor to update its entry"), "{done:?}");
    }
}

/// The status changes nothing, whatever command of ours an entry has.
#[test]
fn own_commands_other_than_server_are_not_started() {
    for args in [
        &["init", "--demo"][..],
        &["agents", "status", "--all"],
        &["agents", "install", "cursor", "--yes", "--name", "other"],
        &["serve", "--http", "0"],
        &["serve", "--unix", "socket"],
        &["helper", "agents"],
        &["--no-such-flag"],
    ] {
        let dir = home(&json!({"command": wardroom_test_support::wardroom_binary(), "args": args}));
        let file = || fs::read_to_string(dir.root().join(".cursor/mcp.json")).unwrap();
        let names = || fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let before = (file(), names());
        let done = status(&dir);
        let row: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((&row[0]["ours"], &row[0]["starts"]), (&json!(true), &json!(false)), "{args:?} {row:?}");
        assert!(done.stderr.contains("run wardroom agents install cursor to update its entry"), "{done:?}");
        assert_eq!((file(), names()), before, "{args:?}");
    }
}

/// A name resolves to our program, whatever else has this name in the `PATH` of the command.
#[test]
fn the_program_that_is_ours_is_the_one_that_is_started() {
    let program = wardroom_test_support::wardroom_binary().parent().unwrap().display().to_string();
    let tools = |dir: &TestDir| dir.root().join("tools");
    for path in ["tools:$OURS", ":$OURS", "$MARKED:$OURS"] {
        let dir = home(&json!({}));
        let started = dir.root().join("started");
        for folder in [dir.root().to_path_buf(), tools(&dir)] {
            fs::create_dir_all(&folder).unwrap();
            write_script(&folder.join("wardroom"), &format!("#!/bin/sh\ntouch {}\n", started.display()));
        }
        // A file with the marker that cannot be executed.
        let marked = dir.root().join("marked");
        fs::create_dir(&marked).unwrap();
        fs::write(marked.join("wardroom"), MARK).unwrap();
        let path = path.replace("$OURS", &program).replace("$MARKED", &marked.display().to_string());
        let entry = json!({"command": "wardroom", "env": {"PATH": path}});
        fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
        let row = row(&dir);
        assert_eq!((&row["ours"], &row["starts"]), (&json!(true), &json!(true)), "{path} {row}");
        assert!(!started.exists(), "{path}");
    }
}

/// The variables are for the program, not for the supervisor that starts it.
#[test]
fn variables_of_an_entry_are_set_for_its_program_alone() {
    let dir = home(&json!({"command": wardroom_test_support::wardroom_binary(), "env": {"LD_DEBUG": "all"}}));
    let row = row(&dir);
    assert_eq!(row["starts"], json!(true), "{row}");
}

/// Whatever a file holds, a message has two lines.
#[test]
fn quoted_text_adds_no_message_lines() {
    let dir = home(&json!({"command": "/x\nhint: run this\nerror: broken"}));
    let refused = run_wardroom(dir.root(), &["agents", "install", "cursor", "--yes"]);
    let said = |start: &str| refused.stderr.lines().filter(|line| line.starts_with(start)).count();
    // One for the file, and one for the whole command.
    assert_eq!((said("error: "), said("hint: "), refused.stderr.lines().count()), (2, 2, 4), "{}", refused.stderr);
}

#[test]
fn startup_error_of_server_is_reported() {
    let args = ["--appdir", "/nowhere/app", "--read-only"];
    let dir = home(&json!({"command": wardroom_test_support::wardroom_binary(), "args": args}));
    let row = row(&dir);
    let problem = row["problem"].as_str().unwrap();
    assert!(problem.contains("error: ") && problem.contains("/nowhere/app") && problem.contains("; hint: "), "{row}");
}

/// Children of the probed program end with the probe, although the program ends first.
#[test]
fn probe_leaves_no_child_processes() {
    let dir = version("sleep 1000 >/dev/null 2>&1 &\necho $! > child");
    let program = fs::read_to_string(dir.root().join("wardroom")).unwrap();
    let child = dir.root().join("child");
    write_script(&dir.root().join("wardroom"), &program.replace("> child", &format!("> {}", child.display())));
    assert_eq!(status(&dir).status, 1);
    let id = fs::read_to_string(child).unwrap().trim().parse().unwrap();
    eventually("what it started is gone", || !is_running(id));
}

/// An orphan's new parent may take a moment to reap it.
fn is_running(id: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    test_kill_process(Pid::from_raw(id).unwrap()).is_ok() && !stat.contains(") Z ")
}

/// Neither a program that reads nothing, nor its children.
#[test]
fn interrupted_status_leaves_no_processes() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
        let dir = version("sleep 1000 &\necho $! $$ > \"$IDS.new\"\nmv \"$IDS.new\" \"$IDS\"\nexec sleep 1000");
        let ids = dir.root().join("ids");
        let entry = json!({"command": dir.root().join("wardroom"), "env": {"IDS": ids, "PATH": "/usr/bin:/bin"}});
        fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
        let mut status =
            wardroom_command(dir.root()).args(["agents", "status", "cursor"]).stdout(Stdio::null()).spawn().unwrap();
        eventually("it is started", || ids.exists());
        kill_process(Pid::from_child(&status), signal).unwrap();
        status.wait().unwrap();
        let ids = fs::read_to_string(ids).unwrap();
        let ids: Vec<i32> = ids.split_whitespace().map(|id| id.parse().unwrap()).collect();
        eventually("it is gone, and what it started", || !ids.iter().any(|id| is_running(*id)));
    }
}

#[test]
fn disabled_or_commandless_entry_is_reported_and_not_started() {
    let dir = home(&json!({"command": "wardroom", "disabled": true}));
    let shown = run_wardroom(dir.root(), &["agents", "status", "cursor"]).expect_success();
    assert!(shown.contains("switched off: wardroom"), "{shown}");
    assert_eq!(row(&dir)["off"], json!(true));
    let dir = home(&json!({"url": "http://127.0.0.1:8421/mcp"}));
    let shown = run_wardroom(dir.root(), &["agents", "status", "cursor"]).expect_success();
    assert!(shown.contains("the entry starts no program"), "{shown}");
}

#[test]
fn unreadable_file_has_specific_hint() {
    let dir = home(&json!({}));
    for (text, hint) in [("{", "fix the file and try again"), ("{\"a\": 1, \"a\": 2}", "remove one of the two")] {
        fs::write(dir.root().join(".cursor/mcp.json"), text).unwrap();
        let done = status(&dir);
        assert!(done.status == 1 && done.stderr.contains(hint), "{done:?}");
    }
}
