//! Workers that wait for a run, so that a run does not wait for a worker, and those whose run is over, so that nobody waits
//! for their end either.
//!
//! Owns: how many there are, and the one thread that starts more and ends what is left.
//! Never: uses a worker for a second run.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::error::ScriptStartError;
use super::protocol::{MessageToWorker, StrategyRequest};
use super::run::{RetireWorker, ScriptRun};
use super::spawner::{Spawner, Worker};
use crate::limits::{MAX_UNREAPED_WORKERS, POOL_REFILL_DELAY, WARM_LUA_WORKERS};
use wardroom_process::ipc::append_frame;
use wardroom_process::limits::SPAWN_TIMEOUT;

/// Starts runs. Drop it, and the workers that wait are killed.
pub struct WorkerPool {
    shared: Arc<WorkerPoolInner>,
    refill_thread: OnceLock<Option<JoinHandle<()>>>,
}

struct WorkerPoolInner {
    spawner: Arc<Spawner>,
    state: Mutex<WorkerPoolState>,
    /// A worker was taken or added, somebody wants one, the last start failed, or the pool closed.
    state_changed: Condvar,
}

#[derive(Default)]
struct WorkerPoolState {
    warm_workers: VecDeque<Worker>,
    /// Those whose run is over.
    finished_workers: Vec<Worker>,
    /// Runs that wait for a worker.
    waiting_runs: usize,
    /// When the last run began or ended.
    last_activity: Option<Instant>,
    /// Nothing is left to do until somebody says so.
    is_thread_parked: bool,
    is_closed: bool,
    /// The last attempt failed; the next run tries again.
    has_start_failed: bool,
}

impl WorkerPoolInner {
    fn lock_state(&self) -> MutexGuard<'_, WorkerPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `WARM_LUA_WORKERS` waiting, and ends those whose run is over.
    fn maintain_workers(&self) {
        let mut waiting = self.lock_state();
        while !waiting.is_closed {
            let is_wanted = waiting.waiting_runs > waiting.warm_workers.len();
            let has_enough = waiting.has_start_failed || !is_wanted && waiting.warm_workers.len() >= WARM_LUA_WORKERS;
            let pause =
                waiting.last_activity.map_or(Duration::ZERO, |used| POOL_REFILL_DELAY.saturating_sub(used.elapsed()));
            if has_enough && waiting.finished_workers.is_empty() {
                waiting.is_thread_parked = true;
                waiting = self.state_changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                waiting.is_thread_parked = false;
            } else if !is_wanted && !pause.is_zero() {
                // Runs and their answers go first: starting or ending a process takes a processor for a while.
                (waiting, _) = self.state_changed.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner);
            } else if !waiting.finished_workers.is_empty() {
                let ended = std::mem::take(&mut waiting.finished_workers);
                drop(waiting);
                drop(ended);
                waiting = self.lock_state();
            } else {
                drop(waiting);
                let started = self.spawner.start_worker();
                waiting = self.lock_state();
                match started {
                    Ok(worker) => waiting.warm_workers.push_back(worker),
                    Err(error) => {
                        tracing::warn!(%error, cause = ?error, "no worker is kept ready");
                        waiting.has_start_failed = true;
                    }
                }
                self.state_changed.notify_all();
            }
        }
        let left = (std::mem::take(&mut waiting.warm_workers), std::mem::take(&mut waiting.finished_workers));
        drop(waiting);
        drop(left);
    }

    /// One that waited and lives, or the next that the pool's own thread starts. Nothing where that is in vain.
    fn take_warm(&self) -> Option<Worker> {
        let mut waiting = self.lock_state();
        let living =
            |waiting: &mut WorkerPoolState| std::iter::from_fn(|| waiting.warm_workers.pop_front()).find(is_idle);
        let mut found = living(&mut waiting);
        if found.is_none() {
            waiting.has_start_failed = false;
            waiting.waiting_runs += 1;
            self.state_changed.notify_all();
            let deadline = Instant::now() + SPAWN_TIMEOUT;
            loop {
                found = living(&mut waiting);
                let left = deadline.saturating_duration_since(Instant::now());
                if found.is_some() || waiting.has_start_failed || waiting.is_closed || left.is_zero() {
                    break;
                }
                (waiting, _) = self.state_changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner);
            }
            waiting.waiting_runs -= 1;
        }
        waiting.last_activity = Some(Instant::now());
        found
    }

    /// A worker was taken: another one is to be started, when there is time.
    fn request_refill(&self) {
        let mut waiting = self.lock_state();
        waiting.has_start_failed = false;
        if waiting.is_thread_parked {
            self.state_changed.notify_all();
        }
    }
}

impl RetireWorker for WorkerPoolInner {
    fn retire_worker(&self, worker: Worker) {
        let mut waiting = self.lock_state();
        if waiting.is_closed || waiting.finished_workers.len() >= MAX_UNREAPED_WORKERS {
            drop(waiting);
            drop(worker);
            return;
        }
        waiting.finished_workers.push(worker);
        waiting.last_activity = Some(Instant::now());
        if waiting.is_thread_parked {
            self.state_changed.notify_all();
        }
    }
}

/// Between two calls and before its run a worker has nothing to say; one that can be read from ended, or was taken over.
pub(super) fn is_idle(worker: &Worker) -> bool {
    let mut probe = [0];
    rustix::net::recv(&worker.socket, &mut probe, rustix::net::RecvFlags::PEEK) == Err(rustix::io::Errno::AGAIN)
}

impl WorkerPool {
    /// A pool that has no worker yet, and no thread: whoever makes it may be about to confine the process.
    #[must_use]
    pub fn new(spawner: Spawner) -> Arc<Self> {
        let spawner = Arc::new(spawner);
        let shared = Arc::new(WorkerPoolInner { spawner, state: Mutex::default(), state_changed: Condvar::new() });
        Arc::new(Self { shared, refill_thread: OnceLock::new() })
    }

    /// Fills itself in the background from now on, as it does with the first run.
    pub fn start_refilling(&self) {
        self.refill_thread.get_or_init(|| {
            let refilled = Arc::clone(&self.shared);
            let thread =
                std::thread::Builder::new().name("lua-pool".to_owned()).spawn(move || refilled.maintain_workers());
            thread.inspect_err(|error| tracing::warn!(%error, "no worker is kept ready")).ok()
        });
    }

    /// Starts a run, in a worker that waited or in a new one.
    ///
    /// # Errors
    /// When the input is too large, too many runs are there, or no worker can be started.
    pub fn start_run(&self, start: &StrategyRequest) -> Result<ScriptRun, ScriptStartError> {
        let mut message = Vec::new();
        append_frame(&mut message, &MessageToWorker::<_, ()>::Start(start))?;
        let worker = self.take_worker()?;
        let home = self.has_refill_thread().then(|| Arc::clone(&self.shared) as Arc<_>);
        let run = ScriptRun::new(worker, message, home);
        self.shared.request_refill();
        Ok(run)
    }

    /// A worker that waited, or a new one. It belongs to whoever takes it.
    pub(super) fn acquire_worker(&self) -> Result<Worker, ScriptStartError> {
        let worker = self.take_worker();
        self.shared.request_refill();
        worker
    }

    fn take_worker(&self) -> Result<Worker, ScriptStartError> {
        self.start_refilling();
        match self.has_refill_thread().then(|| self.shared.take_warm()).flatten() {
            Some(worker) => Ok(worker),
            None => self.shared.spawner.start_worker(),
        }
    }

    fn has_refill_thread(&self) -> bool {
        self.refill_thread.get().is_some_and(Option::is_some)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.lock_state().is_closed = true;
        self.shared.state_changed.notify_all();
        if let Some(Err(_)) = self.refill_thread.take().flatten().map(JoinHandle::join) {
            tracing::error!("the thread that starts workers panicked");
        }
    }
}
