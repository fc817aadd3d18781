//! Hostile ways of reading and writing, none of which harms a server.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::{Value, json};
use wardroom_mcp::limits::{MAX_CONCURRENT_LARGE_RESPONSES, MAX_MESSAGE_VALUES, MAX_UNSENT_BYTES};
use wardroom_service::limits::MAX_DOCUMENT_BYTES;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

/// Reads that log an error each: more than fit into a pipe and into the queue of log lines.
const FAILURES: usize = 6_500;

fn server_with_log(dir: &TestDir, log: Stdio) -> StdioClient {
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_with_log(command, ClientRevision::Legacy, log);
    client.start_reading();
    client.initialize();
    client
}

fn assert_failures_are_answered(mut client: StdioClient) {
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
fn unread_log_does_not_block_server() {
    let dir = dir_with_broken_card();
    let (_reading, writing) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    assert_failures_are_answered(server_with_log(&dir, writing.into()));
}

#[test]
fn closed_log_does_not_block_server() {
    let dir = dir_with_broken_card();
    let (reading, writing) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    drop(reading);
    assert_failures_are_answered(server_with_log(&dir, writing.into()));
}

#[test]
fn full_log_device_does_not_block_server() {
    let dir = dir_with_broken_card();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert_failures_are_answered(server_with_log(&dir, full.into()));
}

#[test]
fn message_with_too_many_values_is_refused() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for value in ["0,", "[],", "{\"\":0},"] {
        let values = value.repeat(MAX_MESSAGE_VALUES);
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{{\"v\":[{values}0]}}}}");
        let answer = client.exchange(line);
        let message = format!("the message holds more than {MAX_MESSAGE_VALUES} values");
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32600, "message": message}}));
    }
    // The content of a text does not count as values.
    let source = format!("-- {}", ",[{".repeat(MAX_MESSAGE_VALUES));
    let called = client.call("tools/call", json!({"name": "extract_package_meta", "arguments": {"source": source}}));
    assert_eq!(called["result"]["structuredContent"]["meta"], json!({}));
}

#[test]
fn client_that_only_writes_is_not_read_for_ever() {
    let dir = TestDir::new();
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    let mut input = client.take_input();
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    thread::spawn(move || {
        let lines = "x\n".repeat(10_000);
        while input.write_all(lines.as_bytes()).is_ok() {
            count.fetch_add(lines.len(), Ordering::Relaxed);
        }
    });
    // The server stops reading, so that the writer blocks and its count stops growing.
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
fn large_answers_are_made_within_limit() {
    const REQUESTS: usize = 24;
    let dir = TestDir::new();
    let len = usize::try_from(MAX_DOCUMENT_BYTES).unwrap();
    // Each of these bytes is six characters in JSON.
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(len));
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    for _ in 0..REQUESTS {
        client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    }
    client.wait_for_output();
    let mut output = client.take_output();
    let (mut chunk, mut answers, mut bytes) = (vec![0; 64 * 1024], 0, 0);
    while answers < REQUESTS {
        let read = output.read(&mut chunk).unwrap();
        answers += chunk[..read].iter().filter(|byte| **byte == b'\n').count();
        bytes += read;
    }
    assert!(bytes > REQUESTS * 6 * len);
    // The texts and answers that hold a permit, in a buffer that grows by doubling, and the unsent bytes.
    let most = 2 * (MAX_CONCURRENT_LARGE_RESPONSES * 7 * len + MAX_UNSENT_BYTES);
    assert!(client.peak_resident_bytes() < most, "{} bytes were resident", client.peak_resident_bytes());
}

/// A cancelled call runs until it notices, and holds its permit until then.
#[test]
fn cancelled_large_reads_hold_permits_until_end() {
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
fn waiting_large_read_can_be_cancelled() {
    let dir = TestDir::new();
    dir.write_file("scenarios/large.lua", "\u{1}".repeat(usize::try_from(MAX_DOCUMENT_BYTES).unwrap()));
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    // All of these are started at once, and most of them wait.
    let mut pending: Vec<u64> = (0..MAX_CONCURRENT_LARGE_RESPONSES + 8)
        .map(|_| client.send_request("resources/read", json!({"uri": "alc://scenarios/large"})))
        .collect();
    client.wait_for_output();
    // Some of them may have been answered by now.
    let cancelled = pending.split_off(MAX_CONCURRENT_LARGE_RESPONSES + 2);
    for id in &cancelled {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    client.start_reading();
    while !pending.is_empty() {
        let answered = client.receive()["id"].as_u64().unwrap();
        assert!(pending.contains(&answered) || cancelled.contains(&answered));
        pending.retain(|id| *id != answered);
    }
    // Their permits are free again.
    let last = client.send_request("resources/read", json!({"uri": "alc://scenarios/large"}));
    while client.receive()["id"] != last {}
}

#[test]
fn error_message_truncates_and_escapes_input() {
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

/// `serde_json` parses the text behind a key of its own once more when it builds a value: with a fresh limit of depth, and
/// unseen by every check before.
#[test]
fn reserved_key_of_the_parser_is_refused_in_every_spelling() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.initialize();
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        let escaped: String = key.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
        for spelled in [key.to_owned(), escaped, key.replacen('$', "\\u0024", 1), key.replacen("json", "j\\u0073on", 1)]
        {
            let hidden = format!("{{\"{spelled}\": \"{deep}\"}}");
            let call = |params: String| {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
            };
            for line in [
                call(format!("{{\"name\":\"alc_card_find\",\"arguments\":{{\"where\":{hidden}}}}}")),
                call(format!("{{\"name\":\"alc_run\",\"arguments\":{{\"code\":\"return ctx\",\"ctx\":{hidden}}}}}")),
                call(format!("{{\"name\":\"alc_status\",\"arguments\":{{}},\"_meta\":{{\"a\":{hidden}}}}}")),
            ] {
                let answer = client.exchange(&line);
                assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
            }
        }
    }
    // A text that only resembles it is a text.
    let params = json!({"name": "alc_run", "arguments": {"code": "return ctx", "ctx": {"$serde": "$serde_json"}}});
    let answer = client.call("tools/call", params);
    assert!(answer.to_string().contains("$serde_json"), "{answer}");
    assert!(client.finish().0.success());
}
