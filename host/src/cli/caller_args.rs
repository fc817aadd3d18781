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
    let http = &settings.config.http;
    // The default endpoint has a path and no name.
    let by_path = || http.endpoints().into_iter().find(|endpoint| endpoint.path == name);
    http.endpoints.get(name).cloned().or_else(by_path).ok_or_else(|| {
        let named =
            |path: &str| http.endpoints.iter().find(|(_, named)| named.path == path).map(|(name, _)| name.clone());
        let known = http.endpoints().into_iter().map(|endpoint| named(&endpoint.path).unwrap_or(endpoint.path));
        let known: Vec<String> = known.collect();
        let hint = format!("the endpoints are {}: run {} help config", known.join(", "), settings.command_line());
        CommandError::new(format!("no endpoint is called {}", report::escape_name(name)), hint)
    })
}
