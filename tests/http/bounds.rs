//! Clients that send too much, too slowly, or take nothing.

use std::io::ErrorKind;
use std::net::TcpStream;

use serde_json::json;

use wardroom_test_support::{HttpConnection, HttpServer, TestDir, eventually, modern_request};

/// The server still answers others.
#[track_caller]
pub(super) fn still_answers(server: &HttpServer) {
    assert_eq!(server.call("server/discover", json!({})).status, 200);
}

/// What comes before the server closes the connection; nothing where it does so while something is sent.
#[track_caller]
fn closed(connection: &mut HttpConnection<TcpStream>) -> String {
    match connection.read_to_end() {
        Ok(rest) => String::from_utf8(rest).unwrap(),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => String::new(),
        Err(error) => panic!("it stays open: {error}"),
    }
}

#[test]
fn a_huge_body_is_refused_before_it_is_sent() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let before = server.resident_bytes();
    for length in ["1073741824", "8388609"] {
        let mut connection = server.connect();
        connection.send_raw(format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{{"
        ));
        assert_eq!(connection.read_head().status, 413, "{length}");
    }
    // Without a length, as soon as it is too long.
    let mut connection = server.connect();
    connection.send_raw(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    let piece = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    // The server may close before all of it is sent.
    eventually("it is refused", || {
        connection.try_send_raw(&piece).is_err_and(|error| error.kind() != ErrorKind::WouldBlock)
    });
    still_answers(&server);
    assert!(server.resident_bytes() < before + 48 * 1024 * 1024, "{} after {before}", server.resident_bytes());
}

#[test]
fn the_largest_body_is_taken() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let (headers, mut message) = modern_request(1, "server/discover", json!({}));
    message["params"]["padding"] = json!("");
    let room = 8 * 1024 * 1024 - message.to_string().len();
    message["params"]["padding"] = json!(" ".repeat(room));
    assert_eq!(server.connect().post("/mcp", &headers, &message).status, 200);
    still_answers(&server);
}

#[test]
fn a_message_of_many_values_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let (headers, _) = modern_request(1, "server/discover", json!({}));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"x":[{}1]}}}}"#,
        "1,".repeat(200_000)
    );
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(body.as_bytes()));
    assert_eq!((reply.status, reply.error_code()), (400, -32600));
    // However many they are, it is never a matter of trying again.
    let many = body.replacen("[1", &format!("[{}1", "1,".repeat(500_000)), 1);
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(many.as_bytes()));
    assert_eq!((reply.status, reply.error_code()), (400, -32600));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}"#, "[".repeat(90_000));
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(deep.as_bytes()));
    assert_eq!(reply.status, 400);
    still_answers(&server);
}

#[test]
fn heads_have_a_size() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let many: String = (0..1000).map(|at| format!("x-{at}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(1024 * 1024));
    let path = "x".repeat(128 * 1024);
    for head in [
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"),
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{long}\r\n"),
        format!("GET /{path} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    ] {
        let mut connection = server.connect();
        // The server may close while this is sent; then there may be no reply either.
        if connection.try_send_raw(head).is_ok() {
            let reply = closed(&mut connection);
            assert!(reply.is_empty() || reply.starts_with("HTTP/1.1 4"), "{reply}");
        }
    }
    still_answers(&server);
}

#[test]
fn what_is_not_http_ends_the_connection() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    for bytes in [
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03".as_slice(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost : x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: \x00\r\n\r\n",
        b"\r\n\r\n\r\n\x00",
    ] {
        let mut connection = server.connect();
        connection.send_raw(bytes);
        let rest = closed(&mut connection);
        assert!(!rest.starts_with("HTTP/1.1 200"), "{rest}");
    }
    still_answers(&server);
}

/// A second request that hides behind the first one's body is read as what it is: a body, or a request of its own with its
/// own check.
#[test]
fn a_request_does_not_hide_in_another_one() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    connection.send_raw(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\
         transfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    );
    let replies = closed(&mut connection);
    assert!(!replies.contains("HTTP/1.1 200"), "{replies}");
}

#[test]
fn a_head_has_a_time() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    // A byte now and then does not keep any of them open.
    let mut slow: Vec<_> = (0..100).map(|_| server.connect()).collect();
    for connection in &mut slow {
        connection.send_raw("POST /mcp HTTP/1.1\r\nhost: loc");
    }
    still_answers(&server);
    eventually("none of them stays", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        slow.retain_mut(|connection| connection.try_send_raw("x").is_ok());
        slow.is_empty()
    });
    still_answers(&server);
}

#[test]
fn more_calls_than_may_run_wait_for_their_turn() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    // As many as there are turns, and some.
    let mut connections: Vec<_> = (0..100).map(|_| server.connect()).collect();
    for (at, connection) in connections.iter_mut().enumerate() {
        let (headers, message) =
            modern_request(at as u64, "tools/call", json!({"name": "alc_status", "arguments": {}}));
        connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    }
    for (at, connection) in connections.iter_mut().enumerate() {
        let reply = connection.read_reply();
        assert_eq!((reply.status, reply.json()["id"].clone()), (200, json!(at)));
    }
}
