//! Negotiation of the protocol version: `initialize`, `server/discover`, and `_meta` in each request.

use insta::assert_snapshot;
use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, snapshot_message, wardroom_command};

/// Starts a server without sending it a message.
fn spawn_server(dir: &TestDir) -> StdioClient {
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
fn initialize_falls_back_to_newest_legacy_version() {
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
    for (requested, negotiated) in rows {
        let answer = spawn_server(&dir).exchange(initialize(requested));
        assert_eq!(answer["result"]["protocolVersion"], negotiated, "{requested}");
    }
}

#[test]
fn initialize_result_matches_snapshot() {
    let dir = TestDir::new();
    assert_snapshot!(snapshot_message(spawn_server(&dir).exchange(initialize("2025-11-25"))));
}

#[test]
fn identity_and_instructions_are_configurable() {
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
fn discover_is_independent_of_initialize() {
    let dir = TestDir::new();
    let mut client = spawn_server(&dir);
    let before = client.exchange(discover(2, "2026-07-28"));
    assert_snapshot!(snapshot_message(before.clone()));
    client.exchange(initialize("2025-11-25"));
    assert_eq!(client.exchange(discover(2, "2026-07-28")), before);
}

#[test]
fn discover_without_meta_names_missing_fields() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let answer = client.call("server/discover", json!({}));
    assert_snapshot!(snapshot_message(answer));
}

#[test]
fn modern_request_without_version_or_capabilities_is_refused() {
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
    let mut client = spawn_server(&dir);
    for meta in rows {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let answer = client.exchange(request.to_string());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32602), &json!(1)), "{meta}: {answer}");
    }
}

#[test]
fn unknown_version_is_answered_with_known_ones() {
    let dir = TestDir::new();
    let mut client = spawn_server(&dir);
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
fn revisions_can_be_mixed_on_one_connection() {
    let dir = TestDir::new_demo();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let legacy = client.call("resources/list", json!({}));
    let modern = client.exchange(discover(99, "2026-07-28").replace("server/discover", "resources/list"));
    assert_eq!(legacy["result"].get("resultType"), None);
    assert_eq!(modern["result"]["resultType"], "complete");
    assert_eq!(legacy["result"]["resources"], modern["result"]["resources"]);
}

#[test]
fn negotiated_version_overrides_requested_one() {
    let dir = TestDir::new();
    for requested in ["2026-07-28", "latest"] {
        let mut client = spawn_server(&dir);
        let params =
            json!({"protocolVersion": requested, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(client.call("initialize", params)["result"]["protocolVersion"], "2025-11-25");
        let listed = client.call("resources/templates/list", json!({}));
        assert_eq!((listed["result"].get("resultType"), listed["result"].get("_meta")), (None, None), "{listed}");
        assert_eq!(client.call("ping", json!({}))["result"], json!({}));
    }
}

/// A client asks for each variable that a template shows.
#[test]
fn every_variable_of_every_template_is_completed() {
    let dir = TestDir::new_demo();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let listed = client.call("resources/templates/list", json!({}));
    let templates = listed["result"]["resourceTemplates"].as_array().unwrap();
    assert!(templates.len() > 10, "{listed}");
    for template in templates {
        let pattern = template["uriTemplate"].as_str().unwrap();
        let variables = pattern.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        for name in variables.flat_map(|(names, _)| names.trim_start_matches('?').split(',')) {
            let completed = client.call(
                "completion/complete",
                json!({"ref": {"type": "ref/resource", "uri": pattern}, "argument": {"name": name, "value": ""}}),
            );
            assert!(completed["result"]["completion"]["values"].is_array(), "{pattern}, {name}: {completed}");
        }
    }
}
