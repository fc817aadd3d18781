//! Where a package is: among the project's variants and its own, what the operator linked, or the AppDir.
//!
//! Owns: the order of those places.
//! Never: follows a link or a path out of a folder that was granted.

use std::path::PathBuf;
use std::sync::Arc;

use super::project_files::{Entries, Entry, REQUIREMENTS, VARIANTS};
use super::{Alc, Ask, places};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::{LIGHT_BYTES, LIGHT_CARD_BYTES, MAX_CONFIG_BYTES, MAX_NARRATIVE_BYTES, MAX_SOURCE_BYTES};
use wardroom_base::uri::PackageName;
use wardroom_service::{Content, ServiceError, mime};

/// The packages that are linked for every project, below `packages/`, in the form of `alc.local.toml`. A file, since a
/// confined server makes no links. It says where a package is before its folder does: so one takes the other's place in
/// one step.
pub(super) const LINKS: &str = "links.toml";
/// The file that makes a folder a package.
pub(super) const SOURCE: &str = "init.lua";
pub(super) const NARRATIVE: &str = "narrative.md";

/// What the operator granted beside the AppDir.
pub enum Linked {
    /// One package under a name of its own.
    Package { name: PackageName, folder: Folder, path: PathBuf },
    /// A folder of packages.
    Packages { folder: Folder, path: PathBuf },
}

impl Alc {
    pub(super) fn package_source(&self, name: &PackageName, ask: &Ask) -> Result<Content, ServiceError> {
        self.package_file(name, (SOURCE, mime::LUA, MAX_SOURCE_BYTES), ask)
    }

    pub(super) fn package_narrative(&self, name: &PackageName, ask: &Ask) -> Result<Content, ServiceError> {
        self.package_file(name, (NARRATIVE, mime::MARKDOWN, MAX_NARRATIVE_BYTES), ask)
    }

    /// A text file of a package, by its name, its type and how long it may be.
    fn package_file(
        &self,
        name: &PackageName,
        (file, mime_type, limit): (&str, &'static str, u64),
        ask: &Ask,
    ) -> Result<Content, ServiceError> {
        self.in_package(name, ask, |folder| {
            let read = folder.read_text(file, ask.context.at_most(LIGHT_BYTES, limit));
            let (text, modified) = read.map_err(|error| ServiceError::reading(ask.uri, error))?;
            Ok(Content::new(mime_type, text, modified))
        })
    }

    /// Reads something in a package's folder. A folder that another one took the place of meanwhile loses its files:
    /// then it is the new one that counts.
    pub(super) fn in_package<T>(
        &self,
        name: &PackageName,
        ask: &Ask,
        read: impl Fn(&Folder) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        const ATTEMPTS: usize = 3;
        let mut folder = self.package(name, ask)?;
        for _ in 1..ATTEMPTS {
            match read(&folder) {
                Err(ServiceError::NotFound { .. }) => {}
                done => return done,
            }
            let again = self.package(name, ask)?;
            let identity = |folder: &Folder| folder.own_stat().ok().map(|stat| stat.identity);
            if identity(&again) == identity(&folder) {
                break;
            }
            folder = again;
        }
        read(&folder)
    }

    /// The folder of a package: a variant before the project's own, before the version that the project asks for, before
    /// what was linked, before the AppDir.
    pub(super) fn package(&self, name: &PackageName, ask: &Ask) -> Result<Folder, ServiceError> {
        let uri = ask.uri;
        if let Some(own) = self.of_project(name, ask)? {
            return Ok(own);
        }
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name: linked, folder, .. } if linked == name => return Ok(folder.clone()),
                Linked::Package { .. } => {}
                Linked::Packages { folder, .. } => match folder.folder(name.as_str()) {
                    Ok(folder) => return Ok(folder),
                    Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(ServiceError::reading(uri, error)),
                },
            }
        }
        // One that is not understood could say anything of any package.
        self.links(uri, ask.context.at_most(LIGHT_CARD_BYTES, MAX_CONFIG_BYTES))?;
        self.installed(name).map_err(|error| ServiceError::reading(uri, error))
    }

    /// The folder of a package in the AppDir. A link there may lead to anything that was granted.
    pub(super) fn installed(&self, name: &PackageName) -> Result<Folder, AppDirError> {
        let at = format!("packages/{name}");
        let links = self.links("packages", MAX_CONFIG_BYTES).map_err(|error| AppDirError::Io {
            name: LINKS.to_owned(),
            source: std::io::Error::other(error.to_string()),
        })?;
        if let Some(path) = links.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            let (folder, below) = self.link_place(path).ok_or(AppDirError::Escapes(at))?;
            return if below.is_empty() { Ok(folder.clone()) } else { folder.folder(&below) };
        }
        match self.folders.app.folder(&at) {
            Err(escapes @ AppDirError::Escapes(_)) => {
                let text = self.folders.app.link_text(&at).map_err(|_| AppDirError::Escapes(at))?;
                let (folder, below) = places::granted(self, &text).ok_or(escapes)?;
                if below.is_empty() { Ok(folder.clone()) } else { folder.folder(&below) }
            }
            opened => opened,
        }
    }

    /// The package names there are, in no order and perhaps twice; `left` goes down with each that is looked at.
    pub(super) fn package_names(&self, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        let listed = |error| ServiceError::internal("cannot list packages", error);
        let mut names: Vec<String> = self.variants("packages", MAX_CONFIG_BYTES)?.keys().cloned().collect();
        names.extend(self.links("packages", MAX_CONFIG_BYTES)?.keys().cloned());
        let own = self.requirements("packages", MAX_CONFIG_BYTES)?;
        names.extend(own.iter().filter(|(_, entry)| entry.path.is_some()).map(|(name, _)| name.clone()));
        let mut add_folder = |folder: Result<Folder, AppDirError>| match folder
            .and_then(|folder| Ok((folder.entries_within(left)?, folder)))
        {
            Ok((entries, folder)) => {
                let folders = entries.into_iter().filter(|e| matches!(e.kind, EntryKind::Folder | EntryKind::Link));
                names.extend(folders.map(|entry| entry.name).filter(|name| is_listed(&folder, name)));
                Ok(())
            }
            Err(AppDirError::NotFound(_)) => Ok(()),
            Err(error) => Err(listed(error)),
        };
        add_folder(self.folders.app.folder("packages"))?;
        let mut single = Vec::new();
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name, .. } => single.push(name.to_string()),
                Linked::Packages { folder, .. } => add_folder(Ok(folder.clone()))?,
            }
        }
        names.extend(single);
        Ok(names)
    }

    /// The packages that are linked for every project.
    pub(super) fn links(&self, uri: &str, limit: u64) -> Result<Arc<Entries>, ServiceError> {
        self.links.read(&self.folders.app, &format!("packages/{LINKS}"), uri, limit)
    }

    /// Where a link of [`LINKS`] leads, if that was granted.
    pub(super) fn link_place(&self, path: &str) -> Option<(&Folder, String)> {
        places::granted(self, &self.packages_path().join(path))
    }

    fn of_project(&self, name: &PackageName, ask: &Ask) -> Result<Option<Folder>, ServiceError> {
        for (root, below) in self.project_places(name, ask)? {
            match if below.is_empty() { Ok(root.clone()) } else { root.folder(&below) } {
                Ok(folder) => return Ok(Some(folder)),
                Err(AppDirError::NotFound(_)) => {
                    tracing::debug!(package = %name, "the project's is not there, skipped");
                }
                Err(error) => return Err(ServiceError::reading(ask.uri, error)),
            }
        }
        Ok(None)
    }

    /// Where the project says that a package is, in order: each below a folder that was granted, there or not.
    pub(super) fn project_places(&self, name: &PackageName, ask: &Ask) -> Result<Vec<(&Folder, String)>, ServiceError> {
        if self.folders.project.is_none() {
            return Ok(Vec::new());
        }
        let limit = ask.context.at_most(LIGHT_CARD_BYTES, MAX_CONFIG_BYTES);
        let variants = self.variants(ask.uri, limit)?;
        let mut found = Vec::new();
        if let Some(path) = variants.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            found.push(self.project_place(path, &format!("variant package {name}"))?);
        }
        let requirements = self.requirements(ask.uri, limit)?;
        let Some(entry) = requirements.get(name.as_str()) else { return Ok(found) };
        if let Some(path) = &entry.path {
            found.push(self.project_place(path, &format!("package {name} of {REQUIREMENTS}"))?);
        }
        if let Some(copy) = pinned(name, entry) {
            found.push((&self.folders.app, copy));
        }
        Ok(found)
    }

    /// What a path in one of the project's files leads to.
    pub(super) fn project_place(&self, path: &str, what: &str) -> Result<(&Folder, String), ServiceError> {
        let outside = || ServiceError::Internal {
            public: format!("{what} lies outside the project and every mount"),
            cause: None,
        };
        let project = self.folders.project.as_ref().ok_or_else(outside)?;
        places::granted(self, &project.path.join(path)).ok_or_else(outside)
    }

    /// The table `packages` of the project's `alc.local.toml`.
    pub(super) fn variants(&self, uri: &str, limit: u64) -> Result<Arc<Entries>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.variants.read(&project.folder, VARIANTS, uri, limit)
    }

    /// The same of its `alc.toml`.
    pub(super) fn requirements(&self, uri: &str, limit: u64) -> Result<Arc<Entries>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        self.requirements.read(&project.folder, REQUIREMENTS, uri, limit)
    }
}

/// Whether a name in a folder of packages is listed as one: none that is hidden, nor `_docs` and its like.
pub(super) fn is_listed(folder: &Folder, name: &str) -> bool {
    match name.as_bytes().first() {
        Some(b'.') => false,
        Some(b'_') => folder.stat(&format!("{name}/{SOURCE}")).is_ok(),
        _ => true,
    }
}

/// The copy of the one version that a project asks for, below the AppDir.
pub(super) fn pinned(name: &PackageName, entry: &Entry) -> Option<String> {
    Some(format!("packages/{name}@{}", entry.pin()?))
}
