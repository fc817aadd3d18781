//! Settings: arguments, environment and configuration file, combined.
//!
//! Owns: every use of the environment, and the precedence of the three.
//! Never: opens a folder of the user's (see `assemble`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use super::file_system::FileSystemTrust;
use crate::cli::args::GlobalArgs;
use crate::limits::{DEFAULT_PROMPT_PREVIEW_CHARS, WARM_RUN_IDLE_TIMEOUT};
use crate::report::{self, CommandError, CommandWarning};
use wardroom_alc::RunSettings;
use wardroom_alc::limits::MAX_CONFIG_BYTES;
use wardroom_appdir::{AppDirError, ambient};
use wardroom_config::Config;

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) app_dir: AppDirLocation,
    pub(crate) config_file: PathBuf,
    /// Whether the file was named explicitly.
    is_config_explicit: bool,
    pub(crate) config: Config,
    pub(crate) project: Option<PathBuf>,
    /// Folders of packages from the environment.
    pub(crate) package_roots: Vec<PathBuf>,
    /// The folder of transcripts, if the environment sets one.
    pub(crate) log_dir: Option<PathBuf>,
    pub(crate) runs: RunSettings,
    /// Whether transcripts of runs are stored.
    pub(crate) is_run_logging_enabled: bool,
    /// Folders that get a copy of each card, from the environment.
    pub(crate) card_sinks: Vec<String>,
    /// The offered services; all by default.
    pub(crate) services: Option<Vec<String>>,
    pub(crate) read_only: bool,
    /// Whether folders outside the AppDir are opened for reading only.
    pub(crate) are_grants_read_only: bool,
    /// The given arguments, with the project from the environment: an agent's entry starts a server with the same ones.
    pub(crate) global_args: GlobalArgs,
    /// The registry folder, if it is not the AppDir's.
    pub(crate) registry: Option<PathBuf>,
    /// The folder of the blog, if it is not the AppDir's.
    pub(crate) blog: Option<PathBuf>,
    /// The files of the learning log that the environment names.
    pub(crate) learning_files: LearningFileVariables,
    /// Environment variables that handlers may read.
    pub(crate) handler_environment: BTreeMap<String, String>,
}

/// The files of a learning log, as the environment names them; relative paths begin at the working directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct LearningFileVariables {
    pub(crate) playbook: Option<PathBuf>,
    pub(crate) traces: Option<PathBuf>,
    pub(crate) insights: Option<PathBuf>,
}

/// The path of the AppDir, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppDirLocation {
    pub(crate) path: PathBuf,
    pub(crate) source: AppDirSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppDirSource {
    Argument,
    Environment,
    /// The original's folder, which exists already.
    Original,
    /// The platform's data folder, which a server may create.
    Platform,
}

/// What to do about an AppDir that is only read because of its file system.
pub(crate) const UNCHECKED_FILE_SYSTEM_HINT: &str =
    "mount it twice and run wardroom doctor --shared PATH --peer PATH2, or set [appdir] trust_filesystem = true";

/// How a missing configuration file that was named explicitly is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingConfig {
    /// As a typing error.
    Refuse,
    /// As a file that is about to be created.
    Create,
}

impl Settings {
    /// Whether a service is offered: all are by default.
    pub(crate) fn offers(&self, service: &str) -> bool {
        self.services.as_ref().is_none_or(|names| names.iter().any(|name| name == service))
    }

    pub(crate) fn load(global: &GlobalArgs, missing: MissingConfig) -> Result<Self, CommandError> {
        let file = locate_config_file(global)?;
        let may_be_missing = global.config.is_none() || missing == MissingConfig::Create;
        let config = read_config(&file, may_be_missing)?;
        let mut settings = Self::build(global, file, config)?;
        if let FileSystemTrust::Unchecked(name) = FileSystemTrust::of(&settings) {
            (settings.read_only, settings.are_grants_read_only) = (true, true);
            report::print_warning(&CommandWarning {
                subject: "AppDir",
                detail: format!("it is only read: other machines may write to {name}, whose locks were not checked"),
                hint: UNCHECKED_FILE_SYSTEM_HINT.to_owned(),
            });
        }
        Ok(settings)
    }

    /// Settings of a command that does not use the configuration.
    pub(crate) fn without_config(global: &GlobalArgs) -> Result<Self, CommandError> {
        Self::build(global, locate_config_file(global).unwrap_or_default(), Config::default())
    }

    /// Settings with the default configuration in place of an unreadable one, and the error.
    pub(crate) fn load_or_default(global: &GlobalArgs) -> Result<(Self, Option<CommandError>), CommandError> {
        let file = locate_config_file(global)?;
        let (config, failure) = match read_config(&file, global.config.is_none()) {
            Ok(config) => (config, None),
            Err(failure) => (Config::default(), Some(failure)),
        };
        Ok((Self::build(global, file, config)?, failure))
    }

    fn build(global: &GlobalArgs, config_file: PathBuf, config: Config) -> Result<Self, CommandError> {
        let services = (!global.services.is_empty()).then(|| global.services.clone());
        Ok(Self {
            app_dir: locate_app_dir(global)?,
            config_file,
            is_config_explicit: global.config.is_some(),
            services: services.or_else(|| config.services.enabled.clone()),
            project: find_project(global),
            package_roots: env_variable("ALC_PACKAGES_PATH")
                .map_or_else(Vec::new, |p| std::env::split_paths(&p).collect()),
            log_dir: env_variable("ALC_LOG_DIR").map(PathBuf::from),
            runs: run_settings(&config),
            is_run_logging_enabled: env_variable("ALC_LOG_LEVEL")
                .is_none_or(|level| !level.eq_ignore_ascii_case("off")),
            card_sinks: env_variable("ALC_CARD_SINKS")
                .map_or_else(Vec::new, |sinks| split_list(&sinks.to_string_lossy())),
            read_only: global.read_only,
            are_grants_read_only: global.read_only,
            global_args: GlobalArgs { project: named_project(global), ..global.clone() },
            registry: global.registry.clone(),
            blog: global.blog.clone().or_else(|| config.blog.root.clone()),
            learning_files: LearningFileVariables {
                playbook: env_variable("ACE_KNOWLEDGE_BASE").map(PathBuf::from),
                traces: env_variable("ACE_TRACES_PATH").map(PathBuf::from),
                insights: env_variable("ACE_INSIGHTS_PATH").map(PathBuf::from),
            },
            handler_environment: handler_environment(&config),
            config,
        })
    }

    /// The command that starts wardroom with this configuration from any folder and environment.
    pub(crate) fn command_with_config(&self) -> String {
        let mut command = String::from("wardroom");
        if self.is_config_explicit {
            command += &format!(" --config {}", shell_quote(&self.config_file));
        }
        command
    }

    /// The hint for failures without a specific remedy.
    pub(crate) fn doctor_hint(&self) -> String {
        format!("run {} doctor to find the cause", self.command_line())
    }

    /// The command that starts wardroom on these folders with this configuration, from any folder and environment.
    pub(crate) fn command_line(&self) -> String {
        let mut command = self.command_with_config();
        if matches!(self.app_dir.source, AppDirSource::Argument | AppDirSource::Environment) {
            command += &format!(" --appdir {}", shell_quote(&self.app_dir.path));
        }
        let GlobalArgs { project, registry, blog, .. } = &self.global_args;
        for (flag, folder) in [("--project", project), ("--registry", registry), ("--blog", blog)] {
            if let Some(folder) = folder {
                command += &format!(" {flag} {}", shell_quote(folder));
            }
        }
        command
    }
}

/// Quotes a path for a shell, as an absolute path.
pub(crate) fn shell_quote(path: &Path) -> String {
    let full =
        ambient::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf());
    format!("'{}'", full.display().to_string().replace('\'', r"'\''"))
}

fn run_settings(config: &Config) -> RunSettings {
    let text = |name: &str| env_variable(name)?.into_string().ok();
    let seen = RunSettings::ENVIRONMENT_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), text(name)?)));
    let preview = text("ALC_PROMPT_PREVIEW_CHARS").and_then(|chars| chars.parse().ok());
    RunSettings {
        environment: seen.collect(),
        preview_chars: preview.unwrap_or(DEFAULT_PROMPT_PREVIEW_CHARS),
        warm_time: WARM_RUN_IDLE_TIMEOUT,
        processor_time: config.alc.run_processor_time(),
    }
}

fn handler_environment(config: &Config) -> BTreeMap<String, String> {
    let value = |name: &String| Some((name.clone(), env_variable(name)?.into_string().ok()?));
    config.registry.env.iter().filter_map(value).collect()
}

fn locate_config_file(global: &GlobalArgs) -> Result<PathBuf, CommandError> {
    let default = || Some(ProjectDirs::from("", "", "wardroom")?.config_dir().join("config.toml"));
    global.config.clone().or_else(default).ok_or_else(|| no_home_error("--config FILE"))
}

fn locate_app_dir(global: &GlobalArgs) -> Result<AppDirLocation, CommandError> {
    if let Some(path) = &global.appdir {
        return Ok(AppDirLocation { path: path.clone(), source: AppDirSource::Argument });
    }
    if let Some(path) = env_variable("ALC_HOME") {
        return Ok(AppDirLocation { path: path.into(), source: AppDirSource::Environment });
    }
    let original = BaseDirs::new().map(|base| base.home_dir().join(".algocline"));
    if let Some(path) = original.filter(|path| ambient::is_dir(path)) {
        return Ok(AppDirLocation { path, source: AppDirSource::Original });
    }
    let platform = ProjectDirs::from("", "", "wardroom").ok_or_else(|| no_home_error("--appdir DIR"))?;
    Ok(AppDirLocation { path: platform.data_dir().to_path_buf(), source: AppDirSource::Platform })
}

/// The project that was named explicitly.
fn named_project(global: &GlobalArgs) -> Option<PathBuf> {
    global.project.clone().or_else(|| env_variable("ALC_PROJECT_ROOT").map(PathBuf::from))
}

fn find_project(global: &GlobalArgs) -> Option<PathBuf> {
    let has_manifest = |dir: &Path| ambient::is_file(&dir.join("alc.toml"));
    named_project(global).or_else(|| ambient::find_ancestor(&ambient::working_dir()?, has_manifest))
}

fn read_config(path: &Path, may_be_missing: bool) -> Result<Config, CommandError> {
    let text = match ambient::read_text(path, MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(AppDirError::NotFound(_)) if may_be_missing => String::new(),
        Err(error) => {
            let hint = "name another file with --config FILE, or leave it out to read the default one";
            return Err(CommandError::with_cause(
                format!("cannot read the configuration {}", path.display()),
                error,
                hint,
            ));
        }
    };
    Config::parse(&text).map_err(|error| {
        let hint = "correct the configuration; run wardroom help config to see every key";
        CommandError::with_cause(format!("invalid configuration {}", path.display()), error, hint)
    })
}

/// An environment variable; an empty one counts as unset.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the environment")]
pub(crate) fn env_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The entries of a list separated by `|`, without duplicates.
fn split_list(list: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for entry in list.split('|').map(str::trim).filter(|entry| !entry.is_empty()) {
        if !entries.iter().any(|known| known == entry) {
            entries.push(entry.to_owned());
        }
    }
    entries
}

fn no_home_error(flag: &str) -> CommandError {
    CommandError::new("this user has no home folder", format!("name the path with {flag}"))
}
