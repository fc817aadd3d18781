//! The review page: what services show to a person with a browser on this machine.
//!
//! Owns: the path `/review`, signing in, the cookie, the tokens of forms, the headers of every reply, and the frame
//! around the pages of services.
//! Gives: [`ReviewSite`], which the transport serves as [`HttpPages`].
//! Never: knows a service by name, opens a file or a connection, or shows anything to who is not signed in.

mod assets;
mod head_check;
mod layout;
pub mod limits;
mod response;
mod router;
mod session;
mod sign_in;
mod site_key;

use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;
use tokio_util::sync::CancellationToken;

use self::response::HttpReply;
use self::session::SignedOutSessions;
use self::sign_in::SignInKeys;
use self::site_key::{Purpose, SiteKey};
use wardroom_base::memory::MemoryShare;
use wardroom_service::{Catalogue, CheckedHead, HttpPages, page_link};

/// The path of the first page, and the beginning of all others.
pub const PREFIX: &str = "/review";

/// Digits of the host name that are random: 64 bits.
const HOST_DIGITS: usize = 16;

/// The pages of the services of one server.
pub struct ReviewSite {
    catalogue: Arc<Catalogue>,
    memory: MemoryShare,
    key: SiteKey,
    /// The only name under which pages are served. A browser sends a cookie to every port of a host, so the cookie is
    /// of a name that no other server of this machine is known by.
    host: String,
    sign_in_keys: SignInKeys,
    signed_out: SignedOutSessions,
}

impl ReviewSite {
    /// Creates the pages of the services in `catalogue`. `seal_key` is the key of the `AppDir`, or one of
    /// this process alone.
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, seal_key: &[u8; 32], memory: &MemoryShare) -> Self {
        let key = SiteKey::new(seal_key);
        let digits = key.sign(Purpose::HostName, "");
        let host = format!("wardroom-{}.localhost", digits.get(..HOST_DIGITS).unwrap_or_default());
        let (sign_in_keys, signed_out) = (SignInKeys::default(), SignedOutSessions::default());
        Self { catalogue, memory: memory.clone(), key, host, sign_in_keys, signed_out }
    }

    /// Returns the address of the pages at a port of this machine.
    #[must_use]
    pub fn address(&self, port: u16) -> String {
        format!("http://{}:{port}{PREFIX}", self.host)
    }

    /// Returns the address that agents may be told. It says where the pages are opened, and shows none: who knows their host
    /// name can offer a page of its own at another port of it, and a browser would send the cookie there.
    #[must_use]
    pub fn public_address(port: u16) -> String {
        format!("http://127.0.0.1:{port}{PREFIX}")
    }

    /// Makes an address that signs in: once, and within [`limits::SIGN_IN_KEY_TTL`]. `None` where the system has no
    /// randomness.
    #[must_use]
    pub fn create_sign_in_address(&self, port: u16) -> Option<String> {
        let key = self.sign_in_keys.create(SystemTime::now())?;
        Some(page_link(&self.address(port), &["open"], &[("key", &key)]))
    }
}

impl HttpPages for ReviewSite {
    fn owns_path(&self, path: &str) -> bool {
        path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn check_head(&self, head: &Parts) -> Result<CheckedHead, Box<HttpReply>> {
        head_check::check_head(self, head)
    }

    fn respond(&self, head: &Parts, body: Vec<u8>, cancellation: &CancellationToken) -> HttpReply {
        router::respond(self, head, &body, cancellation)
    }

    fn refuse(&self, status: u16, reason: &str) -> HttpReply {
        head_check::refuse(status, reason)
    }
}
