//! `wardroom pkg`: packages that a person installs, lists and removes. Who types a path or an address grants it.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::advice::{Asked, refused};
use super::args::PkgAction;
use crate::assemble;
use crate::assemble::network;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_alc::{Alc, Installing, Source, is_repository};
use wardroom_appdir::{Access, ambient};
use wardroom_base::payload::Payload;
use wardroom_service::{CallContext, Catalogue, Service as _, ServiceError};

pub(super) fn run(settings: &Settings, action: &PkgAction) -> Result<(), Failure> {
    if settings.read_only && !matches!(action, PkgAction::List { .. }) {
        return Err(Failure::new("pkg writes to the AppDir, and --read-only forbids that", "leave out --read-only"));
    }
    let alc = assemble::packages(settings)?;
    match action {
        PkgAction::Install { source, name, json } => install(settings, &alc, source, name.as_deref(), *json),
        PkgAction::List { json } => list(settings, &alc, *json),
        PkgAction::Remove { name } => {
            alc.uninstall(name).map_err(failed(settings, Asked::Package))?;
            report::line(&format!("removed {name}"))
        }
    }
}

fn install(settings: &Settings, alc: &Alc, from: &str, name: Option<&str>, as_json: bool) -> Result<(), Failure> {
    // A folder that is there is meant, whatever else its name could be.
    let done = if is_repository(from) && !ambient::is_dir(Path::new(from)) {
        install_repository(settings, alc, from, name)?
    } else {
        let missing = |error| {
            let hint = "name a folder that is there, or the https address of a repository";
            Failure::of("cannot install", error, hint)
        };
        let path = ambient::canonical(Path::new(from)).map_err(missing)?;
        let folder = ambient::open(&path, Access::ReadOnly).map_err(missing)?;
        let last = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let source = Source::Path { path: path.display().to_string() };
        let installing = Installing { from: &folder, name: name.unwrap_or(last), source };
        alc.install_from(&installing, &context()).map_err(failed(settings, Asked::Installation))?
    };
    let done = done.into_value();
    if as_json {
        report::line(&done.to_string())?;
    } else {
        tell(&done)?;
    }
    let what = match done.get("failures").and_then(Value::as_array).map_or(0, Vec::len) {
        0 => return Ok(()),
        1 => "1 package was not installed".to_owned(),
        more => format!("{more} packages were not installed"),
    };
    Err(Failure::new(what, "mend what is said above, and install again: what is there is kept or updated"))
}

/// Who types an address grants it, wherever it leads.
fn install_repository(settings: &Settings, alc: &Alc, from: &str, name: Option<&str>) -> Result<Payload, Failure> {
    wardroom_net::git_address(from).map_err(|why| {
        let what = format!("cannot install from that address: {why}");
        Failure::new(what, "a folder of this machine begins with ./ or /")
    })?;
    let git = network::git(&assemble::app_dir(settings)?, &["*".to_owned()])?;
    alc.install_repository(&git, from, name, &context()).map_err(failed(settings, Asked::Installation))
}

fn tell(done: &Value) -> Result<(), Failure> {
    for (key, what) in [
        ("installed", "installed"),
        ("updated", "updated"),
        ("skipped", "kept, as it was there:"),
        ("skipped_symlinks", "a link, skipped:"),
        ("cards_installed", "card"),
        ("scenarios_installed", "scenario"),
    ] {
        for name in done.get(key).and_then(Value::as_array).into_iter().flatten() {
            report::line(&format!("{what} {}", report::name(name.as_str().unwrap_or_default())))?;
        }
    }
    for failure in done.get("failures").and_then(Value::as_array).into_iter().flatten() {
        let message = failure.get("message").and_then(Value::as_str).unwrap_or_default();
        report::note(&format!("warning: {}", report::name(message)));
    }
    for key in ["scenarios_failures", "project_files_warnings"] {
        for warning in done.get(key).and_then(Value::as_array).into_iter().flatten() {
            report::note(&format!("warning: {}", report::name(warning.as_str().unwrap_or_default())));
        }
    }
    Ok(())
}

fn list(settings: &Settings, alc: &Alc, as_json: bool) -> Result<(), Failure> {
    let arguments = json!({"limit": 0, "sort": "name", "verbose": "full"});
    let answered = alc.call("alc_pkg_list", Payload::from_value(arguments), &context());
    let answered = answered.map_err(failed(settings, Asked::Package))?;
    let listed = answered.value.into_value();
    if as_json {
        return report::line(&listed.to_string());
    }
    for package in listed.get("packages").and_then(Value::as_array).into_iter().flatten() {
        let field = |key: &str| report::name(package.get(key).and_then(Value::as_str).unwrap_or("-"));
        let state = match package.get("active") {
            Some(Value::Bool(true)) => String::new(),
            _ if package.get("broken") == Some(&Value::Bool(true)) => "broken".to_owned(),
            _ => "hidden by another one".to_owned(),
        };
        let (name, version, kind) = (field("name"), field("version"), field("resolved_source_kind"));
        report::line(format!("{name:<24} {version:<10} {kind:<10} {state}").trim_end())?;
    }
    for warning in listed.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        report::note(&format!("warning: {}", report::name(warning.as_str().unwrap_or_default())));
    }
    Ok(())
}

fn context() -> CallContext {
    assemble::context(&Arc::new(Catalogue::new(Vec::new())))
}

fn failed(settings: &Settings, asked: Asked) -> impl Fn(ServiceError) -> Failure {
    move |error| refused(error, settings, asked)
}
