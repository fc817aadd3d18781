//! Imports the whole tree of a package into the AppDir.
//!
//! Owns: which entries of a folder are packages, and the atomic publication of a package.
//! Never: runs a package.

use super::lookup::SOURCE_FILE;
use super::{PACKAGES_DIR, PackageStore, check_new_name};
use crate::error_code as code;
use crate::grants::Grant;
use crate::limits::MAX_CONFIG_BYTES;
use crate::storage_error::write_error;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder, OutsideLink, PublishMode, TreeBudget, TreeError};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::uri::PackageName;
use wardroom_net::limits::{MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES};
use wardroom_service::{ServiceError, escape_and_truncate};

pub(crate) const fn install_budget() -> TreeBudget {
    TreeBudget { entries: MAX_INSTALL_ENTRIES, bytes: MAX_INSTALL_BYTES, max_depth: MAX_INSTALL_DEPTH }
}

/// Returns whether a folder is itself a package.
pub(crate) fn is_package(folder: &Folder) -> bool {
    folder.stat(SOURCE_FILE).is_ok()
}

/// Returns the names of the packages in a folder, and those of links, which are not followed.
pub(crate) fn find_packages_in(folder: &Folder) -> Result<(Vec<PackageName>, Vec<String>), ServiceError> {
    let listed = |error| ServiceError::from_list_error("the folder", error);
    let (mut names, mut links) = (Vec::new(), Vec::new());
    for entry in folder.entries(MAX_INSTALL_ENTRIES).map_err(listed)? {
        let Some(name) = PackageName::parse(&entry.name).ok().filter(|_| !entry.name.starts_with(['.', '_'])) else {
            continue;
        };
        match entry.kind {
            EntryKind::Folder if folder.open_folder(&entry.name).is_ok_and(|folder| is_package(&folder)) => {
                names.push(name);
            }
            EntryKind::Symlink => links.push(entry.name),
            EntryKind::Folder | EntryKind::File | EntryKind::Other => {}
        }
    }
    Ok((names, links))
}

/// What an import does where there is a folder of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportMode {
    /// Refuses, but for the same tree without a record, which an interrupted installation left.
    New,
    /// Replaces what is recorded as installed, and what is the same. The rest may have been written where it stands.
    ReplaceInstalled,
    Replace,
}

/// Whether two trees have the same files. What cannot be read is not the same.
fn is_same_tree(one: &Folder, other: &Folder) -> bool {
    let (Ok(entries), Ok(others)) = (one.entries(MAX_INSTALL_ENTRIES), other.entries(MAX_INSTALL_ENTRIES)) else {
        return false;
    };
    entries.len() == others.len()
        && entries.iter().zip(&others).all(|(entry, beside)| {
            let name = entry.name.as_str();
            let is_same = || match entry.kind {
                EntryKind::Folder => one
                    .open_folder(name)
                    .is_ok_and(|one| other.open_folder(name).is_ok_and(|other| is_same_tree(&one, &other))),
                EntryKind::File => {
                    let read = |folder: &Folder| folder.read(name, MAX_INSTALL_BYTES).map(|content| content.bytes);
                    read(one).is_ok_and(|bytes| read(other).is_ok_and(|others| bytes == others))
                }
                EntryKind::Symlink | EntryKind::Other => false,
            };
            name == beside.name && entry.kind == beside.kind && is_same()
        })
}

impl PackageStore {
    /// Checks that no folder of another service is a package, or in one, that is replaced or removed.
    ///
    /// # Errors
    /// `PROTECTED`.
    pub(crate) fn check_replaceable(&self, packages: &Folder, name: &str) -> Result<(), ServiceError> {
        self.grants().check_below(packages, "", name, Grant::Write)?;
        match packages.open_folder(name) {
            Ok(folder) if self.grants().contains_protected(&folder) => {
                let message = format!("{name} contains data of this server: move that away first");
                Err(ServiceError::tool(code::PROTECTED, message))
            }
            _ => Ok(()),
        }
    }

    /// Imports the tree `from` into `packages/` as `name`, which may include a version.
    pub(crate) fn import_tree(
        &self,
        from: &Folder,
        name: &str,
        mode: ImportMode,
        budget: &mut TreeBudget,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), ServiceError> {
        check_new_name(name)?;
        let packages = self.create_packages_folder()?;
        let linked = || ServiceError::tool(code::LINKED, format!("{name} is a link: unlink it first (alc_pkg_unlink)"));
        if self.read_links(PACKAGES_DIR, MAX_CONFIG_BYTES)?.contains_key(name) {
            return Err(linked());
        }
        match packages.entry_kind(name) {
            Ok(EntryKind::Symlink) => return Err(linked()),
            Ok(EntryKind::File | EntryKind::Other) => {
                return Err(ServiceError::tool(code::NOT_A_PACKAGE, format!("{name} exists and is not a folder")));
            }
            Ok(EntryKind::Folder) | Err(_) => self.check_replaceable(&packages, name)?,
        }
        // Two packages whose names differ in case only are one package on some systems.
        let clash = |other: &str| other != name && other.eq_ignore_ascii_case(name);
        let entries = packages.entries(MAX_NAMES_SCANNED).map_err(|error| write_error(PACKAGES_DIR, error))?;
        if let Some(other) = entries.iter().find(|entry| clash(&entry.name)) {
            let message = format!("{name} and the existing {} differ only in case", escape_and_truncate(&other.name));
            return Err(ServiceError::tool(code::SAME_NAME, message));
        }
        let staged = packages.stage_tree(name).map_err(|error| write_error(name, error))?;
        staged.copy_from(from, budget, OutsideLink::Refuse, stopped).map_err(|error| copy_error(name, error))?;
        if !is_package(staged.folder()) {
            return Err(ServiceError::tool(code::NOT_A_PACKAGE, format!("{name} has no {SOURCE_FILE}")));
        }
        if mode == ImportMode::ReplaceInstalled
            && let Ok(standing) = packages.open_folder(name)
            && !self.read_install_manifest()?.packages.contains_key(name)
            && !is_same_tree(staged.folder(), &standing)
        {
            return Err(not_recorded(name));
        }
        // What an installation that was interrupted left without a record.
        if mode == ImportMode::New
            && let Ok(standing) = packages.open_folder(name)
            && !self.read_install_manifest()?.packages.contains_key(name)
            && is_same_tree(staged.folder(), &standing)
        {
            return Ok(());
        }
        let how = if mode == ImportMode::New { PublishMode::New } else { PublishMode::Replace };
        staged.publish(how).map_err(|error| match error {
            AppDirError::AlreadyExists(_) => {
                let message = format!("Package '{name}' already exists. Remove it first.");
                ServiceError::tool(code::EXISTS, message)
            }
            error => write_error(name, error),
        })
    }
}

/// Returns the error for a package that would be lost, though nothing records where it came from.
pub(crate) fn not_recorded(name: &str) -> ServiceError {
    let message = format!("{PACKAGES_DIR}/{name} has no record of an installation: it may be the only copy");
    ServiceError::tool(code::NOT_REPLACED, message)
}

/// Returns the error for a refused tree. A client may read the names in the tree, which are its own.
fn copy_error(name: &str, error: TreeError) -> ServiceError {
    let code = match &error {
        TreeError::TooManyEntries | TreeError::TooLarge | TreeError::TooDeep(_) => code::TOO_LARGE,
        TreeError::LinkOutside(_) => code::LEAVES_TREE,
        TreeError::LinkCycle(_) | TreeError::SpecialFile(_) | TreeError::NotUtf8(_) | TreeError::CaseConflict(_) => {
            code::REFUSED
        }
        TreeError::AppDir(AppDirError::OutsideRoot(_)) => code::LEAVES_TREE,
        TreeError::AppDir(_) => {
            let TreeError::AppDir(error) = error else {
                return ServiceError::tool(code::REFUSED, "the tree was refused");
            };
            return write_error(name, error);
        }
    };
    let bounds = match &error {
        TreeError::TooManyEntries => format!(" (the limit is {MAX_INSTALL_ENTRIES} entries)"),
        TreeError::TooLarge => format!(" (the limit is {})", ByteSize(MAX_INSTALL_BYTES)),
        TreeError::TooDeep(_) => format!(" (the limit is {MAX_INSTALL_DEPTH} levels)"),
        _ => String::new(),
    };
    let message = match &error {
        TreeError::AppDir(_) => format!("{name} is not installed: a link in it leads outside"),
        error => format!("{name} is not installed: {}{bounds}", escape_and_truncate(&error.to_string())),
    };
    ServiceError::tool(code, message)
}
