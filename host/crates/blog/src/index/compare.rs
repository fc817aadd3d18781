//! The comparison of files with the index: which are new, changed or gone.
//!
//! Owns: what an update reads, for each scope.
//! Never: reads a document, or writes.

use std::collections::{BTreeSet, HashSet};

use super::document::folder_of;
use super::error::IndexError;
use super::scan::{self, FoundFile, Scan};
use super::stored::StoredBlog;
use super::{BlogIndex, UpdateScope};
use crate::content::read_file::{hash64, unsettled};
use wardroom_appdir::Folder;

/// How files differ from what the index says of them.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// The files that are new or changed.
    pub(super) changed: Vec<FoundFile>,
    /// The paths of those that are gone.
    pub(super) gone: Vec<String>,
    /// The folders of files that were read a moment after their last change.
    pub(super) unsettled: BTreeSet<String>,
}

impl Comparison {
    /// Whether the index says what the files say.
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

impl BlogIndex {
    /// Lists the files of a scope.
    pub(super) fn scan(&self, scope: &UpdateScope, visit: &mut dyn FnMut(&str, &Folder)) -> Scan {
        let (blog, layout) = (&self.source.folder, self.source.layout);
        match scope {
            UpdateScope::Everything | UpdateScope::Rebuild => Scan::all(blog, layout, visit),
            UpdateScope::Folders(paths) => Scan::folders(blog, layout, paths, visit),
            // There is nothing to list.
            UpdateScope::Files(_) => Scan::default(),
        }
    }

    /// Compares the files of a scope with what the index says of them.
    pub(super) fn compare(
        &self,
        scope: &UpdateScope,
        scan: &Scan,
        before: Option<&StoredBlog>,
    ) -> Result<Comparison, IndexError> {
        let mut comparison = Comparison::default();
        if let (UpdateScope::Files(paths), Some(_)) = (scope, before) {
            (comparison.changed, comparison.gone) = scan::look_at(&self.source.folder, self.source.layout, paths);
            return Ok(comparison);
        }
        let found = scan.folders.values().flatten();
        let Some(stored) = before else { return Ok(Comparison { changed: found.cloned().collect(), ..comparison }) };
        let is_failed = |path: &str| {
            scan.failures
                .iter()
                .any(|(folder, _)| path == folder || folder == scan::ROOT || is_inside(folder_of(path), folder))
        };
        let inside = match scope {
            UpdateScope::Folders(folders) => Some(stored.documents_in_folders(folders)?),
            UpdateScope::Everything | UpdateScope::Rebuild | UpdateScope::Files(_) => None,
        };
        let mut known = stored.file_states(inside.as_ref())?;
        for file in found {
            match known.remove(&hash64(file.path.as_bytes())) {
                Some((before, _)) if before == file.state => {}
                // It is read again once it is settled. Until then its notice is the one of the change that was read.
                Some((before, _)) if inside.is_some() && !file.is_settled && before == unsettled(file.state) => {
                    comparison.unsettled.insert(folder_of(&file.path).to_owned());
                }
                _ => comparison.changed.push(file.clone()),
            }
        }
        // Of what is left, the files in the scope are gone.
        let documents: HashSet<_> = known.values().map(|(_, at)| *at).collect();
        let is_in_scope = |path: &str| match scope {
            UpdateScope::Everything | UpdateScope::Rebuild | UpdateScope::Files(_) => true,
            UpdateScope::Folders(folders) => folders.iter().any(|folder| is_inside(folder_of(path), folder)),
        };
        for at in documents {
            let paths = stored.row(at)?.files.into_iter().map(|(path, _)| path);
            let is_gone =
                |path: &String| known.contains_key(&hash64(path.as_bytes())) && is_in_scope(path) && !is_failed(path);
            comparison.gone.extend(paths.filter(is_gone));
        }
        Ok(comparison)
    }
}

/// Whether a folder is another one, or below it.
fn is_inside(folder: &str, dir: &str) -> bool {
    folder.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
