//! Where a path leads, with every link on it resolved.
//!
//! Owns: the walk from name to name.
//! Never: opens what a name leads to: a pipe would block, and a device may act.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::{AppDirError, Folder};

/// As many as Linux follows.
const MAX_LINKS: usize = 40;

impl Folder {
    /// Returns where a path leads, with every link on it resolved.
    ///
    /// # Errors
    /// When there is nothing, or it is outside of this folder.
    pub fn resolve_links(&self, path: &str) -> Result<PathBuf, AppDirError> {
        let failed = |error| AppDirError::from_io(path, error);
        let outside = || AppDirError::OutsideRoot(path.to_owned());
        let (mut reached, mut links_left) = (PathBuf::new(), MAX_LINKS);
        // The names that are left, the next one at the end.
        let mut names = names_reversed(Path::new(path)).ok_or_else(outside)?;
        while let Some(name) = names.pop() {
            if name == ".." {
                if !reached.pop() {
                    return Err(outside());
                }
                continue;
            }
            let next = reached.join(&name);
            match self.dir.read_link_contents(&next) {
                Ok(target) => {
                    links_left = links_left.checked_sub(1).ok_or_else(|| failed(Errno::LOOP.into()))?;
                    names.extend(names_reversed(&target).ok_or_else(outside)?);
                }
                // It is there, and no link.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => reached = next,
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(reached)
    }
}

/// Returns the names of a path, the last one first; `None` for an absolute path.
fn names_reversed(path: &Path) -> Option<Vec<std::ffi::OsString>> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(Some(name.to_owned())),
        Component::ParentDir => Some(Some("..".into())),
        Component::CurDir => Some(None),
        Component::RootDir | Component::Prefix(_) => None,
    };
    let names: Option<Vec<_>> = path.components().rev().map(name).collect();
    Some(names?.into_iter().flatten().collect())
}
