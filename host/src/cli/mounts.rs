//! `wardroom mount`: grants in the configuration file.
//!
//! Never: is reachable from a client; a server reads grants once, at its start.

use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::args::{MountAction, MountKindArg};
use super::audit;
use super::config_edit::edit_config;
use super::toml_entry;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{Access, AppDirError, EntryKind, Folder, ambient};
use wardroom_base::uri::PackageName;
use wardroom_config::{Config, MountConfig, MountKind, check_mount};
use wardroom_service::audit::{AuditAction, AuditEvent};

pub(super) fn run(settings: &Settings, action: MountAction) -> Result<(), CommandError> {
    // With `add` the flag is that of the mount.
    let writes = matches!(action, MountAction::Remove { .. } | MountAction::ImportLinks { dry_run: false });
    if settings.read_only && writes {
        let what = "mount writes to the configuration, which --read-only forbids";
        return Err(CommandError::new(what, "leave out --read-only"));
    }
    match action {
        MountAction::Add { name, path, read_only, kind } => {
            let path = ambient::canonicalize(&path).map_err(missing_folder_error)?;
            let kind = kind.map_or_else(|| detect_kind(&path), |kind| Ok(kind.into()))?;
            if kind == MountKind::Files && !read_only {
                assemble::check_writable_mount(settings, &name, &path)?;
            }
            add_mounts(settings, &[(name, MountConfig { path, read_only, kind })])
        }
        MountAction::List { json } => list_mounts(settings, json),
        MountAction::Remove { name } => remove_mount(settings, &name),
        MountAction::ImportLinks { dry_run } => import_links(settings, dry_run),
    }
}

impl From<MountKindArg> for MountKind {
    fn from(kind: MountKindArg) -> Self {
        match kind {
            MountKindArg::Package => Self::Package,
            MountKindArg::Packages => Self::Packages,
            MountKindArg::Files => Self::Files,
            MountKindArg::Registry => Self::Registry,
        }
    }
}

fn missing_folder_error(error: AppDirError) -> CommandError {
    CommandError::with_cause("cannot grant the folder", error, "name an existing folder")
}

/// A folder with an `init.lua` is a package.
fn detect_kind(path: &Path) -> Result<MountKind, CommandError> {
    let folder = ambient::open_folder(path, Access::ReadOnly).map_err(missing_folder_error)?;
    Ok(if folder.stat("init.lua").is_ok() { MountKind::Package } else { MountKind::Packages })
}

fn add_mounts(settings: &Settings, mounts: &[(String, MountConfig)]) -> Result<(), CommandError> {
    let update = |config: &mut Config| {
        for (name, mount) in mounts {
            check_mount(name, mount).map_err(|error| {
                CommandError::with_cause(
                    "cannot grant the folder",
                    error,
                    "choose a name of letters, digits, _, - and .",
                )
            })?;
            if mount.path.to_str().is_none() {
                let what = "cannot grant the folder: its path is not UTF-8, as a configuration file must be";
                return Err(CommandError::new(what, "rename the folder"));
            }
            if config.mounts.insert(name.clone(), mount.clone()).is_some() {
                let hint = format!("run {} mount remove {name} first, or choose another name", settings.command_line());
                return Err(CommandError::new(format!("mount {name} exists already"), hint));
            }
        }
        Ok(())
    };
    edit_config(settings, update, |text| {
        mounts.iter().try_fold(text.to_owned(), |text, (name, mount)| {
            let mut pairs = vec![
                ("path", toml_entry::toml_string(mount.path.to_str()?)),
                ("as", toml_entry::toml_string(kind_name(mount.kind))),
            ];
            if mount.read_only {
                pairs.push(("read_only", true.to_string()));
            }
            toml_entry::add_entry(&text, &["mounts"], name, &pairs)
        })
    })?;
    for (name, mount) in mounts {
        let entry = format!("{} {} {}", mount.path.display(), kind_name(mount.kind), mount.read_only);
        let digest = Some(Sha256::digest(entry).into());
        audit::record(settings, &AuditEvent { action: AuditAction::MountAdded, subject: name, digest, outcome: "ok" });
        report::print_line(&format!("mounted {name}: {} ({})", mount.path.display(), kind_name(mount.kind)))?;
    }
    Ok(())
}

fn remove_mount(settings: &Settings, name: &str) -> Result<(), CommandError> {
    let update = |config: &mut Config| match config.mounts.remove(name) {
        Some(_) => Ok(()),
        None => {
            let hint = format!("run {} mount list to see the mounts", settings.command_line());
            Err(CommandError::new(format!("no mount is called {name}"), hint))
        }
    };
    edit_config(settings, update, |text| toml_entry::remove_entry(text, &["mounts"], name))?;
    audit::record(
        settings,
        &AuditEvent { action: AuditAction::MountRemoved, subject: name, digest: None, outcome: "ok" },
    );
    report::print_line(&format!("removed {name}"))
}

fn list_mounts(settings: &Settings, json: bool) -> Result<(), CommandError> {
    let mounts = &settings.config.mounts;
    if json {
        let rows = mounts.iter().map(|(name, mount)| {
            json!({"name": name, "path": mount.path, "as": kind_name(mount.kind), "readOnly": mount.read_only})
        });
        let rows: serde_json::Value = rows.collect();
        return report::print_json(&rows);
    }
    let columns = [Column::new("NAME", 20), Column::new("KIND", 9), Column::new("PATH", 0), Column::new("ACCESS", 0)];
    let mut table = Table::new(" ", columns);
    for (name, mount) in mounts {
        let access = if mount.read_only { "read-only" } else { "" };
        let path = mount.path.display().to_string();
        table.add([Cell::new(name, TextRole::Name), kind_name(mount.kind).into(), path.into(), access.into()]);
    }
    table.print()
}

/// Grants the targets of package links: the original installs a linked package as a link, which a confined server does
/// not follow out of the AppDir.
fn import_links(settings: &Settings, dry_run: bool) -> Result<(), CommandError> {
    let known = |name: &str| settings.config.mounts.contains_key(name);
    let links: Vec<_> = external_package_links(settings)?.into_iter().filter(|(name, _)| !known(name)).collect();
    if links.is_empty() {
        return report::print_line("no package link leads out of the AppDir");
    }
    if dry_run {
        for (name, path) in links {
            report::print_line(&format!("would mount {name}: {}", report::escape_name(&path.display().to_string())))?;
        }
        return Ok(());
    }
    let mounts =
        links.into_iter().map(|(name, path)| (name, MountConfig { path, read_only: false, kind: MountKind::Package }));
    add_mounts(settings, &mounts.collect::<Vec<_>>())
}

/// The links in `packages/` to existing folders outside the AppDir.
pub(super) fn external_package_links(settings: &Settings) -> Result<Vec<(String, PathBuf)>, CommandError> {
    let Some((packages, links)) = list_package_links(settings)? else { return Ok(Vec::new()) };
    let root = settings.app_dir.path.join("packages");
    Ok(links.into_iter().filter_map(|name| external_target(&packages, &root, name)).collect())
}

/// The links in `packages/` whose target does not exist.
pub(super) fn dangling_package_links(settings: &Settings) -> Result<Vec<String>, CommandError> {
    let Some((_, links)) = list_package_links(settings)? else { return Ok(Vec::new()) };
    let root = settings.app_dir.path.join("packages");
    Ok(links.into_iter().filter(|name| ambient::canonicalize(&root.join(name)).is_err()).collect())
}

/// The folder `packages/`, if it exists, and the names of its links.
fn list_package_links(settings: &Settings) -> Result<Option<(Folder, Vec<String>)>, CommandError> {
    let failed = |error| CommandError::with_cause("cannot list packages", error, settings.doctor_hint());
    let packages = match assemble::open_app_dir(settings)?.open_folder("packages") {
        Err(AppDirError::NotFound(_)) => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let entries = packages.entries(MAX_NAMES_SCANNED).map_err(failed)?;
    let links = entries.into_iter().filter(|entry| entry.kind == EntryKind::Symlink).map(|entry| entry.name).collect();
    Ok(Some((packages, links)))
}

fn external_target(packages: &Folder, root: &Path, name: String) -> Option<(String, PathBuf)> {
    PackageName::parse(&name).ok()?;
    match packages.open_folder(&name) {
        Err(AppDirError::OutsideRoot(_)) => {
            let path = ambient::canonicalize(&root.join(&name)).ok().filter(|path| ambient::is_dir(path))?;
            Some((name, path))
        }
        _ => None,
    }
}

const fn kind_name(kind: MountKind) -> &'static str {
    match kind {
        MountKind::Package => "package",
        MountKind::Packages => "packages",
        MountKind::Files => "files",
        MountKind::Registry => "registry",
    }
}
