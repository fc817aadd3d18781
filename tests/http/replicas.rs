//! Two servers on one AppDir, called in turn, as a load balancer without sticky sessions would.

use std::fs;

use serde_json::{Map, Value, json};

use wardroom_test_support::{HttpReply, HttpServer, TestDir, eventually, modern_request};

const CONFIG: &str = "[alc]\nenumerate = true\n";
const CODE: &str = "local a = alc.llm('one') local b = alc.llm_batch({{prompt = 'two'}, {prompt = 'three'}}) \
                    return {a, b[1], b[2]}";

/// Calls the servers in turn.
struct Balancer {
    servers: [HttpServer; 2],
    turn: usize,
}

impl Balancer {
    fn new(dir: &TestDir) -> Self {
        Self { servers: [HttpServer::start_with(dir, CONFIG, &[]), HttpServer::start_with(dir, CONFIG, &[])], turn: 0 }
    }

    fn ask(&mut self, method: &str, params: Value) -> HttpReply {
        self.turn += 1;
        self.servers[self.turn % 2].call(method, params)
    }
}

#[test]
fn cursor_is_valid_at_another_server() {
    let dir = TestDir::new();
    for at in 0..350 {
        dir.write_package(&format!("p{at:03}"), "return {}");
    }
    let mut balancer = Balancer::new(&dir);
    let (mut names, mut params, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let page = balancer.ask("resources/list", params).json()["result"].clone();
        names.extend(
            page["resources"].as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()),
        );
        pages += 1;
        if page["nextCursor"].is_null() {
            break;
        }
        params = json!({"cursor": page["nextCursor"]});
    }
    let expected: Vec<_> = (0..350).map(|at| format!("alc://packages/p{at:03}/meta")).collect();
    names.retain(|name| name.contains("packages/p"));
    assert_eq!((names, pages), (expected, 4));
}

/// Returns the params of a call that samples the client's model.
fn call(code: &str, more: Value) -> Value {
    let mut params = json!({"name": "alc_run", "arguments": {"code": code},
                            "_meta": {"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}});
    let Value::Object(more) = more else { panic!("{more}") };
    params.as_object_mut().unwrap().extend(more);
    params
}

fn sampled(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"})
}

#[test]
fn run_resumes_at_another_server() {
    let dir = TestDir::new();
    let mut balancer = Balancer::new(&dir);
    let mut reply = balancer.ask("tools/call", call(CODE, json!({}))).json();
    let mut rounds = 0;
    while reply["result"]["resultType"] == "input_required" {
        rounds += 1;
        let state = reply["result"]["requestState"].clone();
        let answer = |(key, request): (&String, &Value)| {
            let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
            (key.clone(), sampled(&prompt.to_uppercase()))
        };
        let answers: Map<_, _> = reply["result"]["inputRequests"].as_object().unwrap().iter().map(answer).collect();
        reply =
            balancer.ask("tools/call", call(CODE, json!({"inputResponses": answers, "requestState": state}))).json();
    }
    assert_eq!(rounds, 2);
    assert_eq!(reply["result"]["structuredContent"]["result"], json!(["ONE", "TWO", "THREE"]), "{reply:#}");
}

#[test]
fn altered_request_state_is_refused() {
    let dir = TestDir::new();
    let mut balancer = Balancer::new(&dir);
    let answer = balancer.ask("tools/call", call(CODE, json!({}))).json();
    let state = answer["result"]["requestState"].as_str().unwrap().to_owned();
    let (head, tail) = state.split_at(state.len() / 2);
    let turned = if tail.starts_with('A') { "B" } else { "A" };
    for forged in
        [format!("{state}x"), head.to_owned(), format!("{head}{turned}{}", &tail[1..]), String::new(), "x".to_owned()]
    {
        for _ in 0..2 {
            let reply = balancer.ask("tools/call", call(CODE, json!({"requestState": forged})));
            assert_eq!((reply.status, reply.error_code()), (200, -32602), "{forged}: {reply:?}");
        }
    }
    // The state belongs to that call only.
    let reply = balancer.ask("tools/call", call("return 1", json!({"requestState": state})));
    assert_eq!(reply.error_code(), -32602);
    let again = balancer.ask("tools/call", call(CODE, json!({"requestState": state}))).json();
    assert_eq!(again["result"]["inputRequests"], answer["result"]["inputRequests"]);
}

/// The key moves from the cache, which may be deleted at any time.
#[test]
fn request_state_outlives_the_cache() {
    let dir = TestDir::new();
    dir.write_file("cache/seal.key", [7; 32]);
    let first = HttpServer::start_with(&dir, CONFIG, &[]);
    let code = "return alc.llm('one')";
    let asked = first.call("tools/call", call(code, json!({}))).json();
    drop(first);
    assert_eq!(fs::read(dir.app_path().join("server/seal.key")).unwrap(), [7; 32]);
    assert!(!dir.app_path().join("cache/seal.key").exists());
    fs::remove_dir_all(dir.app_path().join("cache")).unwrap();
    let (state, requests) = (&asked["result"]["requestState"], asked["result"]["inputRequests"].as_object().unwrap());
    let answers: Map<_, _> = requests.keys().map(|key| (key.clone(), sampled("ONE"))).collect();
    let second = HttpServer::start_with(&dir, CONFIG, &[]);
    let reply = second.call("tools/call", call(code, json!({"inputResponses": answers, "requestState": state}))).json();
    assert_eq!(reply["result"]["structuredContent"]["result"], "ONE", "{reply:#}");
}

/// A tool that asks its user and then counts its calls in a store; slowly, if the answer says so.
fn declare_counter(dir: &TestDir) {
    let body = "local said = ask.all { one = { form = { message = '?', schema = { type = 'object' } } } }\n\
                local kept = store.get('calls')\n\
                local count = (kept:get('count') or 0) + 1\n\
                kept:set('count', count)\n\
                if said.one.content.slow then time.sleep('1h') end\n\
                return {count = count}";
    super::declare(dir, "counts", "ask, store, time", "", body);
}

fn counts(more: Value) -> Value {
    let mut params = json!({"name": "counts", "arguments": {},
                            "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}});
    let Value::Object(more) = more else { panic!("{more}") };
    params.as_object_mut().unwrap().extend(more);
    params
}

#[test]
fn request_state_acts_once() {
    let dir = TestDir::new();
    declare_counter(&dir);
    let mut balancer = Balancer::new(&dir);
    let asked = balancer.ask("tools/call", counts(json!({}))).json();
    let state = &asked["result"]["requestState"];
    let with = |response: Value| counts(json!({"requestState": state, "inputResponses": {"one": response}}));
    let accepted = with(json!({"action": "accept", "content": {"a": 1}}));
    // Without a response to what was asked, nothing is used up.
    let other = counts(json!({"requestState": state, "inputResponses": {"other": {"action": "accept"}}}));
    assert_eq!(balancer.ask("tools/call", other).json()["result"]["resultType"], "input_required");
    let first = balancer.ask("tools/call", accepted.clone()).json();
    assert_eq!(first["result"]["structuredContent"], json!({"count": 1}), "{first}");
    // A client that lost the reply gets it again, from either server.
    for _ in 0..2 {
        assert_eq!(balancer.ask("tools/call", accepted.clone()).json()["result"], first["result"]);
    }
    let declined = balancer.ask("tools/call", with(json!({"action": "decline"})));
    assert_eq!(declined.error_code(), -32602, "{declined:?}");
    assert!(declined.json()["error"]["message"].as_str().unwrap().contains("used with other responses"));
}

#[test]
fn interrupted_call_is_reported_and_not_run_again() {
    let dir = TestDir::new();
    declare_counter(&dir);
    let mut first = HttpServer::start(&dir);
    let asked = first.call("tools/call", counts(json!({}))).json();
    let state = &asked["result"]["requestState"];
    let response = json!({"action": "accept", "content": {"slow": true}});
    let slow = counts(json!({"requestState": state, "inputResponses": {"one": response}}));
    let (mut connection, again) = (first.connect(), slow.clone());
    let (headers, message) = modern_request(1, "tools/call", slow);
    connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    let has_count = || {
        let values = fs::read_dir(dir.app_path().join("store/counts")).into_iter().flatten().flatten();
        values.filter_map(|value| fs::read_to_string(value.path()).ok()).any(|value| value.contains("calls/count"))
    };
    eventually("it has counted", has_count);
    let second = HttpServer::start(&dir);
    let running = second.call("tools/call", again.clone());
    assert_eq!(running.error_code(), -31_000, "{running:?}");
    first.kill();
    let interrupted = second.call("tools/call", again);
    assert_eq!(interrupted.error_code(), -32602, "{interrupted:?}");
    assert!(interrupted.json()["error"]["message"].as_str().unwrap().contains("was interrupted"), "{interrupted:?}");
    // A new call counts on from the one that was made.
    let asked = second.call("tools/call", counts(json!({}))).json();
    let state = &asked["result"]["requestState"];
    let response = json!({"action": "accept", "content": {}});
    let reply = second.call("tools/call", counts(json!({"requestState": state, "inputResponses": {"one": response}})));
    assert_eq!(reply.json()["result"]["structuredContent"], json!({"count": 2}), "{reply:?}");
}

/// A handler that acts and then asks under the same key again: the first token is used up.
#[test]
fn request_state_acts_once_where_the_same_key_is_asked_again() {
    let dir = TestDir::new();
    let asks = "ask.all { one = { form = { message = '?', schema = { type = 'object' } } } }";
    let body = format!(
        "local said = {asks}\n\
         local kept = store.get('calls')\n\
         kept:set('count', (kept:get('count') or 0) + 1)\n\
         local again = {asks}\n\
         return {{count = kept:get('count')}}"
    );
    super::declare(&dir, "counts", "ask, store, time", "", &body);
    let mut balancer = Balancer::new(&dir);
    let asked = balancer.ask("tools/call", counts(json!({}))).json();
    let with = |state: &Value, content: Value| {
        let response = json!({"action": "accept", "content": content});
        counts(json!({"requestState": state, "inputResponses": {"one": response}}))
    };
    let state = &asked["result"]["requestState"];
    let first = balancer.ask("tools/call", with(state, json!({"a": 1}))).json();
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    for _ in 0..3 {
        assert_eq!(balancer.ask("tools/call", with(state, json!({"a": 1}))).json()["result"], first["result"]);
        let other = balancer.ask("tools/call", with(state, json!({"a": 2})));
        assert_eq!(other.error_code(), -32602, "{other:?}");
    }
    let done = balancer.ask("tools/call", with(&first["result"]["requestState"], json!({"a": 1}))).json();
    assert_eq!(done["result"]["structuredContent"], json!({"count": 1}), "{done}");
}
