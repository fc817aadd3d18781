//! Which files of a project changed since a moment.
//!
//! Owns: what counts as a file of the project: not what `.gitignore` names, and nothing that tools build or install.
//! Never: opens a file.

use std::path::Path;
use std::time::{Duration, SystemTime};

use ignore::WalkBuilder;

use crate::limits::MAX_VISITED_PROJECT_FILES;
use wardroom_ace::limits::MAX_CHANGED_FILES;

/// Folders that tools fill, also where no `.gitignore` names them.
const BUILT_DIRS: [&str; 7] = ["target", "node_modules", "dist", "build", "venv", "__pycache__", "logs"];
/// A file system stores times in ticks: what changed within one tick of the failure may have come before it.
const TICK: Duration = Duration::from_millis(20);

/// Returns the files below a folder that changed since a moment, by their paths in it. `None` where so many changed that
/// they explain nothing, or the folder has too many files to tell.
pub(super) fn find(root: &Path, since: SystemTime) -> Option<Vec<String>> {
    let since = since.checked_add(TICK)?;
    let mut walk = WalkBuilder::new(root);
    let is_built = |name: &std::ffi::OsStr| BUILT_DIRS.iter().any(|built| name == *built);
    walk.require_git(false).filter_entry(move |entry| entry.depth() == 0 || !is_built(entry.file_name()));
    let (mut changed, mut n_visited) = (Vec::new(), 0);
    for entry in walk.build().filter_map(Result::ok) {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        n_visited += 1;
        if n_visited > MAX_VISITED_PROJECT_FILES {
            return None;
        }
        let modified = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
        if modified.is_some_and(|modified| modified > since) {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            changed.push(name.display().to_string());
        }
        if changed.len() > MAX_CHANGED_FILES {
            return None;
        }
    }
    changed.sort();
    Some(changed)
}
