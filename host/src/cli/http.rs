//! `wardroom serve --http` and `--unix`: MCP over HTTP.
//!
//! Owns: where it listens, which is decided and done before the server is confined, what each endpoint is made of, and the
//! signals that end it.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::Path;
use std::sync::Arc;

use super::logging::Log;
use super::serve;
use super::servers::{At, Shown};
use crate::assemble::settings::Settings;
use crate::assemble::{self, Rooms};
use crate::report::{self, Failure};
use wardroom_appdir::{AppDirError, ambient};
use wardroom_base::limits::SHUTDOWN_TIME;
use wardroom_config::{EndpointConfig, HttpConfig};
use wardroom_mcp::Server;
use wardroom_mcp::http::{self, Bounds, Endpoint, EndpointParts, Http, Key, Listener, Policy, Site};

/// Where it listens when only a host is said.
const PORT: u16 = 4124;

pub(super) fn run(
    settings: &Settings,
    log: &mut Log,
    address: Option<&str>,
    socket: Option<&Path>,
) -> Result<(), Failure> {
    let failed = |error| Failure::of("cannot serve", error, settings.doctor());
    if let Some(path) = settings.config.http.left_open() {
        let what = format!("no token is left for the endpoint {path}: other endpoints name all of them");
        let hint = format!(
            "{} token new NAME; or say tokens = [] in the endpoint of that path to leave it open",
            settings.command()
        );
        return Err(Failure::new(what, hint));
    }
    let mut listeners = Vec::new();
    listeners.extend(address.map(bind).transpose()?);
    listeners.extend(socket.map(bind_socket).transpose()?);
    // Whoever asks over HTTP may sit at another machine: no files of agents are edited for it.
    let rooms = assemble::serving(settings, None)?;
    let site = site(settings, &rooms)?;
    if let Some(path) = http::exposed(&listeners, &site) {
        let what = format!("other machines reach that address, and the endpoint {path} asks for no token");
        return Err(Failure::new(what, format!("{} token new NAME; or listen on 127.0.0.1", settings.command())));
    }
    let at = places(settings, &listeners, socket)?;
    let signals = Signals::start().map_err(failed)?;
    let shown = Shown::new(&rooms.app, &at);
    serve::confine(settings, &rooms)?;
    log.start();
    // Later nobody may wait for it: what is declared decides which headers a request must have.
    let ready = rooms.catalogue.ready(&assemble::context(&rooms.catalogue));
    ready.map_err(|error| Failure::new(error.to_string(), settings.doctor()))?;
    at.iter().for_each(announce);
    let runtime = serve::runtime().map_err(failed)?;
    let served = runtime.block_on(async {
        let (first, second) = signals.told()?;
        tokio::select! {
            served = http::serve(listeners, site, first, settings.config.grace()) => served,
            () = second => Ok(()),
        }
    });
    drop(shown);
    // Work that does not notice its cancellation ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    served.map_err(failed)
}

/// Binds the first address that a text stands for, one of IPv4 before others.
fn bind(text: &str) -> Result<Listener, Failure> {
    const HINT: &str = "say an address of this machine that is free: --http 127.0.0.1:0 takes any port";
    let failed = |error| Failure::of(format!("cannot listen at {text}"), error, HINT);
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_err() {
        return Err(Failure::new(format!("cannot listen at {text}: a port is a number up to 65535"), HINT));
    }
    let mut addresses = addresses(text).map_err(failed)?;
    addresses.sort_by_key(|address| !address.is_ipv4());
    let address = addresses.first().ok_or_else(|| Failure::new(format!("{text} stands for no address"), HINT))?;
    Ok(Listener::Tcp(TcpListener::bind(address).map_err(failed)?))
}

/// A port, a host, or both.
fn addresses(text: &str) -> std::io::Result<Vec<SocketAddr>> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]);
    }
    match text.to_socket_addrs() {
        Ok(addresses) => Ok(addresses.collect()),
        Err(_) if !text.is_empty() && (!text.contains(':') || text.ends_with(']')) => {
            let host = text.trim_start_matches('[').trim_end_matches(']');
            Ok((host, PORT).to_socket_addrs()?.collect())
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn bind_socket(path: &Path) -> Result<Listener, Failure> {
    let bound = ambient::listen(path).map_err(|error| match error {
        AppDirError::Exists(_) => Failure::new(
            format!("cannot listen at {}: it is there already", path.display()),
            "a server listens there, or it is no socket: name another path",
        ),
        error => {
            let hint = "name a short path in a folder that is there: --unix PATH";
            Failure::of(format!("cannot listen at {}", path.display()), error, hint)
        }
    });
    Ok(Listener::Unix(bound?))
}

#[cfg(not(unix))]
fn bind_socket(_: &Path) -> Result<Listener, Failure> {
    Err(Failure::new("this system has no Unix sockets", "leave out --unix"))
}

/// Whom the configuration lets ask.
pub(super) fn policy(settings: &Settings) -> Result<Policy, Failure> {
    let config = &settings.config.http;
    let wrong = |reason| {
        let what = format!("the configuration {}: http: {reason}", settings.config_file.display());
        Failure::new(what, "wardroom help config has what [http] may hold")
    };
    Policy::new(config.hosts.clone(), config.origins.as_deref()).map_err(wrong)
}

fn site(settings: &Settings, rooms: &Rooms) -> Result<Site, Failure> {
    let config = &settings.config.http;
    let policy = policy(settings)?;
    let all = Arc::clone(&rooms.catalogue);
    let identity = assemble::identity(settings, &all);
    let http = Http::default();
    let server = Server::new(all, identity, settings.config.server.watch, assemble::seal(settings)?);
    let server = http.server(server.keeping_tasks(rooms.tasks.clone()));
    let endpoints = config.endpoints().into_iter().map(|endpoint| {
        let server = offered(settings, rooms, &server, &endpoint)?;
        Ok(Endpoint::new(EndpointParts {
            keys: keys(config, &endpoint),
            sessions: (!endpoint.stateless).then(|| Bounds {
                most: config.max_sessions(),
                idle: config.session_idle(),
                life: config.session_life(),
            }),
            path: endpoint.path,
            server,
            scope: endpoint.scope,
            groups: endpoint.groups,
        }))
    });
    Ok(http.site(policy, endpoints.collect::<Result<_, Failure>>()?))
}

/// The server with the services of an endpoint: the same ones, of which it names some.
fn offered(settings: &Settings, rooms: &Rooms, server: &Server, endpoint: &EndpointConfig) -> Result<Server, Failure> {
    let Some(names) = &endpoint.services else { return Ok(server.clone()) };
    let offered = rooms.catalogue.names();
    if let Some(other) = names.iter().find(|name| !offered.contains(&name.as_str())) {
        let hint = format!("the services of this server are: {}", offered.join(", "));
        return Err(Failure::new(format!("the endpoint {} names the service {other}", endpoint.path), hint));
    }
    let catalogue = Arc::new(rooms.catalogue.only(names));
    let identity = assemble::identity(settings, &catalogue);
    Ok(server.offering(catalogue, identity))
}

/// What opens an endpoint.
fn keys(config: &HttpConfig, endpoint: &EndpointConfig) -> Vec<Key> {
    let key = |name: &str| {
        let token = config.tokens.get(name)?;
        Some(Key { digest: token.digest()?, groups: token.groups.clone() })
    };
    config.tokens_of(endpoint).into_iter().filter_map(key).collect()
}

fn places(settings: &Settings, listeners: &[Listener], socket: Option<&Path>) -> Result<Vec<At>, Failure> {
    let paths = || settings.config.http.endpoints().into_iter().map(|endpoint| endpoint.path).collect();
    let place = |listener: &Listener| match listener {
        Listener::Tcp(listener) => {
            let failed = |error| Failure::of("cannot serve", error, settings.doctor());
            let address = listener.local_addr().map_err(failed)?;
            Ok(At::Tcp { host: address.ip().to_string(), port: address.port(), paths: paths() })
        }
        #[cfg(unix)]
        Listener::Unix(_) => {
            let path = socket.unwrap_or(Path::new(""));
            let path = ambient::canonical(path).unwrap_or_else(|_| path.to_path_buf());
            Ok(At::Socket { path: path.display().to_string(), paths: paths() })
        }
    };
    listeners.iter().map(place).collect()
}

fn announce(at: &At) {
    match at {
        At::Tcp { host, port, paths } => {
            let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
            paths.iter().for_each(|path| report::note(&format!("serving MCP at http://{host}:{port}{path}")));
        }
        At::Socket { path, paths } => report::note(&format!("serving MCP at {path}, paths {}", paths.join(" "))),
        At::Stdio => {}
    }
}

/// The signals that end a server. The first one lets it finish what it is at, the second one does not.
#[cfg(unix)]
struct Signals(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl Signals {
    /// A confined process can open no pair of sockets.
    fn start() -> std::io::Result<Self> {
        use rustix::process::Signal;
        let (told, tells) = std::os::unix::net::UnixStream::pair()?;
        for signal in [Signal::INT, Signal::TERM] {
            signal_hook::low_level::pipe::register(signal.as_raw(), tells.try_clone()?)?;
        }
        Ok(Self(told))
    }

    /// Done with the first one, and with the second one.
    fn told(self) -> std::io::Result<(impl Future<Output = ()>, impl Future<Output = ()>)> {
        use tokio::io::AsyncReadExt as _;
        self.0.set_nonblocking(true)?;
        let mut told = tokio::net::UnixStream::from_std(self.0)?;
        let first = tokio_util::sync::CancellationToken::new();
        let second = {
            let first = first.clone();
            async move {
                // Each signal is a byte. The other end is never closed.
                let _ = told.read_u8().await;
                first.cancel();
                let _ = told.read_u8().await;
            }
        };
        Ok((first.cancelled_owned(), second))
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn start() -> std::io::Result<Self> {
        Ok(Self)
    }

    fn told(self) -> std::io::Result<(impl Future<Output = ()>, impl Future<Output = ()>)> {
        Ok((std::future::pending(), std::future::pending()))
    }
}
