//! Paths that a client names: which of the folders that were granted one leads into.
//!
//! Owns: what a path means, and the words for one that leads nowhere.
//! Never: opens what is not below a granted folder; what links make of a path is the folder handle's concern.

use std::path::{Component, Path, PathBuf};

use super::packages::Linked;
use super::{Alc, Project};
use crate::appdir::Folder;
use crate::services::{ServiceError, shown};

/// The folder that `path` leads into, of those that were granted, and the path below it: `.` for the folder itself. A
/// relative path begins in the project, or in the AppDir where there is none.
///
/// # Errors
/// `NOT_MOUNTED`, with the command that would grant it.
pub(super) fn place(alc: &Alc, path: &str) -> Result<(Folder, String), ServiceError> {
    let folders = &alc.folders;
    let app = alc.path.as_deref().map(|root| (&folders.app, root));
    let project = folders.project.as_ref().map(|Project { folder, path }| (folder, path.as_path()));
    let mounts = folders.linked.iter().map(|linked| match linked {
        Linked::Package { folder, path, .. } | Linked::Packages { folder, path } => (folder, path.as_path()),
    });
    let below = |root: &Path, full: &Path| {
        let below = full.strip_prefix(root).ok()?.to_str()?;
        Some(if below.is_empty() { ".".to_owned() } else { below.to_owned() })
    };
    let found = if Path::new(path).is_absolute() {
        let full = tidy(Path::new(path)).ok_or_else(|| not_mounted(path))?;
        let roots = app.into_iter().chain(project).chain(mounts);
        // Of several that it lies in, the nearest one says what may be done there.
        let nearest =
            roots.filter(|(_, root)| full.starts_with(root)).max_by_key(|(_, root)| root.components().count());
        nearest.and_then(|(folder, root)| Some((folder.clone(), below(root, &full)?)))
    } else {
        let start = project.map_or(&folders.app, |(folder, _)| folder);
        tidy(Path::new(path)).and_then(|relative| Some((start.clone(), below(Path::new(""), &relative)?)))
    };
    found.ok_or_else(|| not_mounted(path))
}

fn not_mounted(path: &str) -> ServiceError {
    // As a shell takes it.
    let quoted = format!("'{}'", shown(path).replace('\'', r"'\''"));
    let message = format!(
        "{quoted} is outside the AppDir, the project and every mount; a person can grant its folder with: wardroom mount \
         add NAME {quoted} (and then start this server again)"
    );
    ServiceError::tool("NOT_MOUNTED", message)
}

/// Resolves `.` and `..` in the text of a path; nothing for one that climbs out of where it begins.
fn tidy(path: &Path) -> Option<PathBuf> {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !tidy.pop() {
                    return None;
                }
            }
            other => tidy.push(other),
        }
    }
    Some(tidy)
}
