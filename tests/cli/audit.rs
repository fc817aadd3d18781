//! `wardroom audit`, and the trail that it reads.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use wardroom_service::limits::{AUDIT_RECORD_BURST, MAX_AUDIT_FILE_BYTES, MAX_AUDIT_FILES};
use wardroom_test_support::{
    ClientRevision, CommandOutput, RunClient, StdioClient, TestDir, run_wardroom, wardroom_command,
};

fn command(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat())
}

fn records(dir: &TestDir) -> Vec<Value> {
    let listed = command(dir, &["audit", "list", "--last", "1000000", "--json"]).expect_success();
    serde_json::from_str(&listed).unwrap()
}

/// The records of an action, each as its subject and outcome.
fn of_action(dir: &TestDir, action: &str) -> Vec<(String, String)> {
    let text = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let of = records(dir).into_iter().filter(|record| record["action"] == action);
    of.map(|record| (text(&record, "subject"), text(&record, "outcome"))).collect()
}

fn files(dir: &TestDir) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(dir.app_path().join("server/audit")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn installed_and_removed_packages_are_recorded() {
    let dir = TestDir::new();
    let source = dir.root().join("mine");
    fs::create_dir(&source).unwrap();
    fs::write(source.join("init.lua"), "return {run = function() end}").unwrap();
    let from = source.display().to_string();
    command(&dir, &["pkg", "install", &from]).expect_success();
    // A second time is an update, and is recorded as well.
    command(&dir, &["pkg", "install", &from]).expect_success();
    command(&dir, &["pkg", "remove", "mine"]).expect_success();
    // What fails leaves no record of success.
    assert_ne!(command(&dir, &["pkg", "remove", "mine"]).status, 0);
    assert_ne!(command(&dir, &["pkg", "install", "./none"]).status, 0);
    let ok = || ("mine".to_owned(), "ok".to_owned());
    assert_eq!(of_action(&dir, "package_installed"), [ok(), ok()]);
    assert_eq!(of_action(&dir, "package_removed"), [ok()]);
    // The digest is that of where they came from, which stays out of the trail.
    let all = records(&dir);
    let digests: Vec<&Value> =
        all.iter().filter(|record| record["action"] == "package_installed").map(|record| &record["digest"]).collect();
    assert!(digests[0] == digests[1] && digests[0].as_str().is_some_and(|digest| digest.len() == 64), "{digests:?}");
    assert!(!json!(all).to_string().contains(&from));
    command(&dir, &["audit", "verify"]).expect_success();
}

/// What `verify` prints of a trail that was changed.
fn faults(dir: &TestDir) -> String {
    let finished = command(dir, &["audit", "verify"]);
    assert_eq!(finished.status, 1, "{finished:?}");
    let error = "the audit trail was changed, or the disk lost some of it (files: ";
    assert!(finished.stderr.contains(error) && finished.stderr.contains("hint: "), "{}", finished.stderr);
    finished.stdout
}

#[test]
fn decisions_of_a_person_and_of_a_client_are_recorded_in_order() {
    let dir = TestDir::new();
    assert_eq!(command(&dir, &["audit", "list"]).expect_success(), "");
    assert_eq!(command(&dir, &["audit", "verify"]).expect_success().trim(), "0 files, 0 records: unchanged");
    dir.write_package("mine", "return {run = function(ctx) return ctx end}");
    let folder = dir.app_path().join("packages/mine").display().to_string();
    command(&dir, &["token", "new", "ci"]).expect_success();
    command(&dir, &["token", "new", "ci", "--replace"]).expect_success();
    command(&dir, &["mount", "add", "notes", &folder]).expect_success();
    command(&dir, &["mount", "remove", "notes"]).expect_success();
    command(&dir, &["token", "remove", "ci"]).expect_success();
    let mut runner = RunClient::start(&dir);
    let over = runner.run_code("return 'the secret code'");
    let waits = runner.run_code("return alc.llm('the secret question')");
    runner.answer_query(&waits, "the secret answer");
    let cancelled = runner.run_code("return alc.llm('another')");
    runner.call_ok("alc_cancel", json!({"session_id": cancelled["session_id"]}));
    drop(runner);
    let ok = |subject: &str| (subject.to_owned(), "ok".to_owned());
    for action in ["token_created", "token_removed"] {
        assert_eq!(of_action(&dir, action), [ok("ci"), ok("ci")]);
    }
    for action in ["mount_added", "mount_removed"] {
        assert_eq!(of_action(&dir, action), [ok("notes")]);
    }
    let begun = of_action(&dir, "run_begun");
    assert_eq!(begun.len(), 3);
    let ended: Vec<String> = of_action(&dir, "run_ended").into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(ended, ["ok", "ok", "cancelled"]);
    let called = of_action(&dir, "tool_called");
    assert_eq!(called, [ok("alc_cancel")], "runs record themselves");
    assert!(over["session_id"].as_str().is_none_or(|id| begun.iter().any(|(begun, _)| begun == id)));
    let all = records(&dir);
    for record in &all {
        let expected = match record["action"].as_str().unwrap() {
            "token_created" | "token_removed" | "mount_added" | "mount_removed" => ("operator", "command"),
            "file_begun" => ("wardroom", "audit"),
            _ => ("operator", "stdio"),
        };
        assert_eq!((record["who"].as_str().unwrap(), record["through"].as_str().unwrap()), expected);
    }
    let text = files(&dir).iter().map(|file| fs::read_to_string(file).unwrap()).collect::<String>();
    assert!(!text.contains("secret"), "{text}");
    let verified = command(&dir, &["audit", "verify"]).expect_success();
    assert_eq!(verified.trim(), format!("{} files, {} records: unchanged", files(&dir).len(), all.len()));
    let listed = command(&dir, &["audit", "list", "--last", "2"]).expect_success();
    assert_eq!(listed.lines().count(), 2);
    assert!(listed.contains("alc_cancel") || listed.contains("run_ended"), "{listed}");
}

#[test]
fn run_cancelled_in_its_first_call_ends_once() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": "while true do end"}}));
    let session = loop {
        let status = client.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
        let found = status["result"]["structuredContent"]["sessions"][0]["session_id"].clone();
        if found.is_string() {
            break found;
        }
    };
    client.send_request("tools/call", json!({"name": "alc_cancel", "arguments": {"session_id": session}}));
    for _ in 0..2 {
        client.receive();
    }
    drop(client);
    assert_eq!(of_action(&dir, "run_ended"), [(session.as_str().unwrap().to_owned(), "cancelled".to_owned())]);
}

#[test]
fn run_that_ends_in_its_replay_ends_once() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('p')");
    drop(runner);
    // The server died after the reply, before the end.
    let session = waits["session_id"].as_str().unwrap();
    let path = dir.app_path().join(format!("runs/{session}.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{}\n", json!({"t": "reply", "id": "q-0", "text": "x", "usage": null}))).unwrap();
    let mut runner = RunClient::start(&dir);
    // The second call gets the answer of the journal's end.
    for _ in 0..2 {
        assert_eq!(runner.answer_query(&waits, "x")["result"], "x");
    }
    drop(runner);
    assert_eq!(of_action(&dir, "run_ended"), [(session.to_owned(), "ok".to_owned())]);
}

/// A trail with one file of at least ten records.
fn trail() -> TestDir {
    let dir = TestDir::new();
    fs::create_dir_all(dir.app_path()).unwrap();
    for _ in 0..5 {
        command(&dir, &["token", "new", "ci"]).expect_success();
        command(&dir, &["token", "remove", "ci"]).expect_success();
    }
    assert_eq!(files(&dir).len(), 1, "one process after the other continues the same file");
    dir
}

#[test]
fn every_change_of_a_file_shows() {
    let dir = trail();
    let file = files(&dir).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 11, "{text}");
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines.join("\n") + "\n"
    };
    let changes = [
        ("a name", text.replacen("\"ci\"", "\"cj\"", 1)),
        ("the last name", {
            let at = text.rfind("\"ci\"").unwrap();
            format!("{}\"cj\"{}", &text[..at], &text[at + 4..])
        }),
        ("a line is gone", without(4)),
        ("the first line is gone", without(0)),
        ("the last line is gone", without(10)),
        ("half of it is gone", lines[..5].join("\n") + "\n"),
        ("all of it is gone", String::new()),
        ("a line twice", text.replacen(lines[3], &format!("{}\n{}", lines[3], lines[3]), 1)),
        (
            "two lines changed places",
            text.replacen(&format!("{}\n{}", lines[3], lines[4]), &format!("{}\n{}", lines[4], lines[3]), 1),
        ),
        ("no record", text.replacen(lines[6], "{}", 1)),
    ];
    for (what, changed) in changes {
        assert_ne!(changed, text, "{what}");
        fs::write(&file, &changed).unwrap();
        assert!(!faults(&dir).is_empty(), "{what}");
    }
    // One fault, and not one for each line after it.
    fs::write(&file, without(4)).unwrap();
    assert_eq!(faults(&dir).matches("does not follow the line before").count(), 1);
    fs::write(&file, &text).unwrap();
    command(&dir, &["audit", "verify"]).expect_success();
    // A file that was changed is not continued, so that what comes later cannot hide it.
    fs::write(&file, without(10)).unwrap();
    command(&dir, &["token", "new", "ci"]).expect_success();
    assert_eq!(files(&dir).len(), 2);
    assert!(faults(&dir).contains("its end was cut off"));
}

#[test]
fn missing_file_and_missing_head_show() {
    let dir = trail();
    let file = files(&dir).remove(0);
    let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let head = dir.app_path().join("server/audit-heads").join(&name);
    let (text, end) = (fs::read(&file).unwrap(), fs::read(&head).unwrap());
    fs::remove_file(&head).unwrap();
    assert!(faults(&dir).contains("its head is missing"));
    fs::write(&head, &end).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(faults(&dir).contains("the file is gone"));
    // Two files at the same time, and then a third: it mentions both.
    fs::write(&file, &text).unwrap();
    let mut one = RunClient::start(&dir);
    let mut other = RunClient::start(&dir);
    one.run_code("return 1");
    other.run_code("return 1");
    assert_eq!(files(&dir).len(), 2);
    let mut third = RunClient::start(&dir);
    third.run_code("return 1");
    drop((one, other, third));
    assert_eq!(files(&dir).len(), 3);
    command(&dir, &["audit", "verify"]).expect_success();
    let second = files(&dir).remove(1);
    let head = dir.app_path().join("server/audit-heads").join(second.file_stem().unwrap());
    fs::remove_file(&second).unwrap();
    fs::remove_file(head).unwrap();
    assert!(faults(&dir).contains("the file is gone, which"), "{}", faults(&dir));
}

/// As a process that is killed after the first line of a file leaves it, or one that finds the disk full there.
#[test]
fn file_without_its_first_head_is_continued() {
    let dir = trail();
    let file = files(&dir).remove(0);
    let head = dir.app_path().join("server/audit-heads").join(file.file_stem().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.split_inclusive('\n').next().unwrap()).unwrap();
    fs::write(&head, "").unwrap();
    command(&dir, &["audit", "verify"]).expect_success();
    command(&dir, &["token", "new", "second"]).expect_success();
    assert_eq!(files(&dir).len(), 1);
    command(&dir, &["audit", "verify"]).expect_success();
    // With more lines, a head is missing.
    fs::write(&head, "").unwrap();
    assert!(faults(&dir).contains("its head is missing"));
}

#[test]
fn trail_that_cannot_be_read_is_an_error_and_stops_no_command() {
    let dir = TestDir::new();
    dir.write_file("server/audit", "not a folder");
    command(&dir, &["token", "new", "ci"]).expect_success();
    command(&dir, &["call", "alc_run", r#"{"code": "return 1"}"#]).expect_success();
    for what in ["list", "verify"] {
        let finished = command(&dir, &["audit", what]);
        assert!(finished.status == 1 && finished.stderr.contains("cannot read the audit trail"), "{finished:?}");
    }
}

/// Processes that are killed at any moment leave a trail that is whole, and further ones continue it.
#[test]
fn killed_processes_leave_a_whole_trail() {
    let dir = TestDir::new();
    fs::create_dir_all(dir.app_path()).unwrap();
    for at in 0..30 {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path());
        command.args(["call", "alc_run", r#"{"code": "return 1"}"#]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(at * 3));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    command(&dir, &["call", "alc_run", r#"{"code": "return 1"}"#]).expect_success();
    command(&dir, &["audit", "verify"]).expect_success();
    assert!(files(&dir).len() <= 3, "{:?}", files(&dir));
    assert!(!of_action(&dir, "run_ended").is_empty());
}

/// A trail does not grow without bound, and says what was removed.
#[test]
fn oldest_files_are_removed_and_recorded() {
    let dir = trail();
    let first = files(&dir).remove(0);
    let head = dir.app_path().join("server/audit-heads");
    // Full files of earlier processes.
    let size = usize::try_from(MAX_AUDIT_FILE_BYTES).unwrap();
    let line = fs::read_to_string(&first).unwrap().lines().next().unwrap().len();
    for at in 0..MAX_AUDIT_FILES {
        let name = format!("{at:013}-00000000");
        fs::write(dir.app_path().join(format!("server/audit/{name}.jsonl")), " ".repeat(size - line)).unwrap();
        fs::write(head.join(&name), "").unwrap();
    }
    fs::remove_file(&first).unwrap();
    fs::remove_file(head.join(first.file_stem().unwrap())).unwrap();
    command(&dir, &["token", "new", "ci"]).expect_success();
    assert_eq!(files(&dir).len(), MAX_AUDIT_FILES);
    let removed = of_action(&dir, "file_removed");
    assert_eq!(removed, [("0000000000000-00000000".to_owned(), String::new())]);
}

/// What one caller does without end takes only so many lines, and is counted from then on.
#[test]
fn flood_of_calls_is_counted() {
    let dir = TestDir::new();
    let runs = AUDIT_RECORD_BURST / 2 + 100;
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for _ in 0..runs {
        client.call("tools/call", json!({"name": "alc_run", "arguments": {"code": "return 1"}}));
    }
    assert!(client.finish().0.success());
    let all = records(&dir);
    let count = |record: &Value| record["count"].as_u64().unwrap();
    for action in ["run_begun", "run_ended"] {
        let of: Vec<&Value> = all.iter().filter(|record| record["action"] == action).collect();
        assert_eq!(of.iter().map(|record| count(record)).sum::<u64>(), u64::from(runs));
        assert!(of.iter().all(|record| record["subject"] == "several" || count(record) == 1));
    }
    // The time that the runs take gives some lines back.
    assert!((1000..1100).contains(&all.len()), "{}", all.len());
    command(&dir, &["audit", "verify"]).expect_success();
}

/// A process that is killed between the creation of a head and of its file leaves nothing for good.
#[test]
fn heads_without_files_are_removed() {
    let dir = TestDir::new();
    let heads = dir.app_path().join("server/audit-heads");
    let [orphan, young] = ["0000000000001-00000000", "0000000000002-00000000"]
        .map(|name| dir.write_file(&format!("server/audit-heads/{name}"), ""));
    let long_ago = SystemTime::now() - Duration::from_secs(120);
    fs::File::options().write(true).open(&orphan).unwrap().set_modified(long_ago).unwrap();
    command(&dir, &["token", "new", "ci"]).expect_success();
    assert!(!orphan.exists() && young.exists());
    assert_eq!(fs::read_dir(heads).unwrap().count(), 2);
}

#[test]
fn verbose_log_has_no_code_prompts_or_arguments_unless_asked() {
    let dir = TestDir::new();
    for (filter, shows) in [
        ("trace", false),
        ("debug", false),
        ("trace,rmcp::handler=off,wardroom_content::x=trace", false),
        ("warn", false),
        ("[serve_inner]=trace", false),
        ("off,[serve_inner]=trace", false),
        ("debug,rmcp=trace,wardroom_content=debug", true),
    ] {
        let log = dir.root().join("log");
        drop(fs::remove_file(&log));
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--log-file").arg(&log).env("RUST_LOG", filter);
        fs::create_dir_all(dir.app_path()).unwrap();
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        client.initialize();
        let arguments = json!({"code": "error('the secret ' .. ctx.word)", "ctx": {"word": "the-hidden-word"}});
        client.call("tools/call", json!({"name": "alc_run", "arguments": arguments}));
        assert!(client.finish().0.success());
        let log = fs::read_to_string(log).unwrap();
        assert_eq!(log.contains("secret") || log.contains("the-hidden-word"), shows, "{filter}: {log}");
    }
}

/// A handler may put what it was given into its error, which the client gets and the log does not.
#[test]
fn log_has_no_message_of_handler() {
    let dir = TestDir::new();
    dir.write_file("registry/app/p.lua", "return { call = function(a) error('why ' .. a.word) end }\n");
    dir.write_file(
        "registry/app/_index.yaml",
        "version: \"1.0\"\nnamespace: app\nentries:\n  - name: fails\n    kind: function.lua\n    source: file://p.lua\n    \
         method: call\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: fails\n",
    );
    let log = dir.root().join("log");
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--log-file").arg(&log);
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    let answer = client.call("prompts/get", json!({"name": "fails", "arguments": {"word": "the-hidden-word"}}));
    assert!(answer["error"]["message"].as_str().is_some_and(|why| why.contains("the-hidden-word")), "{answer}");
    assert!(client.finish().0.success());
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("a handler failed") && !log.contains("the-hidden-word"), "{log}");
}
