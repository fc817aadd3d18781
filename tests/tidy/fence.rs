//! The fence of `clippy.toml` stands: clippy reports every entry in a crate that violates each of them.

use std::fs;
use std::process::Command;

use super::{files_below, root};

#[test]
fn clippy_reports_every_entry_of_the_fence() {
    let fence: toml::Table = toml::from_str(&fs::read_to_string(root().join("clippy.toml")).unwrap()).unwrap();
    let entries = fence["disallowed-methods"].as_array().unwrap();
    assert!(entries.len() > 50);

    let cargo = std::env::var_os("CARGO").unwrap();
    let output = Command::new(cargo)
        .args(["clippy", "--release", "--locked", "--package", "wardroom-fence", "--color", "never"])
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
fn no_fault_is_made_outside_a_test() {
    for file in files_below("host/src", &[".rs"]) {
        let names_it = fs::read_to_string(&file).unwrap().contains("with_faults");
        let is_home = file.ends_with("appdir/fault.rs") || file.ends_with("appdir/mod.rs");
        assert_eq!(names_it, is_home, "{}", file.display());
    }
}

/// A server puts up all of its walls; a test may take some.
#[test]
fn no_wall_is_left_out_outside_a_test() {
    for file in files_below("host/src", &[".rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        let names_it =
            ["server", "worker", "requester", "starter"].iter().any(|role| text.contains(&format!("{role}_behind")));
        assert_eq!(names_it, file.ends_with("confine/mod.rs"), "{}", file.display());
    }
}
