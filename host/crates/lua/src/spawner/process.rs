//! What the spawner's own process does: `wardroom spawner`, with its socket as standard input.
//!
//! Owns: the workers' processes, from their start until they are reaped.
//! Never: runs longer than its socket, waits for a worker that lives, or keeps a worker's socket.

use std::collections::HashMap;
use std::io::{self, Stdin};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::{
    KILL_WORKER, MESSAGE_BYTES, START_WORKER, WORKER_NOT_STARTED, WORKER_STARTED, WorkerConfinement, decode_message,
    encode_message,
};
use wardroom_process::fd_passing::{self, socket_pair};

/// How often workers are looked at where the system does not tell of their end.
const REAP_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The first descriptor that is no standard one.
const FIRST_NONSTANDARD_FD: i32 = 3;

/// Serves the socket that is standard input, until its end.
///
/// # Errors
/// When standard input is no such socket, or the system fails.
pub fn run(walls: WorkerConfinement) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"spawner")?;
    // What was left open for the server by whoever started it is no business of a worker's.
    close_fds::set_fds_cloexec(FIRST_NONSTANDARD_FD, &[]);
    let mut spawner = SpawnerProcess { socket: io::stdin(), workers: HashMap::new(), walls };
    let served = spawner.serve();
    // Where workers do not die with their parent by themselves.
    for worker in spawner.workers.values_mut() {
        worker.kill();
        worker.child.wait()?;
    }
    served
}

struct SpawnerProcess {
    /// Only its descriptor: everything goes past its buffer.
    socket: Stdin,
    workers: HashMap<u64, WorkerProcess>,
    walls: WorkerConfinement,
}

struct WorkerProcess {
    child: Child,
    /// Readable when the process ended.
    pidfd: Option<OwnedFd>,
}

impl WorkerProcess {
    fn kill(&mut self) {
        // It fails for a process that ended, which is what was wanted.
        drop(self.child.kill());
    }
}

#[cfg(target_os = "linux")]
fn open_pidfd(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags};
    rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: &Child) -> Option<OwnedFd> {
    None
}

impl SpawnerProcess {
    fn serve(&mut self) -> io::Result<()> {
        let mut waiting = Vec::new();
        while self.wait_for_message()? {
            let mut bytes = [0; 64 * MESSAGE_BYTES];
            let read = rustix::io::retry_on_intr(|| rustix::io::read(&self.socket, &mut bytes))?;
            if read == 0 {
                return Ok(());
            }
            waiting.extend_from_slice(bytes.get(..read).unwrap_or_default());
            let whole = waiting.len() - waiting.len() % MESSAGE_BYTES;
            let messages: Vec<u8> = waiting.drain(..whole).collect();
            for bytes in messages.as_chunks::<MESSAGE_BYTES>().0 {
                match decode_message(bytes) {
                    Some((START_WORKER, id)) => self.start_worker(id)?,
                    Some((KILL_WORKER, id)) => self.kill_worker(id),
                    _ => return Err(io::ErrorKind::InvalidData.into()),
                }
            }
        }
        Ok(())
    }

    /// Waits until the server says something, and reaps what ended meanwhile.
    fn wait_for_message(&mut self) -> io::Result<bool> {
        loop {
            let mut waited = vec![PollFd::new(&self.socket, PollFlags::IN)];
            let ends = self.workers.values().filter_map(|worker| worker.pidfd.as_ref());
            waited.extend(ends.map(|end| PollFd::new(end, PollFlags::IN)));
            let blind = self.workers.values().any(|worker| worker.pidfd.is_none());
            rustix::io::retry_on_intr(|| rustix::event::poll(&mut waited, blind.then_some(&REAP_INTERVAL)))?;
            let happened = |at: &PollFd<'_>| !at.revents().is_empty();
            let said = waited.first().is_some_and(happened);
            if blind || waited.iter().skip(1).any(happened) {
                drop(waited);
                self.workers.retain(|_, worker| !matches!(worker.child.try_wait(), Ok(Some(_))));
            }
            if said {
                return Ok(true);
            }
        }
    }

    fn start_worker(&mut self, id: u64) -> io::Result<()> {
        match spawn_worker(self.walls) {
            Ok((child, socket)) => {
                let end = open_pidfd(&child);
                self.workers.insert(id, WorkerProcess { child, pidfd: end });
                self.reply(WORKER_STARTED, id, Some(&socket))
            }
            Err(_) => self.reply(WORKER_NOT_STARTED, id, None),
        }
    }

    fn kill_worker(&mut self, id: u64) {
        // One that was reaped is not here any more, and its number is never used again.
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.kill();
        }
    }

    fn reply(&self, what: u32, id: u64, socket: Option<&OwnedFd>) -> io::Result<()> {
        let socket = socket.map(OwnedFd::as_fd);
        fd_passing::send_with_fds(&self.socket, &encode_message(what, id), socket.as_slice())
    }
}

/// A worker, and the server's end of its socket.
fn spawn_worker(walls: WorkerConfinement) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket_pair()?;
    #[expect(clippy::disallowed_methods, reason = "starting workers is what the spawner is for")]
    let mut command = Command::new(executable_path()?);
    let child = command
        .arg0("wardroom")
        .arg("lua-worker")
        .arg(std::process::id().to_string())
        .args(walls.argument())
        .env_clear()
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok((child, ours))
}

/// The very file that this process runs, also after another one took its place.
#[cfg(target_os = "linux")]
fn executable_path() -> io::Result<std::path::PathBuf> {
    Ok("/proc/self/exe".into())
}

#[cfg(not(target_os = "linux"))]
fn executable_path() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
