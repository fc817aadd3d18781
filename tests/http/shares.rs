//! Shares: what one token takes of the server leaves some for the others.

use std::fs::{self, File};
use std::net::TcpStream;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::owners::{call, config};
use wardroom_alc::limits::{MAX_PENDING_RUN_BYTES, MAX_PENDING_RUN_BYTES_PER_OWNER};
use wardroom_mcp::http::limits::MAX_RUNNING_REQUESTS_PER_CALLER;
use wardroom_mcp::limits::{MAX_QUEUED_REQUEST_BYTES, MAX_WATCHED_RESOURCES, MAX_WATCHED_RESOURCES_PER_CALLER};
use wardroom_test_support::{
    ClientRevision, HttpConnection, HttpServer, StdioClient, TestDir, modern_request, tool_result,
};

const TWO: [(&str, &str); 2] = [("alice", "alice-token"), ("bob", "bob-token")];
const MIB: usize = 1024 * 1024;

/// Sends a request with a token; its answer is not read yet.
fn begin(server: &HttpServer, token: &str, method: &str, params: Value) -> HttpConnection<TcpStream> {
    let (mut headers, message) = modern_request(1, method, params);
    headers.push(("authorization", format!("Bearer {token}")));
    let mut connection = server.connect();
    let request = connection.request_bytes("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    // The server may refuse the message before it is fully sent.
    drop(connection.try_send_raw(request));
    connection
}

/// The call of a run that has a large context, and computes without end once it has reported.
fn endless_call(bytes: usize) -> Value {
    json!({
        "name": "alc_run",
        "arguments": {"code": "alc.progress(1, 2) while true do end", "ctx": {"text": "x".repeat(bytes)}},
        "_meta": {"progressToken": 1},
    })
}

#[test]
fn memory_of_one_token_leaves_some_to_others() {
    let dir = TestDir::new();
    // 32 MiB count in all, and 24 MiB for one caller.
    let server = HttpServer::start_with(&dir, &config(&TWO, "[server]\nmemory = 48\n"), &[]);
    let own = "this caller would hold";
    let mut running = Vec::new();
    let refusal = loop {
        let mut connection = begin(&server, "alice-token", "tools/call", endless_call(2 * MIB));
        let status = connection.read_head();
        if status.status != 200 || status.header("content-type") != Some("text/event-stream") {
            break connection.read_to_end().map(|rest| String::from_utf8(rest).unwrap()).unwrap_or_default();
        }
        let event = connection.read_event().unwrap();
        if event["method"] != "notifications/progress" {
            break event.to_string();
        }
        running.push(connection);
        assert!(running.len() < 12, "no call is refused");
    };
    assert!(refusal.contains(own), "{refusal}");
    assert!(!running.is_empty());
    // The rest is for others: a call that has no place in this share has one in another.
    let mut connection = begin(&server, "bob-token", "tools/call", endless_call(2 * MIB));
    assert_eq!(connection.read_head().status, 200);
    let event = connection.read_event().unwrap();
    assert_eq!(event["method"], "notifications/progress", "{event}");
}

#[test]
fn slow_bodies_of_one_token_leave_room_for_others() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer alice-token\r\n\
                content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    // Together they have more than all clients may send at once.
    let length = 8 * MIB;
    let mut slow: Vec<_> = (0..=MAX_QUEUED_REQUEST_BYTES / length).map(|_| server.connect()).collect();
    for connection in &mut slow {
        connection.send_raw(format!("{head}content-length: {length}\r\n\r\n"));
        // The server may refuse the body before it is fully sent.
        drop(connection.try_send_raw(vec![b' '; length - 4096]));
    }
    for _ in 0..3 {
        let params = json!({"name": "alc_status", "arguments": {}, "padding": " ".repeat(MIB)});
        let reply = begin(&server, "bob-token", "tools/call", params).read_reply();
        assert_eq!(reply.status, 200, "{reply:?}");
        slow.iter_mut().for_each(|connection| drop(connection.try_send_raw(" ")));
    }
    // The caller itself is told why.
    let refused = slow.iter_mut().map(HttpConnection::read_reply).find(|reply| reply.status == 503);
    let reply = refused.expect("one of the bodies is refused").json();
    assert!(reply["error"]["message"].as_str().unwrap().starts_with("this caller would hold"), "{reply}");
}

#[test]
fn waiting_messages_of_one_token_leave_memory_to_others() {
    let dir = TestDir::new();
    super::declare(&dir, "slow", "time", ", mcp.timeout: 200", "time.sleep('100s')");
    super::declare(&dir, "quick", "", "", "return 'quick'");
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let slow: Vec<_> = (0..MAX_RUNNING_REQUESTS_PER_CALLER)
        .map(|_| begin(&server, "alice-token", "tools/call", call("slow")))
        .collect();
    // Each has 30 KB, and takes 6 MiB when it is decoded.
    let mut heavy = call("slow");
    heavy["padding"] = json!(vec![json!({}); 10_000]);
    let waiting: Vec<_> = (0..60).map(|_| begin(&server, "alice-token", "tools/call", heavy.clone())).collect();
    for _ in 0..5 {
        let reply = begin(&server, "bob-token", "tools/call", call("quick")).read_reply().json();
        assert_eq!(reply["result"]["content"][0]["text"], "quick", "{reply}");
    }
    drop((slow, waiting));
}

#[test]
fn subscriptions_of_one_token_leave_some_to_others() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    // Opens a stream for so many resources, and returns it.
    let next = std::cell::Cell::new(0);
    let listen = |token: &str, count: usize| {
        let first = next.replace(next.get() + count);
        let uris: Vec<String> = (first..first + count).map(|n| format!("alc://scenarios/s{n}")).collect();
        let filter = json!({"notifications": {"resourceSubscriptions": uris}});
        let mut connection = begin(&server, token, "subscriptions/listen", filter);
        assert_eq!(connection.read_head().status, 200);
        assert_eq!(connection.read_event().unwrap()["method"], "notifications/subscriptions/acknowledged");
        connection
    };
    let expect_refusal = |token: &str| {
        let message = listen(token, 1).read_event().unwrap();
        assert_eq!(message["error"]["code"], -31000, "{message}");
    };
    // In several streams, since what counts is the token.
    let rest = MAX_WATCHED_RESOURCES - MAX_WATCHED_RESOURCES_PER_CALLER;
    let mut open = vec![listen("alice-token", rest), listen("alice-token", MAX_WATCHED_RESOURCES_PER_CALLER - rest)];
    expect_refusal("alice-token");
    open.push(listen("bob-token", rest));
    // All have what there is.
    expect_refusal("bob-token");
}

/// The files have no blocks on the disk.
fn write_journal(dir: &TestDir, number: usize, owner: Option<&str>, bytes: u64) {
    let tag = owner.map(|name| {
        let digest = Sha256::digest(name);
        format!("-{}", digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>())
    });
    let runs = dir.app_path().join("runs");
    fs::create_dir_all(&runs).unwrap();
    let journal = File::create(runs.join(format!("s-1-{number:032x}{}.jsonl", tag.unwrap_or_default()))).unwrap();
    journal.set_len(bytes).unwrap();
}

const WAITS: &str = "return alc.llm('a question')";

#[test]
fn journal_bytes_of_one_token_leave_some_to_others() {
    let dir = TestDir::new();
    write_journal(&dir, 1, Some("alice"), MAX_PENDING_RUN_BYTES_PER_OWNER);
    let server = HttpServer::start_with(&dir, &config(&TWO, ""), &[]);
    let (error, failed) = call(&server, "alice-token", "alc_run", &json!({"code": WAITS}));
    assert!(failed && error["error"]["code"] == "TOO_MANY_RUNS", "{error}");
    let message = "the runs of this caller that wait for answers have 3 GiB, the limit is 3 GiB";
    assert!(error["error"]["message"].as_str().unwrap().starts_with(message), "{error}");
    let (waits, failed) = call(&server, "bob-token", "alc_run", &json!({"code": WAITS}));
    assert!(!failed && waits["status"] == "needs_response", "{waits}");
}

#[test]
fn journal_bytes_of_all_have_a_limit_that_removes_none() {
    let dir = TestDir::new();
    write_journal(&dir, 1, None, MAX_PENDING_RUN_BYTES / 2);
    write_journal(&dir, 2, Some("alice"), MAX_PENDING_RUN_BYTES / 2);
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let mut run =
        |code: &str| tool_result(&client.call("tools/call", json!({"name": "alc_run", "arguments": {"code": code}})));
    let (error, failed) = run(WAITS);
    assert!(failed && error["error"]["code"] == "TOO_MANY_RUNS", "{error}");
    let message = "the runs of this AppDir that wait for answers have 4 GiB, the limit is 4 GiB";
    assert!(error["error"]["message"].as_str().unwrap().starts_with(message), "{error}");
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 2);
    // A run that does not wait needs no journal.
    assert_eq!(run("return 1").0["result"], 1);
    // One byte below the limit.
    write_journal(&dir, 2, Some("alice"), MAX_PENDING_RUN_BYTES / 2 - 1);
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let params = json!({"name": "alc_run", "arguments": {"code": WAITS}});
    assert_eq!(tool_result(&client.call("tools/call", params)).0["status"], "needs_response");
}
