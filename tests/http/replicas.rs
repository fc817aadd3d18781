//! Two servers on one AppDir, called in turn, as a load balancer without sticky sessions would.

use std::fs;

use serde_json::{Map, Value, json};

use wardroom_test_support::{HttpReply, HttpServer, TestDir};

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
