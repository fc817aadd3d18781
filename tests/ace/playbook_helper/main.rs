//! A program that is `wardroom`, and then more: a server that attempts to write its project once it is confined, and a
//! helper that dies at a step. A server starts its own program again as its helper, so this one has no test harness.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser as _;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use wardroom::cli::args::Args;
use wardroom_appdir::with_failpoints;
use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, landlock_or_skip, run_wardroom};

/// The folder of the project in which a server of this program makes its attempts.
const PROJECT: &str = "WARDROOM_TEST_PROJECT";
/// The file in the working directory that says at which step a helper of this program dies.
const KILL_AT: &str = "kill-at";
const EACCES: i32 = 13;
const EXDEV: i32 = 18;
/// The file with the results of the attempts, in the folder of the logs.
const ATTEMPTS: &str = "logs/attempts.json";

fn main() -> ExitCode {
    if std::env::args().skip(1).eq(["helper", "playbook"]) {
        return run_helper();
    }
    if let Some(project) = std::env::var_os(PROJECT) {
        return serve_and_attempt(Path::new(&project));
    }
    confined_server_cannot_write_its_project();
    helper_killed_at_any_step_leaves_the_old_playbook_or_the_new_one();
    ExitCode::SUCCESS
}

fn run_helper() -> ExitCode {
    let kill_at = fs::read_to_string(KILL_AT).ok().and_then(|text| text.parse::<usize>().ok());
    let mut number = 0;
    let hook = move |_| {
        if Some(number) == kill_at {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        number += 1;
        Ok(())
    };
    with_failpoints(hook, || wardroom::cli::run(Args::parse()))
}

/// Serves until the input ends. Then this process is confined as it was, and tries what the server never does.
fn serve_and_attempt(project: &Path) -> ExitCode {
    let served = wardroom::cli::run(Args::parse());
    let append = |name: &str| fs::OpenOptions::new().append(true).open(project.join(name)).map(drop);
    let create = |name: &str| fs::write(project.join(name), "mine");
    let attempts = [
        ("read the playbook", fs::read(project.join("AGENTS.md")).map(drop)),
        ("append to the playbook", append("AGENTS.md")),
        ("replace the playbook", fs::rename(project.join("logs/insights.jsonl"), project.join("AGENTS.md"))),
        ("remove the playbook", fs::remove_file(project.join("AGENTS.md"))),
        ("write beside the playbook", create("new.md")),
        ("write a source", create("src/lib.rs")),
        ("write a hook", create(".git/hooks/pre-commit")),
        ("write a log", create("logs/new")),
    ];
    let error_number = |attempt: io::Result<()>| match attempt.map_err(|error| error.raw_os_error()) {
        Ok(()) => 0,
        // Some kernels refuse a move to another folder as one across file systems.
        Err(Some(EXDEV)) => EACCES,
        Err(number) => number.unwrap_or(-1),
    };
    let found: Value = attempts.map(|(name, attempt)| json!([name, error_number(attempt)])).to_vec().into();
    fs::write(project.join(ATTEMPTS), found.to_string()).unwrap();
    served
}

/// A project with an insight that is no bullet yet.
struct TestProject {
    dir: TestDir,
    root: PathBuf,
    playbook: String,
}

impl TestProject {
    fn new() -> Self {
        let dir = TestDir::new();
        let root = dir.root().join("project");
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        let run = |args: &[&str]| {
            let own = ["--appdir", "app", "--project", "project"];
            run_wardroom(dir.root(), &[args, &own].concat()).expect_success()
        };
        run(&["ace", "init"]);
        let mut error = json!({"tool": "tsc", "severity": "error", "message": "Cannot find module ./x.js"});
        (error["file"], error["line"]) = (json!("src/index.ts"), json!(5));
        let runs = json!([{"runner": "tsc", "command": "npm run build", "status": "fail", "errors": [error]}]);
        fs::write(dir.root().join("runs.json"), runs.to_string()).unwrap();
        run(&["ace", "capture", "--bead", "b", "--exec", "runs.json"]);
        run(&["ace", "analyze", "--min-frequency", "1"]);
        let playbook = fs::read_to_string(root.join("AGENTS.md")).unwrap();
        Self { dir, root, playbook }
    }

    /// Starts this program as the server of the project.
    fn server(&self) -> RunClient {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.current_dir(self.dir.root()).env_clear().env("HOME", self.dir.root()).env(PROJECT, &self.root);
        command.args(["--appdir", "app", "--service", "ace", "--project", "project"]);
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        client.initialize();
        RunClient(client)
    }

    fn playbook(&self) -> String {
        fs::read_to_string(self.root.join("AGENTS.md")).unwrap()
    }
}

/// The server's own rights do not reach the playbook, nor what the tools of the project run.
fn confined_server_cannot_write_its_project() {
    if landlock_or_skip(3).is_none() {
        return;
    }
    let project = TestProject::new();
    let mut client = project.server();
    // Through its helper it changes the playbook.
    assert_eq!(client.call_ok("ace_update_knowledge", json!({}))["updated"], true);
    assert!(client.0.finish().0.success());
    let changed = project.playbook();
    assert_ne!(changed, project.playbook);
    let found: Value = serde_json::from_str(&fs::read_to_string(project.root.join(ATTEMPTS)).unwrap()).unwrap();
    let expected = json!([
        ["read the playbook", EACCES],
        ["append to the playbook", EACCES],
        ["replace the playbook", EACCES],
        ["remove the playbook", EACCES],
        ["write beside the playbook", EACCES],
        ["write a source", EACCES],
        ["write a hook", EACCES],
        ["write a log", 0],
    ]);
    assert_eq!(found, expected);
    assert_eq!(project.playbook(), changed);
    report_passed("confined_server_cannot_write_its_project");
}

fn helper_killed_at_any_step_leaves_the_old_playbook_or_the_new_one() {
    let whole = TestProject::new();
    whole.server().call_ok("ace_update_knowledge", json!({}));
    let made = whole.playbook();
    let (mut n_old, mut n_new) = (0, 0);
    for at in 0.. {
        let project = TestProject::new();
        fs::write(project.dir.root().join(KILL_AT), at.to_string()).unwrap();
        let mut client = project.server();
        let (answer, has_failed) = client.call_tool("ace_update_knowledge", json!({}));
        let found = project.playbook();
        assert!(found == project.playbook || found == made, "{at}: {found}");
        if !has_failed {
            assert_eq!(found, made, "{at}: {answer}");
            break;
        }
        assert_eq!(answer["error"]["code"], "WRITE_ERROR", "{at}: {answer}");
        n_old += usize::from(found == project.playbook);
        n_new += usize::from(found == made);
        drop(client);
        fs::remove_file(project.dir.root().join(KILL_AT)).unwrap();
        // The next server makes the change that was not made, and no other one.
        let (answer, has_failed) = project.server().call_tool("ace_update_knowledge", json!({}));
        assert!(!has_failed && answer["updated"] == json!(found != made), "{at}: {answer}");
        assert_eq!(project.playbook(), made, "{at}");
    }
    assert!(n_old >= 3 && n_new >= 1, "{n_old} {n_new}");
    report_passed("helper_killed_at_any_step_leaves_the_old_playbook_or_the_new_one");
}

/// Prints what a test harness prints: this program has none.
fn report_passed(test: &str) {
    use std::io::Write as _;
    io::stdout().write_all(format!("test {test} ... ok\n").as_bytes()).unwrap();
}
