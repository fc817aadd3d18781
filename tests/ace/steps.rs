//! A kill at every step of every change: the playbook is the old one or the new one, the logs have whole lines, and the same
//! change made again gives what it gives without a kill.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser as _;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::Value;
use wardroom::cli::args::Args;
use wardroom_appdir::with_failpoints;

use super::test_log::{TestLog, failure, pass};

/// The role of a child, and its folder.
const ROLE: &str = "WARDROOM_TEST_ROLE";
const FOLDER: &str = "WARDROOM_TEST_FOLDER";

const PLAYBOOK: &str = "AGENTS.md";
const TRACES: &str = "logs/execution_traces.jsonl";
const INSIGHTS: &str = "logs/insights.jsonl";

/// The arguments of `wardroom ace`.
type AceCommand = &'static [&'static str];

/// The changes by name, each with the commands that prepare it.
const CHANGES: [(&str, AceCommand, &[AceCommand]); 6] = [
    ("init", &["init"], &[]),
    ("capture", &["capture", "--bead", "b", "--exec", "runs.json"], &[&["init"]]),
    ("analyze", &["analyze", "--min-frequency", "1"], &[&["init"], &["capture", "--bead", "b", "--exec", "runs.json"]]),
    (
        "update",
        &["update"],
        &[&["init"], &["capture", "--bead", "b", "--exec", "runs.json"], &["analyze", "--min-frequency", "1"]],
    ),
    ("import bullets", &["import", "bullets.txt"], &[&["init"]]),
    ("import logs", &["import", "other"], &[&["init"]]),
];

/// Lets this process die at a step of a change, if it is such a child. Ordinary runs of all tests have no role.
#[test]
fn run_requested_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (at, name) = role.split_once(' ').unwrap();
    let (at, mut number) = (at.parse::<usize>().unwrap(), 0);
    let (_, command, _) = CHANGES.iter().find(|(known, ..)| *known == name).unwrap();
    let args = Args::parse_from([&["wardroom", "--appdir", "app", "ace"], *command].concat());
    let hook = move |_| {
        if number == at {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        number += 1;
        Ok(())
    };
    assert_eq!(with_failpoints(hook, || wardroom::cli::run(args)), ExitCode::SUCCESS);
}

/// Makes a change in a child that dies at a step; returns whether it reached that step.
fn died(log: &TestLog, at: usize, name: &str) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "steps::run_requested_role", "--nocapture"]).env_clear().env("HOME", log.dir.root());
    child.current_dir(log.dir.root()).env(ROLE, format!("{at} {name}")).env(FOLDER, log.dir.root());
    let status = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{name} {at}: {status}");
    !status.success()
}

fn prepare(before: &[AceCommand]) -> TestLog {
    let log = TestLog::empty();
    let root: PathBuf = log.dir.root().to_path_buf();
    let runs = serde_json::json!([failure("Cannot find module ./x.js"), pass(), failure("TS2345: no")]);
    std::fs::write(root.join("runs.json"), runs.to_string()).unwrap();
    std::fs::write(root.join("bullets.txt"), "## A\n[a-1] helpful=2 harmful=1 :: Pin the version\n").unwrap();
    std::fs::create_dir_all(root.join("other/logs")).unwrap();
    std::fs::write(root.join("other").join(TRACES), "{\"trace_id\":\"t-1\"}\n{\"trace_id\":\"t-2\"}\n").unwrap();
    std::fs::write(root.join("other").join(INSIGHTS), "{\"id\":\"i-1\"}\n").unwrap();
    before.iter().for_each(|command| drop(log.run(command).expect_success()));
    log
}

/// The files as texts; of traces and insights what is not made anew each time.
fn state(log: &TestLog) -> BTreeMap<&'static str, Vec<String>> {
    let lines = |name: &'static str| -> Vec<String> {
        let text = read(&log.path(name));
        assert!(text.is_empty() || text.ends_with('\n'), "{name}: {text:?}");
        let shown = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let id = value["id"].as_str().unwrap_or_default();
            format!("{id} {} {}", value["bead_id"], value["execution_results"])
        };
        text.lines().map(shown).collect()
    };
    let mut state = BTreeMap::from([(TRACES, lines(TRACES)), (INSIGHTS, lines(INSIGHTS))]);
    state.insert(PLAYBOOK, vec![read(&log.path(PLAYBOOK))]);
    state
}

/// Temporary files of the playbook.
fn leftovers(log: &TestLog) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(log.path("")).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(".AGENTS.md.")).collect()
}

/// Makes temporary files look as if their writer was killed long ago.
fn age_leftovers(log: &TestLog) {
    for path in leftovers(log) {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn change_that_is_killed_at_any_step_is_made_or_not() {
    for (name, command, before) in CHANGES {
        let untouched = state(&prepare(before));
        let whole = prepare(before);
        whole.run(command).expect_success();
        let made = state(&whole);
        assert_ne!(made, untouched, "{name}");
        let mut n_steps = 0;
        for at in 0.. {
            let log = prepare(before);
            let died = died(&log, at, name);
            let found = state(&log);
            // Each file is what it was or what it becomes; the one that is written first may be alone.
            for (file, lines) in &found {
                assert!(*lines == untouched[file] || *lines == made[file], "{name} at {at}: {file}: {lines:?}");
            }
            if !died {
                assert_eq!(found, made, "{name}");
                break;
            }
            n_steps += 1;
            age_leftovers(&log);
            // A capture that was recorded before it could say so is recorded twice.
            if found != made || name != "capture" {
                log.run(command).expect_success();
                assert_eq!(state(&log), made, "{name} again after {at}");
                assert!(name != "update" || leftovers(&log).is_empty() || found == made, "{name} again after {at}");
            }
        }
        assert!(n_steps >= 4, "{name}: {n_steps} steps");
    }
}
