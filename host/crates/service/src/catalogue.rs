//! The catalogue: every service that this server offers, and which of them a URI or a tool belongs to.
//!
//! Owns: the order in which things are listed, and the cursors of lists.
//! Never: looks into a URI further than its scheme.

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

/// The services of one server, in the order in which they are listed.
pub struct Catalogue {
    services: Vec<Arc<dyn Service>>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
}

impl Catalogue {
    #[must_use]
    pub fn new(services: Vec<Box<dyn Service>>) -> Self {
        Self::from_shared(services.into_iter().map(Arc::from).collect())
    }

    /// The same of services that others have too.
    #[must_use]
    pub fn from_shared(services: Vec<Arc<dyn Service>>) -> Self {
        Self { services }
    }

    /// The same services, those of these names alone.
    #[must_use]
    pub fn restrict_to(&self, names: &[String]) -> Self {
        let wanted = |service: &&Arc<dyn Service>| names.iter().any(|name| name == service.name());
        Self { services: self.services.iter().filter(wanted).cloned().collect() }
    }

    /// What a model is told about all of it.
    #[must_use]
    pub fn instructions(&self) -> String {
        let parts: Vec<_> = self.services.iter().map(|service| service.instructions()).collect();
        parts.join("\n\n")
    }

    /// The names of the services.
    #[must_use]
    pub fn service_names(&self) -> Vec<&'static str> {
        self.services.iter().map(|service| service.name()).collect()
    }

    /// The folders of the AppDir that services write to; some perhaps twice.
    pub fn writable_dirs(&self) -> impl Iterator<Item = &'static str> {
        self.services.iter().flat_map(|service| service.writable_dirs()).copied()
    }

    /// Gets every service ready.
    pub fn warm_up(&self) {
        self.services.iter().for_each(|service| service.warm_up());
    }

    /// Whether each service knows what it has.
    ///
    /// # Errors
    /// [`ServiceError::Later`] where one has to find out, in a light attempt.
    pub fn ensure_loaded(&self, context: &CallContext) -> Result<(), ServiceError> {
        self.services.iter().try_for_each(|service| service.ensure_loaded(context))
    }

    /// Whether there can be prompts, now or later.
    #[must_use]
    pub fn has_prompts(&self) -> bool {
        self.services.iter().any(|service| service.has_prompts())
    }

    /// A page of the resources, of one scheme or of all. A cursor names a service and what that one calls its last
    /// entry, so that it holds where others come and go.
    ///
    /// # Errors
    /// When we never gave out that cursor, and as the service's.
    pub fn resources(
        &self,
        scheme: Option<&str>,
        cursor: Option<&str>,
        context: &CallContext,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let wanted = |own: &Scheme| scheme.is_none_or(|wanted| own.name == wanted);
        // A service without a scheme of its own may have resources of any.
        let may_have = |service: &&Arc<dyn Service>| scheme.is_none() || service.scheme().is_none_or(wanted);
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
            let (name, room) = (service.name(), LIST_PAGE_SIZE.saturating_sub(page.items.len()));
            if room == 0 {
                page.next_cursor = Some(format!("{name}:"));
                break;
            }
            let part = service.resources(mark.take(), room, context)?;
            let wanted = |entry: &ResourceEntry| scheme.is_none_or(|scheme| has_scheme(&entry.uri, scheme));
            page.items.extend(part.items.into_iter().filter(wanted));
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

    /// A page of the tools.
    ///
    /// # Errors
    /// When we never gave out that cursor, and as the service's.
    pub fn tools(&self, cursor: Option<&str>, context: &CallContext) -> Result<ListPage<Arc<ToolEntry>>, ServiceError> {
        self.collect_page(cursor, |service, mark, limit| service.tools_after(mark, limit, context), |entry| &entry.name)
    }

    /// One of the tools.
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

    /// How a call of this tool can be one, where the caller may see it.
    #[must_use]
    pub fn task_support(&self, tool: &str, context: &CallContext) -> Option<TaskSupport> {
        let owner = self.services.iter().find(|service| service.has_tool(tool, context))?;
        owner.task_support(tool, context)
    }

    /// A page of the prompts.
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

    /// A page of what each service has. A cursor names a service and the last entry, so that it holds where
    /// others come and go.
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
            // One more than there is room for, to know whether there are more.
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

    /// Fills in a prompt.
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

    /// Whether a URI could name a resource.
    ///
    /// # Errors
    /// As [`Self::read`] refuses its text.
    pub fn validate(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        self.service_for_uri(uri, context)?.validate(uri, context)
    }

    /// Has every service look at what it keeps of the files, unless it did so since.
    pub fn refresh(&self, since: Instant) {
        self.services.iter().for_each(|service| service.refresh(since));
    }

    /// What a resource depends on, as of the last look.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn dependencies(&self, uri: &str, context: &CallContext) -> Result<Dependencies, ServiceError> {
        self.service_for_uri(uri, context)?.dependencies(uri, context)
    }

    /// What the list of resources depends on, as the caller sees it.
    #[must_use]
    pub fn resource_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut watched = Dependencies::default();
        self.services.iter().for_each(|service| watched.merge(&service.resource_list_dependencies(context)));
        watched
    }

    /// What the list of tools depends on, as the caller sees it.
    #[must_use]
    pub fn tool_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut watched = Dependencies::default();
        self.services.iter().for_each(|service| watched.merge(&service.tool_list_dependencies(context)));
        watched
    }

    /// What the list of prompts depends on, as the caller sees it.
    #[must_use]
    pub fn prompt_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let mut watched = Dependencies::default();
        self.services.iter().for_each(|service| watched.merge(&service.prompt_list_dependencies(context)));
        watched
    }

    /// Does what a script may have a service do; nothing for what no service does.
    #[must_use]
    pub fn handle_script_call(
        &self,
        operation: &str,
        arguments: &Payload,
        context: &CallContext,
    ) -> Option<Result<Payload, String>> {
        self.services.iter().find_map(|service| service.handle_script_call(operation, arguments, context))
    }

    /// The arguments of a tool that a request repeats in its headers.
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

    /// Completes a variable of a template, or an argument of a prompt.
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

/// Whether a URI or a template has this scheme, which may be written with its `://`.
#[must_use]
pub fn has_scheme(uri: &str, scheme: &str) -> bool {
    uri.strip_prefix(scheme.trim_end_matches("://")).is_some_and(|rest| rest.starts_with("://"))
}

/// Those after the one that `mark` names, which may be gone where they are sorted.
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
        return ServiceError::Invalid(format!("no service that is offered has such resources, so there is no {uri}"));
    }
    UriError::Scheme { expected: expected.to_owned(), uri: uri.to_owned() }.into()
}

impl<T> ListPage<T> {
    /// The page of `all` at which `cursor` points.
    ///
    /// # Errors
    /// When we never gave out that cursor.
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
