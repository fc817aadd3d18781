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

use super::{KILL, MESSAGE_BYTES, NOT_STARTED, START, STARTED, Walls, message, parsed};
use wardroom_process::handles::{self, socket_pair};

/// How often workers are looked at where the system does not tell of their end.
const REAP_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The first descriptor that is no standard one.
const FIRST_OF_OTHERS: i32 = 3;

/// Serves the socket that is standard input, until its end.
///
/// # Errors
/// When standard input is no such socket, or the system fails.
pub fn run(walls: Walls) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"spawner")?;
    // What was left open for the server by whoever started it is no business of a worker's.
    close_fds::set_fds_cloexec(FIRST_OF_OTHERS, &[]);
    let mut spawner = Process { socket: io::stdin(), workers: HashMap::new(), walls };
    let served = spawner.serve();
    // Where workers do not die with their parent by themselves.
    for worker in spawner.workers.values_mut() {
        worker.kill();
        worker.child.wait()?;
    }
    served
}

struct Process {
    /// Only its descriptor: everything goes past its buffer.
    socket: Stdin,
    workers: HashMap<u64, Running>,
    walls: Walls,
}

struct Running {
    child: Child,
    /// Readable when the process ended.
    end: Option<OwnedFd>,
}

impl Running {
    fn kill(&mut self) {
        // It fails for a process that ended, which is what was wanted.
        drop(self.child.kill());
    }
}

#[cfg(target_os = "linux")]
fn end_of(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags};
    rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn end_of(_: &Child) -> Option<OwnedFd> {
    None
}

impl Process {
    fn serve(&mut self) -> io::Result<()> {
        let mut waiting = Vec::new();
        while self.wait()? {
            let mut bytes = [0; 64 * MESSAGE_BYTES];
            let read = rustix::io::retry_on_intr(|| rustix::io::read(&self.socket, &mut bytes))?;
            if read == 0 {
                return Ok(());
            }
            waiting.extend_from_slice(bytes.get(..read).unwrap_or_default());
            let whole = waiting.len() - waiting.len() % MESSAGE_BYTES;
            let messages: Vec<u8> = waiting.drain(..whole).collect();
            for bytes in messages.as_chunks::<MESSAGE_BYTES>().0 {
                match parsed(bytes) {
                    Some((START, id)) => self.start(id)?,
                    Some((KILL, id)) => self.kill(id),
                    _ => return Err(io::ErrorKind::InvalidData.into()),
                }
            }
        }
        Ok(())
    }

    /// Waits until the server says something, and reaps what ended meanwhile.
    fn wait(&mut self) -> io::Result<bool> {
        loop {
            let mut waited = vec![PollFd::new(&self.socket, PollFlags::IN)];
            let ends = self.workers.values().filter_map(|worker| worker.end.as_ref());
            waited.extend(ends.map(|end| PollFd::new(end, PollFlags::IN)));
            let blind = self.workers.values().any(|worker| worker.end.is_none());
            rustix::io::retry_on_intr(|| rustix::event::poll(&mut waited, blind.then_some(&REAP_TIME)))?;
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

    fn start(&mut self, id: u64) -> io::Result<()> {
        match spawn(self.walls) {
            Ok((child, socket)) => {
                let end = end_of(&child);
                self.workers.insert(id, Running { child, end });
                self.answer(STARTED, id, Some(&socket))
            }
            Err(_) => self.answer(NOT_STARTED, id, None),
        }
    }

    fn kill(&mut self, id: u64) {
        // One that was reaped is not here any more, and its number is never used again.
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.kill();
        }
    }

    fn answer(&self, what: u32, id: u64, socket: Option<&OwnedFd>) -> io::Result<()> {
        let socket = socket.map(OwnedFd::as_fd);
        handles::send(&self.socket, &message(what, id), socket.as_slice())
    }
}

/// A worker, and the server's end of its socket.
fn spawn(walls: Walls) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket_pair()?;
    #[expect(clippy::disallowed_methods, reason = "starting workers is what the spawner is for")]
    let mut command = Command::new(program()?);
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
fn program() -> io::Result<std::path::PathBuf> {
    Ok("/proc/self/exe".into())
}

#[cfg(not(target_os = "linux"))]
fn program() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
