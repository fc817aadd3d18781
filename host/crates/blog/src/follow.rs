//! Follows the files of a blog while a server runs.
//!
//! Owns: the thread that compares all files at the start, watches the folders, and compares those that change.
//! Never: keeps a server from ending, or waits for another process: the first process updates the index, and the others
//! find nothing left to do.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::content::layout::DRAFTS_DIR;
use crate::index::{BlogIndex, IndexError, UpdateScope, UpdateSummary};
use crate::limits::{BLOG_POLL_INTERVAL, BLOG_QUIET_TIME, BLOG_RESCAN_INTERVAL, MAX_BLOG_BURST_TIME};
use crate::{BlogWatch, PROPOSALS_DIR, service_error};
use wardroom_appdir::{DebouncedWatcher, FileId, Folder, FolderChanges};
use wardroom_base::background_thread::BackgroundThread;

pub(crate) struct Follower {
    watch: BlogWatch,
    thread: BackgroundThread,
}

/// How long after a change a file may change again without a trace.
const SETTLE_TIME: Duration = Duration::from_millis(2_100);
/// How long a second look at a file is put off beyond that while the index is in use.
const MAX_SETTLE_DELAY: Duration = Duration::from_secs(30);
/// How long to wait for another process that updates the index.
const BUSY_PAUSE: Duration = Duration::from_millis(500);
/// How many times as long as a comparison took is the pause before the next one.
const POLL_PAUSES: u32 = 20;
/// How long to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(30);

impl Follower {
    pub(crate) fn new(watch: BlogWatch) -> Self {
        Self { watch, thread: BackgroundThread::default() }
    }

    /// Starts the thread, unless it runs. It ends with the index.
    pub(crate) fn start(&self, index: &Arc<BlogIndex>) {
        let following =
            Following { index: Arc::downgrade(index), watch: self.watch, watcher: None, folders: BTreeMap::new() };
        if let Err(error) = self.thread.start("blog-follower", || following.run()) {
            tracing::error!(%error, "the blog is not followed until a thread can be started");
        }
    }
}

struct Following {
    index: Weak<BlogIndex>,
    watch: BlogWatch,
    /// `None` where the system has no watches: then all folders are compared now and then.
    watcher: Option<DebouncedWatcher>,
    folders: BTreeMap<FileId, String>,
}

impl Following {
    fn run(mut self) {
        if self.watch == BlogWatch::Notices {
            self.watcher = DebouncedWatcher::new(BLOG_QUIET_TIME, MAX_BLOG_BURST_TIME)
                .inspect_err(|error| tracing::warn!(%error, "changes of the blog are found by comparison alone"))
                .ok();
        }
        self.check_index();
        let mut scope = Some(UpdateScope::Everything);
        // Folders with files that are read once more, each with the time after which none of them changes without a trace.
        let mut unsettled: BTreeMap<String, Instant> = BTreeMap::new();
        let mut compared_at = Instant::now();
        let mut interval = BLOG_RESCAN_INTERVAL;
        loop {
            let Some(index) = self.index.upgrade() else { return };
            let started = Instant::now();
            let pause = match scope.take() {
                None => None,
                Some(wanted) => match self.update(&index, &wanted) {
                    Ok(found) => {
                        index.set_failure(None);
                        if wanted == UpdateScope::Everything {
                            if self.watch == BlogWatch::Polling && found.failures.is_empty() {
                                // A large blog is compared less often. A failed comparison says nothing of the size.
                                interval = BLOG_POLL_INTERVAL.max(POLL_PAUSES * started.elapsed());
                            }
                            compared_at = Instant::now();
                        }
                        let settled_at = Instant::now() + SETTLE_TIME;
                        for folder in found.unsettled {
                            unsettled.entry(folder).or_insert(settled_at);
                        }
                        None
                    }
                    // Only another process can make an index then, which readers see by themselves.
                    Err(IndexError::Missing) if index.is_read_only() => return,
                    Err(error) => {
                        let pause = if matches!(error, IndexError::Busy) { BUSY_PAUSE } else { FAILURE_PAUSE };
                        if !matches!(error, IndexError::Busy) {
                            tracing::error!(%error, "the index of the blog cannot be brought up to date");
                            index.set_failure(Some(service_error(error).to_string()));
                        }
                        scope = Some(wanted);
                        Some(pause)
                    }
                },
            };
            drop(index);
            let timeout = pause.unwrap_or(if unsettled.is_empty() { interval } else { interval.min(SETTLE_TIME) });
            let changes = self.wait(timeout);
            scope = merge(scope, self.scope_of(changes));
            // A second look would take the lock of the index, for which the next accepted change waits.
            let is_in_use = !unsettled.is_empty() && self.is_in_use();
            let now = Instant::now();
            let is_due =
                |settled_at: Instant| now >= settled_at + if is_in_use { MAX_SETTLE_DELAY } else { Duration::ZERO };
            let settled: BTreeSet<String> =
                unsettled.extract_if(.., |_, settled_at| is_due(*settled_at)).map(|(folder, _)| folder).collect();
            if !settled.is_empty() {
                scope = merge(scope, Some(UpdateScope::Folders(settled)));
            }
            // Also where some folder changes all the time.
            if compared_at.elapsed() >= interval {
                scope = Some(UpdateScope::Everything);
            }
        }
    }

    fn is_in_use(&self) -> bool {
        self.index.upgrade().is_some_and(|index| index.is_in_use())
    }

    /// Reads the whole index once, off every request's way: damage to what no request has read yet is found here.
    fn check_index(&self) {
        let Some(index) = self.index.upgrade() else { return };
        if let Err(error) = index.remove_if_damaged() {
            tracing::error!(%error, "the index of the blog cannot be checked");
        }
    }

    fn wait(&self, timeout: Duration) -> FolderChanges {
        match &self.watcher {
            Some(watcher) => watcher.wait_for_changes(Some(timeout)),
            None => {
                thread::sleep(timeout.min(BLOG_RESCAN_INTERVAL));
                FolderChanges::empty()
            }
        }
    }

    /// Updates the index, and watches the folders that it looks at.
    fn update(&mut self, index: &BlogIndex, scope: &UpdateScope) -> Result<UpdateSummary, IndexError> {
        let (watcher, folders) = (&self.watcher, &mut self.folders);
        let mut watch = |path: &str, folder: &Folder| {
            let Some(watcher) = watcher else { return };
            match watcher.watch(folder) {
                Ok(id) => drop(folders.insert(id, path.to_owned())),
                Err(error) => tracing::debug!(%error, path, "a folder of the blog cannot be watched"),
            }
        };
        if *scope == UpdateScope::Everything {
            // Where folders with posts may come to be.
            let blog = &index.source().folder;
            watch("", blog);
            for name in ["meta", PROPOSALS_DIR] {
                if let Ok(folder) = blog.open_folder(name) {
                    watch(name, &folder);
                }
            }
        }
        let mut seen = HashSet::new();
        let updated = index.update(scope, &mut |path, folder| {
            seen.insert(path.to_owned());
            watch(path, folder);
        });
        let summary = updated?;
        if *scope == UpdateScope::Everything {
            self.folders.retain(|_, path| seen.contains(path) || ["", "meta", PROPOSALS_DIR].contains(&path.as_str()));
            let kept: HashSet<FileId> = self.folders.keys().copied().collect();
            self.watcher.iter().for_each(|watcher| watcher.retain(&kept));
        }
        for (path, reason) in &summary.failures {
            tracing::warn!(path, reason, "a file or folder of the blog is left out");
        }
        Ok(summary)
    }

    /// Returns what to compare after changes.
    fn scope_of(&self, changes: FolderChanges) -> Option<UpdateScope> {
        let changed = match changes {
            FolderChanges::Overflow => return Some(UpdateScope::Everything),
            FolderChanges::Folders(changed) if changed.is_empty() => return None,
            FolderChanges::Folders(changed) => changed,
        };
        let mut paths: BTreeSet<String> = changed.iter().filter_map(|id| self.folders.get(id).cloned()).collect();
        // Settings concern every post, and new folders are found from above.
        if paths.contains("") || paths.contains("meta") {
            return Some(UpdateScope::Everything);
        }
        if paths.remove(PROPOSALS_DIR) {
            paths.insert(DRAFTS_DIR.to_owned());
        }
        (!paths.is_empty()).then_some(UpdateScope::Folders(paths))
    }
}

fn merge(a: Option<UpdateScope>, b: Option<UpdateScope>) -> Option<UpdateScope> {
    match (a, b) {
        (Some(UpdateScope::Folders(mut paths)), Some(UpdateScope::Folders(more))) => {
            paths.extend(more);
            Some(UpdateScope::Folders(paths))
        }
        (Some(scope), None) | (None, Some(scope)) => Some(scope),
        (None, None) => None,
        (Some(_), Some(_)) => Some(UpdateScope::Everything),
    }
}
