//! The limits on all declarations together, and the problems that are reported beyond them.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::json;
use wardroom_appdir::{Access, ambient};
use wardroom_base::limits::MAX_SCHEMA_BYTES;
use wardroom_config::WatchMode;
use wardroom_registry::limits::{
    MAX_PROMPT_MESSAGES, MAX_PROMPT_TEXT_BYTES, MAX_REGISTRY_DEPTH, MAX_REGISTRY_DIRS, MAX_REGISTRY_ENTRIES,
    MAX_REGISTRY_INDICES, MAX_REGISTRY_NAMES_SCANNED, MAX_REGISTRY_PROBLEM_BYTES, MAX_REGISTRY_SOURCE_BYTES,
    MAX_REGISTRY_VALUES,
};
use wardroom_registry::{RegistryRoot, RegistryService};
use wardroom_service::limits::MAX_SOURCE_BYTES;
use wardroom_service::{Caller, ToolProvider};

use super::changes::expect_notification;
use super::{declare, handler, names, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

/// Returns the registry of an AppDir, which scans only on request.
pub(super) fn registry(dir: &TestDir) -> RegistryService {
    let folder = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let root = RegistryRoot { name: "registry".to_owned(), folder, relative_path: "registry".to_owned() };
    RegistryService::new(vec![root], Box::new(|name| name.starts_with("taken")), WatchMode::Off)
}

/// Returns the problems, one line each.
pub(super) fn problems(registry: &RegistryService) -> Vec<String> {
    registry.overview().problems.iter().map(ToString::to_string).collect()
}

/// Returns the tools that every caller sees.
pub(super) fn tools(registry: &RegistryService) -> Vec<String> {
    ToolProvider::list(registry, None, usize::MAX, &Caller::default())
        .iter()
        .map(|tool| tool.name.clone().into_owned())
        .collect()
}

pub(super) fn data(name: &str) -> String {
    format!("  - {{ name: {name}, kind: registry.entry }}\n")
}

pub(super) fn index(namespace: &str, entries: &str) -> String {
    format!("version: \"1.0\"\nnamespace: {namespace}\nentries:\n{entries}")
}

#[test]
fn large_project_is_served_with_few_descriptors() {
    let dir = TestDir::new();
    for n in 0..400 {
        fs::create_dir_all(dir.app_path().join(format!("registry/node_modules/p{n}"))).unwrap();
    }
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    let mut command = Command::new("sh");
    let server = wardroom_command(dir.root());
    command.args(["-c", "ulimit -n 128 && exec \"$0\" \"$@\""]).arg(server.get_program());
    command.env_clear().env("HOME", dir.root()).arg("--appdir").arg(dir.app_path()).args(["--service", "registry"]);
    let client = &mut StdioClient::spawn(command, ClientRevision::Modern);
    assert_eq!(names(client, "tools/list", "tools"), ["one"]);
    client.send_request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    expect_notification(client, "notifications/subscriptions/acknowledged");
    // The last of all folders is watched as well.
    dir.write_file("registry/node_modules/p99/t.lua", handler("call", "return 2"));
    let entry = tool(&dir, "two", "", "return 2").replace("two.lua", "t.lua");
    dir.write_file("registry/node_modules/p99/_index.yaml", index("more", &entry));
    expect_notification(client, "notifications/tools/list_changed");
    assert_eq!(names(client, "tools/list", "tools"), ["one", "two"]);
    let open = fs::read_dir(format!("/proc/{}/fd", client.process_id())).unwrap().count();
    assert!(open < 64, "{open} descriptors are open");
}

#[test]
fn deep_folders_do_not_displace_others() {
    let dir = TestDir::new();
    for n in 0..MAX_REGISTRY_DIRS {
        fs::create_dir_all(dir.app_path().join(format!("registry/a/b/c{n}"))).unwrap();
    }
    dir.write_file("registry/a/b/c1/_index.yaml", index("deep", &data("x")));
    dir.write_file("registry/z/y/_index.yaml", index("near", &data("x")));
    let registry = registry(&dir);
    let ids: Vec<_> = registry.overview().rows.into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["deep:x", "near:x"]);
    let expected = "registry: warning: has more than 5000 folders: the deepest are not scanned";
    assert_eq!(problems(&registry), [expected]);
}

#[test]
fn indices_names_and_levels_are_bounded() {
    let dir = TestDir::new();
    for n in 0..=MAX_REGISTRY_INDICES {
        dir.write_file(&format!("registry/f{n:04}/_index.yaml"), index(&format!("n{n:04}"), &data("x")));
    }
    let overview = registry(&dir).overview();
    assert_eq!(overview.rows.len(), MAX_REGISTRY_INDICES);
    assert_eq!(problems(&registry(&dir)), ["registry: warning: has more than 1000 indices: 1 are not read"]);
    let dir = TestDir::new();
    let path = |depth: usize| (0..depth).fold("registry".to_owned(), |path, n| format!("{path}/d{n}"));
    dir.write_file(&format!("{}/_index.yaml", path(MAX_REGISTRY_DEPTH)), index("in", &data("x")));
    for n in 0..2_000 {
        fs::create_dir_all(dir.app_path().join(format!("{}/e{n:04}", path(MAX_REGISTRY_DEPTH)))).unwrap();
    }
    let registry = registry(&dir);
    assert_eq!(registry.overview().rows.len(), 1);
    let found = problems(&registry);
    // One problem, however many folders are too deep.
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("/e0000: warning: is nested too deep, as are 1999 others: it is not scanned"),
        "{found:?}"
    );
}

#[test]
fn file_names_count_against_scan_limit() {
    let dir = TestDir::new();
    dir.write_file("registry/first/x", "");
    let many = dir.app_path().join("registry/many");
    fs::create_dir(&many).unwrap();
    fs::write(many.join("0"), "").unwrap();
    // Hard links are the cheapest names to create.
    (1..=MAX_REGISTRY_NAMES_SCANNED).for_each(|n| fs::hard_link(many.join("0"), many.join(n.to_string())).unwrap());
    assert_eq!(problems(&registry(&dir)), ["registry: warning: has too many files: some are not scanned"]);
}

#[test]
fn entries_are_counted_over_all_indices() {
    let dir = TestDir::new();
    let most = MAX_REGISTRY_ENTRIES / 2;
    dir.write_file(
        "registry/a/_index.yaml",
        index("a", &(0..most).map(|n| data(&format!("e{n}"))).collect::<String>()),
    );
    dir.write_file(
        "registry/b/_index.yaml",
        index("b", &(0..most + 9).map(|n| data(&format!("e{n}"))).collect::<String>()),
    );
    dir.write_file("registry/c/_index.yaml", index("c", &data("e")));
    let registry = registry(&dir);
    for _ in 0..2 {
        let overview = registry.overview();
        assert_eq!(overview.rows.len(), MAX_REGISTRY_ENTRIES);
        let expected = "error: there are more than 20000 entries: the following ones are left out";
        assert_eq!(
            problems(&registry),
            [
                format!("registry/b/_index.yaml:{}: {expected}", most + 4),
                format!("registry/c/_index.yaml:4: {expected}")
            ]
        );
        registry.reload();
    }
}

#[test]
fn values_are_counted_over_all_indices() {
    let dir = TestDir::new();
    // A short text whose aliases expand to many values.
    let ten = |name: &str, of: &str| format!("&{name} [{}]", [of; 10].join(","));
    let lists = [ten("a", "1"), ten("b", "*a"), ten("c", "*b"), ten("d", "*c"), ten("e", "*d")];
    let text = format!("    data: [{}]\n", lists.join(", "));
    let entry = format!("  - name: x\n    kind: registry.entry\n{text}");
    for n in 0..18 {
        dir.write_file(&format!("registry/f{n}/_index.yaml"), index(&format!("n{n}"), &entry));
    }
    let found = problems(&registry(&dir));
    let expected = format!("all indices together have more than {MAX_REGISTRY_VALUES} values");
    assert!(found.len() == 2 && found.iter().all(|line| line.ends_with(&expected)), "{found:?}");
}

#[test]
fn shared_source_counts_once() {
    let dir = TestDir::new();
    let padded = |bytes: usize| format!("{}--{}", handler("call", "return 1"), " ".repeat(bytes));
    let entry = |name: &str, file: &str| tool(&dir, name, "", "return 1").replace(&format!("{name}.lua"), file);
    // 100 MB, if each entry kept its own copy.
    let shared: String = (0..1_000).map(|n| entry(&format!("t{n:04}"), "shared.lua")).collect();
    dir.write_file("registry/app/shared.lua", padded(100_000));
    declare(&dir, &shared);
    assert_eq!((tools(&registry(&dir)).len(), problems(&registry(&dir))), (1_000, vec![]));
    // Different sources are counted, and a source that does not fit is not read.
    let mib = usize::try_from(MAX_SOURCE_BYTES).unwrap();
    let fit = MAX_REGISTRY_SOURCE_BYTES / mib;
    let mut large = String::new();
    for n in 0..fit + 2 {
        let file = dir.write_file(&format!("registry/app/large{n:02}.lua"), "return {}");
        fs::File::options().write(true).open(file).unwrap().set_len(MAX_SOURCE_BYTES).unwrap();
        write!(large, "{}", entry(&format!("l{n:02}"), &format!("large{n:02}.lua"))).unwrap();
    }
    declare(&dir, &large);
    let registry = registry(&dir);
    for _ in 0..2 {
        assert_eq!(tools(&registry).len(), fit);
        let found = problems(&registry);
        assert_eq!(found.len(), 2, "{found:?}");
        let expected = "large65.lua, is left out: all sources together are larger than 64 MiB";
        assert!(found[1].contains(expected), "{found:?}");
        registry.reload();
    }
    // Space that becomes free is used.
    declare(&dir, &large.replace("source: file://large00.lua", "source: file://large01.lua"));
    registry.reload();
    assert_eq!((tools(&registry).len(), problems(&registry).len()), (fit + 1, 1));
}

#[test]
fn schemas_and_prompts_are_bounded() {
    let dir = TestDir::new();
    let long = "x".repeat(MAX_SCHEMA_BYTES);
    let long_argument = "x".repeat((MAX_PROMPT_TEXT_BYTES - 1_000) / 16);
    let prompt = |name: &str, more: &str| {
        format!(
            "  - name: {name}\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: {name}\n{more}"
        )
    };
    let messages = |count: usize, text: &str| {
        let each = format!("        - content: \"{text}\"\n").repeat(count);
        format!("      mcp.prompt.messages:\n{each}")
    };
    let entries = [
        tool(&dir, "large", &format!("      mcp.inputSchema: {{ type: object, title: {long} }}\n"), "return 1"),
        prompt("long", &messages(MAX_PROMPT_MESSAGES + 1, "x")),
        prompt("most", &messages(MAX_PROMPT_MESSAGES, "x")),
        prompt("more", &format!("      mcp.prompt.extend: [most]\n{}", messages(1, "x"))),
        prompt("fits", &messages(16, "{{a}}")),
        prompt("grows", &messages(17, "{{a}}")),
    ];
    declare(&dir, &entries.concat());
    let found = problems(&registry(&dir));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("mcp.inputSchema ") && found[0].contains("the limit is 256 KiB"), "{found:?}");
    assert!(found[1].contains("mcp.prompt.messages has more than 1000 messages"), "{found:?}");
    let client = &mut serve(&dir, ClientRevision::Modern);
    let mut get = |name: &str| client.call("prompts/get", json!({"name": name, "arguments": {"a": long_argument}}));
    for (name, count) in [("most", MAX_PROMPT_MESSAGES), ("fits", 16)] {
        assert_eq!(get(name)["result"]["messages"].as_array().unwrap().len(), count, "{name}");
    }
    for name in ["more", "grows"] {
        let error = get(name)["error"].take();
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("the prompt is larger than 4 MiB or 1000 messages"), "{name}: {error}");
    }
}

#[test]
fn doubling_arguments_are_refused() {
    let dir = TestDir::new();
    let prompt = |n: usize| {
        format!(
            "  - name: p{n}\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p{n}\n      \
             mcp.prompt.messages: [{{ content: x }}]\n      mcp.prompt.extend: [{{ id: p{}, arguments: {{ a: \"{{{{a}}}}{{{{a}}}}\" }} }}]\n",
            n + 1
        )
    };
    let family = format!(
        "  - name: f\n    kind: registry.entry\n    meta:\n      mcp.resource.template: \"f://{{a}}\"\n      \
         mcp.resource.text: \"{}\"\n",
        "{{a}}".repeat(20_000)
    );
    declare(&dir, &format!("{}{family}", (0..=40).map(prompt).collect::<String>()));
    let client = &mut serve(&dir, ClientRevision::Modern);
    let error = client.call("prompts/get", json!({"name": "p0", "arguments": {"a": "x"}}))["error"].take();
    assert!(error["message"].as_str().unwrap().starts_with("the prompt is larger than 4 MiB"), "{error}");
    assert_eq!(client.read_resource("f://x").unwrap()["text"], "x".repeat(20_000));
    let error = client.read_resource(&format!("f://{}", "x".repeat(1_000))).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("is larger than 8 MiB"), "{error}");
    let fits = client.call("prompts/get", json!({"name": "p25", "arguments": {"a": "x"}}));
    assert_eq!(fits["result"]["messages"].as_array().unwrap().len(), 16, "{fits}");
}

#[test]
fn problem_message_is_bounded() {
    let dir = TestDir::new();
    // As an explicit key it may have any length.
    let long = format!("? {}\n", "k".repeat(100_000));
    let one = tool(&dir, "t", "", "return 1");
    for (more, most) in [
        (format!("    {long}    : 1\n"), MAX_REGISTRY_PROBLEM_BYTES),
        (format!("    imports:\n      {long}      : x\n"), MAX_REGISTRY_PROBLEM_BYTES + 3),
    ] {
        declare(&dir, &format!("{one}{more}"));
        let found = registry(&dir).overview().problems;
        assert!(found.len() == 1 && found[0].message.len() <= most, "{found:?}");
    }
}
