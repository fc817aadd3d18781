//! Waiting for changes, and for the end of a burst of them.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::appdir::{Changed, Watcher};

/// When nothing has happened for that long, a burst is over.
const QUIET: Duration = Duration::from_millis(40);
/// A burst that does not end is looked at all the same.
const LONGEST: Duration = Duration::from_millis(160);
/// How often somebody looks where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

/// Waits for the next changes. Where not all of them are told, that is every change there may have been, from time to
/// time.
pub(super) fn next(watcher: Option<&Watcher>, is_blind: bool) -> Changed {
    let Some(watcher) = watcher else {
        sleep(POLL);
        return Changed::Anywhere;
    };
    if !watcher.wait(is_blind.then_some(POLL)) {
        return Changed::Anywhere;
    }
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
