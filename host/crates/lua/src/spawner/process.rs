//! The spawner's process: `wardroom spawner`, with its socket as standard input.
//!
//! Owns: the workers' processes, from their start until they are reaped.
//! Never: outlives its socket, waits for a live worker, or keeps a worker's socket.

use std::collections::HashMap;
use std::io::{self, Stdin};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::{
    KILL_WORKER, MESSAGE_BYTES, START_WORKER, WORKER_NOT_STARTED, WORKER_STARTED, WorkerConfinement, decode_message,
    encode_message,
};
use wardroom_appdir::ambient;
use wardroom_process::fd_passing::{self, socket_pair};

/// Interval of checking for ended workers where there is no pidfd.
const REAP_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Confines this process by `confine`, and serves the socket on standard input until its end. Workers inherit what `confine`
/// took away.
///
/// # Errors
/// When `confine` refuses, standard input is no such socket, or the system fails.
pub fn run(walls: WorkerConfinement, confine: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"spawner")?;
    confine()?;
    let mut spawner = SpawnerProcess { socket: io::stdin(), workers: HashMap::new(), walls };
    let served = spawner.serve();
    // Only Linux ends the workers together with their parent.
    for worker in spawner.workers.values_mut() {
        worker.kill();
        worker.child.wait()?;
    }
    served
}

struct SpawnerProcess {
    /// Used for its descriptor only, without its buffer.
    socket: Stdin,
    workers: HashMap<u64, WorkerProcess>,
    walls: WorkerConfinement,
}

struct WorkerProcess {
    child: Child,
    /// Readable once the process has ended. `None` where there is no pidfd.
    pidfd: Option<OwnedFd>,
}

impl WorkerProcess {
    fn kill(&mut self) {
        // It fails only for a process that has already ended.
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

    /// Waits for a message from the server, and reaps workers that end meanwhile.
    fn wait_for_message(&mut self) -> io::Result<bool> {
        loop {
            let mut waited = vec![PollFd::new(&self.socket, PollFlags::IN)];
            let pidfds = self.workers.values().filter_map(|worker| worker.pidfd.as_ref());
            waited.extend(pidfds.map(|pidfd| PollFd::new(pidfd, PollFlags::IN)));
            let lacks_pidfd = self.workers.values().any(|worker| worker.pidfd.is_none());
            rustix::io::retry_on_intr(|| rustix::event::poll(&mut waited, lacks_pidfd.then_some(&REAP_INTERVAL)))?;
            let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
            let has_message = waited.first().is_some_and(is_ready);
            if lacks_pidfd || waited.iter().skip(1).any(is_ready) {
                drop(waited);
                self.workers.retain(|_, worker| !matches!(worker.child.try_wait(), Ok(Some(_))));
            }
            if has_message {
                return Ok(true);
            }
        }
    }

    fn start_worker(&mut self, id: u64) -> io::Result<()> {
        match spawn_worker(self.walls) {
            Ok((child, socket)) => {
                let pidfd = open_pidfd(&child);
                let open = |name| ambient::open_process_file(child.id(), name).ok();
                // Both or none, since the server tells them apart by their order.
                let files = open("statm").zip(open("stat"));
                self.workers.insert(id, WorkerProcess { child, pidfd });
                let (statm, stat) = files.as_ref().map(|(statm, stat)| (statm.as_fd(), stat.as_fd())).unzip();
                let handles = [Some(socket.as_fd()), statm, stat];
                self.reply(WORKER_STARTED, id, &handles.into_iter().flatten().collect::<Vec<_>>())
            }
            Err(_) => self.reply(WORKER_NOT_STARTED, id, &[]),
        }
    }

    fn kill_worker(&mut self, id: u64) {
        // A reaped worker is not in the map, and its id is never reused.
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.kill();
        }
    }

    fn reply(&self, kind: u32, id: u64, handles: &[BorrowedFd<'_>]) -> io::Result<()> {
        fd_passing::send_with_fds(&self.socket, &encode_message(kind, id), handles)
    }
}

/// Starts a worker, and returns it with the server's end of its socket.
fn spawn_worker(walls: WorkerConfinement) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket_pair()?;
    #[expect(clippy::disallowed_methods, reason = "starting workers is the spawner's purpose")]
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

/// The executable of this process, even if its path has been replaced since.
#[cfg(target_os = "linux")]
fn executable_path() -> io::Result<std::path::PathBuf> {
    Ok("/proc/self/exe".into())
}

#[cfg(not(target_os = "linux"))]
fn executable_path() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
