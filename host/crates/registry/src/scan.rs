//! The folders below a root: which of them have an index, and in which a change can show.
//!
//! Owns: how far anybody looks for indices, and what is said of a folder that cannot be looked at.
//! Never: holds more than one of them open, or follows a link to another one.

use std::collections::VecDeque;

use super::index::INDEX_FILE_NAME;
use super::problems::{ProblemList, RegistryProblem, Severity};
use crate::limits::{MAX_REGISTRY_DEPTH, MAX_REGISTRY_DIRS, MAX_REGISTRY_INDICES, MAX_REGISTRY_NAMES_SCANNED};
use wardroom_appdir::{AppDirError, DirEntry, EntryKind, FileId, Folder};

/// A folder in which things are declared.
#[derive(Debug, Clone)]
pub struct RegistryRoot {
    /// What findings call it.
    pub name: String,
    /// The folder that it lies in, or itself.
    pub folder: Folder,
    /// Its name there; empty for itself. It need not be there yet.
    pub relative_path: String,
}

/// A folder in which a change can show, as it was when somebody looked. It is opened again by whoever watches it: a
/// project may have more of them than a process may hold open.
#[derive(Debug, Clone)]
pub(super) struct ScannedDir {
    pub(super) root: Folder,
    /// Below that; empty for itself.
    pub(super) relative_path: String,
    pub(super) id: FileId,
}

/// What there is below one root.
#[derive(Default)]
pub(super) struct RootScan {
    /// Nothing where it cannot be opened.
    pub(super) folder: Option<Folder>,
    /// The folders that have an index, by name.
    pub(super) index_dirs: Vec<String>,
    /// Those that nobody can look into now. What was known of them holds.
    pub(super) unreadable_dirs: Vec<String>,
}

impl RegistryRoot {
    pub(super) fn open(&self) -> Result<Folder, AppDirError> {
        if self.relative_path.is_empty() {
            Ok(self.folder.clone())
        } else {
            self.folder.open_folder(&self.relative_path)
        }
    }

    /// What findings call something below it.
    pub(super) fn display_path(&self, way: &str, name: &str) -> String {
        let parts = [self.name.trim_end_matches('/'), way, name].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("/")
    }

    /// The folders below it that have an index. All folders are noted: an index may come into each. Those near the top come
    /// first, so that a deep one with very many others takes nobody's place.
    pub(super) fn scan(&self, spots: &mut Vec<ScannedDir>, findings: &mut ProblemList) -> RootScan {
        let mut found = RootScan::default();
        // It may come one day, or another one in its place.
        let top = self.open();
        if !self.relative_path.is_empty() || top.is_err() {
            spots.extend(ScannedDir::new(&self.folder, &self.folder, "").ok());
        }
        let top = match top {
            Ok(top) => top,
            Err(AppDirError::NotFound(_)) => return found,
            Err(error) => {
                let why = format!("{}: it must be a folder inside", describe_open_error(&error));
                findings.push(scan_warning(&self.name, why));
                found.unreadable_dirs.push(String::new());
                return found;
            }
        };
        found.folder = Some(top.clone());
        let (mut folders, mut names) = (0, MAX_REGISTRY_NAMES_SCANNED);
        let (mut deep, mut many) = (Vec::new(), 0);
        let mut waiting = VecDeque::from([(String::new(), 0)]);
        while let Some((way, depth)) = waiting.pop_front() {
            if folders == MAX_REGISTRY_DIRS {
                let why = format!("has more than {MAX_REGISTRY_DIRS} folders: the deepest are not looked into");
                findings.push(scan_warning(&self.name, why));
                break;
            }
            folders += 1;
            let entries = match list_dir(&top, &way, &mut names, spots) {
                Ok(entries) => entries,
                // It went away meanwhile.
                Err(AppDirError::NotFound(_)) => continue,
                Err(error) => {
                    let why = format!("{}: what was known of it holds", describe_open_error(&error));
                    findings.push(scan_warning(&self.display_path(&way, ""), why));
                    found.unreadable_dirs.push(way);
                    continue;
                }
            };
            for entry in entries {
                if entry.name == INDEX_FILE_NAME && matches!(entry.kind, EntryKind::File | EntryKind::Symlink) {
                    if found.index_dirs.len() < MAX_REGISTRY_INDICES {
                        found.index_dirs.push(way.clone());
                    } else {
                        many += 1;
                    }
                } else if entry.kind == EntryKind::Folder && !entry.name.starts_with('.') {
                    let below = if way.is_empty() { entry.name } else { format!("{way}/{}", entry.name) };
                    if depth == MAX_REGISTRY_DEPTH {
                        deep.push(below);
                    } else {
                        waiting.push_back((below, depth + 1));
                    }
                }
            }
            if names == 0 {
                findings.push(scan_warning(&self.name, "holds too many files: some are not looked at".to_owned()));
                break;
            }
        }
        if many > 0 {
            let why = format!("has more than {MAX_REGISTRY_INDICES} indices: {many} are not read");
            findings.push(scan_warning(&self.name, why));
        }
        if let Some(first) = deep.first() {
            let others = if deep.len() > 1 { format!(", and {} others do", deep.len() - 1) } else { String::new() };
            let why = format!("lies too deep{others}: it is not looked into");
            findings.push(scan_warning(&self.display_path(first, ""), why));
        }
        found.index_dirs.sort();
        found
    }
}

impl RootScan {
    /// Whether a folder is, or lies in, one that nobody can look into.
    pub(super) fn is_unreadable(&self, way: &str) -> bool {
        let is_within = |unseen: &String| {
            way.strip_prefix(unseen.as_str())
                .is_some_and(|rest| unseen.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        self.unreadable_dirs.iter().any(is_within)
    }
}

impl ScannedDir {
    fn new(folder: &Folder, top: &Folder, way: &str) -> Result<Self, AppDirError> {
        Ok(Self { root: top.clone(), relative_path: way.to_owned(), id: folder.stat_self()?.file_id })
    }

    /// Opens what is there by now.
    pub(super) fn open(&self) -> Result<Folder, AppDirError> {
        if self.relative_path.is_empty() { Ok(self.root.clone()) } else { self.root.open_folder(&self.relative_path) }
    }
}

/// What is in a folder, which is noted.
fn list_dir(
    top: &Folder,
    way: &str,
    names: &mut usize,
    spots: &mut Vec<ScannedDir>,
) -> Result<Vec<DirEntry>, AppDirError> {
    let folder = if way.is_empty() { top.clone() } else { top.open_folder(way)? };
    spots.push(ScannedDir::new(&folder, top, way)?);
    folder.entries_with_budget(names)
}

/// Why nobody can look into a folder.
fn describe_open_error(error: &AppDirError) -> &'static str {
    match error {
        AppDirError::PermissionDenied(_) => "may not be looked into",
        AppDirError::TooManyOpenFiles(_) => "cannot be looked into while too many files are open",
        _ => "cannot be opened",
    }
}

fn scan_warning(file: &str, message: String) -> RegistryProblem {
    RegistryProblem { file: file.to_owned(), line: 0, severity: Severity::Warning, message }
}
