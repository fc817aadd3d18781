//! The helper processes: which are started, their environment, and their confinement.
//!
//! Owns: the paths that name resolution, certificates and git need.
//! Never: starts a helper that the configuration does not enable.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings::{self, Settings};
use crate::cli::internal_command::HelperJob;
use crate::report::{CommandError, SELF_START_HINT};
use wardroom_alc::GIT_CACHE;
use wardroom_appdir::{Access, CacheDir, Folder, ambient};
use wardroom_net::{GitFetcher, HelperConfig, HelperConfinement, HelperStatus, HttpFetcher, processes};
use wardroom_process::confine::{self, ConfinementReport, FolderRights, Grants, NetworkAccess};

/// Files that name resolution reads, besides libraries.
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
/// Folders of the system's libraries; resolver plugins are among them.
const LIBRARY_DIRS: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
/// Folders of the system's programs and their data. Personal files are elsewhere.
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
/// What the kernel shows of processes.
const PROCESSES: &str = "/proc";
/// The program of this process, even if its file was replaced.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";
/// Where libraries are found.
const LIBRARY_CACHE: &str = "/etc/ld.so.cache";
const NIX_STORE: [&str; 1] = ["/nix/store"];
/// Variables that name trusted certificates instead of the system's.
const CERTIFICATE_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
const PROXY_VARIABLES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];

/// The helpers of a server.
#[derive(Default)]
pub(crate) struct FetchHelpers {
    pub(crate) git: Option<GitFetcher>,
    pub(crate) http: Option<Arc<HttpFetcher>>,
}

/// The helpers that the configuration enables.
pub(crate) struct EnabledHelpers {
    pub(crate) git: bool,
    pub(crate) http: bool,
}

/// The enabled helpers; none for a read-only server, since fetched files are written.
pub(crate) fn enabled_helpers(settings: &Settings) -> EnabledHelpers {
    let (network, fetches) = (&settings.config.network, !settings.read_only);
    let http = network.hub || !settings.config.registry.hosts.is_empty();
    EnabledHelpers { git: fetches && network.git, http: fetches && http }
}

/// The hint for a helper that cannot be confined although confinement is required.
pub(crate) const UNCONFINED_HINT: &str = "switch it off in [network], or leave out `[sandbox] require = true`";

/// Starts the enabled helpers.
pub(crate) fn start_helpers(settings: &Settings, cache: &CacheDir) -> Result<FetchHelpers, CommandError> {
    let (network, wanted) = (&settings.config.network, enabled_helpers(settings));
    let mut helpers = FetchHelpers::default();
    if wanted.git {
        let git = start_git(cache, &network.private)?;
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

/// Starts the helper that fetches repositories.
pub(crate) fn start_git(cache: &CacheDir, private: &[String]) -> Result<GitFetcher, CommandError> {
    const FAILED: &str = "cannot start the process that fetches repositories";
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let unmade = |error| {
        let hint = format!("check the folder {}, into which repositories are fetched", cache.describe(GIT_CACHE));
        CommandError::with_cause(FAILED, error, hint)
    };
    let folder = cache.create_folder(GIT_CACHE).map_err(unmade)?;
    let names = ["PATH"].into_iter().chain(CERTIFICATE_VARIABLES).chain(PROXY_VARIABLES);
    let mut environment = inherited_environment(names);
    // git may use another TLS library, which does not read these variables.
    for (name, of_git) in CERTIFICATE_VARIABLES.into_iter().zip(["GIT_SSL_CAINFO", "GIT_SSL_CAPATH"]) {
        environment.extend(settings::env_variable(name).map(|value| (of_git, value)));
    }
    let beginning = HelperConfig { program: &program, environment, private_hosts: private };
    GitFetcher::start(beginning, &folder).map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))
}

/// Starts the helper that makes HTTP requests.
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

/// Logs what a helper cannot do, and checks its walls.
fn check_confinement(settings: &Settings, name: &str, ready: &HelperStatus) -> Result<(), CommandError> {
    if let Some(lacks) = &ready.unavailable_reason {
        tracing::warn!("the helper for {name} cannot work: {lacks}");
    }
    check_walls(settings, name, &ready.confinement)
}

/// Logs or refuses missing walls of a helper like missing walls of the server.
pub(super) fn check_walls(settings: &Settings, name: &str, walls: &HelperConfinement) -> Result<(), CommandError> {
    let Some(missing) = &walls.missing else {
        tracing::info!("the helper for {name} is confined: {}", walls.active);
        return Ok(());
    };
    if settings.config.sandbox.require {
        return Err(CommandError::new(format!("the helper for {name} cannot be confined: {missing}"), UNCONFINED_HINT));
    }
    tracing::warn!("the helper for {name} is only partly confined: {missing}");
    Ok(())
}

/// Runs a helper in its own process.
pub(crate) fn run_helper(job: HelperJob, private: Vec<String>) -> Result<(), CommandError> {
    let done = match job {
        HelperJob::Git => {
            let proxied = PROXY_VARIABLES
                .iter()
                .any(|name| name.eq_ignore_ascii_case("https_proxy") && settings::env_variable(name).is_some());
            processes::git(private, proxied, |cache| Ok(confine_git_helper(cache)))
        }
        HelperJob::Http => processes::http(private, || Ok(confine_http_helper())),
        HelperJob::Agents => {
            // Without a ruleset: agents keep their files anywhere below a home folder, and behind links from there.
            let missing = confine::harden_helper().missing();
            // Elsewhere than on Linux there is nothing to take away.
            if cfg!(target_os = "linux") && !missing.0.is_empty() {
                Err(io::Error::other(missing.to_string()))
            } else {
                wardroom_agents::serve_helper()
            }
        }
        // It confines itself to the folder that its server names.
        HelperJob::Playbook => wardroom_ace::serve_playbook_helper(),
    };
    done.map_err(|error: io::Error| {
        CommandError::with_cause("the helper failed", error, crate::report::STARTED_BY_SERVER_HINT)
    })
}

/// Confines the HTTP helper, which reads the files of name resolution.
fn confine_http_helper() -> HelperConfinement {
    let mut grants = Grants::default();
    for name in NAME_RESOLUTION_FILES {
        grant_file(&mut grants, Path::new(name));
        // A file behind a link to `/run` is replaced in its folder, so the folder is granted.
        let elsewhere = ambient::canonicalize(Path::new(name)).ok().filter(|path| !path.starts_with("/etc"));
        if let Some(folder) = elsewhere.as_deref().and_then(Path::parent).filter(|folder| folder.starts_with("/run")) {
            grant_dir(&mut grants, folder, FolderRights::Read);
        }
    }
    LIBRARY_DIRS.iter().for_each(|path| grant_dir(&mut grants, Path::new(path), FolderRights::Read));
    summarize_report(&confine::confine_fetcher(&grants))
}

/// Confines the git helper: it executes the system's programs, and writes in the folder that repositories are fetched
/// into.
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
    summarize_report(&confine::confine_launcher(&grants, NetworkAccess::Connect))
}

/// Confines the spawner: it starts this program, with the libraries that it is linked to, and reads what the kernel shows
/// of its workers.
pub(crate) fn confine_spawner() -> ConfinementReport {
    let mut grants = Grants::default();
    if let Ok(program) = ambient::open_file(Path::new(OWN_PROGRAM), Access::ReadOnly) {
        grants.add_program(program);
    }
    LIBRARY_DIRS
        .iter()
        .chain(&NIX_STORE)
        .for_each(|path| grant_dir(&mut grants, Path::new(path), FolderRights::Execute));
    grant_file(&mut grants, Path::new(LIBRARY_CACHE));
    grant_dir(&mut grants, Path::new(PROCESSES), FolderRights::Read);
    if let Ok(null) = ambient::open_file(Path::new(NULL_DEVICE), Access::ReadWrite) {
        grants.add_file(null, Access::ReadWrite);
    }
    confine::confine_launcher(&grants, NetworkAccess::None)
}

/// The folders of `PATH`, and the parent folder of git's `bin`, where other parts of a git outside the system folders
/// are installed.
fn program_dirs() -> Vec<PathBuf> {
    let path = settings::env_variable("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|path| path.is_absolute()).collect();
    let own =
        folders.iter().map(|folder| folder.join("git")).find_map(|git| Some((ambient::canonicalize(&git).ok()?, git)));
    let around = own.into_iter().flat_map(|(canonical, named)| [canonical, named]).filter_map(|git| {
        let folder = git.parent().filter(|folder| folder.ends_with("bin"))?;
        Some(folder.parent()?.to_path_buf())
    });
    // A home folder is excluded: some contain a `bin`.
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
