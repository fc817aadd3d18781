//! `wardroom doctor`: checks what a server depends on, and says how to mend each finding.
//!
//! Never: mends anything itself.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::init::{DEPTH, types as type_files};
use super::{http, mounts};
use crate::assemble;
use crate::assemble::network;
use crate::assemble::settings::Settings;
use crate::assemble::walls;
use crate::report::{self, Failure, Warning};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::hex::hex;
use wardroom_base::limits::{LEFTOVER_TIME, MAX_DOCUMENT_BYTES};
use wardroom_net::{Ready, Walls};
use wardroom_process::confine::{self, Standing, Wall};
use wardroom_sandbox::{COMPONENT, Image, Sandbox, WASMTIME_VERSION};

/// One line of the report.
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// The server works, with less than it could.
    Warning,
    Bad,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Good, detail: detail.into(), hint: None }
    }

    fn warning(what: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what, state: State::Warning, detail: detail.into(), hint: Some(hint.into()) }
    }

    fn failed(what: &'static str, failure: &Failure) -> Self {
        Self::bad(what, failure.to_string(), failure.advice())
    }

    fn bad(what: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what, state: State::Bad, detail: detail.into(), hint: Some(hint.into()) }
    }
}

pub(super) fn run(settings: &Settings, misread: Option<&Failure>, as_json: bool) -> Result<(), Failure> {
    let mut findings = vec![binary(), guest(), configuration(settings, misread)];
    findings.extend(server(settings));
    findings.push(workers(settings));
    match assemble::app_dir(settings) {
        Ok(app) => {
            findings.push(Finding::good("AppDir", settings.app_dir.path.display().to_string()));
            findings.push(writable(settings, &app));
            findings.push(types(settings, &app));
            findings.extend(leftovers(settings, &app));
            findings.extend(links(settings));
            findings.extend(lost_links(settings));
            findings.push(services(settings));
            findings.extend(fetching(settings, &app));
            findings.extend(declared(settings));
        }
        Err(failure) => findings.push(Finding::failed("AppDir", &failure)),
    }
    findings.extend(granted(settings));
    print(&findings, as_json)?;
    match findings.iter().filter(|finding| finding.state == State::Bad).count() {
        0 => Ok(()),
        bad => {
            let what = format!("{bad} of {} checks failed", findings.len());
            Err(Failure::new(what, "do what the hints above say, and look again"))
        }
    }
}

fn print(findings: &[Finding], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let rows = findings.iter().map(|finding| {
            let state = word(finding.state);
            json!({"check": finding.what, "state": state, "detail": finding.detail, "hint": finding.hint})
        });
        let rows: serde_json::Value = rows.collect();
        return report::line(&rows.to_string());
    }
    for finding in findings {
        report::line(&format!("{:<8} {:<14} {}", word(finding.state), finding.what, finding.detail))?;
        if let Some(hint) = &finding.hint {
            report::line(&format!("{:<23} hint: {hint}", ""))?;
        }
    }
    Ok(())
}

const fn word(state: State) -> &'static str {
    match state {
        State::Good => "ok",
        State::Warning => "warning",
        State::Bad => "error",
    }
}

fn binary() -> Finding {
    Finding::good("wardroom", format!("{}, wasmtime {WASMTIME_VERSION}", env!("CARGO_PKG_VERSION")))
}

/// The guest's image, by what it is and by what it does.
fn guest() -> Finding {
    let hash = hex(&Sha256::digest(COMPONENT));
    let sandbox = Sandbox::new(Image::embedded());
    let probe = b"local M = {}\nM.meta = { name = \"probe\" }\nreturn M\n";
    match sandbox.extract("probe", probe) {
        Ok(Ok(metadata)) if metadata.json == r#"{"name":"probe"}"# => {
            Finding::good("guest", format!("sha256 {hash}, {} bytes", COMPONENT.len()))
        }
        Ok(answer) => Finding::bad("guest", format!("wrong answer: {answer:?}"), "reinstall wardroom"),
        Err(error) => Finding::bad("guest", error.to_string(), "reinstall wardroom, or look at RUST_LOG=debug"),
    }
}

/// What the kernel would forbid a server here.
fn server(settings: &Settings) -> Vec<Finding> {
    let finding = |Standing { wall, state }| match state {
        confine::State::Whole(detail) => Finding::good(wall.name(), detail),
        confine::State::Partly(detail) | confine::State::Not(detail) if settings.config.sandbox.require => {
            Finding::bad(wall.name(), format!("{detail}: no server starts"), mended(wall))
        }
        confine::State::Partly(detail) | confine::State::Not(detail) => {
            Finding::warning(wall.name(), detail, mended(wall))
        }
    };
    confine::probe().0.into_iter().map(finding).collect()
}

/// What the kernel would forbid a process that runs scripts, as one of them says.
fn workers(settings: &Settings) -> Finding {
    const HINT: &str = "what keeps these walls from a server keeps them from its workers: mend that";
    match walls::missing() {
        Ok(None) => Finding::good("workers", Wall::OF_WORKER.map(Wall::name).join(", ")),
        Ok(Some(missing)) if settings.config.sandbox.require => {
            Finding::bad("workers", format!("{missing}: no server starts"), HINT)
        }
        Ok(Some(missing)) => Finding::warning("workers", missing, HINT),
        Err(failure) => Finding::failed("workers", &failure),
    }
}

const fn mended(wall: Wall) -> &'static str {
    if !cfg!(target_os = "linux") {
        return "run it in a container or a sandbox of this system, or on Linux";
    }
    match wall {
        Wall::Landlock => "run Linux 6.2 or later, with landlock in its list of security modules (lsm=…)",
        Wall::Seccomp => "run a kernel with seccomp filters, and outside of what forbids them (some containers do)",
        Wall::Process | Wall::Limits => "run it outside of what forbids that (a container, a supervisor)",
    }
}

fn configuration(settings: &Settings, misread: Option<&Failure>) -> Finding {
    if let Some(failure) = misread {
        return Finding::failed("configuration", failure);
    }
    if let Err(failure) = http::policy(settings) {
        return Finding::failed("configuration", &failure);
    }
    let mounts = counted(settings.config.mounts.len(), "mount");
    Finding::good("configuration", format!("{} ({mounts})", settings.config_file.display()))
}

/// Whether a server would start. What it would do without is found elsewhere.
fn services(settings: &Settings) -> Finding {
    match assemble::build(settings, None, &drop) {
        Ok(rooms) => Finding::good("services", rooms.catalogue.names().join(", ")),
        Err(failure) => Finding::failed("services", &failure),
    }
}

/// Whether what the operator switched on can fetch. It is started as a server would.
fn fetching(settings: &Settings, app: &Folder) -> Vec<Finding> {
    let network = &settings.config.network;
    let mut findings = Vec::new();
    let required = settings.config.sandbox.require;
    let tell = |what, ready: Result<Ready, Failure>| match ready {
        Err(failure) => Finding::failed(what, &failure),
        Ok(Ready { lacks: Some(lacks), .. }) => {
            Finding::warning(what, lacks, "mend that, or switch it off in [network]")
        }
        Ok(Ready { walls: Walls { missing: Some(missing), .. }, .. }) if required => {
            Finding::bad(what, format!("{missing}: no server starts"), network::UNCONFINED)
        }
        Ok(Ready { about, walls: Walls { missing: Some(missing), .. }, .. }) => Finding::warning(
            what,
            format!("on ({about}), not confined as it could be: {missing}"),
            "see the findings about these walls",
        ),
        Ok(Ready { about, .. }) => Finding::good(what, format!("on ({about}), confined")),
    };
    let wanted = network::wanted(settings);
    if wanted.git {
        let git = network::git(app, &network.private);
        findings.push(tell("fetching git", git.map(|git| git.ready().clone())));
    }
    if wanted.http {
        let http = network::http(&network.private);
        findings.push(tell("fetching http", http.map(|http| http.ready().clone())));
    }
    findings
}

/// What is declared and cannot be offered, or not as it was meant. The rest works.
fn declared(settings: &Settings) -> Vec<Finding> {
    let Ok(registry) = assemble::declared(settings) else { return Vec::new() };
    let overview = registry.overview();
    let mut findings = vec![Finding::good("registry", counted_entries(overview.rows.len()))];
    findings.extend(overview.problems.into_iter().map(|problem| {
        let place = match problem.line {
            0 => problem.file,
            line => format!("{}:{line}", problem.file),
        };
        let detail = format!("{}: {}", report::name(&place), report::name(&problem.message));
        let hint = format!("mend it there; {} registry check says whether it is", settings.command());
        // The server works without it, however grave it is for whoever declared it.
        Finding::warning("registry", detail, hint)
    }));
    findings
}

fn counted_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn writable(settings: &Settings, app: &Folder) -> Finding {
    if settings.read_only {
        return Finding::good("writing", "off (--read-only)");
    }
    match app.create_folder("cache").and_then(|cache| cache.lock(".doctor.lock")) {
        Ok(_) => Finding::good("writing", "allowed, and locks work"),
        Err(AppDirError::Locked(_)) => Finding::good("writing", "allowed, and another process is at it"),
        Err(error) => {
            Finding::warning("writing", error.to_string(), "run with --read-only, or mend the folder's rights")
        }
    }
}

fn types(settings: &Settings, app: &Folder) -> Finding {
    let fits = |(name, text): &(String, String)| {
        app.read_text(name, MAX_DOCUMENT_BYTES).is_ok_and(|(found, _)| found == *text)
    };
    if type_files().iter().all(fits) {
        Finding::good("type stubs", "those of this version")
    } else {
        Finding::warning(
            "type stubs",
            "missing, or of another version",
            format!("{} init writes them", settings.command()),
        )
    }
}

fn leftovers(settings: &Settings, app: &Folder) -> Option<Finding> {
    let left = app.leftovers_below(DEPTH, LEFTOVER_TIME);
    (left > 0).then(|| {
        let detail = format!("{} of writers that were killed", counted(left, "file"));
        Finding::warning("temporary", detail, format!("{} init removes them", settings.command()))
    })
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn links(settings: &Settings) -> Option<Finding> {
    let links = mounts::links_out(settings).ok()?;
    let new: Vec<_> =
        links.into_iter().map(|(name, _)| name).filter(|name| !settings.config.mounts.contains_key(name)).collect();
    (!new.is_empty()).then(|| {
        let detail = format!("lead out of the AppDir and are not followed: {}", report::name(&new.join(", ")));
        Finding::warning("package links", detail, format!("{} mount import-links grants them", settings.command()))
    })
}

fn lost_links(settings: &Settings) -> Option<Finding> {
    let lost = mounts::links_nowhere(settings).ok()?;
    (!lost.is_empty()).then(|| {
        let detail = format!("lead nowhere: {}", report::name(&lost.join(", ")));
        Finding::warning("package links", detail, "remove them, or bring back what they lead to")
    })
}

fn granted(settings: &Settings) -> Vec<Finding> {
    // What it fails for keeps a server from starting, and is found there.
    let warnings = assemble::warnings(settings).unwrap_or_default();
    warnings.into_iter().map(|Warning { what, detail, hint }| Finding::warning(what, detail, hint)).collect()
}
