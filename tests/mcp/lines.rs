//! Lines of input: malformed, unusual and very long ones, each followed by a request that is answered.

use serde_json::{Value, json};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;

/// Sends a line and then a ping. Returns the code and the id of the answer to the line.
fn answer(client: &mut StdioClient, line: &[u8]) -> (i64, Option<Value>) {
    let mut answer = client.exchange(line);
    assert_eq!(client.call("ping", json!({}))["result"], json!({}), "after {}", String::from_utf8_lossy(line));
    (answer["error"]["code"].as_i64().unwrap(), answer.get_mut("id").map(Value::take))
}

#[test]
fn malformed_line_is_answered_with_error() {
    let rows: &[(&[u8], i64, Option<Value>)] = &[
        (b"{", PARSE_ERROR, None),
        (b"hello", PARSE_ERROR, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", PARSE_ERROR, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", PARSE_ERROR, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}", PARSE_ERROR, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", PARSE_ERROR, None),
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", PARSE_ERROR, None),
        (b"\xff\xfe", PARSE_ERROR, None),
        (b"\0", PARSE_ERROR, None),
        (b"{'jsonrpc':'2.0'}", PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", INVALID_REQUEST, None),
        (b" [1]", INVALID_REQUEST, None),
        (b"5", INVALID_REQUEST, None),
        (b"null", INVALID_REQUEST, None),
        (b"true", INVALID_REQUEST, None),
        (b"\"ping\"", INVALID_REQUEST, None),
        (b"{}", INVALID_REQUEST, None),
        (b"{\"id\":5}", INVALID_REQUEST, Some(json!(5))),
        (b"{\"id\":\"five\"}", INVALID_REQUEST, Some(json!("five"))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}", INVALID_REQUEST, Some(json!(7))),
        (b"{\"id\":8,\"method\":\"ping\"}", INVALID_REQUEST, Some(json!(8))),
        (b"{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}", INVALID_REQUEST, Some(json!(9))),
        (b"{\"jsonrpc\":2.0,\"id\":10,\"method\":\"ping\"}", INVALID_REQUEST, Some(json!(10))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":5}", INVALID_REQUEST, Some(json!(11))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":null}", INVALID_REQUEST, Some(json!(12))),
        (b"{\"method\":5,\"jsonrpc\":\"2.0\",\"id\":13}", INVALID_REQUEST, Some(json!(13))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"tools/list\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"ping\"}", INVALID_REQUEST, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"tools/list\",\"params\":5}", INVALID_PARAMS, Some(json!(14))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":15,\"method\":\"tools/list\",\"params\":[]}", INVALID_PARAMS, Some(json!(15))),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":16,\"method\":\"tools/list\",\"params\":{\"_meta\":[]}}",
            INVALID_PARAMS,
            Some(json!(16)),
        ),
    ];
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for (line, code, id) in rows {
        assert_eq!(answer(&mut client, line), (*code, id.clone()), "{}", String::from_utf8_lossy(line));
    }
}

/// Each message is JSON, and something else is wrong with it than with the next one.
#[test]
fn message_that_cannot_be_decoded_is_told_why() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let call = |arguments: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#)
    };
    for (line, expected) in [
        (call(r#"{"a":"\ud800"}"#), "half of a surrogate pair"),
        (call(r#"{"a":1e400}"#), "a number is out of range"),
        (call(&deep), "nested too deep"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#.to_owned(), "is there twice"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#.to_owned(), "the params must be an object"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_owned(), "the id must be a string or an integer"),
    ] {
        let answer = client.exchange(&line);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{line:.100}: {answer}");
    }
}

#[test]
fn every_kind_of_id_is_echoed() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let ids = [json!(0), json!(-1), json!(i64::MAX), json!(i64::MIN), json!(""), json!("1"), json!("\u{1f980}\n\"")];
    for id in ids {
        let answer = client.exchange(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string());
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
}

#[test]
fn blank_lines_and_outer_whitespace_are_ignored() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let ping = |id: u64| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    client.send_raw(format!("\n\r\n  \t\n{}\r\n\n  {}  \r\n", ping(70), ping(71)));
    assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": 70, "result": {}}));
    assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": 71, "result": {}}));
}

#[test]
fn message_in_single_bytes_is_read() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for byte in "{\"jsonrpc\":\"2.0\",\"id\":\"\u{e9}\",\"method\":\"ping\"}\n".bytes() {
        client.send_raw([byte]);
    }
    assert_eq!(client.receive()["id"], "\u{e9}");
}

#[test]
fn unexpected_responses_and_notifications_are_ignored() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let lines = [
        json!({"jsonrpc": "2.0", "id": 900, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 900, "error": {"code": 1, "message": "no"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/nothing", "params": {"a": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 900}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
        json!({"jsonrpc": "2.0", "method": "tools/list"}),
    ];
    for line in lines {
        client.send(&line);
        assert_eq!(client.call("ping", json!({}))["result"], json!({}), "after {line}");
    }
}

#[test]
fn request_before_initialize_is_refused_with_advice() {
    let dir = TestDir::new();
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path());
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        let answer = client.call(method, json!({}));
        assert_eq!(answer["error"]["code"], INVALID_PARAMS, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("protocolVersion") || message.contains("`initialize`"), "{message}");
        assert_eq!(client.initialize()["result"]["protocolVersion"], "2025-11-25");
        assert!(client.call(method, json!({}))["result"].is_object());
    }
}

#[test]
fn notification_may_be_first_message() {
    let dir = TestDir::new();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(client.initialize()["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn malformed_params_are_invalid_in_both_revisions() {
    let rows = [
        ("resources/read", json!({})),
        ("resources/read", json!({"uri": 5})),
        ("resources/list", json!({"cursor": 5})),
        ("resources/templates/list", json!({"cursor": []})),
        ("prompts/list", json!({"cursor": 5})),
        ("tools/list", json!({"cursor": {}})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!({"name": "list_resources", "arguments": 5})),
        ("completion/complete", json!({})),
        ("completion/complete", json!({"ref": {"type": "ref/resource", "uri": "alc://x"}})),
        ("completion/complete", json!({"ref": 5, "argument": {"name": "a", "value": "b"}})),
        ("subscriptions/listen", json!({"notifications": 5})),
    ];
    let dir = TestDir::new();
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        for (method, params) in &rows {
            let answer = client.call(method, params.clone());
            assert_eq!(answer["error"]["code"], INVALID_PARAMS, "{revision:?} {method} {params}: {answer}");
        }
    }
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for params in [json!(null), json!({}), json!({"cursor": null}), json!({"_meta": {}})] {
        assert!(client.call("tools/list", params)["result"].is_object());
    }
    let answer = client.call("initialize", json!({"protocolVersion": 5}));
    assert_eq!(answer["error"]["code"], INVALID_PARAMS, "{answer}");
}

/// Returns a ping of exactly `len` bytes.
fn ping_of(len: usize, id: u64) -> String {
    let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"");
    format!("{head}{}}}\n", " ".repeat(len - head.len() - 1))
}

#[test]
fn line_over_cap_is_refused_under_its_id() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.send_raw(ping_of(MAX_MESSAGE_BYTES, 50));
    assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": 50, "result": {}}));
    for len in [MAX_MESSAGE_BYTES + 1, MAX_MESSAGE_BYTES * 2] {
        client.send_raw(ping_of(len, 51));
        let message = format!("the message is longer than {}", ByteSize(MAX_MESSAGE_BYTES as u64));
        let error = json!({"code": INVALID_REQUEST, "message": message});
        assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": 51, "error": error}));
        client.send_raw(ping_of(60, 52));
        assert_eq!(client.receive()["id"], 52);
    }
}

/// A line is cut before it is known whether the carriage return is at its end.
#[test]
fn carriage_return_counts_for_cap() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for (len, is_refused) in [(MAX_MESSAGE_BYTES - 1, false), (MAX_MESSAGE_BYTES, true)] {
        let line = ping_of(len, 50).replace('\n', "\r\n");
        let (all_but_the_end, end) = line.split_at(line.len() - 1);
        client.send_raw(&line);
        assert_eq!(client.receive().get("error").is_some(), is_refused, "{len} in one piece");
        client.send_raw(all_but_the_end);
        if is_refused {
            assert_eq!(client.receive()["error"]["code"], INVALID_REQUEST, "{len} before its end");
        }
        client.send_raw(end);
        if !is_refused {
            assert_eq!(client.receive()["id"], 50, "{len} in two pieces");
        }
    }
}

#[test]
fn overlong_line_without_leading_id_is_answered_without_id() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.send_raw(format!("{{\"pad\":\"{}\",\"id\":1}}\n", "x".repeat(MAX_MESSAGE_BYTES)));
    let answer = client.receive();
    assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(INVALID_REQUEST), None));
}

#[test]
fn deeply_nested_json_is_refused() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{{\"a\":{deep}}}}}");
    assert_eq!(answer(&mut client, request.as_bytes()), (INVALID_PARAMS, Some(json!(3))));
    assert_eq!(answer(&mut client, deep.as_bytes()), (INVALID_REQUEST, None));
    assert_eq!(answer(&mut client, "[".repeat(50_000).as_bytes()), (PARSE_ERROR, None));
}

#[test]
fn thousand_requests_in_one_write_are_answered_once_each() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        let params = client.with_meta(json!({"uri": "alc://types/alc_shapes.d.lua"}));
        let line = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params});
        client.send_raw((1000..2000).map(|id| format!("{}\n", line(id))).collect::<String>());
        let mut ids: Vec<u64> = (0..1000).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1000..2000).collect::<Vec<_>>());
    }
}

#[test]
fn id_in_use_is_refused_until_answered() {
    let dir = TestDir::new_demo();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let request = json!({"jsonrpc": "2.0", "id": "same", "method": "resources/read",
        "params": {"uri": "alc://packages/cot/init.lua"}});
    client.send_raw(format!("{request}\n{request}\n"));
    let answers = [client.receive(), client.receive()];
    let refused = answers.iter().find(|answer| answer.get("error").is_some()).unwrap();
    assert_eq!(refused["error"]["message"], "a request with this id is still running");
    assert!(answers.iter().any(|answer| answer.get("result").is_some()), "{answers:?}");
    assert!(client.exchange(request.to_string()).get("result").is_some());
}

#[test]
fn last_line_without_newline_is_read() {
    let dir = TestDir::new();
    let rows = [
        (
            "{\"jsonrpc\":\"2.0\",\"id\":60,\"method\":\"ping\"}",
            vec![json!({"jsonrpc": "2.0", "id": 60, "result": {}})],
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":60,\"meth", {
            let error = json!({"code": PARSE_ERROR, "message": "the message is not JSON"});
            vec![json!({"jsonrpc": "2.0", "error": error})]
        }),
        ("", vec![]),
        ("  ", vec![]),
    ];
    for (rest, answers) in rows {
        let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
        client.send_raw(rest);
        let (status, messages, _) = client.finish();
        assert_eq!((status.code(), messages), (Some(0), answers), "{rest}");
    }
}
