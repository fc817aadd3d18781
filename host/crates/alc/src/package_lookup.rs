//! Finds a package: among the project's variants and its own packages, the operator's mounts, or in the AppDir.
//!
//! Owns: the precedence of these locations.
//! Never: follows a link or a path out of the granted folders.

use std::path::PathBuf;
use std::sync::Arc;

use super::project_files::{PackageEntry, PackageTable, REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{Alc, ReadRequest, grants};
use crate::limits::{MAX_CONFIG_BYTES, MAX_INLINE_CARD_BYTES, MAX_NARRATIVE_BYTES};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::PackageName;
use wardroom_net::limits::MAX_SOURCE_BYTES;
use wardroom_service::limits::MAX_INLINE_READ_BYTES;
use wardroom_service::{ResourceContent, ServiceError, mime};

/// The links for every project, below `packages/`, in the format of `alc.local.toml`. They are in a file because a
/// confined server cannot create links. An entry shadows a directory of the same name, so that linking is atomic.
pub(super) const LINKS_FILE: &str = "links.toml";
/// The file that makes a folder a package.
pub(super) const SOURCE_FILE: &str = "init.lua";
pub(super) const NARRATIVE_FILE: &str = "narrative.md";

/// A mount of packages that the operator granted besides the AppDir.
pub enum PackageMount {
    /// One package under a name of its own.
    Single { name: PackageName, folder: Folder, path: PathBuf },
    /// A folder of packages.
    Collection { folder: Folder, path: PathBuf },
}

impl Alc {
    pub(super) fn read_package_source(
        &self,
        name: &PackageName,
        request: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_package_file(name, (SOURCE_FILE, mime::LUA, MAX_SOURCE_BYTES), request)
    }

    pub(super) fn read_package_narrative(
        &self,
        name: &PackageName,
        request: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_package_file(name, (NARRATIVE_FILE, mime::MARKDOWN, MAX_NARRATIVE_BYTES), request)
    }

    /// Reads a text file of a package, given its name, its MIME type and its size limit in bytes.
    fn read_package_file(
        &self,
        name: &PackageName,
        (file, mime_type, limit): (&str, &'static str, u64),
        request: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_in_package(name, request, |folder| {
            let read = folder.read_text(file, request.context.read_limit(MAX_INLINE_READ_BYTES, limit));
            let (text, modified) = read.map_err(|error| ServiceError::from_read_error(request.uri, error))?;
            Ok(ResourceContent::new(mime_type, text, modified))
        })
    }

    /// Reads in a package's folder. A folder that is replaced meanwhile loses its files, so the read is retried in the
    /// new folder.
    pub(super) fn read_in_package<T>(
        &self,
        name: &PackageName,
        request: &ReadRequest,
        read: impl Fn(&Folder) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        const MAX_READ_ATTEMPTS: usize = 3;
        let mut folder = self.open_package(name, request)?;
        for _ in 1..MAX_READ_ATTEMPTS {
            match read(&folder) {
                Err(ServiceError::NotFound { .. }) => {}
                done => return done,
            }
            let again = self.open_package(name, request)?;
            let identity = |folder: &Folder| folder.stat_self().ok().map(|stat| stat.file_id);
            if identity(&again) == identity(&folder) {
                break;
            }
            folder = again;
        }
        read(&folder)
    }

    /// Opens the folder of a package. In order of precedence: a variant, the project's own, the version that the
    /// project pins, a mount, the AppDir.
    pub(super) fn open_package(&self, name: &PackageName, request: &ReadRequest) -> Result<Folder, ServiceError> {
        let uri = request.uri;
        if let Some(own) = self.open_project_package(name, request)? {
            return Ok(own);
        }
        for mount in &self.folders.package_mounts {
            match mount {
                PackageMount::Single { name: mounted, folder, .. } if mounted == name => return Ok(folder.clone()),
                PackageMount::Single { .. } => {}
                PackageMount::Collection { folder, .. } => match folder.open_folder(name.as_str()) {
                    Ok(folder) => return Ok(folder),
                    Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(ServiceError::from_read_error(uri, error)),
                },
            }
        }
        // A malformed links file could have shadowed any package, so it is an error for all.
        self.read_links(uri, request.context.read_limit(MAX_INLINE_CARD_BYTES, MAX_CONFIG_BYTES))?;
        self.open_installed_package(name).map_err(|error| ServiceError::from_read_error(uri, error))
    }

    /// Opens a package of the AppDir. A link there may lead into any granted folder.
    pub(super) fn open_installed_package(&self, name: &PackageName) -> Result<Folder, AppDirError> {
        let at = format!("packages/{name}");
        let links = self.read_links("packages", MAX_CONFIG_BYTES).map_err(|error| AppDirError::Io {
            name: LINKS_FILE.to_owned(),
            source: std::io::Error::other(error.to_string()),
        })?;
        if let Some(path) = links.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            let (folder, below) = self.resolve_link_path(path).ok_or(AppDirError::OutsideRoot(at))?;
            return if below.is_empty() { Ok(folder.clone()) } else { folder.open_folder(&below) };
        }
        match self.folders.app.open_folder(&at) {
            Err(escapes @ AppDirError::OutsideRoot(_)) => {
                let text = self.folders.app.read_link(&at).map_err(|_| AppDirError::OutsideRoot(at))?;
                let (folder, below) = grants::find_granted_folder(self, &text).ok_or(escapes)?;
                if below.is_empty() { Ok(folder.clone()) } else { folder.open_folder(&below) }
            }
            opened => opened,
        }
    }

    /// Returns the names of all packages, unordered and possibly repeated. Each scanned name takes one from `budget`.
    pub(super) fn list_package_names(&self, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
        let listed = |error| ServiceError::internal("cannot list packages", error);
        let mut names: Vec<String> = self.read_variants("packages", MAX_CONFIG_BYTES)?.keys().cloned().collect();
        names.extend(self.read_links("packages", MAX_CONFIG_BYTES)?.keys().cloned());
        let own = self.read_requirements("packages", MAX_CONFIG_BYTES)?;
        names.extend(own.iter().filter(|(_, entry)| entry.path.is_some()).map(|(name, _)| name.clone()));
        let mut add_folder = |folder: Result<Folder, AppDirError>| match folder
            .and_then(|folder| Ok((folder.entries_with_budget(budget)?, folder)))
        {
            Ok((entries, folder)) => {
                let folders = entries.into_iter().filter(|e| matches!(e.kind, EntryKind::Folder | EntryKind::Symlink));
                names.extend(folders.map(|entry| entry.name).filter(|name| is_listed_package(&folder, name)));
                Ok(())
            }
            Err(AppDirError::NotFound(_)) => Ok(()),
            Err(error) => Err(listed(error)),
        };
        add_folder(self.folders.app.open_folder("packages"))?;
        let mut single = Vec::new();
        for mount in &self.folders.package_mounts {
            match mount {
                PackageMount::Single { name, .. } => single.push(name.to_string()),
                PackageMount::Collection { folder, .. } => add_folder(Ok(folder.clone()))?,
            }
        }
        names.extend(single);
        Ok(names)
    }

    /// Returns the packages that are linked for every project.
    pub(super) fn read_links(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        self.links_cache.read(&self.folders.app, &format!("packages/{LINKS_FILE}"), uri, limit)
    }

    /// Returns the target of a link of [`LINKS_FILE`], if it lies in a granted folder.
    pub(super) fn resolve_link_path(&self, path: &str) -> Option<(&Folder, String)> {
        grants::find_granted_folder(self, &self.packages_path().join(path))
    }

    fn open_project_package(&self, name: &PackageName, request: &ReadRequest) -> Result<Option<Folder>, ServiceError> {
        for (root, below) in self.project_package_paths(name, request)? {
            match if below.is_empty() { Ok(root.clone()) } else { root.open_folder(&below) } {
                Ok(folder) => return Ok(Some(folder)),
                Err(AppDirError::NotFound(_)) => {
                    tracing::debug!(package = %name, "the project's package is missing, skipped");
                }
                Err(error) => return Err(ServiceError::from_read_error(request.uri, error)),
            }
        }
        Ok(None)
    }

    /// Returns the paths that the project's files give for a package, in order of precedence: each below a granted
    /// folder, whether or not it exists.
    pub(super) fn project_package_paths(
        &self,
        name: &PackageName,
        request: &ReadRequest,
    ) -> Result<Vec<(&Folder, String)>, ServiceError> {
        if self.folders.project.is_none() {
            return Ok(Vec::new());
        }
        let limit = request.context.read_limit(MAX_INLINE_CARD_BYTES, MAX_CONFIG_BYTES);
        let variants = self.read_variants(request.uri, limit)?;
        let mut found = Vec::new();
        if let Some(path) = variants.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            found.push(self.resolve_project_path(path, &format!("variant package {name}"))?);
        }
        let requirements = self.read_requirements(request.uri, limit)?;
        let Some(entry) = requirements.get(name.as_str()) else { return Ok(found) };
        if let Some(path) = &entry.path {
            found.push(self.resolve_project_path(path, &format!("package {name} of {REQUIREMENTS_FILE}"))?);
        }
        if let Some(copy) = pinned_copy_path(name, entry) {
            found.push((&self.folders.app, copy));
        }
        Ok(found)
    }

    /// Resolves a path in one of the project's files to a granted folder.
    pub(super) fn resolve_project_path(&self, path: &str, what: &str) -> Result<(&Folder, String), ServiceError> {
        let outside = || ServiceError::Internal {
            public_message: format!("{what} is outside the project and every mount"),
            cause: None,
        };
        let project = self.folders.project.as_ref().ok_or_else(outside)?;
        grants::find_granted_folder(self, &project.path.join(path)).ok_or_else(outside)
    }

    /// Returns the table `packages` of the project's `alc.local.toml`.
    pub(super) fn read_variants(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.variants_cache.read(&project.folder, VARIANTS_FILE, uri, limit)
    }

    /// Returns the table `packages` of the project's `alc.toml`.
    pub(super) fn read_requirements(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.requirements_cache.read(&project.folder, REQUIREMENTS_FILE, uri, limit)
    }
}

/// Returns whether a name in a folder of packages is listed: hidden names are not, and names like `_docs` only with an
/// `init.lua`.
pub(super) fn is_listed_package(folder: &Folder, name: &str) -> bool {
    match name.as_bytes().first() {
        Some(b'.') => false,
        Some(b'_') => folder.stat(&format!("{name}/{SOURCE_FILE}")).is_ok(),
        _ => true,
    }
}

/// Returns the path, below the AppDir, of the copy of the version that a project pins.
pub(super) fn pinned_copy_path(name: &PackageName, entry: &PackageEntry) -> Option<String> {
    Some(format!("packages/{name}@{}", entry.pinned_version()?))
}
