//! The project's `alc.toml` and `alc.lock` after an installation.

use toml_edit::value;

use super::lock::{self, LockedPackage};
use crate::grants::Project;
use crate::limits::MAX_CONFIG_BYTES;
use crate::packages::PackageOrigin;
use crate::packages::project_edit::{MissingFile, TableFile, edit_package_table};
use crate::packages::project_files::{self, REQUIREMENTS_FILE};
use wardroom_service::ServiceError;

/// Adds packages to the `alc.toml` of the server's project, if there is one. A failure is only a warning: the packages
/// are installed.
pub(super) fn add_requirements(project: Option<&Project>, installed: &[(String, Option<String>)]) -> Vec<String> {
    let Some(project) = project else { return Vec::new() };
    if project.folder.is_read_only() {
        return Vec::new();
    }
    let noted = edit_package_table(project, &TableFile::new(REQUIREMENTS_FILE, MissingFile::Ignore), |table| {
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
