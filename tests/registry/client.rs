//! Input requests from handlers: while the call waits, or by ending the call and repeating it.

use serde_json::{Value, json};
use wardroom_registry::limits::{MAX_CONCURRENT_INPUT_REQUESTS, MAX_REQUEST_STATE_JOURNAL_BYTES};

use super::{declare, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually, wardroom_command};

/// A client with these capabilities, and its server.
struct ConnectedClient {
    stdio: StdioClient,
    revision: ClientRevision,
    capabilities: Value,
    next: u64,
}

impl ConnectedClient {
    fn start(dir: &TestDir, revision: ClientRevision, capabilities: Value) -> Self {
        Self::start_with(dir, revision, capabilities, &["--service", "registry"])
    }

    fn start_with(dir: &TestDir, revision: ClientRevision, capabilities: Value, args: &[&str]) -> Self {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).args(args);
        let mut stdio = StdioClient::spawn(command, revision);
        if revision == ClientRevision::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            });
            stdio.send(&json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}));
            stdio.receive();
            stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        Self { stdio, revision, capabilities, next: 1 }
    }

    /// Sends a request with the fields that the revision adds to it. Returns its id.
    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.revision == ClientRevision::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        self.stdio.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Returns the next message that is no notification.
    fn receive(&mut self) -> Value {
        loop {
            let message = self.stdio.receive();
            if message.get("id").is_some() {
                return message;
            }
        }
    }

    /// Repeats the call of a tool, with responses to its input requests.
    #[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    fn repeat_call(&mut self, name: &str, arguments: &Value, first: &Value, answers: Value) -> Value {
        let params = json!({
            "name": name, "arguments": arguments, "inputResponses": answers, "requestState": first["requestState"],
        });
        self.send("tools/call", params);
        self.receive()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.send("tools/call", json!({"name": name, "arguments": arguments}));
        self.receive()
    }
}

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

/// Returns an entry that lists these modules.
fn listing(entry: &str, modules: &str) -> String {
    entry.replace("    meta:", &format!("    modules: [{modules}]\n    meta:"))
}

const NAME: &str = "local answer, why = elicit.form('Your name?', { type = 'object', properties = { name = { type = 'string' } } })\n\
                    if not answer then return nil, why end\n";

#[test]
fn legacy_client_is_asked_while_call_waits() {
    let dir = TestDir::new();
    let body = format!(
        "{NAME}local said = sample.create('Hello')\nlocal roots = roots.list()\n\
                        return answer.action .. ' ' .. answer.content.name .. ' ' .. said.content.text .. ' ' .. roots[1].uri"
    );
    declare(&dir, &listing(&tool(&dir, "asks", "", &body), "elicit, sample, roots"));
    let mut client = ConnectedClient::start(&dir, ClientRevision::Legacy, everything());
    let id = client.send("tools/call", json!({"name": "asks", "arguments": {}}));
    for (method, result) in [
        ("elicitation/create", json!({"action": "accept", "content": {"name": "Ada"}})),
        (
            "sampling/createMessage",
            json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}),
        ),
        ("roots/list", json!({"roots": [{"uri": "file:///work"}]})),
    ] {
        let request = client.receive();
        assert_eq!(request["method"], method, "{request}");
        if method == "elicitation/create" {
            assert_eq!(request["params"]["message"], "Your name?");
            assert_eq!(request["params"]["requestedSchema"]["properties"], json!({"name": {"type": "string"}}));
        }
        client.stdio.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }
    let answer = client.receive();
    assert_eq!(answer["id"], json!(id));
    assert_eq!(answer["result"]["content"][0]["text"], "accept Ada Hi file:///work", "{answer}");
}

/// A client that checks nothing may send anything.
#[test]
fn values_that_do_not_fit_form_are_error_of_call() {
    let dir = TestDir::new();
    let schema = "{ type = 'object', properties = { age = { type = 'integer', minimum = 1 } }, required = { 'age' } }";
    let body = format!(
        "local answer, why = elicit.form('Your age?', {schema})\n\
         return tostring(why) .. ' ' .. tostring(answer and answer.action)"
    );
    let broken = "return elicit.form('?', { properties = { n = { type = 'number', minimum = 'one' } } })";
    // What a client is not shown is not required of its user.
    let shown =
        "{ properties = { color = { type = 'string', pattern = '^x' } }, required = {}, additionalProperties = false }";
    let optional = format!("return elicit.form('Your color?', {shown}).content.color or 'none'");
    declare(
        &dir,
        &[
            listing(&tool(&dir, "asks", "", &body), "elicit"),
            listing(&tool(&dir, "broken", "", broken), "elicit"),
            listing(&tool(&dir, "optional", "", &optional), "elicit"),
        ]
        .concat(),
    );
    let misfit = |why: &str| format!("the client's response does not fit the form: {why} nil");
    let cases = [
        ("asks", json!({"action": "accept", "content": {"age": 36}}), "nil accept".to_owned()),
        (
            "asks",
            json!({"action": "accept", "content": {"age": 0}}),
            misfit("/age: the value is less than the minimum of 1"),
        ),
        ("asks", json!({"action": "accept"}), misfit("/: \"age\" is a required property")),
        ("asks", json!({"action": "decline", "content": {}}), "nil decline".to_owned()),
        ("optional", json!({"action": "accept", "content": {"color": "red", "more": 1}}), "red".to_owned()),
        ("optional", json!({"action": "accept"}), "none".to_owned()),
    ];
    for revision in [ClientRevision::Legacy, ClientRevision::Modern] {
        let mut client = ConnectedClient::start(&dir, revision, everything());
        for (tool, response, text) in &cases {
            let done = if revision == ClientRevision::Legacy {
                client.send("tools/call", json!({"name": tool, "arguments": {}}));
                let request = client.receive();
                client.stdio.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": response}));
                client.receive()
            } else {
                let first = client.call(tool, &json!({}))["result"].take();
                client.repeat_call(tool, &json!({}), &first, json!({"elicit_1": response}))
            };
            assert_eq!(done["result"]["content"][0]["text"], *text, "{done}");
        }
        let refused = client.call("broken", &json!({}));
        let message = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            message.contains("the elicitation request does not have the form that the protocol defines"),
            "{refused}"
        );
    }
}

/// A response can no longer arrive, so the call continues with an error.
#[test]
fn pending_input_request_fails_when_stdin_closes() {
    let dir = TestDir::new();
    declare(&dir, &listing(&tool(&dir, "asks", "", NAME), "elicit"));
    let mut client = ConnectedClient::start(&dir, ClientRevision::Legacy, everything());
    let id = client.send("tools/call", json!({"name": "asks", "arguments": {}}));
    assert_eq!(client.receive()["method"], "elicitation/create");
    client.stdio.close_input();
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)), "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("the client has ended"), "{answer}");
}

#[test]
fn modern_client_is_asked_by_ending_call_and_effects_happen_once() {
    let dir = TestDir::new();
    let body = format!(
        "local kept = store.get('app:store')\n\
         kept:set('count', (kept:get('count') or 0) + 1)\n\
         {NAME}\
         local color, problem = elicit.form('Color?', {{ type = 'object', properties = {{ c = {{ type = 'string' }} }} }})\n\
         if not color then return nil, problem end\n\
         return answer.content.name .. ' likes ' .. color.content.c .. ', run ' .. kept:get('count')"
    );
    declare(&dir, &listing(&tool(&dir, "asks", "", &body), "elicit, store"));
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let arguments = json!({});
    let first = client.call("asks", &arguments)["result"].take();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let (key, request) = first["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Your name?");
    // An invalid response is requested again.
    for wrong in [json!({"other": {"action": "accept"}}), json!({key: 7}), json!({key: {"action": "perhaps"}})] {
        let repeated = client.repeat_call("asks", &arguments, &first, wrong)["result"].take();
        assert_eq!(repeated["resultType"], "input_required", "{repeated}");
    }
    let answer = json!({key: {"action": "accept", "content": {"name": "Ada"}}, "more": 1});
    let second = client.repeat_call("asks", &arguments, &first, answer)["result"].take();
    assert_eq!(second["resultType"], "input_required", "{second}");
    assert_ne!(second["requestState"], first["requestState"]);
    let (key, request) = second["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["message"], "Color?");
    // Another server on the AppDir accepts the request state too.
    let mut other = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let answer = json!({key: {"action": "accept", "content": {"c": "red"}}});
    let third = other.repeat_call("asks", &arguments, &second, answer)["result"].take();
    assert_eq!(third["content"][0]["text"], "Ada likes red, run 1", "{third}");
}

#[test]
fn notification_before_input_request_is_not_repeated() {
    let dir = TestDir::new();
    let body = format!(
        "local before = alc.state.get('n') or 0\nprogress.report(1)\nalc.state.set('n', before + 1)\n{NAME}\
         progress.report(2)\nalc.state.set('m', 1)\n\
         return before .. ' ' .. alc.state.get('n') .. ' ' .. alc.state.get('m')"
    );
    let other = tool(&dir, "other", "", "alc.state.set('n', 10)\nreturn 'set'");
    declare(&dir, &[listing(&tool(&dir, "asks", "", &body), "elicit, alc, progress"), listing(&other, "alc")].concat());
    let mut client = ConnectedClient::start_with(&dir, ClientRevision::Modern, everything(), &[]);
    let first = client.call("asks", &json!({}))["result"].take();
    assert_eq!(first["resultType"], "input_required", "{first}");
    // A value that another call sets meanwhile stays.
    let set = client.call("other", &json!({}));
    assert_eq!(set["result"]["content"][0]["text"], "set", "{set}");
    let repeated =
        client.repeat_call("asks", &json!({}), &first, json!({"other": {"action": "accept"}}))["result"].take();
    assert_eq!(repeated["resultType"], "input_required", "{repeated}");
    let answer = json!({"elicit_1": {"action": "accept", "content": {"name": "Ada"}}});
    let done = client.repeat_call("asks", &json!({}), &repeated, answer);
    assert_eq!(done["result"]["content"][0]["text"], "0 10 1", "{done}");
}

#[test]
fn input_request_keeps_key_when_call_is_repeated() {
    let dir = TestDir::new();
    // The first request is refused before it gets a key.
    let body =
        format!("local none = sample.create({{ messages = {{ {{ role = 'user' }} }} }})\n{NAME}return answer.action");
    declare(&dir, &listing(&tool(&dir, "asks", "", &body), "elicit, sample"));
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let first = client.call("asks", &json!({}))["result"].take();
    let key = first["inputRequests"].as_object().unwrap_or_else(|| panic!("{first}")).keys().next().unwrap();
    let done = client.repeat_call("asks", &json!({}), &first, json!({key: {"action": "decline"}}));
    assert_eq!(done["result"]["content"][0]["text"], "decline", "{done}");
}

#[test]
fn request_state_is_encrypted_and_bound_to_call() {
    let dir = TestDir::new();
    let body = format!(
        "store.get('x'):set('k', 'a secret of the handler')\nlocal v = store.get('x'):get('k')\n{NAME}return v .. answer.action"
    );
    let entries = [
        listing(&tool(&dir, "asks", "", &body), "elicit, store"),
        listing(&tool(&dir, "other", "", &body), "elicit, store"),
    ];
    declare(&dir, &entries.concat());
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let first = client.call("asks", &json!({"a": 1}))["result"].take();
    let state = first["requestState"].as_str().unwrap().to_owned();
    assert!(!state.contains("secret"));
    let answer = json!({"elicit_1": {"action": "accept"}});
    let refused = [
        ("asks", json!({"a": 1}), format!("{state}-TAMPERED")),
        ("asks", json!({"a": 1}), "x".to_owned()),
        ("asks", json!({"a": 2}), state.clone()),
        ("other", json!({"a": 1}), state),
    ];
    for (name, arguments, state) in refused {
        let repeated = client.repeat_call(name, &arguments, &json!({"requestState": state}), answer.clone());
        assert_eq!(repeated["error"]["code"], -32602, "{repeated}");
    }
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let done = client.repeat_call("asks", &json!({"a": 1}), &first, json!({key: {"action": "decline"}}));
    assert_eq!(done["result"]["content"][0]["text"], "a secret of the handlerdecline", "{done}");
}

#[test]
fn request_state_of_changed_handler_is_refused() {
    let dir = TestDir::new();
    let body = |message: &str| format!("local n = store.get('x'):get('{message}')\n{NAME}return 'done'");
    declare(&dir, &listing(&tool(&dir, "asks", "", &body("a")), "elicit, store"));
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let first = client.call("asks", &json!({}))["result"].take();
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let changed = listing(&tool(&dir, "asks", "", &body("b")), "elicit, store");
    // A second tool shows when the change was noticed.
    let marker = listing(&tool(&dir, "marker", "", "return 'here'"), "");
    declare(&dir, &[changed, marker].concat());
    eventually("the change is noticed", || client.call("marker", &json!({})).get("error").is_none());
    let answer = json!({key: {"action": "accept", "content": {"name": "x"}}});
    let refused = client.repeat_call("asks", &json!({}), &first, answer);
    let message = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert_eq!(message, "the handler has changed since: call again without requestState");
}

#[test]
fn client_without_capability_is_not_asked() {
    let dir = TestDir::new();
    let caught = "local answer, why = elicit.form('Name?', { type = 'object', properties = {} })\nreturn tostring(why)";
    let entries = [
        listing(&tool(&dir, "asks", "", &format!("{NAME}return 'x'")), "elicit"),
        listing(&tool(&dir, "catches", "", caught), "elicit"),
        listing(&tool(&dir, "needs", "      mcp.needs: [sampling]\n", "return 'ran'"), ""),
    ];
    declare(&dir, &entries.concat());
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, json!({"roots": {}}));
    let error = client.call("asks", &json!({}))["error"].take();
    assert_eq!(
        (&error["code"], &error["data"]),
        (&json!(-32021), &json!({"requiredCapabilities": {"elicitation": {}}}))
    );
    let error = client.call("needs", &json!({}))["error"].take();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32021), &json!({"requiredCapabilities": {"sampling": {}}})));
    let caught = client.call("catches", &json!({}))["result"].take();
    assert!(caught["content"][0]["text"].as_str().unwrap().contains("a client that can ask its user"), "{caught}");
    let mut legacy = ConnectedClient::start(&dir, ClientRevision::Legacy, json!({}));
    let failed = legacy.call("needs", &json!({}))["result"].take();
    assert_eq!(failed["isError"], true, "{failed}");
}

#[test]
fn prompts_and_resources_request_input() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/p.lua",
        super::handler("get", &format!("{NAME}return 'Hello ' .. answer.content.name")),
    );
    dir.write_file(
        "registry/app/r.lua",
        super::handler("read", &format!("{NAME}return 'Read by ' .. answer.content.name")),
    );
    declare(
        &dir,
        "  - name: p\n    kind: function.lua\n    source: file://p.lua\n    method: get\n    modules: [elicit]\n    meta:\n      \
         mcp.prompt: true\n      mcp.prompt.name: p\n  - name: r\n    kind: function.lua\n    source: file://r.lua\n    \
         method: read\n    modules: [elicit]\n    meta:\n      mcp.resource: true\n      mcp.resource.uri: test://r\n",
    );
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    for (method, params, pointer, expected) in [
        ("prompts/get", json!({"name": "p"}), "/messages/0/content/text", "Hello Ada"),
        ("resources/read", json!({"uri": "test://r"}), "/contents/0/text", "Read by Ada"),
    ] {
        client.send(method, params.clone());
        let first = client.receive()["result"].take();
        assert_eq!(first["resultType"], "input_required", "{first}");
        let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let mut repeated = params;
        repeated["inputResponses"] = json!({key: {"action": "accept", "content": {"name": "Ada"}}});
        repeated["requestState"] = first["requestState"].clone();
        client.send(method, repeated);
        let done = client.receive();
        assert_eq!(done["result"].pointer(pointer), Some(&json!(expected)), "{done}");
    }
}

#[test]
fn request_state_and_concurrent_requests_are_bounded() {
    let dir = TestDir::new();
    let read = "local s = store.get('x')\ns:set('k', string.rep('x', arguments.n))\nlocal v = s:get('k')\n";
    let form = "{ form = { message = '?', schema = { type = 'object', properties = {} } } }";
    let many = format!(
        "local all = {{}}\nfor n = 1, arguments.n do all['q' .. n] = {form} end\nlocal told, why = ask.all(all)\n\
         return tostring(why)"
    );
    let entries = [
        listing(&tool(&dir, "reads", "", &format!("{read}{NAME}return answer.action")), "elicit, store"),
        listing(&tool(&dir, "many", "", &many), "ask"),
    ];
    declare(&dir, &entries.concat());
    let mut client = ConnectedClient::start(&dir, ClientRevision::Modern, everything());
    let carried = client.call("reads", &json!({"n": MAX_REQUEST_STATE_JOURNAL_BYTES - 1024}));
    assert_eq!(carried["result"]["resultType"], "input_required", "{carried:.300}");
    let refused = client.call("reads", &json!({"n": MAX_REQUEST_STATE_JOURNAL_BYTES}))["result"].take();
    assert_eq!(refused["structuredContent"]["error"]["code"], "TOO_LARGE", "{refused}");
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("more than 64 KiB"), "{refused}");
    let requests = client.call("many", &json!({"n": MAX_CONCURRENT_INPUT_REQUESTS}))["result"]["inputRequests"].take();
    assert_eq!(requests.as_object().unwrap().len(), MAX_CONCURRENT_INPUT_REQUESTS);
    let refused = client.call("many", &json!({"n": MAX_CONCURRENT_INPUT_REQUESTS + 1}));
    assert_eq!(refused["result"]["content"][0]["text"], "send 1 to 32 requests at once", "{refused}");
}
