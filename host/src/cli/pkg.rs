//! `wardroom pkg`: installs, lists and removes packages. A typed path or URL counts as granted.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::args::PkgAction;
use super::audit;
use super::hints::{RequestSubject, to_command_error};
use crate::assemble;
use crate::assemble::helpers;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Progress, Table, TextRole};
use wardroom_alc::{Alc, ImportMode, PackageInstallRequest, PackageOrigin, is_repository_url};
use wardroom_appdir::{Access, ambient};
use wardroom_base::payload::Payload;
use wardroom_service::audit::{AuditAction, AuditEvent};
use wardroom_service::{Catalogue, RequestInfo, ServiceError};

pub(super) fn run(settings: &Settings, action: &PkgAction) -> Result<(), CommandError> {
    if settings.read_only && !matches!(action, PkgAction::List { .. }) {
        return Err(CommandError::new("pkg writes to the AppDir, which --read-only forbids", "leave out --read-only"));
    }
    let alc = assemble::standalone_alc(settings)?;
    match action {
        PkgAction::Install { source, name, force, json } => {
            install(settings, alc, (source, name.as_deref()), *force, *json)
        }
        PkgAction::List { json } => list_packages(settings, alc, *json),
        PkgAction::Remove { name, force } => {
            alc.package_installer()
                .uninstall(name, *force)
                .map_err(package_error(settings, RequestSubject::Package))?;
            let removed = AuditAction::PackageRemoved;
            audit::record(settings, &AuditEvent { action: removed, subject: name, digest: None, outcome: "ok" });
            report::print_line(&format!("removed {name}"))
        }
    }
}

fn install(
    settings: &Settings,
    alc: Alc,
    (from, name): (&str, Option<&str>),
    is_forced: bool,
    as_json: bool,
) -> Result<(), CommandError> {
    let progress = Progress::spinner(format!("installing {}", report::escape_name(from)));
    // An existing folder takes precedence over a URL of the same spelling.
    let done = if is_repository_url(from) && !ambient::is_dir(Path::new(from)) {
        install_repository(settings, &alc, from, name)?
    } else {
        let missing = |error| {
            let hint = "name an existing folder, or the https address of a repository";
            CommandError::with_cause("cannot install", error, hint)
        };
        let path = ambient::canonicalize(Path::new(from)).map_err(missing)?;
        // Both are without links.
        let app = ambient::canonicalize(&settings.app_dir.path).unwrap_or_else(|_| settings.app_dir.path.clone());
        if app.starts_with(&path) {
            let what = format!("cannot install: {} contains the AppDir", path.display());
            return Err(CommandError::new(what, "name the folder of a package"));
        }
        let folder = ambient::open_folder(&path, Access::ReadOnly).map_err(missing)?;
        if name.is_some() && folder.entry_kind("init.lua").is_err() {
            let what =
                format!("cannot install: {} is no package, and what is in it has names of its own", path.display());
            return Err(CommandError::new(what, "leave out the name, or name the folder of a package"));
        }
        let last = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let source = PackageOrigin::Path { path: path.display().to_string() };
        let name = name.unwrap_or(last);
        let mode = if is_forced { ImportMode::Replace } else { ImportMode::ReplaceInstalled };
        let installing = PackageInstallRequest { from: &folder, name, source, mode };
        alc.package_installer()
            .install_folder(&installing, &empty_context())
            .map_err(package_error(settings, RequestSubject::Installation))?
    };
    drop(progress);
    let done = done.into_value();
    let lists = ["installed", "updated"].iter().filter_map(|key| done.get(key)?.as_array());
    let installed: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
    for subject in &installed {
        // The digest of where it came from.
        let digest = Some(Sha256::digest(from).into());
        let action = AuditAction::PackageInstalled;
        audit::record(settings, &AuditEvent { action, subject, digest, outcome: "ok" });
    }
    if as_json {
        report::print_json(&done)?;
    } else {
        print_installed(&done)?;
        warn_of_unreadable(settings, alc, &installed);
    }
    let what = match done.get("failures").and_then(Value::as_array).map_or(0, Vec::len) {
        0 => return Ok(()),
        1 => "1 package was not installed".to_owned(),
        more => format!("{more} packages were not installed"),
    };
    Err(CommandError::new(what, "fix the errors above, and install again: installed packages are updated"))
}

/// Installs from a repository. A typed URL counts as granted, whatever its host.
fn install_repository(settings: &Settings, alc: &Alc, from: &str, name: Option<&str>) -> Result<Payload, CommandError> {
    wardroom_net::git_address(from).map_err(|why| {
        let what = if from.contains(':') {
            format!("cannot install from that address: {why}")
        } else {
            format!("cannot install from that address: {why}, and there is no folder {from}")
        };
        CommandError::new(what, "begin the path of a folder with ./ or /")
    })?;
    let cache = assemble::open_cache_dir(settings, &assemble::open_app_dir(settings)?)?;
    let git = helpers::start_git(&cache, &["*".to_owned()])?;
    alc.package_installer()
        .install_repository(&git, from, name, &empty_context())
        .map_err(package_error(settings, RequestSubject::Installation))
}

fn print_installed(done: &Value) -> Result<(), CommandError> {
    for (key, what) in [
        ("installed", "installed"),
        ("updated", "updated"),
        ("skipped", "kept, as it was there:"),
        ("skipped_symlinks", "a link, skipped:"),
        ("cards_installed", "card"),
        ("scenarios_installed", "scenario"),
    ] {
        for name in done.get(key).and_then(Value::as_array).into_iter().flatten() {
            report::print_line(&format!("{what} {}", report::escape_name(name.as_str().unwrap_or_default())))?;
        }
    }
    for failure in done.get("failures").and_then(Value::as_array).into_iter().flatten() {
        let message = failure.get("message").and_then(Value::as_str).unwrap_or_default();
        report::print_note(&format!("warning: {}", report::escape_name(message)));
    }
    for key in ["scenarios_failures", "project_files_warnings"] {
        for warning in done.get(key).and_then(Value::as_array).into_iter().flatten() {
            report::print_note(&format!("warning: {}", report::escape_name(warning.as_str().unwrap_or_default())));
        }
    }
    Ok(())
}

/// Says which of the installed packages no strategy can be of.
fn warn_of_unreadable(settings: &Settings, alc: Alc, installed: &[&str]) {
    // They are installed, whatever else is wrong.
    let Ok(listed) = read_packages(settings, alc) else { return };
    for package in listed.get("packages").and_then(Value::as_array).into_iter().flatten() {
        let field = |key: &str| package.get(key).and_then(Value::as_str);
        // A project may have another one of that name.
        let is_installed = field("scope") == Some("global") && field("resolved_source_kind") == Some("installed");
        let name = field("name").filter(|name| is_installed && installed.contains(name));
        if let (Some(name), Some(error)) = (name, field("error")) {
            report::print_note(&format!("warning: {name} is broken: {}", report::escape_name(error)));
        }
    }
}

/// Returns what `alc_pkg_list` says of all packages.
fn read_packages(settings: &Settings, alc: Alc) -> Result<Value, CommandError> {
    let arguments = json!({"limit": 0, "sort": "name", "verbose": "full"});
    let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
    let info = assemble::command_line_context(&catalogue);
    let answered = report::name_if_slow("reading the packages", || {
        catalogue.call_blocking("alc_pkg_list", Payload::from_value(arguments), &info)
    });
    let answered = answered.map_err(package_error(settings, RequestSubject::Package))?;
    Ok(answered.value.into_value())
}

fn list_packages(settings: &Settings, alc: Alc, as_json: bool) -> Result<(), CommandError> {
    let listed = read_packages(settings, alc)?;
    if as_json {
        return report::print_json(&listed);
    }
    let columns =
        [Column::new("NAME", 24), Column::new("VERSION", 10), Column::new("SOURCE", 10), Column::text("STATE", 0)];
    let mut table = Table::new(" ", columns);
    for package in listed.get("packages").and_then(Value::as_array).into_iter().flatten() {
        let field = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or("-");
        let state = match (package.get("error").and_then(Value::as_str), package.get("active")) {
            (Some(error), _) => Cell::new(format!("broken: {error}"), TextRole::Bad),
            (None, Some(Value::Bool(true))) => "".into(),
            (None, _) => Cell::new("shadowed by another package", TextRole::Warning),
        };
        let (name, kind) = (Cell::new(field("name"), TextRole::Name), field("resolved_source_kind").into());
        table.add([name, field("version").into(), kind, state]);
    }
    table.print()?;
    for warning in listed.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        report::print_note(&format!("warning: {}", report::escape_name(warning.as_str().unwrap_or_default())));
    }
    Ok(())
}

fn empty_context() -> RequestInfo {
    assemble::command_line_context(&Arc::new(Catalogue::new(Vec::new())))
}

fn package_error(settings: &Settings, asked: RequestSubject) -> impl Fn(ServiceError) -> CommandError {
    move |error| to_command_error(error, settings, asked)
}
