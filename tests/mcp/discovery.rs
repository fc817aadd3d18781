//! How a client and the server find a common version: `initialize`, `server/discover`, and `_meta` in each request.

use insta::assert_snapshot;
use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, snapshot_message, wardroom_command};

/// A server to which nothing was said yet.
fn silent(dir: &TestDir) -> StdioClient {
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    StdioClient::spawn(command, ClientRevision::Legacy)
}

fn initialize(version: &str) -> String {
    let client_info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client_info});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn discover(id: u64, version: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "server/discover", "params": {"_meta": meta}}).to_string()
}

#[test]
fn initialize_echoes_each_older_version_and_falls_back_to_the_newest_of_them() {
    let rows = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("latest", "2025-11-25"),
    ];
    let dir = TestDir::new();
    for (asked, answered) in rows {
        let answer = silent(&dir).exchange(initialize(asked));
        assert_eq!(answer["result"]["protocolVersion"], answered, "{asked}");
    }
}

#[test]
fn initialize_says_who_serves_and_what() {
    let dir = TestDir::new();
    assert_snapshot!(snapshot_message(silent(&dir).exchange(initialize("2025-11-25"))));
}

#[test]
fn identity_and_instructions_come_from_the_configuration() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[server]\nname = \"mess\"\nversion = \"7\"\ninstructions = \"Ask the steward.\"\n")
        .unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(config);
    let answer = StdioClient::spawn(command, ClientRevision::Legacy).exchange(initialize("2025-11-25"));
    assert_eq!(answer["result"]["serverInfo"], json!({"name": "mess", "version": "7"}));
    assert_eq!(answer["result"]["instructions"], "Ask the steward.");
}

#[test]
fn discover_answers_the_same_before_without_and_after_initialize() {
    let dir = TestDir::new();
    let mut client = silent(&dir);
    let before = client.exchange(discover(2, "2026-07-28"));
    assert_snapshot!(snapshot_message(before.clone()));
    client.exchange(initialize("2025-11-25"));
    assert_eq!(client.exchange(discover(2, "2026-07-28")), before);
}

#[test]
fn discover_without_meta_is_told_which_fields_it_needs() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let answer = client.call("server/discover", json!({}));
    assert_snapshot!(snapshot_message(answer));
}

#[test]
fn a_request_of_the_newer_era_must_say_its_version_and_its_capabilities() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let rows = [
        json!({version: "2026-07-28"}),
        json!({version: 20_260_728, capabilities: {}}),
        json!({version: null, capabilities: {}}),
        json!({version: "2026-07-28", capabilities: []}),
        json!({version: "2026-07-28", capabilities: "all"}),
        json!({capabilities: {}}),
        json!({}),
        json!("2026-07-28"),
        json!(null),
    ];
    let dir = TestDir::new();
    let mut client = silent(&dir);
    for meta in rows {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let answer = client.exchange(request.to_string());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32602), &json!(1)), "{meta}: {answer}");
    }
}

#[test]
fn an_unknown_version_is_answered_with_the_known_ones() {
    let dir = TestDir::new();
    let mut client = silent(&dir);
    let discovered = client.exchange(discover(1, "2026-07-28"));
    for version in ["v999.0.0", "2027-01-01", ""] {
        let answer = client.exchange(discover(1, version));
        assert_eq!(answer["error"]["code"], -32022, "{answer}");
        assert_eq!(answer["error"]["data"]["requested"], version);
        let known = |versions: &Value| -> Vec<String> { serde_json::from_value(versions.clone()).unwrap() };
        let discovered = known(&discovered["result"]["supportedVersions"]);
        let supported = known(&answer["error"]["data"]["supported"]);
        assert!(!supported.is_empty() && supported.iter().all(|version| discovered.contains(version)), "{answer}");
    }
}

#[test]
fn both_eras_can_be_mixed_on_one_connection() {
    let dir = TestDir::new_demo();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let older = client.call("resources/list", json!({}));
    let newer = client.exchange(discover(99, "2026-07-28").replace("server/discover", "resources/list"));
    assert_eq!(older["result"].get("resultType"), None);
    assert_eq!(newer["result"]["resultType"], "complete");
    assert_eq!(older["result"]["resources"], newer["result"]["resources"]);
}

#[test]
fn what_was_agreed_on_counts_and_not_what_was_asked_for() {
    let dir = TestDir::new();
    for asked in ["2026-07-28", "latest"] {
        let mut client = silent(&dir);
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(client.call("initialize", params)["result"]["protocolVersion"], "2025-11-25");
        let listed = client.call("resources/templates/list", json!({}));
        assert_eq!((listed["result"].get("resultType"), listed["result"].get("_meta")), (None, None), "{listed}");
        assert_eq!(client.call("ping", json!({}))["result"], json!({}));
    }
}
