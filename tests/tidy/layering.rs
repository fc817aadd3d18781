//! A room names only rooms of lower layers, and an outside crate stays in its room.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

use super::{files_below, root, shown};

/// Every room with its layer; a room that is not listed is an error.
const LAYERS: &[(&str, u8)] = &[
    ("limits", 0),
    ("config", 0),
    ("entropy", 0),
    ("hex", 0),
    ("uri", 0),
    ("payload", 0),
    ("state_rules", 0),
    ("toml_text", 0),
    ("json_schema", 0),
    ("appdir", 1),
    ("child", 1),
    ("frame", 1),
    ("handles", 1),
    ("agents", 2),
    ("sandbox", 2),
    ("confine", 2),
    ("lua", 2),
    ("net", 2),
    ("tasks", 2),
    ("services", 3),
    ("mcp", 4),
    ("cli", 5),
];

/// Plain constants and types: any room may name them, those of their own layer too.
const FREE: &[&str] = &["limits", "uri", "payload", "state_rules", "toml_text", "entropy", "hex", "json_schema"];

/// Outside crates and the only rooms that may name them.
const CRATES: &[(&str, &[&str])] = &[
    ("rmcp", &["mcp"]),
    ("axum", &["mcp", "web"]),
    ("hyper", &["mcp"]),
    ("hyper_util", &["mcp"]),
    ("http_body_util", &["mcp"]),
    ("signal_hook", &["cli"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("directories", &["cli"]),
    ("toml_edit", &["cli", "agents", "services"]),
    ("toml_parser", &["toml_text"]),
    ("tracing_subscriber", &["cli"]),
    ("anyhow", &[]),
    ("cap_std", &["appdir"]),
    ("rustix", &["agents", "appdir", "cli", "mcp", "confine", "frame", "handles", "lua", "net"]),
    ("rustls", &["net"]),
    ("rustls_native_certs", &["net"]),
    ("ureq", &["net"]),
    ("url", &["net"]),
    ("rusqlite", &["database"]),
    ("wasmtime", &["sandbox"]),
    ("wasmtime_wasi", &["sandbox"]),
    ("mlua", &["lua"]),
    ("mlua_mathlib", &["lua"]),
    ("landlock", &["confine"]),
    ("seccompiler", &["confine"]),
    ("close_fds", &["lua"]),
    ("chrono", &["agents", "lua", "mcp", "services"]),
    ("hmac", &["lua"]),
    ("jsonc_parser", &["agents"]),
    ("similar", &["agents"]),
    ("md5", &["lua"]),
    ("regex_automata", &["json_schema", "lua", "services"]),
    ("serde_saphyr", &["lua", "services"]),
    ("sha1", &["lua"]),
    ("uuid", &["lua"]),
    ("schemars", &["services"]),
    ("jsonschema", &["json_schema"]),
    ("base64", &["lua", "services", "mcp"]),
    ("chacha20poly1305", &["mcp"]),
];

/// Files whose types are read from or written to JSON or TOML: file formats and tool arguments.
const SERIALIZABLE: &[&str] = &[
    "agents/helper.rs",
    "config.rs",
    "config/http.rs",
    "lua/frame.rs",
    "net/error.rs",
    "net/git/mod.rs",
    "net/helper.rs",
    "net/http/mod.rs",
    "net/policy.rs",
    "services/agents/args.rs",
    "services/alc/cards/arguments.rs",
    "services/alc/cards/script.rs",
    "services/alc/cards/tools.rs",
    "services/alc/extract.rs",
    "services/alc/hub/dist.rs",
    "services/alc/hub/gendoc.rs",
    "services/alc/hub/index.rs",
    "services/alc/hub/outputs.rs",
    "services/alc/hub/reindex.rs",
    "services/alc/hub/search.rs",
    "services/alc/loose.rs",
    "services/alc/pkg/doctor.rs",
    "services/alc/pkg/install.rs",
    "services/alc/pkg/link.rs",
    "services/alc/pkg/list.rs",
    "services/alc/pkg/lock.rs",
    "services/alc/pkg/manifest.rs",
    "services/alc/pkg/project.rs",
    "services/alc/pkg/remove.rs",
    "services/alc/pkg/scaffold.rs",
    "services/alc/evals/compare.rs",
    "services/alc/evals/store.rs",
    "services/alc/evals/tools.rs",
    "services/alc/info.rs",
    "services/alc/log_view.rs",
    "services/alc/notes.rs",
    "services/alc/runs/journal.rs",
    "services/alc/runs/status.rs",
    "services/alc/runs/tools.rs",
    "services/alc/scenarios.rs",
    "services/alc/state/changes.rs",
    "services/alc/stats.rs",
    "services/alc/transcript.rs",
    "services/resources/args.rs",
    "services/schema.rs",
    "tasks/record.rs",
    "mcp/stdio/inbox.rs",
];

#[derive(Default)]
struct Names {
    /// First segments of paths, and what follows `crate`.
    crates: BTreeSet<String>,
    rooms: BTreeSet<String>,
    derives: BTreeSet<String>,
    climbs: bool,
    /// What follows `services` anywhere in a path, and `super`.
    services: BTreeSet<String>,
    above: BTreeSet<String>,
}

impl Names {
    fn path(&mut self, segments: &[String]) {
        for (parent, child) in segments.iter().zip(segments.iter().skip(1)) {
            match parent.as_str() {
                "services" => self.services.insert(child.clone()),
                "super" => self.above.insert(child.clone()),
                _ => false,
            };
        }
        match segments {
            [first, second, ..] if first == "crate" => {
                self.rooms.insert(second.clone());
            }
            [first, second, ..] if first == "super" && second == "super" => self.climbs = true,
            [first, ..] => {
                self.crates.insert(first.clone());
            }
            [] => {}
        }
    }

    fn tree(&mut self, tree: &syn::UseTree, above: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                above.push(path.ident.to_string());
                self.tree(&path.tree, above);
                above.pop();
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(item, above)),
            syn::UseTree::Name(name) => self.leaf(name.ident.to_string(), above),
            syn::UseTree::Rename(rename) => self.leaf(rename.ident.to_string(), above),
            syn::UseTree::Glob(_) => self.path(above),
        }
    }

    fn leaf(&mut self, name: String, above: &mut Vec<String>) {
        above.push(name);
        self.path(above);
        above.pop();
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name is a local item, unless it came in by a `use`, which was looked at.
        if segments.len() > 1 {
            self.path(&segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let text = mac.tokens.to_string().replace(' ', "");
        let after = |path: &str| -> Vec<String> {
            let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            text.split(path).skip(1).map(word).collect()
        };
        self.rooms.extend(after("crate::"));
        self.services.extend(after("services::"));
        self.above.extend(after("super::"));
        visit::visit_macro(self, mac);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("derive") {
            let syn::Meta::List(list) = &attribute.meta else { return };
            let names = list.tokens.to_string();
            self.derives
                .extend(names.split(',').map(|name| name.trim().rsplit("::").next().unwrap().trim().to_owned()));
        }
        visit::visit_attribute(self, attribute);
    }
}

fn names_in(file: &Path) -> Names {
    let mut names = Names::default();
    names.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
    names
}

fn layer(room: &str) -> u8 {
    let found = LAYERS.iter().find(|(name, _)| *name == room);
    found.unwrap_or_else(|| panic!("{room} has no layer: add it to LAYERS and to docs/ARCHITECTURE.md")).1
}

/// The room that a file belongs to; nothing for the crate's root.
fn room_of(file: &Path) -> Option<String> {
    let below = file.strip_prefix(root().join("host/src")).unwrap();
    let first = below.iter().next().unwrap().to_str().unwrap();
    let room = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(room, "main" | "lib")).then(|| room.to_owned())
}

#[test]
fn a_room_names_only_rooms_of_lower_layers() {
    for file in files_below("host/src", &[".rs"]) {
        let Some(room) = room_of(&file) else { continue };
        for named in names_in(&file).rooms {
            let allowed = named == room || FREE.contains(&named.as_str()) || layer(&named) < layer(&room);
            assert!(allowed, "{} of layer {} names crate::{named}", shown(&file), layer(&room));
        }
    }
}

#[test]
fn an_outside_crate_stays_in_its_room() {
    for file in files_below("host/src", &[".rs"]) {
        let Some(room) = room_of(&file) else { continue };
        let named = names_in(&file).crates;
        for &(name, rooms) in CRATES {
            let allowed = !named.contains(name) || rooms.contains(&room.as_str());
            assert!(allowed, "{} names {name}, which belongs to {rooms:?}", shown(&file));
        }
    }
}

#[test]
fn a_path_climbs_one_step_or_begins_at_the_crate() {
    for file in files_below("host/src", &[".rs"]) {
        assert!(!names_in(&file).climbs, "{} uses super::super: say crate::", shown(&file));
    }
}

/// Each service is a folder.
fn services() -> Vec<String> {
    let entries = fs::read_dir(root().join("host/src/services")).unwrap().map(|entry| entry.unwrap().path());
    let names = entries.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    let services: Vec<String> = names.collect();
    assert!(services.len() >= 2, "{services:?}");
    services
}

/// The services that a file of `own` names, beside its own: from the room, or from the folder above when it is the first
/// file of its folder.
fn services_named(names: &Names, own: &str, is_first: bool) -> Vec<String> {
    let named = |service: &String| names.services.contains(service) || is_first && names.above.contains(service);
    services().into_iter().filter(|service| service != own && named(service)).collect()
}

#[test]
fn services_do_not_name_each_other() {
    for own in services() {
        for file in files_below(&format!("host/src/services/{own}"), &[".rs"]) {
            let is_first = file.ends_with(format!("{own}/mod.rs"));
            let named = services_named(&names_in(&file), &own, is_first);
            assert!(named.is_empty(), "{} names {named:?}", shown(&file));
        }
    }
}

#[test]
fn the_protocol_knows_no_service() {
    for file in files_below("host/src/mcp", &[".rs"]) {
        let named = services_named(&names_in(&file), "", false);
        assert!(named.is_empty(), "{} names {named:?}", shown(&file));
    }
}

#[test]
fn a_service_is_recognised_in_every_form_of_its_name() {
    let named = |text: &str, is_first| {
        let mut names = Names::default();
        names.visit_file(&syn::parse_file(text).unwrap());
        !services_named(&names, "alc", is_first).is_empty()
    };
    for text in [
        "use crate::services::resources::Resources;",
        "use crate::services::{Effort, resources::{self}};",
        "use crate::services::resources as other;",
        "fn f() { crate::services::resources::f() }",
        "fn f(r: &crate::services::resources::Resources) {}",
        "fn f() { g!(crate::services::resources::X) }",
    ] {
        assert!(named(text, false), "{text}");
    }
    assert!(named("use super::{Service, resources::Resources};", true));
    for text in [
        "use crate::services::Effort; // services::resources",
        "use crate::services::alc::Alc;",
        "fn f() { Service::resources(); s.resources(); g(\"services::resources\") }",
        "use super::resources;",
    ] {
        assert!(!named(text, false), "{text}");
    }
}

#[test]
fn only_file_formats_and_tool_arguments_are_serializable() {
    for file in files_below("host/src", &[".rs"]) {
        let below = shown(&file).replace("host/src/", "");
        let derives = names_in(&file).derives;
        let found: Vec<_> =
            ["Serialize", "Deserialize", "JsonSchema"].into_iter().filter(|name| derives.contains(*name)).collect();
        assert!(found.is_empty() || SERIALIZABLE.contains(&below.as_str()), "{below} derives {found:?}");
    }
}
