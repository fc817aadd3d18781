//! What the process itself does: `wardroom helper http HOST…`.
//!
//! Owns: the certificates, which are read before it is confined, and an agent for each call, whose sockets are shut when
//! nobody waits for it any more.
//! Never: takes a proxy, which would look up names itself, or keeps a connection.

use std::io;
use std::sync::Arc;

use rustls::crypto::ring;
use ureq::config::AutoHeaderValue;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, NextTimeout, RustlsConnector, TcpConnector};
use ureq::{Agent, http};

use super::{Answered, Asked, exchange};
use crate::NetError;
use crate::address::{Private, vetted};
use crate::helper::{Ready, Walls};
use crate::process::{Job, begin, serve};
use wardroom_base::limits::{MAX_HTTP_BODY_BYTES, MAX_HTTP_HEADER_BYTES, MAX_HTTP_TIME, MAX_RESOLVED};

/// Serves the socket that is standard input, until its end.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails.
pub fn run(private: Vec<String>, confine: impl FnOnce() -> io::Result<Walls>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"helper-http")?;
    let socket = io::stdin();
    begin(&socket)?;
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<Certificate<'static>> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    let lacks = certificates.is_empty().then(|| {
        "this machine has no certificates to know others by: install ca-certificates, or set SSL_CERT_FILE".to_owned()
    });
    let about = format!("certificates: {}", certificates.len());
    let world = Arc::new(World {
        private: Private::new(private),
        certificates: Arc::new(certificates),
        provider: Arc::new(ring::default_provider()),
    });
    let ready = Ready { about, lacks, walls: confine()? };
    // Those that still go on end with the process.
    let begin = || {
        let agent = World::agent(&world);
        let stopped = agent.clone();
        (move |job| perform(&agent, job), move || stopped.shutdown())
    };
    serve(&socket, &ready, begin).map(drop)
}

#[derive(Debug)]
struct World {
    private: Private,
    certificates: Arc<Vec<Certificate<'static>>>,
    provider: Arc<rustls::crypto::CryptoProvider>,
}

impl World {
    fn agent(this: &Arc<Self>) -> Agent {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::Specific(Arc::clone(&this.certificates)))
            .unversioned_rustls_crypto_provider(Arc::clone(&this.provider))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            // Each is looked at as the first address was.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(MAX_HTTP_HEADER_BYTES)
            .max_idle_connections(0)
            .user_agent(concat!("wardroom/", env!("CARGO_PKG_VERSION")))
            .accept_encoding(AutoHeaderValue::None)
            .timeout_global(Some(MAX_HTTP_TIME))
            .build();
        let connector = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
        Agent::with_parts(config, connector, Vetted(Arc::clone(this)))
    }
}

/// The addresses that a connection is made to: it gets no others.
#[derive(Debug)]
struct Vetted(Arc<World>);

impl Resolver for Vetted {
    fn resolve(
        &self,
        uri: &http::Uri,
        _: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let usual = if uri.scheme() == Some(&http::uri::Scheme::HTTP) { 80 } else { 443 };
        let time = timeout.not_zero().map_or(MAX_HTTP_TIME, |time| *time);
        let found = vetted(host, uri.port_u16().unwrap_or(usual), &self.0.private, time);
        let found = found.map_err(|error| ureq::Error::Other(Box::new(error)))?;
        let mut addresses = self.empty();
        found.into_iter().take(MAX_RESOLVED).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

fn perform(agent: &Agent, mut job: Job) {
    let Some(asked) = job.message::<Asked>() else { return };
    if asked.length > MAX_HTTP_BODY_BYTES {
        return;
    }
    let Some(body) = job.bytes(asked.length) else { return };
    match exchange::run(agent, &asked, body) {
        Ok((answered, body)) => job.answer(&Ok::<Answered, NetError>(answered), &body),
        Err(error) => job.answer(&Err::<Answered, NetError>(error), &[]),
    }
}
