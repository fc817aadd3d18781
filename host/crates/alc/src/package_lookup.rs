//! Where a package is: among the project's variants and its own, what the operator linked, or the AppDir.
//!
//! Owns: the order of those places.
//! Never: follows a link or a path out of a folder that was granted.

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

/// The packages that are linked for every project, below `packages/`, in the form of `alc.local.toml`. A file, since a
/// confined server makes no links. It says where a package is before its folder does: so one takes the other's place in
/// one step.
pub(super) const LINKS_FILE: &str = "links.toml";
/// The file that makes a folder a package.
pub(super) const SOURCE_FILE: &str = "init.lua";
pub(super) const NARRATIVE_FILE: &str = "narrative.md";

/// What the operator granted beside the AppDir.
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
        ask: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_package_file(name, (SOURCE_FILE, mime::LUA, MAX_SOURCE_BYTES), ask)
    }

    pub(super) fn read_package_narrative(
        &self,
        name: &PackageName,
        ask: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_package_file(name, (NARRATIVE_FILE, mime::MARKDOWN, MAX_NARRATIVE_BYTES), ask)
    }

    /// A text file of a package, by its name, its type and how long it may be.
    fn read_package_file(
        &self,
        name: &PackageName,
        (file, mime_type, limit): (&str, &'static str, u64),
        ask: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        self.read_in_package(name, ask, |folder| {
            let read = folder.read_text(file, ask.context.read_limit(MAX_INLINE_READ_BYTES, limit));
            let (text, modified) = read.map_err(|error| ServiceError::from_read_error(ask.uri, error))?;
            Ok(ResourceContent::new(mime_type, text, modified))
        })
    }

    /// Reads something in a package's folder. A folder that another one took the place of meanwhile loses its files:
    /// then it is the new one that counts.
    pub(super) fn read_in_package<T>(
        &self,
        name: &PackageName,
        ask: &ReadRequest,
        read: impl Fn(&Folder) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        const MAX_READ_ATTEMPTS: usize = 3;
        let mut folder = self.open_package(name, ask)?;
        for _ in 1..MAX_READ_ATTEMPTS {
            match read(&folder) {
                Err(ServiceError::NotFound { .. }) => {}
                done => return done,
            }
            let again = self.open_package(name, ask)?;
            let identity = |folder: &Folder| folder.stat_self().ok().map(|stat| stat.file_id);
            if identity(&again) == identity(&folder) {
                break;
            }
            folder = again;
        }
        read(&folder)
    }

    /// The folder of a package: a variant before the project's own, before the version that the project asks for, before
    /// what was linked, before the AppDir.
    pub(super) fn open_package(&self, name: &PackageName, ask: &ReadRequest) -> Result<Folder, ServiceError> {
        let uri = ask.uri;
        if let Some(own) = self.open_project_package(name, ask)? {
            return Ok(own);
        }
        for linked in &self.folders.package_mounts {
            match linked {
                PackageMount::Single { name: linked, folder, .. } if linked == name => return Ok(folder.clone()),
                PackageMount::Single { .. } => {}
                PackageMount::Collection { folder, .. } => match folder.open_folder(name.as_str()) {
                    Ok(folder) => return Ok(folder),
                    Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(ServiceError::from_read_error(uri, error)),
                },
            }
        }
        // One that is not understood could say anything of any package.
        self.read_links(uri, ask.context.read_limit(MAX_INLINE_CARD_BYTES, MAX_CONFIG_BYTES))?;
        self.open_installed_package(name).map_err(|error| ServiceError::from_read_error(uri, error))
    }

    /// The folder of a package in the AppDir. A link there may lead to anything that was granted.
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

    /// The package names there are, in no order and perhaps twice; `left` goes down with each that is looked at.
    pub(super) fn list_package_names(&self, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        let listed = |error| ServiceError::internal("cannot list packages", error);
        let mut names: Vec<String> = self.read_variants("packages", MAX_CONFIG_BYTES)?.keys().cloned().collect();
        names.extend(self.read_links("packages", MAX_CONFIG_BYTES)?.keys().cloned());
        let own = self.read_requirements("packages", MAX_CONFIG_BYTES)?;
        names.extend(own.iter().filter(|(_, entry)| entry.path.is_some()).map(|(name, _)| name.clone()));
        let mut add_folder = |folder: Result<Folder, AppDirError>| match folder
            .and_then(|folder| Ok((folder.entries_with_budget(left)?, folder)))
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
        for linked in &self.folders.package_mounts {
            match linked {
                PackageMount::Single { name, .. } => single.push(name.to_string()),
                PackageMount::Collection { folder, .. } => add_folder(Ok(folder.clone()))?,
            }
        }
        names.extend(single);
        Ok(names)
    }

    /// The packages that are linked for every project.
    pub(super) fn read_links(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        self.links_cache.read(&self.folders.app, &format!("packages/{LINKS_FILE}"), uri, limit)
    }

    /// Where a link of [`LINKS`] leads, if that was granted.
    pub(super) fn resolve_link_path(&self, path: &str) -> Option<(&Folder, String)> {
        grants::find_granted_folder(self, &self.packages_path().join(path))
    }

    fn open_project_package(&self, name: &PackageName, ask: &ReadRequest) -> Result<Option<Folder>, ServiceError> {
        for (root, below) in self.project_package_paths(name, ask)? {
            match if below.is_empty() { Ok(root.clone()) } else { root.open_folder(&below) } {
                Ok(folder) => return Ok(Some(folder)),
                Err(AppDirError::NotFound(_)) => {
                    tracing::debug!(package = %name, "the project's is not there, skipped");
                }
                Err(error) => return Err(ServiceError::from_read_error(ask.uri, error)),
            }
        }
        Ok(None)
    }

    /// Where the project says that a package is, in order: each below a folder that was granted, there or not.
    pub(super) fn project_package_paths(
        &self,
        name: &PackageName,
        ask: &ReadRequest,
    ) -> Result<Vec<(&Folder, String)>, ServiceError> {
        if self.folders.project.is_none() {
            return Ok(Vec::new());
        }
        let limit = ask.context.read_limit(MAX_INLINE_CARD_BYTES, MAX_CONFIG_BYTES);
        let variants = self.read_variants(ask.uri, limit)?;
        let mut found = Vec::new();
        if let Some(path) = variants.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            found.push(self.resolve_project_path(path, &format!("variant package {name}"))?);
        }
        let requirements = self.read_requirements(ask.uri, limit)?;
        let Some(entry) = requirements.get(name.as_str()) else { return Ok(found) };
        if let Some(path) = &entry.path {
            found.push(self.resolve_project_path(path, &format!("package {name} of {REQUIREMENTS_FILE}"))?);
        }
        if let Some(copy) = pinned_copy_path(name, entry) {
            found.push((&self.folders.app, copy));
        }
        Ok(found)
    }

    /// What a path in one of the project's files leads to.
    pub(super) fn resolve_project_path(&self, path: &str, what: &str) -> Result<(&Folder, String), ServiceError> {
        let outside = || ServiceError::Internal {
            public_message: format!("{what} lies outside the project and every mount"),
            cause: None,
        };
        let project = self.folders.project.as_ref().ok_or_else(outside)?;
        grants::find_granted_folder(self, &project.path.join(path)).ok_or_else(outside)
    }

    /// The table `packages` of the project's `alc.local.toml`.
    pub(super) fn read_variants(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.variants_cache.read(&project.folder, VARIANTS_FILE, uri, limit)
    }

    /// The same of its `alc.toml`.
    pub(super) fn read_requirements(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.requirements_cache.read(&project.folder, REQUIREMENTS_FILE, uri, limit)
    }
}

/// Whether a name in a folder of packages is listed as one: none that is hidden, nor `_docs` and its like.
pub(super) fn is_listed_package(folder: &Folder, name: &str) -> bool {
    match name.as_bytes().first() {
        Some(b'.') => false,
        Some(b'_') => folder.stat(&format!("{name}/{SOURCE_FILE}")).is_ok(),
        _ => true,
    }
}

/// The copy of the one version that a project asks for, below the AppDir.
pub(super) fn pinned_copy_path(name: &PackageName, entry: &PackageEntry) -> Option<String> {
    Some(format!("packages/{name}@{}", entry.pinned_version()?))
}
