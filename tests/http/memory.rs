//! Requests whose values would take gigabytes: they stay text, and what cannot is refused.

#![cfg(target_os = "linux")]

use std::thread;

use serde_json::{Value, json};

use super::bounds::assert_responsive;
use super::declare;
use wardroom_test_support::{HttpServer, TestDir, modern_request, tool_result};

/// The error of a message for which there is no memory now.
const BUSY_CODE: i64 = -31000;
const MIB: usize = 1024 * 1024;
/// The default of `[server] memory`.
const MEMORY_BYTES: usize = 256 * MIB;

/// A list of 49,000 tables of one key.
fn many_tables() -> Value {
    json!(vec![json!({"a": 0}); 49_000])
}

/// Calls a tool forty times at once, and returns the answers.
fn call_at_once(server: &HttpServer, tool: &str, arguments: &Value) -> Vec<Value> {
    let params = json!({"name": tool, "arguments": arguments});
    let (headers, message) = modern_request(1, "tools/call", params);
    thread::scope(|scope| {
        let calls: Vec<_> = (0..40)
            .map(|_| {
                let (mut connection, headers, message) = (server.connect(), &headers, &message);
                scope.spawn(move || connection.post("/mcp", headers, message).messages().pop().unwrap())
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

#[test]
fn large_contexts_at_once_stay_within_memory() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    server.call("tools/call", json!({"name": "alc_run", "arguments": {"code": "return 1"}}));
    let idle = server.peak_resident_bytes();
    let arguments = json!({"code": "return #ctx.list", "ctx": {"list": many_tables()}});
    let answers = call_at_once(&server, "alc_run", &arguments);
    let made = answers.iter().filter(|answer| answer["result"]["structuredContent"]["result"] == 49_000).count();
    assert!(made > 0, "{:.1000}", json!(answers).to_string());
    assert_responsive(&server);
    let added = server.peak_resident_bytes() - idle;
    println!("{}: {} MiB more than idle", thread::current().name().unwrap_or_default(), added / MIB);
    assert!(added <= MEMORY_BYTES, "{} MiB more than idle", added / MIB);
}

#[test]
fn values_that_must_be_built_are_weighed_before() {
    let dir = TestDir::new();
    declare(&dir, "counts", "", "", "return {n = #arguments.list}");
    let server = HttpServer::start(&dir);
    server.call("tools/call", json!({"name": "counts", "arguments": {"list": [1]}}));
    let idle = server.peak_resident_bytes();
    let answers = call_at_once(&server, "counts", &json!({"list": many_tables()}));
    let mut made = 0;
    for answer in &answers {
        // The message alone was too much beside the others.
        if answer["error"]["code"] == BUSY_CODE {
            continue;
        }
        let (content, failed) = tool_result(answer);
        if failed {
            assert_eq!(content["error"]["code"], "OUT_OF_MEMORY", "{answer}");
        } else {
            assert_eq!(content, json!({"n": 49_000}));
            made += 1;
        }
    }
    assert!(made > 0, "{:.1000}", json!(answers).to_string());
    assert_responsive(&server);
    let added = server.peak_resident_bytes() - idle;
    println!("{}: {} MiB more than idle", thread::current().name().unwrap_or_default(), added / MIB);
    assert!(added <= MEMORY_BYTES, "{} MiB more than idle", added / MIB);
}
