//! Tokens that are added and removed while a server runs, and the count of those that it refuses.

use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::{Value, json};

use super::owners::config;
use wardroom_test_support::{HttpServer, TEST_TIMEOUT, TestDir, modern_request, run_wardroom, serve_command};

/// The status of a request with a token.
fn status_with(server: &HttpServer, token: &str) -> u16 {
    let headers = [("authorization", format!("Bearer {token}"))];
    server.connect().call_at("/mcp", &headers, "server/discover", json!({})).status
}

/// Waits until a condition holds.
#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits for a line of the log with this text.
#[track_caller]
fn wait_for_line(server: &HttpServer, text: &str) -> String {
    loop {
        let line = server.wait_for_log_line("");
        if line.contains(text) {
            return line;
        }
    }
}

/// Runs a command on the AppDir and the configuration of the server.
fn command(dir: &TestDir, args: &[&str]) -> String {
    let (app, file) = (dir.app_path().display().to_string(), dir.root().join("http.toml").display().to_string());
    run_wardroom(dir.root(), &[&["--appdir", &app, "--config", &file], args].concat()).expect_success()
}

/// Writes the configuration in place, as an editor does.
fn write_config(dir: &TestDir, text: &str) {
    fs::write(dir.root().join("http.toml"), text).unwrap();
}

#[test]
fn added_token_works_without_restart_and_removed_one_is_refused() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&[("first", "first-token")], ""), &[]);
    assert_eq!(status_with(&server, "first-token"), 200);
    let added = command(&dir, &["token", "new", "second"]);
    wait_until("the new token opens nothing", || status_with(&server, added.trim()) == 200);
    assert_eq!(status_with(&server, "first-token"), 200);
    command(&dir, &["token", "remove", "first"]);
    wait_until("the removed token opens the endpoint", || status_with(&server, "first-token") == 401);
    assert_eq!(status_with(&server, added.trim()), 200);
    // A file that is written in place is the same file.
    write_config(&dir, &config(&[("third", "third-token")], ""));
    wait_until("the third token opens nothing", || status_with(&server, "third-token") == 200);
    assert_eq!(status_with(&server, added.trim()), 401);
}

#[test]
fn sessions_and_subscriptions_of_removed_token_end() {
    let dir = TestDir::new();
    let both = [("gone", "gone-token"), ("stays", "stays-token")];
    let server = HttpServer::start_with(&dir, &config(&both, ""), &[]);
    let mut connection = server.connect().with_token("gone-token");
    let session = connection.initialize("/mcp", json!({}));
    let mut other = server.connect().with_token("stays-token");
    let other_session = other.initialize("/mcp", json!({}));
    let (headers, message) =
        modern_request(1, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let open = |token: &str| {
        let mut stream = server.connect().with_token(token);
        stream.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
        assert_eq!(stream.read_head().status, 200);
        assert!(stream.read_event().is_some());
        stream
    };
    let (mut ends, _stays) = (open("gone-token"), open("stays-token"));
    command(&dir, &["token", "remove", "gone"]);
    assert_eq!(ends.read_event(), None, "the subscription goes on");
    assert_eq!(connection.call_in_session(&session, 1, "ping", json!({})).status, 401);
    assert_eq!(other.call_in_session(&other_session, 1, "ping", json!({})).status, 200);
    // The same name and secret again is another bearer, whose session is not the one of before.
    write_config(&dir, &config(&both, ""));
    wait_until("the token opens nothing", || status_with(&server, "gone-token") == 200);
    assert_eq!(connection.call_in_session(&session, 2, "ping", json!({})).status, 404);
    assert_eq!(other.call_in_session(&other_session, 2, "ping", json!({})).status, 200);
}

#[test]
fn running_call_of_removed_token_ends() {
    let dir = TestDir::new();
    super::declare(&dir, "slow", "", "", "while true do end");
    let server = HttpServer::start_with(&dir, &config(&[("gone", "gone-token"), ("stays", "stays-token")], ""), &[]);
    let (headers, message) = modern_request(1, "tools/call", json!({"name": "slow", "arguments": {}}));
    let mut connection = server.connect().with_token("gone-token");
    connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    command(&dir, &["token", "remove", "gone"]);
    let reply = connection.read_reply();
    assert_eq!(reply.status, 401, "{reply:?}");
}

#[test]
fn broken_file_keeps_tokens_and_takes_up_none() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&[("old", "old-token")], ""), &[]);
    let file = dir.root().join("http.toml");
    let stays = |reason: &str| {
        let line = wait_for_line(&server, "the tokens of this server stay as they are");
        assert!(line.contains(reason), "{line}");
        assert_eq!(status_with(&server, "old-token"), 200);
        assert_eq!(status_with(&server, "new-token"), 401);
    };
    let new = config(&[("new", "new-token")], "");
    write_config(&dir, &format!("{new}surplus = 1\n"));
    stays("unknown field `surplus`");
    fs::remove_file(&file).unwrap();
    stays("any more");
    fs::create_dir(&file).unwrap();
    stays("cannot read");
    fs::remove_dir(&file).unwrap();
    write_config(&dir, &new);
    wait_until("the new token opens nothing", || status_with(&server, "new-token") == 200);
    assert_eq!(status_with(&server, "old-token"), 401);
}

#[test]
fn endpoint_whose_tokens_are_gone_stays_closed() {
    let dir = TestDir::new();
    let open = "[http.endpoints.open]\npath = \"/open\"\ntokens = []\n";
    let mut serving = serve_command(&dir, &config(&[("only", "only-token")], open), &["--http", "127.0.0.1:0"]);
    serving.env("RUST_LOG", "info");
    let server = HttpServer::spawn(serving);
    let open_status = || server.connect().call_at("/open", &[], "server/discover", json!({})).status;
    let is_closed = |known: &str| {
        assert_eq!(server.call("server/discover", json!({})).status, 401);
        assert_eq!(status_with(&server, known), 401);
        assert_eq!(open_status(), 200);
    };
    write_config(&dir, open);
    wait_for_line(&server, "has no token any more: endpoints that required one refuse every request");
    is_closed("only-token");
    // Nor does it open where the file says so.
    let opened = "[http.endpoints.main]\npath = \"/mcp\"\ntokens = []\n";
    write_config(&dir, &config(&[("other", "other-token")], opened));
    wait_for_line(&server, "the configuration has 1 tokens now");
    is_closed("other-token");
    write_config(&dir, &config(&[("other", "other-token")], open));
    wait_until("the other token opens nothing", || status_with(&server, "other-token") == 200);
    assert_eq!(server.call("server/discover", json!({})).status, 401);
}

#[test]
fn open_endpoint_requires_first_token_at_once() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "", &[]);
    assert_eq!(server.call("server/discover", json!({})).status, 200);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let token = command(&dir, &["token", "new", "first"]);
    wait_until("the endpoint stays open", || server.call("server/discover", json!({})).status == 401);
    assert_eq!(status_with(&server, token.trim()), 200);
    assert_eq!(connection.call_in_session(&session, 1, "ping", json!({})).status, 401);
}

#[test]
fn flood_of_refused_tokens_is_counted_in_few_lines() {
    const REQUESTS: usize = 300;
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&[("only", "only-token")], ""), &[]);
    let mut connection = server.connect().with_token("secret-guess");
    for _ in 0..REQUESTS {
        assert_eq!(connection.call("server/discover", json!({})).status, 401);
    }
    // A request without a token is none with a refused one.
    assert_eq!(server.call("server/discover", json!({})).status, 401);
    let count = || {
        let rows: Value = serde_json::from_str(&command(&dir, &["status", "--json"])).unwrap();
        rows[0]["refused_tokens"].clone()
    };
    wait_until("the count is not shown", || count() == REQUESTS);
    let shown = command(&dir, &["status"]);
    assert!(shown.contains("refused 300 requests with a token that opens no endpoint"), "{shown}");
    // The lines name all of them.
    let (mut lines, mut counted) = (0, 0);
    while counted < REQUESTS {
        let line = wait_for_line(&server, "a token that opens no endpoint");
        assert!(!line.contains("secret-guess"), "{line}");
        let requests = line.split("requests=").nth(1).unwrap_or_else(|| panic!("{line}"));
        counted += requests.split(' ').next().unwrap().parse::<usize>().unwrap();
        lines += 1;
    }
    assert_eq!(counted, REQUESTS);
    assert!(lines <= 3, "{lines}");
}
