//! The spawner: a process of one thread that starts, kills and reaps the workers, since a confined server can do none of that.
//!
//! Owns: the server's handle on that process, the messages between the two, and the guard of each worker.
//! Gives: a [`Worker`], whose drop kills its process.
//! Never: reads what a worker says.
//!
//! Each message has twelve bytes: what (four), and the number of a worker (eight). A worker's socket comes beside the
//! answer to its start. When the server ends, however it does, the spawner's socket ends, and so do the spawner and every
//! worker. A death signal would not do for the spawner: the system sends it when the thread ends that started a process.

pub(super) mod process;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::sockopt::{Timeout, set_socket_timeout};

use super::error::ScriptStartError;
use crate::limits::MAX_LUA_WORKERS;
use wardroom_process::fd_passing::{self, socket_pair};
use wardroom_process::limits::SPAWN_TIMEOUT;

const MESSAGE_BYTES: usize = 12;
/// From the server: start this worker.
const START_WORKER: u32 = 1;
/// From the server: kill this worker.
const KILL_WORKER: u32 = 2;
/// From the spawner: the worker was started, and this is its socket.
const WORKER_STARTED: u32 = 0;
/// From the spawner: the system would not.
const WORKER_NOT_STARTED: u32 = 3;

fn encode_message(what: u32, worker: u64) -> [u8; MESSAGE_BYTES] {
    let mut bytes = [0; MESSAGE_BYTES];
    let (head, tail) = bytes.split_at_mut(4);
    head.copy_from_slice(&what.to_le_bytes());
    tail.copy_from_slice(&worker.to_le_bytes());
    bytes
}

fn decode_message(bytes: &[u8; MESSAGE_BYTES]) -> Option<(u32, u64)> {
    let (what, worker) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*what), u64::from_le_bytes(worker.try_into().ok()?)))
}

/// The server's handle on the spawner.
pub struct Spawner {
    connection: Mutex<SpawnerConnection>,
    worker_count: AtomicUsize,
}

struct SpawnerConnection {
    socket: Option<OwnedFd>,
    child: Child,
    last_worker_id: u64,
}

/// What a worker makes of a wall that the system does not put up around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerConfinement {
    /// It runs scripts with what there is.
    BestEffort,
    /// It ends.
    Required,
}

impl WorkerConfinement {
    /// As the processes are told.
    pub const REQUIRE_ARGUMENT: &str = "--require";

    fn argument(self) -> Option<&'static str> {
        (self == Self::Required).then_some(Self::REQUIRE_ARGUMENT)
    }
}

impl Spawner {
    /// Starts the spawner: `program` is this binary. The server does it before it confines itself.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start(program: &Path) -> io::Result<Self> {
        Self::start_with(program, WorkerConfinement::BestEffort)
    }

    /// The same, with workers that are as particular about their walls.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start_with(program: &Path, walls: WorkerConfinement) -> io::Result<Self> {
        let (ours, theirs) = socket_pair()?;
        set_socket_timeout(&ours, Timeout::Recv, Some(SPAWN_TIMEOUT))?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the one program that a server starts: itself, before it is confined"
        )]
        let child = Command::new(program)
            .arg("spawner")
            .args(walls.argument())
            .env_clear()
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What a terminal sends to the server's group is for the server, which ends this process in its time.
            .process_group(0)
            .spawn()?;
        let link = SpawnerConnection { socket: Some(ours), child, last_worker_id: 0 };
        Ok(Self { connection: Mutex::new(link), worker_count: AtomicUsize::new(0) })
    }

    /// The spawner's process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).child.id()
    }

    /// Starts a worker. It has not said anything yet.
    pub(super) fn start_worker(self: &Arc<Self>) -> Result<Worker, ScriptStartError> {
        if self.worker_count.fetch_add(1, Ordering::Relaxed) >= MAX_LUA_WORKERS {
            self.worker_count.fetch_sub(1, Ordering::Relaxed);
            return Err(ScriptStartError::Busy);
        }
        let started = self.connection.lock().unwrap_or_else(PoisonError::into_inner).start_worker();
        started.map(|(id, socket)| Worker { id, socket, spawner: Arc::clone(self) }).map_err(|error| {
            self.worker_count.fetch_sub(1, Ordering::Relaxed);
            ScriptStartError::Unavailable(error)
        })
    }
}

impl SpawnerConnection {
    fn start_worker(&mut self) -> io::Result<(u64, OwnedFd)> {
        self.last_worker_id += 1;
        let id = self.last_worker_id;
        self.send(START_WORKER, id)?;
        let answer = self.receive();
        match answer.map(|(bytes, socket)| (decode_message(&bytes), socket)) {
            Ok((Some((WORKER_STARTED, worker)), Some(socket))) if worker == id => {
                rustix::io::ioctl_fionbio(&socket, true)?;
                Ok((id, socket))
            }
            Ok((Some((WORKER_STARTED, worker)), None)) if worker == id => {
                self.send(KILL_WORKER, id)?;
                Err(io::Error::other("the worker's socket did not arrive: too many open files"))
            }
            Ok((Some((WORKER_NOT_STARTED, worker)), None)) if worker == id => {
                Err(io::Error::other("the spawner started nothing"))
            }
            answer => {
                // Nothing that follows can be trusted to be about what was asked. The spawner ends with this.
                self.socket = None;
                Err(answer.err().unwrap_or_else(|| io::Error::other("the spawner answered something else")))
            }
        }
    }

    fn send(&mut self, what: u32, worker: u64) -> io::Result<()> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        fd_passing::send_with_fds(socket, &encode_message(what, worker), &[])
    }

    fn receive(&mut self) -> io::Result<([u8; MESSAGE_BYTES], Option<OwnedFd>)> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let mut bytes = [0; MESSAGE_BYTES];
        let (received, sockets) = fd_passing::recv_with_fds(socket, &mut bytes)?;
        if received != MESSAGE_BYTES {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((bytes, sockets.into_iter().next()))
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        let link = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        // The end of its socket ends it, with the workers that are left.
        link.socket = None;
        if let Err(error) = link.child.wait() {
            tracing::warn!(%error, "the spawner was not waited for");
        }
    }
}

/// A worker's process, killed when this is dropped.
pub(super) struct Worker {
    id: u64,
    /// Does not block on this side.
    pub(super) socket: OwnedFd,
    spawner: Arc<Spawner>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut link = self.spawner.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // A spawner that is gone took its workers along.
        if let Err(error) = link.send(KILL_WORKER, self.id) {
            tracing::debug!(%error, "no spawner to kill a worker");
        }
        drop(link);
        self.spawner.worker_count.fetch_sub(1, Ordering::Relaxed);
    }
}
