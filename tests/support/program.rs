//! The binary under test.
//!
//! Never: builds it, or runs one that is older than its sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The variable that names another program: one that has the processes of Lua alone, with sanitizers.
const OTHER_PROGRAM: &str = "WARDROOM_TEST_PROGRAM";

/// Returns the path of the binary, in the parent of the folder of this test's own binary.
///
/// # Panics
/// When the binary is missing, or older than one of the files that it was built from.
pub fn wardroom_binary() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(other) = std::env::var_os(OTHER_PROGRAM) {
            return other.into();
        }
        let test = std::env::current_exe().unwrap();
        let program = test.ancestors().nth(2).unwrap().join("wardroom");
        let stale =
            stale_source(&program).unwrap_or_else(|error| panic!("{}: {error}: run `make build`", program.display()));
        assert!(stale.is_none(), "{} is older than {}: run `make build`", program.display(), stale.unwrap().display());
        program
    });
    &PROGRAM
}

/// Returns a source file that changed since `program` was built, by the list that Cargo writes beside it.
fn stale_source(program: &Path) -> std::io::Result<Option<PathBuf>> {
    let built = fs::metadata(program)?.modified()?;
    let rule = fs::read_to_string(program.with_extension("d"))?;
    let (_, sources) = rule.split_once(": ").unwrap();
    let sources = sources.trim_end().replace("\\ ", "\0");
    let mut sources: Vec<PathBuf> = sources.split(' ').map(|source| PathBuf::from(source.replace('\0', " "))).collect();
    // One target folder may serve several trees.
    let own = workspace_root().join("host/src/main.rs");
    if !sources.iter().any(|source| source.canonicalize().is_ok_and(|source| source == own)) {
        return Ok(Some(own));
    }
    while let Some(source) = sources.pop() {
        // A source that is gone was renamed or removed after the build.
        let Ok(metadata) = fs::metadata(&source) else { return Ok(Some(source)) };
        if metadata.is_dir() {
            // Of the guest, Cargo lists the folders.
            sources.extend(fs::read_dir(&source)?.filter_map(|entry| Some(entry.ok()?.path())));
        } else if metadata.modified()? > built {
            return Ok(Some(source));
        }
    }
    Ok(None)
}

/// Returns the folder of the workspace.
pub fn workspace_root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap());
    &ROOT
}
