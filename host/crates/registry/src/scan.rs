//! The scan of the folders below a root: which of them have an index, and in which a change can show.
//!
//! Owns: how far indices are searched for, and the problems of folders that cannot be scanned.
//! Never: holds more than one folder open, or follows a link to another.

use std::collections::VecDeque;

use super::index::INDEX_FILE_NAME;
use super::problems::{ProblemList, RegistryProblem, Severity};
use crate::limits::{MAX_REGISTRY_DEPTH, MAX_REGISTRY_DIRS, MAX_REGISTRY_INDICES, MAX_REGISTRY_NAMES_SCANNED};
use wardroom_appdir::{AppDirError, DirEntry, EntryKind, FileId, Folder};

/// A folder with declarations.
#[derive(Debug, Clone)]
pub struct RegistryRoot {
    /// The name of the root in problems.
    pub name: String,
    /// The folder that contains the root, or the root itself.
    pub folder: Folder,
    /// The path of the root below `folder`; empty for `folder` itself. The root need not exist yet.
    pub relative_path: String,
}

/// A folder in which a change can show, as of a scan. It is opened again to be watched: a project may have more folders
/// than a process may hold open.
#[derive(Debug, Clone)]
pub(super) struct ScannedDir {
    pub(super) root: Folder,
    /// The path below `root`; empty for `root` itself.
    pub(super) relative_path: String,
    pub(super) id: FileId,
}

/// The result of scanning one root.
#[derive(Default)]
pub(super) struct RootScan {
    /// `None` if the root cannot be opened.
    pub(super) folder: Option<Folder>,
    /// The folders that have an index, by path.
    pub(super) index_dirs: Vec<String>,
    /// The folders that cannot be scanned now. What was known of them stays valid.
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

    /// Returns the name of something below the root, for problems.
    pub(super) fn display_path(&self, path: &str, name: &str) -> String {
        let parts = [self.name.trim_end_matches('/'), path, name].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("/")
    }

    /// Finds the folders below the root that have an index. Records all folders: an index may be created in each. The
    /// search is breadth-first, so that a deep folder with very many others leaves none of the shallow ones out.
    pub(super) fn scan(&self, dirs: &mut Vec<ScannedDir>, problems: &mut ProblemList) -> RootScan {
        let mut found = RootScan::default();
        // The root may be created later, or replaced.
        let top = self.open();
        if !self.relative_path.is_empty() || top.is_err() {
            dirs.extend(ScannedDir::new(&self.folder, &self.folder, "").ok());
        }
        let top = match top {
            Ok(top) => top,
            // What was removed declares nothing, nor what was in an AppDir that was.
            Err(AppDirError::NotFound(_) | AppDirError::FolderRemoved(_)) => return found,
            Err(error) => {
                let why = format!("{}: it must be a folder, and no link to one outside", describe_open_error(&error));
                problems.push(scan_warning(&self.name, why));
                found.unreadable_dirs.push(String::new());
                return found;
            }
        };
        found.folder = Some(top.clone());
        let (mut folders, mut names) = (0, MAX_REGISTRY_NAMES_SCANNED);
        let (mut deep, mut many) = (Vec::new(), 0);
        let mut waiting = VecDeque::from([(String::new(), 0)]);
        while let Some((path, depth)) = waiting.pop_front() {
            if folders == MAX_REGISTRY_DIRS {
                let why = format!("has more than {MAX_REGISTRY_DIRS} folders: the deepest are not scanned");
                problems.push(scan_warning(&self.name, why));
                break;
            }
            folders += 1;
            let entries = match list_dir(&top, &path, &mut names, dirs) {
                Ok(entries) => entries,
                // The folder was removed meanwhile.
                Err(AppDirError::NotFound(_)) => continue,
                Err(error) => {
                    let why = format!("{}: its last known entries stay", describe_open_error(&error));
                    problems.push(scan_warning(&self.display_path(&path, ""), why));
                    found.unreadable_dirs.push(path);
                    continue;
                }
            };
            for entry in entries {
                if entry.name == INDEX_FILE_NAME && matches!(entry.kind, EntryKind::File | EntryKind::Symlink) {
                    if found.index_dirs.len() < MAX_REGISTRY_INDICES {
                        found.index_dirs.push(path.clone());
                    } else {
                        many += 1;
                    }
                } else if entry.kind == EntryKind::Folder && !entry.name.starts_with('.') {
                    let below = if path.is_empty() { entry.name } else { format!("{path}/{}", entry.name) };
                    if depth == MAX_REGISTRY_DEPTH {
                        deep.push(below);
                    } else {
                        waiting.push_back((below, depth + 1));
                    }
                }
            }
            if names == 0 {
                problems.push(scan_warning(&self.name, "has too many files: some are not scanned".to_owned()));
                break;
            }
        }
        if many > 0 {
            let why = format!("has more than {MAX_REGISTRY_INDICES} indices: {many} are not read");
            problems.push(scan_warning(&self.name, why));
        }
        if let Some(first) = deep.first() {
            let others = if deep.len() > 1 { format!(", as are {} others", deep.len() - 1) } else { String::new() };
            let why = format!("is nested too deep{others}: it is not scanned");
            problems.push(scan_warning(&self.display_path(first, ""), why));
        }
        found.index_dirs.sort();
        found
    }
}

impl RootScan {
    /// Whether a folder cannot be scanned, or is inside one that cannot.
    pub(super) fn is_unreadable(&self, path: &str) -> bool {
        self.unreadable_dirs.iter().any(|unreadable| is_within(path, unreadable))
    }

    /// Returns a folder that cannot be scanned, and below which none of these indices is known.
    pub(super) fn unreadable_dir_without(&self, known: &[&str]) -> Option<&str> {
        let is_unknown = |dir: &&String| !known.iter().any(|path| is_within(path, dir));
        self.unreadable_dirs.iter().find(is_unknown).map(String::as_str)
    }
}

/// Whether a path below a root is a folder, or within it.
fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

impl ScannedDir {
    fn new(folder: &Folder, top: &Folder, path: &str) -> Result<Self, AppDirError> {
        Ok(Self { root: top.clone(), relative_path: path.to_owned(), id: folder.stat_self()?.file_id })
    }

    /// Opens the folder that exists there now.
    pub(super) fn open(&self) -> Result<Folder, AppDirError> {
        if self.relative_path.is_empty() { Ok(self.root.clone()) } else { self.root.open_folder(&self.relative_path) }
    }
}

/// Records a folder, and returns its entries.
fn list_dir(
    top: &Folder,
    path: &str,
    names: &mut usize,
    dirs: &mut Vec<ScannedDir>,
) -> Result<Vec<DirEntry>, AppDirError> {
    let folder = if path.is_empty() { top.clone() } else { top.open_folder(path)? };
    dirs.push(ScannedDir::new(&folder, top, path)?);
    folder.entries_with_budget(names)
}

/// Describes why a folder cannot be scanned.
fn describe_open_error(error: &AppDirError) -> &'static str {
    match error {
        AppDirError::PermissionDenied(_) => "may not be read by this server",
        AppDirError::TooManyOpenFiles(_) => "cannot be read while too many files are open",
        _ => "cannot be opened",
    }
}

fn scan_warning(file: &str, message: String) -> RegistryProblem {
    RegistryProblem { file: file.to_owned(), line: 0, severity: Severity::Warning, message }
}
