//! Rules for the source tree that a machine can check.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod config_schema;
mod disallowed_methods;
mod docs;
mod error_codes;
mod errors;
mod files;
mod layering;
mod limits;
mod lock_files;
mod named_places;
mod names;
mod parameters;
mod promises;

use std::path::{Path, PathBuf};

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file below a folder of the workspace that has one of these endings.
fn files_below(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                // Below `vendor` lies what others wrote.
                if !matches!(name, "target" | ".git" | "vendor") {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "nothing below {folder}");
    found
}

/// A file's path below the workspace, for messages.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}
