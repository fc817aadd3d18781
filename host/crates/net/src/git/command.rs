//! Runs git.
//!
//! Owns: git's restrictions (no hooks, no submodules, no other protocol, no configuration, no prompts), and its limits
//! of time and size.
//! Never: starts another program, or lets git resolve a name that was already resolved.

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
use crate::limits::{
    GIT_VERSION_TIMEOUT, MAX_GIT_STDERR_BYTES, MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES,
};
use wardroom_appdir::{Folder, TreeBudget};
use wardroom_base::byte_size::ByteSize;

/// The first version that accepts the address of a name as an option.
const MIN_PINNING_VERSION: (u32, u32) = (2, 37);

/// The installed git.
#[derive(Debug, Clone)]
pub(super) struct GitVersion {
    pub(super) text: String,
    pub(super) can_pin_addresses: bool,
}

#[expect(clippy::disallowed_methods, reason = "it is this program and no other, in a process that is for nothing else")]
fn git_command() -> Command {
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

/// Detects the installed git and its version.
///
/// # Errors
/// The reason why git cannot be used.
pub(super) fn detect_git() -> Result<GitVersion, &'static str> {
    const MISSING: &str = "git is not installed on this machine";
    let spawned = git_command().arg("--version").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = spawned.map_err(|_| MISSING)?;
    let deadline = Instant::now() + GIT_VERSION_TIMEOUT;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= deadline {
            kill_process_tree(&mut child);
            return Err("git on this machine does not report its version");
        }
        thread::sleep(Duration::from_millis(1));
    }
    let output = child.stdout.take().map(read_available).unwrap_or_default();
    parse_version(output.trim()).ok_or(MISSING)
}

/// Reads the output of an ended process. It does not block if another process still has the pipe's other end open.
fn read_available(mut from: ChildStdout) -> String {
    let mut text = [0; 256];
    let read = rustix::io::ioctl_fionbio(&from, true).map_err(io::Error::from).and_then(|()| from.read(&mut text));
    String::from_utf8_lossy(text.get(..read.unwrap_or(0)).unwrap_or_default()).into_owned()
}

fn parse_version(words: &str) -> Option<GitVersion> {
    let mut numbers = words.strip_prefix("git version ")?.split('.').map(|number| number.parse::<u32>().ok());
    let version = (numbers.next()??, numbers.next()??);
    Some(GitVersion { text: words.to_owned(), can_pin_addresses: version >= MIN_PINNING_VERSION })
}

/// The addresses that git may connect to.
#[derive(Debug)]
pub(super) enum ConnectPolicy<'t> {
    /// These addresses only, so redirects are not followed.
    Pinned { host: &'t str, port: u16, addresses: &'t [SocketAddr] },
    /// The proxy resolves a name that is unknown here.
    ViaProxy,
    /// Any address: the person who named the host owns this machine.
    Unrestricted,
}

fn clone_command(url: &str, to: &ConnectPolicy<'_>) -> Command {
    let mut command = git_command();
    for option in [
        "protocol.allow=never",
        "protocol.https.allow=always",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.askPass=",
        "credential.helper=",
        "submodule.recurse=false",
        "transfer.fsckObjects=true",
        // git ends by itself if the process that would end it is gone.
        "http.lowSpeedLimit=1",
        "http.lowSpeedTime=30",
    ] {
        command.args(["-c", option]);
    }
    match to {
        ConnectPolicy::Unrestricted => {
            command.args(["-c", "http.followRedirects=initial"]);
        }
        ConnectPolicy::ViaProxy => {
            command.args(["-c", "http.followRedirects=false"]);
        }
        ConnectPolicy::Pinned { host, port, addresses } => {
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

/// Guards this process's working directory, which git inherits.
static WORKING_DIR_LOCK: Mutex<()> = Mutex::new(());

/// Clones a repository into the empty folder `folder`, until git exits or `stopped` is set.
pub(super) fn clone_repository(
    url: &str,
    to: &ConnectPolicy<'_>,
    folder: &Folder,
    deadline: Instant,
    stopped: &AtomicBool,
) -> Result<(), NetError> {
    if stopped.load(Ordering::Relaxed) {
        return Err(NetError::Cancelled);
    }
    let started = {
        let _here = WORKING_DIR_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let entered = fchdir(folder).map_err(io::Error::from);
        entered.and_then(|()| clone_command(url, to).stderr(Stdio::piped()).spawn())
    };
    let mut child = started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NetError::Failed("git is not installed on this machine".to_owned()),
        kind => NetError::Failed(format!("git cannot be started: {kind}")),
    })?;
    limit_file_size(&child);
    let mut words = StderrTail::new(child.stderr.take());
    let ended = wait_for_exit(&mut child, folder, deadline, stopped, &mut words);
    if ended.is_err() {
        kill_process_tree(&mut child);
    }
    let status = ended?;
    if status.success() {
        return Ok(());
    }
    words.read_available();
    Err(NetError::Failed(match words.fatal_message() {
        Some(words) => format!("git failed: {words}; only public repositories are fetched"),
        None => format!("git failed ({status}); only public repositories are fetched"),
    }))
}

/// Limits the size of files that git can write: a pack is one file.
#[cfg(target_os = "linux")]
fn limit_file_size(child: &Child) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let most = Rlimit { current: Some(MAX_INSTALL_BYTES), maximum: Some(MAX_INSTALL_BYTES) };
    // If this fails, the size is still checked.
    let _ = prlimit(pid(child), Resource::Fsize, most);
}

#[cfg(not(target_os = "linux"))]
fn limit_file_size(_: &Child) {}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().try_into().ok()?)
}

/// Waits until git exits by itself, within its limits of time and size.
fn wait_for_exit(
    child: &mut Child,
    folder: &Folder,
    deadline: Instant,
    stopped: &AtomicBool,
    words: &mut StderrTail,
) -> Result<ExitStatus, NetError> {
    const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(50);
    loop {
        let ended =
            child.try_wait().map_err(|error| NetError::Failed(format!("cannot wait for git: {}", error.kind())))?;
        // The `.git` folder contains everything a second time.
        let budget = TreeBudget {
            entries: 2 * MAX_INSTALL_ENTRIES,
            bytes: 2 * MAX_INSTALL_BYTES,
            max_depth: MAX_INSTALL_DEPTH + 8,
        };
        if !folder.is_within_budget(budget) {
            return Err(NetError::Failed(format!(
                "the repository is too large: the limits are {MAX_INSTALL_ENTRIES} files and folders, {} together, and \
                 {MAX_INSTALL_DEPTH} nested folders",
                ByteSize(MAX_INSTALL_BYTES)
            )));
        }
        words.read_available();
        match ended {
            Some(status) => return Ok(status),
            None if stopped.load(Ordering::Relaxed) => return Err(NetError::Cancelled),
            None if Instant::now() >= deadline => return Err(NetError::TimedOut),
            None => thread::sleep(EXIT_POLL_INTERVAL),
        }
    }
}

/// Kills git and the processes that it started.
fn kill_process_tree(child: &mut Child) {
    if let Some(group) = pid(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

/// The end of git's error output.
struct StderrTail {
    pipe: Option<ChildStderr>,
    tail: Vec<u8>,
}

impl StderrTail {
    /// A process that keeps the other end open must not block reads.
    fn new(from: Option<ChildStderr>) -> Self {
        let from = from.filter(|from| rustix::io::ioctl_fionbio(from, true).is_ok());
        Self { pipe: from, tail: Vec::new() }
    }

    /// Reads the available output.
    fn read_available(&mut self) {
        let Some(from) = &mut self.pipe else { return };
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut piece) {
            self.tail.extend_from_slice(piece.get(..read).unwrap_or_default());
            let over = self.tail.len().saturating_sub(MAX_GIT_STDERR_BYTES);
            self.tail.drain(..over);
        }
    }

    /// Returns git's reason, unless that names a path of this machine.
    fn fatal_message(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.tail);
        let line = text.lines().rev().find_map(|line| line.strip_prefix("fatal: "))?;
        let words: String = line.chars().filter(|c| !c.is_control()).take(300).collect();
        let names_a_place =
            words.split([' ', '\'', '"', ':']).any(|word| word.starts_with('/') && !word.starts_with("//"));
        (!names_a_place).then_some(words)
    }
}
