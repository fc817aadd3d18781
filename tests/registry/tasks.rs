//! Calls that continue as tasks, on two servers of one AppDir that are used in turn.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{declare, tool};
use wardroom_test_support::{HttpReply, HttpServer, TestDir};

const TASKS: &str = "io.modelcontextprotocol/tasks";
/// Only the service that is needed.
const ARGS: &[&str] = &["--service", "registry"];

struct Pair {
    servers: Vec<HttpServer>,
    turn: usize,
    capabilities: Value,
}

impl Pair {
    fn start(dir: &TestDir) -> Self {
        let servers = (0..2).map(|_| HttpServer::start_with(dir, "", ARGS)).collect();
        Self { servers, turn: 0, capabilities: json!({"extensions": {TASKS: {}}, "elicitation": {}}) }
    }

    fn at(&self, server: usize, method: &str, mut params: Value) -> HttpReply {
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": self.capabilities});
        self.servers[server].call(method, params)
    }

    /// Sends a request to the next server in turn.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.turn += 1;
        self.at(self.turn % self.servers.len(), method, params).json()
    }

    #[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    }

    fn get(&mut self, task: &Value) -> Value {
        self.ask("tasks/get", json!({"taskId": task["taskId"]}))["result"].clone()
    }

    /// Polls both servers until a condition holds.
    fn until(&mut self, task: &Value, is_so: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let now = self.get(task);
            if is_so(&now) {
                return now;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{now}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(&mut self, task: &Value) -> Value {
        self.until(task, |task| !matches!(task["status"].as_str(), Some("working" | "input_required")))
    }
}

fn dir() -> TestDir {
    let dir = TestDir::new();
    let task = "      mcp.task: optional\n";
    let lists =
        |modules: &str, entry: String| entry.replace("    meta:\n", &format!("    modules: [{modules}]\n    meta:\n"));
    let form = "{ type = 'object', properties = { name = { type = 'string' } } }";
    let entries = [
        tool(&dir, "quick", task, "return 'quick ' .. arguments.a"),
        tool(&dir, "large", task, "return string.rep('x', 2 * 1024 * 1024)"),
        tool(&dir, "fails", task, "return nil, 'no luck'"),
        tool(&dir, "refused", task, "return nil, { code = -32001, message = 'no', data = { why = 'so' } }"),
        lists("time", tool(&dir, "slow", task, "time.sleep('100s') return 1")),
        tool(&dir, "busy", task, "while true do end"),
        lists(
            "progress,time",
            tool(&dir, "busily", task, "for i = 1, 10000 do progress.report(i, 10000, 'x') time.sleep('30ms') end"),
        ),
        lists("progress,time", tool(&dir, "says", task, "progress.report(1, 2, 'half') time.sleep('100s')")),
        lists(
            "elicit,store",
            tool(
                &dir,
                "asks",
                task,
                &format!(
                    "local kept = store.get('kept') local count = (kept:get('count') or 0) + 1 kept:set('count', count) \
                     local one = elicit.form('One?', {form}) local two = elicit.form('Two?', {form}) \
                     return one.content.name .. two.content.name .. count"
                ),
            ),
        ),
        lists(
            "ask",
            tool(
                &dir,
                "both",
                task,
                &format!(
                    "local all = ask.all({{ a = {{ form = {{ message = 'A?', schema = {form} }} }}, \
                     b = {{ form = {{ message = 'B?', schema = {form} }} }} }}) \
                     return all.a.content.name .. all.b.content.name"
                ),
            ),
        ),
        lists(
            "elicit,task",
            tool(
                &dir,
                "later",
                task,
                &format!("local one = elicit.form('One?', {form}) return tostring(task.start()) .. one.content.name"),
            ),
        ),
        tool(&dir, "only", "      mcp.task: required\n", "return 1"),
        tool(&dir, "never", "", "return 'never'"),
        tool(&dir, "hidden", "      mcp.task: optional\n      mcp.scope: inner\n", "return 'hidden'"),
    ];
    declare(&dir, &entries.concat());
    dir
}

fn accepted(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[test]
fn any_server_reports_task_status() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    let task = pair.call("quick", json!({"a": "one"}));
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    assert_eq!(task["ttlMs"], 3_600_000);
    let over = pair.end(&task);
    assert_eq!((&over["status"], &over["resultType"]), (&json!("completed"), &json!("complete")));
    assert_eq!(over["result"]["content"][0]["text"], "quick one");
    for (name, status, part) in [("fails", "completed", "/result/isError"), ("refused", "failed", "/error/code")] {
        let task = pair.call(name, json!({}));
        let over = pair.end(&task);
        assert_eq!(over["status"], status);
        assert_eq!(over.pointer(part), Some(&if name == "fails" { json!(true) } else { json!(-32001) }), "{over}");
    }
    assert!(pair.call("never", json!({}))["taskId"].is_null());
    // A large record is read at either server.
    let task = pair.call("large", json!({}));
    let over = pair.end(&task);
    assert_eq!(over["result"]["content"][0]["text"].as_str().map(str::len), Some(2 * 1024 * 1024));
    assert_eq!(pair.ask("tasks/cancel", json!({"taskId": task["taskId"]}))["result"]["resultType"], "complete");
    assert_eq!(pair.get(&task)["status"], "completed");
}

#[test]
fn input_requests_are_answered_at_any_server() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    let task = pair.call("asks", json!({}));
    let mut named = Vec::new();
    for name in ["one", "two"] {
        let asks = pair.until(&task, |task| task["status"] == "input_required");
        let key = asks["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        assert_eq!(asks["inputRequests"][&key]["method"], "elicitation/create");
        let ack = pair
            .ask("tasks/update", json!({"taskId": task["taskId"], "inputResponses": {key.clone(): accepted(name)}}));
        assert_eq!(ack["result"]["resultType"], "complete", "{ack}");
        named.push(key);
    }
    // The effects before the input requests happened once.
    assert_eq!(pair.end(&task)["result"]["content"][0]["text"], "onetwo1");
    assert_ne!(named[0], named[1]);

    let task = pair.call("both", json!({}));
    pair.until(&task, |task| task["status"] == "input_required");
    for (answers, left) in [(json!({"other": accepted("x")}), 2), (json!({"a": accepted("A")}), 1)] {
        pair.ask("tasks/update", json!({"taskId": task["taskId"], "inputResponses": answers}));
        let now = pair.get(&task);
        assert_eq!(now["inputRequests"].as_object().map(serde_json::Map::len), Some(left), "{now}");
    }
    pair.ask("tasks/update", json!({"taskId": task["taskId"], "inputResponses": {"b": accepted("B")}}));
    assert_eq!(pair.end(&task)["result"]["content"][0]["text"], "AB");
}

/// Waits until no process works on a task.
#[track_caller]
fn wait_until_stopped(dir: &TestDir, task: &Value) {
    let work = dir.app_path().join(format!("tasks/{}.work", task["taskId"].as_str().unwrap()));
    let start = Instant::now();
    while work.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "it still works");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn task_is_cancelled_from_another_server() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    for name in ["slow", "busy", "asks"] {
        let task = pair.call(name, json!({}));
        for _ in 0..2 {
            let ack = pair.ask("tasks/cancel", json!({"taskId": task["taskId"]}));
            assert_eq!(ack["result"]["resultType"], "complete", "{ack}");
        }
        assert_eq!(pair.get(&task)["status"], "cancelled");
        wait_until_stopped(&dir, &task);
        // A late result does not change the status.
        assert_eq!(pair.get(&task)["status"], "cancelled");
    }
    // A task that reports progress all the while is cancelled too.
    let task = pair.call("busily", json!({}));
    pair.until(&task, |task| task["statusMessage"].is_string());
    pair.ask("tasks/cancel", json!({"taskId": task["taskId"]}));
    wait_until_stopped(&dir, &task);
    let task = pair.call("says", json!({}));
    let reported = pair.until(&task, |task| task["statusMessage"].is_string());
    assert_eq!(reported["statusMessage"], "half");
}

#[test]
fn task_fails_when_its_server_dies() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    let task = pair.at(0, "tools/call", json!({"name": "slow", "arguments": {}})).json()["result"].clone();
    let asking = pair.at(0, "tools/call", json!({"name": "both", "arguments": {}})).json()["result"].clone();
    pair.until(&asking, |task| task["status"] == "input_required");
    assert_eq!(pair.get(&task)["status"], "working");
    pair.servers[0].kill();
    pair.servers.remove(0);
    let over = pair.get(&task);
    assert_eq!((&over["status"], &over["error"]["code"]), (&json!("failed"), &json!(-32603)), "{over}");
    // A task that waits for its client belongs to no server.
    let answers = json!({"a": accepted("A"), "b": accepted("B")});
    pair.ask("tasks/update", json!({"taskId": asking["taskId"], "inputResponses": answers}));
    assert_eq!(pair.end(&asking)["result"]["content"][0]["text"], "AB");
}

#[test]
fn handler_turns_call_into_task() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    let asked = pair.call("later", json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let again = json!({
        "name": "later", "arguments": {}, "requestState": asked["requestState"],
        "inputResponses": {key: accepted("me")},
    });
    let task = pair.ask("tools/call", again.clone())["result"].clone();
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(pair.end(&task)["result"]["content"][0]["text"], "trueme");
    // For a client without tasks, the call itself answers.
    pair.capabilities = json!({"elicitation": {}});
    let asked = pair.call("later", json!({}));
    let mut again = again;
    again["requestState"] = asked["requestState"].clone();
    assert_eq!(pair.ask("tools/call", again)["result"]["content"][0]["text"], "falseme");
}

#[test]
fn tasks_require_client_capability() {
    let dir = dir();
    let mut pair = Pair::start(&dir);
    let task = pair.call("quick", json!({"a": "x"}));
    pair.capabilities = json!({});
    assert_eq!(pair.call("quick", json!({"a": "y"}))["content"][0]["text"], "quick y");
    let refused = pair.ask("tools/call", json!({"name": "only", "arguments": {}}))["error"].clone();
    assert_eq!(refused["code"], -32021);
    assert!(refused["data"]["requiredCapabilities"]["extensions"][TASKS].is_object(), "{refused}");
    for (method, params) in
        [("tasks/get", json!({})), ("tasks/cancel", json!({})), ("tasks/update", json!({"inputResponses": {}}))]
    {
        let mut params = params;
        params["taskId"] = task["taskId"].clone();
        assert_eq!(pair.ask(method, params)["error"]["code"], -32021, "{method}");
    }
}

#[test]
fn task_is_visible_only_to_its_creator() {
    let dir = dir();
    let digest = |token: &str| wardroom_base::hex::encode_hex(&Sha256::digest(token));
    let config = format!(
        "[http.tokens.inner]\nsha256 = \"{}\"\n[http.tokens.outer]\nsha256 = \"{}\"\n\
         [http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\ntokens = [\"inner\"]\n",
        digest("/inner"),
        digest("/mcp")
    );
    let server = HttpServer::start_with(&dir, &config, ARGS);
    let ask = |path: &str, method: &str, mut params: Value| {
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}});
        let headers = [("authorization", format!("Bearer {path}"))];
        server.connect().call_at(path, &headers, method, params).json()
    };
    let task = ask("/inner", "tools/call", json!({"name": "hidden", "arguments": {}}))["result"]["taskId"].clone();
    assert!(task.is_string());
    assert!(ask("/inner", "tasks/get", json!({"taskId": task}))["result"].is_object());
    let missing = ask("/mcp", "tasks/get", json!({"taskId": "0".repeat(32)}))["error"].clone();
    assert_eq!(missing["code"], -32602);
    for id in [task, json!("../cache/seal"), json!(""), json!("x".repeat(1_000))] {
        let named = |method: &str, params: Value| {
            let reply = ask("/mcp", method, params);
            reply["error"]["code"].clone()
        };
        assert_eq!(named("tasks/get", json!({"taskId": id})), missing["code"]);
        assert_eq!(named("tasks/cancel", json!({"taskId": id})), missing["code"]);
        assert_eq!(
            named("tasks/update", json!({"taskId": id, "inputResponses": {"a": accepted("x")}})),
            missing["code"]
        );
    }
}
