//! git, as it is started here.
//!
//! Owns: what it may do (no hooks, no submodules, no other protocol, no configuration, no questions), and how long and how
//! large it may get.
//! Never: starts another program, or has git look up a name that was looked up already.

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, fchdir, kill_process_group};

use crate::NetError;
use wardroom_appdir::{Folder, TreeBudget};
use wardroom_base::limits::{
    GIT_TIME, GIT_VERSION_TIME, MAX_GIT_WORDS_BYTES, MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES,
};

/// From here on it can be told which address a name has.
const PINS: (u32, u32) = (2, 37);

/// What there is of git.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    pub(super) words: String,
    pub(super) pins: bool,
}

#[expect(clippy::disallowed_methods, reason = "it is this program and no other, in a process that is for nothing else")]
fn git() -> Command {
    let mut command = Command::new("git");
    for (name, value) in [
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
        ("HOME", "/nonexistent"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command
}

/// Asks git what it is.
///
/// # Errors
/// Why it is not used.
pub(super) fn installed() -> Result<Installed, &'static str> {
    const MISSING: &str = "git is not installed on this machine";
    let asked = git().arg("--version").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = asked.map_err(|_| MISSING)?;
    let deadline = Instant::now() + GIT_VERSION_TIME;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= deadline {
            stop(&mut child);
            return Err("git on this machine does not say its version");
        }
        thread::sleep(Duration::from_millis(1));
    }
    let said = child.stdout.take().map(written).unwrap_or_default();
    version(said.trim()).ok_or(MISSING)
}

/// What a process has written that ended. Whoever else has its other end open must not hold us up.
fn written(mut from: ChildStdout) -> String {
    let mut text = [0; 256];
    let read = rustix::io::ioctl_fionbio(&from, true).map_err(io::Error::from).and_then(|()| from.read(&mut text));
    String::from_utf8_lossy(text.get(..read.unwrap_or(0)).unwrap_or_default()).into_owned()
}

fn version(words: &str) -> Option<Installed> {
    let mut numbers = words.strip_prefix("git version ")?.split('.').map(|number| number.parse::<u32>().ok());
    let version = (numbers.next()??, numbers.next()??);
    Some(Installed { words: words.to_owned(), pins: version >= PINS })
}

/// Where git connects to.
#[derive(Debug)]
pub(super) enum To<'t> {
    /// These addresses and no others; so no redirect leads on either.
    Only { host: &'t str, port: u16, addresses: &'t [SocketAddr] },
    /// What the proxy makes of a name that is not known here.
    Proxy,
    /// Wherever the name leads: who named it is the person whose machine it is.
    Anywhere,
}

fn clone(url: &str, to: &To<'_>) -> Command {
    let mut command = git();
    for option in [
        "protocol.allow=never",
        "protocol.https.allow=always",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.askPass=",
        "credential.helper=",
        "submodule.recurse=false",
        "transfer.fsckObjects=true",
        // It ends by itself, should nobody be left who ends it.
        "http.lowSpeedLimit=1",
        "http.lowSpeedTime=30",
    ] {
        command.args(["-c", option]);
    }
    match to {
        To::Anywhere => {
            command.args(["-c", "http.followRedirects=initial"]);
        }
        To::Proxy => {
            command.args(["-c", "http.followRedirects=false"]);
        }
        To::Only { host, port, addresses } => {
            let addresses: Vec<String> = addresses
                .iter()
                .map(|address| match address {
                    SocketAddr::V4(address) => address.ip().to_string(),
                    SocketAddr::V6(address) => format!("[{}]", address.ip()),
                })
                .collect();
            let pinned = format!("http.curloptResolve={host}:{port}:{}", addresses.join(","));
            command.args(["-c", "http.followRedirects=false", "-c", &pinned]);
        }
    }
    let flags = ["--quiet", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template="];
    command.arg("clone").args(flags).arg("--").arg(url).arg(".");
    command
}

/// The folder that this process is in, which git takes over.
static WORKING_FOLDER: Mutex<()> = Mutex::new(());

/// Clones a repository into the empty folder `folder`, until it is there or `stopped`.
pub(super) fn fetch(url: &str, to: &To<'_>, folder: &Folder, stopped: &AtomicBool) -> Result<(), NetError> {
    if stopped.load(Ordering::Relaxed) {
        return Err(NetError::Cancelled);
    }
    let started = {
        let _here = WORKING_FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
        let entered = fchdir(folder).map_err(io::Error::from);
        entered.and_then(|()| clone(url, to).stderr(Stdio::piped()).spawn())
    };
    let mut child = started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NetError::Failed("git is not installed on this machine".to_owned()),
        kind => NetError::Failed(format!("git cannot be started: {kind}")),
    })?;
    limit_files(&child);
    let mut words = Words::of(child.stderr.take());
    let ended = wait(&mut child, folder, stopped, &mut words);
    if ended.is_err() {
        stop(&mut child);
    }
    let status = ended?;
    if status.success() {
        return Ok(());
    }
    words.read();
    Err(NetError::Failed(match words.fatal() {
        Some(words) => format!("git failed: {words}; only public repositories are fetched"),
        None => format!("git failed ({status}); only public repositories are fetched"),
    }))
}

/// The largest file that it can write: a pack is one file.
#[cfg(target_os = "linux")]
fn limit_files(child: &Child) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let most = Rlimit { current: Some(MAX_INSTALL_BYTES), maximum: Some(MAX_INSTALL_BYTES) };
    // Where it fails, the size is still looked at.
    let _ = prlimit(pid(child), Resource::Fsize, most);
}

#[cfg(not(target_os = "linux"))]
fn limit_files(_: &Child) {}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().try_into().ok()?)
}

/// Waits until it ends by itself, as long as it keeps to its time and its room.
fn wait(child: &mut Child, folder: &Folder, stopped: &AtomicBool, words: &mut Words) -> Result<ExitStatus, NetError> {
    const PAUSE: Duration = Duration::from_millis(50);
    let deadline = Instant::now() + GIT_TIME;
    loop {
        let ended = child.try_wait().map_err(|error| NetError::Failed(format!("git was lost: {}", error.kind())))?;
        // Its own folder has everything once more.
        let room =
            TreeBudget { entries: 2 * MAX_INSTALL_ENTRIES, bytes: 2 * MAX_INSTALL_BYTES, depth: MAX_INSTALL_DEPTH + 8 };
        if !folder.fits(room) {
            return Err(NetError::Failed("the repository is larger than is taken at once".to_owned()));
        }
        words.read();
        match ended {
            Some(status) => return Ok(status),
            None if stopped.load(Ordering::Relaxed) => return Err(NetError::Cancelled),
            None if Instant::now() >= deadline => return Err(NetError::TimedOut),
            None => thread::sleep(PAUSE),
        }
    }
}

/// With what it started in turn.
fn stop(child: &mut Child) {
    if let Some(group) = pid(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

/// What git says, the end of it.
struct Words {
    from: Option<ChildStderr>,
    last: Vec<u8>,
}

impl Words {
    /// Whoever else has its other end open must not hold us up.
    fn of(from: Option<ChildStderr>) -> Self {
        let from = from.filter(|from| rustix::io::ioctl_fionbio(from, true).is_ok());
        Self { from, last: Vec::new() }
    }

    /// Reads what there is.
    fn read(&mut self) {
        let Some(from) = &mut self.from else { return };
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut piece) {
            self.last.extend_from_slice(piece.get(..read).unwrap_or_default());
            let over = self.last.len().saturating_sub(MAX_GIT_WORDS_BYTES);
            self.last.drain(..over);
        }
    }

    /// Its reason, unless it names a place of this machine.
    fn fatal(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.last);
        let line = text.lines().rev().find_map(|line| line.strip_prefix("fatal: "))?;
        let words: String = line.chars().filter(|c| !c.is_control()).take(300).collect();
        let names_a_place =
            words.split([' ', '\'', '"', ':']).any(|word| word.starts_with('/') && !word.starts_with("//"));
        (!names_a_place).then_some(words)
    }
}
