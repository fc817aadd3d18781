//! A path that a caller names, as a place in a folder that the operator granted: the AppDir, the project or a mount.
//!
//! Never: asks the system about a path. What links make of the name is the folder handle's concern.

use std::path::Path;

use super::Alc;
use super::packages::{Linked, tidy};
use crate::appdir::Folder;
use crate::services::{ServiceError, shown};

/// The granted folder that a path lies in, of several the innermost, and the name below it, which is empty for the folder
/// itself. A relative path begins at the project where there is one, else at the AppDir.
///
/// # Errors
/// `NOT_MOUNTED`, with the command that would grant it.
pub(super) fn place(alc: &Alc, path: &str) -> Result<(Folder, String), ServiceError> {
    let folders = &alc.folders;
    let project = folders.project.as_ref().map(|project| (&project.folder, project.path.as_path()));
    let app = alc.app_paths.iter().map(|path| (&folders.app, path.as_path()));
    let linked = folders.linked.iter().map(|linked| match linked {
        Linked::Package { folder, path, .. } | Linked::Packages { folder, path } => (folder, path.as_path()),
    });
    if Path::new(path).is_relative() {
        let folder = project.map_or(&folders.app, |(folder, _)| folder);
        return match tidy_relative(path) {
            Some(name) => Ok((folder.clone(), name)),
            None => Err(not_mounted(path)),
        };
    }
    let full = tidy(Path::new(path));
    let within = |(folder, root): (&Folder, &Path)| {
        let name = full.strip_prefix(root).ok()?.to_str()?;
        Some((root.components().count(), folder.clone(), name.to_owned()))
    };
    let innermost = app.chain(project).chain(linked).filter_map(within).max_by_key(|(depth, ..)| *depth);
    innermost.map(|(_, folder, name)| (folder, name)).ok_or_else(|| not_mounted(path))
}

/// A relative path without `.` and `..`; nothing when it climbs out.
fn tidy_relative(path: &str) -> Option<String> {
    let inside = tidy(&Path::new("/.").join("inside").join(path));
    inside.strip_prefix("/inside").ok()?.to_str().map(str::to_owned)
}

fn not_mounted(path: &str) -> ServiceError {
    let path = shown(path);
    let quoted = path.replace('\'', r"'\''");
    ServiceError::Tool {
        code: "NOT_MOUNTED",
        message: format!(
            "{path} lies outside the AppDir, the project and every mount; the operator grants it with: wardroom mount add NAME '{quoted}'"
        ),
        details: None,
    }
}
