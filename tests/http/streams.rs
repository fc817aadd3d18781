//! Replies that are streams: notifications before an answer, input requests, and cancelled requests.

use serde_json::{Value, json};

use super::declare;
use wardroom_test_support::{HttpServer, TestDir, eventually, modern_request};

#[test]
fn progress_precedes_answer_in_both_revisions() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let params = json!({
        "name": "alc_run",
        "arguments": {"code": "alc.progress(1, 2, 'half') alc.progress(2, 2) return 1"},
        "_meta": {"progressToken": "t"},
    });
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    for reply in
        [connection.call_in_session(&session, 1, "tools/call", params.clone()), server.call("tools/call", params)]
    {
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
        assert_eq!(reply.header("x-accel-buffering"), Some("no"));
        let messages = reply.messages();
        assert_eq!(messages.len(), 3, "{messages:#?}");
        assert_eq!(
            messages[0]["params"],
            json!({"progressToken": "t", "progress": 1.0, "total": 2.0, "message": "half"})
        );
        assert_eq!(messages[1]["params"]["progress"], 2.0);
        assert_eq!((&messages[2]["id"], &messages[2]["result"]["structuredContent"]["result"]), (&json!(1), &json!(1)));
    }
}

/// Three calls with the same progress token and the same id at the same time.
#[test]
fn progress_goes_to_its_own_call() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let code = |at: usize| format!("for i = 1, 20 do alc.progress(i, 20, 'of {at}') end return {at}");
    let mut connections: Vec<_> = (0..3)
        .map(|at| {
            let mut connection = server.connect();
            let params = json!({"name": "alc_run", "arguments": {"code": code(at)}, "_meta": {"progressToken": 1}});
            let (headers, message) = modern_request(1, "tools/call", params);
            connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
            connection
        })
        .collect();
    for (at, connection) in connections.iter_mut().enumerate() {
        let mut messages = connection.read_reply().messages();
        assert_eq!(messages.pop().unwrap()["result"]["structuredContent"]["result"], at);
        assert!(messages.iter().all(|message| message["params"]["message"] == format!("of {at}")), "{messages:#?}");
    }
}

#[test]
fn sampling_request_is_sent_on_stream_of_call() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, "[alc]\nsampling = true\n", &[]);
    let (mut calling, mut answering) = (server.connect(), server.connect());
    let session = calling.initialize("/mcp", json!({"sampling": {}}));
    let named = [("mcp-session-id", session)];
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
        "name": "alc_run", "arguments": {"code": "return alc.llm('one') .. alc.llm('two')"}}});
    calling.send_request("POST", "/mcp", &named, Some(call.to_string().as_bytes()));
    // Another session cannot answer for this one.
    let mut stranger = server.connect();
    let other = stranger.initialize("/mcp", json!({"sampling": {}}));
    assert_eq!(calling.read_head().header("content-type"), Some("text/event-stream"));
    for _ in 0..2 {
        let request = calling.read_event().unwrap();
        assert_eq!(request["method"], "sampling/createMessage");
        let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
        let sampled =
            |text: &str| json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"});
        let answer = |text: &str| json!({"jsonrpc": "2.0", "id": request["id"], "result": sampled(text)});
        let forged = stranger.post("/mcp", &[("mcp-session-id", other.clone())], &answer("forged"));
        assert_eq!(forged.status, 202);
        assert_eq!(answering.post("/mcp", &named, &answer(&prompt.to_uppercase())).status, 202);
    }
    let answered = calling.read_event().unwrap();
    assert_eq!((&answered["id"], &answered["result"]["structuredContent"]["result"]), (&json!(9), &json!("ONETWO")));
    assert_eq!(calling.read_event(), None);
}

/// Whatever else the session does, and without a listening stream.
#[test]
fn log_message_is_sent_with_reply_of_call() {
    let dir = TestDir::new();
    declare(&dir, "says", "log", "", "log.info('a line') return 'done'");
    declare(&dir, "waits", "time", ", mcp.timeout: 200", "time.sleep('100s')");
    let server = HttpServer::start(&dir);
    let (mut waiting, mut connection) = (server.connect(), server.connect());
    let session = waiting.initialize("/mcp", json!({}));
    assert_eq!(connection.call_in_session(&session, 1, "logging/setLevel", json!({"level": "info"})).status, 200);
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let waits = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call("waits")});
    waiting.send_request("POST", "/mcp", &[("mcp-session-id", session.clone())], Some(waits.to_string().as_bytes()));
    eventually("it is open", || connection.call_in_session(&session, 2, "ping", json!({})).status == 400);
    let messages = connection.call_in_session(&session, 3, "tools/call", call("says")).messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(
        (&messages[0]["method"], &messages[0]["params"]["level"]),
        (&json!("notifications/message"), &json!("info"))
    );
    assert_eq!((&messages[1]["id"], &messages[1]["result"]["content"][0]["text"]), (&json!(3), &json!("done")));
}

/// Once the first input request has failed, the response to the second one is not needed.
#[test]
fn input_request_is_withdrawn_on_stream_of_call() {
    let dir = TestDir::new();
    let form = "{ form = { message = '?', schema = { type = 'object' } } }";
    declare(&dir, "asks", "ask", "", &format!("return ask.all {{ one = {form}, two = {form} }}"));
    let server = HttpServer::start(&dir);
    let mut calling = server.connect();
    let session = calling.initialize("/mcp", json!({"elicitation": {}}));
    let named = [("mcp-session-id", session)];
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "asks", "arguments": {}}});
    calling.send_request("POST", "/mcp", &named, Some(call.to_string().as_bytes()));
    calling.read_head();
    let request_ids: Vec<_> = (0..2).map(|_| calling.read_event().unwrap()["id"].clone()).collect();
    let failed = json!({"jsonrpc": "2.0", "id": request_ids[0], "error": {"code": -1, "message": "no"}});
    assert_eq!(server.connect().post("/mcp", &named, &failed).status, 202);
    let withdrawn = calling.read_event().unwrap();
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request_ids[1]),
        "{withdrawn}"
    );
    assert_eq!(calling.read_event().unwrap()["id"], 9);
}

/// Returns the number of running runs.
fn active_runs(server: &HttpServer) -> Value {
    let status = server.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
    status.json()["result"]["structuredContent"]["active_sessions"].clone()
}

fn wait_for_active_runs(server: &HttpServer, runs: usize) {
    eventually("so many runs are active", || active_runs(server) == json!(runs));
}

const STUCK: &str = "while true do pcall(function() while true do end end) end";

/// Closing the reply cancels the request; the modern revision has no other way.
#[test]
fn closed_connection_cancels_call() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let legacy_call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "alc_run", "arguments": {"code": STUCK}}});
    connection.send_request(
        "POST",
        "/mcp",
        &[("mcp-session-id", session.clone())],
        Some(legacy_call.to_string().as_bytes()),
    );
    let mut modern_connection = server.connect();
    let code = format!("alc.progress(1, 2) {STUCK}");
    let params = json!({"name": "alc_run", "arguments": {"code": code}, "_meta": {"progressToken": 1}});
    let (headers, message) = modern_request(1, "tools/call", params);
    modern_connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    // The reply of this request has begun.
    assert_eq!(modern_connection.read_head().status, 200);
    assert_eq!(modern_connection.read_event().unwrap()["method"], "notifications/progress");
    wait_for_active_runs(&server, 2);
    modern_connection.close();
    wait_for_active_runs(&server, 1);
    connection.close();
    wait_for_active_runs(&server, 0);
    assert_eq!(server.connect().call_in_session(&session, 1, "ping", json!({})).status, 200);
}

#[test]
fn deleted_session_cancels_call() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let named = [("mcp-session-id", session)];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "alc_run", "arguments": {"code": STUCK}}});
    connection.send_request("POST", "/mcp", &named, Some(call.to_string().as_bytes()));
    wait_for_active_runs(&server, 1);
    assert_eq!(server.connect().exchange("DELETE", "/mcp", &named, None).status, 204);
    assert_eq!(connection.read_reply().error_code(), -31000);
    wait_for_active_runs(&server, 0);
}

const META: &str = "alc://packages/cot/meta";

#[test]
fn modern_subscription_is_stream() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut listening = server.connect();
    let params = json!({"notifications": {"resourceSubscriptions": [META, "alc://nothing"]}});
    let (headers, mut message) = modern_request(1, "subscriptions/listen", params);
    message["id"] = json!("mine");
    listening.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    assert_eq!(listening.read_head().header("content-type"), Some("text/event-stream"));
    let begun = listening.read_event().unwrap();
    assert_eq!(begun["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(begun["params"]["notifications"], json!({"resourceSubscriptions": [META]}));
    let name = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(begun["params"]["_meta"][name], "mine");
    dir.write_package("cot", "local M = {}\nM.meta = { name = 'cot' }\nreturn M\n");
    let event = listening.read_event().unwrap();
    assert_eq!((&event["method"], &event["params"]["uri"]), (&json!("notifications/resources/updated"), &json!(META)));
    assert_eq!(event["params"]["_meta"][name], "mine");
}

#[test]
fn session_subscription_uses_session_stream() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    assert_eq!(connection.call_in_session(&session, 1, "resources/subscribe", json!({"uri": META})).status, 200);
    // Without a listener, the notification waits for one.
    dir.write_package("cot", "local M = {}\nM.meta = { name = 'cot' }\nreturn M\n");
    let headers = [("mcp-session-id", session.clone()), ("accept", "text/event-stream".to_owned())];
    let mut first = server.connect();
    first.send_request("GET", "/mcp", &headers, None);
    assert_eq!(first.read_head().status, 200);
    let expect_update = |stream: &mut wardroom_test_support::HttpConnection<std::net::TcpStream>| {
        let message = stream.read_event().unwrap();
        assert_eq!(
            (&message["method"], &message["params"]),
            (&json!("notifications/resources/updated"), &json!({"uri": META}))
        );
    };
    expect_update(&mut first);
    // A second stream replaces the first one.
    let mut second = server.connect();
    second.send_request("GET", "/mcp", &headers, None);
    assert_eq!(second.read_head().status, 200);
    assert_eq!(first.read_event(), None);
    dir.write_package("cot", "return {}");
    expect_update(&mut second);
}
