//! Folders that are removed below a running server, which has no other ones, whatever has their names by now.

use std::fs;

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, remove_folder_in_use, run_wardroom};

const CODE: &str = "FOLDER_REMOVED";

/// A server of all services on the demo, with a learning log.
fn serve() -> (TestDir, RunClient) {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &["--appdir", &app, "ace", "init"]).expect_success();
    let services = ["--service", "alc", "--service", "blog", "--service", "ace"];
    // In this revision no notice comes that was not asked for.
    let client = RunClient(StdioClient::start_with(&dir, ClientRevision::Modern, &services));
    (dir, client)
}

/// Calls that find nothing in an AppDir that is empty.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("alc_pkg_list", json!({})),
        ("alc_card_find", json!({})),
        ("alc_log_view", json!({})),
        ("alc_status", json!({})),
        ("alc_stats", json!({})),
        ("alc_eval_history", json!({})),
        ("alc_scenario_list", json!({})),
        ("alc_pkg_scaffold", json!({"name": "made"})),
        ("search_posts", json!({"query": "x"})),
        ("ace_get_insights", json!({"source": "bullets"})),
    ]
}

const URIS: [&str; 4] =
    ["alc://packages/cot/init.lua", "alc://packages/cot/meta", "bds://posts", "ace://knowledge/bullets"];

/// Checks that reading fails for a reason that is not the reader's.
#[track_caller]
fn check_read_error(client: &mut RunClient, uri: &str) {
    let error = client.0.read_resource(uri).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32603), &json!(CODE)), "{uri}: {error}");
    assert!(error["message"].as_str().unwrap().contains("the folder was removed"), "{uri}: {error}");
}

#[test]
fn nothing_is_called_empty_or_missing_because_the_app_dir_was_replaced() {
    let (dir, mut client) = serve();
    for (tool, arguments) in calls() {
        client.call_ok(tool, arguments);
    }
    for uri in URIS {
        client.0.read_resource(uri).unwrap();
    }
    remove_folder_in_use(&dir.app_path());
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &["init", "--demo", "--appdir", &app]).expect_success();
    for (tool, arguments) in calls() {
        let message = client.expect_refusal(tool, arguments, CODE);
        assert!(
            message.ends_with("the folder was removed, and this server knows none that took its place: restart it"),
            "{message}"
        );
    }
    for uri in URIS {
        check_read_error(&mut client, uri);
    }
    assert!(client.run_error("return require('cot')").contains("the folder was removed"));
}

/// A run that waits is neither unknown nor ended: its journal went with the AppDir.
#[test]
fn runs_of_removed_app_dir_are_not_called_unknown() {
    let (dir, mut client) = serve();
    let waits = client.call_ok("alc_run", json!({"code": "alc.state.set('k', 1)\nreturn alc.llm('a?')"}));
    let session = json!({"session_id": waits["session_id"]});
    client.call_ok("alc_status", session.clone());
    remove_folder_in_use(&dir.app_path());
    let answer = json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": "b"});
    for (tool, arguments) in [
        ("alc_status", session.clone()),
        ("alc_continue", answer),
        ("alc_status", json!({"session_id": "s-0123456789abcdef"})),
        ("alc_cancel", session),
        ("alc_run", json!({"code": "alc.state.set('k', 2)\nreturn alc.llm('a?')"})),
    ] {
        client.expect_refusal(tool, arguments, CODE);
    }
}

#[test]
fn folder_of_a_service_that_was_removed_is_reported_by_that_service() {
    let (dir, mut client) = serve();
    // It has opened all of its folders.
    client.call_ok("alc_pkg_list", json!({}));
    for (folder, tool, uri) in
        [("blog", "search_posts", "bds://posts"), ("ace", "ace_get_insights", "ace://knowledge/bullets")]
    {
        remove_folder_in_use(&dir.app_path().join(folder));
        fs::create_dir(dir.app_path().join(folder)).unwrap();
        let arguments = if folder == "blog" { json!({"query": "x"}) } else { json!({"source": "bullets"}) };
        client.expect_refusal(tool, arguments, CODE);
        check_read_error(&mut client, uri);
    }
    client.call_ok("alc_pkg_list", json!({}));
}

/// A folder that its owner removes and makes again is not one that a server keeps.
#[test]
fn folders_below_the_app_dir_may_be_replaced() {
    let (dir, mut client) = serve();
    for folder in ["packages", "cards", "logs", "evals"] {
        let path = dir.app_path().join(folder);
        if path.exists() {
            remove_folder_in_use(&path);
        }
    }
    assert_eq!(client.call_ok("alc_pkg_list", json!({}))["packages"], json!([]));
    assert_eq!(client.call_ok("alc_card_find", json!({}))["cards"], json!([]));
    dir.write_package("back", "return {meta = {name = \"back\"}}");
    assert_eq!(client.call_ok("alc_pkg_list", json!({}))["packages"].as_array().map(Vec::len), Some(1));
}

/// What was granted beside the AppDir may be missing.
#[test]
fn removed_mount_takes_no_other_packages_away() {
    let dir = TestDir::new_demo();
    let packages = dir.root().join("packages");
    fs::create_dir_all(packages.join("mounted")).unwrap();
    fs::write(packages.join("mounted/init.lua"), "return {run = function() return 1 end}").unwrap();
    let app = dir.app_path().display().to_string();
    let add = ["mount", "add", "more", &packages.display().to_string(), "--as", "packages", "--appdir", &app];
    run_wardroom(dir.root(), &add).expect_success();
    let mut client = RunClient(StdioClient::start_with(&dir, ClientRevision::Modern, &[]));
    assert_eq!(client.run_result("return require('mounted').run()"), 1);
    fs::remove_dir_all(&packages).unwrap();
    assert_eq!(client.run_result("return type(require('cot').run)"), "function");
    client.0.read_resource("alc://packages/cot/meta").unwrap();
    assert!(client.run_error("return require('mounted')").contains("neither the AppDir"));
}
