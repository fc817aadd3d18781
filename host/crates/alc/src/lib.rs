//! `alc://`: packages of Lua strategies and the records of their runs.
//!
//! Owns: the two fixed resources and seven templates of the specification, the additions that the operator may enable,
//! and the tools of the original.
//! Never: runs Lua to serve a read, or names a file outside the folders it was given.

pub mod alc_uri;
mod cards;
mod complete;
mod dependencies;
mod descriptors;
pub mod error_code;
pub mod evals;
mod extract;
mod git_source;
mod grants;
mod hub;
mod info;
mod lenient_args;
pub mod limits;
mod listing;
mod log_view;
mod logs;
mod meta;
mod notes;
mod package_lookup;
mod parallel;
mod pkg;
mod project_files;
mod provide_resources;
mod rows;
mod runs;
mod samples;
mod scenarios;
mod stale_temp;
pub mod state;
mod stats;
mod tool;
mod tools;
mod top_n;
pub mod transcript;
mod truncate;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error_code as code;
use wardroom_rules::alc::{ALC_SCHEME, ALC_SCHEME_V2};

use self::cards::{CardIndex, CardSinks};
pub use self::cards::{CardSink, PreparedCard};
pub use self::extract::render_metadata;
pub use self::grants::OperatorSettings;
use self::meta::MetadataCache;
pub use self::package_lookup::PackageMount;
pub use self::pkg::{PackageInstallRequest, PackageOrigin, is_repository_url};
use self::project_files::PackageTableCache;
use self::runs::Runs;
pub use self::runs::{RunSettings, StoredRun, list_runs, read_run_journal, remove_expired_runs, remove_run};
use self::state::StateStore;
use wardroom_appdir::{Folder, LineIndexCache};
use wardroom_base::payload::Payload;
use wardroom_base::uri::Scheme;
use wardroom_config::AlcConfig;
use wardroom_lua::WorkerPool;
use wardroom_net::limits::MAX_DOCUMENT_BYTES;
use wardroom_net::{GitFetcher, HttpFetcher};
use wardroom_sandbox::Sandbox;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_INLINE_READ_BYTES};
use wardroom_service::{
    RequestInfo, ResourceProvider, ScriptApi, Service, ServiceError, SizeLimits, ToolProvider, escape_and_truncate,
};

/// The folders granted to this service, opened before the first request.
pub struct AlcFolders {
    /// The AppDir.
    pub app: Folder,
    /// The folder of transcripts, when it is not in the AppDir.
    pub logs: Option<Folder>,
    /// The project whose `alc.local.toml` names variant packages.
    pub project: Option<Project>,
    /// Packages and folders of packages granted by the operator, in order of precedence.
    pub package_mounts: Vec<PackageMount>,
}

/// A project's folder. The path serves only to recognise paths that lead into the folder.
pub struct Project {
    pub folder: Folder,
    pub path: PathBuf,
}

pub struct Alc {
    folders: AlcFolders,
    sandbox: Arc<Sandbox>,
    indexes: LineIndexCache,
    metadata_cache: MetadataCache,
    variants_cache: PackageTableCache,
    requirements_cache: PackageTableCache,
    links_cache: PackageTableCache,
    operator: OperatorSettings,
    /// Folders whose files tools may use and that hold no packages, each with its path to recognise paths into it.
    file_mounts: Vec<(Folder, PathBuf)>,
    config: AlcConfig,
    keeps_logs: bool,
    /// `None` in commands that only read, where no strategy runs.
    runs: Option<Runs>,
    cards: CardIndex,
    sinks: CardSinks,
    /// The fetcher processes; `None` where the operator does not allow them.
    git: Option<GitFetcher>,
    http: Option<Arc<HttpFetcher>>,
    hub: hub::RemoteIndices,
}

/// The folders of the AppDir that this service writes to.
const WRITABLE_DIRS: [&str; 10] =
    ["cache", "cards", "evals", "hub_cache", "logs", "packages", "runs", "scenarios", "state", "types"];

/// The size limits of a document that is returned whole.
const DOCUMENT_LIMITS: SizeLimits =
    SizeLimits { inline: MAX_INLINE_READ_BYTES, worker: LARGE_RESPONSE_THRESHOLD_BYTES, large: MAX_DOCUMENT_BYTES };

impl Alc {
    /// Creates the service as the specification defines it, without additions.
    #[must_use]
    pub fn new(folders: AlcFolders, sandbox: Arc<Sandbox>, indexes: LineIndexCache) -> Self {
        let additions = AlcConfig::default();
        Self {
            folders,
            sandbox,
            indexes,
            metadata_cache: MetadataCache::default(),
            variants_cache: PackageTableCache::default(),
            requirements_cache: PackageTableCache::default(),
            links_cache: PackageTableCache::default(),
            operator: OperatorSettings::default(),
            file_mounts: Vec::new(),
            config: additions,
            keeps_logs: true,
            runs: None,
            cards: CardIndex::default(),
            sinks: CardSinks::default(),
            git: None,
            http: None,
            hub: hub::RemoteIndices::default(),
        }
    }

    /// Adds the fetcher processes.
    #[must_use]
    pub fn with_network(self, git: Option<GitFetcher>, http: Option<Arc<HttpFetcher>>) -> Self {
        Self { git, http, ..self }
    }

    /// Adds the worker processes that strategies run in.
    #[must_use]
    pub fn with_runs(self, pool: Arc<WorkerPool>, settings: RunSettings) -> Self {
        Self { runs: Some(Runs::new(pool, settings)), ..self }
    }

    /// Sets whether transcripts of runs are kept.
    #[must_use]
    pub fn with_transcripts(self, keeps_logs: bool) -> Self {
        Self { keeps_logs, ..self }
    }

    /// Sets the additions that the operator enabled.
    #[must_use]
    pub fn with_config(self, additions: AlcConfig) -> Self {
        Self { config: additions, ..self }
    }

    /// Adds folders that receive a copy of each card.
    #[must_use]
    pub fn with_sinks(self, sinks: Vec<CardSink>) -> Self {
        Self { sinks: CardSinks::new(sinks), ..self }
    }

    /// Adds folders of files that tools may use.
    #[must_use]
    pub fn with_mounts(self, files: Vec<(Folder, PathBuf)>) -> Self {
        Self { file_mounts: files, ..self }
    }

    /// Sets the operator's settings: the command in advice, the aliases of paths, and the network rules.
    #[must_use]
    pub fn with_operator(self, operator: OperatorSettings) -> Self {
        Self { operator, ..self }
    }

    fn runs(&self) -> Result<&Runs, ServiceError> {
        let none = || ServiceError::tool(code::NO_RUNS, "this server runs no strategies: it has no processes for them");
        self.runs.as_ref().ok_or_else(none)
    }

    fn state(&self) -> StateStore {
        StateStore::new(self.folders.app.clone())
    }

    /// Refuses every project but the one that was chosen when the server started.
    fn check_project(&self, requested: Option<&str>) -> Result<(), ServiceError> {
        let Some(requested) = requested.filter(|requested| !requested.is_empty()) else { return Ok(()) };
        let known = self.folders.project.as_ref().map(|project| project.path.as_path());
        if known.is_some() && grants::absolute_path(self, requested).as_deref() == known {
            return Ok(());
        }
        let message = format!(
            "{} is not the project of this server, and a call cannot choose another one: start `wardroom --project \
             DIR`",
            escape_and_truncate(requested)
        );
        Err(ServiceError::tool(code::NOT_MOUNTED, message))
    }

    fn active_scheme(&self) -> &'static Scheme {
        if self.config.v2 { &ALC_SCHEME_V2 } else { &ALC_SCHEME }
    }
}

impl Service for Alc {
    fn name(&self) -> &'static str {
        "alc"
    }

    fn instructions(&self) -> &'static str {
        "Lua strategy packages, and the records of their runs. alc_advice runs a package, alc_run runs code; when the answer \
         has status needs_response, answer its prompts with alc_continue (session_id, query_id, response) until the status \
         is completed. Resources: alc://packages/{name}/meta (what a package is for), alc://packages/{name}/init.lua (its \
         source), alc://cards/{card_id} and alc://cards/{card_id}/samples?offset=N&limit=M (a run and its rows), \
         alc://scenarios/{name}, alc://eval/{result_id}, alc://logs/{session_id}?limit=N&max_chars=C, \
         alc://types/alc.d.lua (what scripts can call). completion/complete lists the names that exist; \
         extract_package_meta reads the metadata of source text that is not installed."
    }

    fn warm_up(&self) {
        if let Err(error) = self.sandbox.prepare() {
            tracing::error!(%error, "the sandbox does not start");
        }
        if let Some(runs) = &self.runs {
            runs.prepare();
        }
        self.sweep_stale_temp();
    }

    fn writable_dirs(&self) -> &'static [&'static str] {
        &WRITABLE_DIRS
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        Some(self)
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }

    fn script_api(self: Arc<Self>) -> Option<Arc<dyn ScriptApi>> {
        Some(self)
    }
}

impl ScriptApi for Alc {
    fn handle(&self, operation: &str, arguments: &Payload, info: &RequestInfo) -> Option<Result<Payload, String>> {
        let done = self.execute_standalone_call(operation, &arguments.clone().into_value(), info)?;
        Some(done.map(Payload::from_value))
    }
}
