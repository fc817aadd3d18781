//! The resources of `alc`: their list, their templates, and one of them by URI.
//!
//! Owns: which store serves which URI.
//! Never: checks an id, which [`AlcUri::parse`] does.

use std::sync::Arc;

use super::alc_uri::AlcUri;
use super::packages::{NARRATIVE_FILE, SOURCE_FILE};
use super::{Alc, complete, dependencies, descriptors, listing, type_stubs};
use crate::limits::MAX_NARRATIVE_BYTES;
use crate::session_owner::owner_tag;
use wardroom_base::uri::Scheme;
use wardroom_service::limits::MAX_SOURCE_BYTES;
use wardroom_service::{
    Caller, Cost, Dependencies, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider, ServiceError,
    TemplateEntry, VariableCompletion, Work, mime,
};

impl ResourceProvider for Alc {
    fn scheme(&self) -> Option<&'static Scheme> {
        Some(self.active_scheme())
    }

    fn list_cost(&self) -> Cost {
        // The names of all stored documents can take tens of megabytes.
        if self.config.enumerate { Cost::Large } else { Cost::Inline }
    }

    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        listing::list_resources(self, mark, limit, info)
    }

    fn templates(&self, _caller: &Caller) -> Vec<Arc<TemplateEntry>> {
        descriptors::template_entries(self.active_scheme()).into_iter().map(Arc::new).collect()
    }

    fn resolve(
        self: Arc<Self>,
        uri: &str,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| match parse_visible(scheme, uri, caller)? {
            AlcUri::Types(file) => type_stubs::resolve(&self.app, file, uri),
            AlcUri::HubIndex => Ok(self.hub.resolve_hub_index(uri)),
            AlcUri::PackageSource(name) => {
                self.packages.resolve_file(&name, (SOURCE_FILE, mime::LUA, MAX_SOURCE_BYTES), uri)
            }
            AlcUri::PackageMeta(name) => self.packages.resolve_metadata(&name, uri),
            AlcUri::PackageNarrative(name) => {
                self.packages.resolve_file(&name, (NARRATIVE_FILE, mime::MARKDOWN, MAX_NARRATIVE_BYTES), uri)
            }
            AlcUri::Card(card) => self.cards.resolve_card(&card, uri),
            AlcUri::Samples { card, offset, limit } => self.cards.resolve_samples(&card, offset, limit, uri),
            AlcUri::Scenario(name) => self.scenarios.resolve_scenario(&name, uri),
            AlcUri::Eval(eval) => self.evals.resolve_eval(&eval, uri),
            AlcUri::Log { session, limit, max_chars } => self.logs.resolve_log(&session, limit, max_chars, uri),
        })
    }

    fn closest_uri(&self, uri: &str, info: &RequestInfo) -> Option<String> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| complete::closest_uri(self, scheme, uri, info))?
    }

    fn validate(&self, uri: &str, caller: &Caller) -> Option<Result<(), ServiceError>> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| parse_visible(scheme, uri, caller).map(drop))
    }

    fn dependencies(&self, uri: &str, caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        let scheme = self.active_scheme();
        let collect = || {
            let resource = parse_visible(scheme, uri, caller)?;
            Ok(dependencies::collect_uri_dependencies(self, &resource, uri))
        };
        scheme.matches(uri).then(collect)
    }

    fn list_dependencies(&self, _caller: &Caller) -> Dependencies {
        dependencies::collect_list_dependencies(self)
    }

    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        complete::resolve_completion(&self, completing)
    }
}

/// Parses a URI. The log of a stranger's run does not exist.
fn parse_visible(scheme: &Scheme, uri: &str, caller: &Caller) -> Result<AlcUri, ServiceError> {
    match AlcUri::parse(scheme, uri)? {
        AlcUri::Log { session, .. } if !caller.sees_run(owner_tag(session.as_str())) => {
            Err(ServiceError::NotFound { uri: uri.to_owned() })
        }
        resource => Ok(resource),
    }
}
