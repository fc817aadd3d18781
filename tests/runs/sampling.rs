//! Sampling: in the legacy revisions by a request during the call, in the modern revision by repeating the call.

use std::time::Instant;

use serde_json::{Value, json};

use wardroom_test_support::{
    ClientRevision, RunClient, StdioClient, TEST_TIMEOUT, TestDir, tool_result, wardroom_command,
};

const CODE: &str = "local a = alc.llm('one', {system = 's', max_tokens = 5}) \
                    local b = alc.llm_batch({{prompt = 'two'}, {prompt = 'three'}}) return {a, b[1], b[2]}";

fn sampling_response(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"})
}

/// Starts a server whose operator allows sampling or not, with a legacy client that declares sampling.
fn start_legacy(dir: &TestDir, allowed: bool) -> StdioClient {
    let config = dir.root().join("config.toml");
    std::fs::write(&config, format!("[alc]\nsampling = {allowed}\n")).unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(config);
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"sampling": {}},
                        "clientInfo": {"name": "test", "version": "1"}});
    client.call("initialize", params);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client
}

#[test]
fn sampling_request_is_sent_during_call() {
    let dir = TestDir::new();
    let mut client = start_legacy(&dir, true);
    let id = client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": CODE}}));
    let mut asked = Vec::new();
    let answer = loop {
        let message = client.receive();
        if message["id"] == json!(id) && message.get("method").is_none() {
            break message;
        }
        assert_eq!(message["method"], "sampling/createMessage", "{message:#}");
        let prompt = message["params"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
        client
            .send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": sampling_response(&prompt.to_uppercase())}));
        asked.push(message);
    };
    assert_eq!(tool_result(&answer).0["result"], json!(["ONE", "TWO", "THREE"]));
    assert_eq!((&asked[0]["params"]["systemPrompt"], &asked[0]["params"]["maxTokens"]), (&json!("s"), &json!(5)));
}

#[test]
fn refused_sampling_returns_query_as_answer() {
    let dir = TestDir::new();
    let mut client = start_legacy(&dir, true);
    client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": CODE}}));
    let message = client.receive();
    let refused = json!({"code": -1, "message": "User rejected sampling request"});
    client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": refused}));
    let (waits, failed) = tool_result(&client.receive());
    assert_eq!((&waits["status"], &waits["prompt"], failed), (&json!("needs_response"), &json!("one"), false));
}

/// Waits until the server reports this number of unfinished runs.
fn wait_for_active_runs(client: &mut StdioClient, wanted: usize) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let answer = client.call("tools/call", json!({"name": "alc_status", "arguments": {}}));
        if tool_result(&answer).0["active_sessions"] == wanted {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:#}");
    }
}

/// Receives this many sampling requests, cancels the call, and expects the requests to be cancelled.
fn cancel_during_sampling(client: &mut StdioClient, id: u64, questions: usize) {
    let mut asked: Vec<u64> = (0..questions)
        .map(|_| {
            let message = client.receive();
            assert_eq!(message["method"], "sampling/createMessage", "{message:#}");
            message["id"].as_u64().unwrap()
        })
        .collect();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let mut withdrawn: Vec<u64> = (0..questions)
        .map(|_| {
            let message = client.receive();
            assert_eq!(message["method"], "notifications/cancelled", "{message:#}");
            message["params"]["requestId"].as_u64().unwrap()
        })
        .collect();
    asked.sort_unstable();
    withdrawn.sort_unstable();
    assert_eq!(withdrawn, asked);
}

#[test]
fn call_cancelled_during_sampling_leaves_no_run() {
    let dir = TestDir::new();
    let mut client = start_legacy(&dir, true);
    let code = "return alc.llm_batch({{prompt = 'one'}, {prompt = 'two'}})";
    let id = client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": code}}));
    cancel_during_sampling(&mut client, id, 2);
    wait_for_active_runs(&mut client, 0);
    assert_eq!(std::fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 0);
}

#[test]
fn known_run_survives_cancelled_call() {
    let dir = TestDir::new();
    let mut client = start_legacy(&dir, true);
    let code = "return {alc.llm('one'), alc.llm('two')}";
    client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": code}}));
    let message = client.receive();
    client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -1, "message": "no"}}));
    let (waits, _) = tool_result(&client.receive());
    let answer = |query: &str| json!({"session_id": waits["session_id"], "query_id": query, "response": query});
    let id = client.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer("q-0")}));
    cancel_during_sampling(&mut client, id, 1);
    wait_for_active_runs(&mut client, 1);
    let done = client.call("tools/call", json!({"name": "alc_continue", "arguments": answer("q-1")}));
    assert_eq!(tool_result(&done).0["result"], json!(["q-0", "q-1"]), "{done:#}");
}

#[test]
fn sampling_without_permission_is_not_requested() {
    let dir = TestDir::new();
    let mut client = start_legacy(&dir, false);
    let answer = client.call("tools/call", json!({"name": "alc_run", "arguments": {"code": CODE}}));
    assert_eq!(tool_result(&answer).0["status"], "needs_response");
}

/// Sends a call of the modern revision by a client that declares sampling.
fn call_modern(client: &mut StdioClient, id: u64, code: &str, mut extra: Value) -> Value {
    let mut params = json!({"name": "alc_run", "arguments": {"code": code}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    }});
    params.as_object_mut().unwrap().append(extra.as_object_mut().unwrap());
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    client.receive()
}

#[test]
fn modern_client_repeats_call_with_responses() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let mut asks = call_modern(&mut client, 1, CODE, json!({}));
    for round in 2.. {
        let result = &asks["result"];
        if result["resultType"] != "input_required" {
            break;
        }
        let state = result["requestState"].clone();
        let answer = |(key, request): (&String, &Value)| {
            assert_eq!(request["method"], "sampling/createMessage");
            let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
            (key.clone(), sampling_response(&prompt.to_uppercase()))
        };
        let answers: serde_json::Map<_, _> = result["inputRequests"].as_object().unwrap().iter().map(answer).collect();
        // Another server on the AppDir accepts the continuation token of this one.
        client = StdioClient::start(&dir, ClientRevision::Modern);
        asks = call_modern(&mut client, round, CODE, json!({"inputResponses": answers, "requestState": state}));
    }
    assert_eq!(tool_result(&asks).0["result"], json!(["ONE", "TWO", "THREE"]), "{asks:#}");
}

/// Calls everything that could differ between the three modes.
const COMMON_CODE: &str = "local a = alc.llm('one') alc.state.incr('n') alc.stats.record('k', {a}) \
                    local b = alc.llm_batch({{prompt = 'two', system = 's'}, {prompt = 'three'}}) \
                    local f = alc.fork({'asks'}, {task = a .. b[2]}) return {a, b, f, alc.state.get('n')}";

#[test]
fn result_is_equal_for_all_input_modes() {
    let result = |done: &Value| {
        let mut auto = done["stats"]["auto"].clone();
        auto.as_object_mut().unwrap().remove("elapsed_ms");
        (done["result"].clone(), done["stats"]["custom"].clone(), auto)
    };
    let dir = || {
        let dir = TestDir::new();
        dir.write_package("asks", "return {run = function(ctx) return {alc.llm(ctx.task), alc.state.incr('n')} end}");
        dir
    };
    // By the client's next call.
    let by_calls = dir();
    let mut runner = RunClient::start(&by_calls);
    let mut waits = runner.run_code(COMMON_CODE);
    while waits["status"] == "needs_response" {
        let one = vec![json!({"id": waits["query_id"], "prompt": waits["prompt"]})];
        let queries = waits["queries"].as_array().unwrap_or(&one).iter();
        let answers: Vec<Value> = queries
            .map(|query| json!({"query_id": query["id"], "response": query["prompt"].as_str().unwrap().to_uppercase()}))
            .collect();
        waits = runner.call_ok("alc_continue", json!({"session_id": waits["session_id"], "responses": answers}));
    }
    assert_eq!(waits["result"][2][0]["result"], json!(["ONETHREE", 1]), "{waits:#}");
    // By a request during the call.
    let by_requests = dir();
    let mut client = start_legacy(&by_requests, true);
    let id = client.send_request("tools/call", json!({"name": "alc_run", "arguments": {"code": COMMON_CODE}}));
    let answer = loop {
        let message = client.receive();
        if message["id"] == json!(id) && message.get("method").is_none() {
            break message;
        }
        let prompt = message["params"]["messages"][0]["content"]["text"].as_str().unwrap().to_uppercase();
        client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": sampling_response(&prompt)}));
    };
    assert_eq!(result(&tool_result(&answer).0), result(&waits));
    // By ending the call with an input request.
    let by_input_required = dir();
    let mut client = StdioClient::start(&by_input_required, ClientRevision::Modern);
    let mut asks = call_modern(&mut client, 1, COMMON_CODE, json!({}));
    let mut round = 1;
    while asks["result"]["resultType"] == "input_required" {
        let requests = asks["result"]["inputRequests"].as_object().unwrap().iter();
        let answers: serde_json::Map<_, _> = requests
            .map(|(key, request)| {
                let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap().to_uppercase();
                (key.clone(), sampling_response(&prompt))
            })
            .collect();
        round += 1;
        let extra = json!({"inputResponses": answers, "requestState": asks["result"]["requestState"]});
        asks = call_modern(&mut client, round, COMMON_CODE, extra);
    }
    assert_eq!(result(&tool_result(&asks).0), result(&waits));
}

#[test]
fn missing_response_is_requested_again_and_forged_state_refused() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let asks = call_modern(&mut client, 1, CODE, json!({}));
    let state = asks["result"]["requestState"].as_str().unwrap().to_owned();
    let again = call_modern(
        &mut client,
        2,
        CODE,
        json!({"requestState": state, "inputResponses": {"other": sampling_response("x")}}),
    );
    assert_eq!(again["result"]["inputRequests"], asks["result"]["inputRequests"], "{again:#}");
    let forged = call_modern(&mut client, 3, CODE, json!({"requestState": format!("{state}x")}));
    assert_eq!(forged["error"]["code"], -32602, "{forged:#}");
    // The token is bound to its call.
    let other = call_modern(&mut client, 4, "return 1", json!({"requestState": state}));
    assert_eq!(other["error"]["code"], -32602, "{other:#}");
}
