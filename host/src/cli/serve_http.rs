//! `wardroom serve --http` and `--unix`: MCP over HTTP.
//!
//! Owns: the listener, which is bound before the server is confined, the parts of each endpoint, and the shutdown
//! signals.

use std::io::{self, IsTerminal as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::Path;
use std::sync::Arc;

use super::follow_config::ConfigFollower;
use super::live_tokens::{LiveTokens, endpoint_tokens};
use super::logging::LogHandle;
use super::servers::{ListenAddress, ServerFigures, ServerRegistration};
use super::{review, serve};
use crate::assemble::seal_key;
use crate::assemble::settings::Settings;
use crate::assemble::{self, AssembledServices};
use crate::report::{self, CommandError};
use wardroom_appdir::{AppDirError, ambient};
use wardroom_base::memory::MemoryShare;
use wardroom_config::{BlogAcceptMode, EndpointConfig};
use wardroom_mcp::McpServer;
use wardroom_mcp::http::{
    self, CallerQuotas, Endpoint, EndpointParts, HttpService, HttpServiceBuilder, Listener, OriginPolicy, SessionLimits,
};
use wardroom_mcp::limits::SHUTDOWN_TIMEOUT;
use wardroom_service::{Catalogue, HttpPages};
use wardroom_web::ReviewSite;

/// The port of an address without one.
const DEFAULT_PORT: u16 = 4124;

pub(super) fn run(
    settings: &Settings,
    log: &LogHandle,
    address: Option<&str>,
    socket: Option<&Path>,
) -> Result<(), CommandError> {
    check_protection(settings)?;
    let follower = ConfigFollower::start(settings)?;
    let mut listeners = Vec::new();
    listeners.extend(address.map(bind_tcp).transpose()?);
    listeners.extend(socket.map(bind_unix).transpose()?);
    // A client over HTTP may be on another machine, so no files of agents are edited for it.
    assemble::check_apart(settings)?;
    let assembled = assemble::build_server(settings, None)?;
    assembled.prepare_app_dir(settings);
    let memory = MemoryShare::budget(settings.config.memory_bytes());
    let pages = bind_pages(&listeners);
    let review = match pages {
        Some(_) => review::build_site(&assembled, &memory, review::SiteKeySource::AppDir)?,
        None => None,
    };
    let service = build_service(settings, &assembled, &memory, review.clone())?;
    if let Some(path) = http::exposed_path(&listeners, &service) {
        let what = format!("other machines can reach that address, and the endpoint {path} requires no token");
        let is_open =
            |endpoint: &EndpointConfig| endpoint.path == path && endpoint.tokens.as_ref().is_some_and(Vec::is_empty);
        let hint = if settings.config.http.endpoints.values().any(is_open) {
            "name tokens in that endpoint in place of tokens = [], or listen on 127.0.0.1".to_owned()
        } else {
            format!("run {} token new NAME, or listen on 127.0.0.1", settings.command_line())
        };
        return Err(CommandError::new(what, hint));
    }
    let offers_blog =
        |endpoint: EndpointConfig| endpoint.services.is_none_or(|names| names.iter().any(|name| name == "blog"));
    let has_blog = assembled.has_blog && settings.config.http.endpoints().into_iter().any(offers_blog);
    if has_blog && !settings.config.blog.remote && listeners.iter().any(Listener::is_remote) {
        let what = "other machines can reach that address, and this server offers the blog";
        let hint = "listen on 127.0.0.1, set `[blog] remote = true` to offer the blog to machines with a token, or leave \
                    the blog out with --service";
        return Err(CommandError::new(what, hint));
    }
    let addresses = listen_addresses(settings, &listeners, socket)?;
    let review = review.zip(pages).map(|(site, PageListeners { port, other })| {
        listeners.extend(other.map(Listener::Tcp));
        assembled.catalogue.set_review_address(ReviewSite::public_address(port));
        review_address(settings, &site, port)
    });
    let review = review.transpose()?;
    let service = Arc::new(service);
    let tokens = Some((LiveTokens::new(settings, &service), follower));
    let server = HttpServer { listeners, service, addresses, memory, tokens };
    server.serve(settings, &assembled, log, move || review.iter().for_each(|line| report::print_note(line)))
}

/// Where the review page is reached.
struct PageListeners {
    port: u16,
    /// The listener at the other loopback address, if the system has one.
    other: Option<TcpListener>,
}

/// Binds what the review page needs beside a listener at a loopback address; `None` where there is no such listener,
/// or where another program has its port at the other loopback address.
fn bind_pages(listeners: &[Listener]) -> Option<PageListeners> {
    let listener = listeners.iter().find_map(|listener| match listener {
        Listener::Tcp(listener) => Some(listener),
        #[cfg(unix)]
        Listener::Unix(_) => None,
    })?;
    let address = listener.local_addr().ok()?;
    if ![IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()].contains(&address.ip()) {
        return None;
    }
    match review::bind_other_family(listener) {
        Ok(other) => Some(PageListeners { port: address.port(), other }),
        Err(error) => {
            tracing::warn!(%error, "no review page: another program has this port at the other loopback address");
            None
        }
    }
}

/// Returns what the operator is told of the review page. A key that signs in is for a terminal only, and so is the host name:
/// a log is read by others.
fn review_address(settings: &Settings, site: &ReviewSite, port: u16) -> Result<String, CommandError> {
    if !io::stderr().is_terminal() {
        // Other processes do not have the key of this one.
        let has_own_key = settings.read_only || settings.config.blog.accept == BlogAcceptMode::HumanStrict;
        let how = match has_own_key {
            true => "start this server at a terminal".to_owned(),
            false => format!("run {} review", settings.command_line()),
        };
        return Ok(format!("review page: {} ({how} to sign in)", ReviewSite::public_address(port)));
    }
    let address = review::sign_in_address(site, port)?;
    Ok(format!("review page, once and within ten minutes: {address}"))
}

/// A server over HTTP with everything open that has a path.
pub(super) struct HttpServer {
    pub(super) listeners: Vec<Listener>,
    pub(super) service: Arc<HttpService>,
    pub(super) addresses: Vec<ListenAddress>,
    pub(super) memory: MemoryShare,
    /// The tokens that change while it runs; `None` where no endpoint is served.
    pub(super) tokens: Option<(LiveTokens, ConfigFollower)>,
}

impl HttpServer {
    /// Confines this process, and serves until a signal. `ready` runs once the server answers, on a worker thread.
    pub(super) fn serve(
        self,
        settings: &Settings,
        assembled: &AssembledServices,
        log: &LogHandle,
        ready: impl FnOnce() + Send + 'static,
    ) -> Result<(), CommandError> {
        let failed = |error| CommandError::with_cause("cannot serve", error, settings.doctor_hint());
        let Self { listeners, service, addresses, memory, tokens } = self;
        let signals = ShutdownSignals::install().map_err(failed)?;
        let shown = ServerRegistration::register(&assembled.app, &addresses);
        serve::confine_server(settings, assembled)?;
        log.allow_writer();
        if let Some(shown) = &shown {
            let refused_tokens = Arc::clone(service.refused_tokens());
            let figures = ServerFigures {
                requests: memory,
                activity: assembled.activity.clone(),
                workers: assembled.workers.clone(),
                refused_tokens: Some(Arc::clone(&refused_tokens)),
            };
            let write = shown.report(figures);
            refused_tokens.observe(write);
        }
        if let Some((tokens, follower)) = tokens {
            tokens.follow(follower);
        }
        // The registry is loaded in advance: it determines which headers a request must have, and no request should
        // wait for it.
        assembled.catalogue.load();
        addresses.iter().for_each(print_address);
        let runtime = serve::build_runtime().map_err(failed)?;
        let served = runtime.block_on(async {
            let (first, second) = signals.into_futures()?;
            let _ready = tokio::task::spawn_blocking(ready);
            tokio::select! {
                served = http::serve(listeners, service, first, settings.config.grace_period()) => served,
                () = second => Ok(()),
            }
        });
        drop(shown);
        // Work that ignores its cancellation ends with the process.
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        assembled.catalogue.audit().finish();
        served.map_err(failed)
    }
}

/// Binds the first address that the text resolves to, IPv4 before IPv6.
fn bind_tcp(text: &str) -> Result<Listener, CommandError> {
    const HINT: &str = "choose a free address of this machine: --http 127.0.0.1:0 takes any free port";
    let failed = |error| CommandError::with_cause(format!("cannot listen at {text}"), error, HINT);
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_err() {
        return Err(CommandError::new(format!("cannot listen at {text}: a port is a number up to 65535"), HINT));
    }
    let mut addresses = parse_addresses(text).map_err(failed)?;
    addresses.sort_by_key(|address| !address.is_ipv4());
    let address = addresses.first().ok_or_else(|| CommandError::new(format!("{text} has no address"), HINT))?;
    Ok(Listener::Tcp(TcpListener::bind(address).map_err(failed)?))
}

/// Resolves a port, a host, or both.
fn parse_addresses(text: &str) -> io::Result<Vec<SocketAddr>> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]);
    }
    match text.to_socket_addrs() {
        Ok(addresses) => Ok(addresses.collect()),
        Err(_) if !text.is_empty() && (!text.contains(':') || text.ends_with(']')) => {
            let host = text.trim_start_matches('[').trim_end_matches(']');
            Ok((host, DEFAULT_PORT).to_socket_addrs()?.collect())
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn bind_unix(path: &Path) -> Result<Listener, CommandError> {
    let bound = ambient::bind_unix_listener(path).map_err(|error| match error {
        AppDirError::AlreadyExists(_) => CommandError::new(
            format!("cannot listen at {}: it exists already", path.display()),
            "choose another path: a server listens there, or it is not a socket",
        ),
        error => {
            let hint = "choose a short path in an existing folder: --unix PATH";
            CommandError::with_cause(format!("cannot listen at {}", path.display()), error, hint)
        }
    });
    Ok(Listener::Unix(bound?))
}

#[cfg(not(unix))]
fn bind_unix(_: &Path) -> Result<Listener, CommandError> {
    Err(CommandError::new("this system has no Unix sockets", "leave out --unix"))
}

/// The hosts and origins that the configuration allows.
pub(super) fn origin_policy(settings: &Settings) -> Result<OriginPolicy, CommandError> {
    let config = &settings.config.http;
    let wrong = |reason| {
        let what = format!("invalid configuration {}: http: {reason}", settings.config_file.display());
        CommandError::new(what, "run wardroom help config to see the keys of [http]")
    };
    OriginPolicy::new(config.hosts.clone(), config.origins.as_deref()).map_err(wrong)
}

fn build_service(
    settings: &Settings,
    assembled: &AssembledServices,
    memory: &MemoryShare,
    review: Option<Arc<ReviewSite>>,
) -> Result<HttpService, CommandError> {
    let config = &settings.config.http;
    let policy = origin_policy(settings)?;
    let all = Arc::clone(&assembled.catalogue);
    let identity = assemble::server_identity(settings, &all);
    let app_dir = assembled.app.clone();
    let http = HttpServiceBuilder::new(memory)
        .with_pages(review.map(|site| site as Arc<dyn HttpPages>))
        .with_health_probe(Arc::new(move || app_dir.is_reachable()));
    let seal = seal_key::key_source(assembled.app.clone());
    let server = McpServer::new(all, identity, settings.config.server.watch, seal);
    let server = server
        .with_tasks(assembled.tasks.clone())
        .with_activity(assembled.activity.clone())
        .with_continuations(assembled.continuations.clone())
        .with_output_schemas(settings.config.lists_output_schemas());
    let server = http.with_send_budget(server);
    let quotas = CallerQuotas::default();
    let endpoints = config.endpoints().into_iter().map(|endpoint| {
        let server = endpoint_server(settings, assembled, &server, &endpoint)?;
        let offered = endpoint.services.clone();
        let offered =
            offered.unwrap_or_else(|| assembled.catalogue.service_names().into_iter().map(str::to_owned).collect());
        // A blog alone has no state that belongs to a session.
        let is_stateless = endpoint.stateless || offered == ["blog"];
        let parts = EndpointParts {
            tokens: endpoint_tokens(config, &endpoint),
            sessions: (!is_stateless).then(|| SessionLimits {
                max_sessions: config.max_sessions(),
                idle_timeout: config.session_idle_timeout(),
                max_lifetime: config.session_lifetime(),
            }),
            path: endpoint.path,
            shares_runs: config.shared_runs,
            server,
            scope: endpoint.scope,
            groups: endpoint.groups,
        };
        Ok(Endpoint::new(parts, &quotas))
    });
    Ok(http.build(policy, endpoints.collect::<Result<_, CommandError>>()?))
}

/// Refuses an endpoint that would be open although there are tokens.
pub(super) fn check_protection(settings: &Settings) -> Result<(), CommandError> {
    let Some(path) = settings.config.http.unprotected_endpoint() else { return Ok(()) };
    let what = format!("no token is left for the endpoint {path}: other endpoints name all of them");
    let hint = format!(
        "run {} token new NAME, or set tokens = [] in the endpoint of that path to leave it open",
        settings.command_line()
    );
    Err(CommandError::new(what, hint))
}

/// Refuses an endpoint that names a service which this server does not have.
pub(super) fn check_services(catalogue: &Catalogue, endpoint: &EndpointConfig) -> Result<(), CommandError> {
    let offered = catalogue.service_names();
    let names = endpoint.services.iter().flatten();
    let Some(other) = names.into_iter().find(|name| !offered.contains(&name.as_str())) else { return Ok(()) };
    let meant = assemble::meant_service(other, offered.iter().copied());
    let hint = format!("{meant}the services of this server are: {}", offered.join(", "));
    Err(CommandError::new(format!("the endpoint {} names an unknown service: {other}", endpoint.path), hint))
}

/// The server of an endpoint, with those of the shared services that it names.
fn endpoint_server(
    settings: &Settings,
    assembled: &AssembledServices,
    server: &McpServer,
    endpoint: &EndpointConfig,
) -> Result<McpServer, CommandError> {
    let Some(names) = &endpoint.services else { return Ok(server.clone()) };
    check_services(&assembled.catalogue, endpoint)?;
    let catalogue = Arc::new(assembled.catalogue.restrict_to(names));
    let identity = assemble::server_identity(settings, &catalogue);
    Ok(server.with_catalogue(catalogue, identity))
}

fn listen_addresses(
    settings: &Settings,
    listeners: &[Listener],
    socket: Option<&Path>,
) -> Result<Vec<ListenAddress>, CommandError> {
    let paths = || settings.config.http.endpoints().into_iter().map(|endpoint| endpoint.path).collect();
    let place = |listener: &Listener| match listener {
        Listener::Tcp(listener) => {
            let failed = |error| CommandError::with_cause("cannot serve", error, settings.doctor_hint());
            let address = listener.local_addr().map_err(failed)?;
            Ok(ListenAddress::Tcp { host: address.ip().to_string(), port: address.port(), paths: paths() })
        }
        #[cfg(unix)]
        Listener::Unix(_) => {
            let path = socket.unwrap_or(Path::new(""));
            let path = ambient::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            Ok(ListenAddress::Socket { path: path.display().to_string(), paths: paths() })
        }
    };
    listeners.iter().map(place).collect()
}

fn print_address(at: &ListenAddress) {
    match at {
        ListenAddress::Tcp { host, port, paths } => {
            let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
            let endpoints = paths.iter().filter(|path| *path != wardroom_web::PREFIX);
            endpoints.for_each(|path| report::print_note(&format!("serving MCP at http://{host}:{port}{path}")));
        }
        ListenAddress::Socket { path, paths } => {
            report::print_note(&format!("serving MCP at {path}, paths {}", paths.join(" ")));
        }
        ListenAddress::Stdio => {}
    }
}

/// The shutdown signals. The first one lets running requests finish, the second one does not.
#[cfg(unix)]
struct ShutdownSignals(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl ShutdownSignals {
    /// Installs the handlers before the confinement: a confined process cannot create a socket pair.
    fn install() -> io::Result<Self> {
        use rustix::process::Signal;
        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        for signal in [Signal::INT, Signal::TERM] {
            signal_hook::low_level::pipe::register(signal.as_raw(), writer.try_clone()?)?;
        }
        Ok(Self(reader))
    }

    /// Futures of the first and the second signal.
    fn into_futures(self) -> io::Result<(impl Future<Output = ()>, impl Future<Output = ()>)> {
        use tokio::io::AsyncReadExt as _;
        self.0.set_nonblocking(true)?;
        let mut signals = tokio::net::UnixStream::from_std(self.0)?;
        let first = tokio_util::sync::CancellationToken::new();
        let second = {
            let first = first.clone();
            async move {
                // Each signal writes a byte. The other end is never closed.
                let _ = signals.read_u8().await;
                first.cancel();
                let _ = signals.read_u8().await;
            }
        };
        Ok((first.cancelled_owned(), second))
    }
}

#[cfg(not(unix))]
struct ShutdownSignals;

#[cfg(not(unix))]
impl ShutdownSignals {
    fn install() -> io::Result<Self> {
        Ok(Self)
    }

    fn into_futures(self) -> io::Result<(impl Future<Output = ()>, impl Future<Output = ()>)> {
        Ok((std::future::pending(), std::future::pending()))
    }
}
