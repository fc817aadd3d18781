//! The folders of a registry, and their current snapshot.
//!
//! Owns: when they are scanned: at first use, and after a change in them. An unchanged tree costs a call nothing.
//! Never: changes the snapshot of a running call.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use super::entry::RegistryEntry;
use super::index::{INDEX_FILE_NAME, IndexLocation, ParsedIndex};
use super::problems::ProblemList;
use super::scan::{RegistryRoot, RootScan, ScannedDir};
use super::scan_cache::ScanCache;
use super::snapshot::RegistrySnapshot;
use wardroom_appdir::{AppDirError, DebouncedWatcher, Folder};
use wardroom_base::background_thread::BackgroundThread;
use wardroom_config::WatchMode;
use wardroom_service::ServiceError;

/// Whether a name of a tool, or an address, belongs to another service.
pub type ReservedNameCheck = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// A burst of changes is over when nothing has changed for this long.
const BURST_QUIET_TIME: Duration = Duration::from_millis(30);
/// A burst that does not end is scanned after this time.
const MAX_BURST_TIME: Duration = Duration::from_millis(120);
/// How often the folders are scanned where the system does not report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How often a command that follows changes finds out whether it is to end.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Changes that follow each other within this time count as one change.
const CHANGE_MERGE_WINDOW: Duration = Duration::from_secs(1);
/// How soon a file with a write in progress is scanned again when no change is reported.
const PARTIAL_WRITE_RESCAN_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct RegistryWatcher {
    roots: Vec<RegistryRoot>,
    is_reserved: ReservedNameCheck,
    watch_mode: WatchMode,
    current: RwLock<Option<LastScan>>,
    /// The snapshot before the last change, or before several that followed each other at once.
    previous: Mutex<Option<Arc<RegistrySnapshot>>>,
    /// Locked for the duration of a scan.
    scan_state: Mutex<ScanState>,
    watcher: OnceLock<Option<Arc<DebouncedWatcher>>>,
    watch_thread: BackgroundThread,
}

/// What the last scan found.
#[derive(Clone)]
pub(super) struct LastScan {
    pub(super) snapshot: Arc<RegistrySnapshot>,
    /// The folders in which a change can show.
    pub(super) dirs: Arc<[ScannedDir]>,
    /// Whether the next scan may find something else although no change is reported.
    pub(super) is_unsettled: bool,
}

#[derive(Default)]
struct ScanState {
    indices: BTreeMap<(usize, String), Arc<ParsedIndex>>,
    cache: ScanCache,
    /// When the last scan began.
    last_scan_started_at: Option<Instant>,
    /// When to scan again even if no change is reported: a write seems to be in progress, or something could not be
    /// read.
    rescan_after: Option<Duration>,
}

impl RegistryWatcher {
    pub(super) fn new(roots: Vec<RegistryRoot>, is_reserved: ReservedNameCheck, watch_mode: WatchMode) -> Arc<Self> {
        Arc::new(Self {
            roots,
            is_reserved,
            watch_mode,
            current: RwLock::default(),
            previous: Mutex::default(),
            scan_state: Mutex::default(),
            watcher: OnceLock::new(),
            watch_thread: BackgroundThread::default(),
        })
    }

    /// Returns the current snapshot, if there was a scan.
    pub(super) fn current_if_loaded(&self) -> Option<Arc<RegistrySnapshot>> {
        self.read_current(|current| Arc::clone(&current.snapshot))
    }

    fn read_current<T>(&self, read: impl FnOnce(&LastScan) -> T) -> Option<T> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(read)
    }

    /// Whether a snapshot exists.
    pub(super) fn is_loaded(&self) -> bool {
        self.read_current(|_| ()).is_some()
    }

    /// Returns the current snapshot. The first call scans.
    pub(super) fn current(&self) -> Arc<RegistrySnapshot> {
        self.current_if_loaded().unwrap_or_else(|| self.last_scan().snapshot)
    }

    /// Returns what the last scan found, without waiting for one that goes on. The first call scans.
    pub(super) fn last_scan(&self) -> LastScan {
        self.read_current(LastScan::clone).unwrap_or_else(|| {
            let mut state = self.lock_scan_state();
            // Another thread may have scanned meanwhile.
            self.read_current(LastScan::clone).unwrap_or_else(|| self.scan(&mut state))
        })
    }

    /// Whether a tool's name, or an address, belongs to another service.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        (self.is_reserved)(name)
    }

    /// Scans, unless a scan began after `since`.
    pub(super) fn refresh(&self, since: Instant) {
        let mut state = self.lock_scan_state();
        if state.last_scan_started_at.is_none_or(|began| began < since) {
            self.scan(&mut state);
        }
    }

    /// Returns when a part of the snapshot last changed, if that was recently; `digest` selects the part.
    pub(super) fn part_changed_at(
        &self,
        loaded: &RegistrySnapshot,
        digest: impl Fn(&RegistrySnapshot) -> u64,
    ) -> Option<SystemTime> {
        let earlier = self.lock_previous();
        loaded.changed_at.filter(|_| earlier.as_ref().is_none_or(|earlier| digest(earlier) != digest(loaded)))
    }

    fn lock_previous(&self) -> MutexGuard<'_, Option<Arc<RegistrySnapshot>>> {
        self.previous.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_scan_state(&self) -> MutexGuard<'_, ScanState> {
        self.scan_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scan(&self, state: &mut ScanState) -> LastScan {
        let began = Instant::now();
        let mut before = std::mem::take(&mut state.indices);
        let (mut dirs, mut problems) = (Vec::new(), ProblemList::default());
        let found: Vec<RootScan> = self.roots.iter().map(|root| root.scan(&mut dirs, &mut problems)).collect();
        for (number, (root, found)) in self.roots.iter().zip(&found).enumerate() {
            let Some(top) = &found.folder else { continue };
            for way in &found.index_dirs {
                let shown = root.display_path(way, INDEX_FILE_NAME);
                let location =
                    IndexLocation { root: top, root_index: number, relative_path: way, display_name: &shown };
                let kept = before.remove(&(number, way.clone()));
                let index = ParsedIndex::read(&location, kept.as_deref(), &mut state.cache);
                state.indices.insert((number, way.clone()), Arc::new(index));
            }
        }
        for ((number, way), index) in before {
            let (Some(root), Some(found)) = (self.roots.get(number), found.get(number)) else { continue };
            if found.is_unreadable(&way) && index.try_reuse(&mut state.cache) {
                state.indices.insert((number, way), index);
                continue;
            }
            // A switch is off only when its index is known to be gone.
            let Some(switch) = &index.hide_gated_entry else { continue };
            let path = if way.is_empty() { INDEX_FILE_NAME.to_owned() } else { format!("{way}/{INDEX_FILE_NAME}") };
            let stat = root.open().and_then(|folder| folder.stat(&path));
            if !matches!(stat, Err(AppDirError::NotFound(_) | AppDirError::FolderRemoved(_))) {
                let shown = root.display_path(&way, INDEX_FILE_NAME);
                let switched = index.unreadable_with_switch(&shown, switch);
                state.indices.insert((number, way), Arc::new(switched));
            }
        }
        let unknown = self.roots.iter().zip(&found).enumerate().find_map(|(number, (root, found))| {
            let known = state.indices.keys().filter(|(known, _)| *known == number).map(|(_, way)| way.as_str());
            let dir = found.unreadable_dir_without(&known.collect::<Vec<_>>())?;
            Some((number, root.display_path(dir, "")))
        });
        let is_half_written = state.indices.values().any(|index| index.partial_since.is_some());
        let is_unsure = state.cache.has_hit_file_limit || found.iter().any(|found| !found.unreadable_dirs.is_empty());
        state.rescan_after =
            is_half_written.then_some(PARTIAL_WRITE_RESCAN_INTERVAL).or_else(|| is_unsure.then_some(POLL_INTERVAL));
        state.cache.next_generation();
        state.last_scan_started_at = Some(began);
        let mut loaded = RegistrySnapshot::build(
            state.indices.iter().map(|((root, _), index)| (*root, &**index)),
            unknown,
            &*self.is_reserved,
            problems,
        );
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        loaded.changed_at = match current.as_ref().map(|last| &last.snapshot) {
            Some(before) if before.digest == loaded.digest => before.changed_at,
            Some(before) => {
                // A second change in a short time is compared with the snapshot before the first.
                let is_settled = |since: SystemTime| since.elapsed().is_ok_and(|time| time > CHANGE_MERGE_WINDOW);
                if before.changed_at.is_none_or(is_settled) {
                    *self.lock_previous() = Some(Arc::clone(before));
                }
                Some(SystemTime::now())
            }
            None => None,
        };
        let (snapshot, is_unsettled) = (Arc::new(loaded), state.rescan_after.is_some());
        current.insert(LastScan { snapshot, dirs: dirs.into(), is_unsettled }).clone()
    }

    /// Returns the folder and the path of a file beside an entry's index.
    pub(super) fn resolve_source_path(
        &self,
        entry: &RegistryEntry,
        name: &str,
    ) -> Result<(Folder, String), ServiceError> {
        let gone = || ServiceError::NotFound { uri: entry.id.clone() };
        let root = self.roots.get(entry.root_index).ok_or_else(gone)?;
        let path =
            if entry.relative_path.is_empty() { name.to_owned() } else { format!("{}/{name}", entry.relative_path) };
        Ok((root.open().map_err(|_| gone())?, path))
    }

    /// Starts to follow changes in the folders. Called once, on a worker thread.
    pub(super) fn start_watching(self: &Arc<Self>) {
        if self.watch_mode == WatchMode::Off {
            self.current();
            return;
        }
        let (registry, watcher) = (Arc::downgrade(self), self.start_watcher());
        if let Err(error) = self.watch_thread.start("registry", move || watch_loop(&registry, watcher.as_deref())) {
            tracing::error!(%error, "no thread watches for changes: changes of the registry are not noticed");
        }
    }

    /// Returns the watcher; `None` where the system does not report changes, or is not asked to.
    fn start_watcher(&self) -> Option<Arc<DebouncedWatcher>> {
        let start = || {
            let started = DebouncedWatcher::new(BURST_QUIET_TIME, MAX_BURST_TIME);
            let polled =
                |error: &_| tracing::warn!(%error, "the system does not report changes: the registry is polled");
            started.inspect_err(polled).ok().map(Arc::new)
        };
        let is_wanted = self.watch_mode == WatchMode::Events;
        self.watcher.get_or_init(|| is_wanted.then(start).flatten()).clone()
    }

    /// Follows changes on the calling thread: calls `on_change` at once, and after each scan whose snapshot differs in
    /// what a check reads. Ends when `is_over` says so, which is asked several times a second.
    ///
    /// # Errors
    /// The first error of `on_change`.
    pub(super) fn follow<E>(
        &self,
        is_over: impl Fn() -> bool,
        mut on_change: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let (watcher, mut checked) = (self.start_watcher(), None);
        loop {
            let rescan_at = self.scan_and_watch().map(|time| Instant::now() + time);
            let digest = self.current().check_digest();
            if checked.replace(digest) != Some(digest) {
                on_change()?;
            }
            loop {
                if is_over() {
                    return Ok(());
                }
                let left = rescan_at.map(|at| at.saturating_duration_since(Instant::now()));
                let time = left.unwrap_or(END_CHECK_INTERVAL).min(END_CHECK_INTERVAL);
                let has_changes = match &watcher {
                    Some(watcher) => !watcher.wait_for_changes(Some(time)).is_empty(),
                    None => {
                        sleep(time);
                        false
                    }
                };
                if has_changes || left.is_some_and(|left| left.is_zero()) {
                    break;
                }
            }
        }
    }

    /// Scans, and watches the scanned folders. A folder that was created meanwhile is scanned once more. Returns when
    /// to scan again without a reported change.
    fn scan_and_watch(&self) -> Option<Duration> {
        let is_blind = self.scan_until_watched();
        self.lock_scan_state().rescan_after.or_else(|| is_blind.then_some(POLL_INTERVAL))
    }

    fn scan_until_watched(&self) -> bool {
        const MAX_ATTEMPTS: usize = 3;
        let (mut known, mut is_blind) = (HashSet::new(), true);
        for _ in 0..MAX_ATTEMPTS {
            self.refresh(Instant::now());
            let Some(Some(watcher)) = self.watcher.get() else { return true };
            let watched: Vec<_> = self.last_scan().dirs.iter().map(|dir| watcher.watch(&dir.open()?)).collect();
            is_blind = watched.iter().any(Result::is_err);
            let now: HashSet<_> = watched.into_iter().flatten().collect();
            watcher.retain(&now);
            if now.is_subset(&known) {
                break;
            }
            known = now;
        }
        is_blind
    }
}

impl Drop for RegistryWatcher {
    fn drop(&mut self) {
        if let Some(Some(watcher)) = self.watcher.get() {
            watcher.wake();
        }
    }
}

/// Follows changes on a thread of its own, until the watcher is dropped.
fn watch_loop(registry: &Weak<RegistryWatcher>, watcher: Option<&DebouncedWatcher>) {
    loop {
        // Held only during a scan: dropping the last reference wakes this thread.
        let Some(strong) = registry.upgrade() else { return };
        let start = Instant::now();
        let scanned = catch_unwind(AssertUnwindSafe(|| strong.scan_and_watch()));
        drop(strong);
        let rescan_after = scanned.unwrap_or_else(|_| {
            tracing::error!("the scan of the registry panicked");
            Some(POLL_INTERVAL)
        });
        // However large the tree is, scanning takes half of one processor at most.
        sleep(start.elapsed());
        match watcher {
            None => sleep(POLL_INTERVAL),
            Some(watcher) => loop {
                let changes = watcher.wait_for_changes(rescan_after);
                if registry.strong_count() == 0 {
                    return;
                }
                if !changes.is_empty() || rescan_after.is_some() {
                    break;
                }
            },
        }
    }
}
