//! A watcher that reports changes by bursts: programs that save a file change it several times in a moment.
//!
//! Owns: when a burst is over.
//! Never: loses a change: what is reported is everything since the last report.

use std::collections::HashSet;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{AppDirError, FileId, Folder, FolderChanges, FolderWatcher};

/// Watches folders, and waits for the end of a burst of changes.
#[derive(Debug)]
pub struct DebouncedWatcher {
    watcher: FolderWatcher,
    quiet_time: Duration,
    max_burst_time: Duration,
}

impl DebouncedWatcher {
    /// Creates a watcher. A burst is over after `quiet_time` without a change; one that does not end is reported after
    /// `max_burst_time`.
    ///
    /// # Errors
    /// When the system's limit of watchers is reached, or it has none.
    pub fn new(quiet_time: Duration, max_burst_time: Duration) -> io::Result<Self> {
        Ok(Self { watcher: FolderWatcher::new()?, quiet_time, max_burst_time })
    }

    /// Watches a folder, which may be watched already.
    ///
    /// # Errors
    /// As [`FolderWatcher::watch`].
    pub fn watch(&self, folder: &Folder) -> Result<FileId, AppDirError> {
        self.watcher.watch(folder)
    }

    /// Removes the watches of all folders except these.
    pub fn retain(&self, ids: &HashSet<FileId>) {
        let _ = self.watcher.retain(ids);
    }

    /// Ends the current [`Self::wait_for_changes`], or else the next one.
    pub fn wake(&self) {
        self.watcher.wake();
    }

    /// Waits for the next changes and for the end of their burst. No changes are returned after the timeout, and after a
    /// call of [`Self::wake`].
    pub fn wait_for_changes(&self, timeout: Option<Duration>) -> FolderChanges {
        self.watcher.wait(timeout);
        let (start, mut changes) = (Instant::now(), self.watcher.take_changes());
        while !changes.is_empty() && start.elapsed() < self.max_burst_time {
            sleep(self.quiet_time);
            let more = self.watcher.take_changes();
            if more.is_empty() {
                break;
            }
            changes.merge(more);
        }
        changes
    }
}
