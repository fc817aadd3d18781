//! Clients that take nothing, send nothing, or only hold what others need.

use serde_json::{Value, json};
use wardroom_mcp::limits::{
    MAX_HTTP_LISTEN_STREAMS, MAX_LISTEN_STREAMS_PER_CALLER, MAX_SAMPLING_REQUESTS, MAX_SAMPLING_REQUESTS_PER_CALLER,
    MAX_SAMPLING_REQUESTS_PER_SESSION,
};

use super::bounds::still_answers;
use super::declare;
use wardroom_test_support::{HttpConnection, HttpServer, TestDir, eventually, modern_request};

type Tcp = HttpConnection<std::net::TcpStream>;

/// Sends a request, and takes nothing.
fn asking(server: &HttpServer, id: u64, method: &str, params: Value) -> Tcp {
    asking_at(server, "/mcp", id, method, params)
}

fn asking_at(server: &HttpServer, path: &str, id: u64, method: &str, params: Value) -> Tcp {
    let mut connection = server.connect();
    let (mut headers, message) = modern_request(id, method, params);
    headers.push(("connection", "close".to_owned()));
    connection.send_request("POST", path, &headers, Some(message.to_string().as_bytes()));
    connection
}

/// What is taken at last; nothing where the server did not wait for that.
fn taken(connection: &mut Tcp) -> Option<Value> {
    let reply = connection.read_to_end().ok()?;
    let head = reply.windows(4).position(|end| end == b"\r\n\r\n")?;
    serde_json::from_slice(&reply[head + 4..]).ok()
}

fn reading(server: &HttpServer, id: u64, uri: &str) -> Tcp {
    asking(server, id, "resources/read", json!({"uri": uri}))
}

/// Large answers that nobody takes are not made without end, and small ones come all the while.
#[test]
fn whoever_takes_nothing_does_not_fill_memory() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "-".repeat(7 * 1024 * 1024));
    let server = HttpServer::start(&dir);
    // More than there are turns.
    let connections: Vec<_> = (0..100).map(|at| reading(&server, at, "alc://scenarios/large")).collect();
    for _ in 0..20 {
        still_answers(&server);
    }
    let mut answered = 0;
    for (at, mut connection) in connections.into_iter().enumerate() {
        // Some are told to come again.
        match taken(&mut connection) {
            Some(reply) if reply.get("error").is_some() => assert_eq!(reply["error"]["code"], -31000),
            Some(reply) => {
                assert_eq!(reply["id"], json!(at));
                answered += 1;
            }
            None => {}
        }
        // All of them together have 700 MB.
        assert!(server.resident_bytes() < 300 * 1024 * 1024, "{}", server.resident_bytes());
    }
    assert!(answered >= 2, "{answered}");
}

/// What is said before an answer makes a stream of it, which is counted like any other reply.
#[test]
fn streams_that_nobody_takes_do_not_fill_memory() {
    let dir = TestDir::new();
    declare(&dir, "long", "progress", "", "progress.report(1) return ('x'):rep(2000000)");
    let server = HttpServer::start(&dir);
    let params = json!({"name": "long", "arguments": {}, "_meta": {"progressToken": "t"}});
    let connections: Vec<_> = (0..300).map(|at| asking(&server, at, "tools/call", params.clone())).collect();
    for _ in 0..5 {
        still_answers(&server);
    }
    // All of them together have 600 MB.
    assert!(server.resident_bytes() < 400 * 1024 * 1024, "{}", server.resident_bytes());
    drop(connections);
    still_answers(&server);
}

/// Whose answers hold up everybody loses the connection.
#[test]
fn whoever_takes_nothing_does_not_hold_up_others() {
    let dir = TestDir::new();
    // Six bytes of JSON for each.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(7 * 1024 * 1024));
    let server = HttpServer::start(&dir);
    let before = server.resident_bytes();
    let mut connections: Vec<_> = (0..4).map(|at| reading(&server, at, "alc://scenarios/large")).collect();
    eventually("two of them are made", || server.resident_bytes() > before + 80 * 1024 * 1024);
    for _ in 0..5 {
        still_answers(&server);
    }
    assert!(connections.iter_mut().any(|connection| taken(connection).is_none()));
}

/// Whoever takes its answer gets it, however many are asked for before it that nobody takes.
#[test]
fn whoever_takes_its_answer_does_not_wait_for_all_who_take_nothing() {
    let dir = TestDir::new();
    // Six bytes of JSON for each: more than the system takes for a client.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(5 * 1024 * 1024));
    let server = HttpServer::start(&dir);
    let before = server.resident_bytes();
    let _untaken: Vec<_> = (0..24).map(|at| reading(&server, at, "alc://scenarios/large")).collect();
    eventually("two of them are made", || server.resident_bytes() > before + 60 * 1024 * 1024);
    // One that was told to come again comes when those before it had their time.
    let answer = || taken(&mut reading(&server, 99, "alc://scenarios/large")).expect("an answer in time");
    let answers = [answer(), answer()];
    assert!(answers.iter().any(|answer| answer["id"] == 99 && answer.get("error").is_none()));
    assert!(server.resident_bytes() < 300 * 1024 * 1024, "{}", server.resident_bytes());
}

#[test]
fn connections_without_a_request_make_room() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut used = server.connect();
    assert_eq!(used.call("server/discover", json!({})).status, 200);
    let mut streams: Vec<_> =
        (0..3).map(|at| asking(&server, at, "subscriptions/listen", json!({"notifications": {}}))).collect();
    assert!(streams.iter_mut().all(|stream| stream.read_head().status == 200));
    let mut begun: Vec<Tcp> = Vec::new();
    for _ in 0..600 {
        let mut connection = server.connect();
        // The server may have ended it already.
        drop(connection.try_send_raw("POST /mcp HTTP/1.1\r\nhost: loc"));
        begun.push(connection);
        if begun.len().is_multiple_of(100) {
            still_answers(&server);
        }
    }
    // Those that have a request stay.
    for (at, stream) in streams.iter_mut().enumerate() {
        assert_eq!(
            stream.read_event().unwrap()["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            json!(at)
        );
    }
}

#[test]
fn a_body_that_stalls_is_given_up() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let head =
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 8388000\r\n\r\n";
    let mut stalled: Vec<_> = (0..12).map(|_| server.connect()).collect();
    for connection in &mut stalled {
        connection.send_raw(head);
        // The server may refuse it before it is sent.
        drop(connection.try_send_raw(vec![b' '; 8_387_000]));
    }
    // Small messages get through.
    still_answers(&server);
    let (mut statuses, mut said) = (Vec::new(), String::new());
    for connection in &mut stalled {
        statuses.push(connection.read_head().status);
        said += &String::from_utf8_lossy(&connection.read_to_end().unwrap_or_default());
    }
    assert!(statuses.iter().all(|status| matches!(status, 408 | 503)), "{statuses:?}");
    // Not because a body has a time.
    assert!(said.contains("stopped before its end"), "{statuses:?} {said}");
}

/// An older client that has no session could never answer.
#[test]
fn a_client_without_a_session_is_not_asked() {
    let dir = TestDir::new();
    declare(&dir, "asks", "elicit", "", ASKS);
    let server = HttpServer::start(&dir);
    for version in ["2025-11-25", "2025-06-18"] {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": version,
                          "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "asks", "arguments": {}, "_meta": meta}});
        let reply = server.connect().post("/mcp", &[("mcp-protocol-version", version.to_owned())], &call);
        let answer = reply.json();
        assert!(answer["result"]["isError"] == json!(true) || answer.get("error").is_some(), "{answer}");
    }
}

#[test]
fn an_unknown_version_is_a_bad_request() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    for version in ["1.0", "1900-01-01", "2026-07-27x", "zzz"] {
        let (mut headers, mut message) = modern_request(1, "server/discover", json!({}));
        headers.retain(|(name, _)| *name != "mcp-protocol-version");
        headers.push(("mcp-protocol-version", version.to_owned()));
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let reply = server.connect().post("/mcp", &headers, &message);
        assert_eq!((reply.status, reply.error_code()), (400, -32022), "{version}: {reply:?}");
    }
}

/// A handler that asks its client.
const ASKS: &str = "local a, e = elicit.form('?', {}) return a, e";
/// A second caller, at an endpoint of its own.
const OTHER: &str = "[http.endpoints.other]\npath = \"/other\"\n";

/// Whoever has more slow calls than may run leaves room for others.
#[test]
fn slow_calls_of_one_leave_room_for_others() {
    let dir = TestDir::new();
    declare(&dir, "slow", "time", ", mcp.timeout: 200", "time.sleep('100s')");
    declare(&dir, "quick", "", "", "return 'quick'");
    let server = HttpServer::start_with(&dir, OTHER, &[]);
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let slow: Vec<_> = (0..70).map(|at| asking(&server, at, "tools/call", call("slow"))).collect();
    let reply = server.connect().call_at("/other", &[], "tools/call", call("quick")).json();
    assert_eq!(reply["result"]["content"][0]["text"], "quick", "{reply}");
    drop(slow);
}

#[test]
fn streams_of_one_leave_room_for_others() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, OTHER, &[]);
    let listening = |path: &str, at| asking_at(&server, path, at, "subscriptions/listen", json!({"notifications": {}}));
    let mut streams: Vec<_> = (0..MAX_HTTP_LISTEN_STREAMS as u64).map(|at| listening("/mcp", at)).collect();
    let open = streams.iter_mut().filter_map(|stream| (stream.read_head().status == 200).then_some(())).count();
    assert_eq!(open, MAX_LISTEN_STREAMS_PER_CALLER);
    assert_eq!(listening("/other", 0).read_head().status, 200);
}

#[test]
fn questions_of_one_leave_room_for_others() {
    let dir = TestDir::new();
    declare(&dir, "asks", "elicit", ", mcp.timeout: 200", ASKS);
    let server = HttpServer::start_with(&dir, OTHER, &[]);
    let session = |path: &str| server.connect().initialize(path, json!({"elicitation": {}}));
    let call = |path: &str, session: &str, id: usize| {
        let mut connection = server.connect();
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                          "params": {"name": "asks", "arguments": {}}});
        let named = [("mcp-session-id", session.to_owned())];
        connection.send_request("POST", path, &named, Some(call.to_string().as_bytes()));
        connection
    };
    // A question makes a stream of a reply.
    let is_asked = |connection: &mut Tcp| connection.read_head().header("content-type") == Some("text/event-stream");
    let mut calls = Vec::new();
    for _ in 0..MAX_SAMPLING_REQUESTS.div_ceil(MAX_SAMPLING_REQUESTS_PER_SESSION) {
        let session = session("/mcp");
        calls.extend((0..MAX_SAMPLING_REQUESTS_PER_SESSION).map(|id| call("/mcp", &session, id)));
    }
    assert_eq!(calls.iter_mut().map(is_asked).filter(|is_asked| *is_asked).count(), MAX_SAMPLING_REQUESTS_PER_CALLER);
    assert!(is_asked(&mut call("/other", &session("/other"), 0)));
}
