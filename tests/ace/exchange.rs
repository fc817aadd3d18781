//! What goes from one project to another: import, export, merges by git, and what agents' hooks report.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wardroom_test_support::{CommandOutput, run_command, wardroom_command};

use super::test_log::{TestLog, analyze, capture};

/// A log with a lesson.
fn learned() -> TestLog {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    client.call_ok("ace_update_knowledge", json!({}));
    log
}

#[test]
fn logs_of_another_project_are_imported_once() {
    let (from, into) = (learned(), TestLog::new());
    fs::write(from.path("logs/execution_traces.jsonl"), {
        let own = fs::read_to_string(from.path("logs/execution_traces.jsonl")).unwrap();
        let secret = own.replace("Cannot find", "key sk-aaaaaaaaaaaaaaaaaaaaaaaa\\u202e Cannot find");
        format!("{}torn\n{secret}", own.replace("\"trace_id\":\"", "\"trace_id\":\"one-"))
    })
    .unwrap();
    let folder = from.path("").display().to_string();
    let output = into.run(&["import", &folder]);
    assert_eq!(output.stdout, "imported: 2 traces, 1 insights (0 known)\n");
    assert!(output.stderr.contains("lines that cannot be read, and were left out: 1"), "{output:?}");
    assert_eq!((into.traces().len(), into.lines("logs/insights.jsonl").len()), (2, 1));
    let text = fs::read_to_string(into.path("logs/execution_traces.jsonl")).unwrap();
    assert!(!text.contains("sk-aaaa") && !text.contains('\u{202e}') && !text.contains("\\u202e"), "{text}");
    assert!(into.run(&["import", &folder]).stdout.starts_with("imported: 0 traces, 0 insights (3 known)"));
    let counts = into.run(&["import", &folder, "--json"]).stdout;
    assert_eq!(counts, "{\"insights\":0,\"known\":3,\"linesSkipped\":1,\"traces\":0}\n");
    let missing = into.run(&["import", "no-such-place"]);
    assert!(missing.stderr.contains("cannot read no-such-place"), "{missing:?}");
    let refused = into.run(&["import", &folder, "--read-only"]);
    assert!(refused.stderr.contains("ace import writes files"), "{refused:?}");
}

#[test]
fn bullets_go_through_the_form_of_the_paper() {
    let from = learned();
    let text = from.playbook().replace("helpful:0, harmful:0]", "helpful:3, harmful:1]");
    from.dir.write_file("ace/AGENTS.md", text);
    let exported = from.run(&["export"]).expect_success();
    assert!(exported.starts_with("## TypeScript Patterns\n["), "{exported}");
    assert!(exported.contains("] helpful=3 harmful=1 :: Cannot find module PATH - "), "{exported}");
    let into = TestLog::new();
    let file = into.dir.root().join("playbook.txt");
    fs::write(&file, &exported).unwrap();
    let file = file.display().to_string();
    assert_eq!(into.run(&["import", &file]).expect_success(), "imported: 1 bullets (0 known)\n");
    assert_eq!(into.run(&["export"]).expect_success(), exported);
    assert_eq!(into.run(&["import", &file]).expect_success(), "imported: 0 bullets (1 known)\n");
    let counts = into.run(&["import", &file, "--json"]).expect_success();
    assert_eq!(counts, "{\"bullets\":0,\"known\":1,\"linesSkipped\":0}\n");
    // Bullets of another AGENTS.md.
    let other = TestLog::new();
    let playbook = from.path("AGENTS.md").display().to_string();
    other.run(&["import", &playbook]).expect_success();
    assert_eq!(other.playbook(), from.playbook());
    let torn = into.dir.root().join("torn.txt");
    fs::write(&torn, "## <b>C#\n- [c] helpful=1 harmful=0 :: Pin it\n[d] helpful=x harmful=0 :: y\n").unwrap();
    let output = into.run(&["import", &torn.display().to_string()]);
    assert_eq!(output.stdout, "imported: 1 bullets (0 known)\n");
    let note = "lines that look like a bullet and cannot be read, and were left out: 1";
    assert!(output.stderr.contains(note), "{output:?}");
    assert!(into.playbook().contains("### bC#\n[Bullet #c, helpful:1, harmful:0] Pin it\n"), "{}", into.playbook());
    let empty = TestLog::empty();
    assert!(empty.run(&["export"]).stderr.contains("there is no learning log"));
    let gone = TestLog::new();
    fs::remove_file(gone.path("AGENTS.md")).unwrap();
    assert!(gone.run(&["export"]).stderr.contains("cannot read the playbook"));
    assert!(gone.run(&["import", &file]).stderr.contains("cannot import"));
}

/// Runs git in a repository, without the settings of this machine.
#[track_caller]
fn git(folder: &Path, args: &[&str]) -> CommandOutput {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(args);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
    run_command(&mut command)
}

#[test]
fn git_merges_counters_and_bullets_of_two_branches() {
    let log = TestLog::empty();
    let project = log.dir.root().join("project");
    fs::create_dir(&project).unwrap();
    git(&project, &["init", "-q", "-b", "main"]).expect_success();
    let ace = |args: &[&str]| {
        let mut command = wardroom_command(log.dir.root());
        command.current_dir(&project).env("PATH", std::env::var_os("PATH").unwrap());
        run_command(command.arg("--appdir").arg(log.dir.app_path()).arg("ace").args(args))
    };
    let made = ace(&["init"]).expect_success();
    assert!(made.contains("`wardroom ace init --git` registers a merge driver"), "{made}");
    ace(&["init", "--git"]).expect_success();
    ace(&["init", "--git"]).expect_success();
    assert_eq!(fs::read_to_string(project.join(".gitattributes")).unwrap(), "AGENTS.md merge=wardroom-playbook\n");
    assert_eq!(fs::read_to_string(project.join(".gitignore")).unwrap(), "/logs/\n");
    let driver = git(&project, &["config", "merge.wardroom-playbook.driver"]).expect_success();
    // Git finds the program by that, although it is not in the `PATH`.
    let program = fs::canonicalize(wardroom_test_support::wardroom_binary()).unwrap();
    assert_eq!(driver, format!("'{}' ace merge %O %A %B\n", program.display()));

    let playbook = project.join("AGENTS.md");
    let start = fs::read_to_string(&playbook).unwrap().replace(
        "<!-- Types and modules -->\n",
        "<!-- Types and modules -->\n[Bullet #a, helpful:1, harmful:0] Use it\n",
    );
    let commit = |text: &str| {
        fs::write(&playbook, text).unwrap();
        git(&project, &["add", "-A"]).expect_success();
        git(&project, &["commit", "-q", "-m", "x"]).expect_success();
    };
    commit(&start);
    git(&project, &["checkout", "-q", "-b", "other"]).expect_success();
    let line = |id: &str| format!("[Bullet #{id}, helpful:0, harmful:0] {id}\n");
    commit(&start.replace("helpful:1", "helpful:3").replace("Use it\n", &format!("Use it\n{}", line("theirs"))));
    git(&project, &["checkout", "-q", "main"]).expect_success();
    commit(
        &start.replace("harmful:0] Use", "harmful:2] Use").replace("Use it\n", &format!("Use it\n{}", line("ours"))),
    );
    git(&project, &["merge", "-q", "-m", "m", "other"]).expect_success();
    let expected = start
        .replace("helpful:1, harmful:0", "helpful:3, harmful:2")
        .replace("Use it\n", &format!("Use it\n{}{}", line("ours"), line("theirs")));
    assert_eq!(fs::read_to_string(&playbook).unwrap(), expected);

    git(&project, &["checkout", "-q", "-b", "third"]).expect_success();
    commit(&expected.replace("Use it", "Never use it"));
    git(&project, &["checkout", "-q", "main"]).expect_success();
    commit(&expected.replace("Use it", "Always use it"));
    assert_eq!(git(&project, &["merge", "-q", "-m", "m", "third"]).status, 1);
    let text = fs::read_to_string(&playbook).unwrap();
    assert!(text.contains("<<<<<<<") && text.contains("Never use it") && text.contains("Always use it"), "{text}");

    // A picked commit is no second one, and two texts of one new bullet are both shown.
    git(&project, &["merge", "--abort"]).expect_success();
    let base = fs::read_to_string(&playbook).unwrap();
    let moved = |by: &str| base.replace("#ours, helpful:0", &format!("#ours, helpful:{by}"));
    git(&project, &["checkout", "-q", "-b", "picked"]).expect_success();
    commit(&moved("2"));
    commit(&moved("2").replace("use it\n", &format!("use it\n{}  THEIRS note\n", line("new"))));
    git(&project, &["checkout", "-q", "main"]).expect_success();
    git(&project, &["cherry-pick", "picked~1"]).expect_success();
    commit(&moved("2").replace("use it\n", &format!("use it\n{}  OURS note\n", line("new"))));
    assert_eq!(git(&project, &["merge", "-q", "-m", "m", "picked"]).status, 1);
    let text = fs::read_to_string(&playbook).unwrap();
    assert!(text.contains("#ours, helpful:2, harmful:0]"), "{text}");
    assert!(text.contains("OURS note") && text.contains("THEIRS note"), "{text}");

    fs::remove_dir_all(project.join(".git")).unwrap();
    let refused = ace(&["init", "--git"]);
    assert!(refused.stderr.contains("git cannot be configured"), "{refused:?}");
}

#[test]
fn merge_names_files_that_it_cannot_use() {
    let log = TestLog::new();
    let merge = |base: &str, ours: &str| log.run(&["merge", base, ours, "app/ace/AGENTS.md"]);
    let missing = merge("none", "app/ace/AGENTS.md");
    // A smaller one means to git that the file has marks of conflicts.
    assert!(missing.status == 129 && missing.stderr.contains("cannot read none"), "{missing:?}");
    std::os::unix::fs::symlink("app/ace/AGENTS.md", log.dir.root().join("link")).unwrap();
    let refused = merge("app/ace/AGENTS.md", "link");
    assert!(refused.status == 129 && refused.stderr.contains("cannot write link"), "{refused:?}");
    std::os::unix::fs::symlink("x", log.dir.app_path().join(".gitattributes")).unwrap();
}

/// Sends an event to `wardroom ace hook capture`.
fn report(log: &TestLog, agent: &str, event: &str) -> (i32, String, String) {
    let mut command = log.command(&["hook", "capture", agent]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn hooks_of_agents_report_builds_and_never_disturb() {
    let log = TestLog::new();
    let silent = (0, String::new(), String::new());
    let failed = json!({"session_id": "s1", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "npx tsc"}, "error": "Exit code 2\na.ts(1,2): error TS2307: Cannot find module 'x'.\n"});
    assert_eq!(report(&log, "claude-code", &failed.to_string()), silent);
    let passed = json!({"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "npx tsc"}, "tool_response": {"stdout": "", "stderr": ""}});
    assert_eq!(report(&log, "claude-code", &passed.to_string()), silent);
    let gemini = json!({"hook_event_name": "AfterTool", "tool_input": {"command": "pytest"},
        "tool_response": {"llmContent": "Output: E   assert 1 == 2\nExit Code: 1"}});
    assert_eq!(report(&log, "gemini-cli", &gemini.to_string()), silent);
    let cursor = json!({"command": "cargo check", "output": "error[E0308]: mismatched types\n --> src/a.rs:1:2\n"});
    assert_eq!(report(&log, "cursor", &cursor.to_string()), silent);
    let (status, stdout, stderr) = report(&log, "cursor", "{");
    assert!(status == 0 && stdout.is_empty() && stderr.contains("the event is not JSON"), "{stderr}");
    for other in ["", "[]", "{\"command\":\"ls\",\"output\":\"\"}"] {
        assert_eq!(report(&log, "cursor", other), silent, "{other}");
    }
    let found: Vec<(String, String)> = log
        .traces()
        .iter()
        .map(|trace| {
            let run = &trace["execution_results"][0];
            (trace["bead_id"].as_str().unwrap().to_owned(), format!("{} {}", run["runner"], run["status"]))
        })
        .collect();
    let expected = [
        ("session-s1", "\"tsc\" \"fail\""),
        ("session-s1", "\"tsc\" \"pass\""),
        ("unassigned", "\"pytest\" \"fail\""),
        ("unassigned", "\"cargo\" \"fail\""),
    ];
    assert_eq!(found, expected.map(|(bead, run)| (bead.to_owned(), run.to_owned())));
    let nowhere = TestLog::empty();
    let (status, stdout, stderr) = report(&nowhere, "cursor", &cursor.to_string());
    assert!(status == 0 && stdout.is_empty() && stderr.contains("no trace was recorded"), "{stderr}");
}

#[test]
fn snippets_of_hooks_are_settings_of_the_agents() {
    let log = TestLog::new();
    for (agent, file, event) in [
        ("claude-code", ".claude/settings.json", "PostToolUseFailure"),
        ("cursor", ".cursor/hooks.json", "afterShellExecution"),
        ("gemini-cli", ".gemini/settings.json", "AfterTool"),
    ] {
        let output = log.run(&["hook", "print", agent]);
        assert!(output.stderr.contains(file), "{output:?}");
        let snippet: Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(snippet["hooks"][event].to_string().contains(&format!("ace hook capture {agent}")), "{snippet}");
    }
}

#[test]
fn doctor_counts_lines_that_cannot_be_read() {
    let log = learned();
    let app = log.dir.app_path().display().to_string();
    let doctor = || wardroom_test_support::run_wardroom(log.dir.root(), &["doctor", "--appdir", &app]).stdout;
    let text = doctor();
    assert!(text.contains("learning log   1 bullet, 1 insight, 1 trace in"), "{text}");
    let traces = fs::read_to_string(log.path("logs/execution_traces.jsonl")).unwrap();
    fs::write(log.path("logs/execution_traces.jsonl"), format!("torn\n{traces}{{\n")).unwrap();
    let text = doctor();
    assert!(text.contains("2 lines of its logs cannot be read"), "{text}");
}
