//! The spawner's process: `wardroom spawner`, with its socket as standard input.
//!
//! Owns: the workers' processes, from their start until they are reaped. A worker is a copy of this process, which has
//! an unused Lua state with the library; a worker that crashed has perhaps learned where that is, so that this process
//! then executes itself, and further workers have other addresses.
//! Never: outlives its socket, waits for a live worker, keeps a worker's socket, or runs a script.

use std::collections::HashMap;
use std::io::{self, Stdin};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::{
    KILL_WORKER, MESSAGE_BYTES, START_WORKER, UNMEASURED_WORKER_STARTED, WORKER_NOT_STARTED, WORKER_STARTED,
    decode_message, encode_message,
};
use crate::worker::{self, PreparedWorker};
use crate::worker_usage::times_file;
use wardroom_appdir::ambient;
use wardroom_process::fd_passing::{self, socket_pair};
use wardroom_process::fork::{ForkSide, fork_single_threaded};

/// Interval of checking for ended workers where there is no pidfd.
const REAP_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The walls of both kinds of processes.
pub struct SpawnerWalls<S, W> {
    /// Confines this process. Workers inherit what it takes away.
    pub confine_spawner: S,
    /// Confines a worker.
    pub confine_worker: W,
}

/// A worker of this process before it executed itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivingWorker {
    id: u64,
    pid: Pid,
}

impl LivingWorker {
    /// The argument that names living workers begins with it.
    pub const ARGUMENT: &str = "--living=";

    /// Reads the argument, without its beginning: `ID:PID,ID:PID`.
    #[must_use]
    pub fn parse_all(text: &str) -> Option<Vec<Self>> {
        let parse = |worker: &str| {
            let (id, pid) = worker.split_once(':')?;
            Some(Self { id: id.parse().ok()?, pid: Pid::from_raw(pid.parse().ok()?)? })
        };
        text.split(',').filter(|worker| !worker.is_empty()).map(parse).collect()
    }
}

/// Confines this process, and serves the socket on standard input until its end. In a worker, which is a copy of this
/// process, it returns at the end of the worker. `living` are the workers of this process before it executed itself.
///
/// # Errors
/// When a wall refuses, standard input is no such socket, or the system fails.
pub fn run<S, W>(walls: SpawnerWalls<S, W>, living: &[LivingWorker]) -> io::Result<()>
where
    S: FnOnce() -> io::Result<()>,
    W: FnOnce() -> io::Result<()>,
{
    #[cfg(target_os = "linux")]
    rustix::thread::set_name(c"spawner")?;
    (walls.confine_spawner)()?;
    let prepared = PreparedWorker::new()?;
    let workers = living.iter().map(|worker| (worker.id, WorkerProcess::new(worker.pid))).collect();
    let mut spawner = SpawnerProcess {
        socket: io::stdin(),
        workers,
        has_crashed_worker: false,
        times_file: times_file(std::process::id()),
    };
    loop {
        match spawner.serve() {
            Ok(ServeEnd::InWorker { spawner: parent }) => {
                drop(spawner);
                return worker::run(prepared, parent, walls.confine_worker);
            }
            Ok(ServeEnd::Renewal) => {
                // The program cannot be executed any more. Workers with known addresses still have all their walls.
                drop(spawner.execute_itself());
                spawner.has_crashed_worker = false;
            }
            Ok(ServeEnd::Closed) => return spawner.end_workers(),
            Err(error) => return spawner.end_workers().and(Err(error)),
        }
    }
}

/// The reason why the spawner's socket is no longer served.
enum ServeEnd {
    /// The server closed it.
    Closed,
    /// This process is a worker now, a child of the spawner.
    InWorker { spawner: Pid },
    /// A worker crashed.
    Renewal,
}

struct SpawnerProcess {
    /// Used for its descriptor only, without its buffer.
    socket: Stdin,
    workers: HashMap<u64, WorkerProcess>,
    /// Whether a worker died by a signal that this process did not send.
    has_crashed_worker: bool,
    /// The file in which the kernel shows the processor time of a process.
    times_file: &'static str,
}

struct WorkerProcess {
    pid: Pid,
    /// Readable once the process has ended. `None` where there is no pidfd.
    pidfd: Option<OwnedFd>,
}

impl WorkerProcess {
    fn new(pid: Pid) -> Self {
        Self { pid, pidfd: open_pidfd(pid) }
    }

    /// Kills the process, whose number is not used again before it is reaped.
    fn kill(&self) {
        // It fails only for a process that has already ended.
        let _ended = rustix::process::kill_process(self.pid, Signal::KILL);
    }

    fn wait(&self, options: WaitOptions) -> rustix::io::Result<Option<WaitStatus>> {
        let ended = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(self.pid), options))?;
        Ok(ended.map(|(_, status)| status))
    }
}

#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: Pid) -> Option<OwnedFd> {
    None
}

impl SpawnerProcess {
    fn serve(&mut self) -> io::Result<ServeEnd> {
        let mut waiting = Vec::new();
        loop {
            self.wait_for_message()?;
            if self.has_crashed_worker && waiting.is_empty() {
                return Ok(ServeEnd::Renewal);
            }
            let mut bytes = [0; 64 * MESSAGE_BYTES];
            let read = rustix::io::retry_on_intr(|| rustix::io::read(&self.socket, &mut bytes))?;
            if read == 0 {
                return Ok(ServeEnd::Closed);
            }
            waiting.extend_from_slice(bytes.get(..read).unwrap_or_default());
            let whole = waiting.len() - waiting.len() % MESSAGE_BYTES;
            let messages: Vec<u8> = waiting.drain(..whole).collect();
            for bytes in messages.as_chunks::<MESSAGE_BYTES>().0 {
                match decode_message(bytes) {
                    Some((START_WORKER, id)) => {
                        if let Some(end) = self.start_worker(id)? {
                            return Ok(end);
                        }
                    }
                    Some((KILL_WORKER, id)) => self.kill_worker(id),
                    _ => return Err(io::ErrorKind::InvalidData.into()),
                }
            }
        }
    }

    /// Waits for a message from the server, and reaps workers that end meanwhile.
    fn wait_for_message(&mut self) -> io::Result<()> {
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
                self.reap_workers();
            }
            if has_message {
                return Ok(());
            }
        }
    }

    fn reap_workers(&mut self) {
        self.workers.retain(|_, worker| match worker.wait(WaitOptions::NOHANG) {
            Ok(Some(status)) => {
                let signal = status.terminating_signal();
                self.has_crashed_worker |= signal.is_some_and(|signal| signal != Signal::KILL.as_raw());
                false
            }
            Ok(None) => true,
            // It is no child of this process.
            Err(_) => false,
        });
    }

    /// Starts a worker. Returns an end in the worker alone.
    fn start_worker(&mut self, id: u64) -> io::Result<Option<ServeEnd>> {
        let own = rustix::process::getpid();
        let started = socket_pair().and_then(|(ours, theirs)| Ok((fork_single_threaded()?, ours, theirs)));
        match started {
            Ok((ForkSide::Child, ours, theirs)) => {
                drop(ours);
                rustix::stdio::dup2_stdin(&theirs)?;
                Ok(Some(ServeEnd::InWorker { spawner: own }))
            }
            Ok((ForkSide::Parent(pid), ours, theirs)) => {
                drop(theirs);
                let worker = WorkerProcess::new(pid);
                let open = |name| ambient::open_process_file(pid.as_raw_nonzero().get().unsigned_abs(), name);
                let files = open("statm").and_then(|statm| Ok((statm, open(self.times_file)?)));
                if files.as_ref().is_err_and(is_short_of_descriptors) {
                    worker.kill();
                    worker.wait(WaitOptions::empty())?;
                    return self.reply(WORKER_NOT_STARTED, id, &[]).map(|()| None);
                }
                self.workers.insert(id, worker);
                // The server tells them apart by their order.
                let (kind, files) = match files {
                    Ok((statm, times)) => (WORKER_STARTED, vec![statm, times]),
                    Err(_) => (UNMEASURED_WORKER_STARTED, Vec::new()),
                };
                let handles: Vec<_> = [ours.as_fd()].into_iter().chain(files.iter().map(AsFd::as_fd)).collect();
                self.reply(kind, id, &handles)?;
                Ok(None)
            }
            Err(_) => self.reply(WORKER_NOT_STARTED, id, &[]).map(|()| None),
        }
    }

    fn kill_worker(&self, id: u64) {
        // A reaped worker is not in the map, and its id is never reused.
        if let Some(worker) = self.workers.get(&id) {
            worker.kill();
        }
    }

    fn reply(&self, kind: u32, id: u64, handles: &[BorrowedFd<'_>]) -> io::Result<()> {
        fd_passing::send_with_fds(&self.socket, &encode_message(kind, id), handles)
    }

    /// Ends the workers and waits for them: only Linux ends them together with their parent.
    fn end_workers(&self) -> io::Result<()> {
        for worker in self.workers.values() {
            worker.kill();
            worker.wait(WaitOptions::empty())?;
        }
        Ok(())
    }

    /// Executes this program again, with its socket and its workers. Returns only if that fails.
    fn execute_itself(&self) -> io::Error {
        let living = self.workers.iter().map(|(id, worker)| format!("{id}:{}", worker.pid)).collect::<Vec<_>>();
        let kept = std::env::args_os()
            .skip(1)
            .filter(|argument| !argument.to_str().is_some_and(|argument| argument.starts_with(LivingWorker::ARGUMENT)));
        let program = match executable_path() {
            Ok(program) => program,
            Err(error) => return error,
        };
        #[expect(clippy::disallowed_methods, reason = "this program, in its own place")]
        Command::new(program)
            .arg0("wardroom")
            .args(kept)
            .arg(format!("{}{}", LivingWorker::ARGUMENT, living.join(",")))
            .env_clear()
            .exec()
    }
}

fn is_short_of_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
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
