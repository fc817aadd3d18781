//! The shutdown of servers over HTTP, their status, and the commands for tokens.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use wardroom_test_support::{
    ClientRevision, HttpConnection, HttpServer, StdioClient, TestDir, eventually, modern_request, remove_folder_in_use,
    run_command, run_wardroom, serve_command,
};

fn status(dir: &TestDir) -> Vec<Value> {
    let app = dir.app_path().display().to_string();
    let text = run_wardroom(dir.root(), &["--appdir", &app, "status", "--json"]).expect_success();
    serde_json::from_str(&text).unwrap()
}

/// Calls end with their answers, subscriptions with their last message, and connections after that.
#[test]
fn signal_lets_open_calls_finish() {
    for signal in [Signal::TERM, Signal::INT] {
        let dir = TestDir::new();
        let mut server = HttpServer::start(&dir);
        let mut listening = server.connect();
        let params = json!({"notifications": {"resourcesListChanged": true}});
        let (headers, message) = modern_request(1, "subscriptions/listen", params);
        listening.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
        listening.read_head();
        assert_eq!(listening.read_event().unwrap()["method"], "notifications/subscriptions/acknowledged");
        let mut stream = server.connect();
        let session = stream.initialize("/mcp", json!({}));
        stream.send_request("GET", "/mcp", &[("mcp-session-id", session), ("accept", "*/*".to_owned())], None);
        assert_eq!(stream.read_head().status, 200);
        let mut idle = server.connect();
        assert_eq!(idle.call("server/discover", json!({})).status, 200);
        let mut calling = server.connect();
        let code = "alc.progress(1, 2) local t = 0 for i = 1, 5e6 do t = t + i end return 'done'";
        let params = json!({"name": "alc_run", "arguments": {"code": code}, "_meta": {"progressToken": 1}});
        let (headers, message) = modern_request(2, "tools/call", params);
        calling.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
        calling.read_head();
        assert_eq!(calling.read_event().unwrap()["method"], "notifications/progress");
        server.signal(signal);
        // The creation of the folder may be reported first.
        let ended =
            std::iter::from_fn(|| listening.read_event()).find(|message| message.get("method").is_none()).unwrap();
        assert_eq!((&ended["id"], &ended["result"]["resultType"]), (&json!(1), &json!("complete")), "{ended}");
        assert_eq!(listening.read_event(), None);
        assert_eq!(stream.read_event(), None);
        assert_eq!(idle.read_to_end().unwrap(), b"");
        let answer = calling.read_event().unwrap();
        assert_eq!(answer["result"]["structuredContent"]["result"], "done", "{answer}");
        assert!(server.wait().success());
        assert!(status(&dir).is_empty());
    }
}

#[test]
fn endless_call_is_cancelled_after_grace() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, "[server]\ngrace_ms = 300\n", &[]);
    let mut calling = server.connect();
    let params = json!({"name": "alc_run", "arguments": {"code": "alc.progress(1, 2) while true do end"},
                        "_meta": {"progressToken": 1}});
    let (headers, message) = modern_request(2, "tools/call", params);
    calling.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    calling.read_head();
    assert!(calling.read_event().is_some());
    server.signal(Signal::TERM);
    assert!(server.wait().success());
}

/// An incomplete head is not an open request.
#[test]
fn incomplete_head_does_not_delay_shutdown() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, "[server]\ngrace_ms = 600000\n", &[]);
    let mut used = server.connect();
    assert_eq!(used.call("server/discover", json!({})).status, 200);
    let mut begun = server.connect();
    for connection in [&mut used, &mut begun] {
        connection.send_raw("POST /mcp HTTP/1.1\r\nhost: loc");
    }
    // After this answer the server has read the heads.
    assert_eq!(server.call("server/discover", json!({})).status, 200);
    let start = Instant::now();
    server.signal(Signal::TERM);
    assert!(server.wait().success());
    // A head has 15 s.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn second_signal_ends_server_at_once() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, "[server]\ngrace_ms = 600000\n", &[]);
    let mut calling = server.connect();
    let params = json!({"name": "alc_run", "arguments": {"code": "alc.progress(1, 2) while true do end"},
                        "_meta": {"progressToken": 1}});
    let (headers, message) = modern_request(2, "tools/call", params);
    calling.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    calling.read_head();
    assert!(calling.read_event().is_some());
    server.signal(Signal::INT);
    // Two signals in one moment may count as one.
    eventually("it accepts nobody", || std::net::TcpStream::connect(server.address).is_err());
    server.signal(Signal::INT);
    assert!(server.wait().success());
}

#[test]
fn status_lists_running_servers() {
    let dir = TestDir::new();
    assert!(status(&dir).is_empty());
    let socket = dir.root().join("socket");
    let server = HttpServer::start_with(&dir, "", &["--unix", &socket.display().to_string()]);
    let port = server.address.port();
    let listed = status(&dir);
    let row = |at: usize| {
        let row = &listed[at];
        json!([row["transport"], row["host"], row["port"], row["socket"], row["paths"], row["running"], row["process"]])
    };
    assert_eq!(listed.len(), 2, "{listed:#?}");
    assert_eq!(row(0), json!(["http", "127.0.0.1", port, null, ["/mcp"], true, server.process_id()]));
    let socket = std::fs::canonicalize(&socket).unwrap();
    assert_eq!(row(1), json!(["unix", null, null, socket, ["/mcp"], true, server.process_id()]));
    let mut agent = StdioClient::start(&dir, ClientRevision::Legacy);
    eventually("it is shown", || {
        agent.call("ping", json!({}));
        status(&dir).len() == 3
    });
    assert!(status(&dir).iter().any(|row| row["transport"] == "stdio" && row["process"] == agent.process_id()));
    assert!(agent.finish().0.success());
    assert_eq!(status(&dir).len(), 2);
}

#[test]
fn status_shows_memory_of_a_server() {
    let dir = TestDir::new();
    let config = "[server]\nmemory = 48\nworker_memory = 96\n";
    let server = HttpServer::start_with(&dir, config, &[]);
    let memory = || status(&dir)[0]["memory"].take();
    let bytes = |memory: &Value, path: &str| memory.pointer(path).and_then(Value::as_u64).expect("a figure");
    let idle = memory();
    // Two thirds of what is configured count.
    assert_eq!((bytes(&idle, "/limit"), bytes(&idle, "/workers/limit")), (32 << 20, 96 << 20), "{idle}");
    let arguments = json!({"code": "alc.progress(1, 2) while true do end", "ctx": {"text": "x".repeat(4 << 20)}});
    let params = json!({"name": "alc_run", "arguments": arguments, "_meta": {"progressToken": 1}});
    let (headers, message) = modern_request(1, "tools/call", params);
    let mut calling = server.connect();
    calling.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    calling.read_head();
    assert!(calling.read_event().is_some());
    eventually("the call counts", || bytes(&memory(), "/used") >= bytes(&idle, "/used") + (4 << 20));
    let busy = memory();
    assert!(bytes(&busy, "/peak") >= bytes(&busy, "/used") && bytes(&busy, "/workers/used") > 0, "{busy}");
    let app = dir.app_path().display().to_string();
    let text = run_wardroom(dir.root(), &["--appdir", &app, "status"]).expect_success();
    let line = text.lines().nth(1).expect("the line of the memory").trim_start();
    assert!(line.starts_with("memory ") && line.contains(" of 32 MiB, ") && line.ends_with(" of 96 MiB"), "{text}");
    // The peak stays when the call is gone.
    calling.close();
    eventually("the memory is free", || bytes(&memory(), "/used") < bytes(&idle, "/used") + (4 << 20));
    assert!(bytes(&memory(), "/peak") >= bytes(&busy, "/used"));
}

#[test]
fn status_lists_killed_server_until_next_start() {
    let dir = TestDir::new();
    let mut killed = HttpServer::start(&dir);
    killed.kill();
    let listed = status(&dir);
    assert_eq!((listed.len(), &listed[0]["running"]), (1, &json!(false)));
    let app = dir.app_path().display().to_string();
    let text = run_wardroom(dir.root(), &["--appdir", &app, "status"]).expect_success();
    let words: Vec<_> = text.split_whitespace().collect();
    assert_eq!(words[1..], ["http", "not", "running", &format!("http://{}", killed.address), "/mcp"]);
    let _next = HttpServer::start(&dir);
    let listed = status(&dir);
    assert_eq!((listed.len(), &listed[0]["running"]), (1, &json!(true)));
}

#[test]
fn unix_socket_is_private_and_replaced_when_stale() {
    let dir = TestDir::new();
    let path = dir.root().join("socket");
    let text = path.display().to_string();
    let mut server = HttpServer::spawn(serve_command(&dir, "", &["--unix", &text]));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(HttpConnection::connect_unix(&path).call("server/discover", json!({})).status, 200);
    let forged = [("host", "evil.example".to_owned())];
    assert_eq!(HttpConnection::connect_unix(&path).exchange("GET", "/healthz", &forged, None).status, 403);
    let second = run_command(&mut serve_command(&dir, "", &["--unix", &text]));
    assert_eq!(second.status, 1);
    assert!(second.stderr.contains("it exists already"), "{}", second.stderr);
    server.kill();
    let server = HttpServer::spawn(serve_command(&dir, "", &["--unix", &text]));
    assert_eq!(HttpConnection::connect_unix(&path).call("server/discover", json!({})).status, 200);
    drop(server);
    let file = dir.write_file("kept", "kept");
    let refused = run_command(&mut serve_command(&dir, "", &["--unix", &file.display().to_string()]));
    assert_eq!((refused.status, std::fs::read_to_string(&file).unwrap().as_str()), (1, "kept"));
}

#[test]
fn health_says_that_the_app_dir_was_removed() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let health = || server.connect().exchange("GET", "/healthz", &[], None).status;
    assert_eq!(health(), 200);
    remove_folder_in_use(&dir.app_path());
    assert_eq!(health(), 503);
}

#[test]
fn address_in_use_is_reported() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let second = run_command(&mut serve_command(&dir, "", &["--http", &server.address.to_string()]));
    assert_eq!(second.status, 1);
    assert!(second.stderr.contains("cannot listen at 127.0.0.1:"), "{}", second.stderr);
    for text in ["", "nothing.invalid:1", "127.0.0.1:99999", "99999", "1.2.3"] {
        let refused = run_command(&mut serve_command(&dir, "", &["--http", text]));
        assert_eq!(refused.status, 1, "{refused:?}");
        assert!(refused.stderr.contains(&format!("cannot listen at {text}: ")), "{text}: {}", refused.stderr);
    }
}

#[test]
fn tokens_are_created_listed_and_removed() {
    let dir = TestDir::new();
    let file = dir.root().join("config.toml");
    std::fs::write(&file, "# kept\n[http.endpoints.ops]\npath = \"/ops\"\ntokens = []\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let (app, config) = (dir.app_path().display().to_string(), file.display().to_string());
    let wardroom = |args: &[&str]| run_wardroom(dir.root(), &[&["--appdir", &app, "--config", &config], args].concat());
    let made = wardroom(&["token", "new", "main", "--group", "staff", "--group", "ops"]);
    assert!(made.stderr.contains("not shown again"), "{}", made.stderr);
    let token = made.expect_success().trim_end().to_owned();
    assert!(token.starts_with("wardroom_") && token.len() > 64, "{token}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("# kept\n") && !text.contains(&token) && text.contains("groups = [\"staff\", \"ops\"]"),
        "{text}"
    );
    // The file keeps its mode. A new file is readable only for its owner.
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let listed: Value = serde_json::from_str(&wardroom(&["token", "list", "--json"]).expect_success()).unwrap();
    assert_eq!(listed, json!([{"name": "main", "groups": ["staff", "ops"], "endpoints": ["/mcp"]}]));
    let server = HttpServer::start_with(&dir, &text, &[]);
    let status_for = |authorization: String| {
        let headers = [("authorization", authorization)];
        server.connect().call_at("/mcp", &headers, "server/discover", json!({})).status
    };
    assert_eq!((status_for(format!("Bearer {token}")), status_for(format!("Bearer {token}0"))), (200, 401));
    let again = wardroom(&["token", "new", "main"]);
    assert!(again.status == 1 && again.stderr.contains("token new main --replace"), "{again:?}");
    assert_eq!(wardroom(&["token", "new", "a b"]).status, 1);
    assert_eq!(wardroom(&["token", "remove", "main"]).expect_success(), "removed main\n");
    assert_eq!(wardroom(&["token", "remove", "main"]).status, 1);
    assert!(!std::fs::read_to_string(&file).unwrap().contains("sha256"));
}
