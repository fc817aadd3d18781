//! Lock files of every language name the content of each package, and not its version alone.

use std::fs;

use serde_json::Value;

use super::{files_below, root, shown};

#[test]
fn every_npm_package_has_a_digest() {
    // A fixture is read, and nothing of it is installed.
    let manifests =
        files_below("tests", &["package.json"]).into_iter().filter(|file| !shown(file).contains("/fixtures/"));
    for file in manifests.map(|file| file.with_file_name("package-lock.json")) {
        let lock: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        // The first one is the folder itself.
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            let digest = package["integrity"].as_str().unwrap_or_default();
            assert!(digest.starts_with("sha512-"), "{}: {name} has no digest", shown(&file));
        }
    }
}

#[test]
fn every_python_package_has_a_digest() {
    let files = [files_below("tests", &["requirements.txt"]), files_below("dist", &["requirements.txt"])].concat();
    for file in files {
        let text = fs::read_to_string(&file).unwrap().replace("\\\n", " ");
        let rows: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        assert!(!rows.is_empty(), "{}", shown(&file));
        for row in rows {
            let is_exact = row.contains("==") && row.contains(" --hash=sha256:");
            assert!(is_exact, "{}: {row} has no version or no digest", shown(&file));
        }
    }
    // Without that flag pip takes a file of which only some rows have digests.
    for line in fs::read_to_string(root().join("Makefile")).unwrap().lines().filter(|line| line.contains("pip install"))
    {
        assert!(line.contains(" --no-deps --require-hashes "), "{line}");
    }
}

#[test]
fn every_cargo_package_has_a_checksum() {
    let files = files_below(".", &["Cargo.lock"]);
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let lock: toml::Table = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        for package in lock["package"].as_array().unwrap() {
            let is_outside = package.get("source").is_some();
            assert_eq!(is_outside, package.get("checksum").is_some(), "{}: {}", shown(&file), package["name"]);
        }
    }
}
