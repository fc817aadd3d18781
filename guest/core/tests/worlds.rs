//! The components' interfaces: their exports as stored text, their imports, and everything that version 0.1.0 had.
//!
//! `make hosts` builds the components and names them: GUEST is the one of packages with WASI, GUEST_CORE the one without,
//! GUEST_LATER a possible later version of GUEST_CORE, DOCUMENTS the one of documents.
//! UPDATE_WORLDS=1 writes the stored texts.

#![expect(clippy::disallowed_methods, reason = "the tests read files of the tree")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use wardroom_guest_core::{decoded, exports, imports, interfaces, version};
use wit_parser::Resolve;

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts")
}

fn component(variable: &str) -> Vec<u8> {
    let path = env::var_os(variable).unwrap_or_else(|| panic!("{variable} names no component: run `make hosts`"));
    fs::read(path).unwrap()
}

/// Reads a folder of WIT and checks its world `parsers`.
fn resolve(folder: &Path) -> Resolve {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).unwrap();
    resolve.select_world(&[package], Some("parsers")).unwrap();
    resolve
}

/// The first version of the interfaces of packages.
const FROZEN: &str = "rust/wit-0.1.0";
/// The components, each with the stored text of its exports and the first version of its interfaces.
const COMPONENTS: [(&str, &str, &str); 3] = [
    ("GUEST", "guest.wit", FROZEN),
    ("GUEST_CORE", "guest-core.wit", FROZEN),
    ("DOCUMENTS", "documents.wit", "rust/wit-documents-0.1.0"),
];

fn frozen() -> Resolve {
    resolve(&hosts().join(FROZEN))
}

/// Collects every type and every function, whole, with its interface. A changed item is another item: hosts compare
/// types field by field.
fn items(wit: &str) -> BTreeSet<String> {
    let (mut interface, mut item, mut found) = (String::new(), String::new(), BTreeSet::new());
    for line in wit.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        let inside = !item.is_empty();
        if line.starts_with("interface ") && !inside {
            interface = line.trim_end_matches(" {").to_owned();
        } else if inside || line.ends_with('{') && !line.starts_with("package ") && !line.starts_with("world ") {
            item = format!("{item}{line} ");
            if line == "}" {
                found.insert(format!("{interface}: {item}"));
                item.clear();
            }
        } else if line.contains(": func(") || line.starts_with("type ") {
            found.insert(format!("{interface}: {line}"));
        }
    }
    found
}

/// Returns the items of the first text that the second one lacks.
fn lacking(earlier: &str, later: &str) -> Vec<String> {
    items(earlier).difference(&items(later)).cloned().collect()
}

#[test]
fn the_exports_are_those_that_are_written_down() {
    for (variable, name, _) in COMPONENTS {
        let path = hosts().join("worlds").join(name);
        let exports = exports(&component(variable)).unwrap();
        if env::var_os("UPDATE_WORLDS").is_some() {
            fs::write(&path, &exports).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap() == exports, "{} is not what is built:\n{exports}", path.display());
    }
}

#[test]
fn the_component_for_hosts_without_wasi_imports_nothing() {
    assert_eq!(imports(&component("GUEST_CORE")).unwrap(), Vec::<String>::new());
}

/// These are the imports that the command needs, and all that docs/GUEST.md allows: no files, clocks, random numbers or
/// network. The hash tables of the guest of documents ask for a seed, which a host may choose once and for all.
#[test]
fn the_other_ones_import_the_streams_of_a_command_alone() {
    for (variable, more) in [("GUEST", None), ("DOCUMENTS", Some("wasi:random/insecure-seed@"))] {
        let imports = imports(&component(variable)).unwrap();
        let allowed = |name: &&String| {
            let is_seed = more.is_some_and(|seed| name.starts_with(seed));
            is_seed || name.starts_with("wasi:cli/") || name.starts_with("wasi:io/")
        };
        assert!(!imports.is_empty() && imports.iter().all(|name| allowed(&name)), "{variable}: {imports:?}");
    }
}

#[test]
fn nothing_of_the_first_version_is_missing_or_changed() {
    for (variable, _, first) in COMPONENTS {
        let earlier = interfaces(&resolve(&hosts().join(first))).unwrap();
        assert!(items(&earlier).len() >= 11, "{earlier}");
        let (current, _) = decoded(&component(variable)).unwrap();
        assert_eq!(lacking(&earlier, &interfaces(&current).unwrap()), Vec::<String>::new(), "{variable}");
    }
}

/// Checks the component against the world of a host of the first version, by the validator's own rules. The validator
/// does not know compatible versions, as runtimes do: the world is given the current version.
#[test]
fn the_component_is_of_the_first_versions_world() {
    let mut frozen = frozen();
    let (current, _) = decoded(&component("GUEST_CORE")).unwrap();
    let ours = |resolve: &Resolve| resolve.packages.iter().find(|(_, package)| package.name.name == "guest").unwrap().0;
    let version = current.packages[ours(&current)].name.version.clone();
    let package = ours(&frozen);
    frozen.packages[package].name.version = version;
    let world = frozen.worlds.iter().find(|(_, world)| world.name == "parsers").unwrap().0;
    wit_component::targets(&frozen, world, &component("GUEST_CORE")).unwrap();
}

/// Hosts of the first version are tested with GUEST_LATER: it has additions as a later version may have, and is
/// otherwise unchanged.
#[test]
fn the_later_one_only_adds() {
    let [(current, _), (later, _)] =
        ["GUEST_CORE", "GUEST_LATER"].map(|variable| decoded(&component(variable)).unwrap());
    let mut next = version(&current).unwrap();
    next.patch += 1;
    assert_eq!(version(&later).unwrap(), next);
    let (current, later) = (interfaces(&current).unwrap(), interfaces(&later).unwrap());
    assert_eq!(lacking(&interfaces(&frozen()).unwrap(), &later), Vec::<String>::new());
    assert_eq!(lacking(&current, &later), Vec::<String>::new());
    let added = [
        "interface resource-id: recheck: func(kind: kind, id: string) -> result<_, string>;",
        "interface uris: parse: func(uri: string) -> result<%resource, string>;",
    ];
    assert_eq!(lacking(&later, &current), added);
}

#[test]
fn a_change_is_noticed_and_an_addition_is_none() {
    let earlier = interfaces(&frozen()).unwrap();
    for (from, to) in [
        ("column: u32", "column: u64"),
        ("column: u32,", "column: u32,\n      byte: u32,"),
        ("too-much(u32),", ""),
        ("too-much(u32),", "too-much(u32),\n      other,"),
        ("check: func(kind: kind, id: string)", "check: func(id: string)"),
        ("interface resource-id", "interface ids"),
    ] {
        let later = earlier.replace(from, to);
        assert!(later != earlier && !lacking(&earlier, &later).is_empty(), "{from}");
    }
    let later = earlier.replace("check: func", "check-all: func(ids: list<string>) -> bool;\n    check: func");
    assert!(later != earlier);
    assert_eq!(lacking(&earlier, &later), Vec::<String>::new());
}
