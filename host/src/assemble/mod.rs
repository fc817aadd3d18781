//! Building the server: settings become open folders, and open folders become services.
//!
//! Owns: the one list of services. What one of them alone is built from is in a file of its own.

mod alc;
pub(crate) mod network;
mod registry;
pub(crate) mod settings;
pub(crate) mod walls;

use std::cell::RefCell;
use std::sync::Arc;

use self::network::Helpers;
use self::settings::{LocatedBy, Settings};
use crate::report::{self, Failure, ITSELF, Warning};
use wardroom_agent_tools::Agents;
use wardroom_agents::Helper;
use wardroom_appdir::{Access, AppDirError, Folder, Privacy, ambient};
use wardroom_base::entropy;
use wardroom_docs::Docs;
use wardroom_lua::{Pool, Spawner, Walls};
use wardroom_mcp::{Identity, SealKey};
use wardroom_process::confine::{Grants, Use};
use wardroom_resource_tools::Resources;
use wardroom_sandbox::{Image, Sandbox};
use wardroom_service::tasks::{self, Table};
use wardroom_service::{CallContext, Caller, Catalogue, Service, Transport};

pub(crate) use self::alc::{packages, warnings};
pub(crate) use self::registry::{REGISTRY, declared};

/// Every service that there is, by the name that the configuration knows it under.
const SERVICES: [(&str, Build); 5] = [
    ("alc", |parts, _| Ok(Arc::new(alc::build(parts)?))),
    ("resources", |_, _| Ok(Arc::new(Resources))),
    ("agents", |parts, _| Ok(Arc::new(Agents::new(parts.agents.take())))),
    ("docs", |_, _| Ok(Arc::new(Docs))),
    // After the others: the names of their tools are theirs, and their URIs.
    ("registry", |parts, others| Ok(Arc::new(registry::build(parts, others.to_vec())?))),
];

type Build = fn(&Parts<'_>, &[Arc<dyn Service>]) -> Result<Arc<dyn Service>, Failure>;

/// What services are built from.
struct Parts<'s> {
    settings: &'s Settings,
    app: Folder,
    sandbox: Arc<Sandbox>,
    /// The processes that strategies run in, where they do, and those that fetch.
    pool: Option<Arc<Pool>>,
    helpers: RefCell<Helpers>,
    /// The process that edits files of agents, and how this server is started by hand.
    agents: RefCell<Option<(Helper, String)>>,
    warn: Warn<'s>,
    /// What services are given beside the AppDir.
    beside: RefCell<Vec<(Folder, Use)>>,
}

impl<'s> Parts<'s> {
    /// For a service that is built alone: nothing runs in it.
    fn alone(settings: &'s Settings, warn: Warn<'s>) -> Result<Self, Failure> {
        Ok(Self {
            settings,
            app: app_dir(settings)?,
            sandbox: Arc::new(Sandbox::new(Image::embedded())),
            pool: None,
            helpers: RefCell::default(),
            agents: RefCell::default(),
            warn,
            beside: RefCell::default(),
        })
    }
}

/// The services, and the folders that they work with.
pub(crate) struct Rooms {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) app: Folder,
    /// The calls that outlive their requests, where some may.
    pub(crate) tasks: Option<Table>,
    beside: Vec<(Folder, Use)>,
}

/// Told of what is done without.
type Warn<'w> = &'w dyn Fn(Warning);

/// The services that the settings ask for, over the folders that they name.
pub(crate) fn catalogue(settings: &Settings) -> Result<Arc<Catalogue>, Failure> {
    Ok(build(settings, None, &|warning| report::warning(&warning))?.catalogue)
}

/// The same for a server, with the folders: strategies and handlers run.
pub(crate) fn serving(settings: &Settings, agents: Option<(Helper, String)>) -> Result<Rooms, Failure> {
    let runs = |name: &String| RUNS.contains(&name.as_str());
    let offered = settings.services.as_ref().is_none_or(|names| names.iter().any(runs));
    // Strategies write what they do; handlers need not.
    let handles = settings.services.as_ref().is_none_or(|names| names.iter().any(|name| name == "registry"));
    let pool = if offered && (handles || !settings.read_only) { Some(pool(settings)?) } else { None };
    let helpers = if offered { network::start(settings, &app_dir(settings)?)? } else { Helpers::default() };
    build_with(settings, pool, helpers, agents, &|warning| report::warning(&warning))
}

/// The services that run Lua.
const RUNS: [&str; 2] = ["alc", "registry"];

/// Their processes are started by one that is started here, before the server can start none any more.
fn pool(settings: &Settings) -> Result<Arc<Pool>, Failure> {
    const FAILED: &str = "cannot start the process that starts the workers";
    let walls = if settings.config.sandbox.require { Walls::Required } else { Walls::Wanted };
    let missing = if walls == Walls::Required { walls::missing()? } else { None };
    if let Some(missing) = missing {
        let what = format!("this server cannot be confined: {missing}, around what runs scripts");
        let hint = format!(
            "{} doctor says what it takes; without `[sandbox] require = true` it serves with what there is",
            settings.command()
        );
        return Err(Failure::new(what, hint));
    }
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    let spawner = Spawner::start_with(&program, walls).map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    Ok(Pool::new(spawner))
}

/// The same, where somebody else says what is done without.
pub(crate) fn build(settings: &Settings, pool: Option<Arc<Pool>>, warn: Warn) -> Result<Rooms, Failure> {
    build_with(settings, pool, Helpers::default(), None, warn)
}

/// What the services are called.
pub(crate) fn names() -> [&'static str; SERVICES.len()] {
    SERVICES.map(|(name, _)| name)
}

/// # Errors
/// The first that is no service.
pub(crate) fn known<'n>(given: impl IntoIterator<Item = &'n String>) -> Result<(), Failure> {
    let is_known = |name: &str| names().contains(&name);
    let Some(unknown) = given.into_iter().find(|name| !is_known(name)) else { return Ok(()) };
    let hint = format!("the services are: {}", names().join(", "));
    Err(Failure::new(format!("unknown service: {unknown}"), hint))
}

fn build_with(
    settings: &Settings,
    pool: Option<Arc<Pool>>,
    helpers: Helpers,
    agents: Option<(Helper, String)>,
    warn: Warn,
) -> Result<Rooms, Failure> {
    let chosen = settings.services.as_ref();
    known(chosen.into_iter().flatten())?;
    let alone = Parts::alone(settings, warn)?;
    let parts = Parts { pool, helpers: RefCell::new(helpers), agents: RefCell::new(agents), ..alone };
    let offered = SERVICES.iter().filter(|(name, _)| chosen.is_none_or(|names| names.iter().any(|n| n == name)));
    // It is there for its tools alone.
    let offered = offered.filter(|(name, _)| *name != "agents" || settings.config.agents.tools);
    let mut services = Vec::new();
    for (_, build) in offered {
        let service = build(&parts, &services)?;
        services.push(service);
    }
    let catalogue = Catalogue::of(services);
    let keeps = parts.pool.is_some() && catalogue.has_tasks() && !parts.app.is_read_only();
    let untold = |error| Failure::of("cannot keep tasks", error, settings.doctor());
    let tasks = keeps.then(|| Table::open(&parts.app).map_err(untold));
    Ok(Rooms {
        catalogue: Arc::new(catalogue),
        app: parts.app,
        tasks: tasks.transpose()?,
        beside: parts.beside.into_inner(),
    })
}

impl Rooms {
    /// What is left to a confined server: the AppDir to read, in it the folders that services write, and what they were
    /// given beside it. A folder that is not there yet is made, since nothing can be granted below it afterwards.
    pub(crate) fn grants(&self) -> Grants {
        let mut grants = Grants::default();
        grants.add(&self.app, Use::Read);
        let mut names: Vec<_> = self.catalogue.writes().collect();
        // Where the servers on the AppDir are listed, whatever they offer.
        if !names.contains(&"cache") {
            names.push("cache");
        }
        if self.tasks.is_some() {
            names.push(tasks::FOLDER);
        }
        for name in names {
            let opened = match self.app.folder(name) {
                Err(AppDirError::NotFound(_)) if !self.app.is_read_only() => self.app.create_folder(name),
                opened => opened,
            };
            match opened {
                Ok(folder) => grants.add(&folder, Use::Write),
                Err(error) => tracing::debug!(%error, "a folder that cannot be written"),
            }
        }
        self.beside.iter().for_each(|(folder, most)| grants.add(folder, *most));
        grants
    }
}

/// What a call is given that a person typed.
pub(crate) fn context(catalogue: &Arc<Catalogue>) -> CallContext {
    let caller = Caller { transport: Transport::CommandLine, ..Caller::default() };
    CallContext { caller: Arc::new(caller), ..CallContext::patient(catalogue) }
}

pub(crate) fn identity(settings: &Settings, catalogue: &Catalogue) -> Identity {
    let server = &settings.config.server;
    Identity {
        name: server.name.clone().unwrap_or_else(|| "wardroom".to_owned()),
        version: server.version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        instructions: server.instructions.clone().unwrap_or_else(|| catalogue.instructions()),
    }
}

/// The key that seals what clients carry between two calls. It lies in the AppDir, so that any server on it takes what
/// another one sealed; where it cannot, each server has one of its own.
pub(crate) fn seal(settings: &Settings) -> Result<SealKey, Failure> {
    const FILE: &str = "cache/seal.key";
    let app = app_dir(settings)?;
    let read = |app: &Folder| <[u8; 32]>::try_from(app.read(FILE, 32).ok()?.bytes).ok();
    Ok(Box::new(move || {
        let known = read(&app);
        if known.is_some() {
            return known;
        }
        let mut key = [0; 32];
        entropy::fill(&mut key).inspect_err(|error| tracing::error!(%error, "no key for seals")).ok()?;
        match app.create(FILE, &key, Privacy::Owner) {
            Ok(()) => Some(key),
            // Another server was first, or nothing can be written.
            Err(_) => read(&app).or(Some(key)),
        }
    }))
}

/// Opens the AppDir. Only the platform's own place is created unasked; a path that somebody typed may be a slip.
pub(crate) fn app_dir(settings: &Settings) -> Result<Folder, Failure> {
    let path = &settings.app_dir.path;
    let opened = match ambient::open(path, access(settings)) {
        Err(AppDirError::NotFound(_)) if settings.app_dir.by == LocatedBy::Platform && !settings.read_only => {
            ambient::create(path)
        }
        opened => opened,
    };
    opened.map_err(|error| {
        Failure::of("cannot open the AppDir", error, format!("{} init creates it", settings.command()))
    })
}

fn missing_mount(settings: &Settings, name: &str, error: &AppDirError) -> Warning {
    Warning {
        what: "mount",
        detail: format!("{name} is skipped: {error}"),
        hint: format!("{} mount remove {name}", settings.command()),
    }
}

fn access(settings: &Settings) -> Access {
    if settings.read_only { Access::ReadOnly } else { Access::ReadWrite }
}
