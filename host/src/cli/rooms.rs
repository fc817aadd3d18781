//! Building the server: settings become open folders, and open folders become services.
//!
//! Owns: the one list of services.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use super::report::{self, Failure, Warning};
use super::settings::{LocatedBy, Settings};
use crate::appdir::{Access, AppDirError, Folder, LineIndexes, ambient};
use crate::config::MountKind;
use crate::confine::{Grants, Use};
use crate::mcp::Identity;
use crate::sandbox::{Image, Sandbox};
use crate::services::alc::{Alc, AlcFolders, Linked, Project};
use crate::services::resources::Resources;
use crate::services::{Catalogue, Service};
use crate::uri::PackageName;

/// Every service that there is, by the name that the configuration knows it under.
const SERVICES: [(&str, Build); 2] =
    [("alc", |parts| Ok(Box::new(alc(parts)?))), ("resources", |_| Ok(Box::new(Resources)))];

type Build = fn(&Parts<'_>) -> Result<Box<dyn Service>, Failure>;

/// What services are built from.
struct Parts<'s> {
    settings: &'s Settings,
    app: Folder,
    sandbox: Arc<Sandbox>,
    warn: Warn<'s>,
    /// What services are given beside the AppDir.
    beside: RefCell<Vec<(Folder, Use)>>,
}

/// The services, and the folders that they work with.
pub(super) struct Rooms {
    pub(super) catalogue: Arc<Catalogue>,
    app: Folder,
    beside: Vec<(Folder, Use)>,
}

/// Told of what is done without.
type Warn<'w> = &'w dyn Fn(Warning);

/// The services that the settings ask for, over the folders that they name.
pub(super) fn catalogue(settings: &Settings) -> Result<Arc<Catalogue>, Failure> {
    Ok(open(settings)?.catalogue)
}

/// The same, with the folders.
pub(super) fn open(settings: &Settings) -> Result<Rooms, Failure> {
    build(settings, &|warning| report::warning(&warning))
}

/// The same, where somebody else says what is done without.
pub(super) fn build(settings: &Settings, warn: Warn) -> Result<Rooms, Failure> {
    let chosen = settings.services.as_ref();
    let known = |name: &String| SERVICES.iter().any(|(known, _)| known == name);
    if let Some(unknown) = chosen.and_then(|names| names.iter().find(|name| !known(name))) {
        return Err(Failure::new(format!("unknown service: {unknown}"))
            .hint(format!("the services are: {}", SERVICES.map(|(name, _)| name).join(", "))));
    }
    let sandbox = Arc::new(Sandbox::new(Image::embedded()));
    let parts = Parts { settings, app: app_dir(settings)?, sandbox, warn, beside: RefCell::default() };
    let offered = SERVICES.iter().filter(|(name, _)| chosen.is_none_or(|names| names.iter().any(|n| n == name)));
    let catalogue = Catalogue::new(offered.map(|(_, build)| build(&parts)).collect::<Result<_, _>>()?);
    Ok(Rooms { catalogue: Arc::new(catalogue), app: parts.app, beside: parts.beside.into_inner() })
}

impl Rooms {
    /// What is left to a confined server: the AppDir to read, in it the folders that services write, and what they were
    /// given beside it. A folder that is not there yet is made, since nothing can be granted below it afterwards.
    pub(super) fn grants(&self) -> Grants {
        let mut grants = Grants::default();
        grants.add(&self.app, Use::Read);
        for name in self.catalogue.writes() {
            let opened = match self.app.folder(name) {
                Err(AppDirError::NotFound(_)) if !self.app.is_read_only() => self.app.create_folder(name),
                opened => opened,
            };
            match opened {
                Ok(folder) => grants.add(&folder, Use::Write),
                Err(error) => tracing::debug!(%error, "a folder that cannot be written"),
            }
        }
        self.beside.iter().for_each(|(folder, most)| grants.add(folder, *most));
        grants
    }
}

pub(super) fn identity(settings: &Settings, catalogue: &Catalogue) -> Identity {
    let server = &settings.config.server;
    Identity {
        name: server.name.clone().unwrap_or_else(|| "wardroom".to_owned()),
        version: server.version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        instructions: server.instructions.clone().unwrap_or_else(|| catalogue.instructions()),
    }
}

/// Opens the AppDir. Only the platform's own place is created unasked; a path that somebody typed may be a slip.
pub(super) fn app_dir(settings: &Settings) -> Result<Folder, Failure> {
    let path = &settings.app_dir.path;
    let opened = match ambient::open(path, access(settings)) {
        Err(AppDirError::NotFound(_)) if settings.app_dir.by == LocatedBy::Platform && !settings.read_only => {
            ambient::create(path)
        }
        opened => opened,
    };
    opened.map_err(|error| {
        Failure::of("cannot open the AppDir", error).hint(format!("{} init creates it", settings.command()))
    })
}

fn alc(parts: &Parts<'_>) -> Result<Alc, Failure> {
    let Parts { settings, app, sandbox, warn, beside } = parts;
    // A cache that cannot be there is done without.
    let cache = app.create_folder("cache/lines").ok();
    let logs = logs(settings, warn);
    let project = match &settings.project {
        Some(path) => project(path)?,
        None => None,
    };
    let linked = linked(settings, warn)?;
    let mut beside = beside.borrow_mut();
    beside.extend(logs.iter().map(|folder| (folder.clone(), Use::Write)));
    // Where alc.toml and its like are edited. The kernel knows no rule for files of these names alone.
    beside.extend(project.iter().map(|project| (project.folder.clone(), Use::Edit)));
    beside.extend(
        linked
            .iter()
            .map(|(Linked::Package { folder, .. } | Linked::Packages { folder, .. })| (folder.clone(), Use::Write)),
    );
    drop(beside);
    let folders = AlcFolders { app: app.clone(), logs, project, linked };
    Ok(Alc::new(folders, Arc::clone(sandbox), LineIndexes::new(cache)).offering(settings.config.alc))
}

fn project(path: &Path) -> Result<Option<Project>, Failure> {
    let failed = |error| Failure::of("cannot open the project", error).hint("say which with --project DIR");
    let path = ambient::canonical(path).map_err(failed)?;
    let folder = ambient::open(&path, Access::ReadOnly).map_err(failed)?;
    Ok(Some(Project { folder, path }))
}

/// The transcripts are of use without it, those in the AppDir.
fn logs(settings: &Settings, warn: Warn) -> Option<Folder> {
    let opened = ambient::open(settings.log_dir.as_deref()?, access(settings));
    let missing = |error| Warning {
        what: "ALC_LOG_DIR",
        detail: format!("is not there, skipped: {error}"),
        hint: "create that folder, or unset the variable: without it transcripts are those in the AppDir".to_owned(),
    };
    opened.map_err(|error| warn(missing(error))).ok()
}

/// What is granted beside the AppDir and cannot be had.
pub(super) fn warnings(settings: &Settings) -> Result<Vec<Warning>, Failure> {
    let warnings = RefCell::new(Vec::new());
    let warn = |warning| warnings.borrow_mut().push(warning);
    logs(settings, &warn);
    linked(settings, &warn)?;
    Ok(warnings.into_inner())
}

fn linked(settings: &Settings, warn: Warn) -> Result<Vec<Linked>, Failure> {
    let mut linked = Vec::new();
    for (name, mount) in &settings.config.mounts {
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        let folder = match ambient::open(&mount.path, access) {
            Ok(folder) => folder,
            // The rest of the server is of use without it.
            Err(error) => {
                warn(Warning {
                    what: "mount",
                    detail: format!("{name} is not there, skipped: {error}"),
                    hint: format!("{} mount remove {name}", settings.command()),
                });
                continue;
            }
        };
        let path = ambient::canonical(&mount.path).unwrap_or_else(|_| mount.path.clone());
        match (mount.kind, PackageName::parse(name)) {
            (MountKind::Package, Ok(name)) => linked.push(Linked::Package { name, folder, path }),
            (MountKind::Packages, _) | (MountKind::Package, Err(_)) => linked.push(Linked::Packages { folder, path }),
        }
    }
    // As the original: what is no folder at the start is not looked at again.
    for root in settings.package_roots.iter().filter(|root| ambient::is_dir(root)) {
        let opened = ambient::open(root, Access::ReadOnly);
        let folder = opened.map_err(|error| Failure::of("cannot open ALC_PACKAGES_PATH", error))?;
        linked.push(Linked::Packages { folder, path: ambient::canonical(root).unwrap_or_else(|_| root.clone()) });
    }
    Ok(linked)
}

fn access(settings: &Settings) -> Access {
    if settings.read_only { Access::ReadOnly } else { Access::ReadWrite }
}
