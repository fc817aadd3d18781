//! Every file has one subject, says which, and is not forgotten.

use std::fs;

use super::{files_below, root, shown};

/// Past this a file has more than one subject.
const MAX_LINES: usize = 800;
/// Outside packages in the lock file. A new dependency is argued for; this number goes up on purpose.
const MAX_PACKAGES: usize = 572;

#[test]
fn every_module_says_what_it_is_for() {
    for file in ["host", "guest", "tests"].iter().flat_map(|folder| files_below(folder, &[".rs"])) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} does not begin with a module doc", shown(&file));
    }
}

#[test]
fn no_file_is_longer_than_one_subject() {
    for file in ["host", "guest", "tests"].iter().flat_map(|folder| files_below(folder, &[".rs"])) {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines", shown(&file));
    }
}

#[test]
fn every_test_file_is_part_of_its_crate() {
    for file in files_below("tests", &[".rs"]) {
        let (parent, name) = (file.parent().unwrap(), file.file_stem().unwrap().to_str().unwrap());
        let is_program = ["disallowed", "bench", "hosts", "models", "sanitize"]
            .iter()
            .any(|folder| parent.starts_with(root().join("tests").join(folder)));
        if is_program || matches!(name, "main" | "lib") {
            continue;
        }
        let (folder, module) = match name {
            // A folder within a folder belongs to that one.
            "mod" => (parent.parent().unwrap(), parent.file_name().unwrap().to_str().unwrap()),
            _ => (parent, name),
        };
        let listed = [format!("mod {module};"), format!("pub mod {module};")];
        let owners = ["main.rs", "lib.rs", "mod.rs"].map(|name| fs::read_to_string(folder.join(name)));
        let mut lines = owners.iter().flatten().flat_map(|text| text.lines());
        let is_listed = lines.any(|line| listed.contains(&line.trim().to_owned()));
        assert!(is_listed, "{} is listed in no main.rs, lib.rs or mod.rs of {}", shown(&file), shown(folder));
    }
}

#[test]
fn every_unit_test_is_in_a_crate_whose_tests_run() {
    for file in ["host", "guest", "tests"].iter().flat_map(|folder| files_below(folder, &["Cargo.toml"])) {
        let manifest = fs::read_to_string(&file).unwrap();
        let library = manifest.split_once("[lib]\n").and_then(|(_, rest)| rest.split("\n[").next()).unwrap_or_default();
        if !library.lines().any(|line| line == "test = false") {
            continue;
        }
        let source = file.parent().unwrap().join("src");
        for file in source.is_dir().then(|| files_below(&shown(&source), &[".rs"])).into_iter().flatten() {
            let has_tests = fs::read_to_string(&file).unwrap().contains("#[test]");
            assert!(!has_tests, "the tests of {} never run: its crate has `test = false`", shown(&file));
        }
    }
}

#[test]
fn every_test_crate_is_a_member() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for file in files_below("tests", &["Cargo.toml"]) {
        let folder = shown(file.parent().unwrap());
        // Workspaces of their own.
        if !matches!(folder.as_str(), "tests/hosts/rust" | "tests/models" | "tests/sanitize") {
            assert!(manifest.contains(&format!("\"{folder}\"")), "{folder} is no member of the workspace");
        }
    }
}

#[test]
fn every_hostile_guest_is_a_target() {
    let manifest = fs::read_to_string(root().join("guest/hostile/Cargo.toml")).unwrap();
    for file in files_below("guest/hostile/examples", &[".rs"]) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{} is no target", shown(&file));
    }
}

#[test]
fn no_path_of_a_machine_is_kept() {
    let endings = [".rs", ".md", ".toml", ".sh", ".lua", ".wit", ".snap", "Makefile", "run", ".json", ".jsonl"];
    for file in files_below(".", &endings) {
        // The kernel's own link is no machine's path.
        let text = fs::read_to_string(&file).unwrap().replace("/proc/self/root", "");
        for home in ["work", "root"] {
            let path = format!("/{home}/");
            assert!(!text.contains(&path), "{} names {path}", shown(&file));
        }
    }
}

#[test]
fn the_number_of_dependencies_goes_up_on_purpose_only() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    // Packages of the workspace have no source.
    let packages = lock.lines().filter(|line| line.starts_with("source = ")).count();
    assert!(packages <= MAX_PACKAGES, "{packages} packages are locked, the ceiling is {MAX_PACKAGES}");
}
