//! What the operator declares: tools, prompts and resources, each an entry in an `_index.yaml` with a file of Lua beside it,
//! or with nothing but text.
//!
//! Owns: the format of those files, who sees which entry, and what handlers may have the server do.
//! Gives: the problems of what is declared, for `doctor` and `wardroom registry check`.
//! Never: writes where things are declared, but for what `wardroom registry new` makes; or runs Lua in the server's process.

mod calls;
mod declared;
mod effects;
mod entry;
mod folders;
mod graph;
mod index;
mod journal;
mod live;
mod loaded;
mod meta;
mod problems;
mod prompts;
mod report;
mod resources;
mod results;
mod scaffold;
mod sources;
mod substitute;
mod visible;
mod yaml;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use self::calls::Conversation;
use self::declared::{Place, Resource, Values};
pub use self::effects::{Mounted, Reach};
use self::entry::Entry;
pub use self::folders::Root;
pub use self::live::IsTaken;
use self::live::Live;
use self::loaded::Loaded;
pub use self::problems::{Gravity, Problem};
pub use self::scaffold::{Scaffold, scaffold};
use wardroom_base::limits::MAX_COMPLETIONS;
use wardroom_base::payload::Payload;
use wardroom_config::Watch;
use wardroom_lua::{Handlers, Pool};
use wardroom_service::{
    CallContext, Completing, Content, Effort, Listing, ParamHeader, PromptAnswer, PromptEntry, ResourceEntry, Service,
    ServiceError, TaskUse, TemplateEntry, ToolAnswer, ToolEntry, Watched,
};

/// The service.
pub struct Registry {
    live: Arc<Live>,
    /// Nothing where no handler runs: in commands that only look.
    handlers: Option<Handlers>,
    reach: Reach,
}

/// What this service writes, each in its folder of the AppDir.
const WRITTEN: [&str; 1] = [effects::STORE];

impl Registry {
    /// What these folders declare, where `is_taken` says which names of tools others have.
    #[must_use]
    pub fn new(roots: Vec<Root>, is_taken: IsTaken, watch: Watch) -> Self {
        Self { live: Live::new(roots, is_taken, watch), handlers: None, reach: Reach::default() }
    }

    /// The same, with the processes that handlers run in.
    #[must_use]
    pub fn running(self, pool: &Arc<Pool>) -> Self {
        Self { handlers: Some(Handlers::new(pool)), ..self }
    }

    /// The same, with what handlers may reach.
    #[must_use]
    pub fn reaching(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }

    /// What is declared, and what is wrong with it.
    #[must_use]
    pub fn overview(&self) -> Overview {
        let loaded = self.live.current();
        let is = |found: Option<&Arc<Entry>>, entry| found.is_some_and(|found| Arc::ptr_eq(found, entry));
        let rows = loaded.entries.values().map(|entry| {
            let mut offers = Vec::new();
            if let Some(tool) = entry.tool.as_ref().filter(|tool| is(loaded.tools.get(&*tool.listed.name), entry)) {
                offers.push(format!("tool {}", tool.listed.name));
            }
            if let Some(prompt) = &entry.prompt
                && is(loaded.prompts.get(&prompt.listed.name), entry)
            {
                let kind = if prompt.is_template { "template" } else { "prompt" };
                offers.push(format!("{kind} {}", prompt.listed.name));
            }
            if let Some(uri) = entry.resource.as_ref().map(Resource::uri)
                && is(loaded.resources.get(uri).or_else(|| loaded.templates.get(uri)), entry)
            {
                offers.push(format!("resource {uri}"));
            }
            Row { id: entry.id.clone(), offers, file: entry.file.clone(), line: entry.line }
        });
        Overview { rows: rows.collect(), problems: loaded.problems.clone() }
    }

    /// Looks again, as after a change.
    pub fn reload(&self) {
        self.live.refresh(Instant::now());
    }

    /// What there is; the first call reads it, which is too much for a light attempt.
    fn loaded(&self, context: &CallContext) -> Result<Arc<Loaded>, ServiceError> {
        match (self.live.known(), context.effort) {
            (Some(loaded), _) => Ok(loaded),
            (None, Effort::Light) => Err(ServiceError::Later),
            (None, Effort::Full | Effort::Large) => Ok(self.live.current()),
        }
    }

    /// What changes where `digest` does, which is of what one caller sees: what others see is no news to it.
    fn watched_by(&self, digest: impl Fn(&Loaded) -> u64) -> Watched {
        let (loaded, spots) = self.live.looked_at();
        let mut watched = Watched::default();
        spots.iter().for_each(|spot| watched.place(&spot.top, &spot.way, spot.id));
        watched.state(digest(&loaded), self.live.since(&loaded, digest));
        watched
    }
}

/// What is declared, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    pub rows: Vec<Row>,
    pub problems: Vec<Problem>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    /// What clients see of it.
    pub offers: Vec<String>,
    pub file: String,
    pub line: u64,
}

impl Service for Registry {
    fn name(&self) -> &'static str {
        "registry"
    }

    fn instructions(&self) -> &'static str {
        "Some tools, prompts and resources are declared by whoever runs this server; they can come and go."
    }

    fn prepare(&self) {
        self.live.follow();
    }

    fn ready(&self, context: &CallContext) -> Result<(), ServiceError> {
        self.loaded(context).map(drop)
    }

    fn writes(&self) -> &'static [&'static str] {
        &WRITTEN
    }

    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        let loaded = self.loaded(context)?;
        let mut shown = loaded.shown_after(&loaded.resources, mark, &context.caller).peekable();
        let mut page = Listing { items: Vec::new(), next: None };
        while let Some((uri, entry)) = shown.next_if(|_| page.items.len() < limit) {
            if let Some(Place::Fixed(listed)) = entry.resource.as_ref().map(|resource| &resource.place) {
                page.items.push(listed.clone());
            }
            page.next = shown.peek().map(|_| uri.clone());
        }
        Ok(page)
    }

    fn templates(&self, context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        let Ok(loaded) = self.loaded(context) else { return Vec::new() };
        let shown = loaded.templates.values().filter(|entry| loaded.shows(entry, &context.caller));
        let listed = shown.filter_map(|entry| match &entry.resource.as_ref()?.place {
            Place::Family(_, listed) => Some(Arc::clone(listed)),
            Place::Fixed(_) => None,
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
        let loaded = self.loaded(context)?;
        let tools = loaded.shown_after(&loaded.tools, mark, &context.caller);
        Ok(tools.filter_map(|(_, entry)| Some(Arc::clone(&entry.tool.as_ref()?.listed))).take(limit).collect())
    }

    fn tool(&self, name: &str, context: &CallContext) -> Option<Arc<ToolEntry>> {
        self.loaded(context).ok()?.tool(name, &context.caller).map(|(_, tool)| Arc::clone(&tool.listed))
    }

    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        self.loaded(context).is_ok_and(|loaded| loaded.tool(name, &context.caller).is_some())
    }

    fn has_tasks(&self) -> bool {
        true
    }

    fn task(&self, tool: &str, context: &CallContext) -> Option<TaskUse> {
        self.loaded(context).ok()?.tool(tool, &context.caller).and_then(|(_, tool)| tool.task)
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
        let loaded = self.loaded(context)?;
        let shown = loaded.shown_after(&loaded.prompts, mark, &context.caller);
        let prompts = shown.filter_map(|(_, entry)| entry.prompt.as_ref()).filter(|prompt| !prompt.is_template);
        Ok(prompts.map(|prompt| Arc::clone(&prompt.listed)).take(limit).collect())
    }

    fn prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<PromptAnswer, ServiceError> {
        let loaded = self.live.current();
        let found = loaded.prompt(name, &context.caller);
        let (entry, prompt) = found.ok_or_else(|| ServiceError::UnknownPrompt(name.to_owned()))?;
        if prompt.is_template {
            return Err(ServiceError::Invalid(format!(
                "Cannot get template directly: {}",
                wardroom_service::shown(name)
            )));
        }
        let arguments = prompts::completed(prompt, arguments)?;
        if prompt.is_dynamic() {
            return Conversation::new(self, &loaded, context)?.prompt(entry, prompt, &arguments);
        }
        prompts::filled(prompt, arguments, &loaded, &context.caller)
    }

    fn claims(&self, uri: &str, context: &CallContext) -> Result<bool, ServiceError> {
        Ok(self.loaded(context)?.has_scheme(uri, &context.caller))
    }

    fn read(&self, uri: &str, context: &CallContext) -> Result<Content, ServiceError> {
        let loaded = self.loaded(context)?;
        let found = loaded.resource(uri, &context.caller);
        let (entry, resource, variables) = found.ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })?;
        if resource.is_dynamic() {
            context.needs_full()?;
            return Conversation::new(self, &loaded, context)?.resource(entry, resource, uri, &variables);
        }
        self.live.body(entry, resource, uri, &variables, context)
    }

    fn check(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        let found = self.loaded(context)?.resource(uri, &context.caller).is_some();
        found.then_some(()).ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })
    }

    fn look(&self, since: Instant) {
        self.live.refresh(since);
    }

    fn watched(&self, uri: &str, context: &CallContext) -> Result<Watched, ServiceError> {
        self.check(uri, context)?;
        let (loaded, spots) = self.live.looked_at();
        let mut watched = Watched::default();
        spots.iter().for_each(|spot| watched.place(&spot.top, &spot.way, spot.id));
        if let Some((entry, resource, _)) = loaded.resource(uri, &context.caller) {
            let digest = |loaded: &Loaded| loaded.resource(uri, &context.caller).map_or(0, |(entry, ..)| entry.digest);
            watched.state(entry.digest, self.live.since(&loaded, digest));
            self.live.watch_body(entry, resource, &mut watched);
        }
        Ok(watched)
    }

    fn watched_list(&self, context: &CallContext) -> Watched {
        self.watched_by(|loaded| loaded.digest(&[&loaded.resources, &loaded.templates], &context.caller))
    }

    fn watched_tools(&self, context: &CallContext) -> Watched {
        self.watched_by(|loaded| loaded.digest(&[&loaded.tools], &context.caller))
    }

    fn watched_prompts(&self, context: &CallContext) -> Watched {
        self.watched_by(|loaded| loaded.digest(&[&loaded.prompts], &context.caller))
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let loaded = self.live.current();
        let found = loaded.tool(tool, &context.caller);
        let (entry, tool) = found.ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?;
        Conversation::new(self, &loaded, context)?.tool(entry, tool, arguments.into_value())
    }

    fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let Some(loaded) = self.live.known() else { return Vec::new() };
        let declared = loaded.tools.get(tool).and_then(|entry| entry.tool.as_ref());
        declared.map_or_else(Vec::new, |tool| tool.headers.clone())
    }

    fn complete(&self, completing: &Completing, context: &CallContext) -> Result<Option<Vec<String>>, ServiceError> {
        let loaded = self.live.current();
        let (entry, name, prefix) = match completing {
            Completing::Variable { template, variable, prefix } => {
                let entry = loaded.templates.get(template).filter(|entry| loaded.shows(entry, &context.caller));
                (entry, variable, prefix)
            }
            Completing::Argument { prompt, argument, prefix, .. } => {
                let found = loaded.prompt(prompt, &context.caller).filter(|(_, prompt)| !prompt.is_template);
                (found.map(|(entry, _)| entry), argument, prefix)
            }
        };
        let Some(entry) = entry else { return Ok(None) };
        let mut values = match entry.completions.get(name) {
            None => Vec::new(),
            Some(Values::List(values)) => values.clone(),
            Some(Values::Of(id)) => Conversation::new(self, &loaded, context)?.values(id, completing)?,
        };
        values.retain(|value| value.starts_with(prefix));
        values.truncate(MAX_COMPLETIONS * 100);
        Ok(Some(values))
    }
}
