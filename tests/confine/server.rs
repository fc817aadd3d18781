//! The binary with all walls, and with one of them missing.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
use serde_json::json;

use super::roles::command;
use wardroom_test_support::landlock_or_skip;
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_wardroom, wardroom_command};

const REQUIRE: &str = "[sandbox]\nrequire = true\n";

pub(super) fn config(dir: &TestDir, text: &str) {
    let folder = dir.root().join(".config/wardroom");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

fn log(dir: &TestDir) -> String {
    fs::read_to_string(dir.root().join("log")).unwrap()
}

/// A server with the most verbose log.
pub(super) fn serving(dir: &TestDir, args: &[&str]) -> Command {
    let mut command = wardroom_command(dir.root());
    command
        .arg("--appdir")
        .arg(dir.app_path())
        .args(["--log-file", "log"])
        .args(args)
        .env("RUST_LOG", "wardroom=debug");
    command
}

pub(super) fn started(command: Command) -> StdioClient {
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    client
}

#[test]
fn every_thread_of_a_server_is_confined() {
    if landlock_or_skip(3).is_none() {
        return;
    }
    let dir = TestDir::new_demo();
    config(&dir, REQUIRE);
    let mut client = started(serving(&dir, &[]));
    for uri in ["alc://packages/cot/meta", "alc://packages/cot/init.lua", "alc://types/alc.d.lua"] {
        client.read_resource(uri).unwrap();
    }
    let tasks = fs::read_dir(format!("/proc/{}/task", client.process_id())).unwrap();
    let states: Vec<_> = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("status")).unwrap()).collect();
    assert!(states.len() > 2, "the log, a worker, the guest's clock: {}", states.len());
    for state in states {
        for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1"] {
            assert!(state.lines().any(|found| found == line), "{line}: {state}");
        }
    }
    let limits = fs::read_to_string(format!("/proc/{}/limits", client.process_id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    assert!(client.finish().0.success());
    assert!(log(&dir).contains("INFO wardroom::cli::serve: confined: process ("), "{}", log(&dir));
}

/// The processes that `parent` started.
fn children_of(parent: u32) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let parent_of = |id: &u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    ids.filter(|id| parent_of(id) == Some(parent)).collect()
}

#[test]
fn processes_of_a_server_have_no_privileges_and_nothing_left_open() {
    let dir = TestDir::new_demo();
    config(&dir, "[network]\ngit = true\nhub = true\n");
    fs::write(dir.root().join("left-open"), "secret").unwrap();
    let left_open = fs::File::open(dir.root().join("left-open")).unwrap();
    let serving = serving(&dir, &[]);
    // Open and inheritable, from before this server's start.
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let client = started(serving);
    drop(left_open);
    let links = |id: u32| -> Vec<String> {
        let fds = fs::read_dir(format!("/proc/{id}/fd")).unwrap();
        fds.filter_map(|fd| Some(fs::read_link(fd.unwrap().path()).ok()?.display().to_string())).collect()
    };
    let is_left_open = |link: &String| link.ends_with("/left-open");
    assert!(links(client.process_id()).iter().any(is_left_open), "the test must leave it open");
    let children = children_of(client.process_id());
    assert!(children.len() >= 3, "the spawner and two helpers: {children:?}");
    for child in children {
        assert!(!links(child).iter().any(is_left_open), "{child}: {:?}", links(child));
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap();
        for line in ["NoNewPrivs:\t1", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000"] {
            assert!(status.lines().any(|found| found == line), "{child} {line}: {status}");
        }
    }
    assert!(client.finish().0.success());
}

/// Folders of services must exist before the confinement: nothing can be granted afterwards.
#[test]
fn service_folders_are_created_before_confinement_unless_read_only() {
    let dir = TestDir::new_demo();
    assert!(started(serving(&dir, &["--read-only"])).finish().0.success());
    assert!(!dir.app_path().join("runs").exists());
    assert!(started(serving(&dir, &[])).finish().0.success());
    for name in
        ["cache", "cards", "evals", "hub_cache", "logs", "packages", "runs", "scenarios", "state", "store", "types"]
    {
        assert!(dir.app_path().join(name).is_dir(), "{name}");
    }
}

/// A named pipe is opened a second time, by its name.
#[test]
fn named_pipes_serve_as_stdio() {
    let dir = TestDir::new_demo();
    let pipe = dir.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open in both directions, so that no open blocks.
    let end = fs::File::options().read(true).write(true).open(&pipe).unwrap();
    let mut command = serving(&dir, &[]);
    let output = command.stdin(end.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = output.spawn().unwrap();
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\
                   \"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"}}}\n";
    io::Write::write_all(&mut &end, request.as_bytes()).unwrap();
    let mut line = String::new();
    io::BufRead::read_line(&mut io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    let task = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let names = task.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    let threads = names.count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("\"id\":1"), "{line}");
    // The protocol thread and the log thread: none that waits for the pipe.
    assert_eq!(threads, 2);
}

/// Runs in the child: forbids system calls that an older kernel lacks, and then becomes the server.
pub(super) fn play_without(what: &str, folder: &Path) {
    let (what, arguments) = what.split_once(' ').map_or((what, None), |(what, argument)| (what, Some(argument)));
    let number = match what {
        // landlock_create_ruleset
        "landlock" => 444,
        "seccomp" if cfg!(target_arch = "x86_64") => 317,
        "seccomp" => 277,
        other => panic!("{other}"),
    };
    let target = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let absent = SeccompAction::Errno(38);
    let filter = SeccompFilter::new([(number, Vec::new())].into(), SeccompAction::Allow, absent, target);
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    apply_filter(&program).unwrap();
    let mut server = wardroom_command(folder);
    server.arg("--appdir").arg(folder.join("app")).args(["--log-file", "log"]).args(arguments);
    panic!("{}", server.exec());
}

fn without(what: &str, dir: &TestDir) -> Command {
    let mut command = command(&format!("without {what}"), dir.root());
    command.current_dir(dir.root());
    command
}

#[test]
fn missing_wall_is_logged_once_and_server_serves() {
    for (what, line) in [
        ("landlock", "no Landlock (this kernel lacks it: Linux 5.13 or later has it)"),
        ("seccomp", "no seccomp (Error calling `seccomp`: "),
    ] {
        let dir = TestDir::new_demo();
        let mut client = StdioClient::spawn(without(what, &dir), ClientRevision::Legacy);
        client.skip_to_line("running 1 test");
        client.initialize();
        assert!(client.finish().0.success());
        let log = log(&dir);
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("WARN wardroom::cli::serve: only partly confined: ") && log.contains(line), "{log}");
    }
}

#[test]
fn missing_required_wall_prevents_start() {
    for what in ["landlock", "seccomp"] {
        let dir = TestDir::new_demo();
        config(&dir, REQUIRE);
        let output = without(what, &dir).output().unwrap();
        let report = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{report}");
        assert!(report.contains("error: this server cannot be confined: no "), "{report}");
        assert!(report.contains(if what == "landlock" { "no Landlock (" } else { "no seccomp (" }), "{report}");
        assert!(report.contains("doctor to see what is missing, or leave out `[sandbox] require = true`"), "{report}");
    }
}

#[test]
fn worker_reports_missing_walls_and_gets_require_flag() {
    let dir = TestDir::new_demo();
    assert_eq!(run_wardroom(dir.root(), &["worker-walls"]).expect_success().trim(), "");
    for (what, wall) in [("landlock", "no Landlock ("), ("seccomp", "no seccomp (")] {
        let mut command = command(&format!("without {what} worker-walls"), dir.root());
        let output = command.current_dir(dir.root()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.contains(wall), "{said}");
    }
    // With all of them scripts run, each in a process that has them.
    if landlock_or_skip(3).is_none() {
        return;
    }
    config(&dir, REQUIRE);
    let mut client = started(serving(&dir, &[]));
    let answer = client.call("tools/call", json!({"name": "alc_run", "arguments": {"code": "return alc.llm('p')"}}));
    assert_eq!(answer["result"]["structuredContent"]["status"], "needs_response", "{answer:#}");
    let workers = client.grandchild_processes("lua-worker");
    assert!(!workers.is_empty());
    for worker in workers {
        let given = fs::read(format!("/proc/{worker}/cmdline")).unwrap();
        assert!(given.ends_with(b"\0--require\0"), "{given:?}");
    }
}

#[test]
fn doctor_reports_walls_with_hints() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    let here = run_wardroom(dir.root(), &["doctor", "--appdir", &app]).expect_success();
    assert!(here.contains("\nok       process        no new privileges, no core dumps, no debugger\n"), "{here}");
    assert!(here.contains("\nok       seccomp        an allow-list of system calls\n"), "{here}");
    let landlock = landlock_or_skip(3);
    if landlock.is_some() {
        assert!(here.contains("\nok       workers        process, limits, Landlock, seccomp\n"), "{here}");
    }
    if let Some(version) = landlock {
        assert!(here.contains(&format!("\nok       Landlock       ABI {version}\n")), "{here}");
    }
    let older = |text: &str| {
        config(&dir, text);
        let mut command = command("without landlock doctor", dir.root());
        let output = command.current_dir(dir.root()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let hint = "hint: run Linux 6.2 or later, with landlock in its list of security modules (lsm=…)\n";
    let (status, report) = older("");
    assert!(
        report.contains("\nwarning  Landlock       this kernel lacks it: Linux 5.13 or later has it\n"),
        "{report}"
    );
    assert!(report.contains(hint), "{report}");
    assert_eq!(status, Some(0), "{report}");
    let (status, report) = older(REQUIRE);
    assert!(
        report
            .contains("\nerror    Landlock       this kernel lacks it: Linux 5.13 or later has it: no server starts\n"),
        "{report}"
    );
    assert_eq!(status, Some(1), "{report}");
}
