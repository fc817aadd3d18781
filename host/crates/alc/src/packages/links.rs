//! `packages/.links.toml`: the packages that are linked for every project.
//!
//! Owns: its entries, which have the form of `alc.local.toml`. A link grants no access: it is followed only into granted
//! folders.

use std::path::{Path, PathBuf};

use super::lookup::{LINKS_FILE, OLD_LINKS_FILE};
use super::project_edit::{self, MissingFile, TableFile};
use super::{PACKAGES_DIR, PackageStore, check_new_name};
use crate::error_code as code;
use crate::grants::Project;
use crate::limits::MAX_CONFIG_BYTES;
use crate::storage_error::write_error;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::PackageName;
use wardroom_service::ServiceError;

impl PackageStore {
    /// Writes all links in one step, and then removes the packages that they replace: a process killed in between
    /// leaves packages that the links shadow. Returns the names that were not linked to the same target before.
    pub(crate) fn link_globally(
        &self,
        targets: &[(PackageName, PathBuf)],
        force: bool,
    ) -> Result<Vec<String>, ServiceError> {
        let packages = self.create_packages_folder()?;
        for (name, target) in targets {
            check_new_name(name.as_str())?;
            if *target == self.packages_path().join(name.as_str()) {
                return Err(ServiceError::tool(code::EXISTS, format!("{name} is already installed there")));
            }
            if self.is_below_package(name, target) {
                let message = format!("that folder is in the package {name} itself: link it under another name");
                return Err(ServiceError::tool(code::EXISTS, message));
            }
            match packages.entry_kind(name.as_str()) {
                Ok(EntryKind::Folder) if !force => {
                    let message = format!("the package {name} is installed: set force to replace it by the link");
                    return Err(ServiceError::tool(code::EXISTS, message));
                }
                Ok(EntryKind::Folder) => self.check_replaceable(&packages, name.as_str())?,
                Ok(EntryKind::File | EntryKind::Other) => {
                    return Err(ServiceError::tool(code::EXISTS, format!("{name} exists and is not a link")));
                }
                Ok(EntryKind::Symlink) | Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(write_error(name.as_str(), error)),
            }
        }
        let mut linked = Vec::new();
        self.edit_links(&packages, MissingFile::Create, |table| {
            for (name, target) in targets {
                // A link inside the AppDir is relative, so that it holds wherever the AppDir is.
                let own = self.grants.app_path().and_then(|app| target.strip_prefix(app).ok());
                let path =
                    own.map_or_else(|| target.clone(), |below| Path::new("..").join(below)).display().to_string();
                let known = table.get(name.as_str()).and_then(|entry| entry.get("path")?.as_str());
                if known != Some(&path) {
                    table.insert(name.as_str(), project_edit::path_item(&path));
                    linked.push(name.to_string());
                }
            }
            !linked.is_empty()
        })?;
        for (name, _) in targets {
            let removed = match packages.entry_kind(name.as_str()) {
                Ok(EntryKind::Folder) if force => packages.remove_tree(name.as_str()),
                // A symbolic link of the original, which the entry in `.links.toml` shadows.
                Ok(EntryKind::Symlink) => packages.remove_file(name.as_str()),
                Ok(EntryKind::Folder | EntryKind::File | EntryKind::Other) | Err(AppDirError::NotFound(_)) => Ok(()),
                Err(error) => Err(error),
            };
            removed.map_err(|error| write_error(name.as_str(), error))?;
        }
        Ok(linked)
    }

    /// Whether a folder is within an installed package, which its link would replace. Links may lead there as well.
    fn is_below_package(&self, name: &PackageName, target: &Path) -> bool {
        let part = self.resolve_link_path(&target.display().to_string());
        let part = part.and_then(|(folder, below)| self.grants.part_in_app(folder, &below));
        let below = Path::new(PACKAGES_DIR).join(name.as_str());
        target.starts_with(self.packages_path().join(name.as_str()))
            || part.is_some_and(|part| Path::new(&part).starts_with(below))
    }

    /// Returns the folder of packages as a project, since its links are edited like a project's variants.
    fn packages_as_project(&self, folder: Folder) -> Project {
        Project { folder, path: self.packages_path() }
    }

    /// Removes a link for every project, and returns whether there was one.
    pub(crate) fn unlink_globally(&self, name: &PackageName) -> Result<bool, ServiceError> {
        if !self.read_links(PACKAGES_DIR, MAX_CONFIG_BYTES)?.contains_key(name.as_str()) {
            return Ok(false);
        }
        let packages = self.create_packages_folder()?;
        self.edit_links(&packages, MissingFile::Ignore, |table| table.remove(name.as_str()).is_some())
    }

    /// Changes the links and returns whether `change` changed anything. The first change moves them from their earlier
    /// place: a process killed in between leaves the old file, which the new one hides.
    fn edit_links(
        &self,
        packages: &Folder,
        missing: MissingFile,
        change: impl FnOnce(&mut toml_edit::Table) -> bool,
    ) -> Result<bool, ServiceError> {
        let project = self.packages_as_project(packages.clone());
        let edit = TableFile { name: LINKS_FILE, previous_name: Some(OLD_LINKS_FILE), missing };
        project_edit::edit_package_table(&project, &edit, change)
    }
}
