//! Where a path leads, with every link on it resolved.
//!
//! Owns: the walk from name to name.
//! Never: opens what a name leads to: a pipe would block, and a device may act.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::{AppDirError, Folder};

/// As many as Linux follows.
const MAX_LINKS: usize = 40;

/// What is expected at the end of a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastName {
    Exists,
    /// A file that is about to be made.
    MayBeMissing,
}

impl Folder {
    /// Returns the path of the file that is meant: where the last name is a link, the file that it leads to. What replaces that
    /// leaves the link as it is.
    ///
    /// # Errors
    /// When the link leads out of this folder, or through a folder that is not there.
    pub fn link_target<'p>(&self, path: &'p str) -> Result<Cow<'p, str>, AppDirError> {
        if self.read_link(path).is_err() {
            return Ok(Cow::Borrowed(path));
        }
        let target = self.walk_links(path, LastName::MayBeMissing)?;
        Ok(target.to_str().map_or(Cow::Borrowed(path), |target| Cow::Owned(target.to_owned())))
    }

    /// Returns where a path leads, with every link on it resolved.
    ///
    /// # Errors
    /// When there is nothing, or it is outside of this folder.
    pub fn resolve_links(&self, path: &str) -> Result<PathBuf, AppDirError> {
        self.walk_links(path, LastName::Exists)
    }

    fn walk_links(&self, path: &str, last_name: LastName) -> Result<PathBuf, AppDirError> {
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
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound
                        && names.is_empty()
                        && last_name == LastName::MayBeMissing =>
                {
                    reached = next;
                }
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
