//! Building the server: settings become open folders, and open folders become services.
//!
//! Owns: the one list of services.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agents as agents_command;
use super::network::{self, Helpers};
use super::report::{self, Failure, ITSELF, Warning};
use super::settings::{LocatedBy, Settings};
use super::walls;
use crate::agents;
use crate::appdir::{Access, AppDirError, Folder, LineIndexes, Privacy, ambient};
use crate::config::{MountConfig, MountKind};
use crate::confine::{Grants, Use};
use crate::entropy;
use crate::lua::{Pool, Spawner, Walls};
use crate::mcp::{Identity, SealKey};
use crate::net::Policy;
use crate::sandbox::{Image, Sandbox};
use crate::services::agents::Agents;
use crate::services::alc::{Alc, AlcFolders, Linked, Operator, Project, Sink};
use crate::services::docs::Docs;
use crate::services::registry::{IsTaken, Mounted, Reach, Registry, Root};
use crate::services::resources::Resources;
use crate::services::{CallContext, Caller, Catalogue, Service, Transport, has_scheme};
use crate::tasks::{self, Table};
use crate::uri::PackageName;

/// Every service that there is, by the name that the configuration knows it under.
const SERVICES: [(&str, Build); 5] = [
    ("alc", |parts, _| Ok(Arc::new(alc(parts)?))),
    ("resources", |_, _| Ok(Arc::new(Resources))),
    ("agents", |parts, _| Ok(Arc::new(Agents::new(parts.agents.take())))),
    ("docs", |_, _| Ok(Arc::new(Docs))),
    // After the others: the names of their tools are theirs, and their URIs.
    ("registry", |parts, others| Ok(Arc::new(registry(parts, others.to_vec())?))),
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
    agents: RefCell<Option<agents::Helper>>,
    warn: Warn<'s>,
    /// What services are given beside the AppDir.
    beside: RefCell<Vec<(Folder, Use)>>,
}

/// The services, and the folders that they work with.
pub(super) struct Rooms {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) app: Folder,
    /// The calls that outlive their requests, where some may.
    pub(super) tasks: Option<Table>,
    beside: Vec<(Folder, Use)>,
}

/// Told of what is done without.
type Warn<'w> = &'w dyn Fn(Warning);

/// The services that the settings ask for, over the folders that they name.
pub(super) fn catalogue(settings: &Settings) -> Result<Arc<Catalogue>, Failure> {
    Ok(build(settings, None, &|warning| report::warning(&warning))?.catalogue)
}

/// The same for a server, with the folders: strategies and handlers run.
pub(super) fn serving(settings: &Settings) -> Result<Rooms, Failure> {
    let runs = |name: &String| RUNS.contains(&name.as_str());
    let offered = settings.services.as_ref().is_none_or(|names| names.iter().any(runs));
    // Strategies write what they do; handlers need not.
    let handles = settings.services.as_ref().is_none_or(|names| names.iter().any(|name| name == "registry"));
    let pool = if offered && (handles || !settings.read_only) { Some(pool(settings)?) } else { None };
    let helpers = if offered { network::start(settings, &app_dir(settings)?)? } else { Helpers::default() };
    build_with(settings, pool, helpers, agents_command::helper(settings)?, &|warning| report::warning(&warning))
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
pub(super) fn build(settings: &Settings, pool: Option<Arc<Pool>>, warn: Warn) -> Result<Rooms, Failure> {
    build_with(settings, pool, Helpers::default(), None, warn)
}

fn build_with(
    settings: &Settings,
    pool: Option<Arc<Pool>>,
    helpers: Helpers,
    agents: Option<agents::Helper>,
    warn: Warn,
) -> Result<Rooms, Failure> {
    let chosen = settings.services.as_ref();
    let known = |name: &String| SERVICES.iter().any(|(known, _)| known == name);
    if let Some(unknown) = chosen.and_then(|names| names.iter().find(|name| !known(name))) {
        let hint = format!("the services are: {}", SERVICES.map(|(name, _)| name).join(", "));
        return Err(Failure::new(format!("unknown service: {unknown}"), hint));
    }
    let sandbox = Arc::new(Sandbox::new(Image::embedded()));
    let (app, helpers) = (app_dir(settings)?, RefCell::new(helpers));
    let agents = RefCell::new(agents);
    let parts = Parts { settings, app, sandbox, pool, helpers, agents, warn, beside: RefCell::default() };
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
    pub(super) fn grants(&self) -> Grants {
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
pub(super) fn context(catalogue: &Arc<Catalogue>) -> CallContext {
    let caller = Caller { transport: Transport::CommandLine, ..Caller::default() };
    CallContext { caller: Arc::new(caller), ..CallContext::patient(catalogue) }
}

pub(super) fn identity(settings: &Settings, catalogue: &Catalogue) -> Identity {
    let server = &settings.config.server;
    Identity {
        name: server.name.clone().unwrap_or_else(|| "wardroom".to_owned()),
        version: server.version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        instructions: server.instructions.clone().unwrap_or_else(|| catalogue.instructions()),
    }
}

/// The key that seals what clients carry between two calls. It lies in the AppDir, so that any server on it takes what
/// another one sealed; where it cannot, each server has one of its own.
pub(super) fn seal(settings: &Settings) -> Result<SealKey, Failure> {
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
pub(super) fn app_dir(settings: &Settings) -> Result<Folder, Failure> {
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

fn alc(parts: &Parts<'_>) -> Result<Alc, Failure> {
    let Parts { settings, app, sandbox, pool, helpers, warn, beside, .. } = parts;
    // A cache that cannot be there is done without.
    let cache = app.create_folder("cache/lines").ok();
    let logs = logs(settings, warn);
    let project = match &settings.project {
        Some(path) => project(path, access(settings))?,
        None => None,
    };
    let linked = linked(settings, warn)?;
    let mut beside = beside.borrow_mut();
    beside.extend(logs.iter().map(|folder| (folder.clone(), Use::Write)));
    // Where alc.toml and its like are edited, and what is generated is put. The kernel knows no rule for files of certain
    // names alone.
    beside.extend(project.iter().map(|project| (project.folder.clone(), Use::Edit)));
    beside.extend(
        linked
            .iter()
            .map(|(Linked::Package { folder, .. } | Linked::Packages { folder, .. })| (folder.clone(), Use::Write)),
    );
    let files = files(settings);
    beside.extend(files.iter().map(|(folder, _)| (folder.clone(), Use::Write)));
    drop(beside);
    let sinks = sinks(settings, app, &linked, warn);
    let folders = AlcFolders { app: app.clone(), logs, project, linked };
    let operator = Operator {
        app: ambient::canonical(&settings.app_dir.path).ok(),
        aliases: aliases(settings),
        command: settings.configured_command(),
        network: settings.config.network.clone(),
    };
    let alc = Alc::new(folders, Arc::clone(sandbox), LineIndexes::new(cache)).mirroring(sinks);
    let alc = alc.offering(settings.config.alc).operated(operator).reaching(files).keeping_logs(settings.keeps_logs);
    let git = helpers.borrow_mut().git.take();
    let http = helpers.borrow().http.clone();
    let alc = alc.fetching(git, http.filter(|_| settings.config.network.hub));
    Ok(match pool.as_ref().filter(|_| !settings.read_only) {
        Some(pool) => alc.running(Arc::clone(pool), settings.runs.clone()),
        None => alc,
    })
}

/// The folders that were granted, where the operator wrote another path than the system's own: through a link.
fn aliases(settings: &Settings) -> Vec<(PathBuf, PathBuf)> {
    let mounts = settings.config.mounts.values().map(|mount| &mount.path);
    let given =
        [&settings.app_dir.path].into_iter().chain(&settings.project).chain(mounts).chain(&settings.package_roots);
    let absolute = given.filter(|given| given.is_absolute());
    let paired = absolute.filter_map(|given| Some((given.clone(), ambient::canonical(given).ok()?)));
    paired.filter(|(given, own)| given != own).collect()
}

fn registry(parts: &Parts<'_>, others: Vec<Arc<dyn Service>>) -> Result<Registry, Failure> {
    let Parts { settings, app, pool, helpers, beside, .. } = parts;
    let nobody = CallContext::patient(&Arc::new(Catalogue::new(Vec::new())));
    let is_taken: IsTaken = Box::new(move |name| {
        let has = |service: &Arc<dyn Service>| {
            service.has_tool(name, &nobody) || service.scheme().is_some_and(|scheme| has_scheme(name, scheme.name))
        };
        others.iter().any(has)
    });
    let mut beside = beside.borrow_mut();
    let mut roots = vec![match &settings.registry {
        Some(path) => {
            let opened = ambient::open(path, Access::ReadOnly);
            let failed = |error| Failure::of("cannot open the registry", error, "name a folder with --registry DIR");
            let folder = opened.map_err(failed)?;
            beside.push((folder.clone(), Use::Read));
            Root { name: path.display().to_string(), folder, below: String::new() }
        }
        None => Root { name: REGISTRY.to_owned(), folder: app.clone(), below: REGISTRY.to_owned() },
    }];
    let mut mounts = BTreeMap::new();
    for (name, mount) in &settings.config.mounts {
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        match mount.kind {
            MountKind::Package | MountKind::Packages => {}
            MountKind::Registry => {
                if let Some(folder) = mounted(parts, name, mount, Access::ReadOnly) {
                    beside.push((folder.clone(), Use::Read));
                    roots.push(Root { name: name.clone(), folder, below: String::new() });
                }
            }
            MountKind::Files => {
                if let Some(folder) = mounted(parts, name, mount, access) {
                    beside.push((folder.clone(), Use::Write));
                    mounts.insert(name.clone(), Mounted { folder });
                }
            }
        }
    }
    let environment = settings.handler_environment.clone();
    let hosts = &settings.config.registry.hosts;
    let http = helpers.borrow().http.clone().filter(|_| !hosts.is_empty());
    let reach = Reach { app: Some(app.clone()), mounts, environment, http, hosts: Policy::new(hosts.iter().cloned()) };
    let registry = Registry::new(roots, is_taken, settings.config.server.watch).reaching(reach);
    Ok(match pool {
        Some(pool) => registry.running(pool),
        None => registry,
    })
}

/// The folder of the AppDir in which things are declared.
pub(super) const REGISTRY: &str = "registry";

fn mounted(parts: &Parts<'_>, name: &str, mount: &MountConfig, access: Access) -> Option<Folder> {
    let opened = ambient::open(&mount.path, access);
    // The rest of the server is of use without it.
    opened.map_err(|error| (parts.warn)(missing_mount(parts.settings, name, &error))).ok()
}

fn missing_mount(settings: &Settings, name: &str, error: &AppDirError) -> Warning {
    Warning {
        what: "mount",
        detail: format!("{name} is not there, skipped: {error}"),
        hint: format!("{} mount remove {name}", settings.command()),
    }
}

/// The service alone, for a command that asks it for more than a client may.
pub(super) fn declared(settings: &Settings) -> Result<Registry, Failure> {
    // What is granted and is not there has checks of its own.
    let warn: Warn = &|_| {};
    let parts = Parts {
        settings,
        app: app_dir(settings)?,
        sandbox: Arc::new(Sandbox::new(Image::embedded())),
        pool: None,
        helpers: RefCell::default(),
        agents: RefCell::default(),
        warn,
        beside: RefCell::default(),
    };
    let others = SERVICES.iter().filter(|(name, _)| *name != "registry");
    let others = others.map(|(_, build)| build(&parts, &[])).collect::<Result<_, _>>()?;
    registry(&parts, others)
}

/// The AppDir's path as the operator gave it, and as the system knows it.
fn app_paths(settings: &Settings) -> Vec<PathBuf> {
    let given = &settings.app_dir.path;
    let canonical = ambient::canonical(given).ok();
    let given = Some(given.clone()).filter(|given| given.is_absolute() && canonical.as_ref() != Some(given));
    canonical.into_iter().chain(given).collect()
}

/// The folders that get a copy of each card. The environment cannot grant a folder: one that lies in no mount is left out.
fn sinks(settings: &Settings, app: &Folder, linked: &[Linked], warn: Warn) -> Vec<Sink> {
    let mut sinks = Vec::new();
    if settings.read_only {
        return sinks;
    }
    for uri in &settings.card_sinks {
        match sink(settings, uri, app, linked) {
            Ok(folder) => sinks.push(Sink { uri: uri.clone(), folder }),
            Err((detail, hint)) => {
                warn(Warning { what: "ALC_CARD_SINKS", detail: format!("{uri} {detail}, skipped"), hint });
            }
        }
    }
    sinks
}

fn sink(settings: &Settings, uri: &str, app: &Folder, linked: &[Linked]) -> Result<Folder, (String, String)> {
    let form = || "name folders as file:///absolute/path, separated by |".to_owned();
    let path = Sink::path(uri).map_err(|reason| (reason.to_owned(), form()))?;
    let path = ambient::canonical(&path).unwrap_or(path);
    let mounts = linked.iter().map(|linked| match linked {
        Linked::Package { folder, path, .. } | Linked::Packages { folder, path } => (folder, path.clone()),
    });
    let own = app_paths(settings).into_iter().map(|path| (app, path));
    let within = own.chain(mounts).filter_map(|(folder, root)| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        Some((root.components().count(), folder, name))
    });
    let grant = || format!("{} mount add NAME '{}'", settings.command(), path.display());
    let (_, folder, name) = within
        .max_by_key(|(depth, ..)| *depth)
        .ok_or_else(|| ("lies in neither the AppDir nor a mount".to_owned(), grant()))?;
    if std::ptr::eq(folder, app) && (name.is_empty() || name == "cards" || name.starts_with("cards/")) {
        return Err(("is where the cards themselves are".to_owned(), "name another folder".to_owned()));
    }
    if folder.is_read_only() {
        return Err(("lies in a folder that was granted read-only".to_owned(), grant()));
    }
    let opened = if name.is_empty() { Ok(folder.clone()) } else { folder.folder(&name) };
    opened.map_err(|error| (format!("is not there: {error}"), format!("make the folder {}", path.display())))
}

/// The service alone, for a command that asks it for more than a client may.
pub(super) fn packages(settings: &Settings) -> Result<Alc, Failure> {
    let warn: Warn = &|warning| report::warning(&warning);
    alc(&Parts {
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

fn project(path: &Path, access: Access) -> Result<Option<Project>, Failure> {
    let failed = |error| Failure::of("cannot open the project", error, "say which with --project DIR");
    let path = ambient::canonical(path).map_err(failed)?;
    let folder = ambient::open(&path, access).map_err(failed)?;
    Ok(Some(Project { folder, path }))
}

/// The transcripts are of use without it, those in the AppDir.
fn logs(settings: &Settings, warn: Warn) -> Option<Folder> {
    let opened = ambient::open(settings.log_dir.as_deref()?, access(settings));
    let missing = |error| Warning {
        what: "ALC_LOG_DIR",
        detail: format!("is not there, skipped: {error}"),
        hint: "create that folder, or unset the variable: without it transcripts are those in the AppDir".to_owned(),
    };
    opened.map_err(|error| warn(missing(error))).ok()
}

/// What is granted beside the AppDir and cannot be had.
pub(super) fn warnings(settings: &Settings) -> Result<Vec<Warning>, Failure> {
    let warnings = RefCell::new(Vec::new());
    let warn = |warning| warnings.borrow_mut().push(warning);
    logs(settings, &warn);
    let linked = linked(settings, &warn)?;
    sinks(settings, &app_dir(settings)?, &linked, &warn);
    Ok(warnings.into_inner())
}

fn linked(settings: &Settings, warn: Warn) -> Result<Vec<Linked>, Failure> {
    let mut linked = Vec::new();
    for (name, mount) in &settings.config.mounts {
        if matches!(mount.kind, MountKind::Files | MountKind::Registry) {
            continue;
        }
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        let folder = match ambient::open(&mount.path, access) {
            Ok(folder) => folder,
            // The rest of the server is of use without it.
            Err(error) => {
                warn(missing_mount(settings, name, &error));
                continue;
            }
        };
        let path = ambient::canonical(&mount.path).unwrap_or_else(|_| mount.path.clone());
        match (mount.kind, PackageName::parse(name)) {
            (MountKind::Package, Ok(name)) => linked.push(Linked::Package { name, folder, path }),
            (_, Ok(_) | Err(_)) => linked.push(Linked::Packages { folder, path }),
        }
    }
    // As the original: what is no folder at the start is not looked at again.
    for root in settings.package_roots.iter().filter(|root| ambient::is_dir(root)) {
        let opened = ambient::open(root, Access::ReadOnly);
        let failed = |error| {
            let hint = format!("take {} out of that variable, or look at its rights", root.display());
            Failure::of("cannot open ALC_PACKAGES_PATH", error, hint)
        };
        let folder = opened.map_err(failed)?;
        linked.push(Linked::Packages { folder, path: ambient::canonical(root).unwrap_or_else(|_| root.clone()) });
    }
    Ok(linked)
}

/// Folders of files. Of one that is not there, the service that handlers find them in tells.
fn files(settings: &Settings) -> Vec<(Folder, PathBuf)> {
    let mounts = settings.config.mounts.values().filter(|mount| mount.kind == MountKind::Files);
    let opened = mounts.filter_map(|mount| {
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        let path = ambient::canonical(&mount.path).unwrap_or_else(|_| mount.path.clone());
        Some((ambient::open(&mount.path, access).ok()?, path))
    });
    opened.collect()
}

fn access(settings: &Settings) -> Access {
    if settings.read_only { Access::ReadOnly } else { Access::ReadWrite }
}
