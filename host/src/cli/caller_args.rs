//! As whom a command calls a tool or reads a resource: the flags, and the caller that they stand for.
//!
//! Never: gives a command rights that its person does not have: it is for trying what others see.

use std::sync::Arc;

use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_config::EndpointConfig;
use wardroom_service::{Caller, Catalogue, RequestInfo};

#[derive(Debug, Default, clap::Args)]
pub struct CallerArgs {
    /// See what callers at this HTTP endpoint see; it has the name or the path that the configuration gives it
    #[arg(long = "as", value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// See what callers in this scope see
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// See what members of this group see; may be given several times
    #[arg(long = "group", value_name = "GROUP")]
    pub groups: Vec<String>,
}

impl CallerArgs {
    /// Returns the services and the context of a request by this caller.
    pub(super) fn restrict(
        &self,
        settings: &Settings,
        catalogue: Arc<Catalogue>,
    ) -> Result<(Arc<Catalogue>, RequestInfo), CommandError> {
        let endpoint = self.endpoint.as_deref().map(|name| find_endpoint(settings, name)).transpose()?;
        let endpoint = endpoint.unwrap_or_default();
        let catalogue = match &endpoint.services {
            Some(names) => Arc::new(catalogue.restrict_to(names)),
            None => catalogue,
        };
        let info = assemble::command_line_context(&catalogue);
        let mut groups = endpoint.groups;
        if !self.groups.is_empty() {
            groups.get_or_insert_default().extend(self.groups.iter().cloned());
        }
        let scope = self.scope.clone().or(endpoint.scope);
        let caller = Caller { scope, groups, ..(*info.caller).clone() };
        Ok((catalogue, RequestInfo { caller: Arc::new(caller), ..info }))
    }
}

fn find_endpoint(settings: &Settings, name: &str) -> Result<EndpointConfig, CommandError> {
    let endpoints = &settings.config.http.endpoints;
    let by_path = || endpoints.values().find(|endpoint| endpoint.path == name);
    endpoints.get(name).or_else(by_path).cloned().ok_or_else(|| {
        let known: Vec<&str> = endpoints.keys().map(String::as_str).collect();
        let hint = if known.is_empty() {
            "the configuration has none: run wardroom help config to see how one is written".to_owned()
        } else {
            format!("the endpoints are {}", known.join(", "))
        };
        CommandError::new(format!("no endpoint is called {}", report::escape_name(name)), hint)
    })
}
