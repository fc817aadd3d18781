//! Parsing of indices: mistakes are reported with their location, and the rest works.

use std::fs;
use std::os::unix::fs::symlink;

use wardroom_appdir::{Access, ambient};
use wardroom_config::WatchMode;
use wardroom_registry::{RegistryRoot, RegistryService, Severity};

use super::{HEAD, declare, handler, names, serve, tool};
use wardroom_test_support::{ClientRevision, TestDir, run_wardroom};

/// Returns the problems in an AppDir's registry, one line each.
pub(crate) fn problems(dir: &TestDir) -> Vec<String> {
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    let overview = RegistryService::new(vec![root], Box::new(|name| name == "taken"), WatchMode::Off).overview();
    overview.problems.iter().map(ToString::to_string).collect()
}

/// Checks the problems in one index, by a part of each line.
#[track_caller]
fn check(entries: &str, expected: &[&str]) {
    let dir = TestDir::new();
    dir.write_file("registry/app/ok.lua", handler("call", "return 'ok'"));
    fs::write(dir.root().join("outside.lua"), "return {}").unwrap();
    declare(&dir, entries);
    let found = problems(&dir);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}\nhas not\n{expected}");
    }
}

pub(crate) const TOOL: &str = "  - name: t\n    kind: function.lua\n    source: file://ok.lua\n    method: call\n    meta:\n      \
                    mcp.tool: true\n      mcp.name: t\n      mcp.description: d\n";

pub(crate) fn with(meta: &str) -> String {
    format!("{TOOL}{meta}")
}

#[test]
fn demo_has_no_problems() {
    assert_eq!(problems(&TestDir::new_demo()), [""; 0]);
    check(TOOL, &[]);
}

#[test]
fn mistake_is_reported_with_line_and_suggestion() {
    check(
        &with("      mcp.inputschema: {}\n"),
        &["registry/app/_index.yaml:12: warning: unknown key mcp.inputschema: is it mcp.inputSchema?"],
    );
    check(&with("      mcp.prompt.message: []\n"), &["unknown key mcp.prompt.message: is it mcp.prompt.messages?"]);
    check(&with("      mcp.unlike.anything: 1\n"), &[":12: warning: unknown key mcp.unlike.anything"]);
    check(&TOOL.replace("mcp.tool: true", "mcp.tool: \"true\""), &[":9: warning: mcp.tool must be true or false"]);
    check(&TOOL.replace("method:", "metod:"), &["t needs a method", "unknown key metod of t: is it method?"]);
    check(&TOOL.replace("mcp.name: t", "mcp.name: [t]"), &[":10: error: mcp.name must be text"]);
    let required = "      mcp.inputSchema: { properties: { name: { type: string } }, required: [nam] }\n";
    check(&with(required), &[":12: warning: mcp.inputSchema requires nam, which has no property: is it name?"]);
    let keyword = |schema: &str| with(&format!("      mcp.inputSchema: {schema}\n"));
    let misspelt = keyword("{ properties: { a: { type: string, maxLenght: 3 } }, require: [a] }");
    check(
        &misspelt,
        &[
            "unknown keyword maxLenght of mcp.inputSchema: is it maxLength?",
            "unknown keyword require of mcp.inputSchema: is it required?",
        ],
    );
    // A property may have any name, and a schema keywords of its own.
    check(
        &keyword("{ properties: { require: { type: string, x-unit: s, default: { require: 1 } } }, order: [require] }"),
        &[],
    );
    let prompt = "  - name: p\n    kind: registry.entry\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p\n      mcp.prompt.arguments: [{ name: topic }]\n\
                  \x20     mcp.prompt.messages:\n        - content: About {{topci}}, {{other}}\n";
    check(prompt, &[":11: warning: {{topci}} stays as it is written: is it {{topic}}?"]);
    let template = "  - name: r\n    kind: registry.entry\n    meta:\n      mcp.resource.template: notes://{id}\n\
                    \x20     mcp.resource.text: '{{ id }}'\n";
    check(template, &["{{ id }} stays as it is written: is it {{id}}?"]);
    check(&with("      mcp.annotations: { readonlyHint: true }\n"), &["is it readOnlyHint?"]);
    check(&with("      mcp.annotations: { readOnlyHint: yes }\n"), &["readOnlyHint must be true or false"]);
    check(&with("      mcp.timeout: 0\n"), &[":12: error: mcp.timeout must be seconds, more than 0 and at most 600"]);
    check(&with("      mcp.scope: [a, b]\n"), &["mcp.scope must be text"]);
    check(&with("      mcp.groups: admin\n"), &["mcp.groups must be a list of texts"]);
    check(&with("      mcp.ui: https://x\n"), &["mcp.ui must be a ui:// address"]);
    check(&with("      mcp.icons: [javascript:1]\n"), &["an icon's src must begin with"]);
    check(&with("      mcp.needs: [telepathy]\n"), &["mcp.needs: telepathy is none of sampling"]);
}

#[test]
fn maps_below_mcp_stand_for_keys_with_dots() {
    let nested = "  - name: t\n    kind: function.lua\n    source: file://ok.lua\n    method: call\n    meta:\n      mcp:\n        \
                  tool: true\n        name: nested\n        description: d\n        inputschema: {}\n        prompt:\n          \
                  name: p\n          messages: [{ role: user, content: Hello }]\n      mcp.name: other\n";
    check(
        nested,
        &[":13: warning: unknown key mcp.inputschema: is it mcp.inputSchema?", ":17: error: mcp.name is set twice"],
    );
    // What is set twice could decide who sees the entry.
    check(&with("      mcp: { scope: ~ }\n      mcp.scope: ops\n"), &[":13: error: mcp.scope is set twice"]);
    let nested = nested.replace("      mcp.name: other\n", "");
    let dir = TestDir::new();
    dir.write_file("registry/app/_index.yaml", format!("version: \"1.0\"\nnamespace: app\nentries:\n{nested}"));
    dir.write_file("registry/app/ok.lua", "return { call = function() return 'called' end }");
    let app = dir.app_path().display().to_string();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat()).expect_success();
    assert_eq!(run(&["call", "nested"]), "called\n");
    assert_eq!(run(&["prompt", "p"]), "user: Hello\n");
}

#[test]
fn missing_parts_of_handler_are_reported() {
    check(&TOOL.replace("ok.lua", "none.lua"), &[":6: error: the source of t, none.lua, is not there"]);
    check(&TOOL.replace("ok.lua", "../../../outside.lua"), &["../../../outside.lua, leads outside its folder"]);
    check(&TOOL.replace("ok.lua", "/etc/passwd"), &["/etc/passwd, is not the name of a file beside this index"]);
    check(&TOOL.replace("file://ok.lua", "ok.lua"), &["must be file://NAME.lua"]);
    check(&TOOL.replace("    method: call\n", ""), &["t needs a method"]);
    check(&TOOL.replace("function.lua", "function.wasm"), &["the kind function.wasm is not supported"]);
    check(&TOOL.replace("function.lua", "http.endpoint"), &["configure endpoints as [http.endpoints]"]);
    check(&format!("{TOOL}    modules: [no_such_module]\n"), &["no_such_module"]);
    check(&format!("{TOOL}    imports: {{ util: nowhere }}\n"), &["the import util must be an entry id"]);
    check(&format!("{TOOL}    imports: {{ util: app:util }}\n"), &["t: it imports app:util, which does not exist"]);
    let shadowed = format!(
        "{TOOL}    modules: [json]\n    imports: {{ json: app:util }}\n  - name: util\n    kind: library.lua\n    source: file://ok.lua\n"
    );
    check(&shadowed, &["the import json cannot be reached: it has the name of a listed module"]);
    let library = |name: &str, import: &str| {
        format!(
            "  - name: {name}\n    kind: library.lua\n    source: file://ok.lua\n    imports: {{ x: app:{import} }}\n"
        )
    };
    check(
        &format!("{}{}{TOOL}    imports: {{ x: app:a }}\n", library("a", "b"), library("b", "a")),
        &["a: its imports form a cycle: app:a → app:b → app:a", "b: its imports", "t: it imports app:a"],
    );
}

#[test]
fn called_entry_must_be_function() {
    let expected = ":5: error: t cannot be called: set its kind to function.lua";
    let prompt = ":5: error: t has no mcp.prompt.messages, and is no handler: set its kind to function.lua";
    let resource = ":5: error: t has neither mcp.resource.text nor mcp.resource.file, and is no handler: set its kind to function.lua";
    for kind in ["library.lua", "registry.entry"] {
        check(&TOOL.replace("function.lua", kind), &[expected]);
        let entry =
            |meta: &str| format!("  - name: t\n    kind: {kind}\n    source: file://ok.lua\n    meta: {{ {meta} }}\n");
        check(&entry("mcp.prompt: true, mcp.prompt.name: p"), &[prompt]);
        check(&entry("mcp.resource.uri: \"test://x\""), &[resource]);
        // An entry that runs nothing may be of any kind.
        check(&entry("mcp.prompt: true, mcp.prompt.name: p, mcp.prompt.messages: [{ content: x }]"), &[]);
        check(&entry("mcp.resource.uri: \"test://x\", mcp.resource.text: x"), &[]);
    }
    let completes = |id: &str, kind: &str| {
        format!(
            "  - name: p\n    kind: registry.entry\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p\n      \
             mcp.prompt.messages: [{{ content: x }}]\n      mcp.completions: {{ a: \"app:{id}\" }}\n  - name: l\n    kind: {kind}\n    \
             source: file://ok.lua\n    method: call\n"
        )
    };
    check(&completes("l", "library.lua"), &[":4: error: p: mcp.completions: a: app:l cannot be called"]);
    check(&completes("l", "function.lua"), &[]);
    check(&completes("none", "library.lua"), &[":4: warning: p: mcp.completions: a: there is no entry app:none"]);
}

#[test]
fn symlink_out_of_registry_is_refused_as_source() {
    let dir = TestDir::new();
    fs::write(dir.root().join("secret.lua"), "return {}").unwrap();
    declare(&dir, TOOL);
    symlink(dir.root().join("secret.lua"), dir.app_path().join("registry/app/ok.lua")).unwrap();
    let found = problems(&dir);
    assert!(found[0].contains("ok.lua, leads outside its folder"), "{found:?}");
}

#[test]
fn invalid_schema_is_reported_at_load() {
    check(&with("      mcp.inputSchema: { type: array }\n"), &["must have type: object at its root"]);
    check(
        &with("      mcp.inputSchema: { type: 7 }\n"),
        &["is not a JSON Schema of 2020-12", "must have type: object"],
    );
    check(&with("      mcp.outputSchema: { properties: 1 }\n"), &["mcp.outputSchema is not a JSON Schema"]);
    for reference in ["https://example.com/s.json", "file:///etc/passwd", "other.json", "#/$defs/none"] {
        check(
            &with(&format!("      mcp.inputSchema: {{ $ref: \"{reference}\" }}\n")),
            &["is not a JSON Schema of 2020-12"],
        );
    }
    check(&with("      mcp.inputSchema: { properties: { a: { pattern: \"(\" } } }\n"), &["is not a JSON Schema"]);
}

#[test]
fn duplicate_name_is_error_for_both() {
    let other = TOOL.replace("name: t\n    kind", "name: u\n    kind");
    check(
        &format!("{TOOL}{other}"),
        &[
            "registry/app/_index.yaml:4: error: t: the tool t is also declared at registry/app/_index.yaml:12",
            "registry/app/_index.yaml:12: error: u: the tool t is also declared at registry/app/_index.yaml:4",
        ],
    );
    check(&format!("{TOOL}{TOOL}"), &["the entry app:t is also declared at", "the entry app:t is also declared at"]);
    check(&TOOL.replace("mcp.name: t", "mcp.name: taken"), &["this server has a built-in tool taken"]);
}

#[test]
fn broken_index_hides_no_other() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "works", "", "return 'yes'"));
    dir.write_file("registry/bad/_index.yaml", "version: \"1.0\"\nnamespace: bad\nentries:\n  - name: [\n");
    dir.write_file("registry/old/_index.yaml", "version: \"2.0\"\nnamespace: old\n");
    dir.write_file("registry/none/_index.yaml", "version: \"1.0\"\n");
    dir.write_file("registry/twice/_index.yaml", format!("{HEAD}\nversion: \"1.0\"\n"));
    dir.write_file("registry/bytes/_index.yaml", b"\xff\xfe\x00");
    let found = problems(&dir);
    for expected in
        ["registry/bad/_index.yaml:", "version 2.0 is not known", "namespace is missing", "registry/twice/_index.yaml:"]
    {
        assert!(found.iter().any(|line| line.contains(expected)), "{expected}: {found:#?}");
    }
    assert!(found.iter().any(|line| line.contains("registry/bytes/_index.yaml")), "{found:#?}");
    for revision in ClientRevision::ALL {
        assert_eq!(names(&mut serve(&dir, revision), "tools/list", "tools"), ["works"]);
    }
}

/// Returns the problems of a last entry, beside an entry that must keep working.
#[track_caller]
fn problems_beside_working_entry(last: &str) -> Vec<String> {
    let dir = TestDir::new();
    declare(&dir, &format!("{}{last}", tool(&dir, "works", "", "return 'yes'")));
    let found = problems(&dir);
    assert_eq!(names(&mut serve(&dir, ClientRevision::Modern), "tools/list", "tools"), ["works"], "{last}: {found:?}");
    found
}

#[test]
fn invalid_value_invalidates_only_its_entry() {
    let entry = |rest: &str| format!("  - name: b\n    kind: registry.entry\n{rest}");
    for (last, expected) in [
        (entry("    kind: registry.entry\n"), "error: b: the key kind occurs twice"),
        (entry("    meta:\n      x: 1\n      x: 2\n"), "error: b: the key x occurs twice"),
        (entry("    data: { x: .nan }\n"), "error: b: NaN is not a number of JSON"),
        (entry("    data: [-.inf]\n"), "error: b: -inf is not a number of JSON"),
        (entry("    data: 1e400\n"), "error: b: inf is not a number of JSON"),
        (entry("    data: { ~: 1 }\n"), "error: b: a key must be text"),
        (entry("    data:\n      ? [a]\n      : 1\n"), "error: b: a key must be text"),
        (entry("    data: { 0xB: 1, 11: 2 }\n"), "error: b: the key 11 occurs twice"),
        ("  - name: b\n    name: c\n    kind: registry.entry\n".to_owned(), "the key name occurs twice"),
        ("  - 5\n".to_owned(), "an entry must be a map"),
    ] {
        let found = problems_beside_working_entry(&last);
        assert!(found.len() == 1 && found[0].contains(expected), "{last}: {found:?}");
    }
    // A merged key is not a duplicate.
    assert_eq!(
        problems_beside_working_entry(
            "  - name: a\n    kind: registry.entry\n    data: &d { k: 1 }\n  - name: b\n    kind: registry.entry\n    data: { <<: *d, k: 2 }\n"
        ),
        [""; 0]
    );
}

#[test]
fn unsupported_kinds_of_original_are_warnings() {
    let kinds = [
        "ns.requirement",
        "ns.dependency",
        "ns.definition",
        "process.lua",
        "process.host",
        "terminal.host",
        "http.endpoint",
        "http.service",
        "http.router",
        "function.wasm",
        "something.else",
    ];
    let entries: String = kinds
        .iter()
        .enumerate()
        .map(|(n, kind)| format!("  - name: e{n}\n    kind: {kind}\n    meta: {{ router: app:api }}\n"))
        .collect();
    let found = problems_beside_working_entry(&entries);
    assert_eq!(found.len(), kinds.len(), "{found:?}");
    assert!(found.iter().all(|line| line.contains(": warning: ") && line.contains("is not supported")), "{found:?}");
}

#[test]
fn source_in_hidden_folder_is_refused() {
    let dir = TestDir::new();
    dir.write_file("registry/app/.hidden/t.lua", handler("call", "return 1"));
    dir.write_file("registry/app/.t.lua", handler("call", "return 1"));
    declare(&dir, &TOOL.replace("ok.lua", ".hidden/t.lua"));
    let found = problems(&dir);
    assert!(found.len() == 1 && found[0].contains(".hidden/t.lua, is in a hidden folder"), "{found:?}");
    declare(&dir, &TOOL.replace("ok.lua", ".t.lua"));
    assert_eq!(problems(&dir), [""; 0]);
}

#[test]
fn long_chain_of_broken_imports_is_reported_whole() {
    let dir = TestDir::new();
    dir.write_file("registry/app/l.lua", "return {}");
    let library = |n: usize| {
        format!(
            "  - name: l{n}\n    kind: library.lua\n    source: file://l.lua\n    imports: {{ x: \"app:l{}\" }}\n",
            n + 1
        )
    };
    let entries: String = (0..9_000).map(library).collect();
    declare(&dir, &format!("{entries}{}", tool(&dir, "works", "", "return 'yes'")));
    assert_eq!(names(&mut serve(&dir, ClientRevision::Modern), "tools/list", "tools"), ["works"]);
    let found = problems(&dir);
    assert_eq!(found.len(), wardroom_registry::limits::MAX_REGISTRY_PROBLEMS);
    assert!(found.iter().all(|line| line.contains("it imports app:l")), "{:?}", found.first());
}

#[test]
fn unloaded_service_loads_on_a_worker() {
    use wardroom_service::{Caller, Catalogue, Cost, RequestInfo, Service as _};
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "works", "", "return 'yes'"));
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    let registry = RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off);
    let registry = std::sync::Arc::new(registry);
    let catalogue = std::sync::Arc::new(Catalogue::new(vec![registry.clone()]));
    let (info, caller) = (RequestInfo::new(&catalogue), std::sync::Arc::new(Caller::default()));
    let is_inline = |work: Result<Option<_>, _>| work.unwrap().is_some();
    // Nothing is read on the protocol's thread.
    assert!(!is_inline(catalogue.tools(None).finish_within(Cost::Inline, &info)));
    assert_eq!(catalogue.tool("works", &caller).cost(), Cost::Worker);
    assert_eq!(catalogue.resource("test://x", &caller).unwrap().cost(), Cost::Worker);
    assert!(catalogue.may_exist("test://x", &caller) && !registry.is_loaded());
    assert_eq!(catalogue.tool("works", &caller).finish(&info).unwrap().name(), "works");
    assert!(registry.is_loaded() && !catalogue.may_exist("test://x", &caller));
    assert!(is_inline(catalogue.tools(None).finish_within(Cost::Inline, &info)));
}

#[test]
fn alias_bombs_and_deep_nesting_are_refused() {
    let bomb: String = (1..12)
        .map(|n| {
            let aliases = vec![format!("*a{}", n - 1); 10].join(",");
            format!("a{n}: &a{n} [{aliases}]\n")
        })
        .collect();
    let texts = [
        format!("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n{bomb}"),
        format!("x: {}1{}\n", "[".repeat(5000), "]".repeat(5000)),
        (0..3000).map(|n| format!("{}k:\n", " ".repeat(n))).collect(),
    ];
    for text in texts {
        let dir = TestDir::new();
        dir.write_file("registry/app/_index.yaml", text);
        let found = problems(&dir);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("error"), "{found:?}");
    }
}

#[test]
fn problems_are_bounded_and_sorted() {
    let entries: String = (0..3000).map(|n| format!("  - name: e{n}\n    kind: function.lua\n")).collect();
    let dir = TestDir::new();
    declare(&dir, &entries);
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    let overview = RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off).overview();
    assert_eq!(overview.problems.len(), wardroom_registry::limits::MAX_REGISTRY_PROBLEMS);
    assert!(overview.problems.is_sorted());
    assert!(overview.problems.iter().all(|problem| problem.severity == Severity::Error));
}
