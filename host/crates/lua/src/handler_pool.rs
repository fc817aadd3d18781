//! Workers of declared handlers: each namespace has its own, and a worker serves one call after another.
//!
//! Owns: the namespace of each worker, and the limits on running calls for each namespace and on workers altogether.
//! Never: lets two namespaces share a process, or deadlocks calls that call each other: a call holds no slot while it
//! waits for an answer, so the call that computes the answer gets one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::error::{ScriptStartError, ScriptStopError};
use super::protocol::{HandlerRequest, MessageToWorker};
use super::run::ScriptRun;
use super::spawner::Worker;
use super::start_frame::StartFrame;
use super::worker_pool::{WorkerPool, is_idle};
use crate::limits::{
    HANDLER_WORKER_IDLE_TIMEOUT, MAX_CALLS_PER_WORKER, MAX_HANDLER_WORKERS, MAX_IDLE_HANDLER_WORKERS,
    MAX_RUNNING_CALLS_PER_NAMESPACE, MAX_RUNNING_CALLS_PER_NAMESPACE_AND_CALLER,
};
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_base::memory::MemoryShare;

/// Starts calls. The workers are killed when the pool and its calls are dropped.
pub struct HandlerPool(Arc<HandlerPoolInner>);

struct HandlerPoolInner {
    worker_pool: Arc<WorkerPool>,
    state: Mutex<HandlerPoolState>,
    /// Signalled when a call releases its slot: at its end, and when it waits for an answer.
    state_changed: Condvar,
}

#[derive(Default)]
struct HandlerPoolState {
    /// The namespaces with a slot in use or an idle worker. `evict_expired` removes the others.
    namespaces: HashMap<String, NamespacePool>,
    /// The workers of all namespaces: running, waiting for an answer, or idle.
    worker_count: usize,
}

/// Evicted workers, which are killed when the list is dropped. Killing a worker may take as long as starting one, so it
/// happens outside the lock: a list that is declared before the guard is dropped after the guard.
type EvictedWorkers = Vec<IdleWorker>;

#[derive(Default)]
struct NamespacePool {
    /// Ordered by last use, the most recent at the back.
    idle_workers: VecDeque<IdleWorker>,
    slots_in_use: usize,
    /// Of those, the ones of each caller who shares.
    slots_by_caller: HashMap<String, usize>,
}

impl NamespacePool {
    fn take_slot(&mut self, caller: Option<&str>) {
        self.slots_in_use += 1;
        if let Some(caller) = caller {
            *self.slots_by_caller.entry(caller.to_owned()).or_default() += 1;
        }
    }

    fn return_slot(&mut self, caller: Option<&str>) {
        self.slots_in_use -= 1;
        if let Some(caller) = caller
            && let Some(own) = self.slots_by_caller.get_mut(caller)
        {
            *own -= 1;
            if *own == 0 {
                self.slots_by_caller.remove(caller);
            }
        }
    }
}

struct IdleWorker {
    worker: Worker,
    calls_served: u32,
    idle_since: Instant,
}

impl HandlerPool {
    #[must_use]
    pub fn new(pool: &Arc<WorkerPool>) -> Self {
        let inner =
            HandlerPoolInner { worker_pool: Arc::clone(pool), state: Mutex::default(), state_changed: Condvar::new() };
        Self(Arc::new(inner))
    }

    /// Starts a call in a worker of this namespace. If none is idle, the first step acquires one. Its messages count as
    /// bytes of `memory`.
    ///
    /// # Errors
    /// When the call is too large, or there is no memory for it.
    pub fn start_call(
        &self,
        namespace: &str,
        call: &HandlerRequest,
        memory: &MemoryShare,
    ) -> Result<ScriptRun, ScriptStartError> {
        self.start_call_for(None, namespace, call, memory)
    }

    /// As [`Self::start_call`], for a caller who leaves a slot of the namespace to other callers.
    ///
    /// # Errors
    /// When the call is too large, or there is no memory for it.
    pub fn start_call_for(
        &self,
        caller: Option<String>,
        namespace: &str,
        call: &HandlerRequest,
        memory: &MemoryShare,
    ) -> Result<ScriptRun, ScriptStartError> {
        let frame = StartFrame::new(&MessageToWorker::<(), _>::Call(call), memory)?;
        let lease = WorkerLease {
            pool: Arc::clone(&self.0),
            namespace: namespace.to_owned(),
            caller,
            calls_served: 0,
            has_worker: false,
            has_slot: false,
        };
        Ok(ScriptRun::with_lease(lease, frame))
    }
}

impl HandlerPoolInner {
    fn lock_state(&self) -> MutexGuard<'_, HandlerPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandlerPoolState {
    /// Takes a slot for a call of this namespace, and an idle worker if there is one.
    fn acquire_slot(&mut self, namespace: &str, caller: Option<&str>, evicted: &mut EvictedWorkers) -> AcquireOutcome {
        let pool = self.namespaces.entry(namespace.to_owned()).or_default();
        let own = caller.and_then(|caller| pool.slots_by_caller.get(caller)).copied().unwrap_or_default();
        if pool.slots_in_use >= MAX_RUNNING_CALLS_PER_NAMESPACE || own >= MAX_RUNNING_CALLS_PER_NAMESPACE_AND_CALLER {
            return AcquireOutcome::AtCapacity;
        }
        pool.take_slot(caller);
        while let Some(idle) = pool.idle_workers.pop_back() {
            if is_idle(&idle.worker) {
                return AcquireOutcome::Reused(idle);
            }
            evicted.push(idle);
            self.worker_count -= 1;
        }
        AcquireOutcome::NeedsWorker
    }

    /// Counts one more worker. At the limit, evicts the worker that has been idle longest.
    fn reserve_worker(&mut self, evicted: &mut EvictedWorkers) -> Result<(), ScriptStopError> {
        self.evict_expired(evicted);
        if self.worker_count >= MAX_HANDLER_WORKERS && self.evict_longest_idle(evicted).is_none() {
            return Err(ScriptStopError::Busy);
        }
        self.worker_count += 1;
        Ok(())
    }

    /// Evicts the worker that has been idle longest, of any namespace.
    fn evict_longest_idle(&mut self, evicted: &mut EvictedWorkers) -> Option<()> {
        let oldest = self.namespaces.values_mut().filter(|pool| !pool.idle_workers.is_empty());
        let oldest = oldest.min_by_key(|pool| pool.idle_workers.front().map(|idle| idle.idle_since))?;
        evicted.extend(oldest.idle_workers.pop_front());
        self.worker_count -= 1;
        Some(())
    }

    /// Evicts workers that have been idle for `HANDLER_WORKER_IDLE_TIMEOUT`.
    fn evict_expired(&mut self, evicted: &mut EvictedWorkers) {
        for pool in self.namespaces.values_mut() {
            let expired = pool
                .idle_workers
                .iter()
                .take_while(|idle| idle.idle_since.elapsed() >= HANDLER_WORKER_IDLE_TIMEOUT)
                .count();
            evicted.extend(pool.idle_workers.drain(..expired));
            self.worker_count -= expired;
        }
        self.namespaces.retain(|_, pool| pool.slots_in_use > 0 || !pool.idle_workers.is_empty());
    }
}

/// The outcome of taking a slot.
enum AcquireOutcome {
    /// All slots of the namespace are in use.
    AtCapacity,
    /// A slot was taken, but no worker is idle.
    NeedsWorker,
    Reused(IdleWorker),
}

/// A call's slot and worker in its namespace.
pub(super) struct WorkerLease {
    pool: Arc<HandlerPoolInner>,
    namespace: String,
    /// Whose call it is, if that caller leaves a slot to the others.
    caller: Option<String>,
    /// Calls that the worker served before this one.
    calls_served: u32,
    /// Whether `worker_count` includes a worker of this call, possibly one that is still being started.
    has_worker: bool,
    /// Whether the call holds a slot.
    has_slot: bool,
}

impl WorkerLease {
    /// Takes an idle worker without waiting.
    pub(super) fn try_acquire(&mut self) -> Option<Worker> {
        let inner = Arc::clone(&self.pool);
        let mut evicted = EvictedWorkers::new();
        let mut state = inner.lock_state();
        let is_free = state.namespaces.get(&self.namespace).is_some_and(|pool| !pool.idle_workers.is_empty());
        match is_free.then(|| state.acquire_slot(&self.namespace, self.caller.as_deref(), &mut evicted))? {
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

    /// Waits for a slot, and takes an idle worker or a new one.
    pub(super) fn acquire(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Worker, ScriptStopError> {
        let inner = Arc::clone(&self.pool);
        let mut evicted = EvictedWorkers::new();
        let mut state = inner.lock_state();
        // `try_acquire` may have taken the slot and found only dead workers.
        while !self.has_slot {
            match state.acquire_slot(&self.namespace, self.caller.as_deref(), &mut evicted) {
                AcquireOutcome::Reused(idle) => return Ok(self.attach(idle)),
                AcquireOutcome::NeedsWorker => self.has_slot = true,
                AcquireOutcome::AtCapacity => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(ScriptStopError::DeadlineExceeded);
                    }
                    let time = left.min(CANCEL_POLL_INTERVAL);
                    (state, _) = inner.state_changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
                }
            }
            if cancelled() {
                return Err(ScriptStopError::Cancelled);
            }
        }
        state.reserve_worker(&mut evicted)?;
        self.has_worker = true;
        drop((state, evicted));
        inner.worker_pool.acquire_worker().map_err(ScriptStopError::NotStarted)
    }

    /// Releases the slot while the call waits for an answer.
    pub(super) fn pause(&mut self) {
        self.release_slot(&mut Arc::clone(&self.pool).lock_state());
    }

    /// Takes the slot again when the answer is there. Does not wait: the limit may be exceeded for a while.
    pub(super) fn resume(&mut self) {
        if self.has_worker && !self.has_slot {
            self.has_slot = true;
            let pool = Arc::clone(&self.pool);
            pool.lock_state().namespaces.entry(self.namespace.clone()).or_default().take_slot(self.caller.as_deref());
        }
    }

    /// Ends a call that returned or failed, and keeps its worker for the next call, unless it has become large.
    pub(super) fn release(&mut self, worker: Option<Worker>) {
        let calls = self.calls_served + 1;
        let Some(mut worker) = worker.filter(|_| calls < MAX_CALLS_PER_WORKER) else { return };
        if !worker.usage.end_call() {
            return;
        }
        let inner = Arc::clone(&self.pool);
        let mut evicted = EvictedWorkers::new();
        let mut state = inner.lock_state();
        let pool = state.namespaces.entry(self.namespace.clone()).or_default();
        pool.idle_workers.push_back(IdleWorker { worker, calls_served: calls, idle_since: Instant::now() });
        self.has_worker = false;
        self.release_slot(&mut state);
        if state.namespaces.values().map(|pool| pool.idle_workers.len()).sum::<usize>() > MAX_IDLE_HANDLER_WORKERS {
            state.evict_longest_idle(&mut evicted);
        }
    }

    fn release_slot(&mut self, state: &mut HandlerPoolState) {
        if std::mem::take(&mut self.has_slot) {
            if let Some(pool) = state.namespaces.get_mut(&self.namespace) {
                pool.return_slot(self.caller.as_deref());
            }
            self.pool.state_changed.notify_all();
        }
    }
}

impl Drop for WorkerLease {
    /// Releases the slot of a call that was stopped. Its worker is gone, or about to be killed.
    fn drop(&mut self) {
        let inner = Arc::clone(&self.pool);
        let mut state = inner.lock_state();
        if std::mem::take(&mut self.has_worker) {
            state.worker_count -= 1;
        }
        self.release_slot(&mut state);
    }
}
