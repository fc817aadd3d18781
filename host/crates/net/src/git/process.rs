//! The helper process: `wardroom helper git HOST…`.
//!
//! Owns: resolving a repository's host before git is started, and ending git when its call is cancelled.
//! Never: runs longer than the last git that it started, or than its socket is open.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use url::Url;

use super::command::{ConnectPolicy, GitVersion, clone_repository, detect_git};
use super::{GitFetchRequest, normalize_git_url};
use crate::NetError;
use crate::address::{PrivateHosts, resolve_allowed};
use crate::helper::{HelperConfinement, HelperStatus};
use crate::helper_server::{InboundCall, receive_start, serve_calls};
use crate::limits::GIT_FETCH_TIMEOUT;
use wardroom_appdir::Folder;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_process::limits::SPAWN_TIMEOUT;

/// Serves the socket that is standard input, until it closes. If git is `proxied`, names may be known to its proxy
/// only. `confine` gets the folder that contains the folders into which repositories are fetched.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails.
pub fn run(
    private: Vec<String>,
    proxied: bool,
    confine: impl FnOnce(&Folder) -> io::Result<HelperConfinement>,
) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"helper-git")?;
    // What git writes below the AppDir is for its owner alone, as everything there.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let socket = io::stdin();
    let folder = receive_start(&socket)?.ok_or_else(|| io::Error::other("the start message has no folder"))?;
    let walls = confine(&Folder::from_fd(folder))?;
    let private = PrivateHosts::new(private);
    let installed = detect_git();
    let lacks = match &installed {
        Err(why) => Some((*why).to_owned()),
        Ok(GitVersion { text: words, can_pin_addresses: false }) if !private.is_wildcard() => {
            Some(format!("{words} is too old: install 2.37 or later, which can connect to a given address"))
        }
        Ok(_) => None,
    };
    let about = installed.map_or_else(|_| "no git".to_owned(), |installed| installed.text);
    let ready = HelperStatus { description: about, unavailable_reason: lacks, confinement: walls };
    let private = Arc::new(private);
    let begin = || {
        let (private, stopped) = (Arc::clone(&private), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&stopped);
        (move |job| handle_call(job, &private, proxied, &stopped), move || stop.store(true, Ordering::Relaxed))
    };
    let running = serve_calls(&socket, &ready, begin)?;
    // Each call ends its git. A call that still resolves a name has none.
    let deadline = Instant::now() + SPAWN_TIMEOUT;
    while !running.iter().all(JoinHandle::is_finished) && Instant::now() < deadline {
        thread::sleep(CANCEL_POLL_INTERVAL);
    }
    Ok(())
}

fn handle_call(mut job: InboundCall, private: &PrivateHosts, proxied: bool, stopped: &AtomicBool) {
    let Some(folder) = job.folder.take().map(Folder::from_fd) else { return };
    let Some(GitFetchRequest { url }) = job.read_message() else { return };
    let done = fetch_into(&folder, &url, private, proxied, stopped);
    job.respond(&done, &[]);
}

fn fetch_into(
    folder: &Folder,
    url: &str,
    private: &PrivateHosts,
    proxied: bool,
    stopped: &AtomicBool,
) -> Result<(), NetError> {
    let deadline = Instant::now() + GIT_FETCH_TIMEOUT;
    let url = normalize_git_url(url).map_err(NetError::Refused)?;
    if private.is_wildcard() {
        return clone_repository(&url, &ConnectPolicy::Unrestricted, folder, deadline, stopped);
    }
    // From here on git gets the URL as this parser understood it, so that its own parser cannot differ.
    let parsed = Url::parse(&url).ok();
    let host = parsed.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    let (Some(parsed), Some((host, port))) = (&parsed, host) else {
        return Err(NetError::Refused("it is not a URL".to_owned()));
    };
    match resolve_allowed(host, port, private, GIT_FETCH_TIMEOUT) {
        Ok(addresses) => clone_repository(
            parsed.as_str(),
            &ConnectPolicy::Pinned { host, port, addresses: &addresses },
            folder,
            deadline,
            stopped,
        ),
        Err(NetError::Failed(_)) if proxied => {
            clone_repository(parsed.as_str(), &ConnectPolicy::ViaProxy, folder, deadline, stopped)
        }
        Err(error) => Err(error),
    }
}
