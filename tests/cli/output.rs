//! Output streams: only messages on standard output, the log on standard error or in its file.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use wardroom_test_support::{CommandOutput, TestDir, run_command, run_wardroom, wardroom_binary, wardroom_command};

/// Sends one request of every kind to a server, and ends it.
fn serve(command: &mut Command) -> CommandOutput {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let read = |id, uri| {
        let params = json!({"_meta": meta, "uri": uri});
        json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params}).to_string()
    };
    let lines = [
        read(1, "alc://packages/cot/meta"),
        read(2, "alc://packages/broken/meta"),
        read(3, "alc://packages/nobody/meta"),
        "not json".to_owned(),
        read(4, "alc://cards/cot_opus46_20261121T090000_1a2b3c/samples?limit=1"),
    ];
    child.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    CommandOutput {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn demo() -> TestDir {
    let dir = TestDir::new_demo();
    dir.write_package("broken", "x = '");
    dir
}

/// The command of a server on `dir` with these arguments.
fn command(dir: &TestDir, args: &[&str]) -> Command {
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).args(args);
    command
}

#[test]
fn stdout_has_only_messages_with_verbose_log() {
    let dir = demo();
    for level in ["off", "info", "trace"] {
        for args in [&["serve"][..], &[], &["--log-format", "json"], &["--read-only"]] {
            let finished = serve(command(&dir, args).env("RUST_LOG", level));
            assert_eq!(finished.status, 0);
            let messages: Vec<Value> =
                finished.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(messages.len(), 5, "{level} {args:?}");
            assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{}", finished.stdout);
            assert_eq!(finished.stderr.is_empty(), level == "off", "{level}: {}", finished.stderr);
        }
    }
}

#[test]
fn log_file_is_appended_line_by_line() {
    let dir = demo();
    let log = dir.root().join("wardroom.log");
    fs::write(&log, "{\"kept\":true}\n").unwrap();
    let path = log.display().to_string();
    let args = ["--log-file", &path, "--log-format", "json"];
    let finished = serve(command(&dir, &args).env("RUST_LOG", "trace"));
    assert_eq!((finished.status, finished.stderr.as_str()), (0, ""));
    let lines: Vec<Value> =
        fs::read_to_string(&log).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({"kept": true}));
    let failed = lines.iter().find(|line| {
        line["fields"]["reason"] == "cannot extract alc://packages/broken/meta: line 1, column 5: unterminated string"
    });
    let failed = failed.unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!((&failed["level"], &failed["fields"]["id"]), (&json!("ERROR"), &json!("2")));
}

#[test]
fn new_log_file_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = demo();
    // The most that a umask allows.
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(wardroom_binary()).env_clear().env("HOME", dir.root());
    let finished =
        serve(shell.arg("--appdir").arg(dir.app_path()).args(["--log-file", "new.log"]).current_dir(dir.root()));
    assert_eq!(finished.status, 0, "{finished:?}");
    let log = fs::metadata(dir.root().join("new.log")).unwrap();
    assert!(log.len() > 0);
    assert_eq!(log.permissions().mode() & 0o777, 0o600);
}

#[test]
fn default_log_level_has_only_failures() {
    let dir = demo();
    let finished = serve(&mut command(&dir, &[]));
    let lines: Vec<&str> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("ERROR") && lines[0].contains("alc://packages/broken/meta"), "{lines:?}");
}

#[test]
fn unopenable_log_file_fails_with_hint() {
    let dir = TestDir::new();
    let finished = run_wardroom(dir.root(), &["--log-file", "no/such/folder/log", "ls"]);
    assert_eq!(finished.status, 1);
    let error = "error: cannot open the log no/such/folder/log: not found\nhint: name another file with";
    assert!(finished.stderr.starts_with(error), "{}", finished.stderr);
}

#[test]
fn read_only_server_writes_nothing() {
    let dir = demo();
    fs::remove_dir_all(dir.app_path().join("cache")).unwrap();
    let tree = || {
        let mut names: Vec<_> = fs::read_dir(dir.app_path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = tree();
    assert_eq!(serve(&mut command(&dir, &["--read-only"])).status, 0);
    run_command(&mut command(&dir, &["--read-only", "doctor"])).expect_success();
    assert_eq!(tree(), before);
}

#[test]
fn unselected_service_is_not_offered() {
    let dir = demo();
    let finished = serve(&mut command(&dir, &["--service", "resources"]));
    let first: Value = serde_json::from_str(finished.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["error"]["code"].as_i64().map(|code| code < 0), Some(true));
    assert_eq!(run_command(&mut command(&dir, &["--service", "resources", "ls"])).expect_success(), "");
    assert_eq!(run_command(&mut command(&dir, &["--service", "resources", "ls", "alc"])).status, 1);
    assert_eq!(
        run_command(&mut command(&dir, &["--service", "alc,resources", "ls"])).expect_success().lines().count(),
        9
    );
}

/// As in `wardroom guest | head -c 4`.
#[test]
fn closed_stdout_is_no_failure() {
    let dir = TestDir::new();
    let mut command = wardroom_command(dir.root());
    let mut child = command.arg("guest").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Runs a command line at a terminal, which `script` provides. `None` where there is no such program.
fn run_at_terminal(dir: &TestDir, arguments: &str) -> Option<()> {
    let mut terminal = Command::new("script");
    let line = format!("'{}' --appdir '{}' {arguments}", wardroom_binary().display(), dir.app_path().display());
    terminal.args(["--quiet", "--return", "--command", &line, "typescript"]);
    terminal
        .current_dir(dir.root())
        .env_clear()
        .env("HOME", dir.root())
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm");
    // The end of its input is a Ctrl-D on the terminal.
    let Ok(status) = terminal.stdin(Stdio::null()).stdout(Stdio::null()).status() else {
        wardroom_test_support::skip("there is no `script` to make a terminal with");
        return None;
    };
    assert!(status.success());
    Some(())
}

/// The first command after an installation.
#[test]
fn start_at_terminal_prints_guide_on_stderr() {
    let dir = TestDir::new_demo();
    if run_at_terminal(&dir, ">out 2>err").is_none() {
        return;
    }
    let read = |name: &str| fs::read_to_string(dir.root().join(name)).unwrap();
    assert_eq!(read("out"), "");
    let at = dir.app_path().display().to_string();
    let said = read("err").replace(env!("CARGO_PKG_VERSION"), "<version>").replace(&at, "$APP");
    insta::assert_snapshot!("terminal", said);
}

#[test]
fn progress_bar_is_for_a_terminal_only() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    let finished = run_wardroom(dir.root(), &["--appdir", &app, "blog", "index", "--rebuild"]);
    assert_eq!((finished.status, finished.stderr.as_str()), (0, ""));
    if run_at_terminal(&dir, "blog index --rebuild >out").is_none() {
        return;
    }
    // The result is the same, and the terminal had a bar in between.
    assert_eq!(fs::read_to_string(dir.root().join("out")).unwrap(), finished.stdout);
    let shown = fs::read_to_string(dir.root().join("typescript")).unwrap();
    assert!(shown.contains(" files, ") && shown.contains(" left"), "{shown:?}");
}
