//! An endpoint: a path, its callers, and the services that it offers them.
//!
//! Owns: who may call here.
//! Never: offers more than its own catalogue, or reads a request before its caller is known.

use std::sync::Arc;

use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use hyper::{Method, Response};

use super::auth::{AuthError, TokenHash};
use super::caller_request::CallerRequest;
use super::callers::{self, CallerProfile, CallerTable, EndpointCaller};
use super::origin_policy::preflight_response;
use super::principal::Principal;
use super::quota::{CallerQuotas, Quotas};
use super::request_body::RequestBody;
use super::response::{HttpError, ResponseBody};
use super::sessions::{SessionLimits, SessionTable};
use crate::McpServer;
use wardroom_service::audit::AuditSource;

pub struct Endpoint {
    path: String,
    server: McpServer,
    callers: CallerTable,
    /// `None` where the endpoint is stateless.
    sessions: Option<SessionTable>,
}

/// The parameters of an endpoint.
pub struct EndpointParts {
    pub path: String,
    pub server: McpServer,
    pub scope: Option<String>,
    /// The groups of every caller.
    pub groups: Option<Vec<String>>,
    /// If there are any, a request must carry one of them.
    pub tokens: Vec<TokenHash>,
    /// Whether its callers see the runs and logs of all.
    pub shares_runs: bool,
    /// The limits of its sessions; `None` where it is stateless.
    pub sessions: Option<SessionLimits>,
}

impl Endpoint {
    #[must_use]
    pub fn new(parts: EndpointParts, quotas: &CallerQuotas) -> Self {
        let EndpointParts { path, server, scope, groups, tokens, shares_runs, sessions } = parts;
        let profile =
            CallerProfile { scope, groups, shares_runs, memory: server.memory().clone(), quotas: quotas.clone() };
        let callers = CallerTable::new(profile, tokens);
        Self { path, server, callers, sessions: sessions.map(SessionTable::new) }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether requests need no token.
    pub(super) fn is_unauthenticated(&self) -> bool {
        self.callers.is_open()
    }

    /// Admits the bearers of these tokens alone, and ends what others began: see [`CallerTable::replace`].
    pub(super) fn replace_tokens(&self, tokens: Vec<TokenHash>, may_be_open: bool) {
        for caller in self.callers.replace(tokens, may_be_open) {
            caller.revoked.cancel();
            self.sessions.iter().for_each(|sessions| sessions.terminate_all_of(caller.id));
        }
    }

    /// Counts a request that was refused before its endpoint was known.
    pub(super) fn audit_refusal(&self, is_remote: bool, reason: &'static str) {
        self.server.audit_refusal(&AuditSource::unauthenticated(is_remote), "http", reason);
    }

    pub(super) fn prepare_services(&self) {
        self.server.prepare_services();
    }

    pub(super) fn sessions(&self) -> Option<&SessionTable> {
        self.sessions.as_ref()
    }

    pub(super) async fn handle(
        &self,
        head: &Parts,
        body: RequestBody<'_>,
        is_remote: bool,
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, HttpError> {
        // A browser sends no token with a preflight request.
        if head.method == Method::OPTIONS {
            return Ok(preflight_response(&head.headers));
        }
        let caller = self.authenticate(&head.headers, is_remote, quotas)?;
        let principal = Principal { caller: caller.id, is_remote };
        let (server, sessions) = (&self.server, self.sessions.as_ref());
        let request = CallerRequest { server, sessions, headers: &head.headers, caller: &caller, principal, quotas };
        tokio::select! {
            biased;
            () = caller.revoked.cancelled() => Err(caller.revoked_error()),
            answered = request.handle(&head.method, body) => {
                answered.map(|reply| reply.map(|body| body.until_revoked(&caller.revoked)))
            }
        }
    }

    fn authenticate(
        &self,
        headers: &HeaderMap,
        is_remote: bool,
        quotas: &Quotas,
    ) -> Result<Arc<EndpointCaller>, HttpError> {
        self.callers.authenticate(headers).map_err(|error| {
            self.server.audit_refusal(&AuditSource::unauthenticated(is_remote), &self.path, "no valid token");
            match error {
                AuthError::MissingToken => callers::missing_token_error(),
                AuthError::InvalidToken => {
                    quotas.refused_tokens.record();
                    callers::invalid_token_error()
                }
            }
        })
    }
}
