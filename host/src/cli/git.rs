//! Fetching a repository: the one program that wardroom starts, and only for a person who named an address.
//!
//! Owns: which addresses are fetched (https), what git may do meanwhile (no hooks, no submodules, no other protocol, no
//! configuration, no questions), and how long and how large it may get.
//! Never: is reached by a server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::report::Failure;
use super::settings;
use crate::appdir::{Folder, TreeBudget};
use crate::limits::{GIT_TIME, MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES};

/// An address as it is fetched.
pub(super) fn address(text: &str) -> Result<String, Failure> {
    let refused = |why: &str| Failure::new(format!("cannot install from that address: {why}"));
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) || text.starts_with('-') {
        return Err(refused("it is no address"));
    }
    let rest = match text.split_once("://") {
        Some(("https", rest)) => rest,
        Some(_) => return Err(refused("only https:// is fetched")),
        None if text.contains("::") => return Err(refused("only https:// is fetched")),
        None => text,
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        // It would be kept in the record of what is installed.
        return Err(refused("it must not hold a user or a password, and only https:// is fetched"));
    }
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(good) || !host.contains(['.', ':']) && host != "localhost" {
        return Err(refused("it names no host").hint("a folder of this machine begins with ./ or /"));
    }
    if path.is_empty() {
        return Err(refused("it names no repository"));
    }
    Ok(format!("https://{host}/{path}"))
}

/// Clones a repository into the empty folder `folder`, which is at `path`.
pub(super) fn fetch(url: &str, path: &Path, folder: &Folder) -> Result<(), Failure> {
    let failed = |error| Failure::of("cannot run git", error);
    let mut child =
        command(url, path).spawn().map_err(|error| failed(error).hint("install git, or install from a folder"))?;
    limit_files(&child);
    let ended = wait(&mut child, folder);
    if ended.is_err() {
        stop(&mut child);
    }
    let status = ended?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("git failed ({status})"))
        .hint("what it said is above; only public repositories are fetched"))
}

#[expect(clippy::disallowed_methods, reason = "a person asked for it, and it is this program and no other")]
fn command(url: &str, path: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear().envs(environment());
    for option in [
        "protocol.allow=never",
        "protocol.https.allow=always",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.askPass=",
        "credential.helper=",
        "submodule.recurse=false",
        "transfer.fsckObjects=true",
        "http.followRedirects=initial",
    ] {
        command.args(["-c", option]);
    }
    let flags = ["--quiet", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template="];
    command.arg("clone").args(flags).arg("--").arg(url).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command
}

fn environment() -> Vec<(&'static str, OsString)> {
    let own = ["PATH", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"];
    let mut variables: Vec<_> = own.into_iter().filter_map(|name| Some((name, settings::variable(name)?))).collect();
    for (name, value) in [
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
        ("HOME", "/nonexistent"),
        ("LC_ALL", "C"),
    ] {
        variables.push((name, value.into()));
    }
    variables
}

/// The largest file that it can write: a pack is one file.
#[cfg(target_os = "linux")]
fn limit_files(child: &Child) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let most = Rlimit { current: Some(MAX_INSTALL_BYTES), maximum: Some(MAX_INSTALL_BYTES) };
    let limited = prlimit(pid(child), Resource::Fsize, most);
    if let Err(error) = limited {
        tracing::debug!(%error, "no limit on git's files");
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_files(_: &Child) {}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().try_into().ok()?)
}

/// Waits until it ends by itself, as long as it keeps to its time and its room.
fn wait(child: &mut Child, folder: &Folder) -> Result<ExitStatus, Failure> {
    const PAUSE: Duration = Duration::from_millis(50);
    let deadline = Instant::now() + GIT_TIME;
    loop {
        let ended = child.try_wait().map_err(|error| Failure::of("cannot wait for git", error))?;
        // Its own folder has everything once more.
        let room =
            TreeBudget { entries: 2 * MAX_INSTALL_ENTRIES, bytes: 2 * MAX_INSTALL_BYTES, depth: MAX_INSTALL_DEPTH + 8 };
        if !folder.fits(room) {
            return Err(Failure::new("the repository is larger than is taken at once"));
        }
        match ended {
            Some(status) => return Ok(status),
            None if Instant::now() >= deadline => {
                return Err(Failure::new(format!("git took longer than {} s", GIT_TIME.as_secs())));
            }
            None => thread::sleep(PAUSE),
        }
    }
}

/// With what it started in turn.
fn stop(child: &mut Child) {
    if let Some(group) = pid(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
