//! Workers of declared handlers: each namespace has its own, and a worker serves one call after another.
//!
//! Owns: which namespace a worker belongs to, how many calls of one compute at once, and how many workers there are.
//! Never: lets two namespaces share a process, or has a call wait for one that waits for it: what waits for an answer takes
//! no place, so that whoever is asked finds one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::error::{ScriptStartError, ScriptStopError};
use super::protocol::{HandlerRequest, MessageToWorker};
use super::run::ScriptRun;
use super::spawner::Worker;
use super::worker_pool::{WorkerPool, is_idle};
use crate::limits::{
    HANDLER_WORKER_IDLE_TIMEOUT, MAX_CALLS_PER_WORKER, MAX_HANDLER_WORKERS, MAX_IDLE_HANDLER_WORKERS,
    MAX_RUNNING_CALLS_PER_NAMESPACE,
};
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_process::ipc::append_frame;

/// Starts calls. Drop it and the calls, and their workers are killed.
pub struct HandlerPool(Arc<HandlerPoolInner>);

struct HandlerPoolInner {
    worker_pool: Arc<WorkerPool>,
    state: Mutex<HandlerPoolState>,
    /// A call ended, or waits for an answer.
    state_changed: Condvar,
}

#[derive(Default)]
struct HandlerPoolState {
    /// Of those namespaces alone that have a worker, or a call.
    namespaces: HashMap<String, NamespacePool>,
    /// Of all namespaces, whatever they do.
    worker_count: usize,
}

/// Those whose time is over. To end one may take as long as to start another one, so it is done after the house is unlocked:
/// declared before the lock, such a list is dropped after it.
type EvictedWorkers = Vec<IdleWorker>;

#[derive(Default)]
struct NamespacePool {
    /// The one that was used last is at the end.
    idle_workers: VecDeque<IdleWorker>,
    slots_in_use: usize,
}

struct IdleWorker {
    worker: Worker,
    calls_served: u32,
    idle_since: Instant,
}

impl HandlerPool {
    #[must_use]
    pub fn new(pool: &Arc<WorkerPool>) -> Self {
        let house =
            HandlerPoolInner { worker_pool: Arc::clone(pool), state: Mutex::default(), state_changed: Condvar::new() };
        Self(Arc::new(house))
    }

    /// Starts a call in a worker of this namespace. Where none is free, the first step waits for one.
    ///
    /// # Errors
    /// When the call is too large.
    pub fn start_call(&self, namespace: &str, call: &HandlerRequest) -> Result<ScriptRun, ScriptStartError> {
        let mut message = Vec::new();
        append_frame(&mut message, &MessageToWorker::<(), _>::Call(call))?;
        let seat = WorkerLease {
            pool: Arc::clone(&self.0),
            namespace: namespace.to_owned(),
            calls_served: 0,
            has_worker: false,
            has_slot: false,
        };
        Ok(ScriptRun::with_lease(seat, message))
    }
}

impl HandlerPoolInner {
    fn lock_state(&self) -> MutexGuard<'_, HandlerPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandlerPoolState {
    /// A place for one more call of this namespace, with a worker that is free where there is one.
    fn acquire_slot(&mut self, namespace: &str, gone: &mut EvictedWorkers) -> AcquireOutcome {
        let lane = self.namespaces.entry(namespace.to_owned()).or_default();
        if lane.slots_in_use >= MAX_RUNNING_CALLS_PER_NAMESPACE {
            return AcquireOutcome::AtCapacity;
        }
        lane.slots_in_use += 1;
        while let Some(idle) = lane.idle_workers.pop_back() {
            if is_idle(&idle.worker) {
                return AcquireOutcome::Reused(idle);
            }
            gone.push(idle);
            self.worker_count -= 1;
        }
        AcquireOutcome::NeedsWorker
    }

    /// Room for one more worker: one that waits elsewhere makes room.
    fn reserve_worker(&mut self, gone: &mut EvictedWorkers) -> Result<(), ScriptStopError> {
        self.evict_expired(gone);
        if self.worker_count >= MAX_HANDLER_WORKERS && self.evict_longest_idle(gone).is_none() {
            return Err(ScriptStopError::Busy);
        }
        self.worker_count += 1;
        Ok(())
    }

    /// Ends the worker that waits longest.
    fn evict_longest_idle(&mut self, gone: &mut EvictedWorkers) -> Option<()> {
        let oldest = self.namespaces.values_mut().filter(|lane| !lane.idle_workers.is_empty());
        let oldest = oldest.min_by_key(|lane| lane.idle_workers.front().map(|idle| idle.idle_since))?;
        gone.extend(oldest.idle_workers.pop_front());
        self.worker_count -= 1;
        Some(())
    }

    /// Ends what nobody has called for long.
    fn evict_expired(&mut self, gone: &mut EvictedWorkers) {
        for lane in self.namespaces.values_mut() {
            // The one that was used last is at the end.
            let cold = lane
                .idle_workers
                .iter()
                .take_while(|idle| idle.idle_since.elapsed() >= HANDLER_WORKER_IDLE_TIMEOUT)
                .count();
            gone.extend(lane.idle_workers.drain(..cold));
            self.worker_count -= cold;
        }
        self.namespaces.retain(|_, lane| lane.slots_in_use > 0 || !lane.idle_workers.is_empty());
    }
}

/// What a call that wants to compute finds.
enum AcquireOutcome {
    /// As many compute as may.
    AtCapacity,
    /// A place, but no worker.
    NeedsWorker,
    Reused(IdleWorker),
}

/// A call's place in its namespace.
pub(super) struct WorkerLease {
    pool: Arc<HandlerPoolInner>,
    namespace: String,
    /// Those that its worker served before.
    calls_served: u32,
    /// Whether it has a worker, or is about to.
    has_worker: bool,
    /// Whether it is one of those that compute.
    has_slot: bool,
}

impl WorkerLease {
    /// A worker that is free at this moment.
    pub(super) fn try_acquire(&mut self) -> Option<Worker> {
        let house = Arc::clone(&self.pool);
        let mut gone = EvictedWorkers::new();
        let mut state = house.lock_state();
        let is_free = state.namespaces.get(&self.namespace).is_some_and(|lane| !lane.idle_workers.is_empty());
        match is_free.then(|| state.acquire_slot(&self.namespace, &mut gone))? {
            AcquireOutcome::AtCapacity => None,
            AcquireOutcome::NeedsWorker => {
                self.has_slot = true;
                None
            }
            AcquireOutcome::Reused(idle) => Some(self.attach(idle)),
        }
    }

    fn attach(&mut self, idle: IdleWorker) -> Worker {
        self.has_slot = true;
        self.has_worker = true;
        self.calls_served = idle.calls_served;
        idle.worker
    }

    /// Waits for a place, and takes a worker that is there or a new one.
    pub(super) fn acquire(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Worker, ScriptStopError> {
        let house = Arc::clone(&self.pool);
        let mut gone = EvictedWorkers::new();
        let mut state = house.lock_state();
        // One whose worker was gone when it looked has its place already.
        while !self.has_slot {
            match state.acquire_slot(&self.namespace, &mut gone) {
                AcquireOutcome::Reused(idle) => return Ok(self.attach(idle)),
                AcquireOutcome::NeedsWorker => self.has_slot = true,
                AcquireOutcome::AtCapacity => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(ScriptStopError::DeadlineExceeded);
                    }
                    let time = left.min(CANCEL_POLL_INTERVAL);
                    (state, _) = house.state_changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
                }
            }
            if cancelled() {
                return Err(ScriptStopError::Cancelled);
            }
        }
        state.reserve_worker(&mut gone)?;
        self.has_worker = true;
        drop((state, gone));
        house.worker_pool.acquire_worker().map_err(ScriptStopError::NotStarted)
    }

    /// The call waits for an answer: another one may compute.
    pub(super) fn pause(&mut self) {
        self.release_slot(&mut Arc::clone(&self.pool).lock_state());
    }

    /// It has its answer. It does not wait for a place: whoever was let in meanwhile goes on too.
    pub(super) fn resume(&mut self) {
        if self.has_worker && !self.has_slot {
            self.has_slot = true;
            self.pool.lock_state().namespaces.entry(self.namespace.clone()).or_default().slots_in_use += 1;
        }
    }

    /// The call ended well: its worker waits for the next one.
    pub(super) fn release(&mut self, worker: Option<Worker>) {
        let calls = self.calls_served + 1;
        let Some(worker) = worker.filter(|_| calls < MAX_CALLS_PER_WORKER) else { return };
        let house = Arc::clone(&self.pool);
        let mut gone = EvictedWorkers::new();
        let mut state = house.lock_state();
        let lane = state.namespaces.entry(self.namespace.clone()).or_default();
        lane.idle_workers.push_back(IdleWorker { worker, calls_served: calls, idle_since: Instant::now() });
        self.has_worker = false;
        self.release_slot(&mut state);
        if state.namespaces.values().map(|lane| lane.idle_workers.len()).sum::<usize>() > MAX_IDLE_HANDLER_WORKERS {
            state.evict_longest_idle(&mut gone);
        }
    }

    fn release_slot(&mut self, state: &mut HandlerPoolState) {
        if std::mem::take(&mut self.has_slot) {
            if let Some(lane) = state.namespaces.get_mut(&self.namespace) {
                lane.slots_in_use -= 1;
            }
            self.pool.state_changed.notify_all();
        }
    }
}

impl Drop for WorkerLease {
    /// Without a good end: the worker is gone, or about to be killed.
    fn drop(&mut self) {
        let house = Arc::clone(&self.pool);
        let mut state = house.lock_state();
        if std::mem::take(&mut self.has_worker) {
            state.worker_count -= 1;
        }
        self.release_slot(&mut state);
    }
}
