//! A full disk: every change is refused with a clear error, existing content stays, and a server keeps answering reads.
//!
//! The small disk requires a process that may mount, as superuser or in a namespace of its own. If neither is allowed,
//! the tests say so and pass.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use wardroom_appdir::limits::LINE_INDEX_FILE_MIN_BYTES;
use wardroom_appdir::{AppDirError, LineIndexCache, Privacy, RowPageRequest};

use super::containment::kind;
use super::roles;
use wardroom_test_support::{
    ClientRevision, RunClient, StdioClient, TestDir, eventually, run_command, wardroom_command,
};

/// The shell's script in a mount namespace of its own: it mounts a disk at `$1`, and then runs the remaining arguments.
const MOUNT: &str = "mount -t tmpfs -o size=4m,nr_inodes=200 tmpfs \"$1\" && shift && exec \"$@\"";
const ROWS: &str = "{\"row\":1}\n";

/// Runs a role in a process whose folder for temporary files is a small disk.
fn run_on_small_disk(what: &str) {
    let place = TempDir::new().unwrap();
    let ways = [&["--mount"][..], &["--user", "--map-root-user", "--mount"]];
    let unshared = |way: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(way).args(["sh", "-c", MOUNT, "sh"]).arg(place.path());
        command
    };
    let works = |way: &&&[&str]| unshared(way).arg("true").stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let Some(way) = ways.iter().find(works) else {
        wardroom_test_support::skip(&format!("{what}: this process may not mount a small disk"));
        return;
    };
    let role = roles::command(&format!("disk-full {what}"), place.path());
    let mut command = unshared(way);
    command.arg(role.get_program()).args(role.get_args()).env("TMPDIR", place.path());
    command.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let report = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", report());
    assert!(report().contains(&format!("played {what}")), "{}", report());
    // The disk was mounted for the child only.
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// Runs the child's role.
pub(super) fn run_role(what: &str) {
    match what {
        "changes" => changes(),
        "names" => names(),
        "commands" => commands(),
        "server" => server(),
        "journal" => journal(),
        "runs" => runs(),
        "proposals" => proposals(),
        "searches" => searches(),
        other => panic!("no such role: {other}"),
    }
    roles::print_line(&format!("played {what}"));
}

/// Uses all free space.
fn fill(dir: &TestDir) -> PathBuf {
    let path = dir.root().join("filler");
    let mut file = fs::File::options().append(true).create(true).open(&path).unwrap();
    let block = [b'x'; 4096];
    while file.write_all(&block).is_ok() {}
    path
}

/// Waits until the free space is stable: an update of the index removes files, and the last update follows some seconds after a change.
fn wait_until_unchanged(dir: &TestDir) {
    let free = || rustix::fs::statvfs(dir.root()).unwrap().f_bfree;
    let mut before = None;
    while before != Some(free()) {
        before = Some(free());
        thread::sleep(Duration::from_secs(3));
    }
}

/// Uses all free inodes.
fn fill_names(dir: &TestDir) -> PathBuf {
    let path = dir.root().join("names");
    fs::create_dir(&path).unwrap();
    for n in 0.. {
        if fs::write(path.join(n.to_string()), "").is_err() {
            break;
        }
    }
    path
}

fn listed(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn change_on_full_disk_fails_and_keeps_old_content() {
    run_on_small_disk("changes");
}

fn changes() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    dir.write_file("file", "old");
    dir.write_file("sub/other", "old");
    let rows = ROWS.repeat(usize::try_from(LINE_INDEX_FILE_MIN_BYTES).unwrap() / ROWS.len() + 1);
    dir.write_file("rows", &rows);
    let cache = folder.create_folder("cache").unwrap();
    let content = [b'y'; 9000];
    let filler = fill(&dir);
    for (made, what) in [
        (folder.write("file", &content, Privacy::Shared), "write"),
        (folder.write("sub/new", &content, Privacy::Owner), "write below"),
        (folder.create_file("new", &content, Privacy::Shared), "create"),
    ] {
        let error = made.unwrap_err();
        assert!(matches!(error, AppDirError::DiskFull(_)), "{what}: {error}");
        assert!(error.to_string().starts_with("the disk is full: "), "{error}");
    }
    // Operations that need no space succeed.
    drop(folder.lock("file").unwrap());
    assert_eq!(folder.sweep_temp_files(Duration::ZERO).unwrap(), 0);
    // A page is served even if its index cannot be saved.
    let wanted = RowPageRequest { offset: 7, limit: 1, max_bytes: 100 };
    let page = LineIndexCache::new(Some(cache)).read_page(&folder, "rows", wanted, &|| false).unwrap();
    assert_eq!(page.rows, [ROWS.trim_end().as_bytes()]);
    assert_eq!(folder.read("file", 9).unwrap().bytes, b"old");
    assert_eq!(listed(&dir.app_path()), ["cache", "file", "rows", "sub"]);
    assert_eq!(
        (listed(&dir.app_path().join("sub")), listed(&dir.app_path().join("cache")).len()),
        (vec!["other".to_owned()], 0)
    );
    fs::remove_file(filler).unwrap();
    folder.write("file", &content, Privacy::Shared).unwrap();
    folder.create_file("new", &content, Privacy::Shared).unwrap();
    assert_eq!(folder.read("file", 9000).unwrap().bytes, content);
    assert_eq!(listed(&dir.app_path()), ["cache", "file", "new", "rows", "sub"]);
}

#[test]
fn disk_without_free_inodes_counts_as_full() {
    run_on_small_disk("names");
}

fn names() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    dir.write_file("file", "old");
    let filler = fill_names(&dir);
    for (made, what) in [
        (folder.write("file", b"new", Privacy::Shared), "write"),
        (folder.create_file("new", b"new", Privacy::Shared), "create"),
        (folder.create_folder("a/b").map(drop), "create folder"),
        (folder.lock("the.lock").map(drop), "lock"),
    ] {
        assert_eq!(made.map_err(|error| kind(&error)), Err("DiskFull"), "{what}");
    }
    assert_eq!(folder.read("file", 9).unwrap().bytes, b"old");
    assert_eq!(listed(&dir.app_path()), ["file"]);
    fs::remove_dir_all(filler).unwrap();
    folder.write("file", b"new", Privacy::Shared).unwrap();
    drop(folder.create_folder("a/b").unwrap().lock("the.lock").unwrap());
    assert_eq!(listed(&dir.app_path()), ["a", "file"]);
}

#[test]
fn command_on_full_disk_reports_cause_and_hint() {
    run_on_small_disk("commands");
}

fn commands() {
    const ADVICE: &str = "hint: free some space, or raise the quota; what was there before is unchanged\n";
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    let text = format!("# {}\n[server]\nname = \"mess\"\n", "mine ".repeat(2000));
    fs::write(&config, &text).unwrap();
    let mount =
        || run_command(wardroom_command(dir.root()).args(["--config", "config.toml", "mount", "add", "one", "app"]));
    let init = || run_command(wardroom_command(dir.root()).args(["--appdir", "app", "init", "--demo"]));
    let filler = fill(&dir);
    for (finished, what) in [
        (mount(), "error: cannot change config.toml: the disk is full\n"),
        (init(), "error: cannot create the AppDir: the disk is full: types/alc.d.lua\n"),
    ] {
        assert_eq!((finished.status, &*finished.stdout), (1, ""));
        assert_eq!(finished.stderr, format!("{what}{ADVICE}"));
    }
    assert_eq!(fs::read_to_string(&config).unwrap(), text);
    assert_eq!(listed(&dir.app_path().join("types")).len(), 0);
    fs::remove_file(filler).unwrap();
    mount().expect_success();
    init().expect_success();
    assert!(fs::read_to_string(&config).unwrap().starts_with(&text));
    assert!(fs::read_to_string(dir.app_path().join("types/alc.d.lua")).unwrap().len() > 1000);
}

#[test]
fn server_on_full_disk_answers_reads() {
    run_on_small_disk("server");
}

fn server() {
    let dir = TestDir::new();
    run_command(wardroom_command(dir.root()).args(["--appdir", "app", "init", "--demo"])).expect_success();
    dir.write_card("cot", "cot_1", &[]);
    let rows = LINE_INDEX_FILE_MIN_BYTES / ROWS.len() as u64 + 1;
    dir.write_file("cards/cot/cot_1.samples.jsonl", ROWS.repeat(usize::try_from(rows).unwrap()));
    let filler = fill(&dir);
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        let page = client.read_resource("alc://cards/cot_1/samples?offset=3&limit=2").unwrap();
        assert_eq!(page["text"], "[{\"row\":1},{\"row\":1}]");
        assert_eq!(page["_meta"]["total"], rows);
        for uri in
            ["alc://packages/cot/meta", "alc://packages/cot/init.lua", "alc://cards/cot_1", "alc://types/alc.d.lua"]
        {
            client.read_resource(uri).unwrap();
        }
        let (status, rest, _) = client.finish();
        assert!(status.success() && rest.is_empty(), "{rest:?}");
    }
    let cache = dir.app_path().join("cache/lines");
    assert!(!cache.exists() || listed(&cache).is_empty());
    // With free space the index is saved.
    fs::remove_file(filler).unwrap();
    StdioClient::start(&dir, ClientRevision::Legacy).read_resource("alc://cards/cot_1/samples?limit=1").unwrap();
    assert_eq!(listed(&cache).len(), 1);
}

#[test]
fn run_on_full_disk_resumes_once_space_is_free() {
    run_on_small_disk("runs");
}

fn runs() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local x = alc.llm('a') alc.state.set('k', ('x'):rep(100000)) \
                local y = alc.llm('b') alc.state.set('l', ('y'):rep(100000)) \
                return {x, y, #alc.state.get('k') + #alc.state.get('l')}";
    let mut waits = runner.run_code(code);
    // At a pause, and at the end.
    for answer in ["1", "2"] {
        let arguments = json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": answer});
        let filler = fill(&dir);
        let why = runner.expect_refusal("alc_continue", arguments.clone(), "STORE");
        assert!(why.contains("full"), "{why}");
        fs::remove_file(filler).unwrap();
        waits = runner.call_ok("alc_continue", arguments);
    }
    assert_eq!(waits["result"], json!(["1", "2", 200_000]));
}

#[test]
fn proposal_on_full_disk_is_decided_once_space_is_free() {
    run_on_small_disk("proposals");
}

fn proposals() {
    const POST: &str =
        "---\nid: 00000000-0000-4000-8000-000000000001\nslug: one\ntitle: Old\nstatus: published\n---\nText\n";
    let dir = TestDir::new();
    dir.write_file("blog/meta/project.json", r#"{"name": "Test", "mainLanguage": "en"}"#);
    let post = dir.write_file("blog/posts/2024/03/one.md", POST);
    let config = dir.write_file("config.toml", "[blog]\naccept = \"agent\"\n").display().to_string();
    let mut client = RunClient::start_with(&dir, &["--service", "blog", "--config", &config]);
    let title = |title: &str| json!({"postId": "one", "title": title});
    let draft = |title: &str| json!({"title": title, "content": "word ".repeat(2_000)});
    let made = client.call_ok("propose_post_metadata", title("New"));
    let drafted = client.call_ok("draft_post", draft("Draft"));
    wait_until_unchanged(&dir);
    // The index reader keeps removed files open until the next search.
    client.call_ok("search_posts", json!({"query": "text"}));
    let filler = fill(&dir);
    let mut refuse = |tool: &str, arguments: Value| {
        let answer = client.0.call("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
        let message = answer["result"]["structuredContent"]["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("full"), "{tool}: {message}");
    };
    refuse("propose_post_metadata", title("Another"));
    refuse("draft_post", draft("Another draft"));
    for made in [&made, &drafted] {
        refuse("accept_proposal", json!({"proposalId": made["proposalId"]}));
    }
    assert_eq!(fs::read_to_string(&post).unwrap(), POST);
    let drafts = dir.app_path().join("blog/.wardroom/drafts");
    assert_eq!(listed(&drafts).len(), 1, "{:?}", listed(&drafts));
    fs::remove_file(filler).unwrap();
    for made in [&made, &drafted] {
        let accepted = client.call_ok("accept_proposal", json!({"proposalId": made["proposalId"]}));
        assert_eq!(accepted["status"], "accepted", "{accepted:#}");
    }
    assert!(fs::read_to_string(&post).unwrap().contains("title: New\n"));
    assert_eq!(listed(&drafts), [""; 0]);
    let found = client.call_ok("list_proposals", json!({}));
    assert_eq!(found["proposals"], json!([]), "{found:#}");
}

#[test]
fn search_on_full_disk_says_that_it_does_not_find_later_changes() {
    run_on_small_disk("searches");
}

fn searches() {
    let dir = TestDir::new();
    dir.write_file("blog/meta/project.json", r#"{"name": "Test", "mainLanguage": "en"}"#);
    let text = |word: &str| format!("---\nid: one\nslug: one\ntitle: One\nstatus: published\n---\n{word}\n");
    let post = dir.write_file("blog/posts/2024/03/one.md", text("early"));
    let mut client = RunClient::start_with(&dir, &["--service", "blog"]);
    let mut search = |word: &str| {
        let call = json!({"name": "search_posts", "arguments": {"query": word}});
        let result = client.0.call("tools/call", call)["result"].take();
        let notes = result["_meta"]["wardroom/notes"].to_string();
        (result["structuredContent"]["total"].as_u64().unwrap(), notes)
    };
    // Its length stays, and so what it takes of the disk.
    let change = |word: &str| fs::File::options().write(true).open(&post).unwrap().write_all(text(word).as_bytes());
    eventually("the post is found", || search("early") == (1, "null".to_owned()));
    wait_until_unchanged(&dir);
    search("early");
    let filler = fill(&dir);
    change("later").unwrap();
    eventually("a note", || search("early").1.contains("later changes of files are not found"));
    let (total, notes) = search("later");
    assert!(total == 0 && notes.contains("full"), "{total} {notes}");
    fs::remove_file(filler).unwrap();
    change("newer").unwrap();
    eventually("the change is found", || search("newer") == (1, "null".to_owned()));
}

#[test]
fn journal_on_full_disk_ends_with_whole_line() {
    run_on_small_disk("journal");
}

fn journal() {
    let dir = TestDir::new();
    let mut journal = dir.open_app().create_journal("journal", Privacy::Owner).unwrap();
    // Several lines, of which a filling disk accepts some.
    let lines = format!("{}\n", "y".repeat(999)).repeat(300);
    let mut appended = 0;
    let refused = loop {
        match journal.append(lines.as_bytes()) {
            Ok(()) => appended += 1,
            Err(error) => break error,
        }
    };
    assert!(appended > 1 && kind(&refused) == "DiskFull", "{appended}: {refused}");
    let path = dir.app_path().join("journal");
    assert_eq!(fs::metadata(&path).unwrap().len(), appended * 300_000);
    assert_eq!(journal.len(), appended * 300_000);
    // A line that still fits is appended after the last whole line.
    journal.append(b"short\n").unwrap();
    journal.flush().unwrap();
    drop(journal);
    let journal = dir.open_app().open_journal("journal").unwrap();
    let read = journal.read(8 << 20).unwrap();
    assert_eq!(read.len() as u64, appended * 300_000 + 6);
    assert!(read.ends_with(b"yyy\nshort\n"));
}
