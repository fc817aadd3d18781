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

use wardroom_test_support::{CommandOutput, run_wardroom};

use super::test_log::{TestLog, failure, pass};

/// The role of a child.
const ROLE: &str = "WARDROOM_TEST_ROLE";

const PLAYBOOK: &str = "AGENTS.md";
const TRACES: &str = "logs/execution_traces.jsonl";
const INSIGHTS: &str = "logs/insights.jsonl";
const BULLETS: &str = "logs/bullets.jsonl";
const PROPOSALS: &str = "logs/proposals";

/// The arguments of `wardroom`. `PROPOSAL` and `DIGEST` stand for those of the proposal that waits.
type Arguments = &'static [&'static str];

const INIT: Arguments = &["ace", "init"];
const CAPTURE: Arguments = &["ace", "capture", "--bead", "b", "--exec", "runs.json"];
const ANALYZE: Arguments = &["ace", "analyze", "--min-frequency", "1"];
const UPDATE: Arguments = &["ace", "update"];
const HARM: Arguments = &[
    "call",
    "ace_feedback",
    r#"{"beadId":"c","bulletId":"5e634149","feedback":"harmful","reason":"it broke the build"}"#,
    "--service",
    "ace",
];
const CAPTURE_MORE: Arguments = &["ace", "capture", "--bead", "d", "--exec", "more.json"];
const PROPOSE: Arguments = &[
    "call",
    "ace_propose_bullets",
    r#"{"operations":[{"op":"update","bulletIds":["5e634149"],"content":"Other words","reason":"clearer"}]}"#,
    "--service",
    "ace",
];
const ACCEPT: Arguments = &["ace", "proposals", "accept", "PROPOSAL", "--digest", "DIGEST"];
const DISCARD: Arguments = &["ace", "proposals", "discard", "PROPOSAL"];

/// What a change does that is made a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Nothing,
    /// The same once more: an event happened twice.
    Repeats,
    /// It fails: a person decided.
    IsRefused,
}

struct Change {
    name: &'static str,
    command: Arguments,
    before: &'static [Arguments],
    again: Again,
}

const CHANGES: [Change; 10] = [
    Change { name: "init", command: INIT, before: &[], again: Again::Nothing },
    Change { name: "capture", command: CAPTURE, before: &[INIT], again: Again::Repeats },
    Change { name: "analyze", command: ANALYZE, before: &[INIT, CAPTURE], again: Again::Nothing },
    Change { name: "update", command: UPDATE, before: &[INIT, CAPTURE, ANALYZE], again: Again::Nothing },
    Change {
        name: "update that archives",
        command: UPDATE,
        before: &[INIT, CAPTURE, ANALYZE, UPDATE, HARM, HARM, HARM, CAPTURE_MORE, ANALYZE],
        again: Again::Nothing,
    },
    Change { name: "feedback", command: HARM, before: &[INIT, CAPTURE, ANALYZE, UPDATE], again: Again::Repeats },
    Change {
        name: "accept",
        command: ACCEPT,
        before: &[INIT, CAPTURE, ANALYZE, UPDATE, PROPOSE],
        again: Again::IsRefused,
    },
    Change {
        name: "discard",
        command: DISCARD,
        before: &[INIT, CAPTURE, ANALYZE, UPDATE, PROPOSE],
        again: Again::IsRefused,
    },
    Change {
        name: "import bullets",
        command: &["ace", "import", "bullets.txt"],
        before: &[INIT],
        again: Again::Nothing,
    },
    Change { name: "import logs", command: &["ace", "import", "other"], before: &[INIT], again: Again::Nothing },
];

/// Lets this process die at a step of a change, if it is such a child. Ordinary runs of all tests have no role.
#[test]
fn run_requested_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let mut words = role.split('\n');
    let (at, mut number) = (words.next().unwrap().parse::<usize>().unwrap(), 0);
    let args = Args::parse_from(["wardroom", "--appdir", "app"].into_iter().chain(words));
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
fn died(log: &TestLog, at: usize, command: &[String]) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "steps::run_requested_role", "--nocapture"]).env_clear().env("HOME", log.dir.root());
    child.current_dir(log.dir.root()).env(ROLE, format!("{at}\n{}", command.join("\n")));
    let status = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{command:?} {at}: {status}");
    !status.success()
}

fn run(log: &TestLog, command: &[String]) -> CommandOutput {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    run_wardroom(log.dir.root(), &[&["--appdir", "app"], &command[..]].concat())
}

/// Makes everything that a change needs.
fn prepare(change: &Change) -> TestLog {
    let log = TestLog::empty();
    let root = log.dir.root();
    let runs = serde_json::json!([failure("Cannot find module ./x.js"), pass(), failure("TS2345: no")]);
    std::fs::write(root.join("runs.json"), runs.to_string()).unwrap();
    std::fs::write(root.join("more.json"), serde_json::json!([failure("TS2322: never")]).to_string()).unwrap();
    std::fs::write(root.join("bullets.txt"), "## A\n[a-1] helpful=2 harmful=1 :: Pin the version\n").unwrap();
    std::fs::create_dir_all(root.join("other/logs")).unwrap();
    std::fs::write(root.join("other").join(TRACES), "{\"trace_id\":\"t-1\"}\n{\"trace_id\":\"t-2\"}\n").unwrap();
    std::fs::write(root.join("other").join(INSIGHTS), "{\"id\":\"i-1\"}\n").unwrap();
    for command in change.before {
        run(&log, &command.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).expect_success();
    }
    log
}

fn copy_of(log: &TestLog) -> TestLog {
    let copy = TestLog::empty();
    let from = format!("{}/.", log.dir.root().display());
    assert!(Command::new("cp").args(["-a", &from]).arg(copy.dir.root()).status().unwrap().success());
    copy
}

/// Returns a command with the proposal that waits.
fn resolve(log: &TestLog, command: Arguments) -> Vec<String> {
    let listed = log.run(&["proposals", "list", "--json"]);
    let waiting: Value = serde_json::from_str(&listed.stdout).unwrap_or_default();
    let id = waiting.pointer("/0/id").and_then(Value::as_str).unwrap_or_default();
    let shown: Value = serde_json::from_str(&log.run(&["proposals", "show", id, "--json"]).stdout).unwrap_or_default();
    let digest = shown["digest"].as_str().unwrap_or_default();
    command.iter().map(|word| word.replace("PROPOSAL", id).replace("DIGEST", digest)).collect()
}

/// The files as texts; of logs and proposals what is not made anew each time.
fn state(log: &TestLog) -> BTreeMap<&'static str, Vec<String>> {
    let lines = |name: &'static str| -> Vec<String> {
        let text = read(&log.path(name));
        assert!(text.is_empty() || text.ends_with('\n'), "{name}: {text:?}");
        let shown = |line: &str| {
            let mut value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            // A bullet whose line in the log is missing after a kill is found in the playbook by the next change.
            if value["event"] == "found" {
                value["event"] = "added".into();
            }
            let fields =
                ["id", "bead_id", "execution_results", "bullets_consulted", "event", "bulletId", "reason", "text"];
            fields.map(|field| value[field].to_string()).join(" ")
        };
        text.lines().map(shown).collect()
    };
    let mut state: BTreeMap<_, _> = [TRACES, INSIGHTS, BULLETS].map(|name| (name, lines(name))).into();
    state.insert(PLAYBOOK, vec![read(&log.path(PLAYBOOK))]);
    let proposals = std::fs::read_dir(log.path(PROPOSALS)).into_iter().flatten().map(|entry| entry.unwrap().path());
    let proposals = proposals.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let decision = |path: PathBuf| {
        let proposal: Value = serde_json::from_str(&read(&path)).unwrap();
        proposal["decision"]["status"].to_string()
    };
    state.insert(PROPOSALS, proposals.map(decision).collect());
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
    for change in CHANGES {
        let name = change.name;
        let prepared = prepare(&change);
        let command = resolve(&prepared, change.command);
        let untouched = state(&prepared);
        let whole = copy_of(&prepared);
        run(&whole, &command).expect_success();
        let made = state(&whole);
        assert_ne!(made, untouched, "{name}");
        let mut n_steps = 0;
        for at in 0.. {
            let log = copy_of(&prepared);
            let died = died(&log, at, &command);
            let found = state(&log);
            // Each file is what it was or what it becomes; those that are written first may be alone. Of the log of
            // bullets, what is archived comes before the playbook, and what is added after it.
            for (file, lines) in &found {
                let is_part = *file == BULLETS && made[file].starts_with(lines) && lines.starts_with(&untouched[file]);
                assert!(
                    is_part || *lines == untouched[file] || *lines == made[file],
                    "{name} at {at}: {file}: {lines:?}"
                );
            }
            if !died {
                assert_eq!(found, made, "{name}");
                break;
            }
            n_steps += 1;
            age_leftovers(&log);
            repeat(&change, &command, &log, (&untouched, &found, &made));
            let is_replaced = change.command == UPDATE;
            // Once the playbook is replaced nothing is written again, which would sweep what is left.
            let is_made = found[PLAYBOOK] == made[PLAYBOOK];
            assert!(!is_replaced || leftovers(&log).is_empty() || is_made, "{name} again after {at}");
        }
        assert!(n_steps >= 4, "{name}: {n_steps} steps");
    }
}

type State = BTreeMap<&'static str, Vec<String>>;

/// Makes a change again that was killed.
fn repeat(change: &Change, command: &[String], log: &TestLog, (untouched, found, made): (&State, &State, &State)) {
    let (name, is_in_playbook) = (change.name, found[PLAYBOOK] == made[PLAYBOOK]);
    match change.again {
        Again::Nothing => {
            run(log, command).expect_success();
            assert_eq!(state(log), *made, "{name} again");
        }
        // It was recorded before it could say so.
        Again::Repeats | Again::IsRefused if found == made => {}
        Again::Repeats => {
            run(log, command).expect_success();
            assert_eq!(state(log)[PLAYBOOK], made[PLAYBOOK], "{name} again");
            assert!(found != untouched || state(log) == *made, "{name} again");
        }
        // The decision is not recorded: the bullet is no longer the one that was shown, and a person discards it.
        Again::IsRefused if name == "accept" && is_in_playbook => {
            assert_eq!(run(log, command).status, 1, "{name} again");
            run(log, &resolve(log, DISCARD)).expect_success();
            assert_eq!(state(log)[PLAYBOOK], made[PLAYBOOK], "{name} again");
        }
        Again::IsRefused => {
            run(log, command).expect_success();
            assert_eq!(state(log), *made, "{name} again");
        }
    }
}
