//! Who sees what: scopes, groups, and the switch that hides what has groups.

use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wardroom_appdir::{Access, ambient};
use wardroom_base::payload::Payload;
use wardroom_config::WatchMode;
use wardroom_registry::{RegistryRoot, RegistryService};
use wardroom_service::{CallContext, Caller, Catalogue, Service, ServiceError};

use super::{declare, said, serve, tool};
use wardroom_test_support::{ClientRevision, HttpServer, TestDir};

/// The names that a caller is listed; each of the others must be as good as missing.
fn seen(dir: &TestDir, scope: Option<&str>, groups: Option<&[&str]>) -> Vec<String> {
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    let registry = RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off);
    let catalogue = Arc::new(Catalogue::new(vec![Box::new(registry)]));
    let groups = groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect());
    let caller = Arc::new(Caller { scope: scope.map(str::to_owned), groups, ..Caller::default() });
    let context = CallContext { caller, ..CallContext::unbounded(&catalogue) };
    let tools = catalogue.tools(None, &context).unwrap().items;
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone().into_owned()).collect();
    let prompts = catalogue.prompts(None, &context).unwrap().items;
    let prompts: Vec<String> = prompts.iter().map(|prompt| prompt.name.clone()).collect();
    assert_eq!(names, prompts);
    for name in ["open", "admin", "empty", "list", "false", "gated", "nobody", "both", "missing"] {
        let called = catalogue.call(name, Payload::default(), &context);
        let prompt = catalogue.prompt(name, &std::collections::BTreeMap::new(), &context);
        let is_missing = matches!(called, Err(ServiceError::UnknownTool(_)));
        assert_eq!(is_missing, matches!(prompt, Err(ServiceError::UnknownPrompt(_))), "{name}");
        assert_eq!(is_missing, !names.iter().any(|own| own == name), "{name}");
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
fn the_matrix_holds_for_tools_and_prompts() {
    let dir = TestDir::new();
    declare(&dir, &entries(&dir));
    assert_eq!(seen(&dir, None, None), ["false", "open"]);
    assert_eq!(seen(&dir, Some("admin"), None), ["admin", "false", "open"]);
    assert_eq!(seen(&dir, Some("billing"), None), ["false", "open"]);
    assert_eq!(seen(&dir, Some(""), None), ["empty", "false", "open"]);
    assert_eq!(seen(&dir, Some("Admin"), None), ["false", "open"]);
    assert_eq!(seen(&dir, None, Some(&[])), ["false", "open"]);
    assert_eq!(seen(&dir, None, Some(&["ops"])), ["false", "gated", "open"]);
    assert_eq!(seen(&dir, Some("admin"), Some(&["ops"])), ["admin", "both", "false", "gated", "open"]);
    assert_eq!(seen(&dir, Some("admin"), Some(&["staff"])), ["admin", "false", "gated", "open"]);
}

#[test]
fn one_switch_hides_all_that_is_gated() {
    let dir = TestDir::new();
    let switch = "  - name: gate\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    declare(&dir, &format!("{}{switch}", entries(&dir)));
    assert_eq!(seen(&dir, Some("admin"), Some(&["ops", "staff"])), ["admin", "false", "open"]);
    declare(&dir, &format!("{}{}", entries(&dir), switch.replace("gated: true", "gated: false")));
    assert_eq!(seen(&dir, None, Some(&["ops"])), ["false", "gated", "open"]);
}

/// A registry, for as long as it is looked at, and the tools that somebody with groups is listed.
struct Watched {
    registry: Arc<RegistryService>,
    context: CallContext,
}

impl Watched {
    fn new(dir: &TestDir) -> Self {
        let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
        let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
        let registry = Arc::new(RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off));
        let catalogue = Arc::new(Catalogue::from_shared(vec![Arc::clone(&registry) as Arc<dyn Service>]));
        let caller = Arc::new(Caller { groups: Some(vec!["ops".to_owned()]), ..Caller::default() });
        let context = CallContext { caller, ..CallContext::unbounded(&catalogue) };
        Self { registry, context }
    }

    /// After a look.
    fn tools(&self) -> Vec<String> {
        self.registry.reload();
        let tools = self.registry.tools(&self.context).unwrap();
        tools.iter().map(|tool| tool.name.clone().into_owned()).collect()
    }

    fn problems(&self) -> String {
        self.registry.overview().problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// Writes an index that nobody has written to lately.
fn settled(dir: &TestDir, name: &str, text: &str) {
    let path = dir.write_file(name, text);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn the_switch_stays_on_while_nobody_knows_what_it_says() {
    const GATE: &str = "registry/gate/_index.yaml";
    let dir = TestDir::new();
    declare(
        &dir,
        &[tool(&dir, "open", "", "return 1"), tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 1")].concat(),
    );
    let head = "version: \"1.0\"\nnamespace: gate\nentries:\n";
    let gate = "  - name: g\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    let watched = Watched::new(&dir);
    assert_eq!(watched.tools(), ["gated", "open"]);
    let on = format!("{head}{gate}");
    for broken in [
        format!("{on}  - name: [\n"),
        String::new(),
        "version: \"1.0\"\n".to_owned(),
        format!("{head}{}", gate.replace("gated: true", "gated: .nan")),
        format!("{head}{}", gate.replace("    data", "    kind: x\n    data")),
        on.replace("\"1.0\"", "\"9.0\""),
    ] {
        settled(&dir, GATE, &on);
        assert_eq!(watched.tools(), ["open"]);
        assert!(!watched.problems().contains("stays on"), "{}", watched.problems());
        settled(&dir, GATE, &broken);
        // However often somebody looks.
        for _ in 0..2 {
            assert_eq!(watched.tools(), ["open"], "{broken}");
            assert!(
                watched.problems().contains("stays on until this file can be read"),
                "{broken}: {}",
                watched.problems()
            );
        }
        settled(&dir, GATE, &format!("{head}{}", gate.replace("gated: true", "gated: false")));
        assert_eq!(watched.tools(), ["gated", "open"], "{broken}");
    }
    // Another entry that is broken says nothing about it.
    settled(&dir, GATE, &on);
    assert_eq!(watched.tools(), ["open"]);
    settled(&dir, GATE, &format!("{on}  - name: note\n    kind: registry.entry\n    data: .nan\n"));
    assert_eq!(watched.tools(), ["open"]);
    settled(&dir, GATE, &format!("{head}  - name: note\n    kind: registry.entry\n    data: .nan\n"));
    assert_eq!(watched.tools(), ["gated", "open"]);
    settled(&dir, GATE, &on);
    assert_eq!(watched.tools(), ["open"]);
    std::fs::remove_file(dir.app_path().join(GATE)).unwrap();
    assert_eq!(watched.tools(), ["gated", "open"]);
}

#[test]
fn the_switch_counts_where_there_is_no_room_for_it() {
    let dir = TestDir::new();
    let many: String = (0..wardroom_registry::limits::MAX_REGISTRY_ENTRIES)
        .map(|n| format!("  - {{ name: e{n}, kind: registry.entry }}\n"))
        .collect();
    declare(
        &dir,
        &[tool(&dir, "open", "", "return 1"), tool(&dir, "gated", "      mcp.groups: [ops]\n", "return 1"), many]
            .concat(),
    );
    let watched = Watched::new(&dir);
    assert_eq!(watched.tools(), ["gated", "open"]);
    let head = "version: \"1.0\"\nnamespace: gate\nentries:\n";
    let gate = "  - name: g\n    kind: registry.entry\n    meta: { type: mcp.gating }\n    data: { emergency_hide_gated: true }\n";
    dir.write_file("registry/gate/_index.yaml", format!("{head}{gate}"));
    assert_eq!(watched.tools(), ["open"]);
}

#[test]
fn what_is_half_written_takes_nothing_away() {
    let dir = TestDir::new();
    let whole = format!("{}{}", super::HEAD, tool(&dir, "t", "", "return 1"));
    dir.write_file("registry/app/_index.yaml", &whole);
    let watched = Watched::new(&dir);
    assert_eq!(watched.tools(), ["t"]);
    for half in ["", "version: \"1.0\"\nnames", "version: \"1.0\"\nnamespace: app\nentries:\n  - name: [t"] {
        // It is fresh for a second: whoever is kept from looking within that looks at another one.
        let seen = loop {
            let written = std::time::Instant::now();
            dir.write_file("registry/app/_index.yaml", half);
            let seen = (watched.tools(), watched.problems());
            if written.elapsed() < std::time::Duration::from_millis(900) {
                break seen;
            }
            dir.write_file("registry/app/_index.yaml", &whole);
            watched.tools();
        };
        assert_eq!(seen, (vec!["t".to_owned()], String::new()), "{half:?}");
        // Whoever does not go on with it is done.
        settled(&dir, "registry/app/_index.yaml", half);
        assert_eq!(watched.tools(), [""; 0], "{half:?}");
        assert!(watched.problems().contains("error") || watched.problems().contains("warning"), "{half:?}");
        dir.write_file("registry/app/_index.yaml", &whole);
        assert_eq!(watched.tools(), ["t"]);
    }
}

/// An answer with one name instead of another: whether somebody could tell them apart.
fn renamed(answer: &Value, from: &str, to: &str) -> Value {
    let mut answer = answer.clone();
    answer.as_object_mut().unwrap().remove("id");
    serde_json::from_str(&answer.to_string().replace(from, to)).unwrap()
}

#[test]
fn what_is_hidden_is_as_good_as_missing_everywhere() {
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
    for era in ClientRevision::ALL {
        let client = &mut serve(&dir, era);
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
        let mut looked = |name: &str, uri: &str| {
            said(client, "peek", json!({"id": format!("app:{name}"), "name": name, "uri": uri})).replace(name, "X")
        };
        let absent = looked("absent", "pub://absent");
        assert!(absent.contains("there is no entry") && absent.contains("|0/nil|"), "{absent}");
        assert_eq!(looked("hidden", "pub://hidden"), absent);
        assert_eq!(looked("gated", "pub://gated"), absent);
    }
}

#[test]
fn a_token_brings_its_groups_to_what_is_declared() {
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
