//! `wardroom agents status`: the reported state of each entry, and the programs that it starts.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
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

/// A home with another copy of the program: a script of this body.
fn copy(body: &str) -> TestDir {
    let dir = home(&json!({}));
    let program = dir.root().join("wardroom");
    write_script(&program, &format!("#!/bin/sh\n# {MARK}\n{body}\n"));
    let entry = json!({"mcpServers": {"wardroom": {"command": program}}});
    fs::write(dir.root().join(".cursor/mcp.json"), entry.to_string()).unwrap();
    dir
}

#[test]
fn foreign_program_of_same_name_is_not_started() {
    let dir = copy("touch started");
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

/// Anyone could have written the marker into a script.
#[test]
fn another_copy_is_reported_and_not_started() {
    let dir = copy("");
    let (program, started) = (dir.root().join("wardroom"), dir.root().join("started"));
    write_script(&program, &format!("#!/bin/sh\n# {MARK}\ntouch {}\n", started.display()));
    let done = status(&dir);
    let rows: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((done.status, &rows[0]["ours"], &rows[0]["starts"]), (0, &json!(true), &Value::Null), "{rows:?}");
    assert_eq!(rows[0]["program"], json!(program), "{rows:?}");
    let shown = run_wardroom(dir.root(), &["agents", "status", "cursor"]).expect_success();
    assert!(shown.contains("starts another copy of wardroom, which was not tried"), "{shown}");
    // By its bare name, in a folder that the entry names.
    let entry = json!({"mcpServers": {"wardroom": {"command": "wardroom", "env": {"PATH": dir.root()}}}});
    fs::write(dir.root().join(".cursor/mcp.json"), entry.to_string()).unwrap();
    assert_eq!(row(&dir)["starts"], Value::Null);
    assert!(!started.exists());
}

/// An entry chooses what is served; it neither changes how the program is loaded, nor has it write a file.
#[test]
fn only_what_chooses_the_served_folders_is_taken_from_an_entry() {
    let dir = TestDir::new();
    fs::create_dir(dir.root().join(".cursor")).unwrap();
    let (log, linked) = (dir.root().join("log"), dir.root().join("linked"));
    let entry = json!({
        "command": wardroom_test_support::wardroom_binary(),
        "args": ["--log-file", log, "--appdir", dir.app_path()],
        "env": {"LD_DEBUG": "all", "LD_DEBUG_OUTPUT": linked, "RUST_LOG": "trace"},
    });
    fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
    assert_eq!(row(&dir)["starts"], json!(true));
    let names = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let written: Vec<_> = names.filter(|name| name.starts_with("log") || name.starts_with("linked")).collect();
    assert!(written.is_empty(), "{written:?}");
    // The AppDir of the entry is the one that is tried.
    let entry = json!({"command": wardroom_test_support::wardroom_binary(), "env": {"ALC_HOME": "/nowhere/app"}});
    fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
    assert!(row(&dir)["problem"].as_str().unwrap().contains("/nowhere/app"));
}

/// The server ends with its input, however the command ends.
#[test]
fn interrupted_status_leaves_no_processes() {
    for (signal, delay_ms) in
        [(Signal::INT, 3), (Signal::TERM, 6), (Signal::HUP, 12), (Signal::KILL, 5), (Signal::KILL, 15)]
    {
        let dir = TestDir::new();
        fs::create_dir(dir.root().join(".cursor")).unwrap();
        let args = ["--appdir".into(), dir.app_path().display().to_string()];
        let entry = json!({"command": wardroom_test_support::wardroom_binary(), "args": args});
        fs::write(dir.root().join(".cursor/mcp.json"), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
        let mut status =
            wardroom_command(dir.root()).args(["agents", "status", "cursor"]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(delay_ms));
        kill_process(Pid::from_child(&status), signal).unwrap();
        status.wait().unwrap();
        eventually("its server is gone", || !is_named_by_a_process(&dir.app_path()));
    }
}

/// Whether a process has this path among its arguments.
fn is_named_by_a_process(path: &Path) -> bool {
    let processes =
        fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    processes.into_iter().any(|line| String::from_utf8_lossy(&line).contains(&path.display().to_string()))
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
