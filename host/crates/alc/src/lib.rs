//! `alc://`: packages of Lua strategies and the records of their runs.
//!
//! Owns: the two fixed resources and seven templates of the specification, what the operator may switch on beside
//! them, and the tools of the original.
//! Never: runs Lua to read something, or names a file outside the folders it was given.

mod cards;
mod complete;
mod descriptors;
pub mod evals;
mod extract;
mod fetched;
mod hub;
pub mod ids;
mod info;
mod leftovers;
mod listing;
mod log_text;
mod log_view;
mod logs;
mod loose;
mod meta;
mod newest;
mod notes;
mod packages;
mod parallel;
mod pkg;
mod places;
mod project_files;
mod rows;
mod runs;
mod samples;
mod scenarios;
pub mod state;
mod stats;
mod tools;
pub mod transcript;
mod watched;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use wardroom_rules::alc::{SCHEME, SCHEME_V2};

use self::cards::{CardIndex, Sinks};
pub use self::cards::{Prepared, Sink};
pub use self::extract::extracted;
use self::ids::{AlcUri, TypesFile};
use self::meta::MetaCache;
pub use self::packages::Linked;
pub use self::pkg::{Installing, Source, is_repository};
pub use self::places::Operator;
use self::project_files::EntriesCache;
use self::runs::Runs;
pub use self::runs::{RunSettings, Stored, drop_session, journal_text, sessions, sweep};
use self::state::State;
use wardroom_appdir::{Folder, LineIndexes};
use wardroom_base::limits::{LARGE_BYTES, LIGHT_BYTES, MAX_DOCUMENT_BYTES};
use wardroom_base::payload::Payload;
use wardroom_base::uri::Scheme;
use wardroom_config::AlcConfig;
use wardroom_lua::{Pool, type_stubs};
use wardroom_net::{Git, Http};
use wardroom_sandbox::Sandbox;
use wardroom_service::{
    CallContext, Completing, Content, Listing, ResourceEntry, Service, ServiceError, Sizes, TemplateEntry, ToolAnswer,
    ToolEntry, Watched, mime, shown,
};

/// The folders that this service was given, opened before the first request.
pub struct AlcFolders {
    /// The AppDir.
    pub app: Folder,
    /// Where transcripts are, when not in the AppDir.
    pub logs: Option<Folder>,
    /// The project whose `alc.local.toml` names variant packages.
    pub project: Option<Project>,
    /// Packages, and folders of packages, that the operator granted; in order of precedence.
    pub linked: Vec<Linked>,
}

/// A project's folder. Its path only serves to recognise paths that lead into it.
pub struct Project {
    pub folder: Folder,
    pub path: PathBuf,
}

pub struct Alc {
    folders: AlcFolders,
    sandbox: Arc<Sandbox>,
    indexes: LineIndexes,
    metadata: MetaCache,
    variants: EntriesCache,
    requirements: EntriesCache,
    links: EntriesCache,
    operator: Operator,
    /// Folders whose files tools may use, and that hold no packages; with their paths, to recognise those that lead there.
    files: Vec<(Folder, PathBuf)>,
    additions: AlcConfig,
    keeps_logs: bool,
    /// Nothing where no strategy runs: in commands that only read.
    runs: Option<Runs>,
    cards: CardIndex,
    sinks: Sinks,
    /// What fetches, where the operator allows it.
    git: Option<Git>,
    http: Option<Arc<Http>>,
    hub: hub::Remote,
}

/// What this service writes, each in its folder of the AppDir.
const WRITTEN: [&str; 10] =
    ["cache", "cards", "evals", "hub_cache", "logs", "packages", "runs", "scenarios", "state", "types"];

/// A document that is answered whole.
const DOCUMENT: Sizes = Sizes { light: LIGHT_BYTES, shared: LARGE_BYTES, most: MAX_DOCUMENT_BYTES };

/// One read: the URI that answers and refusals name, and what the call may do.
struct Ask<'a> {
    uri: &'a str,
    context: &'a CallContext,
}

impl Alc {
    /// What the specification has, and no more.
    #[must_use]
    pub fn new(folders: AlcFolders, sandbox: Arc<Sandbox>, indexes: LineIndexes) -> Self {
        let additions = AlcConfig::default();
        Self {
            folders,
            sandbox,
            indexes,
            metadata: MetaCache::default(),
            variants: EntriesCache::default(),
            requirements: EntriesCache::default(),
            links: EntriesCache::default(),
            operator: Operator::default(),
            files: Vec::new(),
            additions,
            keeps_logs: true,
            runs: None,
            cards: CardIndex::default(),
            sinks: Sinks::default(),
            git: None,
            http: None,
            hub: hub::Remote::default(),
        }
    }

    /// The same, with processes that fetch.
    #[must_use]
    pub fn fetching(self, git: Option<Git>, http: Option<Arc<Http>>) -> Self {
        Self { git, http, ..self }
    }

    /// The same, with the processes that strategies run in.
    #[must_use]
    pub fn running(self, pool: Arc<Pool>, settings: RunSettings) -> Self {
        Self { runs: Some(Runs::new(pool, settings)), ..self }
    }

    /// The same, which keeps transcripts of runs or not.
    #[must_use]
    pub fn keeping_logs(self, keeps_logs: bool) -> Self {
        Self { keeps_logs, ..self }
    }

    /// The same, with what the operator switched on.
    #[must_use]
    pub fn offering(self, additions: AlcConfig) -> Self {
        Self { additions, ..self }
    }

    /// The same, with folders that get a copy of each card.
    #[must_use]
    pub fn mirroring(self, sinks: Vec<Sink>) -> Self {
        Self { sinks: Sinks::new(sinks), ..self }
    }

    /// The same, with folders of files that tools may use.
    #[must_use]
    pub fn reaching(self, files: Vec<(Folder, PathBuf)>) -> Self {
        Self { files, ..self }
    }

    /// The same, with what messages say about it and what may be reached.
    #[must_use]
    pub fn operated(self, operator: Operator) -> Self {
        Self { operator, ..self }
    }

    fn runs(&self) -> Result<&Runs, ServiceError> {
        let none = || ServiceError::tool("NO_RUNS", "no strategy runs here: this server has no processes for them");
        self.runs.as_ref().ok_or_else(none)
    }

    fn state(&self) -> State {
        State::new(self.folders.app.clone())
    }

    /// The project is chosen when the server starts.
    fn check_project(&self, asked: Option<&str>) -> Result<(), ServiceError> {
        let Some(asked) = asked.filter(|asked| !asked.is_empty()) else { return Ok(()) };
        let known = self.folders.project.as_ref().map(|project| project.path.as_path());
        if known.is_some() && places::absolute(self, asked).as_deref() == known {
            return Ok(());
        }
        let message = format!(
            "{} is not the project that this server was started for, and another one cannot be chosen by a call: start \
             `wardroom --project DIR`",
            shown(asked)
        );
        Err(ServiceError::tool("NOT_MOUNTED", message))
    }

    fn table(&self) -> &'static Scheme {
        if self.additions.v2 { &SCHEME_V2 } else { &SCHEME }
    }

    /// Type stubs: those of the AppDir, or where nobody has put any there, those that are put there.
    fn types(&self, file: TypesFile, ask: &Ask) -> Result<Content, ServiceError> {
        match self.text(&format!("types/{}", file.file_name()), mime::LUA, ask) {
            Err(ServiceError::NotFound { uri }) => {
                static OWN: LazyLock<[(&str, String); 2]> = LazyLock::new(type_stubs);
                let own = OWN.iter().find(|(name, _)| *name == file.file_name());
                let (_, text) = own.ok_or(ServiceError::NotFound { uri })?;
                if text.len() as u64 > ask.context.within(DOCUMENT) {
                    return Err(ServiceError::Later);
                }
                Ok(Content::new(mime::LUA, text.clone(), None))
            }
            found => found,
        }
    }

    /// A text file below the AppDir, whole.
    fn text(&self, name: &str, mime_type: &'static str, ask: &Ask) -> Result<Content, ServiceError> {
        let read = self.folders.app.read_text(name, ask.context.within(DOCUMENT));
        let uri = ask.uri;
        let (text, modified) = read.map_err(|error| ServiceError::reading(uri, error))?;
        Ok(Content::new(mime_type, text, modified))
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

    fn prepare(&self) {
        if let Err(error) = self.sandbox.prepare() {
            tracing::error!(%error, "the sandbox does not start");
        }
        if let Some(runs) = &self.runs {
            runs.prepare();
        }
        self.sweep_leftovers();
    }

    fn writes(&self) -> &'static [&'static str] {
        &WRITTEN
    }

    fn scheme(&self) -> Option<&'static Scheme> {
        Some(self.table())
    }

    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        self.listing(mark, limit, context)
    }

    fn templates(&self, _context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        descriptors::templates(self.table()).into_iter().map(Arc::new).collect()
    }

    fn tools(&self, _context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        Ok(tools::entries(self.folders.app.is_read_only()))
    }

    fn has_tool(&self, name: &str, _context: &CallContext) -> bool {
        tools::find(name).is_some()
    }

    fn read(&self, uri: &str, context: &CallContext) -> Result<Content, ServiceError> {
        let ask = &Ask { uri, context };
        match AlcUri::parse(self.table(), uri)? {
            AlcUri::Types(file) => self.types(file, ask),
            AlcUri::HubIndex => self.hub_index(ask),
            AlcUri::PackageSource(name) => self.package_source(&name, ask),
            AlcUri::PackageMeta(name) => self.package_meta(&name, ask),
            AlcUri::PackageNarrative(name) => self.package_narrative(&name, ask),
            AlcUri::Card(card) => self.card(&card, ask),
            AlcUri::Samples { card, offset, limit } => self.samples(&card, offset, limit, ask),
            AlcUri::Scenario(name) => self.text(&format!("scenarios/{name}.lua"), mime::LUA, ask),
            AlcUri::Eval(eval) => self.eval(&eval, ask),
            AlcUri::Log { session, limit, max_chars } => self.log(&session, limit, max_chars, ask),
        }
    }

    fn check(&self, uri: &str, _context: &CallContext) -> Result<(), ServiceError> {
        AlcUri::parse(self.table(), uri).map(drop)
    }

    fn watched(&self, uri: &str, context: &CallContext) -> Result<Watched, ServiceError> {
        Ok(self.watch(&AlcUri::parse(self.table(), uri)?, &Ask { uri, context }))
    }

    fn watched_list(&self, _context: &CallContext) -> Watched {
        self.watch_list()
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let found = tools::find(tool).ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?;
        if !found.hints.read_only && self.folders.app.is_read_only() {
            return Err(ServiceError::Tool {
                code: "READ_ONLY",
                message: format!("{tool} writes, and this server was started with --read-only"),
                details: None,
            });
        }
        (found.call)(self, arguments, context)
    }

    fn operation(
        &self,
        operation: &str,
        arguments: &Payload,
        context: &CallContext,
    ) -> Option<Result<Payload, String>> {
        let done = self.lone_operation(operation, &arguments.clone().into_value(), context)?;
        Some(done.map(Payload::from_value))
    }

    fn complete(&self, completing: &Completing, context: &CallContext) -> Result<Option<Vec<String>>, ServiceError> {
        match completing {
            Completing::Variable { template, variable, prefix } => {
                self.complete_variable(template, variable, prefix, context)
            }
            Completing::Argument { .. } => Ok(None),
        }
    }
}
