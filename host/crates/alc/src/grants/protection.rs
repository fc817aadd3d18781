//! What tools may not use although it lies in a granted folder: the data of services, and names that other programs obey.
//!
//! Owns: the folders of the AppDir that are the services' own, what is protected of other services, and the reasons in refusals.
//! Never: finds out where a path leads; `folder_way` does.

use std::path::PathBuf;

use super::Grant;
use super::folder_way::FolderOnWay;
use crate::error_code as code;
use crate::packages::PACKAGES_DIR;
use wardroom_appdir::Folder;
use wardroom_net::limits::MAX_INSTALL_DEPTH;
use wardroom_service::{ServiceError, escape_and_truncate};

/// A folder of another service that may lie within a granted folder.
#[derive(Clone)]
pub struct ProtectedFolder {
    pub folder: Folder,
    pub path: PathBuf,
    pub protection: Protection,
}

/// What no path in the arguments of a tool leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// The declarations and sources of entries, which not every caller may see: neither source nor target.
    Declarations,
    /// Posts, which become public by a person's decision alone: no target.
    Posts,
}

impl Protection {
    /// Returns why a path is refused; `None` where it may be used so.
    pub(super) fn refusal(self, grant: Grant) -> Option<&'static str> {
        match self {
            Self::Declarations => Some("is in a folder of declared entries: name another folder"),
            Self::Posts if grant.is_write() => Some("is in the folder of the blog: name a folder that is not in it"),
            Self::Posts => None,
        }
    }
}

/// The folder of the AppDir with declared entries.
pub(super) const DECLARATIONS_DIR: &str = "registry";

/// Folders of the AppDir in which services keep data of their own: no path in them is the source or the target of a tool.
pub(super) const PRIVATE_DIRS: [&str; 11] =
    ["ace", "blog", "cache", "evals", "logs", DECLARATIONS_DIR, "runs", "server", "state", "store", "tasks"];

/// Whether a folder of the AppDir has data of the services alone.
#[must_use]
pub fn is_private_dir(name: &str) -> bool {
    // Some file systems do not distinguish the case.
    PRIVATE_DIRS.iter().any(|private| name.eq_ignore_ascii_case(private))
}

/// Refuses a part of the AppDir that a tool may not use.
pub(super) fn check_app_part(path: &str, inside: &str, grant: Grant) -> Result<(), ServiceError> {
    let why = if is_private_dir(inside.split('/').next().unwrap_or_default()) {
        "is in a folder of this server's own data: name a folder in the project, in a mount or in packages"
    } else if grant == Grant::CreatePackages && inside != PACKAGES_DIR {
        "is in the AppDir, where packages are created in the folder packages alone"
    } else {
        return Ok(());
    };
    Err(protected_error(path, why))
}

/// Refuses names that a tool may not make in a folder of a person: hidden ones, which other programs obey (`.git/hooks`), ones
/// with control characters, and more levels than a package may have.
pub(super) fn check_written_names(path: &str, way: &[FolderOnWay]) -> Result<(), ServiceError> {
    if way.iter().any(|folder| folder.name.starts_with('.')) {
        return Err(protected_error(path, "is hidden: name a folder in the project or in a mount that is not"));
    }
    let why = if way.iter().any(|folder| folder.name.contains(char::is_control)) {
        "has control characters".to_owned()
    } else if way.len() > MAX_INSTALL_DEPTH {
        format!("has more than {MAX_INSTALL_DEPTH} levels")
    } else {
        return Ok(());
    };
    Err(ServiceError::tool(code::INVALID_PATH, format!("{} {why}", escape_and_truncate(path))))
}

pub(super) fn protected_error(path: &str, why: &str) -> ServiceError {
    ServiceError::tool(code::PROTECTED, format!("{} {why}", escape_and_truncate(path)))
}
