//! Workers that wait for a run, so that a run does not wait for a worker.
//!
//! Owns: how many there are, and the one thread that starts more.
//! Never: uses a worker for a second run.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::error::LuaError;
use super::frame::{Start, ToWorker};
use super::run::Run;
use super::spawner::{Spawner, Worker};
use crate::frame::append;
use crate::limits::{REFILL_PAUSE, SPAWN_TIME, WARM_LUA_WORKERS};

/// Starts runs. Drop it, and the workers that wait are killed.
pub struct Pool {
    shared: Arc<Shared>,
    refill: OnceLock<Option<JoinHandle<()>>>,
}

struct Shared {
    spawner: Arc<Spawner>,
    waiting: Mutex<Waiting>,
    /// A worker was taken or added, somebody wants one, the last start failed, or the pool closed.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    workers: VecDeque<Worker>,
    /// Runs that wait for a worker.
    wanted: usize,
    /// When the last one was taken.
    taken: Option<Instant>,
    closed: bool,
    /// The last attempt failed; the next run tries again.
    failed: bool,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `WARM_LUA_WORKERS` waiting.
    fn refill(&self) {
        let mut waiting = self.waiting();
        while !waiting.closed {
            let is_wanted = waiting.wanted > waiting.workers.len();
            let pause = waiting.taken.map_or(Duration::ZERO, |taken| REFILL_PAUSE.saturating_sub(taken.elapsed()));
            if waiting.failed || !is_wanted && waiting.workers.len() >= WARM_LUA_WORKERS {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            } else if !is_wanted && !pause.is_zero() {
                // The run that took the last one goes first: starting a process takes a processor for a while.
                (waiting, _) = self.changed.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner);
            } else {
                drop(waiting);
                let started = self.spawner.worker();
                waiting = self.waiting();
                match started {
                    Ok(worker) => waiting.workers.push_back(worker),
                    Err(error) => {
                        tracing::warn!(%error, cause = ?error, "no worker is kept ready");
                        waiting.failed = true;
                    }
                }
                self.changed.notify_all();
            }
        }
    }

    /// One that waited and lives, or the next that the pool's own thread starts. Nothing where that is in vain.
    fn warm(&self) -> Option<Worker> {
        let mut waiting = self.waiting();
        waiting.failed = false;
        waiting.wanted += 1;
        self.changed.notify_all();
        let deadline = Instant::now() + SPAWN_TIME;
        let worker = loop {
            let found = std::iter::from_fn(|| waiting.workers.pop_front()).find(is_silent);
            let left = deadline.saturating_duration_since(Instant::now());
            if found.is_some() || waiting.failed || waiting.closed || left.is_zero() {
                break found;
            }
            (waiting, _) = self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner);
        };
        waiting.wanted -= 1;
        waiting.taken = Some(Instant::now());
        drop(waiting);
        self.changed.notify_all();
        worker
    }
}

/// Before its run a worker has nothing to say; one that can be read from ended.
fn is_silent(worker: &Worker) -> bool {
    let mut probe = [0];
    rustix::net::recv(&worker.socket, &mut probe, rustix::net::RecvFlags::PEEK) == Err(rustix::io::Errno::AGAIN)
}

impl Pool {
    /// A pool that has no worker yet, and no thread: whoever makes it may be about to confine the process.
    #[must_use]
    pub fn new(spawner: Spawner) -> Arc<Self> {
        let spawner = Arc::new(spawner);
        let shared = Arc::new(Shared { spawner, waiting: Mutex::default(), changed: Condvar::new() });
        Arc::new(Self { shared, refill: OnceLock::new() })
    }

    /// Fills itself in the background from now on, as it does with the first run.
    pub fn prepare(&self) {
        self.refill.get_or_init(|| {
            let refilled = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("lua-pool".to_owned()).spawn(move || refilled.refill());
            thread.inspect_err(|error| tracing::warn!(%error, "no worker is kept ready")).ok()
        });
    }

    /// Starts a run, in a worker that waited or in a new one.
    ///
    /// # Errors
    /// When the input is too large, too many runs are there, or no worker can be started.
    pub fn start(&self, start: &Start) -> Result<Run, LuaError> {
        self.prepare();
        let mut message = Vec::new();
        append(&mut message, &ToWorker::Start(start))?;
        let is_filled = self.refill.get().is_some_and(Option::is_some);
        let worker = match is_filled.then(|| self.shared.warm()).flatten() {
            Some(worker) => worker,
            None => self.shared.spawner.worker()?,
        };
        Ok(Run::new(worker, message))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.waiting().closed = true;
        self.shared.changed.notify_all();
        if let Some(Err(_)) = self.refill.take().flatten().map(JoinHandle::join) {
            tracing::error!("the thread that starts workers panicked");
        }
    }
}
