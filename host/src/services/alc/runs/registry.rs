//! The runs that this process holds.
//!
//! Owns: that one call at a time carries a run on, and which of those that wait keep their workers: the newest.
//! Never: waits, or starts or ends a run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::live::Live;
use super::session::Session;
use crate::limits::{MAX_KNOWN_RUNS, MAX_RUNNING_RUNS, MAX_WARM_RUNS, WARM_TIME};

#[derive(Default)]
pub(super) struct Registry(Mutex<HashMap<String, Slot>>);

struct Slot {
    live: Option<Arc<Mutex<Live>>>,
    cancel: Arc<AtomicBool>,
    used: Instant,
    holds: Holds,
}

enum Holds {
    /// A call carries it on.
    Running,
    /// It waits, and its workers with it.
    Warm(Box<Session>),
    /// It waits as a journal.
    Cold,
}

/// A run that this call carries on. What is not said before it is dropped is that the run waits as a journal, if it has
/// one.
pub(super) struct Claim<'r> {
    registry: &'r Registry,
    pub(super) id: String,
    cancel: Arc<AtomicBool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Another call carries it on.
    Running,
    /// As many as may are going on.
    Full,
}

/// What a client may know of a run.
pub(super) struct Known {
    pub(super) id: String,
    pub(super) live: Arc<Mutex<Live>>,
    pub(super) is_running: bool,
}

impl Registry {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a run for one call, with its session where that is warm.
    pub(super) fn claim(&self, id: &str) -> Result<(Claim<'_>, Option<Session>), Taken> {
        let mut slots = self.slots();
        if slots.values().filter(|slot| slot.is_running()).count() >= MAX_RUNNING_RUNS {
            return Err(Taken::Full);
        }
        let new = || Slot { live: None, cancel: Arc::default(), used: Instant::now(), holds: Holds::Cold };
        let slot = slots.entry(id.to_owned()).or_insert_with(new);
        let session = match std::mem::replace(&mut slot.holds, Holds::Running) {
            Holds::Running => return Err(Taken::Running),
            Holds::Warm(session) => Some(*session),
            Holds::Cold => None,
        };
        slot.cancel = Arc::default();
        let cancel = Arc::clone(&slot.cancel);
        Ok((Claim { registry: self, id: id.to_owned(), cancel }, session))
    }

    /// Asks the call that carries a run on to stop. Whether there is one.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let slots = self.slots();
        let running = slots.get(id).filter(|slot| slot.is_running());
        running.inspect(|slot| slot.cancel.store(true, Ordering::Relaxed)).is_some()
    }

    pub(super) fn known(&self) -> Vec<Known> {
        let slots = self.slots();
        let known = slots.iter().filter_map(|(id, slot)| {
            Some(Known { id: id.clone(), live: Arc::clone(slot.live.as_ref()?), is_running: slot.is_running() })
        });
        known.collect()
    }
}

impl Slot {
    const fn is_running(&self) -> bool {
        matches!(self.holds, Holds::Running)
    }
}

impl Claim<'_> {
    /// Whether somebody else asked this run to stop.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Lets others see the run's numbers while it goes on.
    pub(super) fn show(&self, live: &Arc<Mutex<Live>>) {
        if let Some(slot) = self.registry.slots().get_mut(&self.id) {
            slot.live = Some(Arc::clone(live));
        }
    }

    /// Lets the run wait. Those that waited longest give up their workers.
    pub(super) fn park(self, session: Session) {
        let mut cooled = Vec::new();
        {
            let mut slots = self.registry.slots();
            if let Some(slot) = slots.get_mut(&self.id) {
                (slot.used, slot.holds) = (Instant::now(), Holds::Warm(Box::new(session)));
            }
            let warm = slots.iter().filter(|(_, slot)| matches!(slot.holds, Holds::Warm(_)));
            let mut warm: Vec<(Instant, String)> = warm.map(|(id, slot)| (slot.used, id.clone())).collect();
            warm.sort_unstable();
            let above = warm.len().saturating_sub(MAX_WARM_RUNS);
            for (number, (used, id)) in warm.into_iter().enumerate() {
                if let Some(slot) = slots.get_mut(&id).filter(|_| number < above || used.elapsed() >= WARM_TIME) {
                    cooled.push(std::mem::replace(&mut slot.holds, Holds::Cold));
                }
            }
            forget_oldest(&mut slots);
        }
        // Their workers end outside the lock.
        drop(cooled);
    }

    /// The run is over.
    pub(super) fn close(self) {
        self.registry.slots().remove(&self.id);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut slots = self.registry.slots();
        if let Some(slot) = slots.get_mut(&self.id).filter(|slot| slot.is_running()) {
            slot.holds = Holds::Cold;
        }
    }
}

/// What is forgotten here is still on disk.
fn forget_oldest(slots: &mut HashMap<String, Slot>) {
    while slots.len() > MAX_KNOWN_RUNS {
        let cold = slots.iter().filter(|(_, slot)| matches!(slot.holds, Holds::Cold));
        let Some(oldest) = cold.min_by_key(|(_, slot)| slot.used).map(|(id, _)| id.clone()) else { return };
        slots.remove(&oldest);
    }
}
