//! Changes while servers run: picked up, told in both eras, and no call sees two versions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, declare, handler, names, said, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TEST_TIMEOUT, TestDir};

/// Asks until the answer is this.
pub(super) fn until<T: PartialEq + std::fmt::Debug>(expected: &T, mut ask: impl FnMut() -> T) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let found = ask();
        if found == *expected {
            return;
        }
        assert!(Instant::now() < deadline, "{found:?}, not {expected:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_comes_goes_and_changes_is_seen_without_a_restart() {
    let dir = TestDir::new();
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(names(client, "tools/list", "tools"), [""; 0]);
    // The folder itself comes later.
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    until(&vec!["one".to_owned()], || names(client, "tools/list", "tools"));
    // A handler alone.
    dir.write_file("registry/app/one.lua", handler("call", "return 2"));
    until(&"2".to_owned(), || said(client, "one", json!({})));
    // A folder deeper down, and an edit in place of the first one.
    dir.write_file(
        "registry/app/deep/er/_index.yaml",
        "version: \"1.0\"\nnamespace: deep\nentries:\n  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      \
         mcp.prompt.name: p\n      mcp.prompt.messages: [{ content: x }]\n",
    );
    until(&vec!["p".to_owned()], || names(client, "prompts/list", "prompts"));
    declare(&dir, "  []\n");
    until(&Vec::<String>::new(), || names(client, "tools/list", "tools"));
    assert_eq!(call(client, "one", json!({})).unwrap_err()["message"], "Unknown tool: one");
    std::fs::remove_dir_all(dir.app_path().join("registry")).unwrap();
    until(&Vec::<String>::new(), || names(client, "prompts/list", "prompts"));
}

#[test]
fn a_change_that_breaks_an_entry_hides_it_and_no_other() {
    let dir = TestDir::new();
    let entries = [tool(&dir, "a", "", "return 'a'"), tool(&dir, "b", "", "return 'b'")].concat();
    declare(&dir, &entries);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    assert_eq!(names(client, "tools/list", "tools"), ["a", "b"]);
    std::fs::remove_file(dir.app_path().join("registry/app/a.lua")).unwrap();
    until(&vec!["b".to_owned()], || {
        let id = client.send_request("tools/list", json!({}));
        answer(client, id)["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["name"].as_str().unwrap().to_owned())
            .collect()
    });
}

/// The answer to a request, whatever is told before it.
fn answer(client: &mut StdioClient, id: u64) -> Value {
    loop {
        let message = client.receive();
        if message["id"] == json!(id) {
            return message;
        }
    }
}

/// The next notification of this kind.
#[track_caller]
pub(super) fn told(client: &mut StdioClient, method: &str) -> Value {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let message = client.receive_within(deadline.saturating_duration_since(Instant::now()));
        let message = message.unwrap_or_else(|| panic!("{method} is not told"));
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn the_older_eras_are_told_of_each_list() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "a", "", "return 'a'"));
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("tools/list", json!({}));
    answer(client, id);
    // Whoever is told sees it: no second look is needed.
    declare(&dir, &format!("{}{}", tool(&dir, "a", "", "return 'a'"), tool(&dir, "b", "", "return 'b'")));
    told(client, "notifications/tools/list_changed");
    let id = client.send_request("tools/list", json!({}));
    assert_eq!(answer(client, id)["result"]["tools"].as_array().unwrap().len(), 2);
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      \
         mcp.prompt.name: p\n      mcp.prompt.messages: [{ content: x }]\n",
    );
    told(client, "notifications/prompts/list_changed");
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: r\n    kind: function.lua\n    meta:\n      mcp.resource: true\n      \
         mcp.resource.uri: test://r\n      mcp.resource.text: x\n",
    );
    told(client, "notifications/resources/list_changed");
}

#[test]
fn the_newer_era_is_told_where_it_listens() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "a", "", "return 'a'"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(names(client, "tools/list", "tools"), ["a"]);
    let wanted = json!({"toolsListChanged": true});
    let id = client.send_request("subscriptions/listen", json!({"notifications": wanted}));
    let acknowledged = told(client, "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], wanted, "{acknowledged}");
    declare(&dir, &tool(&dir, "b", "", "return 'b'"));
    let changed = told(client, "notifications/tools/list_changed");
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id), "{changed}");
}

#[test]
fn a_subscriber_is_told_when_a_declared_resource_changes() {
    let dir = TestDir::new();
    let entry = "  - name: r\n    kind: function.lua\n    meta:\n      mcp.resource: true\n      mcp.resource.uri: test://r\n      \
                 mcp.resource.file: data.txt\n";
    dir.write_file("registry/app/data.txt", "one");
    declare(&dir, entry);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("resources/subscribe", json!({"uri": "test://r"}));
    assert_eq!(answer(client, id)["result"], json!({}));
    dir.write_file("registry/app/data.txt", "two");
    assert_eq!(told(client, "notifications/resources/updated")["params"]["uri"], "test://r");
}

#[test]
fn a_call_ends_with_the_version_that_it_began_with() {
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
    assert_eq!(said(client, "other", json!({})), "old");
    let params = json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": "p"}});
    let slow = client.send_request("tools/call", params);
    told(client, "notifications/progress");
    dir.write_file("registry/app/lib.lua", "return { v = 'new' }");
    dir.write_file("registry/app/slow.lua", handler("call", "return 'new'"));
    dir.write_file("registry/app/other.lua", handler("call", "return 'new'"));
    // Calls that begin now find the new one, while that goes on.
    until(&"new".to_owned(), || {
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
fn what_was_half_written_is_looked_at_again() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    until(&vec!["one".to_owned()], || names(client, "tools/list", "tools"));
    // Nothing happens any more after this, and it is no index.
    dir.write_file("registry/app/_index.yaml", "version: [");
    until(&Vec::<String>::new(), || names(client, "tools/list", "tools"));
}
