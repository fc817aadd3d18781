//! Folders that are removed or replaced below a running server, which still has the old ones.

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

#[track_caller]
fn read_error(client: &mut RunClient, uri: &str) -> String {
    client.0.read_resource(uri).unwrap_err()["message"].as_str().unwrap().to_owned()
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
        assert!(message.ends_with("and this server still has the old one: restart it"), "{tool}: {message}");
    }
    for uri in URIS {
        let message = read_error(&mut client, uri);
        assert!(message.contains("the folder was removed or replaced"), "{uri}: {message}");
    }
    assert!(!dir.app_path().join("packages/made").exists());
}

#[test]
fn folder_of_a_service_that_was_replaced_is_reported_by_that_service() {
    let (dir, mut client) = serve();
    // It has opened all of its folders.
    client.call_ok("alc_pkg_list", json!({}));
    for (folder, tool, uri) in
        [("blog", "search_posts", "bds://posts"), ("ace", "ace_get_insights", "ace://knowledge/bullets")]
    {
        fs::rename(dir.app_path().join(folder), dir.root().join(folder)).unwrap();
        remove_folder_in_use(&dir.root().join(folder));
        fs::create_dir(dir.app_path().join(folder)).unwrap();
        let arguments = if folder == "blog" { json!({"query": "x"}) } else { json!({"source": "bullets"}) };
        client.expect_refusal(tool, arguments, CODE);
        assert!(read_error(&mut client, uri).contains("the folder was removed or replaced"));
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
