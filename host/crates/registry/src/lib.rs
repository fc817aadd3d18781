//! User-defined tools, prompts and resources: entries of `_index.yaml` files, each with a Lua file beside its index, or
//! with nothing but text.
//!
//! Owns: the format of those files, which caller sees which entry, and what handlers may have the server do.
//! Gives: the problems of the declarations, for `doctor` and `wardroom registry check`.
//! Never: writes declarations, except for `wardroom registry new`; or runs Lua in the server's process.

mod declarations;
mod effects;
mod entry;
mod graph;
mod handler_call;
mod handler_output;
mod index;
mod journal;
pub mod limits;
mod meta;
mod problems;
mod prompts;
mod report;
mod resources;
mod scaffold;
mod scan;
mod scan_cache;
mod snapshot;
mod substitute;
mod visibility;
mod watcher;
mod yaml;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use self::declarations::{CompletionSource, DeclaredResource, ResourceAddress};
pub use self::effects::{HandlerCapabilities, MountedFolder};
use self::entry::RegistryEntry;
use self::handler_call::HandlerCall;
pub use self::problems::{RegistryProblem, Severity};
pub use self::scaffold::{ScaffoldKind, create_scaffold};
pub use self::scan::RegistryRoot;
use self::snapshot::RegistrySnapshot;
use self::watcher::RegistryWatcher;
pub use self::watcher::ReservedNameCheck;
use wardroom_base::payload::Payload;
use wardroom_config::WatchMode;
use wardroom_lua::{HandlerPool, WorkerPool};
use wardroom_service::limits::MAX_COMPLETIONS;
use wardroom_service::{
    CallContext, CompletionRequest, Dependencies, ExecutionTier, ListPage, ParamHeader, PromptEntry, RenderedPrompt,
    ResourceContent, ResourceEntry, Service, ServiceError, TaskSupport, TemplateEntry, ToolEntry, ToolOutput,
};

/// The service `registry`.
pub struct RegistryService {
    watcher: Arc<RegistryWatcher>,
    /// `None` where no handler runs: in commands that only inspect.
    handlers: Option<HandlerPool>,
    capabilities: HandlerCapabilities,
}

/// The folders of the AppDir that this service writes to.
const WRITABLE_DIRS: [&str; 1] = [effects::STORE_FOLDER];

impl RegistryService {
    /// Creates the service for these roots. `is_taken` says which names of tools and which addresses belong to other
    /// services.
    #[must_use]
    pub fn new(roots: Vec<RegistryRoot>, is_taken: ReservedNameCheck, watch: WatchMode) -> Self {
        Self {
            watcher: RegistryWatcher::new(roots, is_taken, watch),
            handlers: None,
            capabilities: HandlerCapabilities::default(),
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
            RegistryRow { id: entry.id.clone(), offers, file: entry.file.clone(), line: entry.line }
        });
        RegistryOverview { rows: rows.collect(), problems: loaded.problems.clone() }
    }

    /// Scans the roots again, as after a change.
    pub fn reload(&self) {
        self.watcher.refresh(Instant::now());
    }

    /// Returns the current snapshot. The first call scans the roots, which is too much for a light attempt.
    fn snapshot(&self, context: &CallContext) -> Result<Arc<RegistrySnapshot>, ServiceError> {
        match (self.watcher.current_if_loaded(), context.tier) {
            (Some(loaded), _) => Ok(loaded),
            (None, ExecutionTier::Light) => Err(ServiceError::Later),
            (None, ExecutionTier::Full | ExecutionTier::Large) => Ok(self.watcher.current()),
        }
    }

    /// Returns dependencies that change with `digest`. That digest covers what one caller sees: changes to other
    /// entries do not notify this caller.
    fn dependencies_on(&self, digest: impl Fn(&RegistrySnapshot) -> u64) -> Dependencies {
        let (loaded, dirs) = self.watcher.snapshot_with_dirs();
        let mut dependencies = Dependencies::default();
        dirs.iter().for_each(|dir| dependencies.add_dir(&dir.root, &dir.relative_path, dir.id));
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

    fn warm_up(&self) {
        self.watcher.start_watching();
    }

    fn ensure_loaded(&self, context: &CallContext) -> Result<(), ServiceError> {
        self.snapshot(context).map(drop)
    }

    fn writable_dirs(&self) -> &'static [&'static str] {
        &WRITABLE_DIRS
    }

    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let loaded = self.snapshot(context)?;
        let mut shown = loaded.visible_after(&loaded.resources, mark, &context.caller).peekable();
        let mut page = ListPage { items: Vec::new(), next_cursor: None };
        while let Some((uri, entry)) = shown.next_if(|_| page.items.len() < limit) {
            if let Some(ResourceAddress::Fixed(listed)) = entry.resource.as_ref().map(|resource| &resource.address) {
                page.items.push(listed.clone());
            }
            page.next_cursor = shown.peek().map(|_| uri.clone());
        }
        Ok(page)
    }

    fn templates(&self, context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        let Ok(loaded) = self.snapshot(context) else { return Vec::new() };
        let shown = loaded.templates.values().filter(|entry| loaded.is_visible(entry, &context.caller));
        let listed = shown.filter_map(|entry| match &entry.resource.as_ref()?.address {
            ResourceAddress::Template(_, listed) => Some(Arc::clone(listed)),
            ResourceAddress::Fixed(_) => None,
        });
        listed.collect()
    }

    fn tools(&self, context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        self.tools_after(None, usize::MAX, context)
    }

    fn tools_after(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        let loaded = self.snapshot(context)?;
        let tools = loaded.visible_after(&loaded.tools, mark, &context.caller);
        Ok(tools.filter_map(|(_, entry)| Some(Arc::clone(&entry.tool.as_ref()?.list_entry))).take(limit).collect())
    }

    fn tool(&self, name: &str, context: &CallContext) -> Option<Arc<ToolEntry>> {
        self.snapshot(context).ok()?.tool(name, &context.caller).map(|(_, tool)| Arc::clone(&tool.list_entry))
    }

    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        self.snapshot(context).is_ok_and(|loaded| loaded.tool(name, &context.caller).is_some())
    }

    fn has_tasks(&self) -> bool {
        true
    }

    fn task_support(&self, tool: &str, context: &CallContext) -> Option<TaskSupport> {
        self.snapshot(context).ok()?.tool(tool, &context.caller).and_then(|(_, tool)| tool.task_support)
    }

    fn has_prompts(&self) -> bool {
        true
    }

    fn prompts(&self, context: &CallContext) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        self.prompts_after(None, usize::MAX, context)
    }

    fn prompts_after(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        let loaded = self.snapshot(context)?;
        let shown = loaded.visible_after(&loaded.prompts, mark, &context.caller);
        let prompts = shown.filter_map(|(_, entry)| entry.prompt.as_ref()).filter(|prompt| !prompt.is_template);
        Ok(prompts.map(|prompt| Arc::clone(&prompt.list_entry)).take(limit).collect())
    }

    fn prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<RenderedPrompt, ServiceError> {
        let loaded = self.watcher.current();
        let found = loaded.prompt(name, &context.caller);
        let (entry, prompt) = found.ok_or_else(|| ServiceError::UnknownPrompt(name.to_owned()))?;
        if prompt.is_template {
            return Err(ServiceError::Invalid(format!(
                "Cannot get template directly: {}",
                wardroom_service::escape_and_truncate(name)
            )));
        }
        let arguments = prompts::fill_defaults(prompt, arguments)?;
        if prompt.is_dynamic() {
            return HandlerCall::new(self, &loaded, context)?.run_prompt(entry, prompt, &arguments);
        }
        prompts::render_prompt(prompt, arguments, &loaded, &context.caller)
    }

    fn matches(&self, uri: &str, context: &CallContext) -> Result<bool, ServiceError> {
        Ok(self.snapshot(context)?.has_scheme(uri, &context.caller))
    }

    fn read(&self, uri: &str, context: &CallContext) -> Result<ResourceContent, ServiceError> {
        let loaded = self.snapshot(context)?;
        let found = loaded.resource(uri, &context.caller);
        let (entry, resource, variables) = found.ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })?;
        if resource.is_dynamic() {
            context.require_full()?;
            return HandlerCall::new(self, &loaded, context)?.run_resource(entry, resource, uri, &variables);
        }
        self.watcher.read_static(entry, resource, uri, &variables, context)
    }

    fn validate(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        let found = self.snapshot(context)?.resource(uri, &context.caller).is_some();
        found.then_some(()).ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })
    }

    fn refresh(&self, since: Instant) {
        self.watcher.refresh(since);
    }

    fn dependencies(&self, uri: &str, context: &CallContext) -> Result<Dependencies, ServiceError> {
        self.validate(uri, context)?;
        let (loaded, dirs) = self.watcher.snapshot_with_dirs();
        let mut dependencies = Dependencies::default();
        dirs.iter().for_each(|dir| dependencies.add_dir(&dir.root, &dir.relative_path, dir.id));
        if let Some((entry, resource, _)) = loaded.resource(uri, &context.caller) {
            let digest =
                |loaded: &RegistrySnapshot| loaded.resource(uri, &context.caller).map_or(0, |(entry, ..)| entry.digest);
            dependencies.add_digest(entry.digest, self.watcher.part_changed_at(&loaded, digest));
            self.watcher.add_body_dependency(entry, resource, &mut dependencies);
        }
        Ok(dependencies)
    }

    fn resource_list_dependencies(&self, context: &CallContext) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.resources, &loaded.templates], &context.caller))
    }

    fn tool_list_dependencies(&self, context: &CallContext) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.tools], &context.caller))
    }

    fn prompt_list_dependencies(&self, context: &CallContext) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.prompts], &context.caller))
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        let loaded = self.watcher.current();
        let found = loaded.tool(tool, &context.caller);
        let (entry, tool) = found.ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?;
        HandlerCall::new(self, &loaded, context)?.run_tool(entry, tool, arguments.into_value())
    }

    fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let Some(loaded) = self.watcher.current_if_loaded() else { return Vec::new() };
        let declared = loaded.tools.get(tool).and_then(|entry| entry.tool.as_ref());
        declared.map_or_else(Vec::new, |tool| tool.param_headers.clone())
    }

    fn complete(
        &self,
        completing: &CompletionRequest,
        context: &CallContext,
    ) -> Result<Option<Vec<String>>, ServiceError> {
        let loaded = self.watcher.current();
        let (entry, name, prefix) = match completing {
            CompletionRequest::Variable { template, variable, prefix } => {
                let entry = loaded.templates.get(template).filter(|entry| loaded.is_visible(entry, &context.caller));
                (entry, variable, prefix)
            }
            CompletionRequest::Argument { prompt, argument, prefix, .. } => {
                let found = loaded.prompt(prompt, &context.caller).filter(|(_, prompt)| !prompt.is_template);
                (found.map(|(entry, _)| entry), argument, prefix)
            }
        };
        let Some(entry) = entry else { return Ok(None) };
        let mut values = match entry.completions.get(name) {
            None => Vec::new(),
            Some(CompletionSource::List(values)) => values.clone(),
            Some(CompletionSource::Entry(id)) => {
                HandlerCall::new(self, &loaded, context)?.run_completion(id, completing)?
            }
        };
        values.retain(|value| value.starts_with(prefix));
        values.truncate(MAX_COMPLETIONS * 100);
        Ok(Some(values))
    }
}
