//! Other programs that write the playbook while it is changed: a change that lost is made again on their text.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use clap::Parser as _;
use serde_json::json;
use wardroom::cli::args::Args;
use wardroom_appdir::with_failpoints;

use super::test_log::{TestLog, analyze, bullets, capture};

/// The role of a child.
const ROLE: &str = "WARDROOM_TEST_LOST_WRITES";
/// Attempts of a change (`MAX_PLAYBOOK_WRITES`).
const MAX_WRITES: usize = 8;

/// Updates the playbook while another program writes it, if this is such a child. Ordinary runs of all tests have no role.
#[test]
fn run_requested_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (point, n_writes) = role.split_once(' ').unwrap();
    let (point, n_writes, mut n_written) = (point.to_owned(), n_writes.parse::<usize>().unwrap(), 0);
    let hook = move |name| {
        if name == point && n_written < n_writes {
            let path = Path::new("app/ace/AGENTS.md");
            let text = fs::read_to_string(path)?;
            n_written += 1;
            fs::write(path, format!("{text}Written by hand {n_written}.\n"))?;
        }
        Ok(())
    };
    let args = Args::parse_from(["wardroom", "--appdir", "app", "ace", "update"]);
    let done = with_failpoints(hook, || wardroom::cli::run(args)) == ExitCode::SUCCESS;
    fs::write("done", done.to_string()).unwrap();
}

/// Updates a playbook while another program writes it so many times, each time at this point; returns whether the update
/// succeeded.
fn update_against_writes(log: &TestLog, point: &str, n_writes: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "lost_writes::run_requested_role"]).env_clear().env("HOME", log.dir.root());
    child.current_dir(log.dir.root()).env(ROLE, format!("{point} {n_writes}"));
    assert!(child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    fs::read_to_string(log.dir.root().join("done")).unwrap() == "true"
}

fn log_with_insight() -> (TestLog, String) {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    let preview = client.call_ok("ace_update_knowledge", json!({"dryRun": true}));
    let line = preview["deltas"][0]["content"].as_str().unwrap().to_owned();
    (log, line)
}

#[test]
fn change_that_lost_is_made_again_on_the_text_of_the_other_program() {
    // Before the text is compared, and between the comparison and the exchange of both files.
    for point in ["rename", "exchange"] {
        for n_writes in [1, 3, MAX_WRITES - 1] {
            let (log, line) = log_with_insight();
            let before = log.playbook();
            assert!(update_against_writes(&log, point, n_writes), "{point} {n_writes}");
            let by_hand: String = (1..=n_writes).map(|n| format!("Written by hand {n}.\n")).collect();
            let heading = "<!-- Types and modules -->\n";
            let expected = before.replace(heading, &format!("{heading}{line}\n")) + &by_hand;
            assert_eq!(log.playbook(), expected, "{point} {n_writes}");
        }
    }
}

#[test]
fn change_that_loses_every_time_fails_and_leaves_the_text_of_the_other_program() {
    let (log, _) = log_with_insight();
    let before = log.playbook();
    assert!(!update_against_writes(&log, "exchange", usize::MAX));
    let by_hand: String = (1..=MAX_WRITES).map(|n| format!("Written by hand {n}.\n")).collect();
    assert_eq!(log.playbook(), before + &by_hand);
    let mut client = log.client();
    assert!(bullets(&mut client).is_empty());
    // The bullet that was never written does not count as one that a person removed.
    assert_eq!(client.call_ok("ace_update_knowledge", json!({}))["updated"], true);
}
