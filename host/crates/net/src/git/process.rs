//! What the process itself does: `wardroom helper git HOST…`.
//!
//! Owns: the look-up of a repository's host before git is started, and the end of git when nobody waits for it any more.
//! Never: runs longer than the last git that it started, or than its socket.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use url::Url;

use super::command::{Installed, To, fetch, installed};
use super::{Asked, address};
use crate::NetError;
use crate::address::{Private, vetted};
use crate::helper::{Ready, Walls};
use crate::process::{Job, begin, serve};
use wardroom_appdir::Folder;
use wardroom_base::limits::{GIT_TIME, LUA_LOOK_TIME, SPAWN_TIME};

/// Serves the socket that is standard input, until its end. Where git is `proxied`, names may mean something to its proxy
/// only. `confine` is given the folder that repositories are fetched into, each in a folder below it.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails.
pub fn run(private: Vec<String>, proxied: bool, confine: impl FnOnce(&Folder) -> io::Result<Walls>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"helper-git")?;
    let socket = io::stdin();
    let folder = begin(&socket)?.ok_or_else(|| io::Error::other("no folder came with the beginning"))?;
    let walls = confine(&Folder::of_handle(folder))?;
    let private = Private::new(private);
    let installed = installed();
    let lacks = match &installed {
        Err(why) => Some((*why).to_owned()),
        Ok(Installed { words, pins: false }) if !private.is_everything() => {
            Some(format!("{words} is too old: 2.37 or later can be told which address to connect to"))
        }
        Ok(_) => None,
    };
    let about = installed.map_or_else(|_| "no git".to_owned(), |installed| installed.words);
    let ready = Ready { about, lacks, walls };
    let private = Arc::new(private);
    let begin = || {
        let (private, stopped) = (Arc::clone(&private), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&stopped);
        (move |job| perform(job, &private, proxied, &stopped), move || stop.store(true, Ordering::Relaxed))
    };
    let going_on = serve(&socket, &ready, begin)?;
    // Each ends its git. One that still looks up a name has none.
    let deadline = Instant::now() + SPAWN_TIME;
    while !going_on.iter().all(JoinHandle::is_finished) && Instant::now() < deadline {
        thread::sleep(LUA_LOOK_TIME);
    }
    Ok(())
}

fn perform(mut job: Job, private: &Private, proxied: bool, stopped: &AtomicBool) {
    let Some(folder) = job.folder.take().map(Folder::of_handle) else { return };
    let Some(Asked { url }) = job.message() else { return };
    let done = fetch_into(&folder, &url, private, proxied, stopped);
    job.answer(&done, &[]);
}

fn fetch_into(
    folder: &Folder,
    url: &str,
    private: &Private,
    proxied: bool,
    stopped: &AtomicBool,
) -> Result<(), NetError> {
    let url = address(url).map_err(NetError::Refused)?;
    if private.is_everything() {
        return fetch(&url, &To::Anywhere, folder, stopped);
    }
    // From here on as git's own parser would: it gets what this one understood.
    let parsed = Url::parse(&url).ok();
    let host = parsed.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    let (Some(parsed), Some((host, port))) = (&parsed, host) else {
        return Err(NetError::Refused("it is no address".to_owned()));
    };
    match vetted(host, port, private, GIT_TIME) {
        Ok(addresses) => fetch(parsed.as_str(), &To::Only { host, port, addresses: &addresses }, folder, stopped),
        Err(NetError::Failed(_)) if proxied => fetch(parsed.as_str(), &To::Proxy, folder, stopped),
        Err(error) => Err(error),
    }
}
