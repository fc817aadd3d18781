//! Which files of a project changed since a moment.
//!
//! Owns: what counts as a file of the project: not what the `.gitignore` at its root names, and nothing that tools build or
//! install.
//! Never: opens another file than that one, or takes longer than a command may wait.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::limits::{MAX_CHANGE_SEARCH_TIME, MAX_IGNORE_FILE_BYTES, MAX_VISITED_PROJECT_FILES};
use wardroom_ace::limits::MAX_CHANGED_FILES;
use wardroom_appdir::{Access, ambient};

/// Folders that tools fill, also where no `.gitignore` names them.
const BUILT_DIRS: [&str; 7] = ["target", "node_modules", "dist", "build", "venv", "__pycache__", "logs"];
/// A file system stores times in ticks: what changed within one tick of the failure may have come before it.
const TICK: Duration = Duration::from_millis(20);

/// Returns the files below a folder that changed since a moment, by their paths in it. `None` where so many changed that
/// they explain nothing, or the folder has too many files to tell.
pub(super) fn find(root: &Path, since: SystemTime) -> Option<Vec<String>> {
    let (since, deadline) = (since.checked_add(TICK)?, Instant::now() + MAX_CHANGE_SEARCH_TIME);
    let ignored = read_ignored(root);
    let mut walk = WalkBuilder::new(root);
    // The project may come from anywhere: the files that say what to ignore would be opened wherever they lead.
    walk.ignore(false).git_ignore(false).git_exclude(false).git_global(false).parents(false);
    let is_built = |name: &std::ffi::OsStr| BUILT_DIRS.iter().any(|built| name == *built);
    walk.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0 || !is_built(entry.file_name()) && !ignored.matched(entry.path(), is_dir).is_ignore()
    });
    let (mut changed, mut n_visited) = (Vec::new(), 0);
    for entry in walk.build().filter_map(Result::ok) {
        n_visited += 1;
        if n_visited > MAX_VISITED_PROJECT_FILES || Instant::now() > deadline {
            return None;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
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

/// Reads what the project ignores; nothing where its list is no small file of its own.
fn read_ignored(root: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    let folder = ambient::open_folder(root, Access::ReadOnly);
    let text = folder.and_then(|folder| Ok(folder.read_text(".gitignore", MAX_IGNORE_FILE_BYTES)?.0));
    for line in text.iter().flat_map(|text| text.lines()) {
        // A line that is no pattern ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
