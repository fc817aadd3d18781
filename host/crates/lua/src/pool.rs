//! Workers that wait for a run, so that a run does not wait for a worker, and those whose run is over, so that nobody waits
//! for their end either.
//!
//! Owns: how many there are, and the one thread that starts more and ends what is left.
//! Never: uses a worker for a second run.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::error::LuaError;
use super::frame::{Start, ToWorker};
use super::run::{Home, Run};
use super::spawner::{Spawner, Worker};
use wardroom_base::limits::{MAX_ENDED_WORKERS, REFILL_PAUSE, SPAWN_TIME, WARM_LUA_WORKERS};
use wardroom_process::frame::append;

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
    /// Those whose run is over.
    ended: Vec<Worker>,
    /// Runs that wait for a worker.
    wanted: usize,
    /// When the last run began or ended.
    used: Option<Instant>,
    /// Nothing is left to do until somebody says so.
    is_idle: bool,
    closed: bool,
    /// The last attempt failed; the next run tries again.
    failed: bool,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `WARM_LUA_WORKERS` waiting, and ends those whose run is over.
    fn refill(&self) {
        let mut waiting = self.waiting();
        while !waiting.closed {
            let is_wanted = waiting.wanted > waiting.workers.len();
            let has_enough = waiting.failed || !is_wanted && waiting.workers.len() >= WARM_LUA_WORKERS;
            let pause = waiting.used.map_or(Duration::ZERO, |used| REFILL_PAUSE.saturating_sub(used.elapsed()));
            if has_enough && waiting.ended.is_empty() {
                waiting.is_idle = true;
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                waiting.is_idle = false;
            } else if !is_wanted && !pause.is_zero() {
                // Runs and their answers go first: starting or ending a process takes a processor for a while.
                (waiting, _) = self.changed.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner);
            } else if !waiting.ended.is_empty() {
                let ended = std::mem::take(&mut waiting.ended);
                drop(waiting);
                drop(ended);
                waiting = self.waiting();
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
        let left = (std::mem::take(&mut waiting.workers), std::mem::take(&mut waiting.ended));
        drop(waiting);
        drop(left);
    }

    /// One that waited and lives, or the next that the pool's own thread starts. Nothing where that is in vain.
    fn warm(&self) -> Option<Worker> {
        let mut waiting = self.waiting();
        let living = |waiting: &mut Waiting| std::iter::from_fn(|| waiting.workers.pop_front()).find(is_silent);
        let mut found = living(&mut waiting);
        if found.is_none() {
            waiting.failed = false;
            waiting.wanted += 1;
            self.changed.notify_all();
            let deadline = Instant::now() + SPAWN_TIME;
            loop {
                found = living(&mut waiting);
                let left = deadline.saturating_duration_since(Instant::now());
                if found.is_some() || waiting.failed || waiting.closed || left.is_zero() {
                    break;
                }
                (waiting, _) = self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner);
            }
            waiting.wanted -= 1;
        }
        waiting.used = Some(Instant::now());
        found
    }

    /// A worker was taken: another one is to be started, when there is time.
    fn taken(&self) {
        let mut waiting = self.waiting();
        waiting.failed = false;
        if waiting.is_idle {
            self.changed.notify_all();
        }
    }
}

impl Home for Shared {
    fn leave(&self, worker: Worker) {
        let mut waiting = self.waiting();
        if waiting.closed || waiting.ended.len() >= MAX_ENDED_WORKERS {
            drop(waiting);
            drop(worker);
            return;
        }
        waiting.ended.push(worker);
        waiting.used = Some(Instant::now());
        if waiting.is_idle {
            self.changed.notify_all();
        }
    }
}

/// Between two calls and before its run a worker has nothing to say; one that can be read from ended, or was taken over.
pub(super) fn is_silent(worker: &Worker) -> bool {
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
        let mut message = Vec::new();
        append(&mut message, &ToWorker::<_, ()>::Start(start))?;
        let worker = self.take()?;
        let home = self.is_filled().then(|| Arc::clone(&self.shared) as Arc<_>);
        let run = Run::new(worker, message, home);
        self.shared.taken();
        Ok(run)
    }

    /// A worker that waited, or a new one. It belongs to whoever takes it.
    pub(super) fn worker(&self) -> Result<Worker, LuaError> {
        let worker = self.take();
        self.shared.taken();
        worker
    }

    fn take(&self) -> Result<Worker, LuaError> {
        self.prepare();
        match self.is_filled().then(|| self.shared.warm()).flatten() {
            Some(worker) => Ok(worker),
            None => self.shared.spawner.worker(),
        }
    }

    fn is_filled(&self) -> bool {
        self.refill.get().is_some_and(Option::is_some)
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
