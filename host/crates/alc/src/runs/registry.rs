//! The runs that this process holds.
//!
//! Owns: that one call at a time carries a run on, and which of those that wait keep their workers: the newest.
//! Never: waits, or starts or ends a run.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::live::Live;
use super::session::Session;
use wardroom_base::limits::{COOLING_TIME, MAX_KNOWN_RUNS, MAX_RUNNING_RUNS, MAX_WARM_PROCESSES, TURN_TIME};

pub(super) struct Registry {
    slots: Mutex<HashMap<String, Slot>>,
    /// How long one that waits keeps its workers.
    warm: Duration,
}

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
    /// Its workers are about to end.
    Cooling,
    /// It waits as a journal.
    Cold,
}

/// A run that this call carries on. What is not said before it is dropped is that the run waits as a journal, if it has
/// one.
pub(super) struct Claim<'r> {
    registry: &'r Registry,
    pub(super) id: String,
    cancel: Arc<AtomicBool>,
    /// The slot is not this call's any more, and may be another one's.
    done: bool,
}

/// Why a call takes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    CarryingOn,
    /// Which nothing may be in the way of.
    EndingIt,
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
    pub(super) fn new(warm: Duration) -> Self {
        Self { slots: Mutex::default(), warm }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a run for one call, with its session where that is warm.
    pub(super) fn claim(&self, id: &str, what_for: For) -> Result<(Claim<'_>, Option<Session>), Taken> {
        let deadline = Instant::now() + COOLING_TIME;
        let is_cooling =
            |slots: &HashMap<String, Slot>| slots.get(id).is_some_and(|slot| matches!(slot.holds, Holds::Cooling));
        let mut slots = self.slots();
        while is_cooling(&slots) && Instant::now() < deadline {
            drop(slots);
            thread::sleep(Duration::from_millis(1));
            slots = self.slots();
        }
        // Several answers to one run may be sent at once: they take their turns.
        let deadline = Instant::now() + TURN_TIME;
        while slots.get(id).is_some_and(Slot::is_running) {
            if what_for == For::EndingIt || Instant::now() >= deadline {
                return Err(Taken::Running);
            }
            drop(slots);
            thread::sleep(Duration::from_millis(2));
            slots = self.slots();
        }
        let running = slots.values().filter(|slot| slot.is_running()).count();
        if what_for == For::CarryingOn && running >= MAX_RUNNING_RUNS {
            return Err(Taken::Full);
        }
        let new = || Slot { live: None, cancel: Arc::default(), used: Instant::now(), holds: Holds::Cold };
        let slot = slots.entry(id.to_owned()).or_insert_with(new);
        let session = match std::mem::replace(&mut slot.holds, Holds::Running) {
            Holds::Warm(session) => Some(*session),
            Holds::Running | Holds::Cooling | Holds::Cold => None,
        };
        slot.cancel = Arc::default();
        let cancel = Arc::clone(&slot.cancel);
        Ok((Claim { registry: self, id: id.to_owned(), cancel, done: false }, session))
    }

    /// Has those that waited longest give up their workers: above `most` processes, of which the newest counts as one, and
    /// those that waited long enough.
    pub(super) fn cool(&self, most: usize) {
        let mut cooled = Vec::new();
        {
            let mut slots = self.slots();
            let warm = slots.iter().filter_map(|(id, slot)| match &slot.holds {
                Holds::Warm(session) => Some((slot.used, id.clone(), session.processes())),
                Holds::Running | Holds::Cooling | Holds::Cold => None,
            });
            let mut warm: Vec<(Instant, String, usize)> = warm.collect();
            warm.sort_unstable_by_key(|(used, ..)| Reverse(*used));
            let mut kept = 0;
            for (at, (used, id, processes)) in warm.into_iter().enumerate() {
                // The newest keeps them however many they are, and takes the place of one.
                let processes = if at == 0 { 1 } else { processes };
                if kept + processes <= most && used.elapsed() < self.warm {
                    kept += processes;
                    continue;
                }
                if let Some(slot) = slots.get_mut(&id) {
                    cooled.push((id, std::mem::replace(&mut slot.holds, Holds::Cooling)));
                }
            }
            forget_oldest(&mut slots);
        }
        // Their workers end outside the lock.
        for (id, held) in cooled {
            if let Holds::Warm(session) = &held {
                session.shared.live().trim();
            }
            drop(held);
            if let Some(slot) = self.slots().get_mut(&id).filter(|slot| matches!(slot.holds, Holds::Cooling)) {
                slot.holds = Holds::Cold;
            }
        }
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

    /// Lets the run wait. Meanwhile another process may carry it on: then what waits here is of no use.
    pub(super) fn park(mut self, mut session: Session) {
        if let Err(error) = session.shared.journal.rest() {
            // It waits as a journal.
            tracing::warn!(%error, "a run that waits gives up its workers");
            return;
        }
        let mut slots = self.registry.slots();
        self.done = true;
        if let Some(slot) = slots.get_mut(&self.id) {
            (slot.used, slot.holds) = (Instant::now(), Holds::Warm(Box::new(session)));
        }
        drop(slots);
        self.registry.cool(MAX_WARM_PROCESSES);
    }

    /// The run is over.
    pub(super) fn close(mut self) {
        self.done = true;
        self.registry.slots().remove(&self.id);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that ends its run, and one that begins it again: the second one keeps it.
    #[test]
    fn the_end_of_one_call_is_not_the_end_of_another() {
        let registry = Registry::new(Duration::MAX);
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let mut others = Vec::new();
            for _ in 0..2 {
                others.push(scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        if let Ok((claim, _)) = registry.claim("s", For::EndingIt) {
                            claim.close();
                        }
                    }
                }));
            }
            let mut claimed = 0;
            while claimed < 20_000 {
                let Ok((claim, _)) = registry.claim("s", For::EndingIt) else { continue };
                claimed += 1;
                thread::yield_now();
                // Nobody else has ended it meanwhile.
                let is_ours = registry.slots().get("s").is_some_and(Slot::is_running);
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
