//! Endpoints: the services of each, and the tokens that open them.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use wardroom_test_support::{
    HttpConnection, HttpReply, HttpServer, TestDir, modern_request, run_command, serve_command,
};

const BILLING: &str = "billing-token";
const ADMIN: &str = "admin-token";
const PLAIN: &str = "plain-token";

/// Two endpoints with a token each, an open one, and the default one, which gets the remaining token.
fn config() -> String {
    let token = |name: &str, token: &str| {
        let digest = Sha256::digest(token).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
        format!("[http.tokens.{name}]\nsha256 = \"{digest}\"\ngroups = [\"{name}\"]\n")
    };
    format!(
        "{}{}{}[http.endpoints.billing]\npath = \"/mcp/billing\"\nscope = \"billing\"\ntokens = [\"billing\"]\n\
         services = [\"resources\"]\n[http.endpoints.admin]\npath = \"/admin\"\nscope = \"admin\"\ntokens = [\"admin\"]\n\
         [http.endpoints.open]\npath = \"/open\"\ntokens = []\nstateless = true\n",
        token("billing", BILLING),
        token("admin", ADMIN),
        token("plain", PLAIN)
    )
}

fn at(server: &HttpServer, path: &str, authorization: Option<&str>, method: &str) -> HttpReply {
    let headers: Vec<_> = authorization.map(|value| ("authorization", value.to_owned())).into_iter().collect();
    server.connect().call_at(path, &headers, method, json!({}))
}

#[test]
fn token_opens_only_its_endpoint() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(), &[]);
    for (path, opens) in
        [("/mcp/billing", Some(BILLING)), ("/admin", Some(ADMIN)), ("/mcp", Some(PLAIN)), ("/open", None)]
    {
        for token in [BILLING, ADMIN, PLAIN] {
            let reply = at(&server, path, Some(&format!("Bearer {token}")), "server/discover");
            let expected = if opens.is_none_or(|opens| opens == token) { 200 } else { 401 };
            assert_eq!(reply.status, expected, "{path} {token}");
            if expected == 401 {
                let challenge = reply.header("www-authenticate").unwrap();
                assert_eq!(challenge, "Bearer realm=\"wardroom\", error=\"invalid_token\"");
            }
        }
        let reply = at(&server, path, None, "server/discover");
        assert_eq!(reply.status, if opens.is_some() { 401 } else { 200 }, "{path}");
        if opens.is_some() {
            assert_eq!(reply.header("www-authenticate"), Some("Bearer realm=\"wardroom\""));
        }
    }
    // Without a token a client learns only that the server runs.
    assert_eq!(server.connect().exchange("GET", "/healthz", &[], None).status, 200);
}

#[test]
fn invalid_token_is_rejected() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(), &[]);
    let digest = Sha256::digest(PLAIN).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
    for value in [
        "Bearer",
        "Bearer ",
        "Basic cGxhaW4tdG9rZW4=",
        PLAIN,
        &format!("Bearer {PLAIN}x"),
        &format!("Bearer {}", &PLAIN[1..]),
        &format!("Bearer {}", PLAIN.to_uppercase()),
        &format!("Bearer {PLAIN}, Bearer {ADMIN}"),
        &format!("Bearer {digest}"),
        &format!("Bearer {}", "x".repeat(10_000)),
        "Bearer ÿ",
    ] {
        assert_eq!(at(&server, "/mcp", Some(value), "server/discover").status, 401, "{value}");
    }
    assert_eq!(at(&server, "/mcp", Some(&format!("bEARER   {PLAIN}")), "server/discover").status, 200);
    let twice = ["authorization", "authorization"].map(|name| (name, format!("Bearer {PLAIN}")));
    assert_eq!(server.connect().call_at("/mcp", &twice, "server/discover", json!({})).status, 401);
    // Other methods are refused too, and the token is checked before the message.
    for method in ["GET", "DELETE", "PUT"] {
        assert_eq!(server.connect().exchange(method, "/mcp", &[], None).status, 401, "{method}");
    }
    assert_eq!(server.connect().exchange("POST", "/mcp", &[], Some(b"{")).status, 401);
}

#[test]
fn endpoint_offers_only_its_services() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start_with(&dir, &config(), &[]);
    let token = [("authorization", format!("Bearer {BILLING}"))];
    let mut connection = server.connect();
    let mut ask = |method: &str, params: Value| connection.call_at("/mcp/billing", &token, method, params).json();
    let tools = ask("tools/list", json!({}));
    let names: Vec<_> = tools["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["list_resources", "read_resource"]);
    assert_eq!(ask("resources/read", json!({"uri": "alc://packages/cot/meta"}))["error"]["code"], -32602);
    // Neither a tool of another service nor a tool that reads its resources.
    assert_eq!(
        ask("tools/call", json!({"name": "alc_run", "arguments": {"code": "return 1"}}))["error"]["code"],
        -32602
    );
    let read = json!({"name": "read_resource", "arguments": {"uri": "alc://packages/cot/meta"}});
    assert_ne!(ask("tools/call", read)["result"]["isError"], false);
}

#[test]
fn path_variants_are_not_found() {
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config(), &[]);
    for path in [
        "/mcp/../admin",
        "/mcp/billing/../../admin",
        "/mcp/billing/",
        "/mcp//billing",
        "/open/../admin",
        "/open/%2e%2e/admin",
        "/admin/",
        "/%61dmin",
        "/ADMIN",
        "/admin%2f",
        "/open;/admin",
        "/open\\..\\admin",
    ] {
        for token in [BILLING, PLAIN, ADMIN] {
            let reply = at(&server, path, Some(&format!("Bearer {token}")), "server/discover");
            assert_eq!(reply.status, 404, "{path}");
        }
    }
    // A query does not count as part of the path.
    assert_eq!(at(&server, "/admin?x=/open", Some(&format!("Bearer {PLAIN}")), "server/discover").status, 401);
    assert_eq!(at(&server, "/open?token=x", None, "server/discover").status, 200);
}

#[test]
fn session_is_bound_to_endpoint_and_token() {
    let dir = TestDir::new();
    let second = config().replace("tokens = [\"admin\"]", "tokens = [\"admin\", \"plain\"]")
        + "[http.endpoints.default]\npath = \"/mcp\"\ntokens = []\n";
    let server = HttpServer::start_with(&dir, &second, &[]);
    let begin = |connection: &mut HttpConnection<std::net::TcpStream>, path: &str, token: &str| {
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let reply = connection.post(path, &[("authorization", format!("Bearer {token}"))], &message);
        reply.header("mcp-session-id").unwrap().to_owned()
    };
    let mut connection = server.connect();
    let session = begin(&mut connection, "/admin", ADMIN);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (path, token, status) in [
        ("/admin", ADMIN, 200),
        ("/admin", PLAIN, 404),
        ("/mcp/billing", BILLING, 404),
        ("/admin", BILLING, 401),
        ("/open", PLAIN, 200),
    ] {
        let headers = [("authorization", format!("Bearer {token}")), ("mcp-session-id", session.clone())];
        // The open endpoint is stateless, so that each request is answered by itself.
        let reply = connection.post(path, &headers, &ping);
        assert_eq!(reply.status, status, "{path} {token}: {reply:?}");
        if path != "/admin" || token != ADMIN {
            let ended = connection.exchange("DELETE", path, &headers, None);
            assert!(matches!(ended.status, 401 | 404 | 405), "{ended:?}");
        }
    }
    let headers = [("authorization", format!("Bearer {ADMIN}")), ("mcp-session-id", session)];
    assert_eq!(connection.post("/admin", &headers, &ping).status, 200);
}

/// A fresh server for each request, as in one of the original systems.
#[test]
fn stateless_endpoint_answers_legacy_requests() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start_with(&dir, &config(), &[]);
    let mut connection = server.connect();
    let mut ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = connection.post("/open", &[("mcp-protocol-version", "2025-11-25".to_owned())], &message);
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None), "{reply:?}");
        let reply = reply.json();
        reply.get("result").unwrap_or(&reply["error"]["code"]).clone()
    };
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialized = ask("initialize", params);
    assert_eq!(initialized["protocolVersion"], "2025-11-25");
    // A client that no notification can reach is promised none.
    assert!(!initialized["capabilities"].to_string().contains("true"), "{initialized}");
    assert_eq!(ask("resources/subscribe", json!({"uri": "alc://packages/cot/meta"})), -32601);
    assert_eq!(ask("logging/setLevel", json!({"level": "info"})), -32601);
    assert_eq!(ask("ping", json!({})), json!({}));
    assert!(ask("resources/read", json!({"uri": "alc://packages/cot/meta"}))["contents"][0]["text"].is_string());
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(connection.post("/open", &[], &notification).status, 202);
    for method in ["GET", "DELETE"] {
        let reply = connection.exchange(method, "/open", &[], None);
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")));
    }
    let (headers, message) = modern_request(1, "tools/list", json!({}));
    assert_eq!(connection.post("/open", &headers, &message).status, 200);
}

/// Returns the message of a server that refuses to start with this configuration and these arguments.
#[track_caller]
fn startup_error(dir: &TestDir, config: &str, args: &[&str]) -> String {
    let done = run_command(&mut serve_command(dir, config, args));
    assert_eq!(done.status, 1, "{done:?}");
    done.stderr
}

#[test]
fn remote_listener_without_token_is_refused() {
    let dir = TestDir::new();
    for address in ["0.0.0.0:0", "[::]:0", "[::ffff:127.0.0.1]:0", "[::ffff:0.0.0.0]:0", "0:0"] {
        let error = startup_error(&dir, "", &["--http", address]);
        assert!(error.contains("the endpoint /mcp requires no token"), "{error}");
        assert!(error.contains("token new NAME"), "{error}");
        let error = startup_error(&dir, &config(), &["--http", address]);
        assert!(error.contains("the endpoint /open requires no token"), "{error}");
    }
    let closed = config().replace("tokens = []\n", "");
    let mut server = HttpServer::spawn(serve_command(&dir, &closed, &["--http", "0.0.0.0:0"]));
    server.address.set_ip([127, 0, 0, 1].into());
    assert_eq!(at(&server, "/mcp", None, "server/discover").status, 401);
    assert_eq!(at(&server, "/mcp", Some(&format!("Bearer {PLAIN}")), "server/discover").status, 200);
}

/// A token that one endpoint names is no longer a token of the endpoints that name none.
#[test]
fn endpoint_left_without_tokens_is_refused() {
    let dir = TestDir::new();
    let digest = "0".repeat(64);
    let team =
        format!("[http.tokens.team]\nsha256 = \"{digest}\"\n[http.endpoints.a]\npath = \"/a\"\ntokens = [\"team\"]\n");
    let silent = |path: &str| format!("{team}[http.endpoints.b]\npath = \"{path}\"\n");
    for (config, path) in [(team.clone(), "/mcp"), (silent("/mcp"), "/mcp"), (silent("/b"), "/b")] {
        let socket = dir.root().join("socket").display().to_string();
        for args in [["--http", "127.0.0.1:0"], ["--unix", &socket]] {
            let error = startup_error(&dir, &config, &args);
            assert!(error.contains(&format!("no token is left for the endpoint {path}")), "{error}");
            assert!(error.contains("token new NAME, or set tokens = []"), "{error}");
            assert!(!std::fs::exists(&socket).unwrap());
        }
    }
    let explicit = format!("{}tokens = []\n", silent("/mcp"));
    let server = HttpServer::start_with(&dir, &explicit, &[]);
    assert_eq!(at(&server, "/mcp", None, "server/discover").status, 200);
    assert_eq!(at(&server, "/a", None, "server/discover").status, 401);
    let more = format!("{team}[http.tokens.more]\nsha256 = \"{}\"\n", "1".repeat(64));
    let server = HttpServer::start_with(&dir, &more, &[]);
    assert_eq!(at(&server, "/mcp", None, "server/discover").status, 401);
}

#[test]
fn invalid_configuration_is_refused() {
    let dir = TestDir::new();
    let token = |name: &str| format!("[http.tokens.{name}]\nsha256 = \"{}\"\n", "0".repeat(64));
    let same = token("a") + &token("b");
    for (config, expected) in [
        ("[http.tokens.a]\nsha256 = \"12\"\n", "64 hexadecimal digits"),
        (&same, "tokens a and b have the same sha256"),
        ("[http.tokens.\"a b\"]\nsha256 = \"12\"\n", "a name has 1 to 64 letters"),
        ("[http.endpoints.a]\npath = \"mcp\"\n", "must begin with /"),
        ("[http.endpoints.a]\npath = \"/a/../b\"\n", "a name after each /"),
        ("[http.endpoints.a]\npath = \"/a%20\"\n", "a name after each /"),
        ("[http.endpoints.a]\npath = \"/\"\n", "a name after each /"),
        ("[http.endpoints.a]\npath = \"/healthz\"\n", "must not be /healthz"),
        ("[http.endpoints.a]\npath = \"/x\"\n[http.endpoints.b]\npath = \"/x\"\n", "have the same path"),
        ("[http.endpoints.a]\npath = \"/x\"\ntokens = [\"b\"]\n", "no token is called b"),
        ("[http.endpoints.a]\npath = \"/x\"\nscopes = [\"b\"]\n", "unknown field `scopes`"),
        ("[http.endpoints.a]\npath = \"/x\"\nservices = [\"weblog\"]\n", "names an unknown service: weblog"),
    ] {
        let stderr = startup_error(&dir, config, &["--http", "127.0.0.1:0"]);
        assert!(stderr.contains(expected), "{config}: {stderr}");
    }
}

/// The input requests and the tasks of one caller are not those of another one.
#[test]
fn request_state_and_tasks_are_bound_to_caller() {
    const TASKS: &str = "io.modelcontextprotocol/tasks";
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/ask.lua",
        "return { call = function() local one = ask.all { one = { form = { message = '?', schema = { type = 'object' } } } }\n\
         local two = ask.all { two = { form = { message = '?', schema = { type = 'object' } } } }\n\
         return one.one.content.name .. two.two.content.name end }\n",
    );
    dir.write_file(
        "registry/app/_index.yaml",
        "version: \"1.0\"\nnamespace: app\nentries:\n  - name: asks\n    kind: function.lua\n    source: file://ask.lua\n    \
         method: call\n    modules: [ask]\n    meta: { mcp.tool: true, mcp.name: asks, mcp.task: optional, \
         mcp.description: Asks }\n",
    );
    let digest = |token: &str| Sha256::digest(token).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
    let config = format!(
        "[http.tokens.alice]\nsha256 = \"{}\"\n[http.tokens.bob]\nsha256 = \"{}\"\n\
         [http.endpoints.one]\npath = \"/one\"\ntokens = [\"alice\", \"bob\"]\n\
         [http.endpoints.two]\npath = \"/two\"\ntokens = [\"alice\"]\n\
         [http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n",
        digest("alice"),
        digest("bob")
    );
    let server = HttpServer::start_with(&dir, &config, &[]);
    let ask = |path: &str, token: &str, method: &str, mut params: Value, tasks: bool| {
        let extensions = if tasks { json!({TASKS: {}}) } else { json!({}) };
        params["_meta"] =
            json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "extensions": extensions}});
        let headers = [("authorization", format!("Bearer {token}"))];
        server.connect().call_at(path, &headers, method, params).json()
    };
    let call = |more: Value| {
        let mut params = json!({"name": "asks", "arguments": {}});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let answer = |name: &str| json!({"action": "accept", "content": {"name": name}});
    let first = ask("/one", "alice", "tools/call", call(json!({})), false);
    let state = first["result"]["requestState"].clone();
    let first_response = call(json!({"requestState": state, "inputResponses": {"one": answer("secret")}}));
    let second = ask("/one", "alice", "tools/call", first_response, false);
    let state = second["result"]["requestState"].clone();
    assert!(state.is_string(), "{second}");
    let last = call(json!({"requestState": state, "inputResponses": {"two": answer("!")}}));
    assert_eq!(ask("/one", "bob", "tools/call", last.clone(), false)["error"]["code"], -32602);
    // A token is one caller at each of its endpoints.
    assert_eq!(ask("/two", "alice", "tools/call", last, false)["result"]["content"][0]["text"], "secret!");

    let task = ask("/one", "alice", "tools/call", call(json!({})), true)["result"]["taskId"].clone();
    assert!(task.is_string());
    let get = |path: &str, token: &str| ask(path, token, "tasks/get", json!({"taskId": task}), true);
    assert!(get("/one", "alice")["result"].is_object() && get("/two", "alice")["result"].is_object());
    assert_eq!(get("/one", "bob")["error"]["code"], -32602);
}
