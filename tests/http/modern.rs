//! Requests of the modern revision: each describes its client, and its headers repeat parts of its body.

use serde_json::{Value, json};

use wardroom_test_support::{HttpServer, TestDir, modern_request};

const TYPES: &str = "alc://types/alc.d.lua";

#[test]
fn request_without_session_is_answered() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let reply = connection.call("server/discover", json!({}));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.header("mcp-session-id"), None);
    assert_eq!(reply.json()["result"]["supportedVersions"].as_array().unwrap().len(), 5);
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "alc://packages/cot/meta"})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "alc_status", "arguments": {}})),
    ] {
        let reply = connection.call(method, params);
        let result = reply.json()["result"].clone();
        assert_eq!((reply.status, &result["resultType"]), (200, &json!("complete")), "{method}: {reply:?}");
    }
}

#[test]
fn protocol_errors_have_http_status() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let missing = connection.call("resources/read", json!({"uri": "alc://packages/nothing/meta"}));
    assert_eq!((missing.status, missing.error_code()), (200, -32602));
    for method in ["ping", "resources/subscribe", "logging/setLevel", "nothing/at/all"] {
        let reply = connection.call(method, json!({"uri": TYPES, "level": "info", "name": TYPES}));
        let code = reply.error_code();
        // The headers are checked before the method.
        assert!(matches!((reply.status, code), (404, -32601) | (400, -32020)), "{method}: {reply:?}");
    }
    for method in ["ping", "initialize"] {
        let reply = connection.call(method, json!({}));
        assert_eq!((reply.status, reply.error_code()), (404, -32601), "{method}");
    }
}

/// Sends a read with changed headers and metadata. Returns the status and the error code.
fn send_altered_read(
    server: &HttpServer,
    headers: &[(&'static str, Option<&str>)],
    meta: &[(&str, Option<Value>)],
) -> (u16, i64) {
    let (mut own, mut message) = modern_request(7, "resources/read", json!({"uri": TYPES}));
    for (name, value) in headers {
        own.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        own.extend(value.map(|value| (*name, value.to_owned())));
    }
    for (name, value) in meta {
        let fields = message["params"]["_meta"].as_object_mut().unwrap();
        let name = format!("io.modelcontextprotocol/{name}");
        fields.remove(&name);
        fields.extend(value.clone().map(|value| (name, value)));
    }
    let reply = server.connect().post("/mcp", &own, &message);
    let answer = reply.json();
    assert_eq!(answer["id"], 7, "{reply:?}");
    (reply.status, answer["error"]["code"].as_i64().unwrap_or(0))
}

#[test]
fn header_that_differs_from_body_is_rejected() {
    let dir = TestDir::new_demo();
    let server = HttpServer::start(&dir);
    let base64 = "=?base64?YWxjOi8vdHlwZXMvYWxjLmQubHVh?=";
    for (headers, meta, expected) in [
        (&[][..], &[][..], (200, 0)),
        (&[("mcp-name", Some(base64))], &[], (200, 0)),
        (&[("MCP-NAME", Some("  alc://types/alc.d.lua "))], &[], (200, 0)),
        (&[("mcp-method", None)], &[], (400, -32020)),
        (&[("mcp-method", Some("tools/call"))], &[], (400, -32020)),
        (&[("mcp-method", Some("Resources/Read"))], &[], (400, -32020)),
        (&[("mcp-name", None)], &[], (400, -32020)),
        (&[("mcp-name", Some("alc://types/other"))], &[], (400, -32020)),
        (&[("mcp-name", Some("=?base64?!!!?="))], &[], (400, -32020)),
        (&[("mcp-name", Some("=?base64?YWxj"))], &[], (400, -32020)),
        (&[("mcp-protocol-version", None)], &[], (400, -32020)),
        (&[("mcp-protocol-version", Some("2025-11-25"))], &[], (400, -32020)),
        (&[("mcp-protocol-version", Some("v999"))], &[("protocolVersion", Some(json!("v999")))], (400, -32022)),
        (&[], &[("protocolVersion", None)], (400, -32602)),
        (&[], &[("clientCapabilities", None)], (400, -32602)),
        (&[], &[("clientCapabilities", Some(json!(1)))], (400, -32602)),
    ] {
        assert_eq!(send_altered_read(&server, headers, meta), expected, "{headers:?} {meta:?}");
    }
    // A header that occurs twice could be read in two ways.
    let (mut own, message) = modern_request(7, "resources/read", json!({"uri": TYPES}));
    own.push(("mcp-name", TYPES.to_owned()));
    assert_eq!(server.connect().post("/mcp", &own, &message).error_code(), -32020);
}

#[test]
fn malformed_body_is_rejected() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let (headers, message) = modern_request(1, "server/discover", json!({}));
    let batch = format!("[{message}]");
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("{}{}", -32700),
        ("\u{1}", -32700),
        ("[]", -32600),
        (&batch, -32600),
        ("{}", -32600),
        ("1", -32600),
        ("null", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#, -32602),
    ] {
        let reply = connection.exchange("POST", "/mcp", &headers, Some(body.as_bytes()));
        assert_eq!((reply.status, reply.error_code()), (400, code), "{body:?}: {reply:?}");
    }
    let reply = connection.exchange("POST", "/mcp", &headers, Some(b"\xff\xfe"));
    assert_eq!((reply.status, reply.error_code()), (400, -32700));
}

#[test]
fn media_types_methods_and_paths_match_exactly() {
    let dir = TestDir::new();
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let (headers, message) = modern_request(1, "server/discover", json!({}));
    let mut with = |name: &'static str, value: &str| {
        let mut all = headers.clone();
        all.push((name, value.to_owned()));
        connection.post("/mcp", &all, &message).status
    };
    for (accept, status) in [
        ("application/json, text/event-stream", 200),
        ("text/event-stream;q=0.5, application/*", 200),
        ("*/*", 200),
        ("application/json", 406),
        ("text/event-stream", 406),
        ("text/html", 406),
        ("application/json, text/event-stream;q=0", 406),
    ] {
        assert_eq!(with("accept", accept), status, "{accept}");
    }
    for (kind, status) in [
        ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200),
        ("text/plain", 415),
        ("application/jsonx", 415),
    ] {
        assert_eq!(with("content-type", kind), status, "{kind}");
    }
    for path in ["/", "/mcp/", "//mcp", "/./mcp", "/mcp/../mcp", "/%6dcp", "/MCP", "/mcp%00", "/mcp;x", "/healthz/"] {
        let reply = connection.post(path, &headers, &message);
        assert_eq!(reply.status, 404, "{path}");
    }
    for (method, allowed) in [("PUT", "GET, POST, DELETE, OPTIONS"), ("PATCH", "GET, POST, DELETE, OPTIONS")] {
        let reply = connection.exchange(method, "/mcp", &[], None);
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allowed)));
    }
    // The modern revision has no sessions and no session streams.
    let modern = [("mcp-protocol-version", "2026-07-28".to_owned()), ("accept", "text/event-stream".to_owned())];
    for method in ["GET", "DELETE"] {
        assert_eq!(connection.exchange(method, "/mcp", &modern, None).status, 405);
    }
    assert_eq!(connection.exchange("POST", "/healthz", &[], Some(b"{}")).status, 405);
}

/// Headers repeat the arguments that a tool's schema marks with `x-mcp-header`.
#[test]
fn param_header_that_differs_from_argument_is_rejected() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/city.lua",
        "return { call = function(a) return tostring(a.city) .. tostring(a.count) end }\n",
    );
    let entry = |name: &str, more: &str| {
        format!(
            "  - name: {name}\n    kind: function.lua\n    source: file://city.lua\n    method: call\n    meta:\n      \
             mcp.tool: true\n      mcp.name: {name}\n      mcp.description: A city\n      {more}mcp.inputSchema:\n        \
             type: object\n        properties:\n          city: {{ type: string, x-mcp-header: City }}\n          \
             count: {{ type: integer, x-mcp-header: Count }}\n"
        )
    };
    let entries = entry("city", "") + &entry("scoped", "mcp.scope: inner\n      ");
    dir.write_file("registry/app/_index.yaml", format!("version: \"1.0\"\nnamespace: app\nentries:\n{entries}"));
    let config = "[http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\n";
    let server = HttpServer::start_with(&dir, config, &[]);
    let ask_for = |path: &str, name: &str, arguments: Value, more: &[(&'static str, &str)]| {
        let (mut headers, message) = modern_request(1, "tools/call", json!({"name": name, "arguments": arguments}));
        headers.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let reply = server.connect().post(path, &headers, &message);
        (reply.status, reply.json())
    };
    let ask = |arguments: Value, more: &[(&'static str, &str)]| ask_for("/mcp", "city", arguments, more);
    let both = json!({"city": "Bern", "count": 3});
    let right = [("mcp-param-city", "Bern"), ("mcp-param-count", "3")];
    for (arguments, headers, text) in [
        (both.clone(), &right[..], "Bern3"),
        (both.clone(), &[("mcp-param-city", "=?base64?QmVybg==?="), ("mcp-param-count", "3")], "Bern3"),
        (json!({}), &[], "nilnil"),
        // The same number, written otherwise.
        (both.clone(), &[("mcp-param-city", "Bern"), ("mcp-param-count", "3.0")], "Bern3"),
    ] {
        let (status, answer) = ask(arguments, headers);
        assert_eq!((status, &answer["result"]["content"][0]["text"]), (200, &json!(text)), "{answer}");
    }
    for headers in [
        &[][..],
        &right[..1],
        &[("mcp-param-city", "bern"), ("mcp-param-count", "3")],
        &[("mcp-param-city", "Bern"), ("mcp-param-count", "4")],
        &[("mcp-param-city", "=?base64?!!?="), ("mcp-param-count", "3")],
        &[("mcp-param-city", "Bern"), ("mcp-param-city", "Bern"), ("mcp-param-count", "3")],
    ] {
        let (status, answer) = ask(both.clone(), headers);
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{headers:?} {answer}");
    }
    // A header without an argument is refused.
    assert_eq!(ask(json!({}), &right).0, 400);
    // Tools that only some callers see are checked as well.
    let (status, answer) = ask_for("/inner", "scoped", both.clone(), &right);
    assert_eq!((status, &answer["result"]["content"][0]["text"]), (200, &json!("Bern3")), "{answer}");
    let (status, answer) = ask_for("/inner", "scoped", both.clone(), &right[..1]);
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{answer}");
    assert_eq!(ask_for("/mcp", "scoped", both, &[]).1["error"]["message"], "Unknown tool: scoped");
}
