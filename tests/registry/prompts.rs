//! Prompts without a handler: ancestors, arguments and substitution.

use serde_json::{Value, json};

use super::{declare, handler, serve};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

#[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
fn get(client: &mut StdioClient, name: &str, arguments: Value) -> Value {
    client.call("prompts/get", json!({"name": name, "arguments": arguments}))
}

/// Returns the texts of a prompt's messages, each with its role.
#[track_caller]
fn texts(client: &mut StdioClient, name: &str, arguments: Value) -> Vec<String> {
    let answer = get(client, name, arguments);
    let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let text = |message: &Value| {
        assert_eq!(message["content"]["type"], "text", "{message}");
        format!("{}: {}", message["role"].as_str().unwrap(), message["content"]["text"].as_str().unwrap())
    };
    messages.iter().map(text).collect()
}

#[track_caller]
fn refused(client: &mut StdioClient, name: &str, arguments: Value) -> String {
    let error = get(client, name, arguments)["error"].take();
    format!("{} {}", error["code"], error["message"].as_str().unwrap())
}

fn prompt(name: &str, meta: &str) -> String {
    format!(
        "  - name: {name}\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: {name}\n{meta}"
    )
}

fn message(text: &str) -> String {
    format!("      mcp.prompt.messages: [{{ content: {} }}]\n", json!(text))
}

#[test]
fn examples_render_as_in_original() {
    let dir = TestDir::new_demo();
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        let listed = client.call("prompts/list", json!({}));
        let listed = listed["result"]["prompts"].as_array().unwrap().clone();
        let names: Vec<_> = listed.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["code_review", "coding_assistant", "greeting"]);
        assert_eq!(
            listed[2]["arguments"],
            json!([
                {"name": "name", "description": "Who is greeted", "required": true},
                {"name": "style", "description": "How", "required": true},
            ])
        );
        let greeting = texts(client, "greeting", json!({"name": "Ada", "style": "formal"}));
        assert_eq!(greeting, ["user: Please greet Ada in a formal style."]);
        assert_eq!(
            texts(client, "coding_assistant", json!({"question": "Why?"})),
            [
                "user: You are a helpful senior software developer assistant. Help the user with their coding question.",
                "user: Question: Why?",
            ]
        );
        let review = texts(client, "code_review", json!({"code": "x = 1", "language": "lua"}));
        assert!(review[0].contains("```lua\nx = 1\n```"), "{review:?}");
        let review = texts(client, "code_review", json!({"code": "x = 1"}));
        assert!(review[0].contains("review the following unknown code"), "{review:?}");
        assert_eq!(refused(client, "nobody", json!({})), "-32602 Unknown prompt: nobody");
        assert_eq!(
            refused(client, "base_instruction", json!({})),
            "-32602 Cannot get template directly: base_instruction"
        );
        assert_eq!(
            refused(client, "greeting", json!({"style": "x"})),
            "-32602 Missing argument of the prompt greeting: name"
        );
        assert!(refused(client, "greeting", json!({"name": [], "style": "x"})).starts_with("-32602 the argument name"));
    }
}

#[test]
fn values_are_substituted_once_and_literally() {
    let dir = TestDir::new();
    declare(&dir, &prompt("p", &message("{{a}}|{{b}}|{{ a }}|{{user-name}}|{{a.b}}|{{(}}|{{{a}}}|{{a|{{")));
    let client = &mut serve(&dir, ClientRevision::Modern);
    let values = json!({
        "a": "{{b}} %0 %1 5%2 100%", "b": "$1 \\1 {{a}}", "user-name": "n", "a.b": "dot", "(": "paren",
    });
    assert_eq!(
        texts(client, "p", values),
        ["user: {{b}} %0 %1 5%2 100%|$1 \\1 {{a}}|{{ a }}|n|dot|paren|{{{b}} %0 %1 5%2 100%}|{{a|{{"]
    );
}

#[test]
fn ancestors_come_first_and_once() {
    let dir = TestDir::new();
    let entries = [
        prompt("top", &format!("      mcp.prompt.type: template\n{}", message("top {{x}} {{y}}"))),
        prompt(
            "left",
            &format!(
                "      mcp.prompt.extend: [{{ id: top, arguments: {{ x: \"l-{{{{x}}}}\" }} }}]\n{}",
                message("left {{x}}")
            ),
        ),
        prompt("right", &format!("      mcp.prompt.extend: [top]\n{}", message("right {{x}}"))),
        prompt(
            "both",
            &format!(
                "      mcp.prompt.extend: [left, {{ id: right, arguments: {{ x: 7 }} }}, none]\n{}",
                message("both {{x}}")
            ),
        ),
    ];
    declare(&dir, &entries.concat());
    let client = &mut serve(&dir, ClientRevision::Legacy);
    // The extension's argument takes precedence over the caller's, which supplies the rest.
    assert_eq!(
        texts(client, "both", json!({"x": "X", "y": "Y"})),
        ["user: top l-X Y", "user: left X", "user: right 7", "user: both X"]
    );
    let log = wardroom_test_support::run_wardroom(
        dir.root(),
        &["registry", "check", "--appdir", &dir.app_path().display().to_string()],
    );
    assert_eq!(log.status, 0, "{log:?}");
    assert!(log.stdout.contains("both: the prompt none to extend does not exist: it adds nothing"), "{log:?}");
}

#[test]
fn ancestor_cycle_is_refused_and_printed() {
    let dir = TestDir::new();
    let entries = [
        prompt("a", &format!("      mcp.prompt.extend: [b]\n{}", message("a"))),
        prompt("b", &format!("      mcp.prompt.extend: [c]\n{}", message("b"))),
        prompt("c", &format!("      mcp.prompt.extend: [a]\n{}", message("c"))),
        prompt("self", &format!("      mcp.prompt.extend: [self]\n{}", message("s"))),
        prompt("fine", &message("fine")),
    ];
    declare(&dir, &entries.concat());
    let checked = wardroom_test_support::run_wardroom(
        dir.root(),
        &["registry", "check", "--appdir", &dir.app_path().display().to_string()],
    );
    assert_eq!(checked.status, 1);
    for expected in ["a: it extends itself: a → b → c → a", "self: it extends itself: self → self"] {
        assert!(checked.stdout.contains(expected), "{expected}: {checked:?}");
    }
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(texts(client, "fine", json!({})), ["user: fine"]);
    assert_eq!(refused(client, "a", json!({})), "-32602 Unknown prompt: a");
}

#[test]
fn argument_has_default_and_completions() {
    let dir = TestDir::new();
    let meta = "      mcp.prompt.arguments:\n        - { name: who, required: true, default: World }\n        - name: style\n      \
                mcp.completions: { who: [Ada, Alan, Grace] }\n";
    declare(&dir, &prompt("p", &format!("{meta}{}", message("Hello {{who}}"))));
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        assert_eq!(texts(client, "p", json!({})), ["user: Hello World"]);
        let mut complete = |name: &str, argument: &str, value: &str| {
            let argument = json!({"name": argument, "value": value});
            client
                .call("completion/complete", json!({"ref": {"type": "ref/prompt", "name": name}, "argument": argument}))
        };
        assert_eq!(complete("p", "who", "A")["result"]["completion"]["values"], json!(["Ada", "Alan"]));
        assert_eq!(complete("p", "style", "")["result"]["completion"]["values"], json!([]));
        assert_eq!(complete("q", "who", "")["error"]["message"], "Unknown prompt: q");
    }
}

#[test]
fn messages_contain_images_and_resources() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/made.lua",
        handler(
            "get",
            "return { description = 'made', messages = { \
             { role = 'assistant', content = { type = 'image', data = 'AAAA', mimeType = 'image/png' } }, \
             { content = { type = 'resource', resource = { uri = arguments.uri, mimeType = 'text/plain', text = 'x' } } }, \
             { content = 'short' } } }",
        ),
    );
    dir.write_file(
        "registry/app/bad.lua",
        handler("get", "return { messages = { { role = 'system', content = 'x' } } }"),
    );
    dir.write_file("registry/app/raises.lua", handler("get", "error('boom')"));
    dir.write_file("registry/app/text.lua", handler("get", "return 'just text'"));
    let made = |name: &str| {
        prompt(name, "").replace("    meta:", &format!("    source: file://{name}.lua\n    method: get\n    meta:"))
    };
    declare(&dir, &["made", "bad", "raises", "text"].map(made).concat());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        let answer = get(client, "made", json!({"uri": "test://x"}));
        assert_eq!(answer["result"]["description"], "made", "{answer}");
        assert_eq!(
            answer["result"]["messages"],
            json!([
                {"role": "assistant", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}},
                {"role": "user", "content": {"type": "resource", "resource": {"uri": "test://x", "mimeType": "text/plain", "text": "x"}}},
                {"role": "user", "content": {"type": "text", "text": "short"}},
            ])
        );
        assert_eq!(texts(client, "text", json!({})), ["user: just text"]);
        let error = refused(client, "bad", json!({}));
        assert!(
            error.starts_with("-32603 Prompt handler error: ") && error.contains("messages[1]: its role"),
            "{error}"
        );
        let error = refused(client, "raises", json!({}));
        assert!(error.starts_with("-32603 Prompt handler error: ") && error.contains("boom"), "{error}");
    }
}
