//! Pre-started workers, which save runs the wait for a start, and finished ones, which are killed in the background.
//!
//! Owns: the number of both, and the thread that starts workers and kills finished ones.
//! Never: uses a worker for a second run.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::error::ScriptStartError;
use super::protocol::{MessageToWorker, StrategyRequest};
use super::run::{RetireWorker, ScriptRun};
use super::spawner::{Spawner, Worker};
use super::start_frame::StartFrame;
use super::worker_usage::WorkerMemory;
use crate::limits::{MAX_UNREAPED_WORKERS, POOL_REFILL_DELAY, WARM_LUA_WORKERS};
use wardroom_base::memory::MemoryShare;
use wardroom_process::limits::SPAWN_TIMEOUT;

/// Starts runs. Dropping it kills the warm workers.
pub struct WorkerPool {
    shared: Arc<WorkerPoolInner>,
    refill_thread: OnceLock<Option<JoinHandle<()>>>,
}

struct WorkerPoolInner {
    spawner: Arc<Spawner>,
    state: Mutex<WorkerPoolState>,
    /// Signalled when a worker is added or retired, a run waits for one, a start fails, or the pool closes.
    state_changed: Condvar,
}

#[derive(Default)]
struct WorkerPoolState {
    warm_workers: VecDeque<Worker>,
    /// Workers whose run has ended and that are not killed yet.
    finished_workers: Vec<Worker>,
    /// Number of runs that wait for a worker.
    waiting_runs: usize,
    /// Time of the last start or end of a run.
    last_activity: Option<Instant>,
    /// Whether the thread waits for `state_changed` without a timeout.
    is_thread_parked: bool,
    is_closed: bool,
    /// Whether the last start failed. The next run tries again.
    has_start_failed: bool,
}

impl WorkerPoolInner {
    fn lock_state(&self) -> MutexGuard<'_, WorkerPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `WARM_LUA_WORKERS` workers warm, and kills finished ones. Body of the pool's thread.
    fn maintain_workers(&self) {
        let mut state = self.lock_state();
        while !state.is_closed {
            let is_wanted = state.waiting_runs > state.warm_workers.len();
            let has_enough = state.has_start_failed || !is_wanted && state.warm_workers.len() >= WARM_LUA_WORKERS;
            let pause =
                state.last_activity.map_or(Duration::ZERO, |used| POOL_REFILL_DELAY.saturating_sub(used.elapsed()));
            if has_enough && state.finished_workers.is_empty() {
                state.is_thread_parked = true;
                state = self.state_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.is_thread_parked = false;
            } else if is_wanted && !has_enough {
                // Runs have priority: starting or ending a process occupies a processor for a while.
                state = self.add_worker(state);
            } else if !pause.is_zero() {
                (state, _) = self.state_changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner);
            } else if !state.finished_workers.is_empty() {
                let ended = std::mem::take(&mut state.finished_workers);
                drop(state);
                drop(ended);
                state = self.lock_state();
            } else {
                state = self.add_worker(state);
            }
        }
        let left = (std::mem::take(&mut state.warm_workers), std::mem::take(&mut state.finished_workers));
        drop(state);
        drop(left);
    }

    /// Starts a worker outside the lock, and takes the lock again.
    fn add_worker<'p>(&'p self, state: MutexGuard<'p, WorkerPoolState>) -> MutexGuard<'p, WorkerPoolState> {
        drop(state);
        let started = self.spawner.start_worker();
        let mut state = self.lock_state();
        match started {
            Ok(worker) => state.warm_workers.push_back(worker),
            Err(error) => {
                tracing::warn!(%error, cause = ?error, "cannot start a spare worker");
                state.has_start_failed = true;
            }
        }
        self.state_changed.notify_all();
        state
    }

    /// Takes a warm worker that is alive, or waits until the pool's thread has started one. `None` if that fails.
    fn take_warm(&self) -> Option<Worker> {
        let mut state = self.lock_state();
        let living = |state: &mut WorkerPoolState| std::iter::from_fn(|| state.warm_workers.pop_front()).find(is_idle);
        let mut found = living(&mut state);
        if found.is_none() {
            state.has_start_failed = false;
            state.waiting_runs += 1;
            self.state_changed.notify_all();
            let deadline = Instant::now() + SPAWN_TIMEOUT;
            loop {
                found = living(&mut state);
                let left = deadline.saturating_duration_since(Instant::now());
                if found.is_some() || state.has_start_failed || state.is_closed || left.is_zero() {
                    break;
                }
                (state, _) = self.state_changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            }
            state.waiting_runs -= 1;
        }
        state.last_activity = Some(Instant::now());
        found
    }

    /// Wakes the pool's thread after a worker was taken, to start another one.
    fn request_refill(&self) {
        let mut state = self.lock_state();
        state.has_start_failed = false;
        if state.is_thread_parked {
            self.state_changed.notify_all();
        }
    }
}

impl RetireWorker for WorkerPoolInner {
    fn retire_worker(&self, worker: Worker) {
        let mut state = self.lock_state();
        let is_full = state.finished_workers.len() >= MAX_UNREAPED_WORKERS;
        if state.is_closed || is_full || worker.usage.is_large() {
            drop(state);
            drop(worker);
            return;
        }
        state.finished_workers.push(worker);
        state.last_activity = Some(Instant::now());
        if state.is_thread_parked {
            self.state_changed.notify_all();
        }
    }
}

/// Whether a worker is alive and silent. Before its run and between two calls it sends nothing, so a readable socket
/// means that the worker ended or was taken over.
pub(super) fn is_idle(worker: &Worker) -> bool {
    let mut probe = [0];
    rustix::net::recv(&worker.socket, &mut probe, rustix::net::RecvFlags::PEEK) == Err(rustix::io::Errno::AGAIN)
}

impl WorkerPool {
    /// A pool without workers and without a thread, because the caller may still have to confine the process.
    #[must_use]
    pub fn new(spawner: Spawner) -> Arc<Self> {
        let spawner = Arc::new(spawner);
        let shared = Arc::new(WorkerPoolInner { spawner, state: Mutex::default(), state_changed: Condvar::new() });
        Arc::new(Self { shared, refill_thread: OnceLock::new() })
    }

    /// Starts the thread that refills the pool. The first run starts it too.
    pub fn start_refilling(&self) {
        self.refill_thread.get_or_init(|| {
            let refilled = Arc::clone(&self.shared);
            let thread =
                std::thread::Builder::new().name("lua-pool".to_owned()).spawn(move || refilled.maintain_workers());
            thread.inspect_err(|error| tracing::warn!(%error, "cannot start a spare worker")).ok()
        });
    }

    /// Starts a run in a warm worker or in a new one. Its messages count as bytes of `memory`.
    ///
    /// # Errors
    /// When the input is too large or there is no memory for it, too many workers exist, or none can be started.
    pub fn start_run(&self, start: &StrategyRequest, memory: &MemoryShare) -> Result<ScriptRun, ScriptStartError> {
        let frame = StartFrame::new(&MessageToWorker::<_, ()>::Start(start), memory)?;
        let worker = self.take_worker()?;
        let pool = self.has_refill_thread().then(|| Arc::clone(&self.shared) as Arc<_>);
        let run = ScriptRun::new(worker, frame, pool);
        self.shared.request_refill();
        Ok(run)
    }

    /// Takes a warm worker or a new one. The caller owns it.
    pub(super) fn acquire_worker(&self) -> Result<Worker, ScriptStartError> {
        let worker = self.take_worker();
        self.shared.request_refill();
        worker
    }

    /// The memory of all workers.
    #[must_use]
    pub fn memory(&self) -> &Arc<WorkerMemory> {
        self.shared.spawner.memory()
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
