//! Tests that hold for every tool, and for the start of a server.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::ConfinedServer;

fn tools(server: &mut ConfinedServer) -> Vec<Value> {
    server.client.0.call("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap()
}

#[test]
fn read_only_server_refuses_hidden_tools() {
    let mut server = ConfinedServer::new();
    let all = tools(&mut server);
    let mut reader = ConfinedServer::with(&["--project", "project", "--read-only"], |_| ());
    let listed = tools(&mut reader);
    let reads = |tool: &&Value| tool["annotations"]["readOnlyHint"] == json!(true);
    let expected: Vec<&str> = all.iter().filter(reads).map(name).collect();
    assert_eq!(listed.iter().map(name).collect::<Vec<_>>(), expected);
    let writers: Vec<&Value> = all.iter().filter(|tool| !reads(tool)).collect();
    assert!(writers.len() > 20, "{}", writers.len());
    for tool in writers {
        reader.expect_refusal(name(tool), json!({}), "READ_ONLY");
    }
}

#[test]
fn every_tool_rejects_unknown_arguments() {
    let mut server = ConfinedServer::new();
    for tool in tools(&mut server) {
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{}", name(&tool));
        let mut arguments = json!({"no_such_argument": 1});
        for required in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            arguments[required.as_str().unwrap()] = "x".into();
        }
        server.expect_refusal(name(&tool), arguments, "invalid_arguments");
    }
}

/// Clients ask their user before they call a tool with this annotation.
#[test]
fn destructive_tools_are_annotated() {
    let mut server = ConfinedServer::new();
    for tool in tools(&mut server) {
        let is_destructive = tool["annotations"]["destructiveHint"] == json!(true);
        let destroys = [
            "alc_cancel",
            "alc_hub_dist",
            "alc_hub_gendoc",
            "alc_hub_reindex",
            "alc_migrate",
            "alc_pkg_install",
            "alc_pkg_link",
            "alc_pkg_remove",
            "alc_pkg_repair",
            "alc_pkg_unlink",
            "alc_update",
        ];
        assert_eq!(is_destructive, destroys.contains(&name(&tool)), "{tool:#}");
    }
}

#[test]
fn pending_filter_of_status_is_typed() {
    let mut server = ConfinedServer::new();
    let all = tools(&mut server);
    let status = all.iter().find(|tool| name(tool) == "alc_status").unwrap();
    let filter = &status["inputSchema"]["properties"]["pending_filter"];
    assert!(filter.to_string().contains("\"preview\"") && filter.to_string().contains("\"query_id\""), "{filter:#}");
    let waits = server.client.run_code("return alc.llm('what?')");
    for filter in [json!("full"), json!({"query_id": true, "prompt": {"mode": "preview", "chars": 2}})] {
        let shown = server.call("alc_status", json!({"pending_filter": filter, "include_history": true}));
        assert_eq!(shown["sessions"][0]["pending"][0]["query_id"], waits["query_id"], "{shown:#}");
    }
    server.expect_refusal("alc_status", json!({"pending_filter": "none"}), "INVALID");
    assert_eq!(server.call("alc_cancel", json!({"session_id": waits["session_id"]}))["status"], "cancelled");
}

/// Returns every file and folder below a path.
fn paths_below(path: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.append(&mut paths_below(&entry.path()));
        }
        found.insert(entry.path());
    }
    found
}

/// Locks, logs, journals and copies of packages: another user of the machine can neither read nor hold them.
#[test]
fn what_a_server_creates_in_the_app_dir_is_its_owners_alone() {
    let mut server = ConfinedServer::new();
    server.package("granted/cot", "0.1.0");
    server.file("granted/cot/cards/cot_1.toml", "schema_version = \"card/v0\"\n");
    let before = paths_below(&server.path("app"));
    let source = server.path_text("granted/cot");
    server.call("alc_pkg_install", json!({"url": source}));
    server.call("alc_pkg_link", json!({"path": source, "name": "other"}));
    server.call("alc_hub_reindex", json!({}));
    server.call("alc_card_alias_set", json!({"name": "best", "card_id": "cot_1"}));
    let code = "alc.state.set('k', 1); alc.card.create({pkg = {name = 'cot'}}); return alc.llm('what?')";
    let waits = server.client.run_code(code);
    server.call("alc_continue", json!({"session_id": waits["session_id"], "response": "x"}));
    server.call("alc_note", json!({"session_id": waits["session_id"], "content": "c"}));
    server.client.run_code("return alc.llm('again?')");
    let created: Vec<PathBuf> = paths_below(&server.path("app")).difference(&before).cloned().collect();
    assert!(created.len() > 20, "{created:#?}");
    for path in created {
        let metadata = fs::symlink_metadata(&path).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn server_start_removes_stale_temp_files_only() {
    let old = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    let names = |unique: &str| {
        ["state", "cards", "cards/p", "logs", "evals", "packages", "cache/lines", "../granted/mirror/p"]
            .map(|folder| format!("{folder}/.x.{unique}.tmp"))
    };
    let (left, written) = (names("0123456789abcdef"), names("fedcba9876543210"));
    let mut server = ConfinedServer::with(&["--project", "project"], |dir| {
        for name in &left {
            File::open(dir.write_file(name, "half")).unwrap().set_modified(old).unwrap();
        }
        for name in &written {
            dir.write_file(name, "half");
        }
        dir.write_file("cards/p/mine.tmp", "mine");
        File::open(dir.app_path().join("cards/p/mine.tmp")).unwrap().set_modified(old).unwrap();
    });
    server.call("alc_info", json!({}));
    let deadline = Instant::now() + Duration::from_secs(30);
    while left.iter().any(|name| server.exists(&format!("app/{name}"))) {
        assert!(
            Instant::now() < deadline,
            "{:?}",
            left.iter().filter(|name| server.exists(&format!("app/{name}"))).collect::<Vec<_>>()
        );
        thread::sleep(Duration::from_millis(20));
    }
    assert!(written.iter().all(|name| server.exists(&format!("app/{name}"))) && server.exists("app/cards/p/mine.tmp"));
    assert!(fs::read_dir(server.path("app/state")).unwrap().count() >= 1);
}
