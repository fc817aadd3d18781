//! What a client can do to a server by the way it reads and writes, and that it does no harm.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::{Value, json};
use wardroom_mcp::limits::{MAX_CONCURRENT_LARGE_RESPONSES, MAX_MESSAGE_VALUES, MAX_UNSENT_BYTES};
use wardroom_net::limits::MAX_DOCUMENT_BYTES;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

/// Reads that log an error each: more than fit into a pipe and the lines that may wait.
const FAILURES: usize = 6_500;

fn server_with_log(dir: &TestDir, log: Stdio) -> StdioClient {
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_with_log(command, ClientRevision::Legacy, log);
    client.start_reading();
    client.initialize();
    client
}

fn every_failure_is_answered(mut client: StdioClient) {
    for _ in 0..FAILURES {
        client.send_request("resources/read", json!({"uri": "alc://cards/broken_card"}));
    }
    for _ in 0..FAILURES {
        assert_eq!(client.receive()["error"]["code"], -32603);
    }
    let (status, rest, _) = client.finish();
    assert!(status.success());
    assert_eq!(rest, Vec::<Value>::new());
}

fn dir_with_broken_card() -> TestDir {
    let dir = TestDir::new();
    dir.write_file("cards/broken/broken_card.toml", "this is no TOML");
    dir
}

#[test]
fn a_log_that_nobody_reads_holds_nothing_up() {
    let dir = dir_with_broken_card();
    let (_reading, writing) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    every_failure_is_answered(server_with_log(&dir, writing.into()));
}

#[test]
fn a_log_whose_reader_is_gone_holds_nothing_up() {
    let dir = dir_with_broken_card();
    let (reading, writing) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    drop(reading);
    every_failure_is_answered(server_with_log(&dir, writing.into()));
}

#[test]
fn a_log_on_a_full_device_holds_nothing_up() {
    let dir = dir_with_broken_card();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    every_failure_is_answered(server_with_log(&dir, full.into()));
}

#[test]
fn a_message_of_countless_values_is_refused_before_it_is_decoded() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for value in ["0,", "[],", "{\"\":0},"] {
        let values = value.repeat(MAX_MESSAGE_VALUES);
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{{\"v\":[{values}0]}}}}");
        let answer = client.exchange(line);
        let message = format!("the message holds more than {MAX_MESSAGE_VALUES} values");
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32600, "message": message}}));
    }
    // Text is no value, whatever it holds.
    let source = format!("-- {}", ",[{".repeat(MAX_MESSAGE_VALUES));
    let called = client.call("tools/call", json!({"name": "extract_package_meta", "arguments": {"source": source}}));
    assert_eq!(called["result"]["structuredContent"]["meta"], json!({}));
}

#[test]
fn a_client_that_only_writes_is_not_read_for_ever() {
    let dir = TestDir::new();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    let mut input = client.take_input();
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    thread::spawn(move || {
        let lines = "x\n".repeat(10_000);
        while input.write_all(lines.as_bytes()).is_ok() {
            count.fetch_add(lines.len(), Ordering::Relaxed);
        }
    });
    // The server stops reading, so the writer stops: what it wrote does not grow any more.
    let mut before = 0;
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = written.load(Ordering::Relaxed);
        if now == before && now > 0 {
            break;
        }
        before = now;
    }
    assert!(client.resident_bytes() < 8 * MAX_UNSENT_BYTES, "{} bytes are resident", client.resident_bytes());
}

#[test]
fn large_answers_are_made_a_few_at_a_time() {
    const ASKED: usize = 24;
    let dir = TestDir::new();
    let len = usize::try_from(MAX_DOCUMENT_BYTES).unwrap();
    // Each of these bytes is six characters in JSON.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(len));
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    for _ in 0..ASKED {
        client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    }
    client.wait_for_output();
    let mut output = client.take_output();
    let (mut chunk, mut answers, mut bytes) = (vec![0; 64 * 1024], 0, 0);
    while answers < ASKED {
        let read = output.read(&mut chunk).unwrap();
        answers += chunk[..read].iter().filter(|byte| **byte == b'\n').count();
        bytes += read;
    }
    assert!(bytes > ASKED * 6 * len);
    // The text and the answer of those that have their turn, in a buffer that grows by doubling, beside what was unsent.
    let most = 2 * (MAX_CONCURRENT_LARGE_RESPONSES * 7 * len + MAX_UNSENT_BYTES);
    assert!(client.peak_resident_bytes() < most, "{} bytes were resident", client.peak_resident_bytes());
}

/// A call that was cancelled goes on until it notices, and has its turn for as long.
#[test]
fn cancelled_large_reads_take_turns_too() {
    let dir = TestDir::new();
    let round = format!("{{\"prompt\":\"{}\"}},", "p".repeat(1000));
    let len = round.len() * 20_000;
    dir.write_file("logs/l.json", format!("{{\"transcript\":[{}0]}}", round.repeat(20_000)));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    for _ in 0..24 {
        let id = client.send_request("resources/read", json!({"uri": "alc://logs/l"}));
        thread::sleep(Duration::from_millis(5));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    client.read_resource("alc://logs/l").unwrap();
    let most = (MAX_CONCURRENT_LARGE_RESPONSES + 1) * 3 * len;
    assert!(client.peak_resident_bytes() < most, "{} bytes were resident", client.peak_resident_bytes());
}

#[test]
fn a_large_read_that_waits_for_its_turn_can_be_taken_back() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(usize::try_from(MAX_DOCUMENT_BYTES).unwrap()));
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
    // All of these are started at once, and most of them wait.
    let mut asked: Vec<u64> = (0..MAX_CONCURRENT_LARGE_RESPONSES + 8)
        .map(|_| client.send_request("resources/read", json!({"uri": "alc://scenarios/large"})))
        .collect();
    client.wait_for_output();
    // Some of them may have been answered by now.
    let taken_back = asked.split_off(MAX_CONCURRENT_LARGE_RESPONSES + 2);
    for id in &taken_back {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    client.start_reading();
    while !asked.is_empty() {
        let answered = client.receive()["id"].as_u64().unwrap();
        assert!(asked.contains(&answered) || taken_back.contains(&answered));
        asked.retain(|id| *id != answered);
    }
    // Their turns are free again.
    let last = client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    while client.receive()["id"] != last {}
}

#[test]
fn an_error_repeats_little_of_what_was_sent_and_on_one_line() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let long = format!("a\n\u{1b}[2J{}", "é".repeat(100_000));
    let cut = format!("a\\n\\u{{1b}}[2J{}...", "é".repeat(94));
    let template = "alc://cards/{card_id}";
    let complete =
        |reference: Value, variable: &str| json!({"ref": reference, "argument": {"name": variable, "value": ""}});
    let rows = [
        ("tools/call", json!({"name": long}), format!("Unknown tool: {cut}")),
        (
            "completion/complete",
            complete(json!({"type": "ref/prompt", "name": long}), "x"),
            format!("Unknown prompt: {cut}"),
        ),
        (
            "completion/complete",
            complete(json!({"type": "ref/resource", "uri": long}), "x"),
            format!("unknown resource template: {cut}"),
        ),
        (
            "completion/complete",
            complete(json!({"type": "ref/resource", "uri": template}), &long),
            format!("{template} has no variable '{cut}'"),
        ),
        (&long, json!({}), format!("Unknown method: {cut}")),
    ];
    for (method, params, message) in rows {
        assert_eq!(client.call(method, params)["error"]["message"], message);
    }
    for arguments in [json!({&long: 1}), json!({"uri": [&long]}), json!({"cursor": long})] {
        for tool in ["list_resources", "read_resource", "extract_package_meta"] {
            let answer = client.call("tools/call", json!({"name": tool, "arguments": arguments})).to_string();
            assert!(answer.len() < 2048 && !answer.contains("\\u001b"), "{answer}");
        }
    }
}
