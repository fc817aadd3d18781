//! Clients that send too much or too slowly.

use std::io::ErrorKind;
use std::net::TcpStream;

use serde_json::json;

use wardroom_test_support::{HttpConnection, HttpServer, TestDir, eventually, modern_request};

/// Asserts that the server still answers others.
#[track_caller]
pub(super) fn assert_responsive(server: &HttpServer) {
    assert_eq!(server.call("server/discover", json!({})).status, 200);
}

/// Reads until the server closes the connection. Returns nothing if it closed while the client was sending.
#[track_caller]
fn read_until_closed(connection: &mut HttpConnection<TcpStream>) -> String {
    match connection.read_to_end() {
        Ok(rest) => String::from_utf8(rest).unwrap(),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => String::new(),
        Err(error) => panic!("it stays open: {error}"),
    }
}

#[test]
fn oversized_body_is_refused_before_it_is_sent() {
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
    // Without a length, the body is refused as soon as it is too long.
    let mut connection = server.connect();
    connection.send_raw(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    let piece = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    // The server may close before all of it is sent.
    eventually("it is refused", || {
        connection.try_send_raw(&piece).is_err_and(|error| error.kind() != ErrorKind::WouldBlock)
    });
    assert_responsive(&server);
    assert!(server.resident_bytes() < before + 48 * 1024 * 1024, "{} after {before}", server.resident_bytes());
}

#[test]
fn body_of_maximum_size_is_accepted() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let (headers, mut message) = modern_request(1, "server/discover", json!({}));
    message["params"]["padding"] = json!("");
    let padding = 8 * 1024 * 1024 - message.to_string().len();
    message["params"]["padding"] = json!(" ".repeat(padding));
    assert_eq!(server.connect().post("/mcp", &headers, &message).status, 200);
    assert_responsive(&server);
}

#[test]
fn message_with_too_many_values_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let (headers, _) = modern_request(1, "server/discover", json!({}));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"x":[{}1]}}}}"#,
        "1,".repeat(200_000)
    );
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(body.as_bytes()));
    assert_eq!((reply.status, reply.error_code()), (400, -32600));
    // However many values there are, the error is never a temporary one.
    let many = body.replacen("[1", &format!("[{}1", "1,".repeat(500_000)), 1);
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(many.as_bytes()));
    assert_eq!((reply.status, reply.error_code()), (400, -32600));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}"#, "[".repeat(90_000));
    let reply = server.connect().exchange("POST", "/mcp", &headers, Some(deep.as_bytes()));
    assert_eq!(reply.status, 400);
    assert_responsive(&server);
}

#[test]
fn oversized_head_is_refused() {
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
        // The server may close while the head is sent; then there may be no reply.
        if connection.try_send_raw(head).is_ok() {
            let reply = read_until_closed(&mut connection);
            assert!(reply.is_empty() || reply.starts_with("HTTP/1.1 4"), "{reply}");
        }
    }
    assert_responsive(&server);
}

#[test]
fn non_http_input_closes_connection() {
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
        let rest = read_until_closed(&mut connection);
        assert!(!rest.starts_with("HTTP/1.1 200"), "{rest}");
    }
    assert_responsive(&server);
}

/// A request hidden behind the body of another one is read as that body, or as a request with a check of its own.
#[test]
fn smuggled_request_is_not_served() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    connection.send_raw(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\
         transfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    );
    let replies = read_until_closed(&mut connection);
    assert!(!replies.contains("HTTP/1.1 200"), "{replies}");
}

/// A proxy may know the coding that this server ignores, or take the target for another one.
#[test]
fn ambiguous_request_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let chunks = "0\r\n\r\n";
    for (target, headers) in [
        ("/mcp", "transfer-encoding: gzip, chunked\r\n"),
        ("/mcp", "transfer-encoding: identity, chunked\r\n"),
        ("/mcp", "transfer-encoding: chunked, chunked\r\n"),
        ("/mcp", "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n"),
        ("ftp://localhost/mcp", "transfer-encoding: chunked\r\n"),
    ] {
        let mut connection = server.connect();
        connection.send_raw(format!("POST {target} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n{chunks}"));
        let reply = connection.read_reply();
        assert_eq!(reply.status, 400, "{target} {headers}: {reply:?}");
        let message = reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("chunked") || message.contains("URL of HTTP"), "{message}");
    }
    // One that says where its body ends is served.
    let (headers, message) = modern_request(1, "server/discover", json!({}));
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let message = message.to_string();
    let mut connection = server.connect();
    connection.send_raw(format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         transfer-encoding: Chunked\r\n{headers}\r\n{:x}\r\n{message}\r\n{chunks}",
        message.len()
    ));
    assert_eq!(connection.read_reply().status, 200);
}

#[test]
fn slow_head_times_out() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    // A byte now and then keeps none of them open.
    let mut slow: Vec<_> = (0..100).map(|_| server.connect()).collect();
    for connection in &mut slow {
        connection.send_raw("POST /mcp HTTP/1.1\r\nhost: loc");
    }
    assert_responsive(&server);
    eventually("none of them stays", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        slow.retain_mut(|connection| connection.try_send_raw("x").is_ok());
        slow.is_empty()
    });
    assert_responsive(&server);
}

#[test]
fn calls_beyond_limit_wait_for_permit() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    // More than the limit of running requests.
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
