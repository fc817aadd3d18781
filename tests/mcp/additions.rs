//! The options of `[alc]`, as a client of either revision sees them.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_alc::limits::MAX_LISTED_RECENT_PER_KIND;
use wardroom_docs::PAGES;
use wardroom_service::limits::LIST_PAGE_SIZE;

use super::wire::check_with;
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// Writes a configuration and returns its path.
fn config(dir: &TestDir, text: &str) -> String {
    let path = dir.root().join("config.toml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn list() -> (&'static str, Value) {
    ("resources/list", json!({}))
}

fn read(uri: &str) -> (&'static str, Value) {
    ("resources/read", json!({"uri": uri}))
}

fn call_list(arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({"name": "list_resources", "arguments": arguments}))
}

#[test]
fn v2_answers_match_snapshot() {
    let dir = TestDir::new_demo();
    dir.write_file("packages/cot/narrative.md", "# cot\n\nWhy it thinks aloud.\n");
    let index = |packages: Value| json!({"schema_version": "hub_index/v0", "packages": packages}).to_string();
    let cot = |version: &str| json!({"name": "cot", "version": version, "source": {"type": "unknown"}});
    dir.write_file("hub_cache/00000000000000aa.json", index(json!([cot("0.2.0")])));
    dir.write_file(
        "hub_cache/00000000000000bb.json",
        index(json!([cot("0.1.0"), {"name": "bon", "description": null}])),
    );
    dir.write_file("hub_cache/00000000000000cc.json", "{");
    let reference = json!({"type": "ref/resource", "uri": "alc://packages/{name}/narrative"});
    check_with(
        "v2",
        &dir,
        &["--config", &config(&dir, "[alc]\nv2 = true\n")],
        &[
            list(),
            ("resources/templates/list", json!({})),
            read("alc://hub/index"),
            read("alc://hub/other"),
            read("alc://packages/cot/narrative"),
            read("alc://packages/panel/narrative"),
            ("completion/complete", json!({"ref": reference, "argument": {"name": "name", "value": "p"}})),
            call_list(&json!({})),
        ],
    );
}

#[test]
fn enumerated_lists_match_snapshot() {
    let dir = TestDir::new_demo();
    for (name, seconds) in [("cot_1763715600", 1), ("quick_vote_1763715700", 2)] {
        let file = File::options().write(true).open(dir.app_path().join(format!("evals/{name}.json"))).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }
    let cards = "cards/panel/panel_opus46_20261121T093000_4d5e6f.toml";
    let file = File::options().write(true).open(dir.app_path().join(cards)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    check_with(
        "enumerate",
        &dir,
        &["--config", &config(&dir, "[alc]\nenumerate = true\n")],
        &[
            list(),
            ("resources/list", json!({"cursor": "alc:evals:1:77359400:quick-vote_1763715700"})),
            ("resources/list", json!({"cursor": "alc:evals:1:0:../quick"})),
            ("resources/list", json!({"cursor": "from-2"})),
            ("resources/templates/list", json!({})),
            read("alc://hub/index"),
            call_list(&json!({"scheme": "alc", "cursor": "alc:logs:1:0:s"})),
            call_list(&json!({"cursor": "templates:from-7"})),
            call_list(&json!({"cursor": "templates:"})),
            call_list(&json!({"scheme": "none"})),
        ],
    );
}

/// Fills an AppDir with more entries than a page holds. Returns their URIs in order.
fn fill_app_dir(dir: &TestDir) -> Vec<String> {
    let names: Vec<String> = (0..LIST_PAGE_SIZE + 20).map(|n| format!("p{n:03}")).collect();
    for name in &names {
        dir.write_package(name, "");
    }
    for n in 0..MAX_LISTED_RECENT_PER_KIND + 7 {
        let path = dir.write_file(&format!("logs/s-{n:03}.json"), "{}");
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(n as u64);
        File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
    }
    let fixed = ["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua"].map(String::from);
    let packages = names.iter().map(|name| format!("alc://packages/{name}/meta"));
    let logs = (7..MAX_LISTED_RECENT_PER_KIND + 7).rev().map(|n| format!("alc://logs/s-{n:03}"));
    fixed.into_iter().chain(packages).chain(logs).collect()
}

fn uris(resources: &Value) -> Vec<String> {
    resources.as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn list_tool_returns_same_pages_as_resources_list() {
    let dir = TestDir::new();
    let expected: Vec<String> = fill_app_dir(&dir);
    let config = config(&dir, "[alc]\nenumerate = true\n");
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start_with(&dir, revision, &["--config", &config]);
        let (mut cursor, mut listed) = (None, Vec::new());
        for page in 0.. {
            let params = cursor.as_ref().map_or(json!({}), |cursor: &Value| json!({"cursor": cursor}));
            let result = client.call("resources/list", params.clone())["result"].take();
            let (_, call) = call_list(&params);
            let mut tool = client.call("tools/call", call)["result"]["structuredContent"].take();
            assert_eq!(uris(&result["resources"]), uris(&tool["resources"]), "page {page}");
            assert_eq!(result.get("nextCursor"), tool.get("nextCursor"), "page {page}");
            // The templates follow the last resource.
            let templates = tool["resourceTemplates"].take().as_array().unwrap().len();
            assert_eq!(templates, if result.get("nextCursor").is_some() { 0 } else { 7 });
            listed.extend(uris(&result["resources"]));
            cursor = result.get("nextCursor").cloned();
            if cursor.is_none() {
                break;
            }
            assert_eq!(listed.len(), (page + 1) * LIST_PAGE_SIZE);
        }
        assert_eq!(listed, expected);
    }
}

#[test]
fn ls_lists_every_page() {
    let dir = TestDir::new();
    let mut expected = fill_app_dir(&dir);
    let (app, config) = (dir.app_path().display().to_string(), config(&dir, "[alc]\nenumerate = true\nv2 = true\n"));
    let ls = |args: &[&str]| {
        let rows = wardroom_test_support::run_wardroom(
            dir.root(),
            &[&["--appdir", &app, "--config", &config, "ls", "--json"], args].concat(),
        )
        .expect_success();
        uris(&serde_json::from_str(&rows).unwrap())
    };
    expected.insert(2, "alc://hub/index".to_owned());
    // A person is shown the pages of the documentation, too.
    let stored = expected.len();
    expected.extend(PAGES.iter().map(|page| format!("wardroom://docs/{}", page.name)));
    let mut listed = ls(&[]);
    assert_eq!(listed[..expected.len()], expected);
    assert_eq!(listed.len(), expected.len() + 8);
    assert_eq!(ls(&["wardroom"]), listed.drain(stored..expected.len()).collect::<Vec<_>>());
    assert_eq!(ls(&["alc"]), listed);
}
