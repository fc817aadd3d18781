//! What handlers ask their client: while the call waits, or by ending it and being called again.

use serde_json::{Value, json};
use wardroom_registry::limits::{MAX_CONCURRENT_INPUT_REQUESTS, MAX_REQUEST_STATE_JOURNAL_BYTES};

use super::{declare, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

/// A server for a client that can do all of it.
struct Asked {
    client: StdioClient,
    era: ClientRevision,
    can: Value,
    next: u64,
}

impl Asked {
    fn start(dir: &TestDir, era: ClientRevision, can: Value) -> Self {
        Self::start_with(dir, era, can, &["--service", "registry"])
    }

    fn start_with(dir: &TestDir, era: ClientRevision, can: Value, args: &[&str]) -> Self {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).args(args);
        let mut client = StdioClient::spawn(command, era);
        if era == ClientRevision::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": can, "clientInfo": {"name": "test", "version": "1"},
            });
            client.send(&json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}));
            client.receive();
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        Self { client, era, can, next: 1 }
    }

    /// Sends a request with what the era adds to it; its id.
    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.era == ClientRevision::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.can,
            });
        }
        self.client.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// The next message that is no notification.
    fn receive(&mut self) -> Value {
        loop {
            let message = self.client.receive();
            if message.get("id").is_some() {
                return message;
            }
        }
    }

    /// Calls a tool again, with what it asked for.
    #[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    fn again(&mut self, name: &str, arguments: &Value, asked: &Value, answers: Value) -> Value {
        let params = json!({
            "name": name, "arguments": arguments, "inputResponses": answers, "requestState": asked["requestState"],
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

/// An entry that lists these modules.
fn listing(entry: &str, modules: &str) -> String {
    entry.replace("    meta:", &format!("    modules: [{modules}]\n    meta:"))
}

const NAME: &str = "local answer, why = elicit.form('Your name?', { type = 'object', properties = { name = { type = 'string' } } })\n\
                    if not answer then return nil, why end\n";

#[test]
fn the_older_eras_are_asked_while_the_call_waits() {
    let dir = TestDir::new();
    let body = format!(
        "{NAME}local said = sample.create('Hello')\nlocal roots = roots.list()\n\
                        return answer.action .. ' ' .. answer.content.name .. ' ' .. said.content.text .. ' ' .. roots[1].uri"
    );
    declare(&dir, &listing(&tool(&dir, "asks", "", &body), "elicit, sample, roots"));
    let mut asked = Asked::start(&dir, ClientRevision::Legacy, everything());
    let id = asked.send("tools/call", json!({"name": "asks", "arguments": {}}));
    for (method, result) in [
        ("elicitation/create", json!({"action": "accept", "content": {"name": "Ada"}})),
        (
            "sampling/createMessage",
            json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}),
        ),
        ("roots/list", json!({"roots": [{"uri": "file:///work"}]})),
    ] {
        let request = asked.receive();
        assert_eq!(request["method"], method, "{request}");
        if method == "elicitation/create" {
            assert_eq!(request["params"]["message"], "Your name?");
            assert_eq!(request["params"]["requestedSchema"]["properties"], json!({"name": {"type": "string"}}));
        }
        asked.client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }
    let answer = asked.receive();
    assert_eq!(answer["id"], json!(id));
    assert_eq!(answer["result"]["content"][0]["text"], "accept Ada Hi file:///work", "{answer}");
}

/// Nobody can answer any more, so that the call goes on with that.
#[test]
fn a_question_ends_with_the_input() {
    let dir = TestDir::new();
    declare(&dir, &listing(&tool(&dir, "asks", "", NAME), "elicit"));
    let mut asked = Asked::start(&dir, ClientRevision::Legacy, everything());
    let id = asked.send("tools/call", json!({"name": "asks", "arguments": {}}));
    assert_eq!(asked.receive()["method"], "elicitation/create");
    asked.client.close_input();
    let answer = asked.receive();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)), "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("the client has ended"), "{answer}");
}

#[test]
fn the_newer_era_is_asked_by_ending_the_call_and_nothing_is_done_twice() {
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
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    let arguments = json!({});
    let first = asked.call("asks", &arguments)["result"].take();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let (key, request) = first["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Your name?");
    // What is no answer is asked again.
    for wrong in [json!({"other": {"action": "accept"}}), json!({key: 7}), json!({key: {"action": "perhaps"}})] {
        let again = asked.again("asks", &arguments, &first, wrong)["result"].take();
        assert_eq!(again["resultType"], "input_required", "{again}");
    }
    let answer = json!({key: {"action": "accept", "content": {"name": "Ada"}}, "more": 1});
    let second = asked.again("asks", &arguments, &first, answer)["result"].take();
    assert_eq!(second["resultType"], "input_required", "{second}");
    assert_ne!(second["requestState"], first["requestState"]);
    let (key, request) = second["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["message"], "Color?");
    // Another server on the AppDir takes it too.
    let mut other = Asked::start(&dir, ClientRevision::Modern, everything());
    let answer = json!({key: {"action": "accept", "content": {"c": "red"}}});
    let third = other.again("asks", &arguments, &second, answer)["result"].take();
    assert_eq!(third["content"][0]["text"], "Ada likes red, run 1", "{third}");
}

#[test]
fn what_was_told_before_a_question_is_not_told_again() {
    let dir = TestDir::new();
    let body = format!(
        "local before = alc.state.get('n') or 0\nprogress.report(1)\nalc.state.set('n', before + 1)\n{NAME}\
         progress.report(2)\nalc.state.set('m', 1)\n\
         return before .. ' ' .. alc.state.get('n') .. ' ' .. alc.state.get('m')"
    );
    let other = tool(&dir, "other", "", "alc.state.set('n', 10)\nreturn 'set'");
    declare(&dir, &[listing(&tool(&dir, "asks", "", &body), "elicit, alc, progress"), listing(&other, "alc")].concat());
    let mut asked = Asked::start_with(&dir, ClientRevision::Modern, everything(), &[]);
    let first = asked.call("asks", &json!({}))["result"].take();
    assert_eq!(first["resultType"], "input_required", "{first}");
    // What somebody else sets meanwhile stays.
    let set = asked.call("other", &json!({}));
    assert_eq!(set["result"]["content"][0]["text"], "set", "{set}");
    let again = asked.again("asks", &json!({}), &first, json!({"other": {"action": "accept"}}))["result"].take();
    assert_eq!(again["resultType"], "input_required", "{again}");
    let answer = json!({"elicit_1": {"action": "accept", "content": {"name": "Ada"}}});
    let done = asked.again("asks", &json!({}), &again, answer);
    assert_eq!(done["result"]["content"][0]["text"], "0 10 1", "{done}");
}

#[test]
fn a_question_has_its_name_when_the_call_comes_again() {
    let dir = TestDir::new();
    // The first one is refused before it has a name.
    let body =
        format!("local none = sample.create({{ messages = {{ {{ role = 'user' }} }} }})\n{NAME}return answer.action");
    declare(&dir, &listing(&tool(&dir, "asks", "", &body), "elicit, sample"));
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    let first = asked.call("asks", &json!({}))["result"].take();
    let key = first["inputRequests"].as_object().unwrap_or_else(|| panic!("{first}")).keys().next().unwrap();
    let done = asked.again("asks", &json!({}), &first, json!({key: {"action": "decline"}}));
    assert_eq!(done["result"]["content"][0]["text"], "decline", "{done}");
}

#[test]
fn what_a_client_carries_is_sealed() {
    let dir = TestDir::new();
    let body = format!(
        "store.get('x'):set('k', 'a secret of the handler')\nlocal v = store.get('x'):get('k')\n{NAME}return v .. answer.action"
    );
    let entries = [
        listing(&tool(&dir, "asks", "", &body), "elicit, store"),
        listing(&tool(&dir, "other", "", &body), "elicit, store"),
    ];
    declare(&dir, &entries.concat());
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    let first = asked.call("asks", &json!({"a": 1}))["result"].take();
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
        let again = asked.again(name, &arguments, &json!({"requestState": state}), answer.clone());
        assert_eq!(again["error"]["code"], -32602, "{again}");
    }
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let done = asked.again("asks", &json!({"a": 1}), &first, json!({key: {"action": "decline"}}));
    assert_eq!(done["result"]["content"][0]["text"], "a secret of the handlerdecline", "{done}");
}

#[test]
fn a_handler_that_changed_or_asks_otherwise_is_refused() {
    let dir = TestDir::new();
    let body = |message: &str| format!("local n = store.get('x'):get('{message}')\n{NAME}return 'done'");
    declare(&dir, &listing(&tool(&dir, "asks", "", &body("a")), "elicit, store"));
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    let first = asked.call("asks", &json!({}))["result"].take();
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    tool(&dir, "asks", "", &body("b"));
    let answer = json!({key: {"action": "accept", "content": {"name": "x"}}});
    let deadline = std::time::Instant::now() + wardroom_test_support::TEST_TIMEOUT;
    let refused = loop {
        let again = asked.again("asks", &json!({}), &first, answer.clone());
        if again.get("error").is_some() || std::time::Instant::now() > deadline {
            break again;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let message = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert_eq!(message, "the handler is another one by now: call again without requestState");
}

#[test]
fn a_client_is_not_asked_for_what_it_cannot() {
    let dir = TestDir::new();
    let caught = "local answer, why = elicit.form('Name?', { type = 'object', properties = {} })\nreturn tostring(why)";
    let entries = [
        listing(&tool(&dir, "asks", "", &format!("{NAME}return 'x'")), "elicit"),
        listing(&tool(&dir, "catches", "", caught), "elicit"),
        listing(&tool(&dir, "needs", "      mcp.needs: [sampling]\n", "return 'ran'"), ""),
    ];
    declare(&dir, &entries.concat());
    let mut asked = Asked::start(&dir, ClientRevision::Modern, json!({"roots": {}}));
    let error = asked.call("asks", &json!({}))["error"].take();
    assert_eq!(
        (&error["code"], &error["data"]),
        (&json!(-32021), &json!({"requiredCapabilities": {"elicitation": {}}}))
    );
    let error = asked.call("needs", &json!({}))["error"].take();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32021), &json!({"requiredCapabilities": {"sampling": {}}})));
    let caught = asked.call("catches", &json!({}))["result"].take();
    assert!(caught["content"][0]["text"].as_str().unwrap().contains("cannot ask its user"), "{caught}");
    let mut older = Asked::start(&dir, ClientRevision::Legacy, json!({}));
    let failed = older.call("needs", &json!({}))["result"].take();
    assert_eq!(failed["isError"], true, "{failed}");
}

#[test]
fn prompts_and_resources_ask_too() {
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
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    for (method, params, pointer, expected) in [
        ("prompts/get", json!({"name": "p"}), "/messages/0/content/text", "Hello Ada"),
        ("resources/read", json!({"uri": "test://r"}), "/contents/0/text", "Read by Ada"),
    ] {
        asked.send(method, params.clone());
        let first = asked.receive()["result"].take();
        assert_eq!(first["resultType"], "input_required", "{first}");
        let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let mut again = params;
        again["inputResponses"] = json!({key: {"action": "accept", "content": {"name": "Ada"}}});
        again["requestState"] = first["requestState"].clone();
        asked.send(method, again);
        let done = asked.receive();
        assert_eq!(done["result"].pointer(pointer), Some(&json!(expected)), "{done}");
    }
}

#[test]
fn what_a_client_carries_and_is_asked_at_once_is_bounded() {
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
    let mut asked = Asked::start(&dir, ClientRevision::Modern, everything());
    let carried = asked.call("reads", &json!({"n": MAX_REQUEST_STATE_JOURNAL_BYTES - 1024}));
    assert_eq!(carried["result"]["resultType"], "input_required", "{carried:.300}");
    let refused = asked.call("reads", &json!({"n": MAX_REQUEST_STATE_JOURNAL_BYTES}))["result"].take();
    assert_eq!(refused["structuredContent"]["error"]["code"], "TOO_LARGE", "{refused}");
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("more than 65536 bytes"), "{refused}");
    let requests = asked.call("many", &json!({"n": MAX_CONCURRENT_INPUT_REQUESTS}))["result"]["inputRequests"].take();
    assert_eq!(requests.as_object().unwrap().len(), MAX_CONCURRENT_INPUT_REQUESTS);
    let refused = asked.call("many", &json!({"n": MAX_CONCURRENT_INPUT_REQUESTS + 1}));
    assert_eq!(refused["result"]["content"][0]["text"], "1 to 32 questions can be asked at once", "{refused}");
}
