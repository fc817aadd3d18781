//! Replies that are streams: what is said before an answer, what is asked, and what nobody waits for any more.

use serde_json::{Value, json};

use super::declare;
use wardroom_test_support::{HttpServer, TestDir, eventually, modern_request};

#[test]
fn progress_comes_before_the_answer_in_both_eras() {
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
        let told = reply.messages();
        assert_eq!(told.len(), 3, "{told:#?}");
        assert_eq!(told[0]["params"], json!({"progressToken": "t", "progress": 1.0, "total": 2.0, "message": "half"}));
        assert_eq!(told[1]["params"]["progress"], 2.0);
        assert_eq!((&told[2]["id"], &told[2]["result"]["structuredContent"]["result"]), (&json!(1), &json!(1)));
    }
}

/// Two calls with the same token at the same time, and a third one without.
#[test]
fn what_belongs_to_a_call_goes_to_its_client() {
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
        let mut told = connection.read_reply().messages();
        assert_eq!(told.pop().unwrap()["result"]["structuredContent"]["result"], at);
        assert!(told.iter().all(|told| told["params"]["message"] == format!("of {at}")), "{told:#?}");
    }
}

#[test]
fn a_model_is_asked_by_the_stream_of_the_call() {
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
        let asked = calling.read_event().unwrap();
        assert_eq!(asked["method"], "sampling/createMessage");
        let prompt = asked["params"]["messages"][0]["content"]["text"].as_str().unwrap();
        let said = |text: &str| json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"});
        let answer = |text: &str| json!({"jsonrpc": "2.0", "id": asked["id"], "result": said(text)});
        let forged = stranger.post("/mcp", &[("mcp-session-id", other.clone())], &answer("forged"));
        assert_eq!(forged.status, 202);
        assert_eq!(answering.post("/mcp", &named, &answer(&prompt.to_uppercase())).status, 202);
    }
    let answered = calling.read_event().unwrap();
    assert_eq!((&answered["id"], &answered["result"]["structuredContent"]["result"]), (&json!(9), &json!("ONETWO")));
    assert_eq!(calling.read_event(), None);
}

/// Whatever else the session does, and though nobody listens to what belongs to none of its requests.
#[test]
fn a_log_goes_with_the_reply_of_its_call() {
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
    let told = connection.call_in_session(&session, 3, "tools/call", call("says")).messages();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((&told[0]["method"], &told[0]["params"]["level"]), (&json!("notifications/message"), &json!("info")));
    assert_eq!((&told[1]["id"], &told[1]["result"]["content"][0]["text"]), (&json!(3), &json!("done")));
}

/// Nobody needs the answer to the second question once the first one has none.
#[test]
fn a_question_is_withdrawn_where_it_was_asked() {
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
    let asked: Vec<_> = (0..2).map(|_| calling.read_event().unwrap()["id"].clone()).collect();
    let failed = json!({"jsonrpc": "2.0", "id": asked[0], "error": {"code": -1, "message": "no"}});
    assert_eq!(server.connect().post("/mcp", &named, &failed).status, 202);
    let withdrawn = calling.read_event().unwrap();
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked[1]),
        "{withdrawn}"
    );
    assert_eq!(calling.read_event().unwrap()["id"], 9);
}

/// The number of runs that go on.
fn going_on(server: &HttpServer) -> Value {
    let status = server.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
    status.json()["result"]["structuredContent"]["active_sessions"].clone()
}

fn wait_until_going_on(server: &HttpServer, runs: usize) {
    eventually("so many runs go on", || going_on(server) == json!(runs));
}

const STUCK: &str = "while true do pcall(function() while true do end end) end";

/// Whoever closes the reply takes the request back: nothing else says so in the newer era.
#[test]
fn a_call_ends_with_its_connection() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let older = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "alc_run", "arguments": {"code": STUCK}}});
    connection.send_request("POST", "/mcp", &[("mcp-session-id", session.clone())], Some(older.to_string().as_bytes()));
    let mut newer_one = server.connect();
    let code = format!("alc.progress(1, 2) {STUCK}");
    let params = json!({"name": "alc_run", "arguments": {"code": code}, "_meta": {"progressToken": 1}});
    let (headers, message) = modern_request(1, "tools/call", params);
    newer_one.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    // This one's reply has begun.
    assert_eq!(newer_one.read_head().status, 200);
    assert_eq!(newer_one.read_event().unwrap()["method"], "notifications/progress");
    wait_until_going_on(&server, 2);
    newer_one.close();
    wait_until_going_on(&server, 1);
    connection.close();
    wait_until_going_on(&server, 0);
    assert_eq!(server.connect().call_in_session(&session, 1, "ping", json!({})).status, 200);
}

#[test]
fn a_call_ends_with_its_session() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    let named = [("mcp-session-id", session)];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "alc_run", "arguments": {"code": STUCK}}});
    connection.send_request("POST", "/mcp", &named, Some(call.to_string().as_bytes()));
    wait_until_going_on(&server, 1);
    assert_eq!(server.connect().exchange("DELETE", "/mcp", &named, None).status, 204);
    assert_eq!(connection.read_reply().error_code(), -31000);
    wait_until_going_on(&server, 0);
}

const META: &str = "alc://packages/cot/meta";

#[test]
fn a_subscription_of_the_newer_era_is_a_stream() {
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
    let told = listening.read_event().unwrap();
    assert_eq!((&told["method"], &told["params"]["uri"]), (&json!("notifications/resources/updated"), &json!(META)));
    assert_eq!(told["params"]["_meta"][name], "mine");
}

#[test]
fn what_a_session_subscribed_to_comes_by_its_stream() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let session = connection.initialize("/mcp", json!({}));
    assert_eq!(connection.call_in_session(&session, 1, "resources/subscribe", json!({"uri": META})).status, 200);
    // Nobody listens yet: it is told once somebody does.
    dir.write_package("cot", "local M = {}\nM.meta = { name = 'cot' }\nreturn M\n");
    let headers = [("mcp-session-id", session.clone()), ("accept", "text/event-stream".to_owned())];
    let mut first = server.connect();
    first.send_request("GET", "/mcp", &headers, None);
    assert_eq!(first.read_head().status, 200);
    let told = |stream: &mut wardroom_test_support::HttpConnection<std::net::TcpStream>| {
        let told = stream.read_event().unwrap();
        assert_eq!(
            (&told["method"], &told["params"]),
            (&json!("notifications/resources/updated"), &json!({"uri": META}))
        );
    };
    told(&mut first);
    // A second stream takes the place of the first one.
    let mut second = server.connect();
    second.send_request("GET", "/mcp", &headers, None);
    assert_eq!(second.read_head().status, 200);
    assert_eq!(first.read_event(), None);
    dir.write_package("cot", "return {}");
    told(&mut second);
}
