//! The packages of Lua strategies: those of the AppDir, of the project and of the operator's mounts.
//!
//! Owns: `packages/` with `installed.json`, `hub_registries.json` and `.links.toml`, and the cached metadata.
//! Gives: a package's files and its metadata, the list of packages, and the installation of a tree.
//! Never: runs a package, or follows a link or a path out of the granted folders.

mod dependencies;
pub(crate) mod inputs;
mod inventory;
mod links;
mod lookup;
mod manifest;
mod metadata;
pub(crate) mod project_edit;
pub(crate) mod project_files;
mod sorted_names;
mod tree;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

use self::inputs::CodeInputsCache;
pub(crate) use self::inventory::{LocationKind, PackageLocation, PackageScope};
pub(crate) use self::lookup::{LINKS_FILE, NARRATIVE_FILE, OLD_LINKS_FILE, SOURCE_FILE};
pub use self::manifest::PackageOrigin;
pub(crate) use self::manifest::{InstallManifest, MANIFEST_FILE, REGISTRIES_FILE};
use self::metadata::MetadataCache;
use self::project_files::PackageTableCache;
use self::sorted_names::SortedNames;
pub use self::tree::ImportMode;
pub(crate) use self::tree::{find_packages_in, install_budget, is_package, not_recorded};
use crate::error_code as code;
use crate::grants::PathGrants;
use crate::reserved_names::{is_reserved_card_package, is_reserved_package};
use crate::storage_error::write_error;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::uri::PackageName;
use wardroom_sandbox::Sandbox;
use wardroom_service::{ServiceError, escape_and_truncate};

/// The folder of installed packages, below the AppDir.
pub(crate) const PACKAGES_DIR: &str = "packages";
/// The lock of the files `alc.toml`, `alc.local.toml`, `alc.lock` and `.links.toml` in their folder.
pub(crate) const INSTALL_LOCK_FILE: &str = ".alc-install.lock";

/// The packages that this service can see.
pub struct PackageStore {
    app: Folder,
    grants: Arc<PathGrants>,
    sandbox: Arc<Sandbox>,
    metadata_cache: MetadataCache,
    inputs_cache: CodeInputsCache,
    variants_cache: PackageTableCache,
    requirements_cache: PackageTableCache,
    links_cache: PackageTableCache,
    sorted_names: SortedNames,
    /// Whether there was a file [`OLD_LINKS_FILE`] when the store was created.
    has_old_links: bool,
}

impl PackageStore {
    /// Creates the store of the AppDir `app`. The sandbox extracts the metadata.
    #[must_use]
    pub fn new(app: Folder, grants: Arc<PathGrants>, sandbox: Arc<Sandbox>) -> Self {
        let old_links = app.stat(&format!("{PACKAGES_DIR}/{OLD_LINKS_FILE}"));
        Self {
            has_old_links: old_links.is_ok(),
            app,
            grants,
            sandbox,
            metadata_cache: MetadataCache::default(),
            inputs_cache: CodeInputsCache::default(),
            variants_cache: PackageTableCache::default(),
            requirements_cache: PackageTableCache::default(),
            links_cache: PackageTableCache::default(),
            sorted_names: SortedNames::default(),
        }
    }

    /// Returns the AppDir.
    pub(crate) const fn app(&self) -> &Folder {
        &self.app
    }

    /// Returns the granted folders in which packages are found.
    pub(crate) fn grants(&self) -> &PathGrants {
        &self.grants
    }

    /// Returns the path of the folder of installed packages, for display and for links.
    pub(crate) fn packages_path(&self) -> PathBuf {
        self.grants.app_path().map_or_else(|| PACKAGES_DIR.into(), |app| app.join(PACKAGES_DIR))
    }

    /// Opens the folder of installed packages, which need not exist.
    pub(crate) fn open_packages_folder(&self) -> Result<Folder, AppDirError> {
        self.app.open_folder(PACKAGES_DIR)
    }

    /// Opens the folder of installed packages, creates it if it is missing, and sweeps staged trees that killed installers left in it.
    pub(crate) fn create_packages_folder(&self) -> Result<Folder, ServiceError> {
        let folder = self.app.create_folder(PACKAGES_DIR).map_err(|error| write_error(PACKAGES_DIR, error))?;
        if let Err(error) = folder.sweep_staged_trees(STALE_TEMP_FILE_AGE) {
            tracing::warn!(%error, "cannot remove leftovers of an installer");
        }
        Ok(folder)
    }
}

/// Checks a name under which something is to be written below `packages/`.
pub(crate) fn check_new_name(name: &str) -> Result<(), ServiceError> {
    // The cards of a package are in a folder of its name below `cards/`.
    if is_reserved_package(name) || is_reserved_card_package(name) {
        let message = format!("{name} cannot be the name of a package: this server has a file of this name");
        return Err(ServiceError::tool(code::INVALID_NAME, message));
    }
    Ok(())
}

/// Parses a package's name given by a caller.
pub(crate) fn parse_package_name(name: &str) -> Result<PackageName, ServiceError> {
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

pub(crate) fn now_rfc3339() -> String {
    DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true)
}
