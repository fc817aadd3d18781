//! Many processes on one log: no line is torn, and no bullet is lost or written twice.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::json;

use super::test_log::{TestLog, analyze, bullets, capture};

const N_PROCESSES: usize = 6;

#[test]
fn captures_of_many_processes_are_whole_lines() {
    const N_CAPTURES: usize = 20;
    let log = TestLog::new();
    thread::scope(|scope| {
        for process in 0..N_PROCESSES {
            let log = &log;
            scope.spawn(move || {
                let mut client = log.client();
                for n in 0..N_CAPTURES {
                    // Longer than what a pipe or a page writes at once.
                    capture(&mut client, &format!("p-{process}-{n}"), &"x".repeat(3_000 + n));
                }
            });
        }
    });
    let traces = log.traces();
    assert_eq!(traces.len(), N_PROCESSES * N_CAPTURES);
    let beads: BTreeSet<&str> = traces.iter().map(|trace| trace["bead_id"].as_str().unwrap()).collect();
    assert_eq!(beads.len(), N_PROCESSES * N_CAPTURES);
}

#[test]
fn updates_of_many_processes_lose_and_repeat_nothing() {
    const N_INSIGHTS: usize = 24;
    let log = TestLog::new();
    let mut client = log.client();
    for n in 0..N_INSIGHTS {
        let word: String = std::iter::repeat_n(char::from(b'a' + u8::try_from(n).unwrap()), 5).collect();
        capture(&mut client, &format!("b-{n}"), &format!("TS{}: {word}", 4000 + n));
    }
    assert_eq!(analyze(&mut client)["insights"].as_array().unwrap().len(), N_INSIGHTS);
    let start = |args: &[&str]| -> Child {
        let mut command = log.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // Each adds two; some add the same two in vain.
    let mut left = N_INSIGHTS;
    for _ in 0..N_INSIGHTS {
        let processes: Vec<Child> =
            (0..N_PROCESSES).map(|_| start(&["update", "--max-deltas", "2", "--json"])).collect();
        let analyses: Vec<Child> = (0..2).map(|_| start(&["analyze", "--min-frequency", "1", "--json"])).collect();
        for process in processes.into_iter().chain(analyses) {
            let output = process.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            left -= answer["deltas"].as_array().map_or(0, Vec::len);
        }
        if left == 0 {
            break;
        }
    }
    assert_eq!(left, 0);
    let ids: BTreeSet<String> = bullets(&mut client).iter().map(|b| b["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!((bullets(&mut client).len(), ids.len()), (N_INSIGHTS, N_INSIGHTS));
    assert_eq!(log.lines("logs/insights.jsonl").len(), N_INSIGHTS);
}

#[test]
fn feedback_of_many_processes_is_counted() {
    const N_FEEDBACKS: usize = 10;
    let log = TestLog::with_playbook("### A\n[Bullet #one, helpful:0, harmful:0] x\n");
    thread::scope(|scope| {
        for process in 0..N_PROCESSES {
            let log = &log;
            scope.spawn(move || {
                let mut client = log.client();
                for n in 0..N_FEEDBACKS {
                    let feedback = if process % 2 == 0 { "helpful" } else { "harmful" };
                    let reason = format!("{process} {n}");
                    let arguments = json!({"beadId": "b", "bulletId": "one", "feedback": feedback, "reason": reason});
                    client.call_ok("ace_feedback", arguments);
                }
            });
        }
    });
    let half = N_PROCESSES * N_FEEDBACKS / 2;
    assert_eq!(log.playbook(), format!("### A\n[Bullet #one, helpful:{half}, harmful:{half}] x\n"));
}

#[test]
fn edits_between_updates_are_kept() {
    const N_BULLETS: usize = 12;
    let log = TestLog::with_playbook("# Mine\n\n### TypeScript Patterns\n\n### Notes\n");
    let mut client = log.client();
    for n in 0..N_BULLETS {
        let word: String = std::iter::repeat_n(char::from(b'a' + u8::try_from(n).unwrap()), 5).collect();
        capture(&mut client, &format!("b-{n}"), &format!("TS{}: {word}", 4000 + n));
    }
    analyze(&mut client);
    let edit = |n: usize| {
        // As an editor does it: the file is read, and replaced by another one.
        let text = log.playbook();
        let new = log.path("new");
        std::fs::write(&new, format!("{text}- note {n}\n")).unwrap();
        // No other program wrote in between.
        if log.playbook() == text {
            std::fs::rename(&new, log.path("AGENTS.md")).unwrap();
            return true;
        }
        false
    };
    for n in 0..N_BULLETS {
        assert!(edit(n));
        let update = client.call_ok("ace_update_knowledge", json!({"maxDeltas": 1}));
        assert_eq!(update["deltas"].as_array().unwrap().len(), 1, "{update:#}");
    }
    let text = log.playbook();
    assert_eq!(bullets(&mut client).len(), N_BULLETS);
    assert!((0..N_BULLETS).all(|n| text.contains(&format!("- note {n}\n"))), "{text}");
}
