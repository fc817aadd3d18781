//! The inventory of packages: every location of each name, in order of precedence.

use std::collections::HashSet;
use std::path::PathBuf;

use super::lookup::{LINKS_FILE, SOURCE_FILE, is_listed, pinned_copy_path};
use super::project_files::{self, PackageTable, REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{PACKAGES_DIR, PackageStore};
use crate::grants::{PackageMount, Project, normalize};
use crate::limits::{MAX_CONFIG_BYTES, MAX_PACKAGES};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::PackageName;
use wardroom_service::ServiceError;

/// For which projects a location counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageScope {
    Variant,
    Project,
    Global,
}

/// How a package came to its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocationKind {
    Variant,
    LocalPath,
    Linked,
    Installed,
}

impl PackageScope {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

impl LocationKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::LocalPath => "local_path",
            Self::Linked => "linked",
            Self::Installed => "installed",
        }
    }
}

/// One location of a package. Its folder is not open: there may be thousands.
pub(crate) struct PackageLocation {
    pub(crate) name: PackageName,
    pub(crate) scope: PackageScope,
    pub(crate) kind: LocationKind,
    /// A granted folder, and the package's path below it; `None` if the location is in no granted folder.
    folder_path: Option<(Folder, String)>,
    pub(crate) path: PathBuf,
    /// The folder it was found in.
    pub(crate) root: PathBuf,
    pub(crate) link: Option<PathBuf>,
    /// Whether its name resolves to this location.
    pub(crate) is_active: bool,
    /// Whether it has no `init.lua`.
    pub(crate) is_broken: bool,
}

impl PackageLocation {
    pub(crate) fn open_folder(&self) -> Result<Folder, AppDirError> {
        match &self.folder_path {
            Some((folder, below)) if below.is_empty() => Ok(folder.clone()),
            Some((folder, below)) => folder.open_folder(below),
            None => Err(AppDirError::NotFound(self.name.to_string())),
        }
    }
}

/// Collects the locations of packages.
struct InventoryBuilder<'s> {
    store: &'s PackageStore,
    locations: Vec<PackageLocation>,
    warnings: Vec<String>,
    /// Whether there are more locations than [`MAX_PACKAGES`].
    is_cut: bool,
}

impl PackageStore {
    /// Returns every location of every package, and warnings for those that could not be scanned.
    pub(crate) fn list_package_locations(
        &self,
        project: Option<&Project>,
    ) -> Result<(Vec<PackageLocation>, Vec<String>), ServiceError> {
        let mut builder = InventoryBuilder { store: self, locations: Vec::new(), warnings: Vec::new(), is_cut: false };
        if let Some(project) = project {
            builder.add_project(project);
        }
        for mount in self.grants.package_mounts() {
            match mount {
                PackageMount::Single { name, folder, path } => {
                    let folder_path = Some((folder.clone(), String::new()));
                    builder.add_location(
                        name.clone(),
                        (PackageScope::Global, LocationKind::Linked),
                        folder_path,
                        path.clone(),
                        path.clone(),
                        None,
                    );
                }
                PackageMount::Collection { folder, path } => builder.add_folder(folder, path, LocationKind::Linked),
            }
        }
        builder.add_links();
        match self.app.open_folder(PACKAGES_DIR) {
            Ok(folder) => builder.add_folder(&folder, &self.packages_path(), LocationKind::Installed),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(ServiceError::from_list_error("packages", error)),
        }
        let InventoryBuilder { locations: mut found, mut warnings, is_cut, .. } = builder;
        if is_cut {
            warnings.push(format!("there are more than {MAX_PACKAGES} packages: the others are left out"));
        }
        let mut seen = HashSet::new();
        for package in &mut found {
            package.is_active = !package.is_broken && seen.insert(package.name.clone());
        }
        Ok((found, warnings))
    }
}

impl InventoryBuilder<'_> {
    fn add_project(&mut self, project: &Project) {
        let mut read =
            |file| match project_files::read_package_table(&project.folder, file, "packages", MAX_CONFIG_BYTES) {
                Ok(entries) => entries,
                Err(error) => {
                    self.warnings.push(error.to_string());
                    PackageTable::new()
                }
            };
        let (variants, requirements) = (read(VARIANTS_FILE), read(REQUIREMENTS_FILE));
        for (name, entry) in &variants {
            if let Some(path) = &entry.path {
                self.add_path_entry(project, name, path, (PackageScope::Variant, LocationKind::Variant));
            }
        }
        for (name, entry) in &requirements {
            if let Some(path) = &entry.path {
                self.add_path_entry(project, name, path, (PackageScope::Project, LocationKind::LocalPath));
            }
            let Ok(name) = PackageName::parse(name) else { continue };
            if let Some(copy) = pinned_copy_path(&name, entry) {
                let path = self.store.grants.app_path().map_or_else(|| copy.clone().into(), |app| app.join(&copy));
                if self.store.app.stat(&format!("{copy}/{SOURCE_FILE}")).is_ok() {
                    let folder_path = Some((self.store.app.clone(), copy));
                    self.add_location(
                        name,
                        (PackageScope::Project, LocationKind::Installed),
                        folder_path,
                        path,
                        self.store.packages_path(),
                        None,
                    );
                }
            }
        }
    }

    /// Adds the links for every project, which precede folders of the same names.
    fn add_links(&mut self) {
        let links = match self.store.read_links(PACKAGES_DIR, MAX_CONFIG_BYTES) {
            Ok(links) => links,
            Err(error) => return self.warnings.push(error.to_string()),
        };
        for (name, entry) in links.iter() {
            let (Ok(name), Some(path)) = (PackageName::parse(name), &entry.path) else {
                self.warnings.push(format!(
                    "{LINKS_FILE} has an invalid link of a package: {}",
                    wardroom_service::escape_and_truncate(name)
                ));
                continue;
            };
            let folder_path = self.store.resolve_link_path(path).map(|(folder, below)| (folder.clone(), below));
            let root = self.store.packages_path();
            self.add_location(
                name.clone(),
                (PackageScope::Global, LocationKind::Linked),
                folder_path,
                root.join(name.as_str()),
                root,
                Some(path.into()),
            );
        }
    }

    fn add_path_entry(&mut self, project: &Project, name: &str, path: &str, kind: (PackageScope, LocationKind)) {
        let Ok(name) = PackageName::parse(name) else {
            self.warnings.push(format!(
                "a name in the project's files is not a package name: {}",
                wardroom_service::escape_and_truncate(name)
            ));
            return;
        };
        let full = normalize(&project.path.join(path));
        let below_project = full.strip_prefix(&project.path).ok().and_then(|below| below.to_str());
        let folder_path = match below_project {
            Some(below) => Some((project.folder.clone(), below.to_owned())),
            None => self.store.grants.find_granted_folder(&full).map(|(folder, below)| (folder.clone(), below)),
        };
        if folder_path.is_none() {
            self.warnings.push(format!("{} package {name} is outside the project and every mount", kind.0.as_str()));
        }
        self.add_location(name, kind, folder_path, full, project.path.clone(), None);
    }

    fn add_folder(&mut self, folder: &Folder, root: &std::path::Path, kind: LocationKind) {
        let entries = match folder.entries(MAX_PACKAGES) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!(%error, "cannot list a folder of packages, skipped");
                self.warnings.push("a folder of packages cannot be listed".to_owned());
                return;
            }
        };
        if entries.len() >= MAX_PACKAGES {
            self.warnings.push(format!("a folder of packages has more than {MAX_PACKAGES} names: some are left out"));
        }
        let declared = self.store.grants.declared_folders();
        for entry in entries {
            if !matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink) {
                continue;
            }
            let name = match PackageName::parse(&entry.name) {
                Ok(name) if is_listed(&declared, folder, &entry.name) => name,
                // A version that a project pins has an `@`.
                Err(error)
                    if !entry.name.starts_with('.')
                        && !entry.name.contains('@')
                        && folder.stat(&format!("{}/{SOURCE_FILE}", entry.name)).is_ok() =>
                {
                    let name = wardroom_service::escape_and_truncate(&entry.name);
                    self.warnings.push(format!("the package {name} is left out, rename it: {error}"));
                    continue;
                }
                Ok(_) | Err(_) => continue,
            };
            let path = root.join(&entry.name);
            match entry.kind {
                // A folder of the operator's own may hold other things than packages.
                EntryKind::Folder
                    if kind == LocationKind::Linked && folder.stat(&format!("{name}/{SOURCE_FILE}")).is_err() => {}
                EntryKind::Folder => {
                    let folder_path = Some((folder.clone(), entry.name));
                    self.add_location(name, (PackageScope::Global, kind), folder_path, path, root.into(), None);
                }
                EntryKind::Symlink => {
                    let link = folder.read_link(&entry.name).ok();
                    let folder_path = match kind {
                        LocationKind::Installed => self.resolve_link(folder, &entry.name, link.as_deref()),
                        // Of a folder of the operator's own, nothing else is granted.
                        LocationKind::Variant | LocationKind::LocalPath | LocationKind::Linked => {
                            folder.open_folder(&entry.name).ok().map(|_| (folder.clone(), entry.name))
                        }
                    };
                    self.add_location(
                        name,
                        (PackageScope::Global, LocationKind::Linked),
                        folder_path,
                        path,
                        root.into(),
                        link,
                    );
                }
                EntryKind::File | EntryKind::Other => {}
            }
        }
    }

    /// Resolves a link in the AppDir's folder of packages to a granted folder.
    fn resolve_link(&self, folder: &Folder, name: &str, text: Option<&std::path::Path>) -> Option<(Folder, String)> {
        if folder.open_folder(name).is_ok() {
            return Some((folder.clone(), name.to_owned()));
        }
        // A link to elsewhere in the AppDir leads out of `packages/`, but not out of the AppDir.
        let below = format!("{PACKAGES_DIR}/{name}");
        if self.store.app.open_folder(&below).is_ok() {
            return Some((self.store.app.clone(), below));
        }
        self.store.grants.find_granted_folder(text?).map(|(folder, below)| (folder.clone(), below))
    }

    fn add_location(
        &mut self,
        name: PackageName,
        (scope, kind): (PackageScope, LocationKind),
        folder_path: Option<(Folder, String)>,
        path: PathBuf,
        root: PathBuf,
        link: Option<PathBuf>,
    ) {
        if self.locations.len() >= MAX_PACKAGES {
            self.is_cut = true;
            return;
        }
        let mut found =
            PackageLocation { name, scope, kind, folder_path, path, root, link, is_active: false, is_broken: false };
        found.is_broken = found.open_folder().and_then(|folder| folder.stat(SOURCE_FILE)).is_err();
        self.locations.push(found);
    }
}
