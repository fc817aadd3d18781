//! `wardroom doctor`: checks the requirements of a server, with a hint for each problem.
//!
//! Never: changes anything, except permissions when a person asks for it.

mod contents;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::init::{APP_DIR_DEPTH, APP_DIR_FOLDERS, MAX_APP_DIR_DEPTH};
use super::{mounts, serve_http};
use crate::assemble::editor_files;
use crate::assemble::file_system::FileSystemTrust;
use crate::assemble::helpers;
use crate::assemble::isolation_probe;
use crate::assemble::settings::{Settings, UNCHECKED_FILE_SYSTEM_HINT};
use crate::assemble::{self, AssembledServices};
use crate::report::{self, Cell, Column, CommandError, CommandWarning, Progress, Table, TextRole};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy, TightenedEntries, ambient};
use wardroom_base::hex::encode_hex;
use wardroom_net::{HelperConfinement, HelperStatus};
use wardroom_process::confine::{self, MechanismStatus, Wall};
use wardroom_sandbox::{GUEST_COMPONENT, GuestImage, Sandbox, WASMTIME_VERSION};
use wardroom_service::limits::MAX_DOCUMENT_BYTES;

/// One line of the report.
struct DoctorFinding {
    check: &'static str,
    state: FindingState,
    detail: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FindingState {
    Good,
    /// The server works, with limitations.
    Warning,
    Bad,
}

impl DoctorFinding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { check: what, state: FindingState::Good, detail: detail.into(), hint: None }
    }

    fn warning(what: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { check: what, state: FindingState::Warning, detail: detail.into(), hint: Some(hint.into()) }
    }

    fn from_error(what: &'static str, failure: &CommandError) -> Self {
        Self::bad(what, failure.to_string(), failure.hint())
    }

    fn bad(what: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { check: what, state: FindingState::Bad, detail: detail.into(), hint: Some(hint.into()) }
    }
}

pub(super) fn run(settings: &Settings, misread: Option<&CommandError>, as_json: bool) -> Result<(), CommandError> {
    let progress = Progress::spinner("checking the guest");
    let mut findings = vec![check_binary(), check_guest(), check_configuration(settings, misread)];
    progress.name("checking the walls");
    findings.extend(check_server_walls(settings));
    findings.push(check_workers(settings));
    progress.name("checking the AppDir");
    match assemble::open_app_dir(settings) {
        Ok(app) => {
            findings.push(DoctorFinding::good("AppDir", settings.app_dir.path.display().to_string()));
            findings.push(check_file_system(settings));
            findings.push(check_writable(settings, &app));
            findings.push(check_type_stubs(settings, &app));
            findings.extend(check_stale_temp_files(settings, &app));
            findings.extend(check_name_conflicts(settings, &app));
            findings.push(check_permissions(settings, &app));
            findings.extend(check_external_links(settings));
            findings.extend(check_dangling_links(settings));
            progress.name("checking the services");
            let assembled = assemble::build(settings, &drop);
            findings.push(check_services(settings, &assembled));
            progress.name("checking that repositories and pages can be fetched");
            findings.extend(check_fetching(settings, &app));
            progress.name("checking what is installed, declared and learned");
            let contents = contents::check(settings, assembled.as_ref().ok(), &findings);
            findings.extend(contents);
        }
        Err(failure) => findings.push(DoctorFinding::from_error("AppDir", &failure)),
    }
    findings.extend(check_grants(settings));
    drop(progress);
    print_findings(&findings, as_json)?;
    match findings.iter().filter(|finding| finding.state == FindingState::Bad).count() {
        0 => Ok(()),
        bad => {
            let what = format!("{bad} of {} checks failed", findings.len());
            Err(CommandError::new(what, "follow the hints above, and run doctor again"))
        }
    }
}

fn print_findings(findings: &[DoctorFinding], as_json: bool) -> Result<(), CommandError> {
    if as_json {
        let rows = findings.iter().map(|finding| {
            let state = state_word(finding.state);
            json!({"check": finding.check, "state": state, "detail": finding.detail, "hint": finding.hint})
        });
        let rows: serde_json::Value = rows.collect();
        return report::print_json(&rows);
    }
    let mut table = Table::new(" ", [Column::new("", 8), Column::new("", 14), Column::text("", 0)]);
    for finding in findings {
        let role = match finding.state {
            FindingState::Good => TextRole::Good,
            FindingState::Warning => TextRole::Warning,
            FindingState::Bad => TextRole::Bad,
        };
        let check = Cell::new(finding.check, TextRole::Name);
        table.add([Cell::new(state_word(finding.state), role), check, (&finding.detail).into()]);
        if let Some(hint) = &finding.hint {
            table.add(["".into(), "".into(), format!("hint: {hint}").into()]);
        }
    }
    table.print()
}

const fn state_word(state: FindingState) -> &'static str {
    match state {
        FindingState::Good => "ok",
        FindingState::Warning => "warning",
        FindingState::Bad => "error",
    }
}

fn check_binary() -> DoctorFinding {
    let place = ambient::current_exe().map(|program| format!(", {}", program.display())).unwrap_or_default();
    DoctorFinding::good("wardroom", format!("{}, wasmtime {WASMTIME_VERSION}{place}", env!("CARGO_PKG_VERSION")))
}

/// Says whether other machines may write to the AppDir, and whether that was checked.
fn check_file_system(settings: &Settings) -> DoctorFinding {
    const CHECK: &str = "file system";
    match FileSystemTrust::of(settings) {
        FileSystemTrust::Local => DoctorFinding::good(CHECK, "this machine's alone"),
        FileSystemTrust::Stamped(name) => DoctorFinding::good(CHECK, format!("{name}, checked with doctor --shared")),
        FileSystemTrust::Configured(name) => {
            let hint = "run wardroom doctor --shared PATH --peer PATH2 before a second machine serves it";
            DoctorFinding::warning(CHECK, format!("{name}, trusted by [appdir] trust_filesystem, not checked"), hint)
        }
        FileSystemTrust::Unchecked(name) => {
            DoctorFinding::warning(CHECK, format!("{name}, not checked: it is only read"), UNCHECKED_FILE_SYSTEM_HINT)
        }
    }
}

/// Checks the guest's image by its hash and by a call.
fn check_guest() -> DoctorFinding {
    let hash = encode_hex(&Sha256::digest(GUEST_COMPONENT));
    let sandbox = Sandbox::new(GuestImage::embedded());
    let probe = b"local M = {}\nM.meta = { name = \"probe\" }\nreturn M\n";
    match sandbox.extract("probe", probe) {
        Ok(Ok(metadata)) if metadata.json == r#"{"name":"probe"}"# => {
            DoctorFinding::good("guest", format!("sha256 {hash}, {} bytes", GUEST_COMPONENT.len()))
        }
        Ok(answer) => DoctorFinding::bad("guest", format!("wrong answer: {answer:?}"), "reinstall wardroom"),
        Err(error) => {
            DoctorFinding::bad("guest", error.to_string(), "reinstall wardroom, or set RUST_LOG=debug to see the cause")
        }
    }
}

/// Checks which walls the kernel would enforce around a server.
fn check_server_walls(settings: &Settings) -> Vec<DoctorFinding> {
    let finding = |MechanismStatus { wall, state }| match state {
        confine::MechanismState::FullyEnforced(detail) => DoctorFinding::good(wall.name(), detail),
        confine::MechanismState::PartiallyEnforced(detail) | confine::MechanismState::NotEnforced(detail)
            if settings.config.sandbox.require =>
        {
            DoctorFinding::bad(wall.name(), format!("{detail}: no server starts"), wall_hint(wall))
        }
        confine::MechanismState::PartiallyEnforced(detail) | confine::MechanismState::NotEnforced(detail) => {
            DoctorFinding::warning(wall.name(), detail, wall_hint(wall))
        }
    };
    confine::probe().0.into_iter().map(finding).collect()
}

/// Checks which walls the kernel would enforce around workers, by a probe.
fn check_workers(settings: &Settings) -> DoctorFinding {
    const HINT: &str = "follow the hints for the server's walls: the cause is the same for its workers";
    match isolation_probe::missing_worker_walls() {
        Ok(None) => DoctorFinding::good("workers", Wall::FOR_WORKER.map(Wall::name).join(", ")),
        Ok(Some(missing)) if settings.config.sandbox.require => {
            DoctorFinding::bad("workers", format!("{missing}: no server starts"), HINT)
        }
        Ok(Some(missing)) => DoctorFinding::warning("workers", missing, HINT),
        Err(failure) => DoctorFinding::from_error("workers", &failure),
    }
}

const fn wall_hint(wall: Wall) -> &'static str {
    if !cfg!(target_os = "linux") {
        return "run it in a container or a sandbox of this system, or on Linux";
    }
    match wall {
        Wall::Landlock => "run Linux 6.2 or later, with landlock in its list of security modules (lsm=…)",
        Wall::Seccomp => "run a kernel with seccomp filters, outside of a container that forbids them",
        Wall::Process | Wall::Limits => "run it outside of a container or supervisor that forbids that",
    }
}

fn check_configuration(settings: &Settings, misread: Option<&CommandError>) -> DoctorFinding {
    if let Some(failure) = misread {
        return DoctorFinding::from_error("configuration", failure);
    }
    let checked = serve_http::origin_policy(settings).map(drop).and_then(|()| serve_http::check_protection(settings));
    let checked = checked.and_then(|()| assemble::check_apart(settings));
    if let Err(failure) = checked {
        return DoctorFinding::from_error("configuration", &failure);
    }
    let mounts = format_count(settings.config.mounts.len(), "mount");
    DoctorFinding::good("configuration", format!("{} ({mounts})", settings.config_file.display()))
}

/// Checks whether a server would start. Other checks report skipped parts.
fn check_services(settings: &Settings, assembled: &Result<AssembledServices, CommandError>) -> DoctorFinding {
    let assembled = match assembled {
        Ok(assembled) => assembled,
        Err(failure) => return DoctorFinding::from_error("services", failure),
    };
    let mut endpoints = settings.config.http.endpoints().into_iter();
    match endpoints.try_for_each(|endpoint| serve_http::check_services(&assembled.catalogue, &endpoint)) {
        Ok(()) => DoctorFinding::good("services", assembled.catalogue.service_names().join(", ")),
        Err(failure) => DoctorFinding::from_error("services", &failure),
    }
}

/// Checks whether the enabled helpers work, by starting them as a server would.
fn check_fetching(settings: &Settings, app: &Folder) -> Vec<DoctorFinding> {
    let network = &settings.config.network;
    let mut findings = Vec::new();
    let required = settings.config.sandbox.require;
    let tell = |what, ready: Result<HelperStatus, CommandError>| match ready {
        Err(failure) => DoctorFinding::from_error(what, &failure),
        Ok(HelperStatus { unavailable_reason: Some(lacks), .. }) => {
            DoctorFinding::warning(what, lacks, "fix that, or switch it off in [network]")
        }
        Ok(HelperStatus { confinement: HelperConfinement { missing: Some(missing), .. }, .. }) if required => {
            DoctorFinding::bad(what, format!("{missing}: no server starts"), helpers::UNCONFINED_HINT)
        }
        Ok(HelperStatus {
            description: about, confinement: HelperConfinement { missing: Some(missing), .. }, ..
        }) => DoctorFinding::warning(
            what,
            format!("on ({about}), only partly confined: {missing}"),
            "follow the hints for these walls",
        ),
        Ok(HelperStatus { description: about, .. }) => DoctorFinding::good(what, format!("on ({about}), confined")),
    };
    let enabled = helpers::enabled_helpers(settings);
    if enabled.git {
        let git =
            assemble::open_cache_dir(settings, app).and_then(|cache| helpers::start_git(&cache, &network.private));
        findings.push(tell("fetching git", git.map(|git| git.status().clone())));
    }
    if enabled.http {
        let http = helpers::start_http(&network.private);
        findings.push(tell("fetching http", http.map(|http| http.status().clone())));
    }
    findings
}

fn check_writable(settings: &Settings, app: &Folder) -> DoctorFinding {
    if settings.read_only {
        return DoctorFinding::good("writing", "off (--read-only)");
    }
    // One block, since an empty file can be made on a full disk.
    let try_writing = |server: Folder| {
        let lock = server.lock(".doctor.lock")?;
        server.write(".doctor.try", &[0; 4096], Privacy::Owner)?;
        server.remove_file(".doctor.try")?;
        Ok(lock)
    };
    match app.create_folder("server").and_then(try_writing) {
        Ok(_) => DoctorFinding::good("writing", "allowed, and locks work"),
        Err(AppDirError::Locked(_)) => DoctorFinding::good("writing", "allowed, and another process holds the lock"),
        Err(error @ AppDirError::DiskFull(_)) => {
            DoctorFinding::bad("writing", error.to_string(), "free some space, or raise the quota")
        }
        Err(error) => DoctorFinding::warning(
            "writing",
            error.to_string(),
            "run with --read-only, or correct the folder's permissions",
        ),
    }
}

fn check_type_stubs(settings: &Settings, app: &Folder) -> DoctorFinding {
    let fits = |(name, text): &(String, String)| {
        app.read_text(name, MAX_DOCUMENT_BYTES).is_ok_and(|(found, _)| found == *text)
    };
    if editor_files::files().iter().all(fits) {
        DoctorFinding::good("type stubs", "up to date")
    } else {
        DoctorFinding::warning(
            "type stubs",
            "missing, or of another version",
            format!("run {} init to write them", settings.command_line()),
        )
    }
}

fn check_stale_temp_files(settings: &Settings, app: &Folder) -> Option<DoctorFinding> {
    let left = app.count_stale_recursive(APP_DIR_DEPTH, STALE_TEMP_FILE_AGE);
    (left > 0).then(|| {
        let detail = format!("{} of writers that were killed", format_count(left, "file"));
        DoctorFinding::warning("temporary", detail, format!("run {} init to remove them", settings.command_line()))
    })
}

/// Checks whether other users of the machine can use something in the AppDir: a user who can open a lock can hold it.
fn check_permissions(settings: &Settings, app: &Folder) -> DoctorFinding {
    match app.count_accessible_to_others(MAX_APP_DIR_DEPTH) {
        0 => DoctorFinding::good("permissions", "the owner's alone"),
        count => {
            let detail = format!("others have permissions on {}", format_count(count, "entry"));
            DoctorFinding::warning("permissions", detail, format!("run {} doctor --fix", settings.command_line()))
        }
    }
}

/// How many of an AppDir's folders a folder must have to count as one.
const MIN_APP_DIR_FOLDERS: usize = 3;

/// Takes the permissions of others from the AppDir.
///
/// # Errors
/// When the AppDir cannot be opened, or permissions cannot be changed.
pub(super) fn tighten_permissions(settings: &Settings) -> Result<(), CommandError> {
    let hint = "run it as the owner of the AppDir, and without --read-only";
    let app = assemble::open_app_dir(settings)?;
    // A mistyped path must not change a home or a website.
    let known = APP_DIR_FOLDERS.iter().filter(|name| app.entry_kind(name).is_ok_and(|kind| kind == EntryKind::Folder));
    if known.count() < MIN_APP_DIR_FOLDERS {
        let message = format!("{} does not look like an AppDir", settings.app_dir.path.display());
        return Err(CommandError::new(message, "name the AppDir with --appdir DIR, or change its permissions by hand"));
    }
    let failed = |error| CommandError::with_cause("cannot change the permissions", error, hint);
    let TightenedEntries { changed, failed: kept } = app.tighten(MAX_APP_DIR_DEPTH).map_err(failed)?;
    report::print_note(&format!("permissions of {} changed", format_count(changed, "entry")));
    if kept > 0 {
        let message = format!("the permissions of {} cannot be changed", format_count(kept, "entry"));
        return Err(CommandError::new(message, hint));
    }
    Ok(())
}

/// Checks for folders that stand where the server has files of its own.
fn check_name_conflicts(settings: &Settings, app: &Folder) -> Vec<DoctorFinding> {
    let found = wardroom_alc::find_name_conflicts(app).into_iter();
    found
        .map(|path| {
            let hint = match path.strip_prefix("packages/") {
                Some(name) => format!("run {} pkg remove {}", settings.command_line(), report::escape_name(name)),
                None => "move the folder away".to_owned(),
            };
            let detail = format!("{} is a folder where the server has a file of its own", report::escape_name(&path));
            DoctorFinding::warning("reserved names", detail, hint)
        })
        .collect()
}

fn format_count(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {what}s"),
    }
}

fn check_external_links(settings: &Settings) -> Option<DoctorFinding> {
    let links = mounts::external_package_links(settings).ok()?;
    let new: Vec<_> =
        links.into_iter().map(|(name, _)| name).filter(|name| !settings.config.mounts.contains_key(name)).collect();
    (!new.is_empty()).then(|| {
        let detail = format!("lead out of the AppDir and are not followed: {}", report::escape_name(&new.join(", ")));
        DoctorFinding::warning(
            "package links",
            detail,
            format!("run {} mount import-links to grant them", settings.command_line()),
        )
    })
}

fn check_dangling_links(settings: &Settings) -> Option<DoctorFinding> {
    let lost = mounts::dangling_package_links(settings).ok()?;
    (!lost.is_empty()).then(|| {
        let detail = format!("have no target: {}", report::escape_name(&lost.join(", ")));
        DoctorFinding::warning("package links", detail, "remove them, or restore their targets")
    })
}

fn check_grants(settings: &Settings) -> Vec<DoctorFinding> {
    // Errors are reported by `check_services`, since they keep a server from starting.
    let warnings = assemble::missing_grant_warnings(settings).unwrap_or_default();
    warnings
        .into_iter()
        .map(|CommandWarning { subject: what, detail, hint }| DoctorFinding::warning(what, detail, hint))
        .collect()
}
