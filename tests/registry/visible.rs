//! Who sees what: scopes, groups, and the switch that hides what has groups.

use std::sync::Arc;

use wardroom::appdir::{Access, ambient};
use wardroom::config::Watch;
use wardroom::payload::Payload;
use wardroom::services::registry::{Registry, Root};
use wardroom::services::{CallContext, Caller, Catalogue, ServiceError};

use super::{declare, tool};
use crate::support::TestDir;

/// The names that a caller is listed; each of the others must be as good as missing.
fn seen(dir: &TestDir, scope: Option<&str>, groups: Option<&[&str]>) -> Vec<String> {
    let folder = ambient::open(&dir.app(), Access::ReadOnly).unwrap();
    let root = Root { name: "registry".to_owned(), folder, below: "registry".to_owned() };
    let registry = Registry::new(vec![root], Box::new(|_| false), Watch::Off);
    let catalogue = Arc::new(Catalogue::new(vec![Box::new(registry)]));
    let groups = groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect());
    let caller = Arc::new(Caller { scope: scope.map(str::to_owned), groups, ..Caller::default() });
    let context = CallContext { caller, ..CallContext::patient(&catalogue) };
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
