//! Sessions of the legacy revisions.

use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use wardroom_test_support::{ClientRevision, HttpServer, StdioClient, TestDir, eventually};

#[test]
fn session_lasts_from_initialize_to_delete() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    assert!(session.len() == 64 && session.bytes().all(|byte| byte.is_ascii_hexdigit()), "{session}");
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("resources/read", json!({"uri": "alc://packages/cot/meta"})),
        ("resources/subscribe", json!({"uri": "alc://packages/cot/meta"})),
    ] {
        let reply = connection.call_in_session(&session, 1, method, params);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{method}");
        let result = reply.json()["result"].clone();
        assert!(result.is_object() && result.get("resultType").is_none(), "{method}: {result}");
    }
    let unknown = connection.call_in_session(&session, 2, "nothing", json!({}));
    assert_eq!((unknown.status, unknown.error_code()), (200, -32601));
    let named = [("mcp-session-id", session.clone())];
    assert_eq!(connection.exchange("DELETE", "/mcp", &named, None).status, 204);
    let gone = connection.call_in_session(&session, 3, "ping", json!({}));
    assert_eq!((gone.status, gone.json()["id"].clone()), (404, json!(3)));
    assert_eq!(connection.exchange("DELETE", "/mcp", &named, None).status, 404);
}

#[test]
fn request_without_valid_session_id_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    for message in [&ping, &notification, &answer] {
        assert_eq!(connection.post("/mcp", &[], message).status, 400, "{message}");
        // A client cannot choose an id, and one id does not reveal another.
        let (head, tail) = session.split_at(session.len() - 1);
        let other = format!("{head}{}", if tail == "0" { "1" } else { "0" });
        for name in ["", "1", "stdio", &other, &session.to_uppercase().replace(|c: char| c.is_ascii_digit(), "0"), "ÿ"]
        {
            let reply = connection.post("/mcp", &[("mcp-session-id", name.to_owned())], message);
            assert_eq!(reply.status, 404, "{name} {message}");
        }
        let twice = [("mcp-session-id", session.clone()), ("mcp-session-id", session.clone())];
        assert_eq!(connection.post("/mcp", &twice, message).status, 400);
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(connection.exchange(method, "/mcp", &[], None).status, 400);
        let unknown = [("mcp-session-id", "1".to_owned())];
        assert_eq!(connection.exchange(method, "/mcp", &unknown, None).status, 404);
    }
    // The id that a client sends with `initialize` is not used.
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let reply = connection.post("/mcp", &[("mcp-session-id", "chosen".to_owned())], &initialize);
    let (name, version) = (reply.header("mcp-session-id").unwrap(), &reply.json()["result"]["protocolVersion"]);
    assert!(name != "chosen" && name != session);
    assert_eq!(version, "2025-06-18");
}

#[test]
fn failed_initialize_creates_no_session() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let mismatch = [("mcp-protocol-version", "2025-06-18".to_owned())];
    let reply = server.connect().post("/mcp", &mismatch, &message);
    assert_eq!((reply.status, reply.header("mcp-session-id")), (400, None));
    let malformed = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}});
    let reply = server.connect().post("/mcp", &[], &malformed);
    assert_eq!(reply.header("mcp-session-id"), None, "{reply:?}");
    let unknown = [("mcp-protocol-version", "1999-01-01".to_owned())];
    assert_eq!(
        server.connect().post("/mcp", &unknown, &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).status,
        400
    );
}

/// Two clients with the same request ids get their own answers.
#[test]
fn answers_reach_their_own_clients() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut clients: Vec<_> = (0..4)
        .map(|_| {
            let mut connection = server.connect();
            let session = connection.initialize("/mcp", json!({}));
            (connection, session)
        })
        .collect();
    for round in 1..50 {
        for (at, (connection, session)) in clients.iter_mut().enumerate() {
            let message = json!({"jsonrpc": "2.0", "id": round, "method": "resources/read",
                                 "params": {"uri": format!("alc://packages/c{at}_{round}/meta")}});
            connection.send_request(
                "POST",
                "/mcp",
                &[("mcp-session-id", session.clone())],
                Some(message.to_string().as_bytes()),
            );
        }
        for (at, (connection, _)) in clients.iter_mut().enumerate().rev() {
            let answer = connection.read_reply().json();
            let uri = format!("alc://packages/c{at}_{round}/meta");
            assert_eq!((&answer["id"], &answer["error"]["data"]["uri"]), (&json!(round), &json!(uri)), "{answer}");
        }
    }
}

#[test]
fn request_id_in_use_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let (mut one, mut other) = (server.connect(), server.connect());
    let session = one.initialize("/mcp", json!({}));
    let stuck = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                       "params": {"name": "alc_run", "arguments": {"code": "while true do end"}}});
    one.send_request("POST", "/mcp", &[("mcp-session-id", session.clone())], Some(stuck.to_string().as_bytes()));
    let mut reply = None;
    eventually("the first one is there", || {
        let reply_to_ping = other.call_in_session(&session, 5, "ping", json!({}));
        reply = (reply_to_ping.status != 200).then_some(reply_to_ping);
        reply.is_some()
    });
    let reply = reply.unwrap();
    assert_eq!((reply.status, reply.error_code()), (400, -32600));
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    assert_eq!(other.post("/mcp", &[("mcp-session-id", session.clone())], &notification).status, 202);
    assert!(one.read_reply().messages().is_empty(), "what is taken back is not answered");
    assert_eq!(other.call_in_session(&session, 5, "ping", json!({})).json()["result"], json!({}));
}

#[test]
fn idle_session_expires() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "[http]\nsession_idle_s = 1\n", &[]);
    let mut connection = server.connect();
    let idle = connection.initialize("/mcp", json!({}));
    let mut listening = server.connect();
    let used = listening.initialize("/mcp", json!({}));
    let stream = [("mcp-session-id", used.clone()), ("accept", "text/event-stream".to_owned())];
    listening.send_request("GET", "/mcp", &stream, None);
    assert_eq!(listening.read_head().status, 200);
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(connection.call_in_session(&idle, 1, "ping", json!({})).status, 404);
    assert_eq!(connection.call_in_session(&used, 1, "ping", json!({})).status, 200);
}

#[test]
fn session_expires_after_lifetime() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "[http]\nsession_life_s = 1\n", &[]);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    eventually("it ends", || connection.call_in_session(&session, 1, "ping", json!({})).status == 404);
}

#[test]
fn full_table_evicts_longest_idle_session() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "[http]\nmax_sessions = 2\n", &[]);
    let mut connection = server.connect();
    let first = connection.initialize("/mcp", json!({}));
    let second = connection.initialize("/mcp", json!({}));
    assert_eq!(connection.call_in_session(&first, 1, "ping", json!({})).status, 200);
    let third = connection.initialize("/mcp", json!({}));
    for (session, status) in [(&first, 200), (&second, 404), (&third, 200)] {
        assert_eq!(connection.call_in_session(session, 1, "ping", json!({})).status, status);
    }
    // Sessions in use stay.
    let mut streams = Vec::new();
    for session in [&first, &third] {
        let mut listening = server.connect();
        let headers = [("mcp-session-id", session.clone()), ("accept", "text/event-stream".to_owned())];
        listening.send_request("GET", "/mcp", &headers, None);
        assert_eq!(listening.read_head().status, 200);
        streams.push(listening);
    }
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let reply = connection.post("/mcp", &[], &message);
    assert_eq!((reply.status, reply.error_code()), (503, -31000));
    assert!(reply.header("retry-after").is_some());
}

/// The caller with most sessions loses its own.
#[test]
fn full_table_evicts_session_of_caller_with_most() {
    let digest = |token: &str| Sha256::digest(token).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
    let config = format!(
        "[http]\nmax_sessions = 10\n[http.tokens.alice]\nsha256 = \"{}\"\n[http.tokens.bob]\nsha256 = \"{}\"\n",
        digest("alice"),
        digest("bob")
    );
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config, &[]);
    let mut connection = server.connect();
    let begin = |connection: &mut wardroom_test_support::HttpConnection<std::net::TcpStream>, token: &str| {
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let reply = connection.post("/mcp", &[("authorization", format!("Bearer {token}"))], &message);
        reply.header("mcp-session-id").unwrap().to_owned()
    };
    let kept = begin(&mut connection, "bob");
    for _ in 0..30 {
        begin(&mut connection, "alice");
    }
    let headers = [("authorization", "Bearer bob".to_owned()), ("mcp-session-id", kept)];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(connection.post("/mcp", &headers, &ping).status, 200);
}

/// The state of services belongs to no session.
#[test]
fn runs_and_cursors_continue_in_another_session() {
    let dir = TestDir::new();
    for at in 0..250 {
        dir.write_package(&format!("p{at:03}"), "return {}");
    }
    let server = HttpServer::start_with(&dir, "[alc]\nenumerate = true\n", &[]);
    let fresh = || {
        let mut connection = server.connect();
        let session = connection.initialize("/mcp", json!({}));
        move |method: &str, params: Value| {
            connection.call_in_session(&session, 1, method, params).json()["result"].clone()
        }
    };
    let call = |tool: &str, arguments: Value| {
        fresh()("tools/call", json!({"name": tool, "arguments": arguments}))["structuredContent"].clone()
    };
    let waits = call("alc_run", json!({"code": "return alc.llm('one') .. alc.llm('two')"}));
    let answer = |waits: &Value, text: &str| json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": text});
    let waits = call("alc_continue", answer(&waits, "a"));
    assert_eq!(waits["prompt"], "two", "{waits}");
    assert_eq!(call("alc_continue", answer(&waits, "b"))["result"], "ab");
    let (mut names, mut cursor) = (Vec::new(), json!({}));
    loop {
        let page = fresh()("resources/list", cursor);
        names.extend(page["resources"].as_array().unwrap().iter().map(|entry| entry["uri"].to_string()));
        if page["nextCursor"].is_null() {
            break;
        }
        cursor = json!({"cursor": page["nextCursor"]});
    }
    assert_eq!(names.iter().filter(|name| name.contains("packages/p")).count(), 250);
}

/// A read over stdio is answered where it is decoded, one of a session by its handlers.
#[test]
fn reads_of_a_session_are_answered_as_over_stdio() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for uri in [
        "alc://packages/cot/meta",
        "alc://packages/cot/init.lua",
        "alc://types/alc.d.lua",
        "alc://hub/index",
        "demo://about",
        "wardroom://docs/security",
        "alc://packages/none/meta",
        "alc://packages/../meta",
        "none://x",
    ] {
        let reply = connection.call_in_session(&session, 1, "resources/read", json!({"uri": uri})).json();
        let answer = client.call("resources/read", json!({"uri": uri}));
        assert_eq!((&answer["result"], &answer["error"]), (&reply["result"], &reply["error"]), "{uri}");
        assert!(answer["result"].is_object() != answer["error"].is_object(), "{uri}: {answer}");
    }
}
