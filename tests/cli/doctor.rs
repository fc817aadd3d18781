//! `wardroom doctor`: what it finds, and what it says about it.

use insta::assert_snapshot;
use serde_json::Value;
use wardroom::sandbox::{COMPONENT, WASMTIME_VERSION};

use crate::support::{Finished, TestDir, wardroom};

fn run(dir: &TestDir, args: &[&str]) -> Finished {
    let app = dir.app().display().to_string();
    wardroom(dir.outside(), &[&["doctor", "--appdir", &app], args].concat())
}

fn check(name: &str, dir: &TestDir, finished: &Finished) {
    let mut sheet = finished.sheet(dir.outside());
    // The hash of the guest changes with every compiler.
    if let Some(at) = sheet.find("sha256 ") {
        sheet.replace_range(at + 7..at + 7 + 64, "<hash>");
    }
    let versions = format!("{}, wasmtime {WASMTIME_VERSION}", env!("CARGO_PKG_VERSION"));
    let sheet = sheet.replace(&versions, "<versions>").replace(&format!("{} bytes", COMPONENT.len()), "<size>");
    assert_snapshot!(name, sheet);
}

fn config(dir: &TestDir, text: &str) {
    let folder = dir.outside().join(".config/wardroom");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn a_good_app_dir() {
    let dir = TestDir::demo();
    check("good", &dir, &run(&dir, &[]));
    check("good_json", &dir, &run(&dir, &["--json"]));
    check("good_read_only", &dir, &run(&dir, &["--read-only"]));
}

#[test]
fn every_finding_says_how_to_mend_it() {
    let dir = TestDir::demo();
    dir.file("types/alc.d.lua", "-- an older one");
    std::fs::create_dir(dir.outside().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(dir.outside().join("elsewhere"), dir.app().join("packages/linked")).unwrap();
    for (name, target) in [("lost", "../../no/such/folder"), ("lost-inside", "no-such-package"), ("loop", "loop")] {
        std::os::unix::fs::symlink(target, dir.app().join("packages").join(name)).unwrap();
    }
    config(&dir, "[mounts.gone]\npath = \"/no/such/folder\"\nas = \"package\"\n");
    check("findings", &dir, &run(&dir, &[]));
    let rows: Vec<Value> = serde_json::from_str(&run(&dir, &["--json"]).ok()).unwrap();
    for row in rows {
        assert_eq!(row["state"] == "ok", row["hint"].is_null(), "{row}");
    }
}

#[test]
fn a_missing_app_dir_fails() {
    let dir = TestDir::new();
    std::fs::remove_dir(dir.app()).unwrap();
    check("missing", &dir, &run(&dir, &[]));
    assert!(!dir.app().exists());
}
