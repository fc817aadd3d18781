//! Processes that are killed at random moments: the playbook is that of before or of after, and a log keeps its lines.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::test_log::{TestLog, analyze, bullets, capture, failure};

const N_KILLS: u64 = 40;

#[test]
fn killed_update_leaves_the_old_playbook_or_the_new_one() {
    let log = TestLog::new();
    let prose = "Some prose.\n".repeat(2_000);
    let text = format!("{}\n{prose}", log.playbook());
    log.dir.write_file("ace/AGENTS.md", &text);
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    let preview = client.call_ok("ace_update_knowledge", json!({"dryRun": true}));
    let line = preview["deltas"][0]["content"].as_str().unwrap().to_owned();
    let new = text.replace("<!-- Types and modules -->\n", &format!("<!-- Types and modules -->\n{line}\n"));
    let mut n_new = 0;
    for n in 0..N_KILLS {
        log.dir.write_file("ace/AGENTS.md", &text);
        // Without it, a bullet of before would count as one that a person removed.
        log.dir.write_file("ace/logs/bullets.jsonl", "");
        let mut command = log.command(&["update"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // An update takes some ten milliseconds.
        std::thread::sleep(Duration::from_micros(n * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = log.playbook();
        assert!(found == text || found == new, "{n}: {} bytes", found.len());
        n_new += usize::from(found == new);
    }
    println!("{n_new} of {N_KILLS} updates were done");
    log.dir.write_file("ace/logs/bullets.jsonl", "");
    // No lock is left behind.
    client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!(bullets(&mut client).len(), 1);
}

#[test]
fn killed_capture_tears_no_line_but_its_own() {
    let log = TestLog::new();
    let executions = json!([failure(&"x".repeat(3_900)), failure(&"y".repeat(3_900))]).to_string();
    let (mut n_whole, mut n_torn) = (0, 0);
    for n in 0..N_KILLS {
        let mut command = log.command(&["capture", "--bead", "b", "--exec", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(executions.as_bytes());
        std::thread::sleep(Duration::from_micros(n * 500));
        child.kill().unwrap();
        child.wait().unwrap();
        // The kernel may end a write at the end of a page. Then the line is torn, and stays alone.
        let (whole, torn) = log.count_traces();
        assert!(whole + torn <= n_whole + n_torn + 1 && whole >= n_whole && torn >= n_torn, "{n}: {whole}, {torn}");
        (n_whole, n_torn) = (whole, torn);
    }
    println!("of {N_KILLS} captures {n_whole} were recorded, and {n_torn} were torn");
    let mut client = log.client();
    capture(&mut client, "b", "x");
    assert_eq!(log.count_traces(), (n_whole + 1, n_torn));
    assert_eq!(analyze(&mut client)["linesSkipped"].as_u64().unwrap_or_default(), n_torn as u64);
}
