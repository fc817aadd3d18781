//! The service `alc`: the folders that strategies, cards and transcripts are found in, and where copies go.
//!
//! Never: opens a folder that the operator did not name.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings::Settings;
use super::{Parts, Warn, access, app_dir, missing_mount};
use crate::report::{self, Failure, Warning};
use wardroom_alc::{Alc, AlcFolders, Linked, Operator, Project, Sink};
use wardroom_appdir::{Access, Folder, LineIndexes, ambient};
use wardroom_base::uri::PackageName;
use wardroom_config::MountKind;
use wardroom_process::confine::Use;

pub(crate) fn build(parts: &Parts<'_>) -> Result<Alc, Failure> {
    let Parts { settings, app, sandbox, pool, helpers, warn, beside, .. } = parts;
    // A cache that cannot be there is done without.
    let cache = app.create_folder("cache/lines").ok();
    let logs = logs(settings, warn);
    let project = match &settings.project {
        Some(path) => project(path, access(settings))?,
        None => None,
    };
    let linked = linked(settings, warn)?;
    let mut beside = beside.borrow_mut();
    beside.extend(logs.iter().map(|folder| (folder.clone(), Use::Write)));
    // Where alc.toml and its like are edited, and what is generated is put. The kernel knows no rule for files of certain
    // names alone.
    beside.extend(project.iter().map(|project| (project.folder.clone(), Use::Edit)));
    beside.extend(
        linked
            .iter()
            .map(|(Linked::Package { folder, .. } | Linked::Packages { folder, .. })| (folder.clone(), Use::Write)),
    );
    let files = files(settings);
    beside.extend(files.iter().map(|(folder, _)| (folder.clone(), Use::Write)));
    drop(beside);
    let sinks = sinks(settings, app, &linked, warn);
    let folders = AlcFolders { app: app.clone(), logs, project, linked };
    let operator = Operator {
        app: ambient::canonical(&settings.app_dir.path).ok(),
        aliases: aliases(settings),
        command: settings.configured_command(),
        network: settings.config.network.clone(),
    };
    let alc = Alc::new(folders, Arc::clone(sandbox), LineIndexes::new(cache)).mirroring(sinks);
    let alc = alc.offering(settings.config.alc).operated(operator).reaching(files).keeping_logs(settings.keeps_logs);
    let git = helpers.borrow_mut().git.take();
    let http = helpers.borrow().http.clone();
    let alc = alc.fetching(git, http.filter(|_| settings.config.network.hub));
    Ok(match pool.as_ref().filter(|_| !settings.read_only) {
        Some(pool) => alc.running(Arc::clone(pool), settings.runs.clone()),
        None => alc,
    })
}

/// The folders that were granted, where the operator wrote another path than the system's own: through a link.
fn aliases(settings: &Settings) -> Vec<(PathBuf, PathBuf)> {
    let mounts = settings.config.mounts.values().map(|mount| &mount.path);
    let given =
        [&settings.app_dir.path].into_iter().chain(&settings.project).chain(mounts).chain(&settings.package_roots);
    let absolute = given.filter(|given| given.is_absolute());
    let paired = absolute.filter_map(|given| Some((given.clone(), ambient::canonical(given).ok()?)));
    paired.filter(|(given, own)| given != own).collect()
}

/// The service alone, for a command that asks it for more than a client may.
pub(crate) fn packages(settings: &Settings) -> Result<Alc, Failure> {
    build(&Parts::alone(settings, &|warning| report::warning(&warning))?)
}

/// The AppDir's path as the operator gave it, and as the system knows it.
fn app_paths(settings: &Settings) -> Vec<PathBuf> {
    let given = &settings.app_dir.path;
    let canonical = ambient::canonical(given).ok();
    let given = Some(given.clone()).filter(|given| given.is_absolute() && canonical.as_ref() != Some(given));
    canonical.into_iter().chain(given).collect()
}

/// The folders that get a copy of each card. The environment cannot grant a folder: one that lies in no mount is left out.
fn sinks(settings: &Settings, app: &Folder, linked: &[Linked], warn: Warn) -> Vec<Sink> {
    let mut sinks = Vec::new();
    if settings.read_only {
        return sinks;
    }
    for uri in &settings.card_sinks {
        match sink(settings, uri, app, linked) {
            Ok(folder) => sinks.push(Sink { uri: uri.clone(), folder }),
            Err((detail, hint)) => {
                warn(Warning { what: "ALC_CARD_SINKS", detail: format!("{uri} {detail}, skipped"), hint });
            }
        }
    }
    sinks
}

fn sink(settings: &Settings, uri: &str, app: &Folder, linked: &[Linked]) -> Result<Folder, (String, String)> {
    let form = || "name folders as file:///absolute/path, separated by |".to_owned();
    let path = Sink::path(uri).map_err(|reason| (reason.to_owned(), form()))?;
    let path = ambient::canonical(&path).unwrap_or(path);
    let mounts = linked.iter().map(|linked| match linked {
        Linked::Package { folder, path, .. } | Linked::Packages { folder, path } => (folder, path.clone()),
    });
    let own = app_paths(settings).into_iter().map(|path| (app, path));
    let within = own.chain(mounts).filter_map(|(folder, root)| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        Some((root.components().count(), folder, name))
    });
    let grant = || format!("{} mount add NAME '{}'", settings.command(), path.display());
    let (_, folder, name) = within
        .max_by_key(|(depth, ..)| *depth)
        .ok_or_else(|| ("lies in neither the AppDir nor a mount".to_owned(), grant()))?;
    if std::ptr::eq(folder, app) && (name.is_empty() || name == "cards" || name.starts_with("cards/")) {
        return Err(("is where the cards themselves are".to_owned(), "name another folder".to_owned()));
    }
    if folder.is_read_only() {
        return Err(("lies in a folder that was granted read-only".to_owned(), grant()));
    }
    let opened = if name.is_empty() { Ok(folder.clone()) } else { folder.folder(&name) };
    opened.map_err(|error| (format!("is not there: {error}"), format!("make the folder {}", path.display())))
}

fn project(path: &Path, access: Access) -> Result<Option<Project>, Failure> {
    let failed = |error| Failure::of("cannot open the project", error, "say which with --project DIR");
    let path = ambient::canonical(path).map_err(failed)?;
    let folder = ambient::open(&path, access).map_err(failed)?;
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
pub(crate) fn warnings(settings: &Settings) -> Result<Vec<Warning>, Failure> {
    let warnings = RefCell::new(Vec::new());
    let warn = |warning| warnings.borrow_mut().push(warning);
    logs(settings, &warn);
    let linked = linked(settings, &warn)?;
    sinks(settings, &app_dir(settings)?, &linked, &warn);
    Ok(warnings.into_inner())
}

fn linked(settings: &Settings, warn: Warn) -> Result<Vec<Linked>, Failure> {
    let mut linked = Vec::new();
    for (name, mount) in &settings.config.mounts {
        if matches!(mount.kind, MountKind::Files | MountKind::Registry) {
            continue;
        }
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        let folder = match ambient::open(&mount.path, access) {
            Ok(folder) => folder,
            // The rest of the server is of use without it.
            Err(error) => {
                warn(missing_mount(settings, name, &error));
                continue;
            }
        };
        let path = ambient::canonical(&mount.path).unwrap_or_else(|_| mount.path.clone());
        match (mount.kind, PackageName::parse(name)) {
            (MountKind::Package, Ok(name)) => linked.push(Linked::Package { name, folder, path }),
            (_, Ok(_) | Err(_)) => linked.push(Linked::Packages { folder, path }),
        }
    }
    // As the original: what is no folder at the start is not looked at again.
    for root in settings.package_roots.iter().filter(|root| ambient::is_dir(root)) {
        let opened = ambient::open(root, Access::ReadOnly);
        let failed = |error| {
            let hint = format!("take {} out of that variable, or look at its rights", root.display());
            Failure::of("cannot open ALC_PACKAGES_PATH", error, hint)
        };
        let folder = opened.map_err(failed)?;
        linked.push(Linked::Packages { folder, path: ambient::canonical(root).unwrap_or_else(|_| root.clone()) });
    }
    Ok(linked)
}

/// Folders of files. Of one that is not there, the service that handlers find them in tells.
fn files(settings: &Settings) -> Vec<(Folder, PathBuf)> {
    let mounts = settings.config.mounts.values().filter(|mount| mount.kind == MountKind::Files);
    let opened = mounts.filter_map(|mount| {
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        let path = ambient::canonical(&mount.path).unwrap_or_else(|_| mount.path.clone());
        Some((ambient::open(&mount.path, access).ok()?, path))
    });
    opened.collect()
}
