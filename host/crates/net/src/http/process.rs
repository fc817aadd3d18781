//! The helper process: `wardroom helper http HOST…`.
//!
//! Owns: the certificates, which are read before the process is confined, and an agent for each call, whose sockets are
//! shut down when the call is cancelled.
//! Never: uses a proxy, which would resolve names itself, or reuses a connection.

use std::io;
use std::sync::Arc;

use rustls::crypto::ring;
use ureq::config::AutoHeaderValue;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, NextTimeout, RustlsConnector, TcpConnector};
use ureq::{Agent, http};

use super::{FetchRequestHead, FetchResponseHead, exchange};
use crate::NetError;
use crate::address::{PrivateHosts, resolve_allowed};
use crate::helper::{HelperConfinement, HelperStatus};
use crate::helper_server::{InboundCall, receive_start, serve_calls};
use crate::limits::{MAX_FETCH_BODY_BYTES, MAX_FETCH_HEADER_BYTES, MAX_FETCH_TIMEOUT, MAX_RESOLVED_ADDRESSES};

/// Serves the socket that is standard input, until it closes.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails.
pub fn run(private: Vec<String>, confine: impl FnOnce() -> io::Result<HelperConfinement>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"helper-http")?;
    let socket = io::stdin();
    receive_start(&socket)?;
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<Certificate<'static>> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    let lacks = certificates
        .is_empty()
        .then(|| "this machine has no root certificates: install ca-certificates, or set SSL_CERT_FILE".to_owned());
    let about = format!("certificates: {}", certificates.len());
    let context = Arc::new(FetchContext {
        private_hosts: PrivateHosts::new(private),
        certificates: Arc::new(certificates),
        provider: Arc::new(ring::default_provider()),
    });
    let ready = HelperStatus { description: about, unavailable_reason: lacks, confinement: confine()? };
    // Calls in progress end with the process.
    let begin = || {
        let agent = FetchContext::new_agent(&context);
        let stopped = agent.clone();
        (move |job| handle_call(&agent, job), move || stopped.shutdown())
    };
    serve_calls(&socket, &ready, begin).map(drop)
}

#[derive(Debug)]
struct FetchContext {
    private_hosts: PrivateHosts,
    certificates: Arc<Vec<Certificate<'static>>>,
    provider: Arc<rustls::crypto::CryptoProvider>,
}

impl FetchContext {
    fn new_agent(this: &Arc<Self>) -> Agent {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::Specific(Arc::clone(&this.certificates)))
            .unversioned_rustls_crypto_provider(Arc::clone(&this.provider))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            // `exchange` follows redirects, and checks each like the first address.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(MAX_FETCH_HEADER_BYTES)
            .max_idle_connections(0)
            .user_agent(concat!("wardroom/", env!("CARGO_PKG_VERSION")))
            .accept_encoding(AutoHeaderValue::None)
            .timeout_global(Some(MAX_FETCH_TIMEOUT))
            .build();
        let connector = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
        Agent::with_parts(config, connector, VettedResolver(Arc::clone(this)))
    }
}

/// A resolver that returns only allowed addresses.
#[derive(Debug)]
struct VettedResolver(Arc<FetchContext>);

impl Resolver for VettedResolver {
    fn resolve(
        &self,
        uri: &http::Uri,
        _: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let usual = if uri.scheme() == Some(&http::uri::Scheme::HTTP) { 80 } else { 443 };
        let time = timeout.not_zero().map_or(MAX_FETCH_TIMEOUT, |time| *time);
        let found = resolve_allowed(host, uri.port_u16().unwrap_or(usual), &self.0.private_hosts, time);
        let found = found.map_err(|error| ureq::Error::Other(Box::new(error)))?;
        let mut addresses = self.empty();
        found.into_iter().take(MAX_RESOLVED_ADDRESSES).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

fn handle_call(agent: &Agent, mut job: InboundCall) {
    let Some(head) = job.read_message::<FetchRequestHead>() else { return };
    if head.length > MAX_FETCH_BODY_BYTES {
        return;
    }
    let Some(body) = job.read_bytes(head.length) else { return };
    match exchange::execute(agent, &head, body) {
        Ok((answered, body)) => job.respond(&Ok::<FetchResponseHead, NetError>(answered), &body),
        Err(error) => job.respond(&Err::<FetchResponseHead, NetError>(error), &[]),
    }
}
