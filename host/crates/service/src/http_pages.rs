//! Pages over HTTP: what the transport asks for the requests of browsers.
//!
//! Owns: the trait, by which the transport serves pages without knowing what they show.
//! Never: reads from a connection or writes to one.

use std::sync::Arc;

use http::Response;
use http::request::Parts;
use tokio_util::sync::CancellationToken;

/// The pages of a server.
pub trait HttpPages: Send + Sync {
    /// Whether a path is one of a page. Such a path belongs to no endpoint of the protocol.
    fn owns_path(&self, path: &str) -> bool;

    /// Checks the head of a request before its body is read, in microseconds.
    ///
    /// # Errors
    /// The reply to a request that is refused.
    fn check_head(&self, head: &Parts) -> Result<CheckedHead, Box<Response<HttpPageBody>>>;

    /// Answers a request whose head was checked. Called on a worker thread. The token is cancelled when the browser no
    /// longer waits.
    fn respond(&self, head: &Parts, body: Vec<u8>, cancellation: &CancellationToken) -> Response<HttpPageBody>;

    /// Returns the reply to a request that the transport refuses, with the headers of every page.
    fn refuse(&self, status: u16, reason: &str) -> Response<HttpPageBody>;
}

/// What the transport needs to read the rest of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedHead {
    /// The longest body that is read, in bytes; 0 for a request without one.
    pub max_body_bytes: usize,
}

/// The body of a reply.
pub enum HttpPageBody {
    Bytes(Vec<u8>),
    /// A stream of server-sent events: the current version at once, and each later one. The browser compares it with
    /// that of the page that it shows.
    Versions(VersionSource),
}

/// Returns the version of the pages, on a worker thread.
pub type VersionSource = Arc<dyn Fn() -> u64 + Send + Sync>;
