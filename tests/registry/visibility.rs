//! The visibility of entries: scopes, groups, and the switch that hides every entry with groups.

use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wardroom_appdir::{Access, ambient};
use wardroom_base::payload::Payload;
use wardroom_config::WatchMode;
use wardroom_registry::{RegistryRoot, RegistryService};
use wardroom_service::{Caller, Catalogue, RequestInfo, Service, ServiceError, ToolProvider};

use super::{call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, HttpServer, TestDir};

/// Returns the names that a caller is listed. Every other name must look missing.
fn visible_names(dir: &TestDir, scope: Option<&str>, groups: Option<&[&str]>) -> Vec<String> {
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    let registry = RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off);
    let catalogue = Arc::new(Catalogue::new(vec![Arc::new(registry)]));
    let groups = groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect());
    let caller = Arc::new(Caller { scope: scope.map(str::to_owned), groups, ..Caller::default() });
    let context = RequestInfo { caller, ..RequestInfo::new(&catalogue) };
    let tools = catalogue.tools(None).finish(&context).unwrap().items;
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone().into_owned()).collect();
    let prompts = catalogue.prompts(None).finish(&context).unwrap().items;
    let prompts: Vec<String> = prompts.iter().map(|prompt| prompt.name.clone()).collect();
    assert_eq!(names, prompts);
    for name in ["open", "admin", "empty", "list", "false", "gated", "nobody", "both", "missing"] {
        let called = catalogue.call_blocking(name, Payload::default(), &context);
        let prompt = catalogue.render_blocking(name, &std::collections::BTreeMap::new(), &context);
        let is_missing = matches!(called, Err(ServiceError::UnknownTool(_)));
        assert_eq!(is_missing, matches!(prompt, Err(ServiceError::UnknownPrompt(_))), "{name}");
        assert_eq!(is_missing, !names.iter().any(|own| own == name), "{name}");
    }
    // A name is suggested only to those who may use it.
    for (mistyped, name) in [("amdin", "admin"), ("gaetd", "gated"), ("fales", "false")] {
        let error = catalogue.render_blocking(mistyped, &std::collections::BTreeMap::new(), &context).unwrap_err();
        let expected =
            if names.iter().any(|own| own == name) { format!("; did you mean {name}?") } else { String::new() };
        assert_eq!(error.to_string(), format!("Unknown prompt: {mistyped}{expected}"));
    }
    names
}

fn entries(dir: &TestDir) -> String {
    let rows = [
        ("open", ""),
        ("admin", "      mcp.scope: admin\n"),
        ("empty", "      mcp.scope: \"\"\n"),
        ("list", "      mcp.scope: [admin]\n"),
        ("false", "      mcp.scope: false\n"),
        ("gated", "      mcp.groups: [staff, ops]\n"),
        ("nobody", "      mcp.groups: []\n"),
        ("both", "      mcp.scope: admin\n      mcp.groups: [ops]\n"),
    ];
    let entry = |(name, meta): (&str, &str)| {
        let prompt = format!(
            "      mcp.prompt: true\n      mcp.prompt.name: \"{name}\"\n      mcp.prompt.messages: [{{ content: x }}]\n"
        );
        tool(dir, name, &format!("{meta}{prompt}"), "return 1").replace("name: false", "name: \"false\"")
    };
    rows.map(entry).concat()
}

#[test]
fn matrix_holds_for_tools_and_prompts() {
    let dir = TestDir::new();
    declare(&dir, &entries(&dir));
    assert_eq!(visible_names(&dir, None, None), ["false", "open"]);
    assert_eq!(visible_names(&dir, Some("admin"), None), ["admin", "false", "open"]);
    assert_eq!(visible_names(&dir, Some("billing"), None), ["false", "open"]);
    assert_eq!(visible_names(&dir, Some(""), None), ["empty", "false", "open"]);
    assert_eq!(visible_names(&dir, Some("Admin"), None), ["false", "open"]);
    assert_eq!(visible_names(&dir, None, Some(&[])), ["false", "open"]);
    assert_eq!(visible_names(&dir, None, Some(&["ops"])), ["false", "gated", "open"]);
    assert_eq!(visible_names(&dir, Some("admin"), Some(&["ops"])), ["admin", "both", "false", "gated", "open"]);
    assert_eq!(visible_names(&dir, Some("admin"), Some(&["staff"])), ["admin", "false", "gated", "open"]);
}

#[test]
fn switch_hides_every_gated_entry() {
    let dir = TestDir::new();
    let switch = "  - name: gate\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    declare(&dir, &format!("{}{switch}", entries(&dir)));
    assert_eq!(visible_names(&dir, Some("admin"), Some(&["ops", "staff"])), ["admin", "false", "open"]);
    declare(&dir, &format!("{}{}", entries(&dir), switch.replace("gated: true", "gated: false")));
    assert_eq!(visible_names(&dir, None, Some(&["ops"])), ["false", "gated", "open"]);
}

/// A registry, and a caller with groups.
struct TestRegistry {
    registry: Arc<RegistryService>,
    context: RequestInfo,
}

impl TestRegistry {
    fn new(dir: &TestDir) -> Self {
        let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
        let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
        let registry = Arc::new(RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off));
        let catalogue = Arc::new(Catalogue::new(vec![Arc::clone(&registry) as Arc<dyn Service>]));
        let caller = Arc::new(Caller { groups: Some(vec!["ops".to_owned()]), ..Caller::default() });
        let context = RequestInfo { caller, ..RequestInfo::new(&catalogue) };
        Self { registry, context }
    }

    /// Scans, and returns the listed tools.
    fn tools(&self) -> Vec<String> {
        self.registry.reload();
        let tools = ToolProvider::list(&*self.registry, None, usize::MAX, &self.context.caller);
        tools.iter().map(|tool| tool.name.clone().into_owned()).collect()
    }

    fn problems(&self) -> String {
        self.registry.overview().problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// Writes an index with an old modification time.
fn write_settled(dir: &TestDir, name: &str, text: &str) {
    let path = dir.write_file(name, text);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn switch_stays_on_while_unreadable() {
    const GATE: &str = "registry/gate/_index.yaml";
    let dir = TestDir::new();
    declare(
        &dir,
        &[tool(&dir, "open", "", "return 1"), tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 1")].concat(),
    );
    let head = "version: \"1.0\"\nnamespace: gate\nentries:\n";
    let gate = "  - name: g\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    let registry = TestRegistry::new(&dir);
    assert_eq!(registry.tools(), ["gated", "open"]);
    let on = format!("{head}{gate}");
    for broken in [
        format!("{on}  - name: [\n"),
        String::new(),
        "version: \"1.0\"\n".to_owned(),
        format!("{head}{}", gate.replace("gated: true", "gated: .nan")),
        format!("{head}{}", gate.replace("    data", "    kind: x\n    data")),
        on.replace("\"1.0\"", "\"9.0\""),
    ] {
        write_settled(&dir, GATE, &on);
        assert_eq!(registry.tools(), ["open"]);
        assert!(!registry.problems().contains("stays on"), "{}", registry.problems());
        write_settled(&dir, GATE, &broken);
        // Every further scan gives the same result.
        for _ in 0..2 {
            assert_eq!(registry.tools(), ["open"], "{broken}");
            assert!(
                registry.problems().contains("stay hidden until this file can be read"),
                "{broken}: {}",
                registry.problems()
            );
        }
        write_settled(&dir, GATE, &format!("{head}{}", gate.replace("gated: true", "gated: false")));
        assert_eq!(registry.tools(), ["gated", "open"], "{broken}");
    }
    // Another broken entry does not affect the switch.
    write_settled(&dir, GATE, &on);
    assert_eq!(registry.tools(), ["open"]);
    write_settled(&dir, GATE, &format!("{on}  - name: note\n    kind: registry.entry\n    data: .nan\n"));
    assert_eq!(registry.tools(), ["open"]);
    write_settled(&dir, GATE, &format!("{head}  - name: note\n    kind: registry.entry\n    data: .nan\n"));
    assert_eq!(registry.tools(), ["gated", "open"]);
    write_settled(&dir, GATE, &on);
    assert_eq!(registry.tools(), ["open"]);
    std::fs::remove_file(dir.app_path().join(GATE)).unwrap();
    assert_eq!(registry.tools(), ["gated", "open"]);
}

#[test]
fn switch_counts_beyond_entry_limit() {
    let dir = TestDir::new();
    let many: String = (0..wardroom_registry::limits::MAX_REGISTRY_ENTRIES)
        .map(|n| format!("  - {{ name: e{n}, kind: registry.entry }}\n"))
        .collect();
    declare(
        &dir,
        &[tool(&dir, "open", "", "return 1"), tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 1"), many]
            .concat(),
    );
    let registry = TestRegistry::new(&dir);
    assert_eq!(registry.tools(), ["gated", "open"]);
    let head = "version: \"1.0\"\nnamespace: gate\nentries:\n";
    let gate = "  - name: g\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    dir.write_file("registry/gate/_index.yaml", format!("{head}{gate}"));
    assert_eq!(registry.tools(), ["open"]);
}

#[test]
fn partial_write_keeps_known_entries() {
    let dir = TestDir::new();
    let whole = format!("{}{}", super::HEAD, tool(&dir, "t", "", "return 1"));
    dir.write_file("registry/app/_index.yaml", &whole);
    let registry = TestRegistry::new(&dir);
    assert_eq!(registry.tools(), ["t"]);
    for half in ["", "version: \"1.0\"\nnames", "version: \"1.0\"\nnamespace: app\nentries:\n  - name: [t"] {
        // The file counts as fresh for one second: if the scan comes later, this is repeated.
        let seen = loop {
            let written = std::time::Instant::now();
            dir.write_file("registry/app/_index.yaml", half);
            let seen = (registry.tools(), registry.problems());
            if written.elapsed() < std::time::Duration::from_millis(900) {
                break seen;
            }
            dir.write_file("registry/app/_index.yaml", &whole);
            registry.tools();
        };
        assert_eq!(seen, (vec!["t".to_owned()], String::new()), "{half:?}");
        // A write that does not continue is no longer in progress.
        write_settled(&dir, "registry/app/_index.yaml", half);
        assert_eq!(registry.tools(), [""; 0], "{half:?}");
        assert!(registry.problems().contains("error") || registry.problems().contains("warning"), "{half:?}");
        dir.write_file("registry/app/_index.yaml", &whole);
        assert_eq!(registry.tools(), ["t"]);
    }
}

/// Returns an answer with one name in place of another, to compare answers that a client could tell apart.
fn renamed(answer: &Value, from: &str, to: &str) -> Value {
    let mut answer = answer.clone();
    answer.as_object_mut().unwrap().remove("id");
    serde_json::from_str(&answer.to_string().replace(from, to)).unwrap()
}

#[test]
fn hidden_entry_is_indistinguishable_from_missing() {
    let dir = TestDir::new();
    let hidden = "      mcp.scope: admin\n";
    let entry = |name: &str, meta: &str| format!("  - name: {name}\n    kind: registry.entry\n    meta:\n{meta}");
    let peek = "local id, name, uri = arguments.id, arguments.name, arguments.uri\nlocal said = {}\n\
                local function note(...)\nlocal value, why = ...\nsaid[#said + 1] = json.encode(value) .. '/' .. tostring(why)\nend\n\
                note(funcs.call(id, {}))\nnote(registry.get(id))\nnote(#registry.find({ ['.id'] = id }))\n\
                note(tools.call(name, {}))\nnote(resources.read(uri))\nreturn table.concat(said, '|')";
    let entries = [
        tool(&dir, "peek", "", peek)
            .replace("    meta:", "    modules: [funcs, registry, tools, resources, json]\n    meta:"),
        tool(&dir, "hidden", hidden, "return 'SECRET'"),
        tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 'SECRET'"),
        entry("r", &format!("{hidden}      mcp.resource.uri: pub://hidden\n      mcp.resource.text: SECRET\n")),
        entry("s", &format!("{hidden}      mcp.resource.uri: hidden://x\n      mcp.resource.text: SECRET\n")),
        entry("open", "      mcp.resource.uri: pub://open\n      mcp.resource.text: seen\n"),
        entry(
            "family",
            &format!(
                "{hidden}      mcp.resource.template: \"hidden://of/{{id}}\"\n      mcp.resource.text: SECRET\n      \
                 mcp.completions: {{ id: [SECRET] }}\n"
            ),
        ),
        entry(
            "p",
            &format!(
                "{hidden}      mcp.prompt: true\n      mcp.prompt.name: hidden\n      mcp.prompt.arguments: [{{ name: id }}]\n      \
                 mcp.completions: {{ id: [SECRET] }}\n      mcp.prompt.messages: [{{ content: SECRET }}]\n"
            ),
        ),
    ];
    declare(&dir, &entries.concat());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            let listed = client.call(method, json!({})).to_string();
            assert!(!listed.contains("hidden") && !listed.contains("SECRET"), "{method}: {listed}");
        }
        let prompt =
            |name: &str| json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "id", "value": ""}});
        let template =
            |uri: &str| json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "id", "value": ""}});
        let name = |name: &str| json!({"name": name, "arguments": {}});
        let uri = |uri: &str| json!({"uri": uri});
        for (method, there, missing) in [
            ("tools/call", name("hidden"), name("absent")),
            ("prompts/get", name("hidden"), name("absent")),
            ("resources/read", uri("pub://hidden"), uri("pub://absent")),
            ("resources/read", uri("hidden://x"), uri("absent://x")),
            ("resources/read", uri("hidden://of/1"), uri("absent://of/1")),
            ("completion/complete", prompt("hidden"), prompt("absent")),
            ("completion/complete", template("hidden://of/{id}"), template("absent://of/{id}")),
        ] {
            let (there, missing) = (client.call(method, there), client.call(method, missing));
            assert_eq!(renamed(&there, "hidden", "absent"), renamed(&missing, "absent", "absent"), "{method}");
        }
        let mut call_peek = |name: &str, uri: &str| {
            call_text(client, "peek", json!({"id": format!("app:{name}"), "name": name, "uri": uri})).replace(name, "X")
        };
        let absent = call_peek("absent", "pub://absent");
        assert!(absent.contains("there is no entry") && absent.contains("|0/nil|"), "{absent}");
        assert_eq!(call_peek("hidden", "pub://hidden"), absent);
        assert_eq!(call_peek("gated", "pub://gated"), absent);
    }
}

#[test]
fn token_groups_reveal_gated_tools() {
    let dir = TestDir::new();
    declare(
        &dir,
        &[tool(&dir, "open", "", "return 'open'"), tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 'gated'")]
            .concat(),
    );
    let token = |name: &str, group: &str| {
        let digest = Sha256::digest(name).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
        format!("[http.tokens.{name}]\nsha256 = \"{digest}\"\ngroups = [\"{group}\"]\n")
    };
    let config = format!(
        "{}{}[http.endpoints.all]\npath = \"/all\"\ntokens = [\"operator\", \"guest\"]\n[http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n",
        token("operator", "ops"),
        token("guest", "visitors")
    );
    let server = HttpServer::start_with(&dir, &config, &[]);
    let ask = |path: &str, token: Option<&str>| {
        let headers: Vec<_> = token.map(|token| ("authorization", format!("Bearer {token}"))).into_iter().collect();
        let listed = server.connect().call_at(path, &headers, "tools/list", json!({})).json();
        let params = json!({"name": "gated", "arguments": {}});
        let called = server.connect().call_at(path, &headers, "tools/call", params).json();
        (listed.to_string().contains("\"gated\""), called)
    };
    let (is_listed, called) = ask("/all", Some("operator"));
    assert!(is_listed && called["result"]["content"][0]["text"] == "gated", "{called}");
    for (path, token) in [("/all", Some("guest")), ("/mcp", None), ("/mcp", Some("operator"))] {
        let (is_listed, called) = ask(path, token);
        assert!(!is_listed && called["error"]["message"] == "Unknown tool: gated", "{path} {token:?}: {called}");
    }
}
