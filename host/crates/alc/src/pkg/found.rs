//! All packages that there are, with every place that has one of a name, in order of precedence.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::packages::{LINKS, SOURCE, is_listed, pinned};
use crate::project_files::{self, Entries, REQUIREMENTS, VARIANTS};
use crate::{Alc, Linked, Project, places};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::{MAX_CONFIG_BYTES, MAX_PACKAGES};
use wardroom_base::uri::PackageName;
use wardroom_service::ServiceError;

use super::PACKAGES;

/// A package in one of its places. Its folder is not open: there may be thousands.
pub(crate) struct Found {
    pub(crate) name: PackageName,
    /// `variant`, `project` or `global`.
    pub(crate) scope: &'static str,
    /// `variant`, `local_path`, `linked` or `installed`.
    pub(crate) kind: &'static str,
    /// A folder that was granted, and the package's name below it; nothing for a link that leads nowhere.
    place: Option<(Folder, String)>,
    pub(crate) path: PathBuf,
    /// What it was found in.
    pub(crate) root: PathBuf,
    pub(crate) link: Option<PathBuf>,
    /// Whether it is the one that its name stands for.
    pub(crate) active: bool,
    /// Whether it has no source.
    pub(crate) broken: bool,
}

impl Found {
    pub(crate) fn open(&self) -> Result<Folder, AppDirError> {
        match &self.place {
            Some((folder, below)) if below.is_empty() => Ok(folder.clone()),
            Some((folder, below)) => folder.folder(below),
            None => Err(AppDirError::NotFound(self.name.to_string())),
        }
    }
}

/// A list that is made.
struct Search<'s> {
    alc: &'s Alc,
    found: Vec<Found>,
    warnings: Vec<String>,
}

impl Alc {
    /// Every package, and what could not be looked at.
    pub(crate) fn all_packages(&self, project: Option<&Project>) -> Result<(Vec<Found>, Vec<String>), ServiceError> {
        let mut search = Search { alc: self, found: Vec::new(), warnings: Vec::new() };
        if let Some(project) = project {
            search.project(project);
        }
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name, folder, path } => {
                    let place = Some((folder.clone(), String::new()));
                    search.add(name.clone(), ("global", "linked"), place, path.clone(), path.clone(), None);
                }
                Linked::Packages { folder, path } => search.folder(folder, path, "linked"),
            }
        }
        search.links();
        match self.folders.app.folder(PACKAGES) {
            Ok(folder) => search.folder(&folder, &self.packages_path(), "installed"),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(ServiceError::internal("cannot list packages", error)),
        }
        let Search { mut found, warnings, .. } = search;
        let mut seen = HashSet::new();
        for package in &mut found {
            package.active = !package.broken && seen.insert(package.name.clone());
        }
        Ok((found, warnings))
    }

    pub(crate) fn packages_path(&self) -> PathBuf {
        self.operator.app.as_ref().map_or_else(|| PACKAGES.into(), |app| app.join(PACKAGES))
    }
}

impl Search<'_> {
    fn project(&mut self, project: &Project) {
        let mut read = |file| match project_files::read(&project.folder, file, "packages", MAX_CONFIG_BYTES) {
            Ok(entries) => entries,
            Err(error) => {
                self.warnings.push(error.to_string());
                Entries::new()
            }
        };
        let (variants, requirements) = (read(VARIANTS), read(REQUIREMENTS));
        for (name, entry) in &variants {
            if let Some(path) = &entry.path {
                self.path_entry(project, name, path, ("variant", "variant"));
            }
        }
        for (name, entry) in &requirements {
            if let Some(path) = &entry.path {
                self.path_entry(project, name, path, ("project", "local_path"));
            }
            let Ok(name) = PackageName::parse(name) else { continue };
            if let Some(copy) = pinned(&name, entry) {
                let path = self.alc.operator.app.as_ref().map_or_else(|| copy.clone().into(), |app| app.join(&copy));
                if self.alc.folders.app.stat(&format!("{copy}/{SOURCE}")).is_ok() {
                    let place = Some((self.alc.folders.app.clone(), copy));
                    self.add(name, ("project", "installed"), place, path, self.alc.packages_path(), None);
                }
            }
        }
    }

    /// What is linked for every project, before what has the same name as a folder.
    fn links(&mut self) {
        let links = match self.alc.links(PACKAGES, MAX_CONFIG_BYTES) {
            Ok(links) => links,
            Err(error) => return self.warnings.push(error.to_string()),
        };
        for (name, entry) in links.iter() {
            let (Ok(name), Some(path)) = (PackageName::parse(name), &entry.path) else {
                self.warnings.push(format!("no link of a package in {LINKS}: {}", wardroom_service::shown(name)));
                continue;
            };
            let place = self.alc.link_place(path).map(|(folder, below)| (folder.clone(), below));
            let root = self.alc.packages_path();
            self.add(name.clone(), ("global", "linked"), place, root.join(name.as_str()), root, Some(path.into()));
        }
    }

    fn path_entry(&mut self, project: &Project, name: &str, path: &str, kind: (&'static str, &'static str)) {
        let Ok(name) = PackageName::parse(name) else {
            self.warnings
                .push(format!("a name in the project's files is no package name: {}", wardroom_service::shown(name)));
            return;
        };
        let full = places::tidy(&project.path.join(path));
        let below_project = full.strip_prefix(&project.path).ok().and_then(|below| below.to_str());
        let place = match below_project {
            Some(below) => Some((project.folder.clone(), below.to_owned())),
            None => places::granted(self.alc, &full).map(|(folder, below)| (folder.clone(), below)),
        };
        if place.is_none() {
            self.warnings.push(format!("{} package {name} lies outside the project and every mount", kind.0));
        }
        self.add(name, kind, place, full, project.path.clone(), None);
    }

    fn folder(&mut self, folder: &Folder, root: &std::path::Path, kind: &'static str) {
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
            let Some(name) = PackageName::parse(&entry.name).ok().filter(|_| is_listed(folder, &entry.name)) else {
                continue;
            };
            let path = root.join(&entry.name);
            match entry.kind {
                // Beside packages there may be anything in a folder of somebody's own.
                EntryKind::Folder if kind == "linked" && folder.stat(&format!("{name}/{SOURCE}")).is_err() => {}
                EntryKind::Folder => {
                    let place = Some((folder.clone(), entry.name));
                    self.add(name, ("global", kind), place, path, root.into(), None);
                }
                EntryKind::Link => {
                    let link = folder.link_text(&entry.name).ok();
                    let place = self.link(folder, &entry.name, link.as_deref());
                    self.add(name, ("global", "linked"), place, path, root.into(), link);
                }
                EntryKind::File | EntryKind::Other => {}
            }
        }
    }

    /// What a link in a folder of packages leads to.
    fn link(&self, folder: &Folder, name: &str, text: Option<&std::path::Path>) -> Option<(Folder, String)> {
        if folder.folder(name).is_ok() {
            return Some((folder.clone(), name.to_owned()));
        }
        // From `packages/` itself a link to elsewhere in the AppDir leads outside, from the AppDir it does not.
        let below = format!("{PACKAGES}/{name}");
        if self.alc.folders.app.folder(&below).is_ok() {
            return Some((self.alc.folders.app.clone(), below));
        }
        places::granted(self.alc, text?).map(|(folder, below)| (folder.clone(), below))
    }

    fn add(
        &mut self,
        name: PackageName,
        (scope, kind): (&'static str, &'static str),
        place: Option<(Folder, String)>,
        path: PathBuf,
        root: PathBuf,
        link: Option<PathBuf>,
    ) {
        if self.found.len() >= MAX_PACKAGES {
            return;
        }
        let mut found = Found { name, scope, kind, place, path, root, link, active: false, broken: false };
        found.broken = found.open().and_then(|folder| folder.stat(SOURCE)).is_err();
        self.found.push(found);
    }
}
