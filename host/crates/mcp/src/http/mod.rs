//! MCP over HTTP: Streamable HTTP on TCP and on Unix sockets, both eras of the protocol on each path.
//!
//! Owns: the listeners, the paths and who may ask at them, the sessions of the older eras, and the bounds on all of that.
//! The handlers are those of stdio; each session, and each request without one, has a loop of rmcp's of its own.
//! Never: binds an address after the server was confined, or keeps a service's state in a session.

mod body;
mod calls;
mod connection;
mod desk;
mod endpoint;
mod headers;
mod keys;
mod patience;
mod policy;
mod reply;
mod seats;
mod sessions;
mod shared;
mod site;
mod types;
mod unsent;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

pub use self::connection::Listener;
pub use self::endpoint::{Endpoint, EndpointParts};
pub use self::keys::Key;
pub use self::policy::Policy;
pub use self::sessions::Bounds;
pub use self::site::Site;
pub(super) use self::unsent::Unsent;
use super::Server;

/// What is made before a site, since its servers need it: the count of what clients have not taken.
#[derive(Default)]
pub struct Http {
    unsent: Arc<Unsent>,
}

impl Http {
    /// A server for an endpoint of this site.
    #[must_use]
    pub fn server(&self, server: Server) -> Server {
        server.held_by(Arc::clone(&self.unsent))
    }

    #[must_use]
    pub fn site(self, policy: Policy, endpoints: Vec<Endpoint>) -> Site {
        Site::new(policy, endpoints, self.unsent)
    }
}

/// The path of an endpoint that other machines could use without a token, if there is one.
#[must_use]
pub fn exposed<'s>(listeners: &[Listener], site: &'s Site) -> Option<&'s str> {
    listeners.iter().any(Listener::is_remote).then(|| site.open_path()).flatten()
}

/// Serves until `stop` is done, and for `grace` longer while requests still run.
///
/// # Errors
/// When a listener cannot be used.
pub async fn serve(
    listeners: Vec<Listener>,
    site: Site,
    stop: impl Future<Output = ()>,
    grace: Duration,
) -> io::Result<()> {
    let site = Arc::new(site);
    site.prepare();
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(connection::accept(listener, Arc::clone(&site), grace));
    }
    tokio::select! {
        () = stop => {}
        () = site.sweep() => {}
        Some(ended) = accepting.join_next() => return ended.map_err(io::Error::other).flatten(),
    }
    site.begin_end();
    while let Some(ended) = accepting.join_next().await {
        ended.map_err(io::Error::other).flatten()?;
    }
    Ok(())
}
