//! The resources of `alc`: their list, their templates, and one of them by URI.
//!
//! Owns: which store serves which URI.
//! Never: checks an id, which [`AlcUri::parse`] does.

use std::sync::Arc;

use super::alc_uri::AlcUri;
use super::packages::{NARRATIVE_FILE, SOURCE_FILE};
use super::{Alc, complete, dependencies, descriptors, listing, type_stubs};
use crate::limits::MAX_NARRATIVE_BYTES;
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
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| match AlcUri::parse(scheme, uri)? {
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

    fn validate(&self, uri: &str, _caller: &Caller) -> Option<Result<(), ServiceError>> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| AlcUri::parse(scheme, uri).map(drop))
    }

    fn dependencies(&self, uri: &str, _caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        let scheme = self.active_scheme();
        scheme.matches(uri).then(|| Ok(dependencies::collect_uri_dependencies(self, &AlcUri::parse(scheme, uri)?, uri)))
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
