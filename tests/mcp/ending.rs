//! How a server ends: promptly at the end of its input, after the answers that it still owes.

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
fn an_idle_server_ends_with_its_input() {
    let dir = TestDir::new();
    for era in ClientRevision::ALL {
        let (status, said, time) = StdioClient::start(&dir, era).finish();
        assert_eq!((status.code(), said), (Some(0), vec![]));
        assert!(time < PROMPTLY, "{time:?}");
    }
}

#[test]
fn open_subscriptions_end_with_the_input() {
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
fn a_subscription_in_the_last_write_does_not_keep_the_server() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    client.call("tools/list", json!({}));
    listen(&mut client);
    let (status, _, time) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(time < PROMPTLY, "{time:?}");
}

#[test]
fn a_subscription_that_is_cancelled_in_the_last_write_does_not_keep_the_server() {
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
fn requests_that_run_or_wait_at_the_end_of_input_are_answered() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let asked: BTreeSet<u64> = (0..80).map(|_| slow_call(&mut client)).collect();
    let (status, said, _) = client.finish();
    assert_eq!((status.code(), said.len(), ids(&said)), (Some(0), asked.len(), asked));
}

#[test]
fn an_answer_that_is_larger_than_any_pipe_arrives_after_the_end_of_input() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(8 * 1024 * 1024));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    let (status, said, _) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert_eq!(said[0]["result"]["contents"][0]["text"].as_str().map(str::len), Some(8 * 1024 * 1024));
}

/// Slower than the time that cancelled work has to notice.
#[test]
fn a_client_that_reads_slowly_at_the_end_gets_every_answer() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "x".repeat(1024 * 1024));
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    let asked: BTreeSet<u64> =
        (0..8).map(|_| client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}))).collect();
    client.wait_for_output();
    client.close_input();
    std::thread::sleep(SHUTDOWN_TIMEOUT * 3);
    client.start_reading();
    let (status, said, _) = client.finish();
    assert_eq!((status.code(), ids(&said)), (Some(0), asked));
}

#[test]
fn what_does_not_end_within_the_grace_is_cancelled() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[server]\ngrace_ms = 0\n").unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(config);
    let mut client = StdioClient::spawn(command, ClientRevision::Modern);
    let asked: BTreeSet<u64> = (0..80).map(|_| slow_call(&mut client)).collect();
    let (status, said, _) = client.finish();
    assert_eq!(status.code(), Some(0));
    assert!(said.len() < asked.len());
    assert!(ids(&said).is_subset(&asked));
}

#[test]
fn a_server_whose_reader_is_gone_ends_though_its_input_is_open() {
    let dir = TestDir::new();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    client.send_request("tools/list", json!({}));
    client.wait_for_output();
    client.close_output();
    client.send_request("tools/list", json!({}));
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_client_that_never_reads_does_not_keep_the_server_for_ever() {
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
