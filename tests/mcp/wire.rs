//! Every kind of answer on the demo AppDir, in both revisions, as snapshots.

use insta::{Settings, assert_snapshot};
use serde_json::{Value, json};
use similar::TextDiff;
use wardroom_service::limits::MAX_PAGE_BYTES;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, record_transcript, run_wardroom, wardroom_command};

const SESSION: &str = "s-18a1b2c3d4e5f-0123456789abcdef";
const CARD: &str = "cot_opus46_20261121T090000_1a2b3c";

/// Compares one conversation with its snapshots, one for each revision.
fn check(name: &str, dir: &TestDir, requests: &[(&str, Value)]) {
    check_with(name, dir, &[], requests);
}

/// As `check`, with arguments for the server.
pub(super) fn check_with(name: &str, dir: &TestDir, args: &[&str], requests: &[(&str, Value)]) {
    for (revision, suffix) in [(ClientRevision::Legacy, "legacy"), (ClientRevision::Modern, "modern")] {
        let mut settings = Settings::clone_current();
        settings.set_snapshot_suffix(suffix);
        settings.set_omit_expression(true);
        settings.bind(|| {
            assert_snapshot!(name, record_transcript(&mut StdioClient::start_with(dir, revision, args), requests));
        });
    }
}

/// The lists are long: one revision is a snapshot, and the other one the lines in which it differs.
#[test]
fn lists_match_snapshot() {
    let dir = TestDir::new_demo();
    let nothing = || json!({});
    let requests = [
        ("resources/list", nothing()),
        ("resources/templates/list", nothing()),
        ("tools/list", nothing()),
        ("resources/list", json!({"cursor": "from-2"})),
        ("resources/list", json!({"cursor": "from-3"})),
        ("tools/list", json!({"cursor": "another server's"})),
    ];
    let [legacy, modern] = ClientRevision::ALL
        .map(|revision| record_transcript(&mut StdioClient::start_with(&dir, revision, &[]), &requests));
    let difference = TextDiff::from_lines(&legacy, &modern).unified_diff().context_radius(1).to_string();
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| {
        assert_snapshot!("lists", modern);
        assert_snapshot!("lists_difference", difference);
        // Those too that are listed where nothing finds them.
        let alone = &mut StdioClient::start_with(&dir, ClientRevision::Modern, &["--service", "alc"]);
        assert_snapshot!("every_tool", record_transcript(alone, &[("tools/list", json!({}))]));
    });
}

#[test]
fn resources_match_snapshot() {
    let uris = [
        "alc://types/alc.d.lua".into(),
        "alc://types/alc_shapes.d.lua".into(),
        "alc://packages/cot/init.lua".into(),
        "alc://packages/cot/meta".into(),
        format!("alc://cards/{CARD}"),
        format!("alc://cards/{CARD}/samples?offset=1&limit=2"),
        "alc://scenarios/math_basic".into(),
        "alc://eval/cot_1763715600".into(),
        "alc://eval/quick-vote_1763715700".into(),
        format!("alc://logs/{SESSION}"),
        format!("alc://logs/{SESSION}?limit=1&max_chars=1000"),
        format!("alc://logs/{SESSION}?limit=1&max_chars=500"),
    ];
    let requests = uris.map(|uri| ("resources/read", json!({"uri": uri})));
    check("resources", &TestDir::new_demo(), &requests);
}

/// The rows of the specification's table, each with the inputs that lead to it.
#[test]
fn errors_match_snapshot() {
    let dir = TestDir::new_demo();
    std::fs::create_dir(dir.app_path().join("scenarios/folder.lua")).unwrap();
    dir.write_package("broken", "local M = {}\nM.meta = { name = \"broken\nreturn M\n");
    let uris = [
        // Invalid scheme.
        "file:///etc/passwd",
        "ALC://types/alc.d.lua",
        "alc:/types/alc.d.lua",
        "",
        // Unknown service.
        "alc://foo/bar",
        "alc://",
        "alc://packages",
        // Path traversal segment.
        "alc://packages/../secret/init.lua",
        "alc://packages/./init.lua",
        // Not found: a file, a card, an eval, a session, unknown stubs, a path of no known shape.
        "alc://packages/nobody/init.lua",
        "alc://packages/nobody/meta",
        "alc://cards/nobody",
        "alc://cards/nobody/samples",
        "alc://scenarios/nobody",
        "alc://eval/nobody_1",
        "alc://logs/nobody",
        "alc://types/other.d.lua",
        "alc://packages/cot/init.lua/more",
        // Invalid query parameter value.
        "alc://cards/nobody/samples?limit=ten",
        "alc://cards/nobody/samples?limit=-1",
        "alc://cards/nobody/samples?limit=10001",
        "alc://cards/nobody/samples?offset=10000001",
        "alc://logs/nobody?limit=10001",
        "alc://logs/nobody?max_chars=1000001",
        "alc://logs/nobody?page=1",
        "alc://logs/nobody?=1",
        "alc://cards/nobody?limit=1",
        // Characters that no identifier has.
        "alc://packages/a b/meta",
        "alc://packages/%2e%2e/meta",
        "alc://packages/caf\u{e9}/meta",
        "alc://eval/no-timestamp",
        // A failure of the files.
        "alc://scenarios/folder",
        "alc://packages/broken/meta",
    ];
    let requests = uris.map(|uri| ("resources/read", json!({"uri": uri})));
    check("errors", &dir, &requests);
}

#[test]
fn tools_match_snapshot() {
    let dir = TestDir::new_demo();
    let call = |params| ("tools/call", params);
    let source = "--- Doc.\nlocal M = {}\nM.meta = { name = \"x\", version = os.time() }\nreturn M\n";
    let named = |name: &str, arguments: Value| call(json!({"name": name, "arguments": arguments}));
    check(
        "tools",
        &dir,
        &[
            named("extract_package_meta", json!({"source": source, "name": "x"})),
            named("extract_package_meta", json!({"source": ""})),
            named("extract_package_meta", json!({"source": "x = \"", "name": "x"})),
            named("extract_package_meta", json!({"source": "", "name": "../x"})),
            named("extract_package_meta", json!({})),
            named("extract_package_meta", json!({"source": 1})),
            named("extract_package_meta", json!({"source": "", "sauce": ""})),
            call(json!({"name": "extract_package_meta"})),
            call(json!({"name": "list_resources"})),
            named("list_resources", json!({"scheme": "none"})),
            named("list_resources", json!({"cursor": "x"})),
            named("read_resource", json!({"uri": "alc://packages/panel/meta"})),
            named("read_resource", json!({"uri": format!("alc://cards/{CARD}/samples?limit=1")})),
            named("read_resource", json!({"uri": "alc://packages/nobody/meta"})),
            named("read_resource", json!({"uri": "file:///etc/passwd"})),
            named("no_such_tool", json!({})),
            call(json!({"name": ""})),
            call(json!({"name": "list_resources", "arguments": []})),
            call(json!({"name": "list_resources", "arguments": "scheme"})),
            call(json!({"arguments": {}})),
        ],
    );
}

#[test]
fn completion_matches_snapshot() {
    let dir = TestDir::new_demo();
    let complete = |uri: &str, name: &str, value: &str| {
        let reference = json!({"type": "ref/resource", "uri": uri});
        ("completion/complete", json!({"ref": reference, "argument": {"name": name, "value": value}}))
    };
    check(
        "completion",
        &dir,
        &[
            complete("alc://packages/{name}/meta", "name", ""),
            complete("alc://packages/{name}/init.lua", "name", "q"),
            complete("alc://cards/{card_id}", "card_id", "cot"),
            complete("alc://cards/{card_id}/samples", "card_id", "none"),
            complete("alc://scenarios/{name}", "name", ""),
            complete("alc://eval/{result_id}", "result_id", ""),
            complete("alc://logs/{session_id}", "session_id", "s-"),
            complete("alc://logs/{session_id}", "limit", ""),
            complete("alc://nothing/{name}", "name", ""),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            ),
            ("completion/complete", json!({"ref": {"type": "ref/other"}, "argument": {"name": "a", "value": ""}})),
        ],
    );
}

/// Methods that only one of the revisions has.
#[test]
fn methods_match_snapshot() {
    let uri = || json!({"uri": "alc://types/alc.d.lua"});
    check(
        "methods",
        &TestDir::new_demo(),
        &[
            ("ping", json!({})),
            ("logging/setLevel", json!({"level": "info"})),
            ("resources/subscribe", uri()),
            ("resources/unsubscribe", uri()),
            ("prompts/list", json!({})),
            ("prompts/get", json!({"name": "p"})),
            ("tasks/list", json!({})),
            ("tasks/get", json!({"taskId": "1"})),
            ("resources/directory/read", json!({})),
            ("no/such/method", json!({})),
            ("", json!({})),
        ],
    );
}

#[test]
fn completion_returns_100_values_and_total() {
    let dir = TestDir::new();
    for n in 0..150 {
        dir.write_package(&format!("p{n:03}"), "return {}");
    }
    for revision in ClientRevision::ALL {
        let reference = json!({"type": "ref/resource", "uri": "alc://packages/{name}/meta"});
        let params = json!({"ref": reference, "argument": {"name": "name", "value": "p"}});
        let answer = StdioClient::start(&dir, revision).call("completion/complete", params);
        let completion = &answer["result"]["completion"];
        let values: Vec<String> = (0..100).map(|n| format!("p{n:03}")).collect();
        assert_eq!(*completion, json!({"values": values, "total": 150, "hasMore": true}));
    }
}

#[test]
fn results_have_fields_of_own_revision_only() {
    let dir = TestDir::new_demo();
    let reference = json!({"type": "ref/resource", "uri": "alc://packages/{name}/meta"});
    let requests = [
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("tools/list", json!({}), true),
        ("server/discover", json!({}), true),
        ("resources/read", json!({"uri": "alc://packages/cot/meta"}), true),
        ("tools/call", json!({"name": "list_resources"}), false),
        ("tools/call", json!({"name": "read_resource", "arguments": {"uri": "alc://x"}}), false),
        ("completion/complete", json!({"ref": reference, "argument": {"name": "name", "value": ""}}), false),
    ];
    for (method, params, cached) in requests {
        let modern = StdioClient::start(&dir, ClientRevision::Modern).call(method, params.clone())["result"].take();
        assert_eq!(modern["resultType"], "complete", "{method}");
        assert_eq!(modern["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "wardroom", "{method}");
        assert_eq!(modern["ttlMs"].is_u64(), cached, "{method}");
        assert_eq!(modern["cacheScope"] == "private", cached, "{method}");

        let legacy = StdioClient::start(&dir, ClientRevision::Legacy).call(method, params)["result"].take();
        assert_eq!(legacy.get("resultType"), None, "{method}");
    }
}

/// A schema or an answer of another form makes legacy clients reject the whole list.
#[test]
fn schemas_and_structured_answers_are_objects() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let services = "alc,blog,ace,resources,docs,registry";
        let mut client = StdioClient::start_with(&dir, revision, &["--service", services]);
        let listed = client.call("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert!(tools.len() > 60, "{}", tools.len());
        for tool in tools {
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            // User-defined tools need no output schema.
            if tool.get("outputSchema").is_none() {
                assert!(["add", "echo", "greet"].contains(&tool["name"].as_str().unwrap()), "{tool}");
                continue;
            }
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            // A failure is an answer too.
            assert!(tool["outputSchema"].get("required").is_none(), "{tool}");
            assert_ne!(tool["outputSchema"]["additionalProperties"], false, "{tool}");
            let called = client.call("tools/call", json!({"name": tool["name"]}));
            assert!(called["result"]["structuredContent"].is_object(), "{called}");
        }
    }
}

/// Clients check an answer against its schema and discard answers that do not match.
#[test]
fn structured_answers_have_required_fields() {
    let dir = TestDir::new_demo();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let app = dir.app_path().display().to_string();
    let documented = run_wardroom(dir.root(), &["call", "--json", "--appdir", &app]).expect_success();
    let documented: Vec<Value> = serde_json::from_str(&documented).unwrap();
    let schema = |tool: &str| documented.iter().find(|entry| entry["name"] == tool).unwrap()["outputSchema"].clone();
    let calls = [
        ("extract_package_meta", json!({"source": "return {}"})),
        ("list_resources", json!({})),
        ("read_resource", json!({"uri": "alc://scenarios/math_basic"})),
        ("read_resource", json!({"uri": "alc://packages/cot/meta"})),
    ];
    for (tool, arguments) in calls {
        let called = client.call("tools/call", json!({"name": tool, "arguments": arguments}));
        let answer = called["result"]["structuredContent"].as_object().unwrap();
        let required: Vec<String> = serde_json::from_value(schema(tool)["anyOf"][0]["required"].clone()).unwrap();
        let missing: Vec<_> = required.iter().filter(|field| !answer.contains_key(*field)).collect();
        assert!(missing.is_empty(), "{tool}: {missing:?}");
    }
}

#[test]
fn tool_answer_over_page_limit_is_refused() {
    let dir = TestDir::new();
    dir.write_file("scenarios/fits.lua", "x".repeat(MAX_PAGE_BYTES));
    dir.write_file("scenarios/large.lua", "x".repeat(MAX_PAGE_BYTES + 1));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let mut read = |name: &str| {
        let arguments = json!({"uri": format!("alc://scenarios/{name}")});
        client.call("tools/call", json!({"name": "read_resource", "arguments": arguments}))["result"].take()
    };
    assert_eq!(read("fits")["structuredContent"]["text"].as_str().map(str::len), Some(MAX_PAGE_BYTES));
    let message = "alc://scenarios/large has 4.1 MiB, the limit for the answer of a tool is 4 MiB: read less \
                   of it, if its URI takes parameters, or read it with resources/read";
    let refused = read("large");
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["structuredContent"], json!({"error": {"code": "too_large", "message": message}}));
}

/// A model reads every word of a list.
#[test]
fn lists_name_no_internals_and_have_output_schemas_for_revisions_that_know_them() {
    let dir = TestDir::new_demo();
    let config = dir.write_file("config.toml", "[alc]\ntools = \"all\"\n");
    for (version, knows) in [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)] {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config);
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        let client_info = json!({"name": "test", "version": "1"});
        client.call("initialize", json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client_info}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let listed = client.call("tools/list", json!({}))["result"].take();
        let tools = listed["tools"].as_array().unwrap();
        assert_eq!(tools.iter().any(|tool| tool.get("outputSchema").is_some()), knows, "{version}");
        assert!(!listed.to_string().contains("for the schema"), "{version}");
    }
}
