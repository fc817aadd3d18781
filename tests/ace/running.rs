//! `wardroom ace run`: the command's own output and exit code, and the trace of it.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wardroom_test_support::{run_command, run_wardroom, wardroom_command};

use super::test_log::TestLog;

const BROKEN: &str = "src/a.ts(12,5): error TS2307: Cannot find module './auth.js'.";

/// Runs a command through `wardroom ace run`.
fn run(log: &TestLog, args: &[&str]) -> wardroom_test_support::CommandOutput {
    let app = log.dir.app_path().display().to_string();
    run_wardroom(log.dir.root(), &[&["--appdir", &app, "ace", "run"], args].concat())
}

#[test]
fn command_is_shown_recorded_and_its_exit_code_returned() {
    let log = TestLog::new();
    let script = format!("echo \"{BROKEN}\"; echo to-stderr >&2; exit 3");
    let output = run(&log, &["--bead", "task-1", "--", "sh", "-c", &script]);
    assert_eq!(
        (output.status, output.stdout.as_str(), output.stderr.as_str()),
        (3, &*format!("{BROKEN}\n"), "to-stderr\n")
    );
    let passed = run(&log, &["--bead", "task-1", "--", "true"]);
    assert_eq!((passed.status, passed.stdout.as_str()), (0, ""));
    let traces = log.traces();
    assert_eq!(traces.len(), 2, "{traces:#?}");
    let execution = &traces[0]["execution_results"][0];
    assert_eq!(
        (&traces[0]["bead_id"], &execution["runner"], &execution["status"]),
        (&"task-1".into(), &"sh".into(), &"fail".into())
    );
    let error = &execution["errors"][0];
    assert_eq!(error["message"], "TS2307: Cannot find module './auth.js'.");
    assert_eq!((&error["file"], &error["line"], &error["column"]), (&"src/a.ts".into(), &12.into(), &5.into()));
    assert_eq!(traces[1]["execution_results"][0]["status"], "pass");
}

#[test]
fn arguments_are_not_read_by_a_shell() {
    let log = TestLog::new();
    let output = run(&log, &["--", "echo", "$HOME; touch /nowhere", "`id`", "--bead"]);
    assert_eq!(output.stdout, "$HOME; touch /nowhere `id` --bead\n");
    assert_eq!(log.traces()[0]["bead_id"], "unassigned");
    let missing = run(&log, &["--", "no-such-program-at-all"]);
    assert!(missing.status == 127 && missing.stderr.contains("cannot run no-such-program-at-all"), "{missing:?}");
    assert!(missing.stderr.contains("hint: name a program as a shell would find it"), "{missing:?}");
}

#[test]
fn task_of_the_environment_is_taken_and_signals_are_told() {
    let log = TestLog::new();
    let mut command = wardroom_command(log.dir.root());
    command.arg("--appdir").arg(log.dir.app_path()).args(["ace", "run", "--", "sh", "-c", "kill -9 $$"]);
    let status =
        command.env("ACE_CURRENT_BEAD", "task-2").stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(137));
    assert_eq!(log.traces()[0]["bead_id"], "task-2");
}

#[test]
fn command_is_ended_when_its_time_is_over() {
    let log = TestLog::new();
    let output = run(&log, &["--timeout", "1", "--", "sleep", "60"]);
    assert_eq!(output.status, 124);
    assert!(output.stderr.contains("the command was ended after 1 s: give it more with --timeout"), "{output:?}");
    assert_eq!(log.traces()[0]["execution_results"][0]["status"], "fail");
}

#[test]
fn long_output_is_shown_whole_and_its_beginning_and_end_are_read() {
    let log = TestLog::new();
    // 5 MiB of lines that are no error, before and behind an error in the middle: the first and the last 4 MiB are read.
    let filler = "yes 'nothing to see here' | head -c 5242880; echo";
    let error = |name: &str| format!("echo 'src/{name}.c:3:1: error: {name} is wrong'");
    let script = [&*error("first"), filler, &error("middle"), filler, &error("last"), "exit 1"].join("; ");
    let output = run(&log, &["--", "sh", "-c", &script]);
    assert_eq!(output.status, 1);
    let shown = ["first", "middle", "last"].map(|name| output.stdout.contains(&format!("{name} is wrong")));
    assert_eq!((shown, output.stdout.len() > 10 * 1024 * 1024), ([true; 3], true));
    let errors = log.traces()[0]["execution_results"][0]["errors"].clone();
    let files: Vec<&str> = errors.as_array().unwrap().iter().map(|error| error["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["src/first.c", "src/last.c"], "{errors}");
}

#[test]
fn command_runs_without_a_place_for_its_trace() {
    let log = TestLog::new();
    std::fs::remove_dir_all(log.dir.app_path().join("ace")).unwrap();
    let output = run(&log, &["--", "sh", "-c", "echo done; exit 4"]);
    assert_eq!((output.status, output.stdout.as_str()), (4, "done\n"));
    assert!(output.stderr.contains("no trace was recorded: there is no learning log"), "{output:?}");
}

#[test]
fn lesson_comes_from_commands_alone() {
    let log = TestLog::new();
    let script = format!("echo \"{BROKEN}\"; exit 1");
    for task in ["task-1", "task-2"] {
        assert_eq!(run(&log, &["--bead", task, "--", "sh", "-c", &script]).status, 1);
    }
    let app = log.dir.app_path().display().to_string();
    let learned = run_wardroom(log.dir.root(), &["--appdir", &app, "ace", "learn"]);
    assert_eq!(learned.status, 0, "{learned:?}");
    let playbook = log.playbook();
    let bullets: Vec<&str> = playbook.lines().filter(|line| line.contains("[Bullet #")).collect();
    assert!(bullets.iter().any(|bullet| bullet.contains("TS2307")), "{playbook}");
}

/// A command of a person who pipes its output on sees it at once.
#[test]
fn output_comes_as_it_is_written() {
    use std::io::{BufRead as _, BufReader};
    let log = TestLog::new();
    let mut command: Command = wardroom_command(log.dir.root());
    command.arg("--appdir").arg(log.dir.app_path()).args([
        "ace",
        "run",
        "--",
        "sh",
        "-c",
        "echo first; read line; echo $line",
    ]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "first");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"second\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "second");
    assert!(child.wait().unwrap().success());
}

#[test]
fn files_that_changed_between_a_failure_and_a_pass_are_recorded() {
    let log = TestLog::new();
    let project = log.dir.root().join("project");
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(project.join(name).parent().unwrap()).unwrap();
        std::fs::write(project.join(name), text).unwrap();
    };
    write("src/old.rs", "old");
    write(".gitignore", "*.tmp\n");
    let run = |bead: &str| {
        let mut command = wardroom_command(log.dir.root());
        command.current_dir(&project).arg("--appdir").arg(log.dir.app_path());
        let script = "test -f src/fix.rs";
        let output = run_command(command.args(["ace", "run", "--bead", bead, "--", "sh", "-c", script]));
        (output.status, log.traces().last().unwrap()["execution_results"][0].clone())
    };
    let (status, failed) = run("b");
    assert_eq!((status, &failed["status"], &failed["changed_files"]), (1, &"fail".into(), &Value::Null));
    // Longer than the tick of a file's time.
    std::thread::sleep(std::time::Duration::from_millis(50));
    write("src/fix.rs", "fix");
    write("target/debug/built", "x");
    write("note.tmp", "x");
    let (status, passed) = run("b");
    assert_eq!((status, &passed["changed_files"]), (0, &json!(["src/fix.rs"])));
    // It passed the last time, and never failed in the other task.
    assert_eq!(run("b").1["changed_files"], Value::Null);
    assert_eq!(run("c").1["changed_files"], Value::Null);
}

/// Where it is not known that nothing changed, nothing is said.
#[test]
fn changes_are_looked_for_in_the_repository_of_the_working_directory() {
    let log = TestLog::new();
    let project = log.dir.root().join("project");
    for folder in ["web", "src", ".git", "node_modules/@scope"] {
        std::fs::create_dir_all(project.join(folder)).unwrap();
    }
    std::fs::write(project.join("src/stale.ts"), "stale").unwrap();
    let changes: [(&str, &dyn Fn(), Value); 6] = [
        ("edited", &|| std::fs::write(project.join("src/a.ts"), "fix").unwrap(), json!(["src/a.ts"])),
        ("removed", &|| std::fs::remove_file(project.join("src/stale.ts")).unwrap(), Value::Null),
        ("installed", &|| std::fs::create_dir(project.join("node_modules/left-pad")).unwrap(), Value::Null),
        ("scoped", &|| std::fs::create_dir(project.join("node_modules/@scope/one")).unwrap(), Value::Null),
        ("hidden", &|| std::fs::write(project.join(".env"), "fix").unwrap(), Value::Null),
        ("nothing", &|| (), json!([])),
    ];
    for (bead, change, expected) in changes {
        let marker = log.dir.root().join(bead);
        let script = format!("test -f {}", marker.display());
        let run = || {
            let mut command = wardroom_command(log.dir.root());
            command.current_dir(project.join("web")).arg("--appdir").arg(log.dir.app_path());
            let output = run_command(command.args(["ace", "run", "--bead", bead, "--", "sh", "-c", &script]));
            (output.status, log.traces().last().unwrap()["execution_results"][0]["changed_files"].clone())
        };
        // What was made before counts as no change: longer than the tick of a file's time.
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(run(), (1, Value::Null), "{bead}");
        std::thread::sleep(std::time::Duration::from_millis(50));
        change();
        std::fs::write(&marker, "").unwrap();
        assert_eq!(run(), (0, expected), "{bead}");
    }
}

#[test]
fn failure_that_goes_without_a_change_is_no_lesson() {
    let log = TestLog::new();
    let marker = log.dir.root().join("app/.passes");
    let script = format!("if [ -f {0} ]; then exit 0; fi; touch {0}; echo \"{BROKEN}\"; exit 1", marker.display());
    for expected in [1, 0] {
        assert_eq!(run(&log, &["--bead", "b", "--", "sh", "-c", &script]).status, expected);
    }
    assert_eq!(log.traces()[1]["execution_results"][0]["changed_files"], json!([]));
    log.run(&["analyze", "--min-frequency", "1"]).expect_success();
    assert!(
        log.lines("logs/insights.jsonl").iter().all(|insight| !insight["metaTags"].to_string().contains("resolved"))
    );
}

#[test]
fn hostile_lists_of_ignored_files_hold_up_no_command() {
    let log = TestLog::new();
    let project = log.dir.root().join("project");
    std::fs::create_dir_all(project.join("sub")).unwrap();
    let run = |script: &str| {
        let mut command = wardroom_command(log.dir.root());
        command.current_dir(&project).arg("--appdir").arg(log.dir.app_path());
        run_command(command.args(["ace", "run", "--bead", "b", "--", "sh", "-c", script])).status
    };
    let script = "test -f fix";
    assert_eq!(run(script), 1);
    std::thread::sleep(std::time::Duration::from_millis(50));
    std::os::unix::fs::symlink("/dev/zero", project.join("sub/.gitignore")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", project.join(".ignore")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.join(".gitignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    std::fs::write(project.join("fix"), "").unwrap();
    assert_eq!(run(script), 0);
    assert_eq!(log.traces()[1]["execution_results"][0]["changed_files"], json!(["fix"]));
}

#[test]
fn process_that_keeps_the_output_open_holds_up_nothing() {
    let log = TestLog::new();
    let output = run(&log, &["--", "sh", "-c", "sleep 600 & echo $!; exit 3"]);
    assert_eq!(output.status, 3);
    let pid = output.stdout.trim().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    assert_eq!(log.traces()[0]["execution_results"][0]["status"], "fail");
}

/// The command `wardroom ace run`, not started yet.
fn running(log: &TestLog, args: &[&str]) -> Command {
    let mut command = wardroom_command(log.dir.root());
    command.arg("--appdir").arg(log.dir.app_path()).args(["ace", "run", "--"]).args(args);
    command
}

#[test]
fn signals_are_the_commands_to_handle() {
    let log = TestLog::new();
    let mut command = running(&log, &["sh", "-c"]);
    command.arg("trap 'echo ended; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "ended");
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(log.traces().len(), 1);
}

#[test]
fn command_ends_when_the_reader_of_its_output_is_gone() {
    let log = TestLog::new();
    let mut child = running(&log, &["yes"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "y");
    drop(lines);
    assert_ne!(child.wait().unwrap().code(), Some(0));
}
