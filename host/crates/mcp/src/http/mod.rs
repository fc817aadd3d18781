//! MCP over HTTP: Streamable HTTP on TCP and on Unix sockets, both revisions of the protocol on each path.
//!
//! Owns: the listeners, the endpoints and their callers, the pages for people beside them, the sessions of the legacy
//! revisions, and the bounds on all of these. The handlers are those of stdio; each session, and each request without
//! one, has an rmcp loop of its own.
//! Never: binds an address after the server was confined, or keeps a service's state in a session.

mod auth;
mod caller_request;
mod callers;
mod connection;
mod connection_info;
mod connection_limiter;
mod endpoint;
mod headers;
mod health;
pub mod limits;
mod media_type;
mod origin_policy;
mod pages;
mod principal;
mod quota;
mod receive_budget;
mod refused_tokens;
mod reply_router;
mod request_body;
mod response;
mod send_budget;
mod service;
mod service_loop;
mod sessions;
mod write_timeout;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

pub use self::auth::TokenHash;
pub use self::connection::Listener;
#[cfg(feature = "fuzzing")]
pub(crate) use self::connection::serve_fuzzed_stream;
pub use self::endpoint::{Endpoint, EndpointParts};
use self::health::Health;
pub use self::health::HealthProbe;
pub use self::origin_policy::OriginPolicy;
pub use self::quota::CallerQuotas;
pub use self::refused_tokens::RefusedTokens;
use self::send_budget::SendBudget;
pub use self::service::HttpService;
pub use self::sessions::SessionLimits;
use super::McpServer;
use wardroom_base::memory::MemoryShare;
use wardroom_service::HttpPages;

/// Builds an [`HttpService`]. Holds the send budget, which the servers of its endpoints need first.
pub struct HttpServiceBuilder {
    send_budget: Arc<SendBudget>,
    pages: Option<Arc<dyn HttpPages>>,
    health: Health,
}

impl HttpServiceBuilder {
    /// Creates the builder of a service whose requests and answers count as bytes of `memory`.
    #[must_use]
    pub fn new(memory: &MemoryShare) -> Self {
        Self { send_budget: Arc::new(SendBudget::new(memory)), pages: None, health: Health::default() }
    }

    /// Returns a server for an endpoint of this service.
    #[must_use]
    pub fn with_send_budget(&self, server: McpServer) -> McpServer {
        let memory = self.send_budget.memory().clone();
        server.with_memory(memory).with_backpressure(Arc::<SendBudget>::clone(&self.send_budget))
    }

    /// Serves pages for people beside the endpoints, through listeners that only this machine reaches.
    #[must_use]
    pub fn with_pages(self, pages: Option<Arc<dyn HttpPages>>) -> Self {
        Self { pages, ..self }
    }

    /// Has `/healthz` say whether the files can be reached.
    #[must_use]
    pub fn with_health_probe(self, probe: HealthProbe) -> Self {
        Self { health: Health::new(Some(probe)), ..self }
    }

    #[must_use]
    pub fn build(self, policy: OriginPolicy, endpoints: Vec<Endpoint>) -> HttpService {
        HttpService::new(policy, endpoints, self.send_budget, self.pages, self.health)
    }
}

/// Returns the path of an endpoint that other machines could use without a token, if there is one.
#[must_use]
pub fn exposed_path<'s>(listeners: &[Listener], service: &'s HttpService) -> Option<&'s str> {
    listeners.iter().any(Listener::is_remote).then(|| service.unauthenticated_path()).flatten()
}

/// Serves until `stop` is done, and for `grace` longer while requests still run.
///
/// # Errors
/// When a listener cannot be used.
pub async fn serve(
    listeners: Vec<Listener>,
    service: Arc<HttpService>,
    stop: impl Future<Output = ()>,
    grace: Duration,
) -> io::Result<()> {
    service.prepare_services();
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(connection::accept_connections(listener, Arc::clone(&service), grace));
    }
    tokio::select! {
        () = stop => {}
        () = service.sweep_sessions() => {}
        Some(ended) = accepting.join_next() => return ended.map_err(io::Error::other).flatten(),
    }
    service.start_drain();
    while let Some(ended) = accepting.join_next().await {
        ended.map_err(io::Error::other).flatten()?;
    }
    Ok(())
}
