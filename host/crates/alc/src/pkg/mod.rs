//! The tools that manage packages, and the functions that the command line shares with them.
//!
//! Owns: one file for each tool or pair of tools, the manifest of installations, and the edits of a project's files.
//! Never: runs a package, or uses a path that was not granted (see `grants.rs`).

mod doctor;
mod import;
mod install;
mod inventory;
mod link;
mod list;
mod lock;
mod manifest;
mod project;
mod project_edit;
mod remove;
mod scaffold;

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

use super::tool::AlcTool;
use crate::error_code as code;
use wardroom_appdir::AppDirError;
use wardroom_base::uri::PackageName;
use wardroom_service::{ServiceError, escape_and_truncate};

pub(super) use self::import::find_packages_in;
pub(super) use self::install::check_name;
pub use self::install::{PackageInstallRequest, is_repository_url};
pub(super) use self::inventory::PackageLocation;
pub use self::manifest::PackageOrigin;

pub(super) const TOOLS: [&[AlcTool]; 7] =
    [list::TOOLS, install::TOOLS, link::TOOLS, remove::TOOLS, doctor::TOOLS, scaffold::TOOLS, project::TOOLS];

const INSTALL_LOCK_FILE: &str = ".alc-install.lock";

/// The folder of installed packages, below the AppDir.
const PACKAGES_DIR: &str = "packages";

/// Returns the error of a failed write for the caller of a tool. The names in `error` are for the log.
pub(super) fn write_error(what: &str, error: AppDirError) -> ServiceError {
    match &error {
        AppDirError::DiskFull(_) => {
            ServiceError::tool(code::DISK_FULL, format!("cannot write {what}: the disk is full"))
        }
        AppDirError::Locked(_) => {
            ServiceError::tool(code::BUSY, format!("cannot write {what}: another process uses it, try again"))
        }
        AppDirError::PermissionDenied(_) => ServiceError::write_denied(what),
        AppDirError::TooManyOpenFiles(_) => {
            ServiceError::tool(code::BUSY, format!("cannot write {what} now: too many files are open, try again"))
        }
        AppDirError::NotRegularFile(_) | AppDirError::NotAFolder(_) | AppDirError::AlreadyExists(_) => {
            ServiceError::tool(code::IN_THE_WAY, format!("cannot write {what}: something else has its name"))
        }
        AppDirError::ReadOnly(_) => {
            ServiceError::tool(code::READ_ONLY, format!("cannot write {what}: its folder was opened read-only"))
        }
        AppDirError::Cancelled(_) => ServiceError::internal(format!("writing {what} was cancelled"), error),
        _ => ServiceError::internal(format!("cannot write {what}"), error),
    }
}

/// Parses a package's name given by a caller.
pub(super) fn parse_package_name(name: &str) -> Result<PackageName, ServiceError> {
    let invalid = |reason: String| {
        ServiceError::tool(
            code::INVALID_NAME,
            format!("invalid package name \"{}\": {reason}", escape_and_truncate(name)),
        )
    };
    if name.starts_with('.') {
        return Err(invalid("it begins with a dot".to_owned()));
    }
    PackageName::parse(name).map_err(|error| invalid(error.to_string()))
}

pub(super) fn now_rfc3339() -> String {
    DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true)
}
