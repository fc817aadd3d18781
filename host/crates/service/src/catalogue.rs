//! The catalogue: every service of this server, and which of them a URI or a tool belongs to.
//!
//! Owns: the order of lists, and their cursors.
//! Never: examines more of a URI than its scheme.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::{
    CallContext, CompletionRequest, Dependencies, ExecutionTier, ParamHeader, PromptEntry, RenderedPrompt,
    ResourceContent, ResourceEntry, Service, ServiceError, TaskSupport, TemplateEntry, ToolEntry, ToolOutput,
    escape_and_truncate,
};
use crate::limits::{LIST_PAGE_SIZE, MAX_CURSOR_BYTES};
use wardroom_base::payload::Payload;
use wardroom_base::uri::Scheme;

/// The services of one server, in listing order.
pub struct Catalogue {
    services: Vec<Arc<dyn Service>>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
}

impl Catalogue {
    #[must_use]
    pub fn new(services: Vec<Box<dyn Service>>) -> Self {
        Self::from_shared(services.into_iter().map(Arc::from).collect())
    }

    /// Creates a catalogue of services that other catalogues share.
    #[must_use]
    pub fn from_shared(services: Vec<Arc<dyn Service>>) -> Self {
        Self { services }
    }

    /// Returns a catalogue of only the services with these names.
    #[must_use]
    pub fn restrict_to(&self, names: &[String]) -> Self {
        let is_named = |service: &&Arc<dyn Service>| names.iter().any(|name| name == service.name());
        Self { services: self.services.iter().filter(is_named).cloned().collect() }
    }

    /// Returns the instructions of all services, for a model.
    #[must_use]
    pub fn instructions(&self) -> String {
        let parts: Vec<_> = self.services.iter().map(|service| service.instructions()).collect();
        parts.join("\n\n")
    }

    /// Returns the names of the services.
    #[must_use]
    pub fn service_names(&self) -> Vec<&'static str> {
        self.services.iter().map(|service| service.name()).collect()
    }

    /// Returns the folders of the AppDir that services write to, possibly with duplicates.
    pub fn writable_dirs(&self) -> impl Iterator<Item = &'static str> {
        self.services.iter().flat_map(|service| service.writable_dirs()).copied()
    }

    /// Prepares every service.
    pub fn warm_up(&self) {
        self.services.iter().for_each(|service| service.warm_up());
    }

    /// Makes sure that the lists of every service are loaded.
    ///
    /// # Errors
    /// [`ServiceError::Later`] where a service has to load them in a light attempt.
    pub fn ensure_loaded(&self, context: &CallContext) -> Result<(), ServiceError> {
        self.services.iter().try_for_each(|service| service.ensure_loaded(context))
    }

    /// Whether the services can have prompts, now or later.
    #[must_use]
    pub fn has_prompts(&self) -> bool {
        self.services.iter().any(|service| service.has_prompts())
    }

    /// Returns a page of the resources of one scheme or of all. A cursor names a service and that service's mark of its
    /// last entry, so it stays valid when other entries come and go.
    ///
    /// # Errors
    /// For a cursor that this server did not issue, and as the service's.
    pub fn resources(
        &self,
        scheme: Option<&str>,
        cursor: Option<&str>,
        context: &CallContext,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let is_requested = |own: &Scheme| scheme.is_none_or(|name| own.name == name);
        // A service without a scheme of its own may have resources of any scheme.
        let may_have = |service: &&Arc<dyn Service>| scheme.is_none() || service.scheme().is_none_or(is_requested);
        let mut services = self.services.iter().filter(may_have).peekable();
        let mut mark = None;
        if let Some(cursor) = cursor {
            let parts = cursor.split_once(':').filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
            let (name, rest) = parts.ok_or_else(ServiceError::unknown_cursor)?;
            while services.next_if(|service| service.name() != name).is_some() {}
            services.peek().ok_or_else(ServiceError::unknown_cursor)?;
            mark = Some(rest).filter(|rest| !rest.is_empty());
        }
        let mut page = ListPage { items: Vec::new(), next_cursor: None };
        for service in services {
            let (name, capacity) = (service.name(), LIST_PAGE_SIZE.saturating_sub(page.items.len()));
            if capacity == 0 {
                page.next_cursor = Some(format!("{name}:"));
                break;
            }
            let part = service.resources(mark.take(), capacity, context)?;
            let has_requested_scheme =
                |entry: &ResourceEntry| scheme.is_none_or(|scheme| has_scheme(&entry.uri, scheme));
            page.items.extend(part.items.into_iter().filter(has_requested_scheme));
            if let Some(next) = part.next_cursor {
                page.next_cursor = Some(format!("{name}:{next}"));
                break;
            }
        }
        Ok(page)
    }

    #[must_use]
    pub fn templates(&self, context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        self.services.iter().flat_map(|service| service.templates(context)).collect()
    }

    /// Returns a page of the tools.
    ///
    /// # Errors
    /// For a cursor that this server did not issue, and as the service's.
    pub fn tools(&self, cursor: Option<&str>, context: &CallContext) -> Result<ListPage<Arc<ToolEntry>>, ServiceError> {
        self.collect_page(cursor, |service, mark, limit| service.tools_after(mark, limit, context), |entry| &entry.name)
    }

    /// Returns the tool of this name, if the caller may see it.
    #[must_use]
    pub fn tool(&self, name: &str, context: &CallContext) -> Option<Arc<ToolEntry>> {
        let owner = self.services.iter().find(|service| service.has_tool(name, context))?;
        owner.tool(name, context)
    }

    /// Whether calls of some tools can be tasks.
    #[must_use]
    pub fn has_tasks(&self) -> bool {
        self.services.iter().any(|service| service.has_tasks())
    }

    /// Returns how calls of this tool can be tasks, if the caller may see the tool.
    #[must_use]
    pub fn task_support(&self, tool: &str, context: &CallContext) -> Option<TaskSupport> {
        let owner = self.services.iter().find(|service| service.has_tool(tool, context))?;
        owner.task_support(tool, context)
    }

    /// Returns a page of the prompts.
    ///
    /// # Errors
    /// As [`Self::tools`].
    pub fn prompts(
        &self,
        cursor: Option<&str>,
        context: &CallContext,
    ) -> Result<ListPage<Arc<PromptEntry>>, ServiceError> {
        self.collect_page(
            cursor,
            |service, mark, limit| service.prompts_after(mark, limit, context),
            |entry| &entry.name,
        )
    }

    /// Collects a page from the entries of each service in turn. A cursor names a service and the last entry, so it
    /// stays valid when other entries come and go.
    fn collect_page<T>(
        &self,
        cursor: Option<&str>,
        part: impl Fn(&dyn Service, Option<&str>, usize) -> Result<Vec<Arc<T>>, ServiceError>,
        name: impl Fn(&T) -> &str,
    ) -> Result<ListPage<Arc<T>>, ServiceError> {
        let mut services = self.services.iter().peekable();
        let mut mark = None;
        if let Some(cursor) = cursor {
            let parts = cursor.split_once(':').filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
            let (own, rest) = parts.ok_or_else(ServiceError::unknown_cursor)?;
            while services.next_if(|service| service.name() != own).is_some() {}
            services.peek().ok_or_else(ServiceError::unknown_cursor)?;
            mark = Some(rest);
        }
        let mut page = ListPage { items: Vec::new(), next_cursor: None };
        for service in services {
            // One entry more than the page has space for shows whether another page follows.
            let limit = LIST_PAGE_SIZE.saturating_sub(page.items.len()) + 1;
            for entry in part(&**service, mark.take(), limit)? {
                if page.items.len() == LIST_PAGE_SIZE {
                    return Ok(page);
                }
                page.next_cursor = Some(entry).map(|entry| {
                    let cursor = format!("{}:{}", service.name(), name(&entry));
                    page.items.push(entry);
                    cursor
                });
            }
        }
        page.next_cursor = None;
        Ok(page)
    }

    /// Renders a prompt.
    ///
    /// # Errors
    /// As the service's, and [`ServiceError::UnknownPrompt`].
    pub fn prompt(
        &self,
        name: &str,
        arguments: &BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<RenderedPrompt, ServiceError> {
        for service in &self.services {
            match service.prompt(name, arguments.clone(), context) {
                Err(ServiceError::UnknownPrompt(_)) => {}
                filled => return filled,
            }
        }
        Err(ServiceError::UnknownPrompt(name.to_owned()))
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As the service's, and for a scheme that no service has.
    pub fn read(&self, uri: &str, context: &CallContext) -> Result<ResourceContent, ServiceError> {
        self.service_for_uri(uri, context)?.read(uri, context)
    }

    /// Checks that a URI could name a resource.
    ///
    /// # Errors
    /// As [`Self::read`] for the same text.
    pub fn validate(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        self.service_for_uri(uri, context)?.validate(uri, context)
    }

    /// Refreshes the cached state of every service, unless it was refreshed after `since`.
    pub fn refresh(&self, since: Instant) {
        self.services.iter().for_each(|service| service.refresh(since));
    }

    /// Returns what a resource depends on, as of the last refresh.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn dependencies(&self, uri: &str, context: &CallContext) -> Result<Dependencies, ServiceError> {
        self.service_for_uri(uri, context)?.dependencies(uri, context)
    }

    /// Returns what the list of resources depends on, as the caller sees it.
    #[must_use]
    pub fn resource_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut dependencies = Dependencies::default();
        self.services.iter().for_each(|service| dependencies.merge(&service.resource_list_dependencies(context)));
        dependencies
    }

    /// Returns what the list of tools depends on, as the caller sees it.
    #[must_use]
    pub fn tool_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut dependencies = Dependencies::default();
        self.services.iter().for_each(|service| dependencies.merge(&service.tool_list_dependencies(context)));
        dependencies
    }

    /// Returns what the list of prompts depends on, as the caller sees it.
    #[must_use]
    pub fn prompt_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut dependencies = Dependencies::default();
        self.services.iter().for_each(|service| dependencies.merge(&service.prompt_list_dependencies(context)));
        dependencies
    }

    /// Performs an operation that a script requests; `None` if no service has the operation.
    #[must_use]
    pub fn handle_script_call(
        &self,
        operation: &str,
        arguments: &Payload,
        context: &CallContext,
    ) -> Option<Result<Payload, String>> {
        self.services.iter().find_map(|service| service.handle_script_call(operation, arguments, context))
    }

    /// Returns the tool arguments that a request repeats in its headers.
    #[must_use]
    pub fn param_headers(&self, tool: &str, context: &CallContext) -> Vec<ParamHeader> {
        let context = CallContext { tier: ExecutionTier::Light, ..context.clone() };
        let owner = self.services.iter().find(|service| service.has_tool(tool, &context));
        owner.map_or_else(Vec::new, |owner| owner.param_headers(tool))
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As the tool's, and [`ServiceError::UnknownTool`].
    pub fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        let owner = self.services.iter().find(|service| service.has_tool(tool, context));
        owner.ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?.call(tool, arguments, context)
    }

    /// Completes a variable of a template or an argument of a prompt.
    ///
    /// # Errors
    /// For a template or a prompt that no service has, and as the service's.
    pub fn complete(&self, completing: &CompletionRequest, context: &CallContext) -> Result<Vec<String>, ServiceError> {
        for service in &self.services {
            if let Some(values) = service.complete(completing, context)? {
                return Ok(values);
            }
        }
        Err(match completing {
            CompletionRequest::Variable { template, .. } => {
                ServiceError::Invalid(format!("unknown resource template: {}", escape_and_truncate(template)))
            }
            CompletionRequest::Argument { prompt, .. } => ServiceError::UnknownPrompt(prompt.clone()),
        })
    }

    fn service_for_uri(&self, uri: &str, context: &CallContext) -> Result<&dyn Service, ServiceError> {
        for service in &self.services {
            if service.matches(uri, context)? {
                return Ok(&**service);
            }
        }
        let schemes = self.services.iter().filter_map(|service| service.scheme());
        let expected: Vec<String> = schemes.map(|scheme| format!("{}://", scheme.name)).collect();
        Err(unknown_scheme_error(uri, &expected.join(" or ")))
    }
}

/// Whether a URI or a template has this scheme, given with or without its `://`.
#[must_use]
pub fn has_scheme(uri: &str, scheme: &str) -> bool {
    uri.strip_prefix(scheme.trim_end_matches("://")).is_some_and(|rest| rest.starts_with("://"))
}

/// Returns the entries after the one that `mark` names. In a sorted list that entry may be gone.
pub(crate) fn entries_after<T>(
    entries: Vec<Arc<T>>,
    mark: Option<&str>,
    limit: usize,
    name: impl Fn(&T) -> &str,
) -> Vec<Arc<T>> {
    let start = mark.map_or(0, |mark| {
        let listed = entries.iter().position(|entry| name(entry) == mark);
        listed.map_or_else(|| entries.partition_point(|entry| name(entry) <= mark), |at| at + 1)
    });
    entries.into_iter().skip(start).take(limit).collect()
}

fn unknown_scheme_error(uri: &str, expected: &str) -> ServiceError {
    use wardroom_rules::uri::{MAX_URI_BYTES, UriError};
    if uri.len() > MAX_URI_BYTES {
        return UriError::TooLong { len: uri.len() }.into();
    }
    if expected.is_empty() {
        return ServiceError::Invalid(format!("cannot find {uri}: this server offers no service with resources"));
    }
    UriError::Scheme { expected: expected.to_owned(), uri: uri.to_owned() }.into()
}

impl<T> ListPage<T> {
    /// Returns the page of `all` at which `cursor` points.
    ///
    /// # Errors
    /// For a cursor that this server did not issue.
    pub fn paginate(all: Vec<T>, cursor: Option<&str>) -> Result<Self, ServiceError> {
        let start = cursor.map_or(Ok(0), parse_cursor)?;
        if start > all.len() {
            return Err(ServiceError::unknown_cursor());
        }
        let end = all.len().min(start + LIST_PAGE_SIZE);
        let next = (end < all.len()).then(|| format!("from-{end}"));
        Ok(Self { items: all.into_iter().take(end).skip(start).collect(), next_cursor: next })
    }
}

fn parse_cursor(cursor: &str) -> Result<usize, ServiceError> {
    let number = cursor.strip_prefix("from-").filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
    number.and_then(|number| number.parse().ok()).ok_or_else(ServiceError::unknown_cursor)
}
