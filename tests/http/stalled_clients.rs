//! Clients that stall, and clients that hold more than their share.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_mcp::http::limits::{MAX_HTTP_CONNECTIONS, MAX_HTTP_LISTEN_STREAMS, MAX_LISTEN_STREAMS_PER_CALLER};
use wardroom_mcp::limits::{
    MAX_SAMPLING_REQUESTS, MAX_SAMPLING_REQUESTS_PER_CALLER, MAX_SAMPLING_REQUESTS_PER_SESSION,
};

use super::bounds::assert_responsive;
use super::declare;
use super::owners::config;
use wardroom_test_support::{HttpConnection, HttpServer, TestDir, eventually, modern_request};

type Tcp = HttpConnection<std::net::TcpStream>;

/// Sends a request without reading the reply.
fn send_request(server: &HttpServer, id: u64, method: &str, params: Value) -> Tcp {
    send_request_at(server, "/mcp", id, method, params)
}

fn send_request_at(server: &HttpServer, path: &str, id: u64, method: &str, params: Value) -> Tcp {
    let mut connection = connect(server, path);
    let (mut headers, message) = modern_request(id, method, params);
    headers.push(("connection", "close".to_owned()));
    connection.send_request("POST", path, &headers, Some(message.to_string().as_bytes()));
    connection
}

/// Reads the reply to its end; `None` if the server closed the connection before.
fn read_answer(connection: &mut Tcp) -> Option<Value> {
    let reply = connection.read_to_end().ok()?;
    let head = reply.windows(4).position(|end| end == b"\r\n\r\n")?;
    serde_json::from_slice(&reply[head + 4..]).ok()
}

fn read_resource(server: &HttpServer, id: u64, uri: &str) -> Tcp {
    send_request(server, id, "resources/read", json!({"uri": uri}))
}

/// The number of large answers in memory is limited, and small requests are answered meanwhile.
#[test]
fn stalled_clients_do_not_fill_memory() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "-".repeat(7 * 1024 * 1024));
    let server = HttpServer::start(&dir);
    // More than the limit of running requests.
    let connections: Vec<_> = (0..100).map(|at| read_resource(&server, at, "alc://scenarios/large")).collect();
    for _ in 0..20 {
        assert_responsive(&server);
    }
    let mut answered = 0;
    for (at, mut connection) in connections.into_iter().enumerate() {
        // Some are refused as busy.
        match read_answer(&mut connection) {
            Some(reply) if reply.get("error").is_some() => assert_eq!(reply["error"]["code"], -31000),
            Some(reply) => {
                assert_eq!(reply["id"], json!(at));
                answered += 1;
            }
            None => {}
        }
        // Together they would take 700 MB.
        assert!(server.resident_bytes() < 300 * 1024 * 1024, "{}", server.resident_bytes());
    }
    assert!(answered >= 2, "{answered}");
}

/// A notification before the answer makes the reply a stream, whose bytes count as those of other replies.
#[test]
fn stalled_streams_do_not_fill_memory() {
    let dir = TestDir::new();
    declare(&dir, "long", "progress", "", "progress.report(1) return ('x'):rep(2000000)");
    let server = HttpServer::start(&dir);
    let params = json!({"name": "long", "arguments": {}, "_meta": {"progressToken": "t"}});
    let connections: Vec<_> = (0..300).map(|at| send_request(&server, at, "tools/call", params.clone())).collect();
    // Each call computes its answer, and a busy machine takes longer over them than a request waits.
    let is_responsive = || server.call("server/discover", json!({})).status == 200;
    for _ in 0..5 {
        eventually("the server answers another request", is_responsive);
    }
    // Together they would take 600 MB.
    assert!(server.resident_bytes() < 400 * 1024 * 1024, "{}", server.resident_bytes());
    drop(connections);
    eventually("the server answers when they are gone", is_responsive);
}

/// A client that holds up all others loses its connection.
#[test]
fn stalled_client_is_disconnected_when_others_wait() {
    let dir = TestDir::new();
    // Each byte is six bytes of JSON.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(7 * 1024 * 1024));
    let server = HttpServer::start_with(&dir, &two_callers(), &[]);
    let before = server.resident_bytes();
    // One caller has one large answer at a time.
    let read = |at: u64| {
        let path = if at.is_multiple_of(2) { "/mcp" } else { "/other" };
        send_request_at(&server, path, at, "resources/read", json!({"uri": "alc://scenarios/large"}))
    };
    let mut connections: Vec<_> = (0..4).map(read).collect();
    eventually("two of them are made", || server.resident_bytes() > before + 80 * 1024 * 1024);
    for _ in 0..5 {
        assert_responsive(&server);
    }
    assert!(connections.iter_mut().any(|connection| read_answer(connection).is_none()));
}

/// A client that reads gets its answer, however many clients before it are stalled.
#[test]
fn reading_client_does_not_wait_for_all_stalled_ones() {
    let dir = TestDir::new();
    // Each byte is six bytes of JSON, so that the answer is larger than the socket buffers.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(5 * 1024 * 1024));
    let server = HttpServer::start(&dir);
    let before = server.resident_bytes();
    let _stalled: Vec<_> = (0..24).map(|at| read_resource(&server, at, "alc://scenarios/large")).collect();
    eventually("one of them is made", || server.resident_bytes() > before + 25 * 1024 * 1024);
    // After a refusal, the second attempt comes when the stalled clients have had their time.
    let answer = || read_answer(&mut read_resource(&server, 99, "alc://scenarios/large")).expect("an answer in time");
    let answers = [answer(), answer()];
    assert!(answers.iter().any(|answer| answer["id"] == 99 && answer.get("error").is_none()));
    assert!(server.resident_bytes() < 300 * 1024 * 1024, "{}", server.resident_bytes());
}

#[test]
fn idle_connections_are_evicted() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut used = server.connect();
    assert_eq!(used.call("server/discover", json!({})).status, 200);
    let mut streams: Vec<_> =
        (0..3).map(|at| send_request(&server, at, "subscriptions/listen", json!({"notifications": {}}))).collect();
    assert!(streams.iter_mut().all(|stream| stream.read_head().status == 200));
    let mut begun: Vec<Tcp> = Vec::new();
    for _ in 0..600 {
        let mut connection = server.connect();
        // The server may have evicted it already.
        drop(connection.try_send_raw("POST /mcp HTTP/1.1\r\nhost: loc"));
        begun.push(connection);
        if begun.len().is_multiple_of(100) {
            assert_responsive(&server);
        }
    }
    // Connections with a request stay.
    for (at, stream) in streams.iter_mut().enumerate() {
        assert_eq!(
            stream.read_event().unwrap()["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            json!(at)
        );
    }
}

#[test]
fn stalled_body_times_out() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let head =
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 8388000\r\n\r\n";
    let mut stalled: Vec<_> = (0..12).map(|_| server.connect()).collect();
    for connection in &mut stalled {
        connection.send_raw(head);
        // The server may refuse the body before it is fully sent.
        drop(connection.try_send_raw(vec![b' '; 8_387_000]));
    }
    // Small messages get through.
    assert_responsive(&server);
    let (mut statuses, mut bodies) = (Vec::new(), String::new());
    for connection in &mut stalled {
        statuses.push(connection.read_head().status);
        bodies += &String::from_utf8_lossy(&connection.read_to_end().unwrap_or_default());
    }
    assert!(statuses.iter().all(|status| matches!(status, 408 | 503)), "{statuses:?}");
    // The stall timeout ends it, not the time for the whole body.
    assert!(bodies.contains("stalled before its end"), "{statuses:?} {bodies}");
}

/// A legacy client without a session could not send a response.
#[test]
fn legacy_client_without_session_gets_no_input_request() {
    let dir = TestDir::new();
    declare(&dir, "asks", "elicit", "", REQUESTS_INPUT);
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
fn unknown_version_is_bad_request() {
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

/// A handler that requests input of its client.
const REQUESTS_INPUT: &str = "local a, e = elicit.form('?', {}) return a, e";
/// The token of a second caller.
const OTHER: &str = "other-token";

/// An endpoint without tokens, and the token of a second caller.
fn two_callers() -> String {
    config(
        &[("other", OTHER)],
        "[http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n[http.endpoints.other]\npath = \"/other\"\n",
    )
}

fn connect(server: &HttpServer, path: &str) -> Tcp {
    let connection = server.connect();
    if path == "/other" { connection.with_token(OTHER) } else { connection }
}

/// Slow calls beyond the limit of one caller do not block another one.
#[test]
fn slow_calls_of_one_caller_leave_permits_for_others() {
    let dir = TestDir::new();
    declare(&dir, "slow", "time", ", mcp.timeout: 200", "time.sleep('100s')");
    declare(&dir, "quick", "", "", "return 'quick'");
    let server = HttpServer::start_with(&dir, &two_callers(), &[]);
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let slow_calls: Vec<_> = (0..70).map(|at| send_request(&server, at, "tools/call", call("slow"))).collect();
    let reply = connect(&server, "/other").call_at("/other", &[], "tools/call", call("quick")).json();
    assert_eq!(reply["result"]["content"][0]["text"], "quick", "{reply}");
    drop(slow_calls);
}

#[test]
fn streams_of_one_caller_leave_permits_for_others() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &two_callers(), &[]);
    let listening =
        |path: &str, at| send_request_at(&server, path, at, "subscriptions/listen", json!({"notifications": {}}));
    let mut streams: Vec<_> = (0..MAX_HTTP_LISTEN_STREAMS as u64).map(|at| listening("/mcp", at)).collect();
    let open = streams.iter_mut().filter_map(|stream| (stream.read_head().status == 200).then_some(())).count();
    assert_eq!(open, MAX_LISTEN_STREAMS_PER_CALLER);
    assert_eq!(listening("/other", 0).read_head().status, 200);
}

#[test]
fn input_requests_of_one_caller_leave_permits_for_others() {
    let dir = TestDir::new();
    declare(&dir, "asks", "elicit", ", mcp.timeout: 200", REQUESTS_INPUT);
    let server = HttpServer::start_with(&dir, &two_callers(), &[]);
    let session = |path: &str| connect(&server, path).initialize(path, json!({"elicitation": {}}));
    let call = |path: &str, session: &str, id: usize| {
        let mut connection = connect(&server, path);
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                          "params": {"name": "asks", "arguments": {}}});
        let named = [("mcp-session-id", session.to_owned())];
        connection.send_request("POST", path, &named, Some(call.to_string().as_bytes()));
        connection
    };
    // An input request makes a stream of a reply.
    let has_input_request =
        |connection: &mut Tcp| connection.read_head().header("content-type") == Some("text/event-stream");
    let mut calls = Vec::new();
    for _ in 0..MAX_SAMPLING_REQUESTS.div_ceil(MAX_SAMPLING_REQUESTS_PER_SESSION) {
        let session = session("/mcp");
        calls.extend((0..MAX_SAMPLING_REQUESTS_PER_SESSION).map(|id| call("/mcp", &session, id)));
    }
    assert_eq!(calls.iter_mut().map(has_input_request).filter(|has| *has).count(), MAX_SAMPLING_REQUESTS_PER_CALLER);
    assert!(has_input_request(&mut call("/other", &session("/other"), 0)));
}

#[test]
fn bodies_that_arrive_slowly_give_up_their_connections() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, \
                text/event-stream\r\ncontent-length: 1000\r\n\r\n{";
    let mut slow: Vec<_> = (0..MAX_HTTP_CONNECTIONS)
        .map(|_| {
            let mut connection = server.connect();
            connection.send_raw(head);
            connection
        })
        .collect();
    thread::scope(|scope| {
        let (answered, is_answered) = channel();
        let mut connection = server.connect();
        scope.spawn(move || {
            let reply = connection.call("server/discover", json!({}));
            answered.send(reply.status).unwrap();
        });
        // Each of them sends a byte now and then, so that none has stalled.
        let status = loop {
            match is_answered.recv_timeout(Duration::from_millis(500)) {
                Ok(status) => break status,
                Err(_) => slow.iter_mut().for_each(|connection| drop(connection.try_send_raw(" "))),
            }
        };
        assert_eq!(status, 200);
    });
    // The second byte finds out that the server closed the connection after the first one.
    let is_closed = |connection: &mut Tcp| (0..2).any(|_| connection.try_send_raw(" ").is_err());
    let closed = slow.iter_mut().map(is_closed).filter(|is_closed| *is_closed).count();
    assert!((1..16).contains(&closed), "{closed} of {MAX_HTTP_CONNECTIONS} were closed for one");
}
