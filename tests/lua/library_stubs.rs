//! Tests that the type stubs match the library exactly.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Lua, Table, Value};
use serde_json::json;
use wardroom_lua::builtin_module;
use wardroom_lua::type_stubs;

use super::library_host::{TestHost, vm};

fn stub(name: &str) -> String {
    type_stubs().into_iter().find(|(found, _)| *found == name).unwrap().1
}

/// Collects the paths of all functions and other values below a table.
fn reachable(table: &Table, above: &str, found: &mut BTreeSet<String>) {
    for pair in table.pairs::<String, Value>() {
        let (name, value) = pair.unwrap();
        let path = format!("{above}.{name}");
        match value {
            Value::Table(inner) => reachable(&inner, &path, found),
            Value::Function(_) => drop(found.insert(format!("{path}()"))),
            _ => drop(found.insert(path)),
        }
    }
}

/// Collects the same paths from a stub: functions, and fields of the classes of its tables.
fn described(stub: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut class = "";
    for line in stub.lines() {
        if let Some(rest) = line.strip_prefix("---@class ") {
            class = rest.split(' ').next().unwrap();
        } else if let Some(rest) = line.strip_prefix("---@field ") {
            fields.entry(class).or_default().push(rest);
        } else if let Some(rest) = line.strip_prefix("function ") {
            found.insert(format!("{}()", rest.split('(').next().unwrap()));
        } else if let Some(table) = line.strip_suffix(" = {}").filter(|table| *table != "ctx") {
            for field in fields.get(class).into_iter().flatten() {
                let (name, shown) = field.split_once(' ').unwrap();
                // A field that is a table has its own class in the stub.
                if ["string", "alc.Null"].contains(&shown.split(' ').next().unwrap()) {
                    found.insert(format!("{table}.{name}"));
                }
            }
        }
    }
    found
}

#[test]
fn stub_matches_library_keys() {
    let lua = vm(Rc::new(TestHost::default()), &json!({}));
    let mut there = BTreeSet::new();
    for global in ["alc", "json"] {
        reachable(&lua.globals().get(global).unwrap(), global, &mut there);
    }
    assert_eq!(there, described(&stub("alc.d.lua")));
    // The original has 37 keys; `hash` and `null` are new.
    let alc: Table = lua.globals().get("alc").unwrap();
    assert_eq!(alc.pairs::<String, Value>().count(), 39);
}

#[test]
fn install_adds_only_alc_and_json() {
    let names = |lua: &Lua| -> BTreeSet<String> {
        lua.globals().pairs::<String, Value>().map(|pair| pair.unwrap().0).collect()
    };
    let mut plain = names(&Lua::new());
    plain.extend(["alc", "json"].map(str::to_owned));
    assert_eq!(names(&vm(Rc::new(TestHost::default()), &json!({}))), plain);
}

#[test]
fn stubs_are_valid_lua_with_declared_types() {
    let lua = Lua::new();
    for (name, text) in type_stubs() {
        lua.load(&text).set_name(name).into_function().unwrap();
        let declared: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("---@class ").or_else(|| line.strip_prefix("---@alias ")))
            .map(|rest| rest.split(' ').next().unwrap())
            .collect();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        for line in text.lines().filter(|line| line.starts_with("---@")) {
            for word in line.split(|c| !is_word(c)).map(|word| word.trim_end_matches('.')) {
                let is_type = ["alc.", "alc_shapes."]
                    .iter()
                    .any(|module| word.strip_prefix(module).is_some_and(|rest| rest.starts_with(char::is_uppercase)));
                assert!(!is_type || declared.contains(word), "{name}: {word} in {line}");
            }
            assert!(line.len() < 200 && !line.ends_with(' '), "{name}: {line}");
        }
        for line in text.lines().filter(|line| line.starts_with("function ")) {
            assert!(line.ends_with(") end"), "{name}: {line}");
        }
    }
}

#[test]
fn stub_describes_functions_in_full() {
    let stub = stub("alc.d.lua");
    let part = "---Asks the model, and waits for its answer.\n---Raises `budget_exceeded: …` when a limit of the run is reached.\n\
                ---@param prompt string\n\
                ---@param opts? alc.LlmOpts an option of another type than it should have is ignored\n\
                ---@return string answer\nfunction alc.llm(prompt, opts) end\n";
    assert!(stub.contains(part), "{stub}");
    for before in ["\n\nfunction ", "{}\nfunction "] {
        assert!(!stub.contains(before), "a function without a sentence");
    }
}

#[test]
fn alc_shapes_stub_has_every_function() {
    let found = described(&stub("alc_shapes.d.lua"));
    let functions: Vec<&str> = found.iter().filter_map(|name| name.strip_suffix("()")).collect();
    let expected = [
        "S.assert",
        "S.assert_dev",
        "S.check",
        "S.fields",
        "S.instrument",
        "S.is_dev_mode",
        "S.walk",
        "Schema:describe",
        "Schema:is_optional",
        "SpecResolver.is_passthrough",
        "SpecResolver.resolve",
        "SpecResolver.run",
        "T.array_of",
        "T.discriminated",
        "T.map_of",
        "T.one_of",
        "T.ref",
        "T.shape",
    ];
    assert_eq!(functions, expected);
}

#[test]
fn builtin_modules_return_parts_of_evalframe() {
    assert_eq!(builtin_module("alc_shapes"), None);
    assert_eq!(builtin_module("evalframe.other"), None);
    let lua = vm(Rc::new(TestHost::default()), &json!({}));
    let parts = [
        ("eval", "suite"),
        ("eval.stats", "stats"),
        ("model.binding", "bind"),
        ("model.case", "case"),
        ("model.grader", "grader"),
        ("model.scorer", "scorer"),
        ("presets.graders", "graders"),
        ("presets.scorers", "scorers"),
        ("providers.algocline", "providers.algocline"),
        ("providers.mock", "providers.mock"),
    ];
    for (part, place) in parts {
        let script = format!("return require('evalframe.{part}') == require('evalframe').{place}");
        assert!(lua.load(script).eval::<bool>().unwrap(), "{part}");
    }
}
