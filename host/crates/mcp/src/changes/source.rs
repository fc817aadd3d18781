//! Waits for changes and for the end of a burst, and polls where folders cannot be watched.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::watch_table::DirtySet;
use wardroom_appdir::{FolderChanges, FolderWatcher};

/// Time without a change after which a burst is over.
const BURST_QUIET_TIME: Duration = Duration::from_millis(40);
/// Longest time for which a burst is gathered before it is scanned.
const MAX_BURST_TIME: Duration = Duration::from_millis(160);
/// How often topics are scanned whose folders cannot be watched.
const CHANGE_POLL_INTERVAL: Duration = Duration::from_secs(2);

pub(super) struct ChangeSource {
    /// When those topics were last scanned.
    last_poll: Instant,
}

impl ChangeSource {
    pub(super) fn new() -> Self {
        Self { last_poll: Instant::now() }
    }

    /// Waits for the next changes. If some folder cannot be watched, waits no longer than until the next poll.
    pub(super) fn wait_for_changes(&mut self, watcher: Option<&FolderWatcher>, needs_polling: bool) -> DirtySet {
        let due = CHANGE_POLL_INTERVAL.saturating_sub(self.last_poll.elapsed());
        let changed = match watcher {
            Some(watcher) => collect_burst(watcher, needs_polling.then_some(due)),
            None => {
                sleep(due);
                FolderChanges::empty()
            }
        };
        let is_poll_due = self.last_poll.elapsed() >= CHANGE_POLL_INTERVAL;
        if is_poll_due {
            self.last_poll = Instant::now();
        }
        DirtySet { changed, includes_unwatched: is_poll_due }
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
