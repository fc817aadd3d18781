//! Waiting for changes, for the end of a burst of them, and for the time to look where none are told.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::table::Places;
use wardroom_appdir::{Changed, Watcher};

/// When nothing has happened for that long, a burst is over.
const QUIET: Duration = Duration::from_millis(40);
/// A burst that does not end is looked at all the same.
const LONGEST: Duration = Duration::from_millis(160);
/// How often somebody looks where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

pub(super) struct Source {
    /// When somebody looked last where no changes are told.
    polled: Instant,
}

impl Source {
    pub(super) fn new() -> Self {
        Self { polled: Instant::now() }
    }

    /// Waits for the next changes, or for the time to look where none are told, if there is such a place.
    pub(super) fn next(&mut self, watcher: Option<&Watcher>, is_blind: bool) -> Places {
        let due = POLL.saturating_sub(self.polled.elapsed());
        let changed = match watcher {
            Some(watcher) => burst(watcher, is_blind.then_some(due)),
            None => {
                sleep(due);
                Changed::nothing()
            }
        };
        let blindly = self.polled.elapsed() >= POLL;
        if blindly {
            self.polled = Instant::now();
        }
        Places { changed, blindly }
    }
}

fn burst(watcher: &Watcher, time: Option<Duration>) -> Changed {
    watcher.wait(time);
    let (start, mut changed) = (Instant::now(), watcher.changes());
    while !changed.is_nothing() && start.elapsed() < LONGEST {
        sleep(QUIET);
        let more = watcher.changes();
        if more.is_nothing() {
            break;
        }
        changed.add(more);
    }
    changed
}
