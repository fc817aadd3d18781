//! User-defined tools, prompts and resources: entries of `_index.yaml` files, each with a Lua file beside its index, or
//! with nothing but text.
//!
//! Owns: the format of those files, which caller sees which entry, and what handlers may have the server do.
//! Gives: the problems of the declarations, for `doctor` and `wardroom registry check`, and the failures of handlers, for
//! `wardroom registry failures`.
//! Never: writes declarations, except for `wardroom registry new`; or runs Lua in the server's process.

mod declarations;
mod entry;
mod failure_log;
mod graph;
mod handler_call;
mod handler_output;
mod index;
mod index_schema;
mod journal;
pub mod limits;
mod meta;
mod operations;
mod problems;
mod prompts;
mod provide_prompts;
mod provide_resources;
mod provide_tools;
mod report;
mod resources;
mod scaffold;
mod scan;
mod scan_cache;
mod snapshot;
mod source_check;
mod substitute;
mod visibility;
mod watcher;
mod yaml;

use std::sync::Arc;
use std::time::Instant;

use self::declarations::DeclaredResource;
use self::entry::RegistryEntry;
use self::failure_log::FailureLog;
pub use self::failure_log::{HandlerFailure, HandlerLine, read_failures};
pub use self::index_schema::index_schema;
pub use self::operations::{HandlerCapabilities, StoredKeyCounts};
pub use self::problems::{RegistryProblem, Severity};
pub use self::scaffold::{ScaffoldKind, create_scaffold};
pub use self::scan::RegistryRoot;
use self::snapshot::RegistrySnapshot;
pub use self::watcher::ReservedNameCheck;
use self::watcher::{LastScan, RegistryWatcher};
use wardroom_config::WatchMode;
use wardroom_lua::{HandlerPool, WorkerPool};
use wardroom_service::{Dependencies, PromptProvider, ResourceProvider, Service, ToolProvider};

/// The service `registry`.
pub struct RegistryService {
    watcher: Arc<RegistryWatcher>,
    /// `None` where no handler runs: in commands that only inspect.
    handlers: Option<HandlerPool>,
    capabilities: HandlerCapabilities,
    failures: FailureLog,
}

/// The folders of the AppDir that this service writes to.
const WRITABLE_DIRS: [&str; 1] = [operations::STORE_FOLDER];

impl RegistryService {
    /// Creates the service for these roots. `is_taken` says which names of tools and which addresses belong to other
    /// services.
    #[must_use]
    pub fn new(roots: Vec<RegistryRoot>, is_taken: ReservedNameCheck, watch: WatchMode) -> Self {
        Self {
            watcher: RegistryWatcher::new(roots, is_taken, watch),
            handlers: None,
            capabilities: HandlerCapabilities::default(),
            failures: FailureLog::default(),
        }
    }

    /// Adds the processes in which handlers run.
    #[must_use]
    pub fn with_pool(self, pool: &Arc<WorkerPool>) -> Self {
        Self { handlers: Some(HandlerPool::new(pool)), ..self }
    }

    /// Sets what handlers may access.
    #[must_use]
    pub fn with_capabilities(self, capabilities: HandlerCapabilities) -> Self {
        Self { capabilities, ..self }
    }

    /// Returns all declared entries and their problems.
    #[must_use]
    pub fn overview(&self) -> RegistryOverview {
        let loaded = self.watcher.current();
        let is = |found: Option<&Arc<RegistryEntry>>, entry| found.is_some_and(|found| Arc::ptr_eq(found, entry));
        let rows = loaded.entries.values().map(|entry| {
            let mut offers = Vec::new();
            if let Some(tool) = entry.tool.as_ref().filter(|tool| is(loaded.tools.get(&*tool.list_entry.name), entry)) {
                offers.push(format!("tool {}", tool.list_entry.name));
            }
            if let Some(prompt) = &entry.prompt
                && is(loaded.prompts.get(&prompt.list_entry.name), entry)
            {
                let kind = if prompt.is_template { "template" } else { "prompt" };
                offers.push(format!("{kind} {}", prompt.list_entry.name));
            }
            if let Some(uri) = entry.resource.as_ref().map(DeclaredResource::uri)
                && is(loaded.resources.get(uri).or_else(|| loaded.templates.get(uri)), entry)
            {
                offers.push(format!("resource {uri}"));
            }
            RegistryRow {
                id: entry.id.clone(),
                offers,
                scope: entry.visibility.scope_name().map(str::to_owned),
                groups: entry.visibility.groups.clone(),
                file: entry.file.clone(),
                line: entry.line,
            }
        });
        RegistryOverview { rows: rows.collect(), problems: loaded.problems.clone() }
    }

    /// Scans the roots again, as after a change.
    pub fn reload(&self) {
        self.watcher.refresh(Instant::now());
    }

    /// Follows changes of the declarations and their sources, for a command: calls `on_change` at once and after each
    /// change, until `is_over` says so.
    ///
    /// # Errors
    /// The first error of `on_change`.
    pub fn follow<E>(&self, is_over: impl Fn() -> bool, on_change: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        self.watcher.follow(is_over, on_change)
    }

    /// Returns the snapshot, and dependencies on the folders in which a change of it can show.
    fn watched_snapshot(&self) -> (Arc<RegistrySnapshot>, Dependencies) {
        let LastScan { snapshot, dirs, is_unsettled } = self.watcher.last_scan();
        let mut dependencies = Dependencies::default();
        dirs.iter().for_each(|dir| dependencies.add_dir(&dir.root, &dir.relative_path, dir.id));
        if is_unsettled {
            dependencies.declare_unsettled();
        }
        (snapshot, dependencies)
    }

    /// Returns dependencies that change with `digest`. That digest covers what one caller sees: changes to other
    /// entries do not notify this caller.
    fn dependencies_on(&self, digest: impl Fn(&RegistrySnapshot) -> u64) -> Dependencies {
        let (loaded, mut dependencies) = self.watched_snapshot();
        dependencies.add_digest(digest(&loaded), self.watcher.part_changed_at(&loaded, digest));
        dependencies
    }
}

/// All declared entries and their problems, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryOverview {
    pub rows: Vec<RegistryRow>,
    pub problems: Vec<RegistryProblem>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryRow {
    pub id: String,
    /// The features that clients see, such as `tool NAME`.
    pub offers: Vec<String>,
    /// The scope whose endpoints see the entry; empty where none does, and `None` where all do.
    pub scope: Option<String>,
    /// The groups whose callers see the entry; `None` where all do.
    pub groups: Option<Vec<String>>,
    pub file: String,
    pub line: u64,
}

impl Service for RegistryService {
    fn name(&self) -> &'static str {
        "registry"
    }

    fn instructions(&self) -> &'static str {
        "The operator of this server declares some of the tools, prompts and resources; they can change at any time."
    }

    fn writable_dirs(&self) -> &'static [&'static str] {
        &WRITABLE_DIRS
    }

    fn warm_up(&self) {
        self.watcher.start_watching();
    }

    fn is_loaded(&self) -> bool {
        self.watcher.is_loaded()
    }

    fn load(&self) {
        drop(self.watcher.current());
    }

    fn refresh(&self, since: Instant) {
        self.watcher.refresh(since);
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        Some(self)
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }

    fn prompts(self: Arc<Self>) -> Option<Arc<dyn PromptProvider>> {
        Some(self)
    }
}
