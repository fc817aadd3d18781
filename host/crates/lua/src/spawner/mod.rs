//! The spawner: a single-threaded process that starts, kills and reaps workers, because a confined server cannot.
//!
//! Owns: the server's handle on that process, the messages between the two, and the guard of each worker. The process
//! is a copy of the server until its first worker is needed, and then executes this program.
//! Gives: a [`Worker`], whose drop kills its process.
//! Never: reads a worker's messages.
//!
//! A message has 12 bytes: its type (4) and the worker's id (8). The answer to a start carries the worker's socket as
//! ancillary data, and the handles by which the server measures what the worker uses. However the server ends, the spawner's socket ends with it, and so do the spawner and every worker.
//! The spawner has no parent-death signal: the kernel sends it when the thread that started a process ends.

pub(super) mod process;

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::sockopt::{Timeout, set_socket_timeout};

use super::error::ScriptStartError;
use super::worker_usage::{ProcessFiles, WorkerMemory, WorkerUsage};
use crate::limits::MAX_LUA_WORKERS;
use wardroom_process::fd_passing;
use wardroom_process::fork::DormantProcess;
use wardroom_process::limits::SPAWN_TIMEOUT;

const MESSAGE_BYTES: usize = 12;
/// From the server: start this worker.
const START_WORKER: u32 = 1;
/// From the server: kill this worker.
const KILL_WORKER: u32 = 2;
/// From the spawner: the worker was started. The message carries its socket.
const WORKER_STARTED: u32 = 0;
/// From the spawner: the worker was started, where the kernel does not show what it uses.
const UNMEASURED_WORKER_STARTED: u32 = 4;
/// From the spawner: the worker could not be started.
const WORKER_NOT_STARTED: u32 = 3;

fn encode_message(kind: u32, worker: u64) -> [u8; MESSAGE_BYTES] {
    let mut bytes = [0; MESSAGE_BYTES];
    let (head, tail) = bytes.split_at_mut(4);
    head.copy_from_slice(&kind.to_le_bytes());
    tail.copy_from_slice(&worker.to_le_bytes());
    bytes
}

fn decode_message(bytes: &[u8; MESSAGE_BYTES]) -> Option<(u32, u64)> {
    let (kind, worker) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*kind), u64::from_le_bytes(worker.try_into().ok()?)))
}

/// The server's handle on the spawner.
pub struct Spawner {
    connection: Mutex<SpawnerConnection>,
    worker_count: AtomicUsize,
    memory: Arc<WorkerMemory>,
}

struct SpawnerConnection {
    /// That it is dropped ends it and its workers.
    process: DormantProcess,
    walls: WorkerConfinement,
    is_awake: bool,
    last_worker_id: u64,
}

/// A worker's reaction to a wall that the system does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerConfinement {
    /// The worker runs scripts with the walls that are supported.
    BestEffort,
    /// The worker ends.
    Required,
}

impl WorkerConfinement {
    /// The command-line argument that passes `Required` to the processes.
    pub const REQUIRE_ARGUMENT: &str = "--require";
    const REQUIRE_OPTION: &std::ffi::CStr = c"--require";
}

impl Spawner {
    /// Copies this process, and has the copy become the spawner, from this binary, `program`, when the first worker is
    /// needed. The server does so before it confines itself.
    ///
    /// # Errors
    /// When the system cannot start a process.
    pub fn start(program: &Path) -> io::Result<Self> {
        Self::start_with(program, WorkerConfinement::BestEffort, WorkerMemory::new(usize::MAX))
    }

    /// As [`Self::start`], with this confinement of the workers, and this memory for all of them.
    ///
    /// # Errors
    /// When the system cannot start a process.
    pub fn start_with(program: &Path, walls: WorkerConfinement, memory: Arc<WorkerMemory>) -> io::Result<Self> {
        let process = DormantProcess::fork(program, &[c"wardroom", c"spawner"], WorkerConfinement::REQUIRE_OPTION)?;
        set_socket_timeout(process.socket()?, Timeout::Recv, Some(SPAWN_TIMEOUT))?;
        let connection = SpawnerConnection { process, walls, is_awake: false, last_worker_id: 0 };
        Ok(Self { connection: Mutex::new(connection), worker_count: AtomicUsize::new(0), memory })
    }

    /// The id of the spawner's process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.process.pid().as_raw_nonzero().get().unsigned_abs()
    }

    /// The memory of all workers.
    pub(super) const fn memory(&self) -> &Arc<WorkerMemory> {
        &self.memory
    }

    /// Starts a worker, without waiting for its Lua state.
    pub(super) fn start_worker(self: &Arc<Self>) -> Result<Worker, ScriptStartError> {
        if self.worker_count.fetch_add(1, Ordering::Relaxed) >= MAX_LUA_WORKERS {
            self.worker_count.fetch_sub(1, Ordering::Relaxed);
            return Err(ScriptStartError::Busy);
        }
        let started = self.connection.lock().unwrap_or_else(PoisonError::into_inner).start_worker();
        let worker = |(id, StartedWorker { socket, files })| {
            let usage = WorkerUsage::new(id, files, Arc::clone(&self.memory));
            Worker { id, socket, usage, spawner: Arc::clone(self) }
        };
        started.map(worker).map_err(|error| {
            self.worker_count.fetch_sub(1, Ordering::Relaxed);
            ScriptStartError::Unavailable(error)
        })
    }
}

impl SpawnerConnection {
    fn start_worker(&mut self) -> io::Result<(u64, StartedWorker)> {
        self.wake()?;
        self.last_worker_id += 1;
        let id = self.last_worker_id;
        self.send(START_WORKER, id)?;
        let answer = match self.receive_answer(id) {
            Ok(answer) => answer,
            Err(error) if is_timeout(&error) => {
                self.send(KILL_WORKER, id)?;
                return Err(error);
            }
            Err(error) => {
                // Closing the socket ends the spawner.
                self.process.close();
                return Err(error);
            }
        };
        match answer {
            // Its memory and its time would have no limit but its own.
            (WORKER_STARTED, Some(started)) if !started.files.are_complete() => {
                self.send(KILL_WORKER, id)?;
                Err(io::Error::other("the handles that measure the worker did not arrive: too many open files"))
            }
            (WORKER_STARTED | UNMEASURED_WORKER_STARTED, Some(started)) => {
                rustix::io::ioctl_fionbio(&started.socket, true)?;
                Ok((id, started))
            }
            (WORKER_STARTED | UNMEASURED_WORKER_STARTED, None) => {
                self.send(KILL_WORKER, id)?;
                Err(io::Error::other("the worker's socket did not arrive: too many open files"))
            }
            _ => Err(io::Error::other("the spawner could not start a worker")),
        }
    }

    /// Receives the answer to the start of a worker: its kind, and the worker. The answers to earlier starts come first, which were
    /// given up.
    fn receive_answer(&self, id: u64) -> io::Result<(u32, Option<StartedWorker>)> {
        loop {
            let (bytes, started) = self.receive()?;
            match decode_message(&bytes) {
                Some((_, worker)) if worker < id => {}
                Some((kind @ (WORKER_STARTED | UNMEASURED_WORKER_STARTED), worker)) if worker == id => {
                    return Ok((kind, started));
                }
                Some((kind @ WORKER_NOT_STARTED, worker)) if worker == id && started.is_none() => {
                    return Ok((kind, None));
                }
                _ => return Err(io::Error::other("the spawner sent an invalid answer")),
            }
        }
    }

    /// Makes the copy of this process the spawner, before its first message.
    fn wake(&mut self) -> io::Result<()> {
        if !self.is_awake {
            self.process.wake(self.walls == WorkerConfinement::Required)?;
            self.is_awake = true;
        }
        Ok(())
    }

    fn send(&self, kind: u32, worker: u64) -> io::Result<()> {
        fd_passing::send_with_fds(self.process.socket()?, &encode_message(kind, worker), &[])
    }

    fn receive(&self) -> io::Result<([u8; MESSAGE_BYTES], Option<StartedWorker>)> {
        let mut bytes = [0; MESSAGE_BYTES];
        let (received, handles) = fd_passing::recv_with_fds(self.process.socket()?, &mut bytes)?;
        if received != MESSAGE_BYTES {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut handles = handles.into_iter();
        let Some(socket) = handles.next() else { return Ok((bytes, None)) };
        let mut file = || handles.next().map(File::from);
        let files = ProcessFiles { statm: file(), times: file() };
        Ok((bytes, Some(StartedWorker { socket, files })))
    }
}

/// Whether the spawner may answer yet: it is stopped, or the system has no time for it.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// What the spawner sends of a worker that it started.
struct StartedWorker {
    socket: OwnedFd,
    files: ProcessFiles,
}

/// A worker's process, which is killed on drop.
pub(super) struct Worker {
    id: u64,
    /// Non-blocking on this side.
    pub(super) socket: OwnedFd,
    pub(super) usage: WorkerUsage,
    spawner: Arc<Spawner>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let connection = self.spawner.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // Workers end together with their spawner, so a failure needs no handling.
        if let Err(error) = connection.send(KILL_WORKER, self.id) {
            tracing::debug!(%error, "cannot have the spawner kill a worker");
        }
        drop(connection);
        self.spawner.worker_count.fetch_sub(1, Ordering::Relaxed);
    }
}
