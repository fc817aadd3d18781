//! Bounds, cancellation and slow readers: each request is answered once or was cancelled.
//!
//! For waiting requests, a test makes the server exceed its unsent bytes before the client reads. For running requests,
//! it sends sources that take the guest a while.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_mcp::limits::{
    MAX_QUEUED_REQUEST_BYTES, MAX_QUEUED_REQUESTS, MAX_STDIO_LISTEN_STREAMS, MAX_STDIO_RUNNING_REQUESTS,
    MAX_UNSENT_BYTES,
};
use wardroom_service::limits::MAX_MESSAGE_BYTES;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually};

/// Long enough for an answer that must not come.
const A_WHILE: Duration = Duration::from_millis(200);

/// Returns an AppDir with a scenario whose answer exceeds the limit of unsent bytes.
fn dir_with_long_answer() -> TestDir {
    let dir = TestDir::new();
    // Each of these bytes is six characters in JSON.
    dir.write_file("scenarios/long.lua", "\u{1}".repeat(MAX_UNSENT_BYTES / 6 + 1024 * 1024));
    dir
}

/// Returns a client that has requested the long answer and not read it, so that no further request is started, and the
/// id of that request.
fn stalled_client(dir: &TestDir) -> (StdioClient, u64) {
    let mut client = StdioClient::start_unread(dir, ClientRevision::Modern);
    let id = client.send_request("resources/read", json!({"uri": "alc://scenarios/long"}));
    client.wait_for_output();
    (client, id)
}

/// Sends a request that takes the guest some milliseconds.
fn send_slow_request(client: &mut StdioClient) -> u64 {
    let source = format!("local M = {{}} M.meta = {{{}}} return M", "{},".repeat(20_000));
    client.send_request("tools/call", json!({"name": "extract_package_meta", "arguments": {"source": source}}))
}

fn send_quick_request(client: &mut StdioClient) -> u64 {
    client.send_request("resources/read", json!({"uri": "alc://scenarios/none"}))
}

fn cancel(client: &mut StdioClient, id: u64) {
    let params = json!({"requestId": id});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
}

fn receive_ids(client: &mut StdioClient, count: usize) -> BTreeSet<u64> {
    let ids: BTreeSet<u64> = (0..count).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), count, "an answer came twice");
    ids
}

#[test]
fn slow_requests_beyond_limit_are_all_answered() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let sent: BTreeSet<u64> = (0..MAX_STDIO_RUNNING_REQUESTS + 16).map(|_| send_slow_request(&mut client)).collect();
    assert_eq!(receive_ids(&mut client, sent.len()), sent);
}

#[test]
fn quick_request_does_not_wait_for_running_slow_ones() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let slow: BTreeSet<u64> = (0..MAX_STDIO_RUNNING_REQUESTS / 2).map(|_| send_slow_request(&mut client)).collect();
    let quick = client.send_request("tools/list", json!({}));
    let answered: Vec<u64> = (0..=slow.len()).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    assert_ne!(answered.last(), Some(&quick), "{answered:?}");
}

#[test]
fn request_cancelled_at_running_limit_is_not_answered() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let mut sent: BTreeSet<u64> =
        (0..MAX_STDIO_RUNNING_REQUESTS + 16).map(|_| send_slow_request(&mut client)).collect();
    let cancelled = send_quick_request(&mut client);
    cancel(&mut client, cancelled);
    sent.insert(send_quick_request(&mut client));
    assert_eq!(receive_ids(&mut client, sent.len()), sent);
    assert!(client.is_silent_for(A_WHILE));
}

#[test]
fn cancelled_running_requests_free_their_permits() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let slow: Vec<u64> = (0..MAX_STDIO_RUNNING_REQUESTS + 16).map(|_| send_slow_request(&mut client)).collect();
    for id in &slow {
        cancel(&mut client, *id);
    }
    let quick = send_quick_request(&mut client);
    // Requests that ended before they were cancelled are answered first.
    let mut n_done = 0;
    while client.receive()["id"].as_u64() != Some(quick) {
        n_done += 1;
    }
    assert!(n_done < slow.len());
    assert!(client.is_silent_for(A_WHILE));
}

#[test]
fn cancelled_waiting_request_frees_its_id() {
    let dir = dir_with_long_answer();
    let (mut client, long) = stalled_client(&dir);
    let first = send_quick_request(&mut client);
    let cancelled = send_quick_request(&mut client);
    let last = send_quick_request(&mut client);
    cancel(&mut client, cancelled);
    client.start_reading();
    assert_eq!(receive_ids(&mut client, 3), BTreeSet::from([long, first, last]));
    assert!(client.is_silent_for(A_WHILE));
    let params = client.with_meta(json!({"uri": "alc://scenarios/none"}));
    let again = json!({"jsonrpc": "2.0", "id": cancelled, "method": "resources/read", "params": params});
    assert_eq!(client.exchange(again.to_string())["id"], cancelled);
}

#[test]
fn requests_beyond_queue_limit_are_refused_as_busy() {
    let dir = dir_with_long_answer();
    let (mut client, long) = stalled_client(&dir);
    let params = client.with_meta(json!({"uri": "alc://scenarios/none"}));
    let line =
        |id| json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params}).to_string() + "\n";
    const OVER: usize = 5;
    let ids = 100..100 + MAX_QUEUED_REQUESTS + OVER;
    client.send_raw(ids.clone().map(line).collect::<String>());
    // The refusals were sent at once, although the client reads only now.
    client.start_reading();
    let mut busy = BTreeSet::new();
    let mut answered = BTreeSet::from([usize::try_from(long).unwrap()]);
    for _ in 0..ids.len() + 1 {
        let answer = client.receive();
        let id: usize = serde_json::from_value(answer["id"].clone()).unwrap();
        if answer["error"]["code"] == -31000 {
            assert_eq!(answer["error"]["message"], format!("server busy: {MAX_QUEUED_REQUESTS} requests wait already"));
            busy.insert(id);
        } else {
            answered.insert(id);
        }
    }
    let (end, start) = (ids.end, ids.start);
    assert_eq!(busy, (end - OVER..end).collect());
    answered.remove(&usize::try_from(long).unwrap());
    assert_eq!(answered, (start..end - OVER).collect());
    assert!(send_quick_request(&mut client) > 0 && client.receive()["error"]["code"] == -32602);
}

#[test]
fn waiting_requests_are_limited_by_bytes() {
    let dir = dir_with_long_answer();
    let (mut client, long) = stalled_client(&dir);
    const LEN: usize = MAX_MESSAGE_BYTES - 4096;
    let params = client.with_meta(json!({"uri": "alc://scenarios/none"}));
    let line = |id: usize| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params}).to_string();
        line + &" ".repeat(LEN) + "\n"
    };
    let fit = MAX_QUEUED_REQUEST_BYTES / LEN;
    for id in 100..=100 + fit {
        client.send_raw(line(id));
    }
    client.start_reading();
    let answers: Vec<Value> = (0..fit + 2).map(|_| client.receive()).collect();
    let busy: Vec<&Value> = answers.iter().filter(|answer| answer["error"]["code"] == -31000).collect();
    assert_eq!(busy.len(), 1);
    assert_eq!(busy[0]["id"], 100 + fit);
    assert!(answers.iter().any(|answer| answer["id"] == long));
}

#[test]
fn waiting_requests_are_limited_by_decoded_size() {
    const SENT: usize = 40;
    let dir = dir_with_long_answer();
    let (mut client, long) = stalled_client(&dir);
    // Arguments stay text, but metadata does not.
    let values = "{},".repeat(6_000);
    let params = client.with_meta(json!({"name": "none"})).to_string();
    let params = params.replacen("\"_meta\":{", &format!("\"_meta\":{{\"v\":[{values}0],"), 1);
    for id in 100..100 + SENT {
        client.send_raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n"));
    }
    client.start_reading();
    let answers: Vec<Value> = (0..=SENT).map(|_| client.receive()).collect();
    let busy = answers.iter().filter(|answer| answer["error"]["code"] == -31000).count();
    // By the length of their lines alone, hundreds would fit.
    assert!(busy > SENT / 2 && busy < SENT, "{busy}");
    assert!(answers.iter().any(|answer| answer["id"] == long));
}

#[test]
fn late_reader_gets_every_answer() {
    let dir = TestDir::new();
    let text = "x".repeat(1024 * 1024);
    dir.write_file("scenarios/large.lua", &text);
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    let count = 3 * MAX_UNSENT_BYTES / text.len();
    let mut sent: BTreeSet<u64> = BTreeSet::new();
    for _ in 0..count {
        sent.insert(client.send_request("resources/read", json!({"uri": "alc://scenarios/large"})));
    }
    client.wait_for_output();
    client.start_reading();
    for _ in 0..count {
        let answer = client.receive();
        assert!(sent.remove(&answer["id"].as_u64().unwrap()), "{}", answer["id"]);
        assert_eq!(answer["result"]["contents"][0]["text"].as_str().map(str::len), Some(text.len()));
    }
    assert!(send_quick_request(&mut client) > 0 && client.receive()["error"]["code"] == -32602);
}

fn listen(client: &mut StdioClient) -> u64 {
    client.send_request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

#[test]
fn subscription_is_acknowledged_and_can_be_cancelled() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let id = listen(&mut client);
    assert_eq!(
        client.receive(),
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": {"io.modelcontextprotocol/subscriptionId": id},
                "notifications": {"toolsListChanged": true},
            },
        })
    );
    cancel(&mut client, id);
    let quick = send_quick_request(&mut client);
    assert_eq!(client.receive()["id"], quick);
    assert!(client.is_silent_for(A_WHILE));
}

#[test]
fn subscriptions_beyond_limit_are_refused() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let params = client.with_meta(json!({"notifications": {}}));
    let line = |id| json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params}).to_string();
    client.send_raw((100..=100 + MAX_STDIO_LISTEN_STREAMS).map(|id| line(id) + "\n").collect::<String>());
    let messages: Vec<Value> = (0..=MAX_STDIO_LISTEN_STREAMS).map(|_| client.receive()).collect();
    let refused: Vec<&Value> = messages.iter().filter(|message| message.get("error").is_some()).collect();
    let message = format!("server busy: {MAX_STDIO_LISTEN_STREAMS} subscriptions are open already");
    assert_eq!(refused.len(), 1, "{messages:?}");
    assert_eq!(refused[0]["error"], json!({"code": -31000, "message": message}));
    send_quick_request(&mut client);
    assert_eq!(client.receive()["error"]["code"], -32602);
}

#[test]
fn several_clients_share_one_app_dir() {
    let dir = TestDir::new_demo();
    let uris = ["alc://packages/cot/meta", "alc://types/alc.d.lua", "alc://eval/cot_1763715600"];
    let mut clients: Vec<StdioClient> = (0..4).map(|_| StdioClient::start(&dir, ClientRevision::Modern)).collect();
    let expected: Vec<Value> = uris.iter().map(|uri| clients[0].read_resource(uri).unwrap()).collect();
    for _ in 0..20 {
        for client in &mut clients {
            for uri in uris {
                client.send_request("resources/read", json!({"uri": uri}));
            }
        }
        for client in &mut clients {
            let answers = (0..uris.len()).map(|_| client.receive()["result"]["contents"][0].take());
            let mut answers: Vec<Value> = answers.collect();
            answers.sort_by_key(|content| uris.iter().position(|uri| content["uri"] == *uri));
            assert_eq!(answers, expected);
        }
    }
}

/// The answers of the reads do not fit in the pipe, and nothing else arrives.
#[test]
fn call_behind_reads_that_nobody_takes_is_run() {
    let dir = TestDir::new();
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    for _ in 0..100 {
        client.send_request("resources/read", json!({"uri": "wardroom://docs/ace"}));
    }
    let made = json!({"name": "alc_pkg_scaffold", "arguments": {"name": "made"}});
    client.send_request("tools/call", made);
    eventually("the call behind the reads is run", || dir.app_path().join("packages/made/init.lua").exists());
    client.start_reading();
    receive_ids(&mut client, 101);
}

/// Reads that are answered where they are decoded may come for ever.
#[test]
fn call_before_many_reads_is_answered_among_them() {
    const READS: u64 = 5000;
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let line = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let (call, read) = (client.with_meta(json!({})), client.with_meta(json!({"uri": "wardroom://docs/ace"})));
    let reads = (1..=READS).map(|id| line(id, "resources/read", read.clone()));
    client.send_raw(line(0, "tools/list", call) + &reads.collect::<String>());
    let answered: Vec<u64> = (0..=READS).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    let place = answered.iter().position(|id| *id == 0).unwrap();
    assert!(place < 1000, "after {place} reads");
}
