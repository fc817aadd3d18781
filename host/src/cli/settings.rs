//! Settings: what was typed, the environment and the configuration file, as one answer.
//!
//! Owns: every use of the environment, and the order in which the three are asked.
//! Never: opens a folder of the user's (see `rooms.rs`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use super::args::Global;
use super::report::Failure;
use crate::appdir::{AppDirError, ambient};
use crate::config::Config;
use crate::limits::MAX_CONFIG_BYTES;

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) app_dir: Location,
    pub(super) config_file: PathBuf,
    pub(super) config: Config,
    pub(super) project: Option<PathBuf>,
    /// Folders of packages that the environment names.
    pub(super) package_roots: Vec<PathBuf>,
    /// Where transcripts are, when the environment says so.
    pub(super) log_dir: Option<PathBuf>,
    /// The services to offer; all of them when nothing is said.
    pub(super) services: Option<Vec<String>>,
    pub(super) read_only: bool,
}

/// Where the AppDir is, and who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) path: PathBuf,
    pub(super) by: LocatedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocatedBy {
    Argument,
    Environment,
    /// The original's folder, which exists.
    Original,
    /// The platform's data folder, which a server may create.
    Platform,
}

impl Settings {
    pub(super) fn load(global: &Global) -> Result<Self, Failure> {
        let base = BaseDirs::new();
        let home = base.as_ref().map(BaseDirs::home_dir);
        let platform = ProjectDirs::from("", "", "wardroom");
        let config_file = match (&global.config, &platform) {
            (Some(given), _) => given.clone(),
            (None, Some(platform)) => platform.config_dir().join("config.toml"),
            (None, None) => return Err(no_home("--config FILE")),
        };
        let config = read_config(&config_file, global.config.is_some())?;
        let app_dir = locate(global, home, platform.as_ref())?;
        let services = (!global.services.is_empty()).then(|| global.services.clone());
        let services = services.or_else(|| config.services.enabled.clone());
        let project = project(global);
        Ok(Self {
            app_dir,
            config_file,
            config,
            project,
            package_roots: variable("ALC_PACKAGES_PATH").map_or_else(Vec::new, |p| std::env::split_paths(&p).collect()),
            log_dir: variable("ALC_LOG_DIR").map(PathBuf::from),
            services,
            read_only: global.read_only,
        })
    }
}

fn locate(global: &Global, home: Option<&Path>, platform: Option<&ProjectDirs>) -> Result<Location, Failure> {
    if let Some(path) = &global.appdir {
        return Ok(Location { path: path.clone(), by: LocatedBy::Argument });
    }
    if let Some(path) = variable("ALC_HOME") {
        return Ok(Location { path: path.into(), by: LocatedBy::Environment });
    }
    if let Some(path) = home.map(|home| home.join(".algocline")).filter(|path| ambient::is_dir(path)) {
        return Ok(Location { path, by: LocatedBy::Original });
    }
    let platform = platform.ok_or_else(|| no_home("--appdir DIR"))?;
    Ok(Location { path: platform.data_dir().to_path_buf(), by: LocatedBy::Platform })
}

fn project(global: &Global) -> Option<PathBuf> {
    let given = global.project.clone().or_else(|| variable("ALC_PROJECT_ROOT").map(PathBuf::from));
    given.or_else(|| ambient::ancestor_with(&ambient::working_dir()?, "alc.toml"))
}

/// A file that was named must exist; the default one may be missing.
fn read_config(path: &Path, named: bool) -> Result<Config, Failure> {
    let text = match ambient::read_text(path, MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(AppDirError::NotFound(_)) if !named => String::new(),
        Err(error) => return Err(Failure::of(format!("cannot read the configuration {}", path.display()), error)),
    };
    Config::parse(&text).map_err(|error| {
        Failure::of(format!("the configuration {}", path.display()), error)
            .hint("docs/CONFIG.md lists every key; nothing is served with a configuration that is not understood")
    })
}

/// An empty variable is one that is not set.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn no_home(flag: &str) -> Failure {
    Failure::new("this user has no home folder").hint(format!("say where with {flag}"))
}
