//! `wardroom mount`: grants in the configuration file.
//!
//! Never: is reachable from a client; a server reads grants once, at its start.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::args::{Kind, MountAction};
use super::edit::edit;
use super::entry;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_appdir::{Access, AppDirError, EntryKind, Folder, ambient};
use wardroom_base::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::PackageName;
use wardroom_config::{Config, MountConfig, MountKind, check_mount};

pub(super) fn run(settings: &Settings, action: MountAction) -> Result<(), Failure> {
    match action {
        MountAction::Add { name, path, read_only, kind } => {
            let path = ambient::canonical(&path).map_err(not_there)?;
            let kind = kind.map_or_else(|| kind_of(&path), |kind| Ok(kind.into()))?;
            add(settings, &[(name, MountConfig { path, read_only, kind })])
        }
        MountAction::List { json } => list(settings, json),
        MountAction::Remove { name } => remove(settings, &name),
        MountAction::ImportLinks { dry_run } => import_links(settings, dry_run),
    }
}

impl From<Kind> for MountKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Package => Self::Package,
            Kind::Packages => Self::Packages,
            Kind::Files => Self::Files,
            Kind::Registry => Self::Registry,
        }
    }
}

fn not_there(error: AppDirError) -> Failure {
    Failure::of("cannot grant the folder", error, "name a folder that is there, and no file")
}

/// A folder with an `init.lua` is a package.
fn kind_of(path: &Path) -> Result<MountKind, Failure> {
    let folder = ambient::open(path, Access::ReadOnly).map_err(not_there)?;
    Ok(if folder.stat("init.lua").is_ok() { MountKind::Package } else { MountKind::Packages })
}

fn add(settings: &Settings, mounts: &[(String, MountConfig)]) -> Result<(), Failure> {
    let meant = |config: &mut Config| {
        for (name, mount) in mounts {
            check_mount(name, mount).map_err(|error| {
                Failure::of("cannot grant the folder", error, "choose a name of letters, digits, _, - and .")
            })?;
            if mount.path.to_str().is_none() {
                let what = "cannot grant the folder: its path is not UTF-8, which a configuration file must be";
                return Err(Failure::new(what, "rename the folder"));
            }
            if config.mounts.insert(name.clone(), mount.clone()).is_some() {
                let hint = format!("{} mount remove {name}", settings.command());
                return Err(Failure::new(format!("mount {name} exists already"), hint));
            }
        }
        Ok(())
    };
    edit(settings, meant, |text| {
        mounts.iter().try_fold(text.to_owned(), |text, (name, mount)| {
            let mut pairs =
                vec![("path", entry::string(mount.path.to_str()?)), ("as", entry::string(word(mount.kind)))];
            if mount.read_only {
                pairs.push(("read_only", true.to_string()));
            }
            entry::add(&text, &["mounts"], name, &pairs)
        })
    })?;
    for (name, mount) in mounts {
        report::line(&format!("mounted {name}: {} ({})", mount.path.display(), word(mount.kind)))?;
    }
    Ok(())
}

fn remove(settings: &Settings, name: &str) -> Result<(), Failure> {
    let meant = |config: &mut Config| match config.mounts.remove(name) {
        Some(_) => Ok(()),
        None => {
            let hint = format!("{} mount list", settings.command());
            Err(Failure::new(format!("no mount is called {name}"), hint))
        }
    };
    edit(settings, meant, |text| entry::remove(text, &["mounts"], name))?;
    report::line(&format!("removed {name}"))
}

fn list(settings: &Settings, json: bool) -> Result<(), Failure> {
    let mounts = &settings.config.mounts;
    if json {
        let rows = mounts.iter().map(|(name, mount)| {
            json!({"name": name, "path": mount.path, "as": word(mount.kind), "readOnly": mount.read_only})
        });
        let rows: serde_json::Value = rows.collect();
        return report::line(&rows.to_string());
    }
    for (name, mount) in mounts {
        let access = if mount.read_only { "read-only" } else { "" };
        report::line(format!("{name:<20} {:<9} {} {access}", word(mount.kind), mount.path.display()).trim_end())?;
    }
    Ok(())
}

/// The original installs a package of elsewhere as a link, which a confined server does not follow out.
fn import_links(settings: &Settings, dry_run: bool) -> Result<(), Failure> {
    let known = |name: &str| settings.config.mounts.contains_key(name);
    let links: Vec<_> = links_out(settings)?.into_iter().filter(|(name, _)| !known(name)).collect();
    if links.is_empty() {
        return report::line("no package link leads out of the AppDir");
    }
    if dry_run {
        for (name, path) in links {
            report::line(&format!("would mount {name}: {}", report::name(&path.display().to_string())))?;
        }
        return Ok(());
    }
    let mounts =
        links.into_iter().map(|(name, path)| (name, MountConfig { path, read_only: false, kind: MountKind::Package }));
    add(settings, &mounts.collect::<Vec<_>>())
}

/// The links below `packages/` that lead out of the AppDir to a folder that is there.
pub(super) fn links_out(settings: &Settings) -> Result<Vec<(String, PathBuf)>, Failure> {
    let Some((packages, links)) = package_links(settings)? else { return Ok(Vec::new()) };
    let root = settings.app_dir.path.join("packages");
    Ok(links.into_iter().filter_map(|name| leads_out(&packages, &root, name)).collect())
}

/// The links below `packages/` to something that is not there, inside the AppDir or outside.
pub(super) fn links_nowhere(settings: &Settings) -> Result<Vec<String>, Failure> {
    let Some((_, links)) = package_links(settings)? else { return Ok(Vec::new()) };
    let root = settings.app_dir.path.join("packages");
    Ok(links.into_iter().filter(|name| ambient::canonical(&root.join(name)).is_err()).collect())
}

/// The folder `packages/`, when there is one, and the names of the links in it.
fn package_links(settings: &Settings) -> Result<Option<(Folder, Vec<String>)>, Failure> {
    let failed = |error| Failure::of("cannot list packages", error, settings.doctor());
    let packages = match assemble::app_dir(settings)?.folder("packages") {
        Err(AppDirError::NotFound(_)) => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let entries = packages.entries(MAX_NAMES_SCANNED).map_err(failed)?;
    let links = entries.into_iter().filter(|entry| entry.kind == EntryKind::Link).map(|entry| entry.name).collect();
    Ok(Some((packages, links)))
}

fn leads_out(packages: &Folder, root: &Path, name: String) -> Option<(String, PathBuf)> {
    PackageName::parse(&name).ok()?;
    match packages.folder(&name) {
        Err(AppDirError::Escapes(_)) => {
            let path = ambient::canonical(&root.join(&name)).ok().filter(|path| ambient::is_dir(path))?;
            Some((name, path))
        }
        _ => None,
    }
}

const fn word(kind: MountKind) -> &'static str {
    match kind {
        MountKind::Package => "package",
        MountKind::Packages => "packages",
        MountKind::Files => "files",
        MountKind::Registry => "registry",
    }
}
