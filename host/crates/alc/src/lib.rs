//! `alc://`: packages of Lua strategies and the records of their runs.
//!
//! Owns: the two fixed resources and seven templates of the specification, the additions that the operator may enable,
//! and the tools of the original.
//! Gives: the service, and its stores: each owns one folder and its format, and can be built alone.
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
mod json_fields;
pub mod limits;
mod listed_names;
mod listing;
mod log_view;
mod logs;
mod notes;
mod package_tools;
mod packages;
mod pages;
mod parallel;
mod provide_resources;
mod recent;
mod reserved_names;
mod rows;
mod runs;
mod scenarios;
mod session_owner;
mod stale_temp;
pub mod state;
mod stats;
mod storage_error;
mod stored_json;
mod sync;
mod tool;
mod tools;
mod top_n;
mod truncate;
mod type_stubs;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error_code as code;
use wardroom_rules::alc::{ALC_SCHEME, ALC_SCHEME_V2};

pub use self::cards::{
    CardFigures, CardFilter, CardIndexOptions, CardOperation, CardSink, CardStore, PreparedCard, perform_card_operation,
};
pub use self::evals::EvalStore;
pub use self::extract::render_metadata;
pub use self::git_source::GIT_CACHE;
use self::git_source::GitSource;
pub use self::grants::{
    Grant, OperatorSettings, PackageMount, PathGrants, Project, ProtectedFolder, Protection, is_private_dir,
};
pub use self::hub::HubIndex;
pub use self::logs::{LogEntry, LogStore, transcript};
pub use self::package_tools::{PackageInstallRequest, PackageInstaller, is_repository_url};
pub use self::packages::{ImportMode, PackageOrigin, PackageStore};
use self::recent::RecentDocuments;
pub use self::reserved_names::find_name_conflicts;
pub use self::runs::{LogNews, LogPosition, RunSettings, RunStore, RunSummary, StoredRun};
use self::runs::{Runs, ScriptStores};
pub use self::scenarios::ScenarioStore;
use self::state::StateStore;
use wardroom_appdir::{CacheDir, Folder, LineIndexCache};
use wardroom_base::payload::Payload;
use wardroom_base::permits::ThreadPermits;
use wardroom_base::uri::Scheme;
use wardroom_config::{AlcConfig, NetworkConfig};
use wardroom_lua::WorkerPool;
use wardroom_net::{GitFetcher, HttpFetcher};
use wardroom_sandbox::Sandbox;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_INLINE_READ_BYTES};
use wardroom_service::{
    DocumentLimits, PageProvider, RequestInfo, ResourceProvider, ScriptApi, Service, ServiceError, ToolProvider,
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

/// The settings and capabilities of the service besides its folders. The default is the specification, without
/// additions.
pub struct AlcOptions {
    /// Where the caches are; in the AppDir by default.
    pub cache: Option<CacheDir>,
    /// Whether the system is asked which cards changed.
    pub watches_folders: bool,
    /// The additions that the operator enabled.
    pub config: AlcConfig,
    /// The command in advice, and the paths by which granted folders are recognised.
    pub operator: OperatorSettings,
    /// Folders whose files tools may use and that hold no packages, each with its path to recognise paths into it.
    pub file_mounts: Vec<(Folder, PathBuf)>,
    /// Folders of other services that may lie within these.
    pub protected: Vec<ProtectedFolder>,
    /// Folders that receive a copy of each card.
    pub card_sinks: Vec<CardSink>,
    /// Whether the transcripts of runs are kept.
    pub keeps_transcripts: bool,
    /// The worker processes that strategies run in; `None` in commands that only read, where no strategy runs.
    pub runs: Option<(Arc<WorkerPool>, RunSettings)>,
    pub network: NetworkConfig,
    /// The fetcher processes; `None` where the operator does not allow them.
    pub git: Option<GitFetcher>,
    pub http: Option<Arc<HttpFetcher>>,
}

impl Default for AlcOptions {
    fn default() -> Self {
        Self {
            cache: None,
            watches_folders: true,
            config: AlcConfig::default(),
            operator: OperatorSettings::default(),
            file_mounts: Vec::new(),
            protected: Vec::new(),
            card_sinks: Vec::new(),
            keeps_transcripts: true,
            runs: None,
            network: NetworkConfig::default(),
            git: None,
            http: None,
        }
    }
}

/// The service: it routes each request to the stores that it needs, none of which knows the service.
pub struct Alc {
    config: AlcConfig,
    app: Folder,
    cache: CacheDir,
    grants: Arc<PathGrants>,
    sandbox: Arc<Sandbox>,
    packages: Arc<PackageStore>,
    cards: Arc<CardStore>,
    scenarios: Arc<ScenarioStore>,
    evals: Arc<EvalStore>,
    logs: Arc<LogStore>,
    hub: Arc<HubIndex>,
    git: GitSource,
    run_store: Arc<RunStore>,
    recent: Arc<RecentLists>,
    /// The stores that scripts use.
    scripts: Arc<ScriptStores>,
    /// `None` in commands that only read, where no strategy runs.
    runs: Option<Runs>,
}

/// What is stored, for `resources/list`.
struct RecentLists {
    cards: RecentDocuments,
    evals: RecentDocuments,
    logs: RecentDocuments,
}

impl RecentLists {
    /// Creates lists that know of so many documents each, and are kept among the caches.
    fn new(max_documents: usize, cache: &CacheDir) -> Self {
        let of = |file| RecentDocuments::new(max_documents, cache.clone(), file);
        Self { cards: of("recent-cards.index"), evals: of("recent-evals.index"), logs: of("recent-logs.index") }
    }
}

/// The folders of the AppDir that this service writes to.
const WRITABLE_DIRS: [&str; 10] =
    ["cache", "cards", "evals", "hub_cache", "logs", "packages", "runs", "scenarios", "state", "types"];

/// The size limits of a document that is returned whole.
const DOCUMENT_LIMITS: DocumentLimits =
    DocumentLimits { inline: MAX_INLINE_READ_BYTES, worker: LARGE_RESPONSE_THRESHOLD_BYTES, large: MAX_DOCUMENT_BYTES };

impl Alc {
    /// Creates the service as the specification defines it, without additions.
    #[must_use]
    pub fn new(folders: AlcFolders, sandbox: Arc<Sandbox>, indexes: LineIndexCache) -> Self {
        Self::with_options(folders, sandbox, indexes, AlcOptions::default())
    }

    /// Creates the service with the operator's settings.
    #[must_use]
    pub fn with_options(
        folders: AlcFolders,
        sandbox: Arc<Sandbox>,
        indexes: LineIndexCache,
        options: AlcOptions,
    ) -> Self {
        let AlcFolders { app, logs, project, package_mounts } = folders;
        let AlcOptions {
            cache,
            watches_folders,
            config,
            operator,
            file_mounts,
            protected,
            card_sinks,
            keeps_transcripts,
            runs,
            network,
            git,
            http,
        } = options;
        let cache = cache.unwrap_or_else(|| CacheDir::in_app(&app));
        let git = GitSource::new(cache.clone(), git, network.git, operator.command.clone());
        let hub = Arc::new(HubIndex::new(app.clone(), network.hub, http));
        let grants = Arc::new(PathGrants::new(app.clone(), project, package_mounts, file_mounts, protected, operator));
        let packages = Arc::new(PackageStore::new(app.clone(), Arc::clone(&grants), Arc::clone(&sandbox)));
        let recent = Arc::new(RecentLists::new(config.max_records(), &cache));
        let index = CardIndexOptions { cache: cache.clone(), max_cards: config.max_records(), watches_folders };
        let cards = Arc::new(CardStore::new(app.clone(), index, indexes, card_sinks));
        let scenarios = Arc::new(ScenarioStore::new(app.clone()));
        let evals = Arc::new(EvalStore::new(app.clone()));
        let logs = Arc::new(LogStore::new(app.clone(), logs, keeps_transcripts));
        let run_store = Arc::new(RunStore::new(app.clone()));
        let scripts = Arc::new(ScriptStores {
            large_permits: ThreadPermits::new(limits::MAX_LARGE_SCRIPT_OPERATIONS),
            packages: Arc::clone(&packages),
            cards: Arc::clone(&cards),
            scenarios: Arc::clone(&scenarios),
            state: StateStore::new(app.clone()),
            evals: Arc::clone(&evals),
            logs: Arc::clone(&logs),
        });
        let runs = runs.map(|(pool, settings)| {
            Runs::new(Arc::clone(&run_store), Arc::clone(&scripts), pool, settings, config.sampling)
        });
        Self {
            config,
            app,
            cache,
            grants,
            sandbox,
            packages,
            cards,
            scenarios,
            evals,
            logs,
            hub,
            git,
            run_store,
            recent,
            scripts,
            runs,
        }
    }

    /// Returns the stores that an installation changes.
    #[must_use]
    pub fn package_installer(&self) -> PackageInstaller<'_> {
        PackageInstaller { packages: &self.packages, cards: &self.cards, scenarios: &self.scenarios, git: &self.git }
    }

    /// Returns the cards of the AppDir.
    #[must_use]
    pub fn cards(&self) -> &CardStore {
        &self.cards
    }

    /// Returns the evals of the AppDir.
    #[must_use]
    pub fn evals(&self) -> &EvalStore {
        &self.evals
    }

    /// Returns the runs of this process, where strategies run.
    fn runs(&self) -> Result<&Runs, ServiceError> {
        let none = || ServiceError::tool(code::NO_RUNS, "this server runs no strategies: it has no processes for them");
        self.runs.as_ref().ok_or_else(none)
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
         alc://types/alc.d.lua (what scripts can call). completion/complete lists the names that exist. \
         extract_package_meta, which find_tools finds where it is not listed, reads the metadata of source text."
    }

    fn warm_up(&self) {
        if let Err(error) = self.sandbox.prepare() {
            tracing::error!(%error, "the sandbox does not start");
        }
        let sinks = self.cards.sink_folders().map(|folder| ("ALC_CARD_SINKS", folder));
        let logs = self.logs.separate_folder().map(|folder| ("ALC_LOG_DIR", folder));
        stale_temp::sweep_stale_temp(&self.app, &self.cache, sinks.chain(logs));
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

    fn pages(self: Arc<Self>) -> Option<Arc<dyn PageProvider>> {
        Some(self)
    }

    fn script_api(self: Arc<Self>) -> Option<Arc<dyn ScriptApi>> {
        Some(self)
    }
}

impl ScriptApi for Alc {
    fn handle(&self, operation: &str, arguments: &Payload, info: &RequestInfo) -> Option<Result<Payload, String>> {
        let _held = match info.memory.lease(arguments.value_bytes()) {
            Ok(held) => held,
            Err(error) => return Some(Err(format!("{operation}: {error}"))),
        };
        let arguments = arguments.to_value();
        runs::execute_standalone_call(&self.scripts, self.runs.as_ref(), operation, &arguments, info)
    }
}
