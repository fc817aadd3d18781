//! The lists of all services: resources, templates, tools and prompts, page by page.
//!
//! Owns: the order of a list; that a cursor stays valid when entries come and go; which tools are listed.
//! Never: looks up a name.

use std::sync::Arc;

use super::{Catalogue, RegisteredService, has_scheme};
use crate::limits::LIST_PAGE_SIZE;
use crate::list_page::{ListPage, split_cursor};
use crate::{
    Caller, Cost, PromptEntry, RequestInfo, ResourceEntry, ResourceProvider, ServiceError, TemplateEntry, ToolEntry,
    Work,
};
use wardroom_base::uri::Scheme;

/// Providers of resources, each with its service's name.
type NamedProviders<'a> = Vec<(&'static str, &'a Arc<dyn ResourceProvider>)>;

/// Lists at most so many entries of a service after a mark.
type ListPart<T> = fn(&RegisteredService, Option<&str>, usize, &Caller) -> Vec<Arc<T>>;

impl Catalogue {
    /// Resolves a request for a page of the resources of one scheme or of all. A cursor names a service and that
    /// service's mark of its last entry, so it stays valid when other entries come and go.
    ///
    /// The page fails for a cursor that this server did not issue.
    pub fn resources(self: &Arc<Self>, scheme: Option<&str>, cursor: Option<&str>) -> Work<ListPage<ResourceEntry>> {
        let cost = self.listed_providers(scheme, cursor).map_or(Cost::Inline, |(providers, _)| {
            providers.iter().map(|(_, resources)| resources.list_cost()).max().unwrap_or(Cost::Inline)
        });
        let (catalogue, scheme, cursor) = (Arc::clone(self), scheme.map(str::to_owned), cursor.map(str::to_owned));
        Work::new(cost.max(self.load_cost()), move |info| {
            catalogue.load();
            catalogue.collect_resources(scheme.as_deref(), cursor.as_deref(), info)
        })
    }

    /// Returns the providers from the one at which `cursor` points on that may have resources of the scheme, each with its
    /// service's name, and the first one's mark.
    fn listed_providers<'c>(
        &self,
        scheme: Option<&str>,
        cursor: Option<&'c str>,
    ) -> Result<(NamedProviders<'_>, Option<&'c str>), ServiceError> {
        let is_requested = |own: &Scheme| scheme.is_none_or(|name| own.name == name);
        // A provider without a scheme of its own may have resources of any scheme.
        let providers = self.services.iter().filter_map(|registered| {
            let resources = registered.resources.as_ref()?;
            let may_have = scheme.is_none() || resources.scheme().is_none_or(is_requested);
            may_have.then(|| (registered.service.name(), resources))
        });
        let Some(cursor) = cursor else { return Ok((providers.collect(), None)) };
        let (name, rest) = split_cursor(cursor)?;
        let providers: NamedProviders<'_> = providers.skip_while(|(own, _)| *own != name).collect();
        if providers.is_empty() {
            return Err(ServiceError::unknown_cursor());
        }
        Ok((providers, Some(rest).filter(|rest| !rest.is_empty())))
    }

    fn collect_resources(
        &self,
        scheme: Option<&str>,
        cursor: Option<&str>,
        info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let (providers, mut mark) = self.listed_providers(scheme, cursor)?;
        let mut page = ListPage { items: Vec::new(), next_cursor: None };
        for (name, resources) in providers {
            let capacity = LIST_PAGE_SIZE.saturating_sub(page.items.len());
            if capacity == 0 {
                page.next_cursor = Some(format!("{name}:"));
                break;
            }
            let part = resources.list(mark.take(), capacity, info)?;
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

    /// Resolves a request for the templates that the caller may see.
    pub fn templates(self: &Arc<Self>) -> Work<Vec<Arc<TemplateEntry>>> {
        let catalogue = Arc::clone(self);
        Work::new(self.load_cost(), move |info| {
            catalogue.load();
            let providers = catalogue.resource_providers();
            Ok(providers.flat_map(|resources| resources.templates(&info.caller)).collect())
        })
    }

    /// Resolves a request for a page of the tools that are listed: where tools can be searched, lists leave those out that
    /// few tasks need. The page fails for a cursor that this server did not issue.
    pub fn tools(self: &Arc<Self>, cursor: Option<&str>) -> Work<ListPage<Arc<ToolEntry>>> {
        if self.services().any(|service| service.searches_tools()) {
            return self.tools_where(cursor, |entry| !entry.is_on_demand);
        }
        self.all_tools(cursor)
    }

    /// Resolves a request for a page of the tools that the caller may call, listed or not. The page fails for a cursor that
    /// this server did not issue.
    pub fn all_tools(self: &Arc<Self>, cursor: Option<&str>) -> Work<ListPage<Arc<ToolEntry>>> {
        self.tools_where(cursor, |_| true)
    }

    fn tools_where(
        self: &Arc<Self>,
        cursor: Option<&str>,
        is_listed: fn(&ToolEntry) -> bool,
    ) -> Work<ListPage<Arc<ToolEntry>>> {
        self.entries(
            cursor,
            |registered, mark, limit, caller| {
                registered.tools.as_ref().map_or_else(Vec::new, |tools| tools.list(mark, limit, caller))
            },
            |entry| &entry.name,
            is_listed,
        )
    }

    /// Resolves a request for a page of the prompts. The page fails for a cursor that this server did not issue.
    pub fn prompts(self: &Arc<Self>, cursor: Option<&str>) -> Work<ListPage<Arc<PromptEntry>>> {
        self.entries(
            cursor,
            |registered, mark, limit, caller| {
                registered.prompts.as_ref().map_or_else(Vec::new, |prompts| prompts.list(mark, limit, caller))
            },
            |entry| &entry.name,
            |_| true,
        )
    }

    /// Resolves a request for a page of the entries of each service in turn. A cursor names a service and the last entry,
    /// so it stays valid when other entries come and go.
    fn entries<T: Send + Sync + 'static>(
        self: &Arc<Self>,
        cursor: Option<&str>,
        part: ListPart<T>,
        name: fn(&T) -> &str,
        is_listed: fn(&T) -> bool,
    ) -> Work<ListPage<Arc<T>>> {
        let (catalogue, cursor) = (Arc::clone(self), cursor.map(str::to_owned));
        Work::new(self.load_cost(), move |info| {
            catalogue.load();
            let mut services = catalogue.services.iter().peekable();
            let mut mark: Option<String> = None;
            if let Some(cursor) = &cursor {
                let (own, rest) = split_cursor(cursor)?;
                while services.next_if(|registered| registered.service.name() != own).is_some() {}
                services.peek().ok_or_else(ServiceError::unknown_cursor)?;
                mark = Some(rest.to_owned());
            }
            let mut page = ListPage { items: Vec::new(), next_cursor: None };
            for registered in services {
                loop {
                    // One entry more than the page has space for shows whether another page follows.
                    let limit = LIST_PAGE_SIZE.saturating_sub(page.items.len()) + 1;
                    let entries = part(registered, mark.take().as_deref(), limit, &info.caller);
                    let is_whole = entries.len() < limit;
                    mark = entries.last().map(|entry| name(entry).to_owned()).filter(|_| !is_whole);
                    for entry in entries.into_iter().filter(|entry| is_listed(entry)) {
                        if page.items.len() == LIST_PAGE_SIZE {
                            return Ok(page);
                        }
                        page.next_cursor = Some(format!("{}:{}", registered.service.name(), name(&entry)));
                        page.items.push(entry);
                    }
                    if is_whole {
                        break;
                    }
                }
            }
            page.next_cursor = None;
            Ok(page)
        })
    }
}
