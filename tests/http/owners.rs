//! Owners: what one token's calls create, another one's neither see nor touch.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use wardroom_test_support::{ClientRevision, HttpServer, StdioClient, TestDir, tool_result};

/// A configuration with these tokens, by name.
pub(super) fn config(tokens: &[(&str, &str)], more: &str) -> String {
    let tokens = tokens.iter().map(|(name, token)| {
        let digest = Sha256::digest(token).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
        format!("[http.tokens.{name}]\nsha256 = \"{digest}\"\n")
    });
    format!("{more}{}", tokens.collect::<String>())
}

/// Calls a tool with a token, and returns its value and whether it failed.
pub(super) fn call(server: &HttpServer, token: &str, tool: &str, arguments: &Value) -> (Value, bool) {
    tool_result(&request(server, token, "tools/call", json!({"name": tool, "arguments": arguments})))
}

pub(super) fn request(server: &HttpServer, token: &str, method: &str, params: Value) -> Value {
    let headers = [("authorization", format!("Bearer {token}"))];
    server.connect().call_at("/mcp", &headers, method, params).messages().pop().unwrap()
}

const TWO: [(&str, &str); 2] = [("alice", "alice-token"), ("bob", "bob-token")];
const WAITS: &str = "return alc.llm('the secret question')";

#[test]
fn run_of_one_token_does_not_exist_for_another() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&TWO, "[alc]\nenumerate = true\n"), &[]);
    let (waits, _) = call(&server, "alice-token", "alc_run", &json!({"code": WAITS}));
    let session = waits["session_id"].as_str().unwrap();
    let reply = json!({"session_id": session, "response": "mine"});
    for (tool, arguments) in [
        ("alc_continue", reply.clone()),
        ("alc_cancel", json!({"session_id": session})),
        ("alc_status", json!({"session_id": session})),
    ] {
        let (error, failed) = call(&server, "bob-token", tool, &arguments);
        assert!(failed && error["error"]["code"] == "SESSION_NOT_FOUND", "{tool}: {error}");
    }
    let (status, _) = call(&server, "bob-token", "alc_status", &json!({}));
    assert_eq!(status, json!({"active_sessions": 0, "sessions": []}));
    let (status, _) = call(&server, "alice-token", "alc_status", &json!({}));
    assert_eq!(status["active_sessions"], 1);
    let (done, failed) = call(&server, "alice-token", "alc_continue", &reply);
    assert_eq!((&done["result"], failed), (&json!("mine"), false));
    // Its transcript is as private.
    let uri = format!("alc://logs/{session}");
    let own = request(&server, "alice-token", "resources/read", json!({"uri": uri}));
    assert!(own.to_string().contains("the secret question"), "{own}");
    let other = request(&server, "bob-token", "resources/read", json!({"uri": uri}));
    assert_eq!(other["error"]["code"], -32602, "{other}");
    for (tool, arguments) in
        [("alc_log_view", json!({"session_id": session})), ("alc_note", json!({"session_id": session, "content": "x"}))]
    {
        let (error, failed) = call(&server, "bob-token", tool, &arguments);
        assert!(failed && error["error"]["code"] == "NOT_FOUND", "{tool}: {error}");
    }
    let completion = json!({"ref": {"type": "ref/resource", "uri": "alc://logs/{session_id}"},
                            "argument": {"name": "session_id", "value": "s-"}});
    // An id that is mistyped is answered with the similar one.
    let mistyped = json!({"uri": format!("alc://logs/s-0{}", &session[3..])});
    for (token, listed) in [("alice-token", true), ("bob-token", false)] {
        let shown = [
            request(&server, token, "resources/read", mistyped.clone()),
            call(&server, token, "alc_log_view", &json!({})).0,
            request(&server, token, "resources/list", json!({})),
            request(&server, token, "completion/complete", completion.clone()),
        ];
        for shown in shown {
            assert_eq!(shown.to_string().contains(session), listed, "{token}: {shown}");
        }
        let (stats, _) = call(&server, token, "alc_stats", &json!({}));
        assert_eq!(stats["total_sessions"], u64::from(listed));
    }
}

#[test]
fn operator_sees_every_run_and_anonymous_callers_none_of_a_token() {
    let dir = TestDir::new();
    let more = "[http.endpoints.open]\npath = \"/open\"\ntokens = []\n";
    let server = HttpServer::start_with(&dir, &config(&TWO, more), &[]);
    let (waits, _) = call(&server, "alice-token", "alc_run", &json!({"code": WAITS}));
    let arguments = json!({"session_id": waits["session_id"]});
    let open =
        server.connect().call_at("/open", &[], "tools/call", json!({"name": "alc_status", "arguments": arguments}));
    assert!(tool_result(&open.json()).1);
    let mut operator = StdioClient::start(&dir, ClientRevision::Legacy);
    let status = operator.call("tools/call", json!({"name": "alc_status", "arguments": arguments}));
    assert_eq!(tool_result(&status).0["active_sessions"], 1);
}

#[test]
fn new_secret_keeps_the_owner_and_sharing_is_a_decision() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let (waits, _) = call(&server, "alice-token", "alc_run", &json!({"code": WAITS}));
    let arguments = json!({"session_id": waits["session_id"]});
    drop(server);
    // A new secret, another scope, and sharing.
    let renewed = [("alice", "new-token"), ("bob", "bob-token")];
    let endpoint = "[http.endpoints.all]\npath = \"/mcp\"\nscope = \"all\"\ntokens = [\"alice\", \"bob\"]\n";
    let server = HttpServer::start_with(&dir, &config(&renewed, endpoint), &[]);
    assert!(!call(&server, "new-token", "alc_status", &arguments).1);
    assert!(call(&server, "bob-token", "alc_status", &arguments).1);
    drop(server);
    let shared = format!("[http]\nshared_runs = true\n{endpoint}");
    let server = HttpServer::start_with(&dir, &config(&renewed, &shared), &[]);
    assert!(!call(&server, "bob-token", "alc_status", &arguments).1);
    let reply = json!({"session_id": waits["session_id"], "response": "ours"});
    assert_eq!(call(&server, "bob-token", "alc_continue", &reply).0["result"], "ours");
}

#[test]
fn one_token_leaves_room_for_others() {
    let dir = TestDir::new();
    // As many journals of waiting runs as one token may have.
    let tag: String = Sha256::digest("alice").iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    fs::create_dir_all(dir.app_path().join("runs")).unwrap();
    for number in 0..wardroom_alc::limits::MAX_PENDING_RUNS_PER_OWNER {
        fs::write(dir.app_path().join(format!("runs/s-1-{number:032x}-{tag}.jsonl")), "").unwrap();
    }
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let (error, failed) = call(&server, "alice-token", "alc_run", &json!({"code": WAITS}));
    assert!(failed && error["error"]["code"] == "TOO_MANY_RUNS", "{error}");
    assert!(error["error"]["message"].as_str().unwrap().contains("of this caller"), "{error}");
    let (waits, failed) = call(&server, "bob-token", "alc_run", &json!({"code": WAITS}));
    assert!(!failed && waits["status"] == "needs_response", "{waits}");
}

/// Endless handlers of one token leave a slot of their namespace to another.
#[test]
fn endless_handlers_of_one_token_leave_a_slot_to_others() {
    let dir = TestDir::new();
    super::declare(&dir, "one", "", "", "if arguments.spin then while true do end end return 'here'");
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let spinning: Vec<_> = (0..12)
        .map(|id| {
            let params = json!({"name": "one", "arguments": {"spin": true}});
            let (mut headers, message) = wardroom_test_support::modern_request(id, "tools/call", params);
            headers.push(("authorization", "Bearer alice-token".to_owned()));
            let mut connection = server.connect();
            connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
            connection
        })
        .collect();
    let start = std::time::Instant::now();
    for _ in 0..5 {
        let answer = request(&server, "bob-token", "tools/call", json!({"name": "one", "arguments": {}}));
        assert!(answer.to_string().contains("here"), "{answer}");
    }
    // Each endless call has 30 s.
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    drop(spinning);
}

/// An id with an ending names a file of the same owner.
#[test]
fn ending_of_id_hides_no_owner() {
    let dir = TestDir::new();
    let endpoints = "[http.endpoints.own]\npath = \"/own\"\ntokens = [\"alice\"]\n\
                     [http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n";
    let server = HttpServer::start_with(&dir, &config(&TWO[..1], endpoints), &[]);
    let own = |tool: &str, arguments: Value| {
        let headers = [("authorization", "Bearer alice-token".to_owned())];
        let params = json!({"name": tool, "arguments": arguments});
        tool_result(&server.connect().call_at("/own", &headers, "tools/call", params).messages().pop().unwrap()).0
    };
    let session = own("alc_run", json!({"code": WAITS}))["session_id"].as_str().unwrap().to_owned();
    own("alc_continue", json!({"session_id": session, "response": "mine"}));
    let finished = dir.app_path().join(format!("runs/{session}.over.jsonl"));
    assert!(finished.exists());
    let open =
        |method: &str, params: Value| server.connect().call_at("/mcp", &[], method, params).messages().pop().unwrap();
    for ending in ["", ".over", ".meta", ".over.jsonl"] {
        let id = format!("{session}{ending}");
        let cancelled = open("tools/call", json!({"name": "alc_cancel", "arguments": {"session_id": id}}));
        assert_eq!(cancelled["result"]["isError"], true, "{ending}: {cancelled}");
        let read = open("resources/read", json!({"uri": format!("alc://logs/{id}")}));
        assert!(read["error"].is_object(), "{ending}: {read}");
    }
    assert!(finished.exists());
}
