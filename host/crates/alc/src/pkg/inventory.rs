//! All packages that there are, with every place that has one of a name, in order of precedence.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::limits::{MAX_CONFIG_BYTES, MAX_PACKAGES};
use crate::package_lookup::{LINKS_FILE, SOURCE_FILE, is_listed_package, pinned_copy_path};
use crate::project_files::{self, PackageTable, REQUIREMENTS_FILE, VARIANTS_FILE};
use crate::{Alc, PackageMount, Project, grants};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::PackageName;
use wardroom_service::ServiceError;

use super::PACKAGES_DIR;

/// A package in one of its places. Its folder is not open: there may be thousands.
pub(crate) struct PackageLocation {
    pub(crate) name: PackageName,
    /// `variant`, `project` or `global`.
    pub(crate) scope: &'static str,
    /// `variant`, `local_path`, `linked` or `installed`.
    pub(crate) kind: &'static str,
    /// A folder that was granted, and the package's name below it; nothing for a link that leads nowhere.
    folder_path: Option<(Folder, String)>,
    pub(crate) path: PathBuf,
    /// What it was found in.
    pub(crate) root: PathBuf,
    pub(crate) link: Option<PathBuf>,
    /// Whether it is the one that its name stands for.
    pub(crate) is_active: bool,
    /// Whether it has no source.
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

/// A list that is made.
struct InventoryBuilder<'s> {
    alc: &'s Alc,
    locations: Vec<PackageLocation>,
    warnings: Vec<String>,
}

impl Alc {
    /// Every package, and what could not be looked at.
    pub(crate) fn list_package_locations(
        &self,
        project: Option<&Project>,
    ) -> Result<(Vec<PackageLocation>, Vec<String>), ServiceError> {
        let mut search = InventoryBuilder { alc: self, locations: Vec::new(), warnings: Vec::new() };
        if let Some(project) = project {
            search.add_project(project);
        }
        for linked in &self.folders.package_mounts {
            match linked {
                PackageMount::Single { name, folder, path } => {
                    let place = Some((folder.clone(), String::new()));
                    search.add_location(name.clone(), ("global", "linked"), place, path.clone(), path.clone(), None);
                }
                PackageMount::Collection { folder, path } => search.add_folder(folder, path, "linked"),
            }
        }
        search.add_links();
        match self.folders.app.open_folder(PACKAGES_DIR) {
            Ok(folder) => search.add_folder(&folder, &self.packages_path(), "installed"),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(ServiceError::internal("cannot list packages", error)),
        }
        let InventoryBuilder { locations: mut found, warnings, .. } = search;
        let mut seen = HashSet::new();
        for package in &mut found {
            package.is_active = !package.is_broken && seen.insert(package.name.clone());
        }
        Ok((found, warnings))
    }

    pub(crate) fn packages_path(&self) -> PathBuf {
        self.operator.app_path.as_ref().map_or_else(|| PACKAGES_DIR.into(), |app| app.join(PACKAGES_DIR))
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
                self.add_path_entry(project, name, path, ("variant", "variant"));
            }
        }
        for (name, entry) in &requirements {
            if let Some(path) = &entry.path {
                self.add_path_entry(project, name, path, ("project", "local_path"));
            }
            let Ok(name) = PackageName::parse(name) else { continue };
            if let Some(copy) = pinned_copy_path(&name, entry) {
                let path =
                    self.alc.operator.app_path.as_ref().map_or_else(|| copy.clone().into(), |app| app.join(&copy));
                if self.alc.folders.app.stat(&format!("{copy}/{SOURCE_FILE}")).is_ok() {
                    let place = Some((self.alc.folders.app.clone(), copy));
                    self.add_location(name, ("project", "installed"), place, path, self.alc.packages_path(), None);
                }
            }
        }
    }

    /// What is linked for every project, before what has the same name as a folder.
    fn add_links(&mut self) {
        let links = match self.alc.read_links(PACKAGES_DIR, MAX_CONFIG_BYTES) {
            Ok(links) => links,
            Err(error) => return self.warnings.push(error.to_string()),
        };
        for (name, entry) in links.iter() {
            let (Ok(name), Some(path)) = (PackageName::parse(name), &entry.path) else {
                self.warnings.push(format!(
                    "no link of a package in {LINKS_FILE}: {}",
                    wardroom_service::escape_and_truncate(name)
                ));
                continue;
            };
            let place = self.alc.resolve_link_path(path).map(|(folder, below)| (folder.clone(), below));
            let root = self.alc.packages_path();
            self.add_location(
                name.clone(),
                ("global", "linked"),
                place,
                root.join(name.as_str()),
                root,
                Some(path.into()),
            );
        }
    }

    fn add_path_entry(&mut self, project: &Project, name: &str, path: &str, kind: (&'static str, &'static str)) {
        let Ok(name) = PackageName::parse(name) else {
            self.warnings.push(format!(
                "a name in the project's files is no package name: {}",
                wardroom_service::escape_and_truncate(name)
            ));
            return;
        };
        let full = grants::normalize(&project.path.join(path));
        let below_project = full.strip_prefix(&project.path).ok().and_then(|below| below.to_str());
        let place = match below_project {
            Some(below) => Some((project.folder.clone(), below.to_owned())),
            None => grants::find_granted_folder(self.alc, &full).map(|(folder, below)| (folder.clone(), below)),
        };
        if place.is_none() {
            self.warnings.push(format!("{} package {name} lies outside the project and every mount", kind.0));
        }
        self.add_location(name, kind, place, full, project.path.clone(), None);
    }

    fn add_folder(&mut self, folder: &Folder, root: &std::path::Path, kind: &'static str) {
        let entries = match folder.entries(MAX_PACKAGES) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!(%error, "folder of packages skipped");
                self.warnings.push("a folder of packages cannot be listed".to_owned());
                return;
            }
        };
        if entries.len() >= MAX_PACKAGES {
            self.warnings
                .push(format!("a folder of packages has more than {MAX_PACKAGES} names: not all are looked at"));
        }
        for entry in entries {
            let Some(name) = PackageName::parse(&entry.name).ok().filter(|_| is_listed_package(folder, &entry.name))
            else {
                continue;
            };
            let path = root.join(&entry.name);
            match entry.kind {
                // Beside packages there may be anything in a folder of somebody's own.
                EntryKind::Folder if kind == "linked" && folder.stat(&format!("{name}/{SOURCE_FILE}")).is_err() => {}
                EntryKind::Folder => {
                    let place = Some((folder.clone(), entry.name));
                    self.add_location(name, ("global", kind), place, path, root.into(), None);
                }
                EntryKind::Symlink => {
                    let link = folder.read_link(&entry.name).ok();
                    let place = self.resolve_link(folder, &entry.name, link.as_deref());
                    self.add_location(name, ("global", "linked"), place, path, root.into(), link);
                }
                EntryKind::File | EntryKind::Other => {}
            }
        }
    }

    /// What a link in a folder of packages leads to.
    fn resolve_link(&self, folder: &Folder, name: &str, text: Option<&std::path::Path>) -> Option<(Folder, String)> {
        if folder.open_folder(name).is_ok() {
            return Some((folder.clone(), name.to_owned()));
        }
        // From `packages/` itself a link to elsewhere in the AppDir leads outside, from the AppDir it does not.
        let below = format!("{PACKAGES_DIR}/{name}");
        if self.alc.folders.app.open_folder(&below).is_ok() {
            return Some((self.alc.folders.app.clone(), below));
        }
        grants::find_granted_folder(self.alc, text?).map(|(folder, below)| (folder.clone(), below))
    }

    fn add_location(
        &mut self,
        name: PackageName,
        (scope, kind): (&'static str, &'static str),
        place: Option<(Folder, String)>,
        path: PathBuf,
        root: PathBuf,
        link: Option<PathBuf>,
    ) {
        if self.locations.len() >= MAX_PACKAGES {
            return;
        }
        let mut found = PackageLocation {
            name,
            scope,
            kind,
            folder_path: place,
            path,
            root,
            link,
            is_active: false,
            is_broken: false,
        };
        found.is_broken = found.open_folder().and_then(|folder| folder.stat(SOURCE_FILE)).is_err();
        self.locations.push(found);
    }
}
