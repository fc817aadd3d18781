//! The catalogue: every service of this server, and which of them a URI, a tool or a prompt belongs to.
//!
//! Owns: the order of services; that a service which does not know its entries yet loads them first.
//! Never: examines a URI or a name.

mod lists;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::{
    ArgumentCompletion, Caller, Cost, Dependencies, PageProvider, PromptProvider, RenderedPrompt, RequestInfo,
    ResolvedTool, ResourceContent, ResourceProvider, ScriptApi, Service, ServiceError, Step, ToolProvider, UnknownName,
    VariableCompletion, Work, escape_and_truncate,
};
use crate::audit::{AuditTrail, AuditedTool};
use crate::limits::LIST_PAGE_SIZE;
use wardroom_base::payload::Payload;
use wardroom_ranking::closest_name;

/// The services of one server, in listing order.
pub struct Catalogue {
    services: Vec<RegisteredService>,
    audit: AuditTrail,
    /// Where this server shows the pages of its services, once it does.
    review_address: Arc<OnceLock<String>>,
}

/// A service and what it offers.
#[derive(Clone)]
struct RegisteredService {
    service: Arc<dyn Service>,
    resources: Option<Arc<dyn ResourceProvider>>,
    tools: Option<Arc<dyn ToolProvider>>,
    prompts: Option<Arc<dyn PromptProvider>>,
    script_api: Option<Arc<dyn ScriptApi>>,
    pages: Option<Arc<dyn PageProvider>>,
}

impl RegisteredService {
    fn new(service: Arc<dyn Service>) -> Self {
        Self {
            resources: Arc::clone(&service).resources(),
            tools: Arc::clone(&service).tools(),
            prompts: Arc::clone(&service).prompts(),
            script_api: Arc::clone(&service).script_api(),
            pages: Arc::clone(&service).pages(),
            service,
        }
    }
}

impl Catalogue {
    #[must_use]
    pub fn new(services: Vec<Arc<dyn Service>>) -> Self {
        Self {
            services: services.into_iter().map(RegisteredService::new).collect(),
            audit: AuditTrail::default(),
            review_address: Arc::default(),
        }
    }

    /// Returns the catalogue with a trail, in which calls of tools are recorded.
    #[must_use]
    pub fn with_audit(self, audit: AuditTrail) -> Self {
        Self { audit, ..self }
    }

    #[must_use]
    pub fn audit(&self) -> &AuditTrail {
        &self.audit
    }

    /// Says where this server shows the pages of its services. The address has no key that signs in.
    pub fn set_review_address(&self, address: String) {
        // A server shows them at one place.
        let _ = self.review_address.set(address);
    }

    /// Returns where this server shows the pages of its services; `None` where it does not.
    #[must_use]
    pub fn review_address(&self) -> Option<&str> {
        self.review_address.get().map(String::as_str)
    }

    /// Returns a catalogue of only the services with these names.
    #[must_use]
    pub fn restrict_to(&self, names: &[String]) -> Self {
        let is_named = |registered: &&RegisteredService| names.iter().any(|name| name == registered.service.name());
        Self {
            services: self.services.iter().filter(is_named).cloned().collect(),
            audit: self.audit.clone(),
            review_address: Arc::clone(&self.review_address),
        }
    }

    /// Returns the instructions of all services, for a model.
    #[must_use]
    pub fn instructions(&self) -> String {
        let parts = self.services().map(|service| service.instructions());
        // A service whose folder is missing has none.
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    /// Returns the names of the services.
    #[must_use]
    pub fn service_names(&self) -> Vec<&'static str> {
        self.services().map(|service| service.name()).collect()
    }

    /// Returns the services with pages for people, by name, in listing order.
    pub fn pages(&self) -> impl Iterator<Item = (&'static str, &Arc<dyn PageProvider>)> {
        self.services.iter().filter_map(|registered| Some((registered.service.name(), registered.pages.as_ref()?)))
    }

    /// Returns the folders of the AppDir that services write to, possibly with duplicates.
    pub fn writable_dirs(&self) -> impl Iterator<Item = &'static str> {
        self.services().flat_map(|service| service.writable_dirs()).copied()
    }

    /// Prepares every service.
    pub fn warm_up(&self) {
        self.services().for_each(|service| service.warm_up());
        self.audit.prepare();
    }

    /// Loads the entries of every service that does not know them yet.
    pub fn load(&self) {
        self.services().filter(|service| !service.is_loaded()).for_each(|service| service.load());
    }

    /// Refreshes the cached state of every service, unless it was refreshed after `since`.
    pub fn refresh(&self, since: Instant) {
        self.services().for_each(|service| service.refresh(since));
    }

    /// Whether the services can have prompts, now or later.
    #[must_use]
    pub fn has_prompts(&self) -> bool {
        self.services.iter().any(|registered| registered.prompts.is_some())
    }

    /// Whether calls of some tools can be tasks, now or later.
    #[must_use]
    pub fn has_tasks(&self) -> bool {
        self.tool_providers().any(|tools| tools.has_tasks())
    }

    /// Resolves a URI into the read of that resource.
    ///
    /// # Errors
    /// As the provider's, and for a scheme that no service has.
    pub fn resource(self: &Arc<Self>, uri: &str, caller: &Arc<Caller>) -> Result<Work<ResourceContent>, ServiceError> {
        let catalogue = Arc::clone(self);
        let search = move |error: ServiceError| -> Work<ResourceContent> {
            Work::new(Cost::Worker, move |info| Err(catalogue.with_similar(error, info)))
        };
        match self.resolve_resource(uri, caller) {
            Ok(work) => Ok(work.or_continue(move |error, _| match error {
                ServiceError::NotFound { .. } => Ok(Step::Next(search(error))),
                other => Err(other),
            })),
            Err(error @ ServiceError::NotFound { .. }) => Ok(search(error)),
            Err(error) => Err(error),
        }
    }

    fn resolve_resource(
        self: &Arc<Self>,
        uri: &str,
        caller: &Arc<Caller>,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let (request, owner) = (uri.to_owned(), Arc::clone(caller));
        let found = self.find(
            move |catalogue| catalogue.resolve_resource(&request, &owner),
            |registered| Arc::clone(registered.resources.as_ref()?).resolve(uri, caller),
        );
        found.unwrap_or_else(|| Err(self.unknown_scheme_error(uri)))
    }

    /// Adds to the error of a resource that does not exist which one may be meant, of those that the caller may read.
    fn with_similar(&self, error: ServiceError, info: &RequestInfo) -> ServiceError {
        let ServiceError::NotFound { uri } = error else { return error };
        let providers = self.resource_providers();
        let mut of_scheme = providers.filter(|resources| resources.validate(&uri, &info.caller).is_some());
        match of_scheme.find_map(|resources| resources.closest_uri(&uri, info)) {
            Some(meant) => ServiceError::NotFoundSimilar { uri, meant },
            None => ServiceError::NotFound { uri },
        }
    }

    /// Resolves the name of a tool. The work fails with [`ServiceError::UnknownTool`] where the caller may not see the
    /// tool.
    pub fn tool(self: &Arc<Self>, name: &str, caller: &Arc<Caller>) -> Work<Arc<dyn ResolvedTool>> {
        let (request, owner) = (name.to_owned(), Arc::clone(caller));
        let found = self.find(
            move |catalogue| Ok(catalogue.tool(&request, &owner)),
            |registered| {
                let tool = Arc::clone(registered.tools.as_ref()?).resolve(name, caller)?;
                Some(Ok(Work::done(AuditedTool::new(tool, &self.audit))))
            },
        );
        found.and_then(Result::ok).unwrap_or_else(|| {
            let (catalogue, caller, name) = (Arc::clone(self), Arc::clone(caller), name.to_owned());
            Work::new(Cost::Worker, move |_| Err(catalogue.unknown_tool_error(name, &caller)))
        })
    }

    /// Returns the name of the service that has a tool; `None` where the caller may see no such tool.
    #[must_use]
    pub fn service_of_tool(&self, name: &str, caller: &Arc<Caller>) -> Option<&'static str> {
        let has_it = |tools: &Arc<dyn ToolProvider>| Arc::clone(tools).resolve(name, caller).is_some();
        let owner = self.services.iter().find(|registered| registered.tools.as_ref().is_some_and(has_it))?;
        Some(owner.service.name())
    }

    fn resource_providers(&self) -> impl Iterator<Item = &Arc<dyn ResourceProvider>> {
        self.services.iter().filter_map(|registered| registered.resources.as_ref())
    }

    fn tool_providers(&self) -> impl Iterator<Item = &Arc<dyn ToolProvider>> {
        self.services.iter().filter_map(|registered| registered.tools.as_ref())
    }

    fn prompt_providers(&self) -> impl Iterator<Item = &Arc<dyn PromptProvider>> {
        self.services.iter().filter_map(|registered| registered.prompts.as_ref())
    }

    /// Creates the error for a tool that the caller may not see, with the one that may be meant, of those that it may.
    fn unknown_tool_error(&self, name: String, caller: &Caller) -> ServiceError {
        let providers = self.tool_providers();
        let closest = |tools: &Arc<dyn ToolProvider>| {
            closest_listed(&name, |mark| tools.list(mark, LIST_PAGE_SIZE, caller), |tool| &tool.name)
        };
        let known: Vec<String> = providers.filter_map(closest).collect();
        let meant = closest_name(&name, known.iter().map(String::as_str)).map(str::to_owned);
        ServiceError::UnknownTool(UnknownName { name, meant })
    }

    /// Resolves the name of a prompt into its rendering with these arguments.
    ///
    /// # Errors
    /// As the provider's. The work fails with [`ServiceError::UnknownPrompt`] where the caller may not get the prompt.
    pub fn prompt(
        self: &Arc<Self>,
        name: &str,
        arguments: &Arc<BTreeMap<String, String>>,
        caller: &Arc<Caller>,
    ) -> Result<Work<RenderedPrompt>, ServiceError> {
        let (request, given, owner) = (name.to_owned(), Arc::clone(arguments), Arc::clone(caller));
        self.find(
            move |catalogue| catalogue.prompt(&request, &given, &owner),
            |registered| Arc::clone(registered.prompts.as_ref()?).resolve(name, arguments, caller),
        )
        .unwrap_or_else(|| Ok(self.unknown_prompt(name, caller)))
    }

    /// Returns the work that fails with [`ServiceError::UnknownPrompt`].
    fn unknown_prompt<T: 'static>(self: &Arc<Self>, name: &str, caller: &Arc<Caller>) -> Work<T> {
        let (catalogue, caller, name) = (Arc::clone(self), Arc::clone(caller), name.to_owned());
        Work::new(Cost::Worker, move |_| Err(catalogue.unknown_prompt_error(name, &caller)))
    }

    /// Creates the error for a prompt that the caller may not get, with the one that may be meant, of those that it may get.
    fn unknown_prompt_error(&self, name: String, caller: &Caller) -> ServiceError {
        let providers = self.prompt_providers();
        let closest = |prompts: &Arc<dyn PromptProvider>| {
            closest_listed(&name, |mark| prompts.list(mark, LIST_PAGE_SIZE, caller), |prompt| &prompt.name)
        };
        let known: Vec<String> = providers.filter_map(closest).collect();
        let meant = closest_name(&name, known.iter().map(String::as_str)).map(str::to_owned);
        ServiceError::UnknownPrompt(UnknownName { name, meant })
    }

    /// Resolves a request for the values of a template's variable.
    ///
    /// # Errors
    /// As the provider's, and for a template that no service has.
    pub fn complete_variable(
        self: &Arc<Self>,
        completing: &VariableCompletion,
        caller: &Arc<Caller>,
    ) -> Result<Work<Vec<String>>, ServiceError> {
        let (request, owner) = (completing.clone(), Arc::clone(caller));
        self.find(
            move |catalogue| catalogue.complete_variable(&request, &owner),
            |registered| Arc::clone(registered.resources.as_ref()?).complete(completing, caller),
        )
        .unwrap_or_else(|| {
            let template = escape_and_truncate(&completing.template);
            Err(ServiceError::Invalid(format!("unknown resource template: {template}")))
        })
    }

    /// Resolves a request for the values of a prompt's argument.
    ///
    /// # Errors
    /// As [`Self::prompt`].
    pub fn complete_argument(
        self: &Arc<Self>,
        completing: &ArgumentCompletion,
        caller: &Arc<Caller>,
    ) -> Result<Work<Vec<String>>, ServiceError> {
        let (request, owner) = (completing.clone(), Arc::clone(caller));
        self.find(
            move |catalogue| catalogue.complete_argument(&request, &owner),
            |registered| Arc::clone(registered.prompts.as_ref()?).complete(completing, caller),
        )
        .unwrap_or_else(|| Ok(self.unknown_prompt(&completing.prompt, caller)))
    }

    /// Returns the work that checks that a URI could name a resource. It fails as [`Self::resource`] for the same text.
    pub fn validation(self: &Arc<Self>, uri: &str, caller: &Arc<Caller>) -> Work<()> {
        let (catalogue, uri, caller) = (Arc::clone(self), uri.to_owned(), Arc::clone(caller));
        Work::new(self.load_cost(), move |_| {
            catalogue.load();
            let mut providers = catalogue.resource_providers();
            let checked = providers.find_map(|resources| resources.validate(&uri, &caller));
            checked.unwrap_or_else(|| Err(catalogue.unknown_scheme_error(&uri)))
        })
    }

    /// Whether a URI could name a resource, of a service that does not know its entries yet or of any other.
    #[must_use]
    pub fn may_exist(&self, uri: &str, caller: &Caller) -> bool {
        let checked = self.services.iter().find_map(|registered| registered.resources.as_ref()?.validate(uri, caller));
        checked.map_or_else(|| !self.is_loaded(), |checked| checked.is_ok())
    }

    /// Whether every service knows its entries.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.services().all(|service| service.is_loaded())
    }

    /// Returns what a resource depends on, as of the last refresh.
    ///
    /// # Errors
    /// As [`Self::validation`].
    pub fn dependencies(&self, uri: &str, caller: &Caller) -> Result<Dependencies, ServiceError> {
        let found =
            self.services.iter().find_map(|registered| registered.resources.as_ref()?.dependencies(uri, caller));
        found.unwrap_or_else(|| Err(self.unknown_scheme_error(uri)))
    }

    /// Returns what the list of resources depends on, as the caller sees it.
    #[must_use]
    pub fn resource_list_dependencies(&self, caller: &Caller) -> Dependencies {
        let providers = self.resource_providers();
        merge_dependencies(providers.map(|resources| resources.list_dependencies(caller)))
    }

    /// Returns what the list of tools depends on, as the caller sees it.
    #[must_use]
    pub fn tool_list_dependencies(&self, caller: &Caller) -> Dependencies {
        let providers = self.tool_providers();
        merge_dependencies(providers.map(|tools| tools.list_dependencies(caller)))
    }

    /// Returns what the list of prompts depends on, as the caller sees it.
    #[must_use]
    pub fn prompt_list_dependencies(&self, caller: &Caller) -> Dependencies {
        let providers = self.prompt_providers();
        merge_dependencies(providers.map(|prompts| prompts.list_dependencies(caller)))
    }

    /// Performs an operation that a script requests; `None` if no service has the operation.
    #[must_use]
    pub fn handle_script_call(
        &self,
        operation: &str,
        arguments: &Payload,
        info: &RequestInfo,
    ) -> Option<Result<Payload, String>> {
        let apis = self.services.iter().filter_map(|registered| registered.script_api.as_ref());
        apis.into_iter().find_map(|api| api.handle(operation, arguments, info))
    }

    /// Returns what the first service makes of a request. If a service before that does not know its entries yet, they
    /// are loaded on a worker thread, and `resolve_after` resolves the request afterwards.
    fn find<T: 'static>(
        self: &Arc<Self>,
        resolve_after: impl FnOnce(&Arc<Self>) -> Result<Work<T>, ServiceError> + Send + 'static,
        resolve: impl Fn(&RegisteredService) -> Option<Result<Work<T>, ServiceError>>,
    ) -> Option<Result<Work<T>, ServiceError>> {
        for registered in &self.services {
            if !registered.service.is_loaded() {
                let catalogue = Arc::clone(self);
                return Some(Ok(Work::in_steps(Cost::Worker, move |_| {
                    catalogue.load();
                    resolve_after(&catalogue).map(Step::Next)
                })));
            }
            if let Some(found) = resolve(registered) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the cost of [`Self::load`].
    fn load_cost(&self) -> Cost {
        if self.is_loaded() { Cost::Inline } else { Cost::Worker }
    }

    fn services(&self) -> impl Iterator<Item = &Arc<dyn Service>> {
        self.services.iter().map(|registered| &registered.service)
    }

    fn unknown_scheme_error(&self, uri: &str) -> ServiceError {
        let providers = self.resource_providers();
        let schemes = providers.filter_map(|resources| resources.scheme());
        let expected: Vec<String> = schemes.map(|scheme| format!("{}://", scheme.name)).collect();
        unknown_scheme_error(uri, &expected.join(" or "))
    }
}

/// Returns the listed name that may be meant by one that is not listed. Visits all pages, which takes the time of a worker.
fn closest_listed<T>(
    name: &str,
    page_after: impl Fn(Option<&str>) -> Vec<Arc<T>>,
    name_of: impl Fn(&T) -> &str,
) -> Option<String> {
    let (mut closest, mut mark) = (None::<String>, None::<String>);
    loop {
        let page = page_after(mark.as_deref());
        let names = page.iter().map(|entry| name_of(entry));
        closest = closest_name(name, names.chain(closest.as_deref())).map(str::to_owned);
        match page.last() {
            Some(last) if page.len() == LIST_PAGE_SIZE => mark = Some(name_of(last).to_owned()),
            _ => return closest,
        }
    }
}

fn merge_dependencies(parts: impl Iterator<Item = Dependencies>) -> Dependencies {
    let mut merged = Dependencies::default();
    parts.for_each(|part| merged.merge(&part));
    merged
}

/// Whether a URI or a template has this scheme, given with or without its `:` or `://`.
#[must_use]
pub fn has_scheme(uri: &str, scheme: &str) -> bool {
    uri.strip_prefix(scheme.trim_end_matches("//").trim_end_matches(':')).is_some_and(|rest| rest.starts_with(':'))
}

fn unknown_scheme_error(uri: &str, expected: &str) -> ServiceError {
    use wardroom_rules::uri::{MAX_URI_BYTES, UriError};
    if uri.len() > MAX_URI_BYTES {
        return UriError::TooLong { len: uri.len() }.into();
    }
    if expected.is_empty() {
        return ServiceError::Invalid(format!("cannot find {uri}: this server has no resources of its scheme"));
    }
    UriError::Scheme { expected: expected.to_owned(), uri: uri.to_owned() }.into()
}
