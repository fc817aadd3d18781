//! Changes while servers run: they are picked up, reported in both revisions, and no call sees two versions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, call_text, declare, handler, names, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TEST_TIMEOUT, TestDir};

/// Repeats `query` until it returns the expected value.
pub(super) fn wait_until_equal<T: PartialEq + std::fmt::Debug>(expected: &T, mut query: impl FnMut() -> T) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let found = query();
        if found == *expected {
            return;
        }
        assert!(Instant::now() < deadline, "{found:?}, not {expected:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn changes_are_seen_without_restart() {
    let dir = TestDir::new();
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(names(client, "tools/list", "tools"), [""; 0]);
    // The folder itself is created later.
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    wait_until_equal(&vec!["one".to_owned()], || names(client, "tools/list", "tools"));
    // Only a handler changes.
    let written = dir.write_file("registry/app/.one.lua", handler("call", "return 2"));
    std::fs::rename(written, dir.app_path().join("registry/app/one.lua")).unwrap();
    wait_until_equal(&"2".to_owned(), || call_text(client, "one", json!({})));
    // A folder deeper down, and an edit in place of the first index.
    dir.write_file(
        "registry/app/deep/er/_index.yaml",
        "version: \"1.0\"\nnamespace: deep\nentries:\n  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      \
         mcp.prompt.name: p\n      mcp.prompt.messages: [{ content: x }]\n",
    );
    wait_until_equal(&vec!["p".to_owned()], || names(client, "prompts/list", "prompts"));
    declare(&dir, "  []\n");
    wait_until_equal(&Vec::<String>::new(), || names(client, "tools/list", "tools"));
    assert_eq!(call(client, "one", json!({})).unwrap_err()["message"], "Unknown tool: one");
    std::fs::remove_dir_all(dir.app_path().join("registry")).unwrap();
    wait_until_equal(&Vec::<String>::new(), || names(client, "prompts/list", "prompts"));
}

#[test]
fn breaking_change_hides_only_its_entry() {
    let dir = TestDir::new();
    let entries = [tool(&dir, "a", "", "return 'a'"), tool(&dir, "b", "", "return 'b'")].concat();
    declare(&dir, &entries);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    assert_eq!(names(client, "tools/list", "tools"), ["a", "b"]);
    std::fs::remove_file(dir.app_path().join("registry/app/a.lua")).unwrap();
    wait_until_equal(&vec!["b".to_owned()], || {
        let id = client.send_request("tools/list", json!({}));
        answer(client, id)["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["name"].as_str().unwrap().to_owned())
            .collect()
    });
}

/// Returns the response to a request, skipping notifications before it.
fn answer(client: &mut StdioClient, id: u64) -> Value {
    loop {
        let message = client.receive();
        if message["id"] == json!(id) {
            return message;
        }
    }
}

/// Returns the next notification of this kind.
#[track_caller]
pub(super) fn expect_notification(client: &mut StdioClient, method: &str) -> Value {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let message = client.receive_within(deadline.saturating_duration_since(Instant::now()));
        let message = message.unwrap_or_else(|| panic!("{method} does not arrive"));
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn legacy_client_is_notified_of_each_list() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "a", "", "return 'a'"));
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("tools/list", json!({}));
    answer(client, id);
    // A notified client sees the change at once.
    declare(&dir, &format!("{}{}", tool(&dir, "a", "", "return 'a'"), tool(&dir, "b", "", "return 'b'")));
    expect_notification(client, "notifications/tools/list_changed");
    let id = client.send_request("tools/list", json!({}));
    assert_eq!(answer(client, id)["result"]["tools"].as_array().unwrap().len(), 2);
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      \
         mcp.prompt.name: p\n      mcp.prompt.messages: [{ content: x }]\n",
    );
    expect_notification(client, "notifications/prompts/list_changed");
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: r\n    kind: function.lua\n    meta:\n      mcp.resource: true\n      \
         mcp.resource.uri: test://r\n      mcp.resource.text: x\n",
    );
    expect_notification(client, "notifications/resources/list_changed");
}

/// What was declared before stays for a moment, in case the file is being written: no change of a file follows when it goes.
#[test]
fn client_is_notified_when_index_breaks_and_when_it_is_repaired() {
    let dir = TestDir::new();
    let whole = tool(&dir, "a", "", "return 'a'");
    declare(&dir, &whole);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("tools/list", json!({}));
    answer(client, id);
    declare(&dir, &format!("{whole}\n\t- x"));
    expect_notification(client, "notifications/tools/list_changed");
    let id = client.send_request("tools/list", json!({}));
    assert_eq!(answer(client, id)["result"]["tools"], json!([]));
    declare(&dir, &whole);
    expect_notification(client, "notifications/tools/list_changed");
}

#[test]
fn modern_client_is_notified_while_listening() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "a", "", "return 'a'"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(names(client, "tools/list", "tools"), ["a"]);
    let requested = json!({"toolsListChanged": true});
    let id = client.send_request("subscriptions/listen", json!({"notifications": requested}));
    let acknowledged = expect_notification(client, "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], requested, "{acknowledged}");
    declare(&dir, &tool(&dir, "b", "", "return 'b'"));
    let changed = expect_notification(client, "notifications/tools/list_changed");
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id), "{changed}");
}

#[test]
fn subscriber_is_notified_when_declared_resource_changes() {
    let dir = TestDir::new();
    let entry = "  - name: r\n    kind: function.lua\n    meta:\n      mcp.resource: true\n      mcp.resource.uri: test://r\n      \
                 mcp.resource.file: data.txt\n";
    dir.write_file("registry/app/data.txt", "one");
    declare(&dir, entry);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("resources/subscribe", json!({"uri": "test://r"}));
    assert_eq!(answer(client, id)["result"], json!({}));
    dir.write_file("registry/app/data.txt", "two");
    assert_eq!(expect_notification(client, "notifications/resources/updated")["params"]["uri"], "test://r");
}

#[test]
fn running_call_keeps_its_version() {
    let dir = TestDir::new();
    let lists = |entry: String, more: &str| entry.replace("    meta:", &format!("{more}    meta:"));
    let body = "progress.report(1)\nrepeat time.sleep('10ms') until resources.read('test://go').text == 'go'\n\
                return 'slow ' .. require('lib').v .. ' ' .. funcs.call('app:other', {})";
    dir.write_file("registry/app/go.txt", "wait");
    let go = "  - name: go\n    kind: registry.entry\n    meta: { mcp.resource.uri: \"test://go\", mcp.resource.file: go.txt }\n";
    dir.write_file("registry/app/lib.lua", "return { v = 'old' }");
    let entries = [
        "  - name: lib\n    kind: library.lua\n    source: file://lib.lua\n".to_owned(),
        lists(
            tool(&dir, "slow", "", body),
            "    modules: [time, funcs, progress, resources]\n    imports: { lib: app:lib }\n",
        ),
        tool(&dir, "other", "", "return 'old'"),
        go.to_owned(),
    ];
    declare(&dir, &entries.concat());
    let client = &mut serve(&dir, ClientRevision::Legacy);
    assert_eq!(call_text(client, "other", json!({})), "old");
    let params = json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": "p"}});
    let slow = client.send_request("tools/call", params);
    expect_notification(client, "notifications/progress");
    dir.write_file("registry/app/lib.lua", "return { v = 'new' }");
    dir.write_file("registry/app/slow.lua", handler("call", "return 'new'"));
    dir.write_file("registry/app/other.lua", handler("call", "return 'new'"));
    // Calls that begin now use the new version, while the first call continues.
    wait_until_equal(&"new".to_owned(), || {
        let other = client.send_request("tools/call", json!({"name": "other", "arguments": {}}));
        loop {
            let message = client.receive();
            assert_ne!(message["id"], json!(slow), "{message}");
            if message["id"] == json!(other) {
                return message["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            }
        }
    });
    dir.write_file("registry/app/go.txt", "go");
    let ended = answer(client, slow);
    assert_eq!(ended["result"]["content"][0]["text"], "slow old old", "{ended}");
}

#[test]
fn partially_written_index_is_rescanned() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    wait_until_equal(&vec!["one".to_owned()], || names(client, "tools/list", "tools"));
    // The file is no index, and no further event follows.
    dir.write_file("registry/app/_index.yaml", "version: [");
    wait_until_equal(&Vec::<String>::new(), || names(client, "tools/list", "tools"));
}
