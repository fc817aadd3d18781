//! Which files of a project changed since a moment.
//!
//! Owns: what counts as a file of the project: not what the `.gitignore` at its root names, and nothing that tools build or
//! install.
//! Never: opens another file than that one, or takes longer than a command may wait.

use std::ffi::OsStr;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::limits::{MAX_CHANGE_SEARCH_TIME, MAX_IGNORE_FILE_BYTES, MAX_VISITED_PROJECT_FILES};
use wardroom_ace::limits::MAX_CHANGED_FILES;
use wardroom_appdir::{Access, ambient};

/// Folders that tools fill, also where no `.gitignore` names them.
const BUILT_DIRS: [&str; 7] = ["target", "node_modules", "dist", "build", "venv", "__pycache__", "logs"];
/// Hidden folders of programs, which are not visited.
const PROGRAM_DIRS: [&str; 9] =
    [".git", ".hg", ".svn", ".venv", ".tox", ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache"];
/// Those of the built ones that get what a person installs.
const INSTALLED_DIRS: [&str; 2] = ["node_modules", "venv"];
/// A file system stores times in ticks: what changed within one tick of the failure may have come before it.
const TICK: Duration = Duration::from_millis(20);

/// Returns the folder in which the files of a command are looked for: that of the repository around the working directory, or
/// else `root` where the working directory is below it, or else the working directory.
pub(super) fn searched_folder(working_dir: &Path, root: &Path) -> PathBuf {
    let is_repository = |folder: &&Path| ambient::exists(&folder.join(".git"));
    let around = working_dir.ancestors().find(is_repository);
    let root = around.or_else(|| working_dir.starts_with(root).then_some(root));
    root.unwrap_or(working_dir).to_owned()
}

/// Returns the files below a folder that changed since a moment, by their paths in it. `None` where nothing can be said: so many
/// changed that they explain nothing, the folder has too many files to tell, or only something else changed: a hidden or ignored
/// file, or what was removed, renamed or installed.
/// The files and folders of `own` are this program's.
pub(super) fn find(root: &Path, own: Vec<PathBuf>, since: SystemTime) -> Option<Vec<String>> {
    let (since, deadline) = (since.checked_add(TICK)?, Instant::now() + MAX_CHANGE_SEARCH_TIME);
    let ignored = read_ignored(root);
    let mut walk = WalkBuilder::new(root);
    // The project may come from anywhere: the files that say what to ignore would be opened wherever they lead.
    walk.ignore(false).git_ignore(false).git_exclude(false).git_global(false).parents(false).hidden(false);
    let is_one_of = |dirs: &[&str], name: &OsStr| dirs.iter().any(|dir| name == *dir);
    let is_recent = move |entry: &DirEntry| is_newer(entry, since);
    // The time of a folder is that of the last entry which it got or lost.
    let has_other_change = Arc::new(AtomicBool::new(false));
    let own_files = own.clone();
    let holds_own_change = |folder: &Path| {
        let mut inside = own_files.iter().filter(|file| file.parent() == Some(folder));
        inside.any(|file| ambient::modified(file).is_some_and(|modified| modified > since))
    };
    let has_skipped_change = Arc::clone(&has_other_change);
    walk.filter_entry(move |entry| {
        if is_one_of(&INSTALLED_DIRS, entry.file_name()) && was_installed_into(entry.path(), since) {
            has_skipped_change.store(true, Ordering::Relaxed);
        }
        if entry.depth() == 0 {
            return true;
        }
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_ignored = ignored.matched(entry.path(), is_dir).is_ignore();
        // A file such as `.env` may be the fix, although it is no file of the project.
        if is_ignored && !is_dir && is_recent(entry) {
            has_skipped_change.store(true, Ordering::Relaxed);
        }
        let is_program_dir = is_dir && is_one_of(&PROGRAM_DIRS, entry.file_name());
        !is_ignored
            && !is_program_dir
            && !is_one_of(&BUILT_DIRS, entry.file_name())
            && !own.iter().any(|own| entry.path() == own)
    });
    let (mut changed, mut n_visited) = (Vec::new(), 0);
    for entry in walk.build().filter_map(Result::ok) {
        n_visited += 1;
        if n_visited > MAX_VISITED_PROJECT_FILES || Instant::now() > deadline {
            return None;
        }
        let is_kind = |is: fn(&FileType) -> bool| entry.file_type().is_some_and(|kind| is(&kind));
        if is_kind(FileType::is_file) && is_recent(&entry) {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            if name.iter().any(|part| part.as_encoded_bytes().starts_with(b".")) {
                has_other_change.store(true, Ordering::Relaxed);
            } else {
                changed.push(name.display().to_string());
            }
        } else if is_kind(FileType::is_dir) && is_recent(&entry) && !holds_own_change(entry.path()) {
            has_other_change.store(true, Ordering::Relaxed);
        }
        if changed.len() > MAX_CHANGED_FILES {
            return None;
        }
    }
    changed.sort();
    let is_known = !changed.is_empty() || !has_other_change.load(Ordering::Relaxed);
    is_known.then_some(changed)
}

fn is_newer(entry: &DirEntry, since: SystemTime) -> bool {
    let modified = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
    modified.is_some_and(|modified| modified > since)
}

/// Whether a folder of installed packages got or lost one: those of npm are in it and in the folders of scopes, and those of pip
/// in `lib/python3.13/site-packages`.
fn was_installed_into(folder: &Path, since: SystemTime) -> bool {
    const LEVELS: usize = 3;
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).max_depth(Some(LEVELS));
    walk.filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        let holds_packages =
            name.starts_with('@') || name.starts_with("python") || matches!(&*name, "lib" | "lib64" | "site-packages");
        entry.depth() == 0 || entry.file_type().is_some_and(|kind| kind.is_dir()) && holds_packages
    });
    walk.build().filter_map(Result::ok).any(|entry| is_newer(&entry, since))
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
