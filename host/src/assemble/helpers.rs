//! The helpers: which are started, with what of the environment, and what of the system is left to each of them.
//!
//! Owns: the places that looking up names, knowing certificates and running git take.
//! Never: starts one that the configuration does not ask for.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings::{self, Settings};
use crate::cli::internal_command::HelperJob;
use crate::report::{CommandError, SELF_START_HINT};
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_net::{GitFetcher, HelperConfig, HelperConfinement, HelperStatus, HttpFetcher, processes};
use wardroom_process::confine::{self, ConfinementReport, FolderRights, Grants};

/// What looking up names reads, beside libraries.
const NAME_RESOLUTION_FILES: [&str; 8] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ld.so.cache",
    "/etc/localtime",
];
/// The system's libraries; services of names are some of them.
const LIBRARY_DIRS: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
/// Where a system has programs and what they need. A person's own files lie elsewhere.
const SYSTEM_DIRS: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/var/lib/ca-certificates",
];
const RANDOM_DEVICES: [&str; 2] = ["/dev/urandom", "/dev/random"];
const NULL_DEVICE: &str = "/dev/null";
/// Whose certificates are believed, where it is not the system that says it.
const CERTIFICATE_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
const PROXY_VARIABLES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];

/// What a server fetches with.
#[derive(Default)]
pub(crate) struct FetchHelpers {
    pub(crate) git: Option<GitFetcher>,
    pub(crate) http: Option<Arc<HttpFetcher>>,
}

/// Which of them the configuration asks for.
pub(crate) struct EnabledHelpers {
    pub(crate) git: bool,
    pub(crate) http: bool,
}

/// Where nothing is written, nothing is fetched.
pub(crate) fn enabled_helpers(settings: &Settings) -> EnabledHelpers {
    let (network, fetches) = (&settings.config.network, !settings.read_only);
    let http = network.hub || !settings.config.registry.hosts.is_empty();
    EnabledHelpers { git: fetches && network.git, http: fetches && http }
}

/// What mends a helper that is not confined where it must be.
pub(crate) const UNCONFINED_HINT: &str = "switch it off in [network], or leave out `[sandbox] require = true`";

/// Starts what the configuration asks for.
pub(crate) fn start_helpers(settings: &Settings, app: &Folder) -> Result<FetchHelpers, CommandError> {
    let (network, wanted) = (&settings.config.network, enabled_helpers(settings));
    let mut helpers = FetchHelpers::default();
    if wanted.git {
        let git = start_git(app, &network.private)?;
        check_confinement(settings, "git", git.status())?;
        helpers.git = Some(git);
    }
    if wanted.http {
        let http = start_http(&network.private)?;
        check_confinement(settings, "HTTP", http.status())?;
        helpers.http = Some(Arc::new(http));
    }
    Ok(helpers)
}

/// Starts the process that fetches repositories.
pub(crate) fn start_git(app: &Folder, private: &[String]) -> Result<GitFetcher, CommandError> {
    const FAILED: &str = "cannot start the process that fetches repositories";
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let unmade = |error| {
        CommandError::with_cause(
            FAILED,
            error,
            "look at the folder cache of the AppDir: repositories are fetched into it",
        )
    };
    let cache = app.create_folder("cache").map_err(unmade)?;
    let names = ["PATH"].into_iter().chain(CERTIFICATE_VARIABLES).chain(PROXY_VARIABLES);
    let mut environment = inherited_environment(names);
    // The library that git uses need not look at ours.
    for (name, of_git) in CERTIFICATE_VARIABLES.into_iter().zip(["GIT_SSL_CAINFO", "GIT_SSL_CAPATH"]) {
        environment.extend(settings::env_variable(name).map(|value| (of_git, value)));
    }
    let beginning = HelperConfig { program: &program, environment, private_hosts: private };
    GitFetcher::start(beginning, &cache).map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))
}

/// Starts the process that makes requests.
pub(crate) fn start_http(private: &[String]) -> Result<HttpFetcher, CommandError> {
    const FAILED: &str = "cannot start the process that makes requests";
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let beginning = HelperConfig {
        program: &program,
        environment: inherited_environment(CERTIFICATE_VARIABLES),
        private_hosts: private,
    };
    HttpFetcher::start(beginning).map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))
}

fn inherited_environment(names: impl IntoIterator<Item = &'static str>) -> Vec<(&'static str, OsString)> {
    names.into_iter().filter_map(|name| Some((name, settings::env_variable(name)?))).collect()
}

/// What does not stand around a helper counts as what does not stand around the server.
fn check_confinement(settings: &Settings, name: &str, ready: &HelperStatus) -> Result<(), CommandError> {
    if let Some(lacks) = &ready.unavailable_reason {
        tracing::warn!("the helper for {name} can do nothing: {lacks}");
    }
    let Some(missing) = &ready.confinement.missing else {
        tracing::info!("the helper for {name} is confined: {}", ready.confinement.active);
        return Ok(());
    };
    if settings.config.sandbox.require {
        return Err(CommandError::new(format!("the helper for {name} cannot be confined: {missing}"), UNCONFINED_HINT));
    }
    tracing::warn!("the helper for {name} is not confined as it could be: {missing}");
    Ok(())
}

/// What the helper's own process does.
pub(crate) fn run_helper(job: HelperJob, private: Vec<String>) -> Result<(), CommandError> {
    let done = match job {
        HelperJob::Git => {
            let proxied = PROXY_VARIABLES
                .iter()
                .any(|name| name.eq_ignore_ascii_case("https_proxy") && settings::env_variable(name).is_some());
            processes::git(private, proxied, |cache| Ok(confine_git_helper(cache)))
        }
        HelperJob::Http => processes::http(private, || Ok(confine_http_helper())),
        // It writes where agents keep their files, which is anywhere in a home.
        HelperJob::Agents => wardroom_agents::serve_helper(),
    };
    done.map_err(|error: io::Error| {
        CommandError::with_cause("the helper failed", error, crate::cli::STARTED_BY_SERVER_HINT)
    })
}

/// Around what makes requests: it reads what tells where names lead.
fn confine_http_helper() -> HelperConfinement {
    let mut grants = Grants::default();
    for name in NAME_RESOLUTION_FILES {
        grant_file(&mut grants, Path::new(name));
        // What is kept elsewhere is replaced there.
        let elsewhere = ambient::canonicalize(Path::new(name)).ok().filter(|path| !path.starts_with("/etc"));
        if let Some(folder) = elsewhere.as_deref().and_then(Path::parent).filter(|folder| folder.starts_with("/run")) {
            grant_dir(&mut grants, folder, FolderRights::Read);
        }
    }
    LIBRARY_DIRS.iter().for_each(|path| grant_dir(&mut grants, Path::new(path), FolderRights::Read));
    summarize_report(&confine::confine_fetcher(&grants))
}

/// Around git: it runs what the system has, and writes in the folder that repositories are fetched into.
fn confine_git_helper(cache: &Folder) -> HelperConfinement {
    let mut grants = Grants::default();
    grants.add_folder(cache, FolderRights::Build);
    SYSTEM_DIRS.iter().for_each(|path| grant_dir(&mut grants, Path::new(path), FolderRights::Execute));
    for folder in program_dirs() {
        grant_dir(&mut grants, &folder, FolderRights::Execute);
    }
    RANDOM_DEVICES.iter().for_each(|path| grant_file(&mut grants, Path::new(path)));
    if let Ok(null) = ambient::open_file(Path::new(NULL_DEVICE), Access::ReadWrite) {
        grants.add_file(null, Access::ReadWrite);
    }
    for path in CERTIFICATE_VARIABLES.iter().filter_map(|name| settings::env_variable(name)).map(PathBuf::from) {
        if ambient::is_dir(&path) {
            grant_dir(&mut grants, &path, FolderRights::Read);
        } else {
            grant_file(&mut grants, &path);
        }
    }
    summarize_report(&confine::confine_launcher(&grants))
}

/// The folders that programs are looked for in, and what lies around that of git where it is not the system's: the rest
/// of git is there.
fn program_dirs() -> Vec<PathBuf> {
    let path = settings::env_variable("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|path| path.is_absolute()).collect();
    let own =
        folders.iter().map(|folder| folder.join("git")).find_map(|git| Some((ambient::canonicalize(&git).ok()?, git)));
    let around = own.into_iter().flat_map(|(canonical, named)| [canonical, named]).filter_map(|git| {
        let folder = git.parent().filter(|folder| folder.ends_with("bin"))?;
        Some(folder.parent()?.to_path_buf())
    });
    // Some have a folder bin in their home.
    let is_home =
        |folder: &Path| folder.parent().is_none_or(|above| above.parent().is_none() || above.ends_with("home"));
    folders.extend(around.filter(|folder| !is_home(folder)).collect::<Vec<_>>());
    folders
}

fn grant_file(grants: &mut Grants, path: &Path) {
    if let Ok(file) = ambient::open_file(path, Access::ReadOnly) {
        grants.add_file(file, Access::ReadOnly);
    }
}

fn grant_dir(grants: &mut Grants, path: &Path, most: FolderRights) {
    if let Ok(folder) = ambient::open_folder(path, Access::ReadOnly) {
        grants.add_folder(&folder, most);
    }
}

fn summarize_report(report: &ConfinementReport) -> HelperConfinement {
    let missing = report.missing();
    HelperConfinement { active: report.to_string(), missing: (!missing.0.is_empty()).then(|| missing.to_string()) }
}
