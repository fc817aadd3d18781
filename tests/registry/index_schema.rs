//! The JSON Schema of indices agrees with what loads them, and generated indices name it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::files::{TOOL, problems, with};
use super::{HEAD, declare, handler};
use wardroom_base::json_schema::CompiledSchema;
use wardroom_registry::index_schema;
use wardroom_test_support::{TestDir, run_wardroom};

/// Checks an index against the schema as one of 2020-12: its keywords mean the same in draft 07, which it names for editors.
fn check(schema: &Value, index: &str) -> Result<(), String> {
    let mut options = serde_saphyr::Options::default();
    // As for the loader, `yes` is a text.
    options.strict_booleans = true;
    let index: Value = serde_saphyr::from_str_with_options(index, options).unwrap();
    let mut schema = schema.clone();
    assert_eq!(schema.as_object_mut().unwrap().remove("$schema").unwrap(), "http://json-schema.org/draft-07/schema#");
    CompiledSchema::new(&schema).unwrap().check(&index)
}

/// Every index below a folder of the workspace.
fn indices(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            indices(&path, found);
        } else if path.ends_with("_index.yaml") {
            found.push(path);
        }
    }
}

#[test]
fn schema_accepts_every_index_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["host/assets", "tests"] {
        indices(&root.join(folder), &mut found);
    }
    assert!(found.len() >= 3, "{found:?}");
    let page = fs::read_to_string(root.join("docs/REGISTRY.md")).unwrap();
    let example = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
    let texts = found.iter().map(|path| fs::read_to_string(path).unwrap()).chain([example]);
    for text in texts {
        check(&index_schema(), &text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}

/// Whether the loader finds no problem in these entries.
fn loads(entries: &str) -> bool {
    let dir = TestDir::new();
    dir.write_file("registry/app/ok.lua", handler("call", "return 'ok'"));
    declare(&dir, entries);
    problems(&dir).is_empty()
}

#[test]
fn schema_agrees_with_the_loader() {
    let prompt = |keys: &str| {
        format!(
            "  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p\n{keys}"
        )
    };
    let message = "      mcp.prompt.messages: [{ role: user, content: Hello }]\n";
    let resource =
        |keys: &str| format!("  - name: r\n    kind: function.lua\n    meta:\n      mcp.resource: n://1\n{keys}");
    let accepted = [
        TOOL.to_owned(),
        TOOL.replace("mcp.tool: true", "mcp: { tool: true }"),
        with("      mcp.annotations: { readOnlyHint: true, title: T }\n"),
        with(
            "      mcp.timeout: 0.5\n      mcp.needs: [sampling.tools]\n      mcp.task: optional\n      mcp.scope: false\n",
        ),
        with(
            "      mcp.icons: [https://x/i.png, { src: 'data:,', theme: dark, sizes: 48x48 }]\n      mcp.ui: ui://a\n",
        ),
        with("      of.mine: 1\n      type: anything\n"),
        TOOL.replace("    meta:", "    modules: [json, store]\n    meta:"),
        prompt(message),
        prompt(
            "      mcp.prompt.messages: [{ content: { type: text, text: Hello } }]\n      mcp.completions: { a: [1, x] }\n",
        ),
        prompt(&format!("      mcp.prompt.arguments: [{{ name: a, required: true, default: 3 }}]\n{message}")),
        prompt(message).replace("mcp.prompt: true\n      mcp.prompt.name: p", "mcp.prompt: { name: p }"),
        resource("      mcp.resource.text: t\n"),
        "  - name: l\n    kind: library.lua\n    source: file://ok.lua\n  - name: m\n    kind: library.lua\n    source: \
         file://ok.lua\n    imports: { util: app:l }\n"
            .to_owned(),
        "  - name: d\n    kind: registry.entry\n    data: { a: 1 }\n    of_mine: 1\n".to_owned(),
    ];
    for entries in accepted {
        assert!(loads(&entries), "{entries}");
        check(&index_schema(), &format!("{HEAD}{entries}")).unwrap_or_else(|why| panic!("{why}\n{entries}"));
    }
    let refused = [
        TOOL.replace("name: t\n    kind", "name: 'a b'\n    kind"),
        TOOL.replace("    kind: function.lua\n", ""),
        TOOL.replace("function.lua", "function.js"),
        TOOL.replace("function.lua", "library.lua"),
        TOOL.replace("    method: call\n", ""),
        TOOL.replace("    source: file://ok.lua\n", ""),
        TOOL.replace("file://ok.lua", "ok.lua"),
        TOOL.replace("method:", "metod:"),
        TOOL.replace("    meta:", "    modules: [jsn]\n    meta:"),
        TOOL.replace("    meta:", "    modules: json\n    meta:"),
        TOOL.replace("    meta:", "    imports: { util: nothing }\n    meta:"),
        TOOL.replace("mcp.tool: true", "mcp.tool: \"true\""),
        TOOL.replace("mcp.name: t", "mcp.name: [t]"),
        TOOL.replace("mcp.tool: true", "mcp: { tool: true, nam: t }"),
        with("      mcp.inputschema: {}\n"),
        with("      mcp.inputSchema: { type: array }\n"),
        with("      mcp.annotations: { readonlyHint: true }\n"),
        with("      mcp.annotations: { readOnlyHint: yes }\n"),
        with("      mcp.timeout: 0\n"),
        with("      mcp.timeout: 601\n"),
        with("      mcp.scope: [a, b]\n"),
        with("      mcp.groups: admin\n"),
        with("      mcp.ui: https://x\n"),
        with("      mcp.icons: [javascript:1]\n"),
        with("      mcp.needs: [telepathy]\n"),
        with("      mcp.task: perhaps\n"),
        with("      mcp.completions: { a: [[]] }\n"),
        prompt("      mcp.prompt.messages: [{ role: system, content: Hello }]\n"),
        prompt("      mcp.prompt.messages: [{ role: user }]\n"),
        prompt(&format!("      mcp.prompt.type: other\n{message}")),
        prompt(&format!("      mcp.prompt.arguments: [{{ title: a }}]\n{message}")),
        prompt(&format!("      mcp.prompt.message: []\n{message}")),
        resource("      mcp.resource.text: t\n      mcp.resource.kind: x\n"),
        "  - kind: library.lua\n    source: file://ok.lua\n".to_owned(),
        "  - name: l\n    kind: library.lua\n".to_owned(),
        "  - name: f\n    kind: function.lua\n    source: file://ok.lua\n".to_owned(),
    ];
    for entries in refused {
        assert!(!loads(&entries), "{entries}");
        assert!(check(&index_schema(), &format!("{HEAD}{entries}")).is_err(), "{entries}");
    }
    for head in [
        "version: \"2.0\"\nnamespace: app\n",
        "version: \"1.0\"\n",
        "namespace: app\n",
        "version: \"1.0\"\nnamespace: app\nentry: 1\n",
    ] {
        assert!(check(&index_schema(), &format!("{head}entries:\n{TOOL}")).is_err(), "{head}");
    }
}

/// The schema that an index names in its first line, as an editor finds it.
fn named_schema(index: &Path) -> Value {
    let text = fs::read_to_string(index).unwrap();
    let path = text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap();
    serde_json::from_str(&fs::read_to_string(index.parent().unwrap().join(path)).unwrap()).unwrap()
}

#[test]
fn generated_index_names_the_schema_that_accepts_it() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    for kind in ["tool", "prompt", "resource"] {
        run_wardroom(dir.root(), &["registry", "new", kind, &format!("a_{kind}"), "--appdir", &app]).expect_success();
    }
    let mut found = Vec::new();
    indices(&dir.app_path().join("registry"), &mut found);
    assert_eq!(found.len(), 2, "{found:?}");
    for index in found {
        let schema = named_schema(&index);
        assert_eq!(schema, index_schema());
        check(&schema, &fs::read_to_string(index).unwrap()).unwrap();
    }
}

/// A line that leads nowhere would be a warning of every editor.
#[test]
fn index_names_no_schema_that_is_not_there() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &["registry", "new", "tool", "greet", "--appdir", &app]).expect_success();
    let text = |path: &str| fs::read_to_string(dir.app_path().join(path)).unwrap();
    assert!(text("registry/app/_index.yaml").starts_with("version: "));
    // A folder outside the AppDir may belong to several people.
    run_wardroom(dir.root(), &["init", "--appdir", &app]).expect_success();
    let shared = dir.root().join("shared");
    fs::create_dir(&shared).unwrap();
    let shared = shared.display().to_string();
    run_wardroom(dir.root(), &["registry", "new", "tool", "other", "--appdir", &app, "--registry", &shared])
        .expect_success();
    assert!(fs::read_to_string(format!("{shared}/app/_index.yaml")).unwrap().starts_with("version: "));
}
