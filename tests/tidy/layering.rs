//! What Cargo cannot say about the layers: which crate may depend on which outside crate, and that services are siblings.

use std::collections::BTreeMap;
use std::fs;

use super::{files_below, shown};

/// Outside crates with one subject, and the only crates of the workspace that may depend on them.
const OWNERS: &[(&str, &[&str])] = &[
    ("aho-corasick", &["ace"]),
    ("anstyle", &["wardroom"]),
    ("anyhow", &[]),
    ("base64", &["alc", "blog", "lua", "mcp", "registry", "web"]),
    ("cap-std", &["appdir"]),
    ("chacha20poly1305", &["mcp"]),
    ("chrono", &["ace", "agents", "alc", "blog", "lua", "mcp", "registry", "service"]),
    ("clap", &["wardroom"]),
    ("clap_complete", &["wardroom"]),
    ("clap_mangen", &["wardroom"]),
    ("close_fds", &["wardroom", "process"]),
    ("diffy", &["ace", "blog"]),
    ("directories", &["wardroom"]),
    ("form_urlencoded", &["web"]),
    ("frostem", &["blog", "ranking"]),
    ("hmac", &["blog", "lua", "web"]),
    ("http", &["service", "web"]),
    ("http-body-util", &["mcp"]),
    ("hyper", &["mcp"]),
    ("hyper-util", &["mcp"]),
    ("ignore", &["wardroom"]),
    ("indicatif", &["wardroom"]),
    ("jsonc-parser", &["agents"]),
    ("jsonschema", &["base"]),
    ("landlock", &["process"]),
    ("lz4_flex", &["sandbox"]),
    ("maud", &["ace", "alc", "blog", "plot", "web"]),
    ("md-5", &["lua"]),
    ("minisign-verify", &["wardroom"]),
    ("mlua", &["lua"]),
    ("mlua-mathlib", &["lua"]),
    ("ratatui", &["wardroom"]),
    ("regex-automata", &["base", "lua", "registry"]),
    ("rmcp", &["mcp"]),
    ("rustix", &["appdir", "lua", "mcp", "net", "process", "wardroom"]),
    ("rustls", &["net"]),
    ("rustls-native-certs", &["net"]),
    ("schemars", &["ace", "agent-tools", "alc", "blog", "config", "resource-tools", "service", "tool-search"]),
    ("seccompiler", &["process"]),
    ("serde-saphyr", &["lua", "registry"]),
    ("sha1", &["lua"]),
    ("signal-hook", &["wardroom"]),
    ("similar", &["agents", "blog"]),
    ("tantivy", &["blog"]),
    ("tokio", &["mcp", "wardroom"]),
    ("toml_edit", &["agents", "alc", "wardroom"]),
    ("toml_parser", &["base"]),
    ("tracing-subscriber", &["wardroom"]),
    ("unicode-normalization", &["blog"]),
    ("unicode-width", &["wardroom"]),
    ("ureq", &["net"]),
    ("url", &["net"]),
    ("uuid", &["ace", "blog", "lua"]),
    ("wasmtime", &["sandbox"]),
    ("wasmtime-wasi", &["sandbox"]),
];

/// The crates that implement a service. Only the binary may depend on them.
const SERVICES: &[&str] = &["ace", "agent-tools", "alc", "blog", "docs", "registry", "resource-tools", "tool-search"];

/// The dependencies of each crate of the server, by its folder's name, or `wardroom` for the binary.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let manifests = files_below("host", &["Cargo.toml"]);
    let parsed = manifests.iter().map(|path| {
        let manifest: toml::Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let name = manifest["package"]["name"].as_str().unwrap();
        let mut tables = vec![manifest.get("dependencies")];
        for target in manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
            tables.push(target.1.get("dependencies"));
        }
        let names = tables.into_iter().flatten().flat_map(|table| table.as_table().unwrap().keys().cloned());
        (name.strip_prefix("wardroom-").unwrap_or(name).to_owned(), names.collect())
    });
    let all: BTreeMap<String, Vec<String>> = parsed.collect();
    assert!(all.len() > 10, "{all:?}");
    all
}

#[test]
fn outside_crate_is_named_by_its_owners_only() {
    for (name, named) in dependencies() {
        for (outside, owners) in OWNERS {
            let is_allowed = !named.iter().any(|other| other == outside) || owners.contains(&name.as_str());
            assert!(is_allowed, "{name} depends on {outside}, which belongs to {owners:?}");
        }
    }
}

#[test]
fn service_is_named_by_the_binary_only() {
    let all = dependencies();
    for service in SERVICES {
        assert!(all.contains_key(*service), "{service} is no crate of the server");
    }
    for (name, named) in all.into_iter().filter(|(name, _)| name != "wardroom") {
        let service =
            named.iter().find(|other| other.strip_prefix("wardroom-").is_some_and(|other| SERVICES.contains(&other)));
        assert_eq!(service, None, "{name} depends on a service");
    }
}

#[test]
fn path_climbs_one_module_or_begins_at_the_crate() {
    for file in files_below("host", &[".rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("super::super::"), "{} uses super::super: say crate::", shown(&file));
    }
}

#[test]
fn protocol_error_is_made_in_the_table_only() {
    for file in files_below("host", &[".rs"]) {
        let names_it = fs::read_to_string(&file).unwrap().contains("ErrorData::new(");
        assert_eq!(names_it, file.ends_with("mcp/src/error.rs"), "{}", shown(&file));
    }
}
