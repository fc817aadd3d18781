//! Shutdown of a stdio server: promptly at the end of its input, after the answers that are due.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wardroom_mcp::limits::SHUTDOWN_TIMEOUT;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

/// What the protocol calls promptly: clients kill a server that takes longer.
const PROMPTLY: Duration = Duration::from_millis(500);

fn listen(client: &mut StdioClient) {
    client.send_request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
}

fn slow_call(client: &mut StdioClient) -> u64 {
    let source = format!("local M = {{}} M.meta = {{{}}} return M", "{},".repeat(20_000));
    client.send_request("tools/call", json!({"name": "extract_package_meta", "arguments": {"source": source}}))
}

fn ids(answers: &[Value]) -> BTreeSet<u64> {
    answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect()
}

#[test]
fn idle_server_ends_with_input() {
    let dir = TestDir::new();
    for revision in ClientRevision::ALL {
        let (status, messages, time) = StdioClient::start(&dir, revision).finish();
        assert_eq!((status.code(), messages), (Some(0), vec![]));
        assert!(time < PROMPTLY, "{time:?}");
    }
}

#[test]
fn open_subscriptions_end_with_input() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    for _ in 0..3 {
        listen(&mut client);
        assert_eq!(client.receive()["method"], "notifications/subscriptions/acknowledged");
    }
    let (status, _, time) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(time < PROMPTLY, "{time:?}");
}

#[test]
fn subscription_in_last_write_does_not_delay_shutdown() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    client.call("tools/list", json!({}));
    listen(&mut client);
    let (status, _, time) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(time < PROMPTLY, "{time:?}");
}

#[test]
fn cancelled_subscription_in_last_write_does_not_delay_shutdown() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    client.call("tools/list", json!({}));
    let params = client.with_meta(json!({"notifications": {}}));
    let listen = json!({"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": params});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    client.send_raw(format!("{listen}\n{cancel}\n{listen}\n"));
    let (status, _, time) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(time < PROMPTLY, "{time:?}");
}

#[test]
fn requests_at_end_of_input_are_answered() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let sent: BTreeSet<u64> = (0..80).map(|_| slow_call(&mut client)).collect();
    let (status, messages, _) = client.finish();
    assert_eq!((status.code(), messages.len(), ids(&messages)), (Some(0), sent.len(), sent));
}

#[test]
fn answer_larger_than_pipe_arrives_after_end_of_input() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(8 * 1024 * 1024));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    let (status, messages, _) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert_eq!(messages[0]["result"]["contents"][0]["text"].as_str().map(str::len), Some(8 * 1024 * 1024));
}

/// Slower than the time that cancelled work has to stop.
#[test]
fn slow_reader_gets_every_answer_at_shutdown() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(1024 * 1024));
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    let sent: BTreeSet<u64> =
        (0..8).map(|_| client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}))).collect();
    client.wait_for_output();
    client.close_input();
    std::thread::sleep(SHUTDOWN_TIMEOUT * 3);
    client.start_reading();
    let (status, messages, _) = client.finish();
    assert_eq!((status.code(), ids(&messages)), (Some(0), sent));
}

#[test]
fn requests_beyond_grace_are_cancelled() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[server]\ngrace_ms = 0\n").unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(config);
    let mut client = StdioClient::spawn(command, ClientRevision::Modern);
    let sent: BTreeSet<u64> = (0..80).map(|_| slow_call(&mut client)).collect();
    let (status, messages, _) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(messages.len() < sent.len());
    assert!(ids(&messages).is_subset(&sent));
}

#[test]
fn closed_output_ends_server() {
    let dir = TestDir::new();
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    client.send_request("tools/list", json!({}));
    client.wait_for_output();
    client.close_output();
    client.send_request("tools/list", json!({}));
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn unread_answers_do_not_delay_shutdown_for_ever() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(8 * 1024 * 1024));
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[server]\ngrace_ms = 0\n").unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(config);
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    for _ in 0..8 {
        client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    }
    client.wait_for_output();
    let start = Instant::now();
    client.close_input();
    assert_eq!(client.wait().code(), Some(0));
    assert!(start.elapsed() < PROMPTLY * 4, "{:?}", start.elapsed());
}

fn endless_run(client: &mut StdioClient) -> u64 {
    client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": "while true do end"}}))
}

/// Answers become ready at the same time as the client is found to be gone.
#[test]
fn calls_of_client_that_is_gone_are_cancelled() {
    let dir = TestDir::new();
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    endless_run(&mut client);
    for _ in 0..300 {
        client.send_request("tools/list", json!({}));
    }
    client.close_input();
    client.close_output();
    let start = Instant::now();
    assert_eq!(client.wait().code(), Some(0));
    assert!(start.elapsed() < PROMPTLY * 4, "{:?}", start.elapsed());
}

/// The unsent bytes hold up requests that the client sent before it closed its input.
#[test]
fn slow_reader_gets_every_answer_while_a_call_runs() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(1024 * 1024));
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    let run = endless_run(&mut client);
    let sent: BTreeSet<u64> =
        (0..40).map(|_| client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}))).collect();
    client.wait_for_output();
    client.close_input();
    client.start_reading();
    let (status, messages, _) = client.finish();
    let mut answered = ids(&messages);
    answered.remove(&run);
    assert_eq!((status.code(), answered), (Some(0), sent));
}
