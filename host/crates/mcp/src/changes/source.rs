//! Waiting for changes, for the end of a burst of them, and for the time to look where none are told.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::watch_table::DirtySet;
use wardroom_appdir::{FolderChanges, FolderWatcher};

/// When nothing has happened for that long, a burst is over.
const BURST_QUIET_TIME: Duration = Duration::from_millis(40);
/// A burst that does not end is looked at all the same.
const MAX_BURST_TIME: Duration = Duration::from_millis(160);
/// How often somebody looks where the system does not tell of changes.
const CHANGE_POLL_INTERVAL: Duration = Duration::from_secs(2);

pub(super) struct ChangeSource {
    /// When somebody looked last where no changes are told.
    last_poll: Instant,
}

impl ChangeSource {
    pub(super) fn new() -> Self {
        Self { last_poll: Instant::now() }
    }

    /// Waits for the next changes, or for the time to look where none are told, if there is such a place.
    pub(super) fn wait_for_changes(&mut self, watcher: Option<&FolderWatcher>, is_blind: bool) -> DirtySet {
        let due = CHANGE_POLL_INTERVAL.saturating_sub(self.last_poll.elapsed());
        let changed = match watcher {
            Some(watcher) => collect_burst(watcher, is_blind.then_some(due)),
            None => {
                sleep(due);
                FolderChanges::empty()
            }
        };
        let blindly = self.last_poll.elapsed() >= CHANGE_POLL_INTERVAL;
        if blindly {
            self.last_poll = Instant::now();
        }
        DirtySet { changed, includes_unwatched: blindly }
    }
}

fn collect_burst(watcher: &FolderWatcher, time: Option<Duration>) -> FolderChanges {
    watcher.wait(time);
    let (start, mut changed) = (Instant::now(), watcher.take_changes());
    while !changed.is_empty() && start.elapsed() < MAX_BURST_TIME {
        sleep(BURST_QUIET_TIME);
        let more = watcher.take_changes();
        if more.is_empty() {
            break;
        }
        changed.merge(more);
    }
    changed
}
