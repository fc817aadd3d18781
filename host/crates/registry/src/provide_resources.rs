//! The declared resources of one caller: their list, their templates, and one of them by URI.

use std::sync::Arc;

use super::RegistryService;
use super::declarations::ResourceAddress;
use super::handler_call::HandlerCall;
use super::snapshot::RegistrySnapshot;
use serde_json::json;
use wardroom_service::{
    Caller, Cost, Dependencies, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider, ServiceError,
    TemplateEntry, VariableCompletion, Work,
};

impl ResourceProvider for RegistryService {
    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let snapshot = self.watcher.current();
        let mut shown = snapshot.visible_after(&snapshot.resources, mark, &info.caller).peekable();
        let mut page = ListPage { items: Vec::new(), next_cursor: None };
        while let Some((uri, entry)) = shown.next_if(|_| page.items.len() < limit) {
            if let Some(ResourceAddress::Fixed(listed)) = entry.resource.as_ref().map(|resource| &resource.address) {
                page.items.push(listed.clone());
            }
            page.next_cursor = shown.peek().map(|_| uri.clone());
        }
        Ok(page)
    }

    fn templates(&self, caller: &Caller) -> Vec<Arc<TemplateEntry>> {
        let snapshot = self.watcher.current();
        let shown = snapshot.templates.values().filter(|entry| snapshot.is_visible(entry, caller));
        let listed = shown.filter_map(|entry| match &entry.resource.as_ref()?.address {
            ResourceAddress::Template(_, listed) => Some(Arc::clone(listed)),
            ResourceAddress::Fixed(_) => None,
        });
        listed.collect()
    }

    fn resolve(
        self: Arc<Self>,
        uri: &str,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        let snapshot = self.watcher.current();
        let Some((entry, resource, variables)) = snapshot.resource(uri, caller) else {
            let not_found = || Err(ServiceError::NotFound { uri: uri.to_owned() });
            return snapshot.has_scheme(uri, caller).then(not_found);
        };
        if !resource.is_dynamic() {
            return Some(self.watcher.resolve_static(entry, resource, uri, &variables));
        }
        let (entry, uri) = (Arc::clone(entry), uri.to_owned());
        let work = Work::new(Cost::Worker, move |info| {
            let gone = || ServiceError::NotFound { uri: uri.clone() };
            let resource = entry.resource.as_ref().ok_or_else(gone)?;
            HandlerCall::new(&self, &snapshot, info)?.run_resource(&entry, resource, &uri, &variables)
        });
        Some(Ok(work.with_client()))
    }

    fn validate(&self, uri: &str, caller: &Caller) -> Option<Result<(), ServiceError>> {
        let snapshot = self.watcher.current_if_loaded()?;
        if snapshot.resource(uri, caller).is_some() {
            return Some(Ok(()));
        }
        snapshot.has_scheme(uri, caller).then(|| Err(ServiceError::NotFound { uri: uri.to_owned() }))
    }

    fn dependencies(&self, uri: &str, caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        let (snapshot, mut dependencies) = self.watched_snapshot();
        let Some((entry, resource, _)) = snapshot.resource(uri, caller) else {
            let not_found = || Err(ServiceError::NotFound { uri: uri.to_owned() });
            return snapshot.has_scheme(uri, caller).then(not_found);
        };
        let digest = |loaded: &RegistrySnapshot| loaded.resource(uri, caller).map_or(0, |(entry, ..)| entry.digest);
        dependencies.add_digest(entry.digest, self.watcher.part_changed_at(&snapshot, digest));
        self.watcher.add_body_dependency(entry, resource, &mut dependencies);
        Some(Ok(dependencies))
    }

    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.resources, &loaded.templates], caller))
    }

    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let VariableCompletion { template, variable, prefix } = completing;
        let snapshot = self.watcher.current();
        let entry = snapshot.templates.get(template).filter(|entry| snapshot.is_visible(entry, caller)).cloned()?;
        let request = json!({"template": template, "argument": variable, "value": prefix, "context": {}});
        Some(Ok(self.complete_value(snapshot, entry, variable, prefix, request)))
    }
}
