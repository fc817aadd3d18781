//! All endpoints of a server, and the checks that they have in common.
//!
//! Owns: the order of the checks: what other programs may read as another request, host and origin, then the path, then
//! the token. Pages for people have checks of their own.
//! Never: treats one path as another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::TRANSFER_ENCODING;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tokio_util::sync::CancellationToken;

use super::auth::TokenHash;
use super::connection_info::ConnectionInfo;
use super::connection_limiter::{ActiveRequest, ConnectionLimiter, ConnectionSlot};
use super::endpoint::Endpoint;
use super::health::Health;
use super::origin_policy::{self, OriginPolicy};
use super::pages::PageEndpoint;
use super::quota::Quotas;
use super::refused_tokens::RefusedTokens;
use super::request_body::RequestBody;
use super::response::{HttpError, ResponseBody};
use super::send_budget::SendBudget;
use super::sessions::SessionTable;
use wardroom_config::HEALTH_PATH;
use wardroom_service::HttpPages;

pub struct HttpService {
    policy: OriginPolicy,
    endpoints: BTreeMap<String, Endpoint>,
    /// Pages for people, if this server has some.
    pages: Option<PageEndpoint>,
    health: Health,
    quotas: Quotas,
}

impl HttpService {
    pub(super) fn new(
        policy: OriginPolicy,
        endpoints: Vec<Endpoint>,
        send_budget: Arc<SendBudget>,
        pages: Option<Arc<dyn HttpPages>>,
        health: Health,
    ) -> Self {
        let endpoints = endpoints.into_iter().map(|endpoint| (endpoint.path().to_owned(), endpoint)).collect();
        let pages = pages.map(|pages| PageEndpoint::new(pages, send_budget.memory()));
        Self { policy, endpoints, pages, health, quotas: Quotas::new(send_budget) }
    }

    /// Returns the first path that needs no token.
    pub(super) fn unauthenticated_path(&self) -> Option<&str> {
        self.endpoints.values().find(|endpoint| endpoint.is_unauthenticated()).map(Endpoint::path)
    }

    /// Has an endpoint admit the bearers of these tokens, and no other caller, from now on. What other callers began
    /// there ends. Without any token every request is refused; if `may_be_open`, an endpoint that needs no token stays so.
    pub fn replace_tokens(&self, path: &str, tokens: Vec<TokenHash>, may_be_open: bool) {
        if let Some(endpoint) = self.endpoints.get(path) {
            endpoint.replace_tokens(tokens, may_be_open);
        }
    }

    /// The paths of all endpoints.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.endpoints.keys().map(String::as_str)
    }

    /// The requests that were refused because of their token.
    #[must_use]
    pub fn refused_tokens(&self) -> &Arc<RefusedTokens> {
        &self.quotas.refused_tokens
    }

    pub(super) fn prepare_services(&self) {
        self.endpoints.values().for_each(Endpoint::prepare_services);
    }

    pub(super) fn connection_limiter(&self) -> &Arc<ConnectionLimiter> {
        &self.quotas.send_budget.connections
    }

    /// Cancelled when no further connection is accepted.
    pub(super) fn drain_token(&self) -> &CancellationToken {
        &self.quotas.draining
    }

    /// Stops accepting connections, and ends subscriptions and the streams of sessions.
    pub(super) fn start_drain(&self) {
        self.quotas.draining.cancel();
        self.endpoints.values().filter_map(Endpoint::sessions).for_each(SessionTable::close_listeners);
    }

    /// Ends all requests that still run.
    pub(super) fn terminate(&self) {
        self.quotas.terminated.cancel();
    }

    /// Ends expired sessions at intervals, for as long as this is polled.
    pub(super) async fn sweep_sessions(&self) {
        const SWEEP_INTERVAL: Duration = Duration::from_secs(10);
        loop {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            self.endpoints.values().filter_map(Endpoint::sessions).for_each(SessionTable::remove_expired);
        }
    }

    /// Answers a request of a connection, which is busy until the reply was taken.
    pub(super) async fn handle(
        &self,
        slot: &Arc<ConnectionSlot>,
        request: Request<Incoming>,
        info: ConnectionInfo,
    ) -> Response<ResponseBody> {
        let active_request = ActiveRequest::begin(slot);
        self.dispatch(request, slot, info).await.map(|body| body.with_active_request(active_request))
    }

    async fn dispatch(
        &self,
        request: Request<Incoming>,
        slot: &Arc<ConnectionSlot>,
        info: ConnectionInfo,
    ) -> Response<ResponseBody> {
        let (head, incoming) = request.into_parts();
        let body = RequestBody { incoming, slot };
        if let Err(refusal) = check_unambiguous(&head) {
            let mut reply = refusal.into_response();
            origin_policy::add_cors_headers(&mut reply, None);
            return reply;
        }
        // Pages have a host of their own, and no other page may read them.
        if let Some(pages) = self.pages.as_ref().filter(|pages| pages.is_asked(head.uri.path(), info)) {
            return pages.handle(head, body, &self.quotas).await;
        }
        let origin = match self.policy.check_request(&head, info.local_ip) {
            Ok(origin) => origin,
            Err(refusal) => {
                if let Some(endpoint) = self.endpoints.values().next() {
                    endpoint.audit_refusal(info.is_remote, "host or origin");
                }
                let mut reply = refusal.into_response();
                origin_policy::add_cors_headers(&mut reply, None);
                return reply;
            }
        };
        let path = head.uri.path();
        let mut reply = match self.endpoints.get(path) {
            Some(endpoint) => {
                let answered = endpoint.handle(&head, body, info.is_remote, &self.quotas).await;
                answered.unwrap_or_else(HttpError::into_response)
            }
            None if path == HEALTH_PATH => self.health.respond(&head.method).await,
            None => HttpError::not_found("no endpoint has this path").into_response(),
        };
        tracing::debug!(method = %head.method, path, status = reply.status().as_u16(), "answered");
        origin_policy::add_cors_headers(&mut reply, origin);
        reply
    }
}

/// Checks that a proxy before this server reads the same request: a target of HTTP, and a body that is chunked or has a
/// length. hyper ignores a length beside chunks, and serves no further request of that connection.
fn check_unambiguous(head: &Parts) -> Result<(), HttpError> {
    let is_http = |scheme: &str| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    if !head.uri.scheme_str().is_none_or(is_http) {
        return Err(HttpError::bad_request("the target of the request is not a URL of HTTP"));
    }
    match origin_policy::single_value(&head.headers, &TRANSFER_ENCODING) {
        Ok(None) => Ok(()),
        Ok(Some(coding)) if coding.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        Ok(Some(_)) | Err(()) => Err(HttpError::bad_request("the only transfer coding of a request is chunked")),
    }
}
