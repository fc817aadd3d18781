//! The helpers: which are started, with what of the environment, and what of the system is left to each of them.
//!
//! Owns: the places that looking up names, knowing certificates and running git take.
//! Never: starts one that the configuration does not ask for.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings::{self, Settings};
use crate::cli::own::HelperJob;
use crate::report::{Failure, ITSELF};
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_net::{Beginning, Git, Http, Ready, Walls, processes};
use wardroom_process::confine::{self, Grants, Report, Use};

/// What looking up names reads, beside libraries.
const NAMES: [&str; 8] = [
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
const LIBRARIES: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
/// Where a system has programs and what they need. A person's own files lie elsewhere.
const SYSTEM: [&str; 13] = [
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
const RANDOM: [&str; 2] = ["/dev/urandom", "/dev/random"];
const NULL: &str = "/dev/null";
/// Whose certificates are believed, where it is not the system that says it.
const CERTIFICATES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
const PROXIES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];

/// What a server fetches with.
#[derive(Default)]
pub(crate) struct Helpers {
    pub(crate) git: Option<Git>,
    pub(crate) http: Option<Arc<Http>>,
}

/// Which of them the configuration asks for.
pub(crate) struct Wanted {
    pub(crate) git: bool,
    pub(crate) http: bool,
}

/// Where nothing is written, nothing is fetched.
pub(crate) fn wanted(settings: &Settings) -> Wanted {
    let (network, fetches) = (&settings.config.network, !settings.read_only);
    let http = network.hub || !settings.config.registry.hosts.is_empty();
    Wanted { git: fetches && network.git, http: fetches && http }
}

/// What mends a helper that is not confined where it must be.
pub(crate) const UNCONFINED: &str = "switch it off in [network], or leave out `[sandbox] require = true`";

/// Starts what the configuration asks for.
pub(crate) fn start(settings: &Settings, app: &Folder) -> Result<Helpers, Failure> {
    let (network, wanted) = (&settings.config.network, wanted(settings));
    let mut helpers = Helpers::default();
    if wanted.git {
        let git = git(app, &network.private)?;
        admit(settings, "git", git.ready())?;
        helpers.git = Some(git);
    }
    if wanted.http {
        let http = http(&network.private)?;
        admit(settings, "HTTP", http.ready())?;
        helpers.http = Some(Arc::new(http));
    }
    Ok(helpers)
}

/// Starts the process that fetches repositories.
pub(crate) fn git(app: &Folder, private: &[String]) -> Result<Git, Failure> {
    const FAILED: &str = "cannot start the process that fetches repositories";
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    let unmade =
        |error| Failure::of(FAILED, error, "look at the folder cache of the AppDir: repositories are fetched into it");
    let cache = app.create_folder("cache").map_err(unmade)?;
    let names = ["PATH"].into_iter().chain(CERTIFICATES).chain(PROXIES);
    let mut environment = environment(names);
    // The library that git uses need not look at ours.
    for (name, of_git) in CERTIFICATES.into_iter().zip(["GIT_SSL_CAINFO", "GIT_SSL_CAPATH"]) {
        environment.extend(settings::variable(name).map(|value| (of_git, value)));
    }
    let beginning = Beginning { program: &program, environment, private };
    Git::start(beginning, &cache).map_err(|error| Failure::of(FAILED, error, ITSELF))
}

/// Starts the process that makes requests.
pub(crate) fn http(private: &[String]) -> Result<Http, Failure> {
    const FAILED: &str = "cannot start the process that makes requests";
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    let beginning = Beginning { program: &program, environment: environment(CERTIFICATES), private };
    Http::start(beginning).map_err(|error| Failure::of(FAILED, error, ITSELF))
}

fn environment(names: impl IntoIterator<Item = &'static str>) -> Vec<(&'static str, OsString)> {
    names.into_iter().filter_map(|name| Some((name, settings::variable(name)?))).collect()
}

/// What does not stand around a helper counts as what does not stand around the server.
fn admit(settings: &Settings, name: &str, ready: &Ready) -> Result<(), Failure> {
    if let Some(lacks) = &ready.lacks {
        tracing::warn!("the helper for {name} can do nothing: {lacks}");
    }
    let Some(missing) = &ready.walls.missing else {
        tracing::info!("the helper for {name} is confined: {}", ready.walls.standing);
        return Ok(());
    };
    if settings.config.sandbox.require {
        return Err(Failure::new(format!("the helper for {name} cannot be confined: {missing}"), UNCONFINED));
    }
    tracing::warn!("the helper for {name} is not confined as it could be: {missing}");
    Ok(())
}

/// What the helper's own process does.
pub(crate) fn helper(job: HelperJob, private: Vec<String>) -> Result<(), Failure> {
    let done = match job {
        HelperJob::Git => {
            let proxied = PROXIES
                .iter()
                .any(|name| name.eq_ignore_ascii_case("https_proxy") && settings::variable(name).is_some());
            processes::git(private, proxied, |cache| Ok(starter(cache)))
        }
        HelperJob::Http => processes::http(private, || Ok(requester())),
        // It writes where agents keep their files, which is anywhere in a home.
        HelperJob::Agents => wardroom_agents::serve(),
    };
    done.map_err(|error: io::Error| Failure::of("the helper failed", error, crate::cli::OF_A_SERVER))
}

/// Around what makes requests: it reads what tells where names lead.
fn requester() -> Walls {
    let mut grants = Grants::default();
    for name in NAMES {
        read(&mut grants, Path::new(name));
        // What is kept elsewhere is replaced there.
        let elsewhere = ambient::canonical(Path::new(name)).ok().filter(|path| !path.starts_with("/etc"));
        if let Some(folder) = elsewhere.as_deref().and_then(Path::parent).filter(|folder| folder.starts_with("/run")) {
            below(&mut grants, folder, Use::Read);
        }
    }
    LIBRARIES.iter().for_each(|path| below(&mut grants, Path::new(path), Use::Read));
    walls(&confine::requester(&grants))
}

/// Around git: it runs what the system has, and writes in the folder that repositories are fetched into.
fn starter(cache: &Folder) -> Walls {
    let mut grants = Grants::default();
    grants.add(cache, Use::Build);
    SYSTEM.iter().for_each(|path| below(&mut grants, Path::new(path), Use::Run));
    for folder in programs() {
        below(&mut grants, &folder, Use::Run);
    }
    RANDOM.iter().for_each(|path| read(&mut grants, Path::new(path)));
    if let Ok(null) = ambient::handle(Path::new(NULL), Access::ReadWrite) {
        grants.add_file(null, Access::ReadWrite);
    }
    for path in CERTIFICATES.iter().filter_map(|name| settings::variable(name)).map(PathBuf::from) {
        if ambient::is_dir(&path) {
            below(&mut grants, &path, Use::Read);
        } else {
            read(&mut grants, &path);
        }
    }
    walls(&confine::starter(&grants))
}

/// The folders that programs are looked for in, and what lies around that of git where it is not the system's: the rest
/// of git is there.
fn programs() -> Vec<PathBuf> {
    let path = settings::variable("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|path| path.is_absolute()).collect();
    let own =
        folders.iter().map(|folder| folder.join("git")).find_map(|git| Some((ambient::canonical(&git).ok()?, git)));
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

fn read(grants: &mut Grants, path: &Path) {
    if let Ok(file) = ambient::handle(path, Access::ReadOnly) {
        grants.add_file(file, Access::ReadOnly);
    }
}

fn below(grants: &mut Grants, path: &Path, most: Use) {
    if let Ok(folder) = ambient::open(path, Access::ReadOnly) {
        grants.add(&folder, most);
    }
}

fn walls(report: &Report) -> Walls {
    let missing = report.missing();
    Walls { standing: report.to_string(), missing: (!missing.0.is_empty()).then(|| missing.to_string()) }
}
