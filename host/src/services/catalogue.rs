//! The catalogue: every service that this server offers, and which of them a URI or a tool belongs to.
//!
//! Owns: the order in which things are listed, and the cursors of lists.
//! Never: looks into a URI further than its scheme.

use std::sync::Arc;

use super::{
    CallContext, Content, ParamHeader, ResourceEntry, Service, ServiceError, TemplateEntry, ToolAnswer, ToolEntry,
    Watched, shown,
};
use crate::limits::{LIST_PAGE, MAX_CURSOR_BYTES};
use crate::payload::Payload;
use crate::uri::Scheme;

/// The services of one server, in the order in which they are listed.
pub struct Catalogue {
    services: Vec<Arc<dyn Service>>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    pub items: Vec<T>,
    /// Where the next page begins.
    pub next: Option<String>,
}

impl Catalogue {
    #[must_use]
    pub fn new(services: Vec<Box<dyn Service>>) -> Self {
        Self { services: services.into_iter().map(Arc::from).collect() }
    }

    /// The same services, those of these names alone.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Self {
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
    pub fn names(&self) -> Vec<&'static str> {
        self.services.iter().map(|service| service.name()).collect()
    }

    /// The folders of the AppDir that services write to; some perhaps twice.
    pub fn writes(&self) -> impl Iterator<Item = &'static str> {
        self.services.iter().flat_map(|service| service.writes()).copied()
    }

    /// Gets every service ready.
    pub fn prepare(&self) {
        self.services.iter().for_each(|service| service.prepare());
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
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        let wanted = |own: &Scheme| scheme.is_none_or(|wanted| own.name == wanted);
        let mut services = self.services.iter().filter(|service| service.scheme().is_some_and(wanted)).peekable();
        let mut mark = None;
        if let Some(cursor) = cursor {
            let parts = cursor.split_once(':').filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
            let (name, rest) = parts.ok_or_else(ServiceError::unknown_cursor)?;
            while services.next_if(|service| service.name() != name).is_some() {}
            services.peek().ok_or_else(ServiceError::unknown_cursor)?;
            mark = Some(rest).filter(|rest| !rest.is_empty());
        }
        let mut page = Listing { items: Vec::new(), next: None };
        for service in services {
            let (name, room) = (service.name(), LIST_PAGE.saturating_sub(page.items.len()));
            if room == 0 {
                page.next = Some(format!("{name}:"));
                break;
            }
            let part = service.resources(mark.take(), room, context)?;
            page.items.extend(part.items);
            if let Some(next) = part.next {
                page.next = Some(format!("{name}:{next}"));
                break;
            }
        }
        Ok(page)
    }

    #[must_use]
    pub fn templates(&self) -> Vec<TemplateEntry> {
        self.services.iter().flat_map(|service| service.templates()).collect()
    }

    #[must_use]
    pub fn tools(&self) -> Vec<ToolEntry> {
        self.services.iter().flat_map(|service| service.tools()).collect()
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As the service's, and for a scheme that no service has.
    pub fn read(&self, uri: &str, context: &CallContext) -> Result<Content, ServiceError> {
        self.of_uri(uri)?.read(uri, context)
    }

    /// Whether a URI could name a resource.
    ///
    /// # Errors
    /// As [`Self::read`] refuses its text.
    pub fn check(&self, uri: &str) -> Result<(), ServiceError> {
        self.of_uri(uri)?.check(uri)
    }

    /// What a resource depends on.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn watched(&self, uri: &str, context: &CallContext) -> Result<Watched, ServiceError> {
        self.of_uri(uri)?.watched(uri, context)
    }

    /// What the list of resources depends on.
    #[must_use]
    pub fn watched_list(&self) -> Watched {
        let mut watched = Watched::default();
        self.services.iter().for_each(|service| watched.add(&service.watched_list()));
        watched
    }

    /// The arguments of a tool that a request repeats in its headers.
    #[must_use]
    pub fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let owner = self.services.iter().find(|service| service.has_tool(tool));
        owner.map_or_else(Vec::new, |owner| owner.param_headers(tool))
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As the tool's, and [`ServiceError::UnknownTool`].
    pub fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let owner = self.services.iter().find(|service| service.has_tool(tool));
        owner.ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?.call(tool, arguments, context)
    }

    /// Completes a variable of a template.
    ///
    /// # Errors
    /// For a template that no service has, and as the service's.
    pub fn complete(&self, template: &str, variable: &str, prefix: &str) -> Result<Vec<String>, ServiceError> {
        let owner = self.services.iter().find(|s| s.templates().iter().any(|entry| entry.pattern == template));
        owner
            .ok_or_else(|| ServiceError::Invalid(format!("unknown resource template: {}", shown(template))))?
            .complete(template, variable, prefix)
    }

    fn of_uri(&self, uri: &str) -> Result<&dyn Service, ServiceError> {
        let schemes = || self.services.iter().filter_map(|service| Some((service, service.scheme()?)));
        if let Some((service, _)) = schemes().find(|(_, scheme)| scheme.claims(uri)) {
            return Ok(&**service);
        }
        let expected: Vec<String> = schemes().map(|(_, scheme)| format!("{}://", scheme.name)).collect();
        Err(refuse_scheme(uri, &expected.join(" or ")))
    }
}

/// Whether a URI or a template has this scheme, which may be written with its `://`.
#[must_use]
pub fn has_scheme(uri: &str, scheme: &str) -> bool {
    uri.strip_prefix(scheme.trim_end_matches("://")).is_some_and(|rest| rest.starts_with("://"))
}

fn refuse_scheme(uri: &str, expected: &str) -> ServiceError {
    use wardroom_rules::uri::{MAX_URI_BYTES, UriError};
    if uri.len() > MAX_URI_BYTES {
        return UriError::TooLong { len: uri.len() }.into();
    }
    if expected.is_empty() {
        return ServiceError::Invalid(format!("no service that is offered has resources, so there is no {uri}"));
    }
    UriError::Scheme { expected: expected.to_owned(), uri: uri.to_owned() }.into()
}

impl<T> Listing<T> {
    /// The page of `all` at which `cursor` points.
    ///
    /// # Errors
    /// When we never gave out that cursor.
    pub fn page(all: Vec<T>, cursor: Option<&str>) -> Result<Self, ServiceError> {
        let start = cursor.map_or(Ok(0), parse_cursor)?;
        if start > all.len() {
            return Err(ServiceError::unknown_cursor());
        }
        let end = all.len().min(start + LIST_PAGE);
        let next = (end < all.len()).then(|| format!("from-{end}"));
        Ok(Self { items: all.into_iter().take(end).skip(start).collect(), next })
    }
}

fn parse_cursor(cursor: &str) -> Result<usize, ServiceError> {
    let number = cursor.strip_prefix("from-").filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
    number.and_then(|number| number.parse().ok()).ok_or_else(ServiceError::unknown_cursor)
}
