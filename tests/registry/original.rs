//! Entries from the original's documentation and its example server, loaded unchanged.

use serde_json::{Value, json};

use super::{call, call_text, declare, names, serve, tool};
use wardroom_test_support::{ClientRevision, HttpServer, TestDir, run_wardroom};

/// Writes the example with two endpoints, one of them for administrators. Its entries for the platform mean nothing
/// here.
fn example(dir: &TestDir) {
    dir.write_file(
        "registry/_index.yaml",
        r#"version: "1.0"
namespace: app

entries:
  - name: definition
    kind: ns.definition
    meta:
      title: MCP server
      description: Tools on two endpoints
  - name: __dependency.mcp
    kind: ns.dependency
    component: butschster/mcp-server
    version: "*"
    parameters:
      - name: router
        value: app:api
  - name: gateway
    kind: http.service
    addr: ":8085"
    lifecycle:
      auto_start: true
  - name: api
    kind: http.router
    meta:
      server: app:gateway
    prefix: /api
    middleware: [cors]
  - name: admin_mcp
    kind: http.endpoint
    meta:
      router: app:api
    method: POST
    path: /admin/mcp
    func: app:admin_handler
"#,
    );
    dir.write_file(
        "registry/tools/_index.yaml",
        r#"version: "1.0"
namespace: app.tools

entries:
  - name: text
    kind: library.lua
    source: file://text.lua
    modules: [json]

  # Public
  - name: echo
    kind: function.lua
    source: file://echo.lua
    method: call
    imports:
      text: app.tools:text
    pool:
      type: lazy
      max_size: 16
    meta:
      mcp.tool: true
      mcp.name: "echo"
      mcp.description: "Echoes back the text"
      mcp.inputSchema:
        type: object
        properties:
          text:
            type: string
            description: "The text"
        required: [text]
      mcp.annotations:
        readOnlyHint: true

  - name: add
    kind: function.lua
    source: file://add.lua
    method: call
    meta:
      mcp.tool: true
      mcp.name: "add"
      mcp.description: "Adds two numbers"
      mcp.inputSchema:
        type: object
        properties:
          a: { type: number }
          b: { type: number }
        required: [a, b]
      mcp.annotations: { readOnlyHint: true }

  - name: greet
    kind: function.lua
    source: file://greet.lua
    method: call
    meta:
      mcp.tool: true
      mcp.name: "greet"
      mcp.description: "Greets somebody"
      mcp.inputSchema:
        type: object
        properties:
          name: { type: string }
        required: [name]

  - name: current_time
    kind: function.lua
    source: file://current_time.lua
    method: call
    modules: [time]
    pool: { type: static, workers: 4, buffer: 256 }
    meta:
      comment: of the example over HTTP
      mcp.tool: true
      mcp.name: "current_time"
      mcp.description: "The time"

  # For administrators
  - name: server_info
    kind: function.lua
    source: file://server_info.lua
    method: call
    meta:
      mcp.tool: true
      mcp.name: "server_info"
      mcp.description: "How the server is"
      mcp.scope: "admin"
      mcp.annotations:
        readOnlyHint: true

  - name: reset
    kind: function.lua
    source: file://reset.lua
    method: call
    meta:
      mcp.tool: true
      mcp.name: "reset"
      mcp.description: "Resets a part of it"
      mcp.scope: "admin"
      mcp.inputSchema:
        type: object
        properties:
          target:
            type: string
            enum: [cache, sessions, all]
      mcp.annotations:
        destructiveHint: true

  # Prompts; what is written down names a file that nobody calls.
  - name: base_instruction
    kind: function.lua
    source: file://prompt_stub.lua
    method: get
    meta:
      mcp.prompt: true
      mcp.prompt.name: "base_instruction"
      mcp.prompt.type: "template"
      mcp.scope: "admin"
      mcp.prompt.messages:
        - role: user
          content: "You are a helpful {{role}} assistant. {{instruction}}"

  - name: coding_assistant
    kind: function.lua
    source: file://prompt_stub.lua
    method: get
    meta:
      mcp.prompt: true
      mcp.prompt.name: "coding_assistant"
      mcp.prompt.tags: [code]
      mcp.prompt.arguments:
        - name: question
          required: true
      mcp.prompt.extend:
        - id: "base_instruction"
          arguments:
            role: "senior software developer"
            instruction: "Help the user with their coding question."
      mcp.prompt.messages:
        - role: user
          content: { text: "Question: {{question}}" }
"#,
    );
    let module = |body: &str| format!("local function call(arguments)\n{body}\nend\n\nreturn {{ call = call }}\n");
    for (name, text) in [
        ("text", "return { said = function(text) return \"Echo: \" .. (text or \"\") end }\n".to_owned()),
        ("echo", format!("local text = require(\"text\")\n\n{}", module("    return text.said(arguments.text)"))),
        ("add", module("    return tostring((tonumber(arguments.a) or 0) + (tonumber(arguments.b) or 0))")),
        ("greet", module("    return \"Hello, \" .. arguments.name .. \"!\"")),
        (
            "current_time",
            format!(
                "local time = require(\"time\")\n\n{}",
                module("    return time.now():format(\"2006-01-02 15:04:05\")")
            ),
        ),
        ("server_info", module("    return \"Server: wippy-mcp v0.1.0 | uptime: running | status: healthy\"")),
        (
            "reset",
            module("    local target = arguments.target or \"cache\"\n    return \"Reset completed for: \" .. target"),
        ),
        ("prompt_stub", "return { get = function() return { messages = {} } end }\n".to_owned()),
    ] {
        dir.write_file(&format!("registry/tools/{name}.lua"), text);
    }
}

const TWO: &str = "[http.endpoints.open]\npath = \"/api/mcp\"\nservices = [\"registry\"]\n\
    [http.endpoints.admin]\npath = \"/api/admin/mcp\"\nscope = \"admin\"\nservices = [\"registry\"]\n";

#[test]
fn example_loads_unchanged() {
    let dir = TestDir::new();
    example(&dir);
    let checked = run_wardroom(dir.root(), &["registry", "check", "--appdir", &dir.app_path().display().to_string()]);
    assert_eq!(checked.status, 0, "{checked:?}");
    let lines: Vec<_> = checked.stdout.lines().collect();
    let (last, warnings) = lines.split_last().unwrap();
    assert_eq!(*last, "9 entries, no errors");
    assert!(warnings.len() == 5 && warnings.iter().all(|line| line.contains("is not supported")), "{warnings:?}");
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        assert_eq!(names(client, "tools/list", "tools"), ["add", "current_time", "echo", "greet"]);
        assert_eq!(call_text(client, "echo", json!({"text": "a:[] {}"})), "Echo: a:[] {}");
        assert_eq!(call_text(client, "add", json!({"a": 17, "b": 25})), "42");
        assert_eq!(call_text(client, "greet", json!({"name": "Ada"})), "Hello, Ada!");
        let time = call_text(client, "current_time", json!({}));
        assert!(time.len() == 19 && time.starts_with("20") && time.as_bytes()[10] == b' ', "{time}");
        assert_eq!(call(client, "reset", json!({})).unwrap_err()["message"], "Unknown tool: reset");
    }
}

#[test]
fn admin_endpoint_offers_everything() {
    let dir = TestDir::new();
    example(&dir);
    let server = HttpServer::start_with(&dir, TWO, &[]);
    let ask = |path: &str, method: &str, params: Value| server.connect().call_at(path, &[], method, params).json();
    let call = |path: &str, name: &str, arguments: Value| {
        let mut answer = ask(path, "tools/call", json!({"name": name, "arguments": arguments}));
        answer["result"]["content"][0]["text"].take()
    };
    let listed = ask("/api/admin/mcp", "tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 6, "{listed}");
    assert_eq!(
        call("/api/admin/mcp", "server_info", json!({})),
        "Server: wippy-mcp v0.1.0 | uptime: running | status: healthy"
    );
    assert_eq!(call("/api/admin/mcp", "reset", json!({})), "Reset completed for: cache");
    assert_eq!(call("/api/admin/mcp", "reset", json!({"target": "sessions"})), "Reset completed for: sessions");
    assert_eq!(call("/api/mcp", "echo", json!({"text": "x"})), "Echo: x");
    let refused = ask("/api/mcp", "tools/call", json!({"name": "reset", "arguments": {}}));
    assert_eq!(refused["error"]["message"], "Unknown tool: reset");
    // A template that an endpoint does not see adds nothing to a prompt that extends it.
    let texts = |path: &str| -> Vec<String> {
        let params = json!({"name": "coding_assistant", "arguments": {"question": "Why?"}});
        let answer = ask(path, "prompts/get", params);
        let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
        messages.iter().map(|message| message["content"]["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        texts("/api/admin/mcp"),
        [
            "You are a helpful senior software developer assistant. Help the user with their coding question.",
            "Question: Why?",
        ]
    );
    assert_eq!(texts("/api/mcp"), ["Question: Why?"]);
}

/// An empty list or object keeps its type at every depth, on its way in and out.
#[test]
fn empty_list_or_object_keeps_type() {
    let dir = TestDir::new();
    let value = json!({
        "list": [], "object": {}, "deep": {"list": [[], {}, [[]], {"a": []}], "object": {"b": {}, "c": [{}]}},
        "text": "a:[] b:{}", "{}": "[]",
    });
    declare(
        &dir,
        &[
            tool(&dir, "same", "", "return arguments"),
            tool(&dir, "nested", "", "return { within = { arguments.value, { arguments.value } } }"),
            tool(&dir, "decoded", "", "return json.decode(json.encode(arguments))")
                .replace("    meta:", "    modules: [json]\n    meta:"),
        ]
        .concat(),
    );
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        for (name, expected) in [
            ("same", json!({"value": value})),
            ("decoded", json!({"value": value})),
            ("nested", json!({"within": [value, [value]]})),
        ] {
            let answer = call(client, name, json!({"value": value})).unwrap();
            assert_eq!(answer["structuredContent"], expected, "{name}");
            let text: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, expected, "{name}");
        }
    }
}
