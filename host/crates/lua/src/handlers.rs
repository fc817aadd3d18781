//! Workers of declared handlers: each namespace has its own, and a worker serves one call after another.
//!
//! Owns: which namespace a worker belongs to, how many calls of one compute at once, and how many workers there are.
//! Never: lets two namespaces share a process, or has a call wait for one that waits for it: what waits for an answer takes
//! no place, so that whoever is asked finds one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::error::{LuaError, Stopped};
use super::frame::{Call, ToWorker};
use super::pool::{Pool, is_silent};
use super::run::Run;
use super::spawner::Worker;
use wardroom_base::limits::{
    IDLE_HANDLER_TIME, LUA_LOOK_TIME, MAX_HANDLER_WORKERS, MAX_IDLE_HANDLERS, MAX_NAMESPACE_CALLS, MAX_WORKER_CALLS,
};
use wardroom_process::frame::append;

/// Starts calls. Drop it and the calls, and their workers are killed.
pub struct Handlers(Arc<House>);

struct House {
    pool: Arc<Pool>,
    state: Mutex<State>,
    /// A call ended, or waits for an answer.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Of those namespaces alone that have a worker, or a call.
    lanes: HashMap<String, Lane>,
    /// Of all namespaces, whatever they do.
    workers: usize,
}

/// Those whose time is over. To end one may take as long as to start another one, so it is done after the house is unlocked:
/// declared before the lock, such a list is dropped after it.
type Gone = Vec<Idle>;

#[derive(Default)]
struct Lane {
    /// The one that was used last is at the end.
    idle: VecDeque<Idle>,
    computing: usize,
}

struct Idle {
    worker: Worker,
    calls: u32,
    since: Instant,
}

impl Handlers {
    #[must_use]
    pub fn new(pool: &Arc<Pool>) -> Self {
        let house = House { pool: Arc::clone(pool), state: Mutex::default(), changed: Condvar::new() };
        Self(Arc::new(house))
    }

    /// Starts a call in a worker of this namespace. Where none is free, the first step waits for one.
    ///
    /// # Errors
    /// When the call is too large.
    pub fn start(&self, namespace: &str, call: &Call) -> Result<Run, LuaError> {
        let mut message = Vec::new();
        append(&mut message, &ToWorker::<(), _>::Call(call))?;
        let seat = Seat {
            house: Arc::clone(&self.0),
            namespace: namespace.to_owned(),
            calls: 0,
            holds: false,
            counted: false,
        };
        Ok(Run::seated(seat, message))
    }
}

impl House {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A place for one more call of this namespace, with a worker that is free where there is one.
    fn place(&mut self, namespace: &str, gone: &mut Gone) -> Place {
        let lane = self.lanes.entry(namespace.to_owned()).or_default();
        if lane.computing >= MAX_NAMESPACE_CALLS {
            return Place::Taken;
        }
        lane.computing += 1;
        while let Some(idle) = lane.idle.pop_back() {
            if is_silent(&idle.worker) {
                return Place::Furnished(idle);
            }
            gone.push(idle);
            self.workers -= 1;
        }
        Place::Empty
    }

    /// Room for one more worker: one that waits elsewhere makes room.
    fn grow(&mut self, gone: &mut Gone) -> Result<(), Stopped> {
        self.cool(gone);
        if self.workers >= MAX_HANDLER_WORKERS && self.evict(gone).is_none() {
            return Err(Stopped::Busy);
        }
        self.workers += 1;
        Ok(())
    }

    /// Ends the worker that waits longest.
    fn evict(&mut self, gone: &mut Gone) -> Option<()> {
        let oldest = self.lanes.values_mut().filter(|lane| !lane.idle.is_empty());
        let oldest = oldest.min_by_key(|lane| lane.idle.front().map(|idle| idle.since))?;
        gone.extend(oldest.idle.pop_front());
        self.workers -= 1;
        Some(())
    }

    /// Ends what nobody has called for long.
    fn cool(&mut self, gone: &mut Gone) {
        for lane in self.lanes.values_mut() {
            // The one that was used last is at the end.
            let cold = lane.idle.iter().take_while(|idle| idle.since.elapsed() >= IDLE_HANDLER_TIME).count();
            gone.extend(lane.idle.drain(..cold));
            self.workers -= cold;
        }
        self.lanes.retain(|_, lane| lane.computing > 0 || !lane.idle.is_empty());
    }
}

/// What a call that wants to compute finds.
enum Place {
    /// As many compute as may.
    Taken,
    /// A place, but no worker.
    Empty,
    Furnished(Idle),
}

/// A call's place in its namespace.
pub(super) struct Seat {
    house: Arc<House>,
    namespace: String,
    /// Those that its worker served before.
    calls: u32,
    /// Whether it has a worker, or is about to.
    holds: bool,
    /// Whether it is one of those that compute.
    counted: bool,
}

impl Seat {
    /// A worker that is free at this moment.
    pub(super) fn free(&mut self) -> Option<Worker> {
        let house = Arc::clone(&self.house);
        let mut gone = Gone::new();
        let mut state = house.state();
        let is_free = state.lanes.get(&self.namespace).is_some_and(|lane| !lane.idle.is_empty());
        match is_free.then(|| state.place(&self.namespace, &mut gone))? {
            Place::Taken => None,
            Place::Empty => {
                self.counted = true;
                None
            }
            Place::Furnished(idle) => Some(self.sit(idle)),
        }
    }

    fn sit(&mut self, idle: Idle) -> Worker {
        self.counted = true;
        self.holds = true;
        self.calls = idle.calls;
        idle.worker
    }

    /// Waits for a place, and takes a worker that is there or a new one.
    pub(super) fn take(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Worker, Stopped> {
        let house = Arc::clone(&self.house);
        let mut gone = Gone::new();
        let mut state = house.state();
        // One whose worker was gone when it looked has its place already.
        while !self.counted {
            match state.place(&self.namespace, &mut gone) {
                Place::Furnished(idle) => return Ok(self.sit(idle)),
                Place::Empty => self.counted = true,
                Place::Taken => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(Stopped::Deadline);
                    }
                    let time = left.min(LUA_LOOK_TIME);
                    (state, _) = house.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
                }
            }
            if cancelled() {
                return Err(Stopped::Cancelled);
            }
        }
        state.grow(&mut gone)?;
        self.holds = true;
        drop((state, gone));
        house.pool.worker().map_err(Stopped::NotStarted)
    }

    /// The call waits for an answer: another one may compute.
    pub(super) fn pause(&mut self) {
        self.uncount(&mut Arc::clone(&self.house).state());
    }

    /// It has its answer. It does not wait for a place: whoever was let in meanwhile goes on too.
    pub(super) fn go_on(&mut self) {
        if self.holds && !self.counted {
            self.counted = true;
            self.house.state().lanes.entry(self.namespace.clone()).or_default().computing += 1;
        }
    }

    /// The call ended well: its worker waits for the next one.
    pub(super) fn leave(&mut self, worker: Option<Worker>) {
        let calls = self.calls + 1;
        let Some(worker) = worker.filter(|_| calls < MAX_WORKER_CALLS) else { return };
        let house = Arc::clone(&self.house);
        let mut gone = Gone::new();
        let mut state = house.state();
        let lane = state.lanes.entry(self.namespace.clone()).or_default();
        lane.idle.push_back(Idle { worker, calls, since: Instant::now() });
        self.holds = false;
        self.uncount(&mut state);
        if state.lanes.values().map(|lane| lane.idle.len()).sum::<usize>() > MAX_IDLE_HANDLERS {
            state.evict(&mut gone);
        }
    }

    fn uncount(&mut self, state: &mut State) {
        if std::mem::take(&mut self.counted) {
            if let Some(lane) = state.lanes.get_mut(&self.namespace) {
                lane.computing -= 1;
            }
            self.house.changed.notify_all();
        }
    }
}

impl Drop for Seat {
    /// Without a good end: the worker is gone, or about to be killed.
    fn drop(&mut self) {
        let house = Arc::clone(&self.house);
        let mut state = house.state();
        if std::mem::take(&mut self.holds) {
            state.workers -= 1;
        }
        self.uncount(&mut state);
    }
}
