//! The service `alc`: the folders of its packages, cards and transcripts, and the targets of card copies.
//!
//! Never: opens a folder that the operator did not name.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::handler_mounts::configuration_inside;
use super::registry::REGISTRY_DIR;
use super::settings::Settings;
use super::{
    ServiceInputs, WarningSink, app_dir_paths, grant_access, missing_mount_warning, open_app_dir, open_granted,
};
use crate::report::{self, CommandError, CommandWarning};
use wardroom_alc::{
    Alc, AlcFolders, AlcOptions, CardSink, OperatorSettings, PackageMount, Project, ProtectedFolder, Protection,
};
use wardroom_appdir::{Access, Folder, LineIndexCache, ambient};
use wardroom_base::uri::PackageName;
use wardroom_config::{MountKind, WatchMode};
use wardroom_process::confine::FolderRights;

pub(crate) fn build(parts: &ServiceInputs<'_>) -> Result<Alc, CommandError> {
    let ServiceInputs { settings, app, cache, sandbox, pool, helpers, warn, extra_grants, .. } = parts;
    // The service works without this cache.
    let lines = cache.create_folder("lines").ok();
    let logs = open_log_dir(settings, warn);
    let project = match &settings.project {
        Some(path) => open_project(settings, path, grant_access(settings))?,
        None => None,
    };
    let linked = open_package_mounts(settings, warn)?;
    let mut extra_grants = extra_grants.borrow_mut();
    extra_grants.extend(logs.iter().map(|folder| (folder.clone(), FolderRights::Write)));
    // A call edits `alc.toml` and similar files there, and writes generated pages. Landlock cannot restrict access by
    // file name.
    extra_grants.extend(project.iter().map(|project| (project.folder.clone(), FolderRights::Edit)));
    extra_grants.extend(linked.iter().map(
        |(PackageMount::Single { folder, .. } | PackageMount::Collection { folder, .. })| {
            (folder.clone(), FolderRights::Write)
        },
    ));
    warn_of_writable_configuration(settings, project.as_ref(), warn);
    let protected = protected_folders(settings);
    warn_of_hidden_packages(&protected, &linked, warn);
    let files = open_file_mounts(settings);
    extra_grants.extend(files.iter().map(|(folder, _)| (folder.clone(), FolderRights::Write)));
    drop(extra_grants);
    let sinks = card_sinks(settings, app, &linked, warn);
    let folders = AlcFolders { app: app.clone(), logs, project, package_mounts: linked };
    let operator = OperatorSettings {
        app_path: ambient::canonicalize(&settings.app_dir.path).ok(),
        aliases: path_aliases(settings),
        command: settings.command_with_config(),
    };
    let git = helpers.borrow_mut().git.take();
    let http = helpers.borrow().http.clone();
    let pool = pool.as_ref().filter(|_| !settings.read_only);
    let options = AlcOptions {
        cache: Some(cache.clone()),
        watches_folders: settings.config.server.watch == WatchMode::Events,
        config: settings.config.alc,
        operator,
        file_mounts: files,
        protected,
        card_sinks: sinks,
        keeps_transcripts: settings.is_run_logging_enabled,
        runs: pool.map(|pool| (Arc::clone(pool), settings.runs.clone())),
        network: settings.config.network.clone(),
        git,
        http: http.filter(|_| settings.config.network.hub),
    };
    Ok(Alc::with_options(folders, Arc::clone(sandbox), LineIndexCache::new(lines), options))
}

/// Warns where the configuration lies in the project or a mount of packages: a server in other hands would decide what the next one
/// may do. The tools of `alc` write no such file.
fn warn_of_writable_configuration(settings: &Settings, project: Option<&Project>, warn: WarningSink) {
    let is_writable = |kind| matches!(kind, MountKind::Package | MountKind::Packages);
    let mounts = settings.config.mounts.iter().filter(|(_, mount)| is_writable(mount.kind) && !mount.read_only);
    let mounts = mounts.filter_map(|(name, mount)| Some((name.as_str(), ambient::canonicalize(&mount.path).ok()?)));
    let project = project.map(|project| ("the project", project.path.clone()));
    for (name, folder) in project.into_iter().chain(mounts).filter(|_| !settings.read_only) {
        if let Some(place) = configuration_inside(settings, &folder) {
            warn(CommandWarning {
                subject: "configuration",
                detail: format!("this server may write {}, which is in {name}", place.display()),
                hint: "move the configuration out of that folder, and name it with --config".to_owned(),
            });
        }
    }
}

/// Warns where packages lie among declared entries, which are none: not every caller may see those.
fn warn_of_hidden_packages(protected: &[ProtectedFolder], linked: &[PackageMount], warn: WarningSink) {
    let linked = linked.iter().map(|linked| match linked {
        PackageMount::Single { path, .. } | PackageMount::Collection { path, .. } => path,
    });
    for folder in linked {
        let declared = |protected: &&ProtectedFolder| protected.protection == Protection::Declarations;
        if let Some(around) = protected.iter().filter(declared).find(|around| folder.starts_with(&around.path)) {
            warn(CommandWarning {
                subject: "packages",
                detail: format!(
                    "none of {} is listed: it is in the registry {}",
                    folder.display(),
                    around.path.display()
                ),
                hint: "name a folder of declared entries that has no packages in it".to_owned(),
            });
        }
    }
}

/// The folders of other services outside the AppDir: a project or a mount may contain one.
fn protected_folders(settings: &Settings) -> Vec<ProtectedFolder> {
    let registries = settings.config.mounts.values().filter(|mount| mount.kind == MountKind::Registry);
    let registries = registries.map(|mount| &mount.path).chain(&settings.registry);
    // A mount or a project may lead into the AppDir.
    let registries = registries.cloned().chain([settings.app_dir.path.join(REGISTRY_DIR)]);
    let declared = registries.map(|path| (path, Protection::Declarations));
    let found = declared.chain(settings.blog.iter().map(|path| (path.clone(), Protection::Posts)));
    let opened = found.filter_map(|(path, protection)| {
        let folder = open_granted(settings, &path, Access::ReadOnly).ok()?;
        Some(ProtectedFolder { folder, path: ambient::canonicalize(&path).ok()?, protection })
    });
    opened.collect()
}

/// Granted folders whose configured path differs from their canonical path, because it leads through a link.
fn path_aliases(settings: &Settings) -> Vec<(PathBuf, PathBuf)> {
    let mounts = settings.config.mounts.values().map(|mount| &mount.path);
    let given =
        [&settings.app_dir.path].into_iter().chain(&settings.project).chain(mounts).chain(&settings.package_roots);
    let absolute = given.filter(|given| given.is_absolute());
    let paired = absolute.filter_map(|given| Some((given.clone(), ambient::canonicalize(given).ok()?)));
    paired.filter(|(given, own)| given != own).collect()
}

/// Builds this service alone, for a command that may do more than a client.
pub(crate) fn standalone_alc(settings: &Settings) -> Result<Alc, CommandError> {
    build(&ServiceInputs::standalone(settings, &|warning| report::print_warning(&warning))?)
}

/// The folders that get a copy of each card. The environment cannot grant a folder: one outside all mounts is skipped.
fn card_sinks(settings: &Settings, app: &Folder, linked: &[PackageMount], warn: WarningSink) -> Vec<CardSink> {
    let mut sinks = Vec::new();
    if settings.read_only {
        return sinks;
    }
    for uri in &settings.card_sinks {
        match open_card_sink(settings, uri, app, linked) {
            Ok(folder) => sinks.push(CardSink { uri: uri.clone(), folder }),
            Err((detail, hint)) => {
                warn(CommandWarning {
                    subject: "ALC_CARD_SINKS",
                    detail: format!("{uri} is skipped: it {detail}"),
                    hint,
                });
            }
        }
    }
    sinks
}

fn open_card_sink(
    settings: &Settings,
    uri: &str,
    app: &Folder,
    linked: &[PackageMount],
) -> Result<Folder, (String, String)> {
    let form = || "name folders as file:///absolute/path, separated by |".to_owned();
    let path = CardSink::parse_uri(uri).map_err(|reason| (reason.to_owned(), form()))?;
    let path = ambient::canonicalize(&path).unwrap_or(path);
    let mounts = linked.iter().map(|linked| match linked {
        PackageMount::Single { folder, path, .. } | PackageMount::Collection { folder, path } => (folder, path.clone()),
    });
    let own = app_dir_paths(settings).into_iter().map(|path| (app, path));
    let within = own.chain(mounts).filter_map(|(folder, root)| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        Some((root.components().count(), folder, name))
    });
    let grant = || format!("run {} mount add NAME '{}'", settings.command_line(), path.display());
    let (_, folder, name) = within
        .max_by_key(|(depth, ..)| *depth)
        .ok_or_else(|| ("lies in neither the AppDir nor a mount".to_owned(), grant()))?;
    let first = name.split('/').next().unwrap_or_default();
    if std::ptr::eq(folder, app) && (["", "cards", "packages"].contains(&first) || wardroom_alc::is_private_dir(first))
    {
        let whose = if first == "cards" || first.is_empty() { "the cards themselves" } else { "the server's own data" };
        return Err((format!("is the folder of {whose}"), "name another folder".to_owned()));
    }
    if folder.is_read_only() {
        return Err(("lies in a folder that was granted read-only".to_owned(), grant()));
    }
    let opened = if name.is_empty() { Ok(folder.clone()) } else { folder.open_folder(&name) };
    opened.map_err(|error| (format!("cannot be opened: {error}"), format!("create the folder {}", path.display())))
}

fn open_project(settings: &Settings, path: &Path, access: Access) -> Result<Option<Project>, CommandError> {
    let failed =
        |error| CommandError::with_cause("cannot open the project", error, "name the project with --project DIR");
    let path = ambient::canonicalize(path).map_err(failed)?;
    let folder = open_granted(settings, &path, access).map_err(failed)?;
    Ok(Some(Project { folder, path }))
}

/// Opens `ALC_LOG_DIR`. Without it the transcripts of the AppDir are still served.
fn open_log_dir(settings: &Settings, warn: WarningSink) -> Option<Folder> {
    let opened = open_granted(settings, settings.log_dir.as_deref()?, grant_access(settings));
    let missing = |error| CommandWarning {
        subject: "ALC_LOG_DIR",
        detail: format!("is skipped: {error}"),
        hint: "create that folder, or unset the variable: the server then uses the transcripts in the AppDir"
            .to_owned(),
    };
    opened.map_err(|error| warn(missing(error))).ok()
}

/// Warnings for granted folders that cannot be opened.
pub(crate) fn missing_grant_warnings(settings: &Settings) -> Result<Vec<CommandWarning>, CommandError> {
    let warnings = RefCell::new(Vec::new());
    let warn = |warning| warnings.borrow_mut().push(warning);
    open_log_dir(settings, &warn);
    let linked = open_package_mounts(settings, &warn)?;
    let project = settings.project.as_ref().and_then(|path| open_project(settings, path, Access::ReadOnly).ok()?);
    warn_of_writable_configuration(settings, project.as_ref(), &warn);
    for (name, mount) in &settings.config.mounts {
        if matches!(mount.kind, MountKind::Files | MountKind::Registry)
            && let Err(error) = open_granted(settings, &mount.path, Access::ReadOnly)
        {
            warn(missing_mount_warning(settings, name, &error));
        }
    }
    card_sinks(settings, &open_app_dir(settings)?, &linked, &warn);
    Ok(warnings.into_inner())
}

fn open_package_mounts(settings: &Settings, warn: WarningSink) -> Result<Vec<PackageMount>, CommandError> {
    let mut linked = Vec::new();
    for (name, mount) in &settings.config.mounts {
        if matches!(mount.kind, MountKind::Files | MountKind::Registry) {
            continue;
        }
        let access = if mount.read_only { Access::ReadOnly } else { grant_access(settings) };
        let folder = match open_granted(settings, &mount.path, access) {
            Ok(folder) => folder,
            // The server works without this mount.
            Err(error) => {
                warn(missing_mount_warning(settings, name, &error));
                continue;
            }
        };
        let path = ambient::canonicalize(&mount.path).unwrap_or_else(|_| mount.path.clone());
        match (mount.kind, PackageName::parse(name)) {
            (MountKind::Package, Ok(name)) => linked.push(PackageMount::Single { name, folder, path }),
            (_, Ok(_) | Err(_)) => linked.push(PackageMount::Collection { folder, path }),
        }
    }
    // As in the original, a path that is no folder at the start is ignored.
    for root in settings.package_roots.iter().filter(|root| ambient::is_dir(root)) {
        let opened = ambient::open_folder(root, Access::ReadOnly);
        let failed = |error| {
            let hint = format!("remove {} from that variable, or correct its permissions", root.display());
            CommandError::with_cause("cannot open ALC_PACKAGES_PATH", error, hint)
        };
        let folder = opened.map_err(failed)?;
        linked.push(PackageMount::Collection {
            folder,
            path: ambient::canonicalize(root).unwrap_or_else(|_| root.clone()),
        });
    }
    Ok(linked)
}

/// Opens the mounts of files. The service `registry`, whose handlers use them, warns of missing ones.
fn open_file_mounts(settings: &Settings) -> Vec<(Folder, PathBuf)> {
    let mounts = settings.config.mounts.values().filter(|mount| mount.kind == MountKind::Files);
    let opened = mounts.filter_map(|mount| {
        let access = if mount.read_only { Access::ReadOnly } else { grant_access(settings) };
        let path = ambient::canonicalize(&mount.path).unwrap_or_else(|_| mount.path.clone());
        Some((open_granted(settings, &mount.path, access).ok()?, path))
    });
    opened.collect()
}
