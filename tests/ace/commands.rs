//! The commands: the whole cycle from a shell, with tables for people and JSON for scripts.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::test_log::{TestLog, failure, pass};

#[track_caller]
fn capture(log: &TestLog, args: &[&str], executions: &Value) -> String {
    let mut command = log.command(&[&["capture", "--exec", "-"], args].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(executions.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn json_of(log: &TestLog, args: &[&str]) -> Value {
    serde_json::from_str(&log.run(&[args, &["--json"]].concat()).expect_success()).unwrap()
}

#[test]
fn cycle_from_a_shell() {
    let log = TestLog::empty();
    let made = log.run(&["init"]).expect_success();
    assert!(made.contains("(3 files written)"), "{made}");
    let folder = log.path("").display().to_string();
    assert_eq!(
        json_of(&log, &["init"]),
        json!({"folder": folder.trim_end_matches('/'), "filesWritten": 0, "mergeDriverRegistered": false})
    );
    // A second time there is nothing to do, and a playbook stays as it is.
    log.dir.write_file("ace/AGENTS.md", log.playbook() + "Mine.\n");
    assert!(log.run(&["init"]).expect_success().contains("(0 files written)"));
    assert!(log.playbook().ends_with("Mine.\n"));

    let failed = failure("Cannot find module ./x.js");
    let shown =
        capture(&log, &["--bead", "b-1", "--desc", "The task", "--discovered", "b-7,b-8"], &json!([failed, pass()]));
    assert!(shown.starts_with("captured: "), "{shown}");
    let trace = &log.traces()[0];
    assert_eq!((&trace["task_description"], &trace["outcome"]), (&json!("The task"), &json!("failure")));
    assert_eq!(trace["discovered_issues"], json!(["b-7", "b-8"]));
    let answer: Value =
        serde_json::from_str(&capture(&log, &["--bead", "b-2", "--outcome", "partial", "--json"], &json!([failed])))
            .unwrap();
    assert_eq!(answer["written"], true);
    assert_eq!(log.traces()[1]["outcome"], "partial");

    let id = answer["traceId"].as_str().unwrap();
    assert_eq!(json_of(&log, &["analyze", "--trace", id, "--min-confidence", "0.9"])["insights"], json!([]));
    let files = || -> Vec<_> {
        let names = ["AGENTS.md", "logs/execution_traces.jsonl", "logs/insights.jsonl", "logs/bullets.jsonl"];
        let state = |name| {
            let changed = std::fs::metadata(log.path(name)).and_then(|metadata| metadata.modified());
            (name, std::fs::read(log.path(name)).ok(), changed.ok())
        };
        names.map(state).into()
    };
    let before = files();
    let preview = json_of(&log, &["learn", "--dry-run"]);
    assert_eq!((&preview["analysis"]["written"], &preview["update"]["updated"]), (&json!(false), &json!(false)));
    assert_eq!(json_of(&log, &["learn", "--dry-run", "--read-only"]), preview);
    let shown = log.run(&["learn", "--dry-run"]).expect_success();
    assert!(shown.contains("traces analyzed: 2, nothing written\n"), "{shown}");
    assert_eq!(files(), before);
    let learned = json_of(&log, &["learn", "--max-deltas", "1"]);
    // What was shown is what is done.
    assert_eq!(learned["analysis"]["insights"], preview["analysis"]["insights"]);
    assert_eq!(learned["update"]["deltas"][0]["content"], preview["update"]["deltas"][0]["content"]);
    assert_eq!((&learned["analysis"]["written"], &learned["update"]["updated"]), (&json!(true), &json!(true)));
    let again = json_of(&log, &["learn", "--dry-run"]);
    assert_eq!(again["update"]["duplicatesSkipped"], 1);
    std::fs::remove_file(log.path("logs/insights.jsonl")).unwrap();
    std::fs::remove_file(log.path("logs/bullets.jsonl")).unwrap();
    log.dir.write_file("ace/AGENTS.md", std::str::from_utf8(before[0].1.as_deref().unwrap()).unwrap());
    assert_eq!(json_of(&log, &["learn", "--dry-run"]), preview);
    assert!(!log.path("logs/insights.jsonl").exists());
    let learned = log.run(&["learn"]).expect_success();
    assert!(learned.contains("traces analyzed: 2, something new\n"), "{learned}");
    assert!(learned.contains("TypeScript Patterns: [Bullet #"), "{learned}");
    assert!(learned.contains("AGENTS.md is updated: 1 bullets"), "{learned}");
    let again = log.run(&["update"]).expect_success();
    assert!(again.starts_with("AGENTS.md is unchanged: 0 bullets, 0 archived, 1 skipped as duplicates"), "{again}");

    let insight = json_of(&log, &["insights", "--limit", "1"])["insights"][0]["id"].as_str().unwrap().to_owned();
    let forced = log.run(&["update", "--force-insight-ids", &format!("{insight},none")]);
    assert!(forced.status == 1 && forced.stderr.contains("no insight has the id none\n"), "{forced:?}");
    // What a person removed comes back by the id that the playbook had.
    let playbook = log.playbook();
    let (bullet, id) = {
        let line = playbook.lines().find(|line| line.contains("[Bullet #")).unwrap();
        (line.to_owned(), line.split_once('#').unwrap().1[..8].to_owned())
    };
    log.dir.write_file("ace/AGENTS.md", playbook.replace(&format!("{bullet}\n"), ""));
    let without = log.run(&["update"]);
    let left_out = format!("left out: {id}, since a person removed it (--force-insight-ids {id} brings it back)\n");
    assert!(without.stderr.contains(&left_out) && !log.playbook().contains(&id), "{without:?}");
    assert!(log.run(&["update", "--force-insight-ids", "none"]).status == 1 && !log.playbook().contains(&id));
    log.run(&["update", "--force-insight-ids", &id]).expect_success();
    assert!(log.playbook().contains(&id));
    let analyzed = log.run(&["analyze", "--beads", "b-9"]);
    assert!(analyzed.status == 0 && analyzed.stderr.contains("no trace is of b-9\n"), "{analyzed:?}");

    let bullets = log.run(&["bullets", "--tags", "import"]);
    assert!(bullets.stdout.contains("+0 -0") && bullets.stderr == "bullets: 1\n", "{bullets:?}");
    assert_eq!(json_of(&log, &["bullets", "--sections", "none"])["totalMatched"], 0);
    let insights = json_of(&log, &["insights", "--beads", "b-2", "--limit", "1"]);
    assert_eq!(insights["insights"].as_array().unwrap().len(), 1);
    let stats = log.run(&["stats"]).expect_success();
    assert!(stats.contains("bullets: 1, helping 0, harming 0, unused 1\n"), "{stats}");
    assert!(stats.contains("     2 times: Cannot find module PATH\n"), "{stats}");
    assert!(stats.contains(": traces 2, failed 2, insights "), "{stats}");
    let stats = json_of(&log, &["stats"]);
    assert_eq!((&stats["traces"]["total"], stats["timeline"].as_array().unwrap().len()), (&json!(2), 30));
    assert_eq!(stats["timeline"][29]["failed"], 2);
}

#[test]
fn executions_come_from_a_file_too() {
    let log = TestLog::new();
    let file = log.dir.root().join("run.json");
    std::fs::write(&file, json!([failure("x")]).to_string()).unwrap();
    log.run(&["capture", "--bead", "b", "--exec", &file.display().to_string()]).expect_success();
    assert_eq!(log.traces().len(), 1);
    for (args, message) in [
        (&["capture", "--bead", "b", "--exec", "none.json"][..], "cannot read the executions none.json"),
        (&["capture", "--bead", " ", "--exec", "run.json"], "beadId is required"),
        (&["analyze", "--trace", "none"], "no trace has the id none"),
        (&["update", "--max-deltas", "0"], "maxDeltas must be at least 1"),
        (&["update", "--read-only"], "--read-only forbids"),
    ] {
        let refused = log.run(args);
        assert!(refused.status == 1 && refused.stderr.contains(message), "{args:?}: {refused:?}");
    }
    let torn = std::fs::read_to_string(log.path("logs/execution_traces.jsonl")).unwrap() + "{\"torn";
    log.dir.write_file("ace/logs/execution_traces.jsonl", torn);
    let analysis = log.run(&["analyze"]);
    assert!(analysis.stderr.contains("were skipped: 1"), "{analysis:?}");
}
