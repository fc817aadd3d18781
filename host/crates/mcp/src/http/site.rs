//! The site: every path of a server, and what all of them have in common.
//!
//! Owns: the order in which a request is looked at: who is asked for and by whom, then the path, then the token.
//! Never: treats one path as another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::connection::Came;
use super::endpoint::Endpoint;
use super::policy::{self, Policy};
use super::reply::{Body, Refusal, json};
use super::seats::{Busy, Seat, Seats};
use super::sessions::Sessions;
use super::shared::Shared;
use super::unsent::Unsent;
use wardroom_config::HEALTH_PATH;

pub struct Site {
    policy: Policy,
    endpoints: BTreeMap<String, Endpoint>,
    shared: Shared,
}

impl Site {
    pub(super) fn new(policy: Policy, endpoints: Vec<Endpoint>, unsent: Arc<Unsent>) -> Self {
        let endpoints = endpoints.into_iter().map(|endpoint| (endpoint.path().to_owned(), endpoint)).collect();
        Self { policy, endpoints, shared: Shared::new(unsent) }
    }

    /// The first path that anybody may ask at.
    pub(super) fn open_path(&self) -> Option<&str> {
        self.endpoints.values().find(|endpoint| endpoint.is_open()).map(Endpoint::path)
    }

    pub(super) fn prepare(&self) {
        self.endpoints.values().for_each(Endpoint::prepare);
    }

    pub(super) fn seats(&self) -> &Arc<Seats> {
        &self.shared.unsent.seats
    }

    /// Set when no further connection is accepted.
    pub(super) fn stop(&self) -> &CancellationToken {
        &self.shared.ending
    }

    /// No further connection, and an end to whatever waits for changes.
    pub(super) fn begin_end(&self) {
        self.shared.ending.cancel();
        self.endpoints.values().filter_map(Endpoint::sessions).for_each(Sessions::hush);
    }

    /// The end of whatever still runs.
    pub(super) fn end(&self) {
        self.shared.ended.cancel();
    }

    /// Ends sessions as their time comes, for as long as this is polled.
    pub(super) async fn sweep(&self) {
        const EVERY: Duration = Duration::from_secs(10);
        loop {
            tokio::time::sleep(EVERY).await;
            self.endpoints.values().filter_map(Endpoint::sessions).for_each(Sessions::sweep);
        }
    }

    /// The reply to a request of a connection, which is busy until that was taken.
    pub(super) async fn answer_at(&self, seat: &Arc<Seat>, request: Request<Incoming>, came: Came) -> Response<Body> {
        let busy = Busy::begin(seat);
        self.answer(request, came).await.map(|body| body.of(busy))
    }

    async fn answer(&self, request: Request<Incoming>, came: Came) -> Response<Body> {
        let (head, body) = request.into_parts();
        let origin = match self.policy.check(&head, came.own) {
            Ok(origin) => origin,
            Err(refusal) => {
                let mut reply = refusal.reply();
                policy::mark(&mut reply, None);
                return reply;
            }
        };
        let path = head.uri.path();
        let mut reply = match self.endpoints.get(path) {
            Some(endpoint) => {
                let answered = endpoint.answer(&head, body, came.remote, &self.shared).await;
                answered.unwrap_or_else(Refusal::reply)
            }
            None if path == HEALTH_PATH => health(&head.method),
            None => Refusal::not_found("there is no such path").reply(),
        };
        tracing::debug!(method = %head.method, path, status = reply.status().as_u16(), "answered");
        policy::mark(&mut reply, origin);
        reply
    }
}

/// That the server runs. Nothing else is told to somebody without a token.
fn health(method: &Method) -> Response<Body> {
    match *method {
        Method::GET | Method::HEAD => json(StatusCode::OK, br#"{"status":"ok"}"#.to_vec(), None),
        _ => Refusal::not_allowed("GET, HEAD").reply(),
    }
}
