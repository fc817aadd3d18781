//! Declared tools: what their handlers return, and what clients get.

use serde_json::{Value, json};

use super::{call, call_failure, call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

#[test]
fn examples_answer_as_in_original() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let client = &mut StdioClient::start(&dir, revision);
        assert_eq!(call_text(client, "echo", json!({"text": "a:[] {} %"})), "Echo: a:[] {} %");
        assert_eq!(call_text(client, "add", json!({"a": 17, "b": 25})), "42");
        assert_eq!(call_text(client, "greet", json!({"name": "Ada"})), "Hey, Ada!");
        assert_eq!(
            call_text(client, "greet", json!({"name": "Ada", "style": "formal"})),
            "Good day, Ada. It is a pleasure to make your acquaintance."
        );
        assert_eq!(
            call_text(client, "greet", json!({"name": "Ada", "style": "pirate"})),
            "Ahoy, Ada! Welcome aboard, matey!"
        );
        for hidden in ["reset", "server_info", "nobody"] {
            let error = call(client, hidden, json!({})).unwrap_err();
            assert_eq!(
                (&error["code"], error["message"].as_str().unwrap()),
                (&json!(-32602), &*format!("Unknown tool: {hidden}"))
            );
        }
    }
}

#[test]
fn invalid_arguments_are_refused_before_handler_runs() {
    let dir = TestDir::new_demo();
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(call_failure(client, "greet", json!({})), "invalid arguments: /: \"name\" is a required property");
    let message = call_failure(client, "greet", json!({"name": 7}));
    assert_eq!(message, "invalid arguments: /name: the value is not of type \"string\"");
    let message = call_failure(client, "greet", json!({"name": "A", "style": "rude"}));
    assert!(message.starts_with("invalid arguments: /style: the value is not one of"), "{message}");
    let answer = call(client, "add", json!({"a": "x"})).unwrap();
    assert_eq!(answer["structuredContent"]["error"]["code"], "INVALID", "{answer}");
}

/// Checks what a client gets of a handler's result; the legacy revision omits what it does not support.
#[track_caller]
fn check(body: &str, expected: &Value) {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "t", "", body));
    for revision in ClientRevision::ALL {
        let mut answer = call(&mut serve(&dir, revision), "t", json!({})).unwrap();
        let fields = answer.as_object_mut().unwrap();
        fields.retain(|name, _| !matches!(name.as_str(), "resultType" | "_meta"));
        let mut expected = expected.clone();
        if revision == ClientRevision::Legacy && !expected["structuredContent"].is_object() {
            expected.as_object_mut().unwrap().remove("structuredContent");
        }
        assert_eq!(answer, expected, "{revision:?}: {body}");
    }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": false})
}

#[test]
fn scalars_become_text_and_tables_become_json() {
    check("return 'plain'", &text("plain"));
    check("return 42", &text("42"));
    check("return 84 / 2", &text("42"));
    check("return 0.5", &text("0.5"));
    check("return true", &text("true"));
    check("return nil", &text("nil"));
    check("return", &text("nil"));
    check("return 'x', 7", &text("x"));
    let value = json!({"a": 1, "b": [true, "x"]});
    let answer = json!({
        "content": [{"type": "text", "text": value.to_string()}], "isError": false, "structuredContent": value,
    });
    check("return { a = 1, b = { true, 'x' } }", &answer);
    let answer = json!({"content": [{"type": "text", "text": "[1,2]"}], "isError": false, "structuredContent": [1, 2]});
    check("return { 1, 2 }", &answer);
}

#[test]
fn content_items_are_passed_on() {
    let content = json!([
        {"type": "text", "text": "t", "annotations": {"audience": ["user"], "priority": 0.5}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "test://x", "mimeType": "text/plain", "text": "x"}},
        {"type": "resource_link", "uri": "test://y", "name": "y", "title": "Y"},
        {"type": "text", "text": "short"},
    ]);
    let body = "return { content = { \
                { type = 'text', text = 't', annotations = { audience = { 'user' }, priority = 0.5 } }, \
                { type = 'image', data = 'AAAA', mimeType = 'image/png' }, \
                { type = 'audio', data = 'AAAA', mimeType = 'audio/wav' }, \
                { type = 'resource', resource = { uri = 'test://x', mimeType = 'text/plain', text = 'x' } }, \
                { type = 'resource_link', uri = 'test://y', name = 'y', title = 'Y' }, 'short' } }";
    check(body, &json!({"content": content, "isError": false}));
    check(
        "return { content = 'one', isError = true }",
        &json!({"content": [{"type": "text", "text": "one"}], "isError": true}),
    );
    check("return { content = {} }", &json!({"content": [], "isError": false}));
    let both = json!({"content": [{"type": "text", "text": "w"}], "isError": false, "structuredContent": {"n": 1}});
    check("return { content = { 'w' }, structuredContent = { n = 1 }, isError = 'true' }", &both);
}

#[test]
fn malformed_item_is_handler_error() {
    let dir = TestDir::new();
    let rows = [
        ("{ type = 'text' }", "content[1]: it needs text, a text"),
        ("{ text = 'x' }", "content[1]: it needs a type"),
        ("{ type = 'video' }", "content[1]: its type is video"),
        ("{ type = 'image', data = 'no base64!', mimeType = 'image/png' }", "content[1]: its data is not Base64"),
        ("{ type = 'image', data = 'AAAA' }", "content[1]: it needs mimeType"),
        ("{ type = 'resource', resource = { uri = 'x' } }", "content[1]: its resource needs either text or blob"),
        ("7", "content[1]: it must be a table with a type"),
        ("{ type = 'text', text = 'x', annotations = { priority = 7 } }", "content[1]: its annotations.priority"),
    ];
    let entries = rows
        .iter()
        .enumerate()
        .map(|(n, (item, _))| tool(&dir, &format!("t{n}"), "", &format!("return {{ content = {{ {item} }} }}")));
    let entries: String = entries.collect();
    declare(&dir, &entries);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    for (n, (item, expected)) in rows.iter().enumerate() {
        let message = call_failure(client, &format!("t{n}"), json!({}));
        assert!(message.contains(expected), "{item}: {message}");
    }
}

#[test]
fn handler_failure_is_tool_error() {
    let dir = TestDir::new();
    let entries = [
        tool(&dir, "says", "", "return nil, 'no such row'"),
        tool(&dir, "raises", "", "error('boom')"),
        tool(&dir, "loops", "      mcp.timeout: 0.3\n", "while true do end"),
        tool(&dir, "syntax", "", "return return"),
        tool(&dir, "fine", "", "return 'fine'"),
    ];
    declare(&dir, &entries.concat());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        assert_eq!(call_failure(client, "says", json!({})), "no such row");
        let message = call_failure(client, "raises", json!({}));
        assert!(message.contains("boom") && !message.contains(&dir.root().display().to_string()), "{message}");
        assert_eq!(call_failure(client, "loops", json!({})), "app:loops: timed out after 0.3 s");
        assert!(call_failure(client, "syntax", json!({})).contains("app:syntax"));
        assert_eq!(call_text(client, "fine", json!({})), "fine");
    }
}

#[test]
fn value_that_violates_output_schema_is_refused() {
    let dir = TestDir::new();
    let object = "      mcp.outputSchema: { type: object, properties: { n: { type: integer } }, required: [n] }\n";
    let number = "      mcp.outputSchema: { type: integer }\n";
    let entries = [
        tool(&dir, "good", object, "return { n = 1 }"),
        tool(&dir, "bad", object, "return { n = 'x' }"),
        tool(&dir, "none", object, "return { content = { 'x' } }"),
        tool(&dir, "number", number, "return 7"),
        tool(&dir, "fails", object, "return nil, 'why'"),
    ];
    declare(&dir, &entries.concat());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        assert_eq!(call(client, "good", json!({})).unwrap()["structuredContent"], json!({"n": 1}));
        assert!(call_failure(client, "bad", json!({})).contains("its value does not fit mcp.outputSchema: /n"));
        assert!(
            call_failure(client, "none", json!({}))
                .contains("mcp.outputSchema is set, and it has no structuredContent")
        );
        assert_eq!(call(client, "fails", json!({})).unwrap().get("structuredContent"), None);
        // Clients of the legacy revision refuse a list with an output schema that is no object.
        let listed = client.call("tools/list", json!({}));
        let listed = listed["result"]["tools"].as_array().unwrap().clone();
        let output = |name: &str| listed.iter().find(|tool| tool["name"] == name).unwrap().get("outputSchema").cloned();
        assert!(output("good").is_some());
        let number = call(client, "number", json!({})).unwrap();
        match revision {
            ClientRevision::Legacy => assert_eq!((output("number"), number.get("structuredContent")), (None, None)),
            ClientRevision::Modern => {
                assert_eq!(output("number"), Some(json!({"type": "integer"})));
                assert_eq!(number["structuredContent"], 7);
            }
        }
        assert_eq!(number["content"][0]["text"], "7");
    }
}

#[test]
fn tool_is_listed_as_declared() {
    let dir = TestDir::new();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"address": {"$anchor": "a", "type": "object"}}, "properties": {"x": {"$ref": "#/$defs/address"}},
        "required": [], "allOf": [{"anyOf": [{"required": ["x"]}, {}]}], "if": {"required": ["x"]}, "then": {}, "else": {},
        "additionalProperties": false,
    });
    let meta = format!(
        "      mcp.title: A title\n      mcp.inputSchema: {schema}\n      mcp.annotations: {{ title: T, openWorldHint: false }}\n      \
         mcp.icons: [{{ src: \"data:image/png;base64,AA==\", sizes: [48x48], theme: dark }}]\n      mcp.ui: ui://app/view\n"
    );
    declare(&dir, &tool(&dir, "t", &meta, "return 1"));
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(
        client.call("tools/list", json!({}))["result"]["tools"],
        json!([{
            "name": "t", "title": "A title", "description": "A tool", "inputSchema": schema,
            "annotations": {"title": "T", "openWorldHint": false},
            "icons": [{"src": "data:image/png;base64,AA==", "sizes": ["48x48"], "theme": "dark"}],
            "_meta": {"ui": {"resourceUri": "ui://app/view"}},
        }])
    );
}
