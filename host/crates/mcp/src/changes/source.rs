//! Waits for changes, and polls where folders cannot be watched.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::watch_table::DirtySet;
use wardroom_appdir::{DebouncedWatcher, FolderChanges};

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
    pub(super) fn wait_for_changes(&mut self, watcher: Option<&DebouncedWatcher>, needs_polling: bool) -> DirtySet {
        let due = CHANGE_POLL_INTERVAL.saturating_sub(self.last_poll.elapsed());
        let changed = match watcher {
            Some(watcher) => watcher.wait_for_changes(needs_polling.then_some(due)),
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
