//! The check of `Host` and `Origin` against DNS rebinding, with raw sockets.

use serde_json::json;

use wardroom_test_support::{HttpServer, TestDir, modern_request};

/// Asserts that requests with these headers have this status, for each method and path.
#[track_caller]
fn assert_refused(server: &HttpServer, headers: &[(&str, String)], status: u16) {
    let (own, message) = modern_request(1, "server/discover", json!({}));
    for (method, path) in
        [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("OPTIONS", "/mcp"), ("GET", "/healthz")]
    {
        let mut all: Vec<_> = own.clone();
        all.extend(
            headers.iter().map(|(name, value)| (if *name == "host" { "host" } else { "origin" }, value.clone())),
        );
        let body = (method == "POST").then(|| message.to_string().into_bytes());
        let reply = server.connect().exchange(method, path, &all, body.as_deref());
        assert_eq!(reply.status, status, "{method} {path} {headers:?}: {reply:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None, "{reply:?}");
        assert_eq!(reply.header("vary"), Some("Origin"), "{reply:?}");
    }
}

#[test]
fn foreign_host_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let port = server.address.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost.:{port}"),
        format!("127.0.0.1.:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.nip.io:{port}"),
        format!("localhost@evil.example:{port}"),
        format!("evil.example@localhost:{port}"),
        format!("evil.example#localhost:{port}"),
        format!("evil.example/localhost:{port}"),
        format!("http://localhost:{port}"),
        format!("localhost:{port}:{port}"),
        "localhost:http".to_owned(),
        "localhost:99999".to_owned(),
        "localhost:".to_owned(),
        "localhost:+80".to_owned(),
        "0x7f.0.0.1".to_owned(),
        "2130706433".to_owned(),
        "127.1".to_owned(),
        "0.0.0.0".to_owned(),
        "192.168.0.1".to_owned(),
        "[::1".to_owned(),
        "::1".to_owned(),
        "[::1]x".to_owned(),
        "[::1].evil.example".to_owned(),
        "[fe80::1%25lo]".to_owned(),
        "[::]".to_owned(),
        "localhost evil.example".to_owned(),
        "localhost,evil.example".to_owned(),
        "lоcalhost".to_owned(),
    ] {
        assert_refused(&server, &[("host", host)], 403);
    }
}

#[test]
fn request_without_exactly_one_host_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let body = "{}";
    for (hosts, status) in [
        ("", 400),
        ("host: localhost\r\nhost: localhost\r\n", 400),
        ("host: localhost\r\nhost: evil.example\r\n", 400),
        ("host: \r\n", 403),
    ] {
        let mut connection = server.connect();
        connection.send_raw(format!("GET /healthz HTTP/1.1\r\n{hosts}content-length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(connection.read_head().status, status, "{hosts:?}");
    }
    // The host of the request line is checked as well.
    for (target, status) in [
        ("http://evil.example/healthz", 403),
        ("http://localhost@evil.example/healthz", 403),
        ("http://localhost/healthz", 200),
    ] {
        let mut connection = server.connect();
        connection.send_raw(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        assert_eq!(connection.read_head().status, status, "{target}");
    }
    // HTTP/1.0 needs no `Host` header, but the server does.
    let mut connection = server.connect();
    connection.send_raw("GET /healthz HTTP/1.0\r\n\r\n");
    assert_eq!(connection.read_head().status, 400);
}

#[test]
fn local_hosts_are_accepted_in_every_form() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "[http]\nhosts = [\"Wardroom.example\", \"10.1.2.3\"]\n", &[]);
    let port = server.address.port();
    for host in [
        format!("127.0.0.1:{port}"),
        "127.0.0.1".to_owned(),
        format!("localhost:{port}"),
        "LocalHost".to_owned(),
        "127.8.9.10:1".to_owned(),
        "[::1]:80".to_owned(),
        "[0:0:0:0:0:0:0:1]".to_owned(),
        "wardroom.EXAMPLE:8443".to_owned(),
        "10.1.2.3".to_owned(),
    ] {
        let reply = server.connect().exchange("GET", "/healthz", &[("host", host.clone())], None);
        assert_eq!((reply.status, reply.body.as_slice()), (200, br#"{"status":"ok"}"#.as_slice()), "{host}");
    }
}

#[test]
fn foreign_origin_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let port = server.address.port();
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("http://localhost.:{port}"),
        format!("http://localhost.evil.example:{port}"),
        format!("http://localhost@evil.example:{port}"),
        format!("http://evil.example@localhost:{port}"),
        format!("http://localhost:{port}/"),
        format!("http://localhost:{port}#x"),
        "file://".to_owned(),
        "chrome-extension://localhost".to_owned(),
        "tauri://127.0.0.1".to_owned(),
        "localhost".to_owned(),
        "//localhost".to_owned(),
        "http://[::1".to_owned(),
        "http://192.168.0.1".to_owned(),
        "http://localhost http://evil.example".to_owned(),
    ] {
        assert_refused(&server, &[("origin", origin)], 403);
    }
    let mut connection = server.connect();
    connection.send_raw(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\norigin: http://evil.example\r\n\r\n",
    );
    assert_eq!(connection.read_head().status, 403);
}

#[test]
fn cors_headers_name_allowed_origins_only() {
    let dir = TestDir::new();
    let config = "[http]\norigins = [\"https://app.example\", \"http://dev.example:*\"]\n";
    for (config, allowed, refused) in [
        ("", &["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080"][..], &["https://app.example"][..]),
        (
            config,
            &["https://app.example", "https://APP.example:443", "http://dev.example:81"],
            &["http://localhost:3000", "http://app.example", "https://app.example:8443", "https://dev.example"],
        ),
        (
            "[http]\norigins = [\"chrome-extension://abcdef\", \"tauri://localhost\"]\n",
            &["chrome-extension://abcdef", "tauri://localhost"],
            &["chrome-extension://abcdeg", "moz-extension://abcdef", "chrome-extension://abcdef:1", "http://localhost"],
        ),
        ("[http]\norigins = []\n", &[], &["http://localhost:3000", "null"]),
    ] {
        let server = HttpServer::start_with(&dir, config, &[]);
        for origin in allowed {
            let headers = [("origin", (*origin).to_owned())];
            let asked = [
                ("origin", (*origin).to_owned()),
                ("access-control-request-method", "POST".to_owned()),
                ("access-control-request-headers", "content-type, Mcp-Param-City, x-evil".to_owned()),
            ];
            let preflight = server.connect().exchange("OPTIONS", "/mcp", &asked, None);
            assert_eq!(preflight.status, 204, "{preflight:?}");
            assert_eq!(preflight.header("access-control-allow-methods"), Some("GET, POST, DELETE, OPTIONS"));
            let named = preflight.header("access-control-allow-headers").unwrap();
            assert!(named.contains("Mcp-Session-Id") && named.ends_with(", Mcp-Param-City"), "{named}");
            for reply in [
                preflight,
                server.connect().exchange("GET", "/healthz", &headers, None),
                server.connect().exchange("GET", "/nothing", &headers, None),
                server.connect().exchange("POST", "/mcp", &headers, Some(b"{")),
            ] {
                assert_eq!(reply.header("access-control-allow-origin"), Some(*origin), "{reply:?}");
                assert_eq!(reply.header("access-control-allow-credentials"), None);
                assert_eq!(reply.header("vary"), Some("Origin"));
                assert!(reply.header("access-control-expose-headers").unwrap().contains("Mcp-Session-Id"));
            }
        }
        for origin in refused {
            assert_refused(&server, &[("origin", (*origin).to_owned())], 403);
        }
    }
}

#[test]
fn invalid_origin_or_host_is_refused_at_start() {
    let dir = TestDir::new();
    for config in [
        "origins = [\"app.example\"]",
        "origins = [\"https://app.example/\"]",
        "origins = [\"*\"]",
        "hosts = [\"a:1\"]",
    ] {
        let config = format!("[http]\n{config}\n");
        let done = wardroom_test_support::run_command(&mut wardroom_test_support::serve_command(
            &dir,
            &config,
            &["--http", "127.0.0.1:0"],
        ));
        assert_eq!(done.status, 1, "{config}");
        assert!(done.stderr.contains("is not "), "{}", done.stderr);
    }
}

/// Without CORS headers a page can read no reply.
#[test]
fn every_reply_has_cors_headers() {
    let dir = TestDir::new();
    let token = "[http.tokens.a]\nsha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"\n";
    let closed = HttpServer::start_with(&dir, token, &[]);
    let open = HttpServer::start(&dir);
    let origin = "http://localhost:3000";
    let with = |more: &[(&'static str, String)]| [&[("origin", origin.to_owned())], more].concat();
    let (newer_headers, listen) = modern_request(1, "subscriptions/listen", json!({"notifications": {}}));
    let mut stream = open.connect();
    stream.send_request("POST", "/mcp", &with(&newer_headers), Some(listen.to_string().as_bytes()));
    let gone = with(&[("mcp-session-id", "0".repeat(64))]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (reply, status) in [
        (stream.read_head(), 200),
        (closed.connect().exchange("POST", "/mcp", &with(&[]), Some(b"{}")), 401),
        (open.connect().post("/mcp", &gone, &ping), 404),
        (open.connect().exchange("PUT", "/mcp", &with(&[]), None), 405),
    ] {
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("access-control-allow-origin"), Some(origin), "{status}");
        assert_eq!(reply.header("vary"), Some("Origin"), "{status}");
        assert!(reply.header("access-control-expose-headers").unwrap().contains("Mcp-Session-Id"), "{status}");
    }
}
