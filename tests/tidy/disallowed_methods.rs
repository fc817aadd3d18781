//! The list of `clippy.toml` works: clippy reports every entry of it in a crate that violates each one.

use std::fs;
use std::process::Command;

use super::{files_below, root};

#[test]
fn every_disallowed_method_is_reported() {
    let lints: toml::Table = toml::from_str(&fs::read_to_string(root().join("clippy.toml")).unwrap()).unwrap();
    let entries = lints["disallowed-methods"].as_array().unwrap();
    assert!(entries.len() > 50);

    let cargo = std::env::var_os("CARGO").unwrap();
    let output = Command::new(cargo)
        .args(["clippy", "--release", "--locked", "--package", "wardroom-disallowed", "--color", "never"])
        .current_dir(root())
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{report}");
    for entry in entries {
        let path = entry["path"].as_str().unwrap();
        assert!(report.contains(&format!("use of a disallowed method `{path}`")), "{path} is not reported:\n{report}");
    }
}

#[test]
fn fault_is_injected_by_tests_only() {
    const TESTS: [(&str, &str); 7] = [
        ("blog/src/index", "crash_tests"),
        ("blog/src/proposals", "batch_tests"),
        ("blog/src/proposals", "crash_tests"),
        ("blog/src/proposals", "race_tests"),
        ("blog/src/proposals", "save_tests"),
        ("blog/src/proposals", "test_cases"),
        ("service/src/audit", "writer_tests"),
    ];
    for file in files_below("host", &[".rs"]) {
        let names_it = fs::read_to_string(&file).unwrap().contains("with_failpoints");
        let is_owner = file.ends_with("appdir/src/failpoint.rs") || file.ends_with("appdir/src/lib.rs");
        let is_test = TESTS.iter().any(|(of, module)| file.ends_with(format!("crates/{of}/{module}.rs")));
        assert_eq!(names_it, is_owner || is_test, "{}", file.display());
    }
    for (of, name) in TESTS {
        let module = fs::read_to_string(root().join(format!("host/crates/{of}/mod.rs"))).unwrap();
        assert!(module.contains(&format!("#[cfg(test)]\nmod {name};")), "{of}: {name} is part of tests only");
    }
}

#[test]
fn file_system_counts_as_shared_in_tests_only() {
    for file in files_below("host", &[".rs"]) {
        let names_it = fs::read_to_string(&file).unwrap().contains("with_shared_file_system");
        let is_owner = file.ends_with("appdir/src/fence.rs") || file.ends_with("appdir/src/lib.rs");
        assert_eq!(names_it, is_owner, "{}", file.display());
    }
}

/// The server applies all of its walls; a test may leave some out.
#[test]
fn wall_is_left_out_by_tests_only() {
    for file in files_below("host", &[".rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        let names_it = ["server", "worker", "fetcher", "launcher"]
            .iter()
            .any(|role| text.contains(&format!("confine_{role}_with")));
        assert_eq!(names_it, file.ends_with("confine/mod.rs"), "{}", file.display());
    }
}
