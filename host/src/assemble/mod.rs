//! Assembly of the server: settings become open folders, and folders become services.
//!
//! Owns: the list of services. The inputs of a single service are assembled in its own file.

mod ace;
mod ace_paths;
mod alc;
mod blog;
mod cache;
pub(crate) mod editor_files;
pub(crate) mod file_system;
mod handler_mounts;
pub(crate) mod helpers;
pub(crate) mod isolation_probe;
mod registry;
pub(crate) mod seal_key;
pub(crate) mod settings;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::helpers::FetchHelpers;
use self::settings::{AppDirSource, Settings};
use crate::report::{self, CommandError, CommandWarning, SELF_START_HINT};
use wardroom_agent_tools::AgentsService;
use wardroom_agents::AgentHelper;
use wardroom_appdir::{Access, AppDirError, CacheDir, Folder, ambient};
use wardroom_base::activity::Activity;
use wardroom_config::{DocsListing, ListedTools};
use wardroom_docs::DocsService;
use wardroom_lua::{Spawner, WorkerConfinement, WorkerMemory, WorkerPool};
use wardroom_mcp::ServerIdentity;
use wardroom_mcp::limits::CONTINUATION_TOKEN_TTL;
use wardroom_process::confine::{FolderRights, Grants};
use wardroom_ranking::closest_name;
use wardroom_resource_tools::ResourcesService;
use wardroom_sandbox::{GuestImage, Sandbox};
use wardroom_service::audit::AuditTrail;
use wardroom_service::tasks::{self, TaskStore};
use wardroom_service::{Caller, Catalogue, ContinuationStore, RequestInfo, Service, Transport};
use wardroom_tool_search::ToolSearchService;

pub(crate) use self::ace::{
    bullet_review, create_learning_places, learning_places, playbook_path, preview_learning, standalone_ace,
};
pub(crate) use self::alc::{missing_grant_warnings, standalone_alc};
pub(crate) use self::blog::{check_apart, has_blog, is_own_app_dir, refuse_site, standalone_blog};
pub(crate) use self::cache::open_cache_dir;
pub(crate) use self::handler_mounts::check_writable_mount;
pub(crate) use self::registry::{REGISTRY_DIR, checking_registry, standalone_registry};

/// All services, by their names in the configuration.
const SERVICE_BUILDERS: [(&str, ServiceBuilder); 8] = [
    ("alc", |parts, _| Ok(Arc::new(alc::build(parts)?))),
    ("blog", |parts, _| Ok(Arc::new(blog::build(parts)?))),
    ("ace", |parts, _| Ok(Arc::new(ace::build(parts)?))),
    ("resources", |_, _| Ok(Arc::new(ResourcesService))),
    ("tools", |_, _| Ok(Arc::new(ToolSearchService::default()))),
    ("agents", |parts, _| Ok(Arc::new(AgentsService::new(parts.agents_helper.take())))),
    ("docs", |parts, _| Ok(Arc::new(DocsService { listing: parts.docs_listing }))),
    // Built last: it must not reuse the tool names and URIs of the others.
    ("registry", |parts, others| Ok(Arc::new(registry::build(parts, others.to_vec())?))),
];

type ServiceBuilder = fn(&ServiceInputs<'_>, &[Arc<dyn Service>]) -> Result<Arc<dyn Service>, CommandError>;

/// The process that services are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AssembledFor {
    /// A command, which has the rights of its user.
    Command,
    /// A server, which is confined to its folders.
    Server,
}

/// What a server has besides its folders.
struct ServerProcesses {
    /// The pool of worker processes, if Lua runs.
    pool: Option<Arc<WorkerPool>>,
    fetchers: FetchHelpers,
    agents: Option<(AgentHelper, String)>,
}

/// The inputs from which services are built.
struct ServiceInputs<'s> {
    settings: &'s Settings,
    purpose: AssembledFor,
    app: Folder,
    cache: CacheDir,
    trail: AuditTrail,
    sandbox: Arc<Sandbox>,
    /// The pool of worker processes, if Lua runs, and the fetch helpers.
    pool: Option<Arc<WorkerPool>>,
    helpers: RefCell<FetchHelpers>,
    /// The helper that edits agents' files, and the command line that starts this server by hand.
    agents_helper: RefCell<Option<(AgentHelper, String)>>,
    warn: WarningSink<'s>,
    /// Whether the pages of the documentation are listed: always for a person, as configured for a client.
    docs_listing: DocsListing,
    /// Folders that services get besides the AppDir.
    extra_grants: RefCell<Vec<(Folder, FolderRights)>>,
}

impl<'s> ServiceInputs<'s> {
    /// The inputs of a service that is built alone, which runs no Lua.
    fn standalone(settings: &'s Settings, warn: WarningSink<'s>) -> Result<Self, CommandError> {
        let app = open_app_dir(settings)?;
        Ok(Self {
            settings,
            purpose: AssembledFor::Command,
            cache: open_cache_dir(settings, &app)?,
            trail: AuditTrail::new(&app),
            app,
            sandbox: Arc::new(Sandbox::new(GuestImage::embedded())),
            pool: None,
            helpers: RefCell::default(),
            agents_helper: RefCell::default(),
            warn,
            docs_listing: DocsListing::Listed,
            extra_grants: RefCell::default(),
        })
    }
}

/// The services and their folders.
pub(crate) struct AssembledServices {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) app: Folder,
    cache: CacheDir,
    /// The store of tasks, if a service may create some.
    pub(crate) tasks: Option<TaskStore>,
    /// The continuation tokens that were used; `None` where the AppDir cannot be written.
    pub(crate) continuations: Option<ContinuationStore>,
    /// The requests of a server, which its transport notes there.
    pub(crate) activity: Activity,
    /// The memory of the processes that run scripts, if any run.
    pub(crate) workers: Option<Arc<WorkerMemory>>,
    /// Whether a blog is offered.
    pub(crate) has_blog: bool,
    extra_grants: Vec<(Folder, FolderRights)>,
}

/// Receives warnings of parts that are skipped.
type WarningSink<'w> = &'w dyn Fn(CommandWarning);

/// Builds the configured services over the configured folders.
pub(crate) fn build_catalogue(settings: &Settings) -> Result<Arc<Catalogue>, CommandError> {
    Ok(build(settings, &|warning| report::print_warning(&warning))?.catalogue)
}

/// Builds the services of a server, with their folders, a worker pool and helpers.
pub(crate) fn build_server(
    settings: &Settings,
    agents: Option<(AgentHelper, String)>,
) -> Result<AssembledServices, CommandError> {
    let offered = LUA_SERVICES.iter().any(|service| settings.offers(service));
    // Strategies need to write; handlers do not.
    let pool = if offered && (settings.offers("registry") || !settings.read_only) {
        Some(start_lua_pool(settings)?)
    } else {
        None
    };
    let alone = ServiceInputs::standalone(settings, &|warning| report::print_warning(&warning))?;
    let fetchers = if offered { helpers::start_helpers(settings, &alone.cache)? } else { FetchHelpers::default() };
    let docs_listing = settings.config.services.docs;
    let parts = ServiceInputs { purpose: AssembledFor::Server, docs_listing, ..alone };
    build_with(parts, ServerProcesses { pool, fetchers, agents })
}

/// Builds the services of the review page: with a worker pool for runs that a person answers, and without helpers.
pub(crate) fn build_review(settings: &Settings) -> Result<AssembledServices, CommandError> {
    let pool = if settings.offers("alc") && !settings.read_only { Some(start_lua_pool(settings)?) } else { None };
    let alone = ServiceInputs::standalone(settings, &|warning| report::print_warning(&warning))?;
    let processes = ServerProcesses { pool, fetchers: FetchHelpers::default(), agents: None };
    build_with(ServiceInputs { purpose: AssembledFor::Server, ..alone }, processes)
}

/// The services that run Lua.
const LUA_SERVICES: [&str; 2] = ["alc", "registry"];

/// Makes the spawner of worker processes, since a confined server can start no process itself. Until the first worker is
/// needed it is a copy of this process that waits.
fn start_lua_pool(settings: &Settings) -> Result<Arc<WorkerPool>, CommandError> {
    const FAILED: &str = "cannot start the process that starts the workers";
    let walls =
        if settings.config.sandbox.require { WorkerConfinement::Required } else { WorkerConfinement::BestEffort };
    let missing = if walls == WorkerConfinement::Required { isolation_probe::missing_worker_walls()? } else { None };
    if let Some(missing) = missing {
        let what = format!("this server cannot be confined: {missing}, for the processes that run scripts");
        let hint = format!(
            "run {} doctor to see what is missing, or leave out `[sandbox] require = true`",
            settings.command_line()
        );
        return Err(CommandError::new(what, hint));
    }
    // By the time of the first worker, the program's path may be another program's.
    let program = if cfg!(target_os = "linux") { Ok(helpers::OWN_PROGRAM.into()) } else { ambient::current_exe() };
    let program = program.map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let memory = WorkerMemory::new(settings.config.worker_memory_bytes());
    let spawner = Spawner::start_with(&program, walls, memory)
        .map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    Ok(WorkerPool::new(spawner))
}

/// Builds the services of a command, without workers and helpers of theirs, with the given receiver of warnings.
pub(crate) fn build(settings: &Settings, warn: WarningSink) -> Result<AssembledServices, CommandError> {
    let none = ServerProcesses { pool: None, fetchers: FetchHelpers::default(), agents: None };
    build_with(ServiceInputs::standalone(settings, warn)?, none)
}

/// The names of all services.
pub(crate) fn service_names() -> [&'static str; SERVICE_BUILDERS.len()] {
    SERVICE_BUILDERS.map(|(name, _)| name)
}

/// Checks names of services.
///
/// # Errors
/// The first name that is not a service.
pub(crate) fn check_service_names<'n>(given: impl IntoIterator<Item = &'n String>) -> Result<(), CommandError> {
    let is_known = |name: &str| service_names().contains(&name);
    let Some(unknown) = given.into_iter().find(|name| !is_known(name)) else { return Ok(()) };
    let known = service_names();
    let hint = format!("{}the services are: {}", meant_service(unknown, known), known.join(", "));
    Err(CommandError::new(format!("unknown service: {unknown}"), hint))
}

/// Returns a question for the service that a mistyped name stands for; empty where there is none.
pub(crate) fn meant_service<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    closest_name(unknown, known).map(|meant| format!("did you mean {meant}? ")).unwrap_or_default()
}

fn build_with(alone: ServiceInputs<'_>, processes: ServerProcesses) -> Result<AssembledServices, CommandError> {
    let settings = alone.settings;
    check_service_names(settings.services.iter().flatten())?;
    let ServerProcesses { pool, fetchers, agents } = processes;
    let parts = ServiceInputs { pool, helpers: RefCell::new(fetchers), agents_helper: RefCell::new(agents), ..alone };
    let offered = SERVICE_BUILDERS.iter().filter(|(name, _)| settings.offers(name));
    // These services have tools only.
    let offered = offered.filter(|(name, _)| match *name {
        "agents" => settings.config.agents.tools,
        "tools" => settings.config.alc.tools == ListedTools::Core,
        _ => true,
    });
    let mut services = Vec::new();
    for (_, build) in offered {
        let service = build(&parts, &services)?;
        services.push(service);
    }
    let has_blog = services.iter().any(|service| service.name() == "blog" && Arc::clone(service).resources().is_some());
    let catalogue = Catalogue::new(services).with_audit(parts.trail.clone());
    let keeps = parts.pool.is_some() && catalogue.has_tasks() && !parts.app.is_read_only();
    let untold = |error| CommandError::with_cause("cannot open the folder of tasks", error, settings.doctor_hint());
    let tasks = keeps.then(|| TaskStore::open(&parts.app).map_err(untold));
    let is_writable = !parts.app.is_read_only();
    Ok(AssembledServices {
        continuations: is_writable.then(|| ContinuationStore::new(&parts.app, CONTINUATION_TOKEN_TTL)),
        activity: Activity::default(),
        workers: parts.pool.as_ref().map(|pool| Arc::clone(pool.memory())),
        catalogue: Arc::new(catalogue),
        has_blog,
        app: parts.app,
        cache: parts.cache,
        tasks: tasks.transpose()?,
        extra_grants: parts.extra_grants.into_inner(),
    })
}

impl AssembledServices {
    /// Writes what a new AppDir lacks, if the server has the service that needs it. A server that cannot write it serves all
    /// the same: what is missing is an error when it is read.
    pub(crate) fn prepare_app_dir(&self, settings: &Settings) {
        if settings.offers("alc") {
            let written = editor_files::write_if_new(&self.app);
            written.unwrap_or_else(|error| tracing::warn!(%error, "cannot write the files for editors"));
        }
    }

    /// The grants of a confined server: reading the AppDir, writing the folders of its services in it, and the folders
    /// outside it. A missing folder is created, since it cannot be granted afterwards.
    pub(crate) fn collect_grants(&self) -> Grants {
        let mut grants = Grants::default();
        grants.add_folder(&self.app, FolderRights::Read);
        let mut names: Vec<_> = self.catalogue.writable_dirs().collect();
        if let Some(cache) = self.cache.granted_folder() {
            names.retain(|name| *name != CacheDir::IN_APP);
            let rights = if self.cache.is_read_only() { FolderRights::Read } else { FolderRights::Write };
            grants.add_folder(cache, rights);
        }
        // The list of running servers and the key of request states, whatever they offer.
        names.push(SERVER_DIR);
        if self.tasks.is_some() {
            names.push(tasks::FOLDER);
        }
        for name in names {
            let opened = match self.app.open_folder(name) {
                Err(AppDirError::NotFound(_)) if !self.app.is_read_only() => self.app.create_folder(name),
                opened => opened,
            };
            match opened {
                Ok(folder) => grants.add_folder(&folder, FolderRights::Write),
                Err(error) => tracing::debug!(%error, "cannot open a folder for writing"),
            }
        }
        self.extra_grants.iter().for_each(|(folder, most)| grants.add_folder(folder, *most));
        grants
    }
}

/// The folder of the AppDir with the server's own data.
const SERVER_DIR: &str = "server";

/// The context of a call from the command line.
pub(crate) fn command_line_context(catalogue: &Arc<Catalogue>) -> RequestInfo {
    let caller = Caller { transport: Transport::CommandLine, ..Caller::default() };
    RequestInfo { caller: Arc::new(caller), ..RequestInfo::new(catalogue) }
}

pub(crate) fn server_identity(settings: &Settings, catalogue: &Catalogue) -> ServerIdentity {
    let server = &settings.config.server;
    let is_ace_alone = settings.services.as_deref().is_some_and(|names| names == ["ace"]);
    let own = ("wardroom", env!("CARGO_PKG_VERSION"));
    let (name, version) = if is_ace_alone { ace::ORIGINAL_IDENTITY } else { own };
    ServerIdentity {
        name: server.name.clone().unwrap_or_else(|| name.to_owned()),
        version: server.version.clone().unwrap_or_else(|| version.to_owned()),
        instructions: server.instructions.clone().unwrap_or_else(|| catalogue.instructions()),
    }
}

/// Opens the AppDir. Only the platform's default is created implicitly; an explicit path may be a typing error.
pub(crate) fn open_app_dir(settings: &Settings) -> Result<Folder, CommandError> {
    let path = &settings.app_dir.path;
    let opened = match ambient::open_folder(path, own_access(settings)) {
        Err(AppDirError::NotFound(_)) if settings.app_dir.source == AppDirSource::Platform && !settings.read_only => {
            ambient::create_owner_folder(path)
        }
        opened => opened.map(Folder::with_owner_only),
    };
    opened.map(Folder::reporting_removal).map_err(|error| {
        CommandError::with_cause(
            "cannot open the AppDir",
            error,
            format!("run {} init to create it", settings.command_line()),
        )
    })
}

/// The AppDir's canonical path, and its configured path if that is another absolute one.
fn app_dir_paths(settings: &Settings) -> Vec<PathBuf> {
    let given = &settings.app_dir.path;
    let canonical = ambient::canonicalize(given).ok();
    let given = Some(given.clone()).filter(|given| given.is_absolute() && canonical.as_ref() != Some(given));
    canonical.into_iter().chain(given).collect()
}

/// Opens a folder that the operator granted. What is created in it follows the umask, except in the AppDir.
pub(crate) fn open_granted(settings: &Settings, path: &Path, access: Access) -> Result<Folder, AppDirError> {
    let folder = ambient::open_folder(path, access)?;
    let own = ambient::canonicalize(path)?;
    let is_in_app = app_dir_paths(settings).iter().any(|app| own.starts_with(app));
    Ok(if is_in_app { folder.with_owner_only() } else { folder })
}

fn missing_mount_warning(settings: &Settings, name: &str, error: &AppDirError) -> CommandWarning {
    CommandWarning {
        subject: "mount",
        detail: format!("{name} is skipped: {error}"),
        hint: format!("run {} mount remove {name}, or create the folder", settings.command_line()),
    }
}

/// How the AppDir and the cache are opened.
fn own_access(settings: &Settings) -> Access {
    if settings.read_only { Access::ReadOnly } else { Access::ReadWrite }
}

/// How the folders are opened that the operator grants.
fn grant_access(settings: &Settings) -> Access {
    if settings.are_grants_read_only { Access::ReadOnly } else { Access::ReadWrite }
}
