//! The folders below a root: which of them have an index, and in which a change can show.
//!
//! Owns: how far anybody looks for indices, and what is said of a folder that cannot be looked at.
//! Never: holds more than one of them open, or follows a link to another one.

use std::collections::VecDeque;

use super::index::INDEX;
use super::problems::{Gravity, Problem, Problems};
use wardroom_appdir::{AppDirError, Entry, EntryKind, Folder, FolderId};
use wardroom_base::limits::{MAX_REGISTRY_DEPTH, MAX_REGISTRY_FOLDERS, MAX_REGISTRY_INDICES, MAX_REGISTRY_NAMES};

/// A folder in which things are declared.
#[derive(Debug, Clone)]
pub struct Root {
    /// What findings call it.
    pub name: String,
    /// The folder that it lies in, or itself.
    pub folder: Folder,
    /// Its name there; empty for itself. It need not be there yet.
    pub below: String,
}

/// A folder in which a change can show, as it was when somebody looked. It is opened again by whoever watches it: a
/// project may have more of them than a process may hold open.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) top: Folder,
    /// Below that; empty for itself.
    pub(super) way: String,
    pub(super) id: FolderId,
}

/// What there is below one root.
#[derive(Default)]
pub(super) struct Found {
    /// Nothing where it cannot be opened.
    pub(super) top: Option<Folder>,
    /// The folders that have an index, by name.
    pub(super) indices: Vec<String>,
    /// Those that nobody can look into now. What was known of them holds.
    pub(super) unseen: Vec<String>,
}

impl Root {
    pub(super) fn opened(&self) -> Result<Folder, AppDirError> {
        if self.below.is_empty() { Ok(self.folder.clone()) } else { self.folder.folder(&self.below) }
    }

    /// What findings call something below it.
    pub(super) fn shown(&self, way: &str, name: &str) -> String {
        let parts = [self.name.trim_end_matches('/'), way, name].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("/")
    }

    /// The folders below it that have an index. All folders are noted: an index may come into each. Those near the top come
    /// first, so that a deep one with very many others takes nobody's place.
    pub(super) fn find(&self, spots: &mut Vec<Spot>, findings: &mut Problems) -> Found {
        let mut found = Found::default();
        // It may come one day, or another one in its place.
        let top = self.opened();
        if !self.below.is_empty() || top.is_err() {
            spots.extend(Spot::of(&self.folder, &self.folder, "").ok());
        }
        let top = match top {
            Ok(top) => top,
            Err(AppDirError::NotFound(_)) => return found,
            Err(error) => {
                let why = format!("{}: it must be a folder inside", closed(&error));
                findings.push(finding(&self.name, why));
                found.unseen.push(String::new());
                return found;
            }
        };
        found.top = Some(top.clone());
        let (mut folders, mut names) = (0, MAX_REGISTRY_NAMES);
        let (mut deep, mut many) = (Vec::new(), 0);
        let mut waiting = VecDeque::from([(String::new(), 0)]);
        while let Some((way, depth)) = waiting.pop_front() {
            if folders == MAX_REGISTRY_FOLDERS {
                let why = format!("has more than {MAX_REGISTRY_FOLDERS} folders: the deepest are not looked into");
                findings.push(finding(&self.name, why));
                break;
            }
            folders += 1;
            let entries = match looked(&top, &way, &mut names, spots) {
                Ok(entries) => entries,
                // It went away meanwhile.
                Err(AppDirError::NotFound(_)) => continue,
                Err(error) => {
                    let why = format!("{}: what was known of it holds", closed(&error));
                    findings.push(finding(&self.shown(&way, ""), why));
                    found.unseen.push(way);
                    continue;
                }
            };
            for entry in entries {
                if entry.name == INDEX && matches!(entry.kind, EntryKind::File | EntryKind::Link) {
                    if found.indices.len() < MAX_REGISTRY_INDICES {
                        found.indices.push(way.clone());
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
                findings.push(finding(&self.name, "holds too many files: some are not looked at".to_owned()));
                break;
            }
        }
        if many > 0 {
            let why = format!("has more than {MAX_REGISTRY_INDICES} indices: {many} are not read");
            findings.push(finding(&self.name, why));
        }
        if let Some(first) = deep.first() {
            let others = if deep.len() > 1 { format!(", and {} others do", deep.len() - 1) } else { String::new() };
            let why = format!("lies too deep{others}: it is not looked into");
            findings.push(finding(&self.shown(first, ""), why));
        }
        found.indices.sort();
        found
    }
}

impl Found {
    /// Whether a folder is, or lies in, one that nobody can look into.
    pub(super) fn hides(&self, way: &str) -> bool {
        let is_within = |unseen: &String| {
            way.strip_prefix(unseen.as_str())
                .is_some_and(|rest| unseen.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        self.unseen.iter().any(is_within)
    }
}

impl Spot {
    fn of(folder: &Folder, top: &Folder, way: &str) -> Result<Self, AppDirError> {
        Ok(Self { top: top.clone(), way: way.to_owned(), id: folder.own_stat()?.identity })
    }

    /// Opens what is there by now.
    pub(super) fn opened(&self) -> Result<Folder, AppDirError> {
        if self.way.is_empty() { Ok(self.top.clone()) } else { self.top.folder(&self.way) }
    }
}

/// What is in a folder, which is noted.
fn looked(top: &Folder, way: &str, names: &mut usize, spots: &mut Vec<Spot>) -> Result<Vec<Entry>, AppDirError> {
    let folder = if way.is_empty() { top.clone() } else { top.folder(way)? };
    spots.push(Spot::of(&folder, top, way)?);
    folder.entries_within(names)
}

/// Why nobody can look into a folder.
fn closed(error: &AppDirError) -> &'static str {
    match error {
        AppDirError::Denied(_) => "may not be looked into",
        AppDirError::TooManyOpen(_) => "cannot be looked into while too many files are open",
        _ => "cannot be opened",
    }
}

fn finding(file: &str, message: String) -> Problem {
    Problem { file: file.to_owned(), line: 0, gravity: Gravity::Warning, message }
}
