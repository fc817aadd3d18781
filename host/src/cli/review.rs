//! `wardroom review`: the pages for people, and a browser that shows them.
//!
//! Owns: the port, at both loopback addresses, the address that signs in, and the start of the browser.
//! Never: starts a program once the server is confined, or serves the protocol.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::logging::LogHandle;
use super::serve_http::{self, HttpServer};
use super::servers::ListenAddress;
use crate::assemble::seal_key;
use crate::assemble::settings::{self, Settings};
use crate::assemble::{self, AssembledServices};
use crate::report::{self, CommandError};
use wardroom_base::memory::MemoryShare;
use wardroom_base::random;
use wardroom_config::BlogAcceptMode;
use wardroom_mcp::http::{HttpServiceBuilder, Listener};
use wardroom_web::{PREFIX, ReviewSite};

/// Ports that are tried before any free one.
const PORTS: std::ops::RangeInclusive<u16> = 4124..=4139;
/// The program that opens an address in the browser that the person chose.
const BROWSER_OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) fn run(mut settings: Settings, log: &LogHandle, opens_browser: bool) -> Result<(), CommandError> {
    let is_strict = settings.config.blog.accept == BlogAcceptMode::HumanStrict;
    // This server has no tools, and everyone who asks it is a person who signed in: it decides in every mode, and so it
    // may write to posts.
    settings.config.blog.accept = BlogAcceptMode::Human;
    let settings = &settings;
    let (port, listeners) = bind()?;
    // A run goes on when a person answers it here. Nothing is fetched for a page.
    let assembled = assemble::build_review(settings)?;
    let memory = MemoryShare::budget(settings.config.memory_bytes());
    // A strict server may read the AppDir, and must not be able to sign a cookie of a process that decides.
    let key = if is_strict { SiteKeySource::Process } else { SiteKeySource::AppDir };
    let Some(site) = build_site(&assembled, &memory, key)? else {
        let hint = "name a service with pages with --service: alc, or one that has a blog or a learning log".to_owned();
        return Err(CommandError::new("there is nothing to review: no service of this server has pages", hint));
    };
    let address = sign_in_address(&site, port)?;
    report::print_line(&format!("review page: {address}"))?;
    report::print_note("the address signs in once, within ten minutes; Ctrl-C ends the page");
    if opens_browser {
        open_browser(&address);
    }
    let policy = serve_http::origin_policy(settings)?;
    let service = HttpServiceBuilder::new(&memory).with_pages(Some(site)).build(policy, Vec::new());
    let host = Ipv4Addr::LOCALHOST.to_string();
    let server = HttpServer {
        listeners: listeners.into_iter().map(Listener::Tcp).collect(),
        service: Arc::new(service),
        addresses: vec![ListenAddress::Tcp { host, port, paths: vec![PREFIX.to_owned()] }],
        memory,
        tokens: None,
    };
    let catalogue = Arc::clone(&assembled.catalogue);
    server.serve(settings, &assembled, log, move || catalogue.warm_up())
}

/// Where the key of the pages is from, which signs cookies and forms.
#[derive(Debug, Clone, Copy)]
pub(super) enum SiteKeySource {
    /// The AppDir: each server on it knows the sessions of the others.
    AppDir,
    /// Random, for as long as this process lives, and stored nowhere.
    Process,
}

/// Creates the pages of a server; `None` where no service has some.
pub(super) fn build_site(
    assembled: &AssembledServices,
    memory: &MemoryShare,
    key: SiteKeySource,
) -> Result<Option<Arc<ReviewSite>>, CommandError> {
    if assembled.catalogue.pages().next().is_none() {
        return Ok(None);
    }
    let key = match key {
        SiteKeySource::AppDir => seal_key::current_key(&assembled.app).ok_or_else(no_key)?,
        SiteKeySource::Process => {
            let mut key = [0; 32];
            random::fill(&mut key).map_err(|_| no_key())?;
            key
        }
    };
    Ok(Some(Arc::new(ReviewSite::new(Arc::clone(&assembled.catalogue), &key, memory))))
}

/// Makes an address that signs in.
pub(super) fn sign_in_address(site: &ReviewSite, port: u16) -> Result<String, CommandError> {
    site.create_sign_in_address(port).ok_or_else(no_key)
}

fn no_key() -> CommandError {
    CommandError::new("there is no key for the review page", "run wardroom doctor to check the system and the AppDir")
}

/// Binds a port of this machine for both families of addresses: a usual one if one is free.
fn bind() -> Result<(u16, Vec<TcpListener>), CommandError> {
    const ATTEMPTS_AT_ANY_PORT: usize = 16;
    for port in PORTS.chain([0; ATTEMPTS_AT_ANY_PORT]) {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
            let port = listener.local_addr()?.port();
            let other = bind_other_family(&listener)?;
            Ok((port, [listener].into_iter().chain(other).collect()))
        });
        match bound {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => return bound.map_err(cannot_listen),
        }
    }
    Err(cannot_listen(io::ErrorKind::AddrInUse.into()))
}

/// Binds the port of a listener at the other loopback address. A browser tries both for a name below `localhost`: a
/// program of another user that listened there would get the address that signs in. `None` where the system lacks that
/// family.
///
/// # Errors
/// When another program listens there.
pub(super) fn bind_other_family(listener: &TcpListener) -> io::Result<Option<TcpListener>> {
    let address = listener.local_addr()?;
    let other: IpAddr = if address.is_ipv4() { Ipv6Addr::LOCALHOST.into() } else { Ipv4Addr::LOCALHOST.into() };
    match TcpListener::bind((other, address.port())) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
        Err(error) => {
            tracing::debug!(%error, "this system has one family of loopback addresses");
            Ok(None)
        }
    }
}

fn cannot_listen(error: io::Error) -> CommandError {
    let hint = "check that programs may listen at 127.0.0.1, or end another program that does";
    CommandError::with_cause("cannot listen at 127.0.0.1", error, hint)
}

/// Opens an address in a browser. It waits for the server, which listens already.
fn open_browser(address: &str) {
    // Without a screen the program would start a browser in the terminal.
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(|name| settings::env_variable(name).is_some());
    if !cfg!(target_os = "macos") && !has_screen {
        return;
    }
    #[expect(clippy::disallowed_methods, reason = "the browser of the person, before this server is confined")]
    let mut command = Command::new(BROWSER_OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C ends the server and not the browser.
    if let Err(error) = command.process_group(0).spawn() {
        report::print_note(&format!("no browser was opened ({BROWSER_OPENER}: {error}): open the address above"));
    }
}
