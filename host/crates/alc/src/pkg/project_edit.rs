//! Edits a project's `alc.toml` and `alc.local.toml`, and keeps every comment.
//!
//! Owns: the lock file of a project's files, the same as the original's.

use super::INSTALL_LOCK_FILE;
use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use super::lock::{self, LockedPackage};
use super::manifest::PackageOrigin;
use super::write_error;
use crate::error_code as code;
use crate::limits::MAX_CONFIG_BYTES;
use crate::project_files::{self, REQUIREMENTS_FILE};
use crate::{Alc, Project};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

/// Whether a missing file is created.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFile {
    Create,
    Ignore,
}

/// Changes the table `packages` of a file under the project's file lock, and returns whether `change` changed anything.
pub(super) fn edit_package_table(
    project: &Project,
    file: &str,
    missing: MissingFile,
    change: impl FnOnce(&mut Table) -> bool,
) -> Result<bool, ServiceError> {
    let failed = |error| write_error(file, error);
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(failed)?;
    let text = match project.folder.read_text(file, MAX_CONFIG_BYTES) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) if missing == MissingFile::Create => String::new(),
        Err(AppDirError::NotFound(_)) => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    let malformed = |line: String| ServiceError::tool(code::MALFORMED, format!("malformed {file}: {line}"));
    // The depth must be checked before anything is built from the text.
    toml_text::parse(&text).map_err(|error| malformed(error.public_message()))?;
    let mut document: DocumentMut = text.parse().map_err(|_| malformed("not TOML".to_owned()))?;
    let entry = document.entry("packages").or_insert_with(|| Item::Table(Table::new()));
    if let Some(inline) = entry.as_inline_table() {
        *entry = Item::Table(inline.clone().into_table());
    }
    let table = entry.as_table_mut().ok_or_else(|| malformed("packages is not a table".to_owned()))?;
    if !change(table) {
        return Ok(false);
    }
    project.folder.write(file, document.to_string().as_bytes(), Privacy::Shared).map_err(failed)?;
    Ok(true)
}

/// Returns the entry of a package with a path.
pub(super) fn path_item(path: &str) -> Item {
    let mut entry = InlineTable::new();
    entry.insert("path", path.into());
    value(entry)
}

/// Adds packages to the `alc.toml` of the server's project, if there is one. A failure is only a warning: the packages
/// are installed.
pub(super) fn add_requirements(alc: &Alc, installed: &[(String, Option<String>)]) -> Vec<String> {
    let Some(project) = alc.grants.project() else { return Vec::new() };
    if project.folder.is_read_only() {
        return Vec::new();
    }
    let noted = edit_package_table(project, REQUIREMENTS_FILE, MissingFile::Ignore, |table| {
        let mut changed = false;
        for (name, _) in installed {
            if !table.contains_key(name) {
                table.insert(name, value("*"));
                changed = true;
            }
        }
        changed
    });
    let has_requirements = project.folder.stat(REQUIREMENTS_FILE).is_ok();
    let locked = noted.and_then(|_| if has_requirements { lock_installed(project, installed) } else { Ok(()) });
    locked.err().map(|error| error.to_string()).into_iter().collect()
}

/// Locks the required packages that were just installed, except those with a path, a repository or a pinned version.
fn lock_installed(project: &Project, installed: &[(String, Option<String>)]) -> Result<(), ServiceError> {
    let wanted = project_files::read_package_table(&project.folder, REQUIREMENTS_FILE, "packages", MAX_CONFIG_BYTES)?;
    let is_any = |name: &str| {
        wanted
            .get(name)
            .is_some_and(|entry| entry.path.is_none() && entry.git.is_none() && entry.pinned_version().is_none())
    };
    let locked = installed.iter().filter(|(name, _)| is_any(name)).map(|(name, version)| LockedPackage {
        name: name.clone(),
        version: version.clone(),
        source: PackageOrigin::Installed,
    });
    let locked: Vec<LockedPackage> = locked.collect();
    if locked.is_empty() { Ok(()) } else { lock::upsert_packages(project, locked) }
}
