//! The runs of this process.
//!
//! Owns: that one call at a time executes a run, and which paused runs keep their workers: the newest.
//! Never: starts or ends a run. A claim waits at most `RUN_CLAIM_TIMEOUT` for another call, `RUN_SLOT_TIMEOUT`
//! for a free slot, and `RUN_EVICTION_TIMEOUT` for an eviction.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::thread;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::context::IdleRuns;
use super::live_status::LiveStatus;
use super::run::Run;
use crate::limits::{
    MAX_ACTIVE_RUNS, MAX_ACTIVE_RUNS_PER_OWNER, MAX_TRACKED_RUNS, MAX_WARM_RUN_PROCESSES, RUN_CLAIM_TIMEOUT,
    RUN_EVICTION_TIMEOUT, RUN_SLOT_POLL_INTERVAL, RUN_SLOT_TIMEOUT, RUN_STEP_TIMEOUT,
};
use crate::session_owner::owner_tag;
use wardroom_service::{Owner, RequestInfo};

/// How often a claim looks whether an eviction, or another call, has ended.
const EVICTION_POLL_INTERVAL: Duration = Duration::from_millis(1);
const CLAIM_POLL_INTERVAL: Duration = Duration::from_millis(2);

pub(super) struct RunTable {
    slots: Mutex<HashMap<String, RunSlot>>,
    /// How long a paused run keeps its workers.
    warm_time: Duration,
    parking: Arc<ParkSignal>,
}

/// Tells the evictor that a run was parked whose branches compute.
#[derive(Default)]
pub(super) struct ParkSignal {
    is_given: Mutex<bool>,
    given: Condvar,
}

impl ParkSignal {
    fn give(&self) {
        *self.is_given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.given.notify_all();
    }

    /// Waits for the signal, for at most this time, and takes it.
    pub(super) fn wait(&self, time: Duration) {
        let is_given = self.is_given.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.given.wait_timeout_while(is_given, time, |is_given| !*is_given);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

struct RunSlot {
    status: Option<Arc<Mutex<LiveStatus>>>,
    /// The length of the journal when this process last wrote to it.
    parked_len: Option<u64>,
    cancel_flag: Arc<AtomicBool>,
    last_used: Instant,
    state: RunSlotState,
}

enum RunSlotState {
    /// A call executes the run.
    Running,
    /// The run is paused, with its workers.
    Warm(Box<Run>),
    /// The workers are about to end.
    Evicting,
    /// The run is paused without workers, as a journal.
    Cold,
}

/// A call's exclusive hold of a run. Dropped without `park` or `close`, it leaves the run paused as a journal, if the
/// run has one.
pub(super) struct RunClaim<'r> {
    table: &'r RunTable,
    pub(super) id: String,
    cancel_flag: Arc<AtomicBool>,
    /// The slot no longer belongs to this call, and may belong to another one.
    is_released: bool,
}

/// Why a call claims a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimPurpose {
    Execute,
    /// Must succeed even at capacity.
    Cancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimError {
    /// Another call executes the run.
    InUse,
    /// The limit of executing runs is reached.
    AtCapacity,
}

/// A run as clients see it.
pub(super) struct TrackedRun {
    pub(super) id: String,
    pub(super) status: Arc<Mutex<LiveStatus>>,
    pub(super) is_running: bool,
    /// The length of the journal with which `status` agrees.
    parked_len: Option<u64>,
}

impl TrackedRun {
    /// Whether no other process has gone on with the run, whose journal has this length now.
    pub(super) fn is_current(&self, paused_len: Option<u64>) -> bool {
        self.is_running || self.parked_len.is_none() || self.parked_len == paused_len
    }
}

impl RunTable {
    pub(super) fn new(warm: Duration) -> Self {
        Self { slots: Mutex::default(), warm_time: warm, parking: Arc::default() }
    }

    fn lock_slots(&self) -> MutexGuard<'_, HashMap<String, RunSlot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a run for one call, and returns it where it is warm. Where too many runs execute, waits for one to end, for
    /// at most `RUN_SLOT_TIMEOUT`.
    pub(super) fn claim(
        &self,
        id: &str,
        purpose: ClaimPurpose,
        info: &RequestInfo,
    ) -> Result<(RunClaim<'_>, Option<Run>), ClaimError> {
        // What a wait ends with may be another reason to wait: all of them are asked again.
        let (mut evicted_by, mut ended_by, mut free_by) = (None, None, None);
        let mut slots = self.lock_slots();
        loop {
            let state = slots.get(id).map(|slot| &slot.state);
            let pause = match state {
                Some(RunSlotState::Evicting) if !is_past(&mut evicted_by, RUN_EVICTION_TIMEOUT) => {
                    EVICTION_POLL_INTERVAL
                }
                // A client may send several replies to one run at once: the calls wait for each other.
                Some(RunSlotState::Running) => {
                    if purpose == ClaimPurpose::Cancel || is_past(&mut ended_by, RUN_CLAIM_TIMEOUT) {
                        return Err(ClaimError::InUse);
                    }
                    CLAIM_POLL_INTERVAL
                }
                _ if purpose == ClaimPurpose::Execute && is_full(&slots, &info.caller.owner) => {
                    if is_past(&mut free_by, RUN_SLOT_TIMEOUT) || info.cancellation.is_cancelled() {
                        return Err(ClaimError::AtCapacity);
                    }
                    RUN_SLOT_POLL_INTERVAL
                }
                _ => break,
            };
            drop(slots);
            thread::sleep(pause);
            slots = self.lock_slots();
        }
        let new = || RunSlot {
            status: None,
            parked_len: None,
            cancel_flag: Arc::default(),
            last_used: Instant::now(),
            state: RunSlotState::Cold,
        };
        let slot = slots.entry(id.to_owned()).or_insert_with(new);
        let run = match std::mem::replace(&mut slot.state, RunSlotState::Running) {
            RunSlotState::Warm(run) => Some(*run),
            RunSlotState::Running | RunSlotState::Evicting | RunSlotState::Cold => None,
        };
        slot.cancel_flag = Arc::default();
        let cancel = Arc::clone(&slot.cancel_flag);
        Ok((RunClaim { table: self, id: id.to_owned(), cancel_flag: cancel, is_released: false }, run))
    }

    /// Ends the workers of paused runs: of the runs that exceed `max_processes`, the oldest first, and of those that
    /// were idle for `warm_time`. The newest run counts as one process.
    pub(super) fn evict_idle(&self, max_processes: usize, is_meant: impl Fn(&str) -> bool) {
        let mut evicted = Vec::new();
        {
            let mut slots = self.lock_slots();
            let warm = slots.iter().filter(|(id, _)| is_meant(id)).filter_map(|(id, slot)| match &slot.state {
                RunSlotState::Warm(run) => Some((slot.last_used, id.clone(), run.process_count())),
                RunSlotState::Running | RunSlotState::Evicting | RunSlotState::Cold => None,
            });
            let mut warm: Vec<(Instant, String, usize)> = warm.collect();
            warm.sort_unstable_by_key(|(used, ..)| Reverse(*used));
            let mut kept = 0;
            for (at, (used, id, processes)) in warm.into_iter().enumerate() {
                // The newest run keeps its workers, however many, and counts as one.
                let processes = if at == 0 { 1 } else { processes };
                if kept + processes <= max_processes && used.elapsed() < self.warm_time {
                    kept += processes;
                    continue;
                }
                if let Some(slot) = slots.get_mut(&id) {
                    evicted.push((id, std::mem::replace(&mut slot.state, RunSlotState::Evicting)));
                }
            }
            remove_oldest_cold(&mut slots);
        }
        self.end_workers(evicted);
    }

    /// Ends the workers of paused runs whose branches compute, if they exceed a limit. Returns whether others compute.
    pub(super) fn evict_excessive(&self) -> bool {
        let (mut evicted, mut others_compute) = (Vec::new(), false);
        for (id, slot) in self.lock_slots().iter_mut() {
            let RunSlotState::Warm(run) = &mut slot.state else { continue };
            if !run.is_computing() {
                continue;
            }
            if slot.last_used.elapsed() >= RUN_STEP_TIMEOUT || run.exceeds_limits() {
                evicted.push((id.clone(), std::mem::replace(&mut slot.state, RunSlotState::Evicting)));
            } else {
                others_compute = true;
            }
        }
        self.end_workers(evicted);
        others_compute
    }

    /// Ends the workers of runs that are being evicted, outside the lock.
    fn end_workers(&self, evicted: Vec<(String, RunSlotState)>) {
        for (id, mut state) in evicted {
            let mut parked_len = None;
            if let RunSlotState::Warm(run) = &mut state {
                run.shared.lock_status().trim();
                // A run that another process resumes at this moment counts there.
                if let Err(error) = run.record_spent_time() {
                    tracing::debug!(%error, id, "cannot journal the processor time of a paused run");
                }
                parked_len = run.shared.journal.len_on_disk();
            }
            drop(state);
            if let Some(slot) =
                self.lock_slots().get_mut(&id).filter(|slot| matches!(slot.state, RunSlotState::Evicting))
            {
                slot.state = RunSlotState::Cold;
                slot.parked_len = parked_len;
            }
        }
    }

    pub(super) const fn park_signal(&self) -> &Arc<ParkSignal> {
        &self.parking
    }

    /// Requests that the call that executes the run stops. Returns whether there is one.
    pub(super) fn request_cancel(&self, id: &str) -> bool {
        let slots = self.lock_slots();
        let running = slots.get(id).filter(|slot| slot.is_running());
        running.inspect(|slot| slot.cancel_flag.store(true, Ordering::Relaxed)).is_some()
    }

    pub(super) fn tracked_runs(&self) -> Vec<TrackedRun> {
        let slots = self.lock_slots();
        let known = slots.iter().filter_map(|(id, slot)| {
            Some(TrackedRun {
                id: id.clone(),
                status: Arc::clone(slot.status.as_ref()?),
                is_running: slot.is_running(),
                parked_len: slot.parked_len,
            })
        });
        known.collect()
    }
}

impl RunSlot {
    const fn is_running(&self) -> bool {
        matches!(self.state, RunSlotState::Running)
    }
}

impl RunClaim<'_> {
    /// Whether another call cancelled this run.
    pub(super) fn cancel_flag(&self) -> &AtomicBool {
        &self.cancel_flag
    }

    /// Returns the flag for use after this claim.
    pub(super) fn share_cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel_flag)
    }

    /// Publishes the run's status for other calls.
    pub(super) fn publish_status(&self, live: &Arc<Mutex<LiveStatus>>) {
        if let Some(slot) = self.table.lock_slots().get_mut(&self.id) {
            slot.status = Some(Arc::clone(live));
        }
    }

    /// Parks the run as paused. If another process resumes it meanwhile, the workers here are useless.
    pub(super) fn park(self, run: Run) {
        self.park_as_of(Some(Instant::now()), run);
    }

    /// Parks a run that the call has not advanced: it stays as old as it was.
    pub(super) fn park_unused(self, run: Run) {
        self.park_as_of(None, run);
    }

    fn park_as_of(mut self, used: Option<Instant>, mut run: Run) {
        let is_computing = run.is_computing();
        if let Err(error) = run.shared.journal.unlock() {
            // The run stays paused as a journal.
            tracing::warn!(%error, "cannot unlock the journal of a waiting run, so its workers end");
            return;
        }
        let mut slots = self.table.lock_slots();
        self.is_released = true;
        if let Some(slot) = slots.get_mut(&self.id) {
            slot.last_used = used.unwrap_or(slot.last_used);
            slot.parked_len = run.shared.journal.len_on_disk();
            slot.state = RunSlotState::Warm(Box::new(run));
        }
        drop(slots);
        if is_computing {
            self.table.parking.give();
        }
        self.table.evict_idle(MAX_WARM_RUN_PROCESSES, |_| true);
    }

    /// Removes the finished run.
    pub(super) fn close(mut self) {
        self.is_released = true;
        self.table.lock_slots().remove(&self.id);
    }
}

impl Drop for RunClaim<'_> {
    fn drop(&mut self) {
        if self.is_released {
            return;
        }
        let mut slots = self.table.lock_slots();
        if let Some(slot) = slots.get_mut(&self.id).filter(|slot| slot.is_running()) {
            slot.state = RunSlotState::Cold;
        }
    }
}

/// Whether a wait has lasted for `timeout`. The first question begins it.
fn is_past(deadline: &mut Option<Instant>, timeout: Duration) -> bool {
    let now = Instant::now();
    now >= *deadline.get_or_insert(now + timeout)
}

/// Whether no further run may execute: the server has all it may have, or a caller over HTTP its part of them.
fn is_full(slots: &HashMap<String, RunSlot>, owner: &Owner) -> bool {
    let running = || slots.iter().filter(|(_, slot)| slot.is_running());
    let tag = owner.tag();
    let own = || running().filter(|(id, _)| owner_tag(id) == tag.as_deref()).count();
    running().count() >= MAX_ACTIVE_RUNS || *owner != Owner::Operator && own() >= MAX_ACTIVE_RUNS_PER_OWNER
}

/// Removes the runs that were not used for the longest time; their journals stay on disk.
fn remove_oldest_cold(slots: &mut HashMap<String, RunSlot>) {
    while slots.len() > MAX_TRACKED_RUNS {
        let cold = slots.iter().filter(|(_, slot)| matches!(slot.state, RunSlotState::Cold));
        let Some(oldest) = cold.min_by_key(|(_, slot)| slot.last_used).map(|(id, _)| id.clone()) else { return };
        slots.remove(&oldest);
    }
}

impl IdleRuns for RunTable {
    fn evict_idle(&self) {
        Self::evict_idle(self, 0, |_| true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info_of(owner: Owner) -> RequestInfo {
        let caller = wardroom_service::Caller { owner, ..wardroom_service::Caller::default() };
        let catalogue = Arc::new(wardroom_service::Catalogue::new(Vec::new()));
        RequestInfo { caller: Arc::new(caller), ..RequestInfo::new(&catalogue) }
    }

    /// The call of a client that has given up: it does not wait for a slot.
    fn given_up(owner: Owner) -> RequestInfo {
        let info = info_of(owner);
        info.cancellation.cancel();
        info
    }

    fn session(number: usize, owner: &Owner) -> String {
        crate::session_owner::new_session_id(1, &format!("{number:032x}"), owner)
    }

    #[test]
    fn slots_of_one_owner_leave_some_to_others() {
        let table = RunTable::new(Duration::MAX);
        let owner = |name: &str| Owner::Named(name.to_owned());
        let claim = |number, owner: &Owner| {
            table
                .claim(&session(number, owner), ClaimPurpose::Execute, &given_up(owner.clone()))
                .map(|(claim, _)| claim)
        };
        let mut held: Vec<_> =
            (0..MAX_ACTIVE_RUNS_PER_OWNER).map(|number| claim(number, &owner("alice")).unwrap()).collect();
        let is_full = |refused: Result<RunClaim<'_>, ClaimError>| matches!(refused, Err(ClaimError::AtCapacity));
        assert!(is_full(claim(100, &owner("alice"))));
        let rest = MAX_ACTIVE_RUNS - MAX_ACTIVE_RUNS_PER_OWNER;
        held.extend((0..rest).map(|number| claim(number, &owner("bob")).unwrap()));
        assert!(is_full(claim(100, &owner("bob"))) && is_full(claim(100, &Owner::Operator)));
        // A run can be cancelled all the same.
        let cancelled = table.claim("s", ClaimPurpose::Cancel, &given_up(Owner::Operator));
        cancelled.unwrap().0.close();
        held.remove(0).close();
        drop(claim(101, &Owner::Operator).unwrap());
    }

    #[test]
    fn claim_waits_for_a_slot_that_becomes_free() {
        let table = RunTable::new(Duration::MAX);
        let owner = Owner::Operator;
        let claim = |number| {
            table
                .claim(&session(number, &owner), ClaimPurpose::Execute, &info_of(owner.clone()))
                .map(|(claim, _)| claim)
        };
        let mut held: Vec<_> = (0..MAX_ACTIVE_RUNS).map(|number| claim(number).unwrap()).collect();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| claim(100).map(drop));
            // A claim that does not wait has failed by then.
            thread::sleep(10 * RUN_SLOT_POLL_INTERVAL);
            assert!(!waiting.is_finished());
            held.remove(0).close();
            assert!(waiting.join().unwrap().is_ok());
        });
    }

    /// When one call closes its run and another one claims it again, the second one keeps its slot.
    #[test]
    fn closed_claim_keeps_slot_of_next_claim() {
        let table = RunTable::new(Duration::MAX);
        let over = AtomicBool::new(false);
        let info = RequestInfo::new(&Arc::new(wardroom_service::Catalogue::new(Vec::new())));
        thread::scope(|scope| {
            let mut others = Vec::new();
            for _ in 0..2 {
                others.push(scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        if let Ok((claim, _)) = table.claim("s", ClaimPurpose::Cancel, &info) {
                            claim.close();
                        }
                    }
                }));
            }
            let mut claimed = 0;
            while claimed < 20_000 {
                let Ok((claim, _)) = table.claim("s", ClaimPurpose::Cancel, &info) else { continue };
                claimed += 1;
                thread::yield_now();
                // No other call has closed the slot meanwhile.
                let is_ours = table.lock_slots().get("s").is_some_and(RunSlot::is_running);
                drop(claim);
                if !is_ours {
                    over.store(true, Ordering::Relaxed);
                    panic!("the slot of a call that goes on was given up by another one, after {claimed}");
                }
            }
            over.store(true, Ordering::Relaxed);
        });
    }
}
