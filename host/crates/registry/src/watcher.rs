//! The folders of a registry, and what they hold now.
//!
//! Owns: when they are looked at: at first use, and after something changed in them. An unchanged tree costs a call nothing.
//! Never: changes what a call began with.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, RwLock, Weak};
use std::thread::{self, sleep};
use std::time::{Duration, Instant, SystemTime};

use super::entry::RegistryEntry;
use super::index::{INDEX_FILE_NAME, IndexLocation, ParsedIndex};
use super::problems::ProblemList;
use super::scan::{RegistryRoot, RootScan, ScannedDir};
use super::scan_cache::ScanCache;
use super::snapshot::RegistrySnapshot;
use wardroom_appdir::{AppDirError, Folder, FolderWatcher};
use wardroom_config::WatchMode;
use wardroom_service::ServiceError;

/// Which names of tools, and which addresses, are others'.
pub type ReservedNameCheck = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// When nothing has happened for that long, a burst is over.
const BURST_QUIET_TIME: Duration = Duration::from_millis(30);
/// A burst that does not end is looked at all the same.
const MAX_BURST_TIME: Duration = Duration::from_millis(120);
/// How often somebody looks where the system does not tell of changes.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Changes that follow each other within this are one for whoever asks since when.
const CHANGE_MERGE_WINDOW: Duration = Duration::from_secs(1);
/// How long one that is being written may take without telling.
const PARTIAL_WRITE_RESCAN_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct RegistryWatcher {
    roots: Vec<RegistryRoot>,
    is_reserved: ReservedNameCheck,
    watch_mode: WatchMode,
    current: RwLock<Option<Arc<RegistrySnapshot>>>,
    /// What there was before the last change, or before several that followed each other at once.
    previous: Mutex<Option<Arc<RegistrySnapshot>>>,
    /// Locked for as long as somebody looks.
    scan_state: Mutex<ScanState>,
    watcher: OnceLock<Option<Arc<FolderWatcher>>>,
    watch_thread_once: Once,
}

#[derive(Default)]
struct ScanState {
    indices: BTreeMap<(usize, String), Arc<ParsedIndex>>,
    cache: ScanCache,
    /// Every folder in which a change can show.
    scanned_dirs: Arc<[ScannedDir]>,
    /// When the last look began.
    last_scan_started_at: Option<Instant>,
    /// When to look again, where nothing may tell of a change: something seems to be written just now, or could not be read.
    rescan_after: Option<Duration>,
}

impl RegistryWatcher {
    pub(super) fn new(roots: Vec<RegistryRoot>, is_taken: ReservedNameCheck, how: WatchMode) -> Arc<Self> {
        Arc::new(Self {
            roots,
            is_reserved: is_taken,
            watch_mode: how,
            current: RwLock::default(),
            previous: Mutex::default(),
            scan_state: Mutex::default(),
            watcher: OnceLock::new(),
            watch_thread_once: Once::new(),
        })
    }

    /// What there is, where somebody looked already.
    pub(super) fn current_if_loaded(&self) -> Option<Arc<RegistrySnapshot>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What there is. The first call looks.
    pub(super) fn current(&self) -> Arc<RegistrySnapshot> {
        self.current_if_loaded().unwrap_or_else(|| {
            let mut seen = self.lock_scan_state();
            // Another one may have looked meanwhile.
            self.current_if_loaded().unwrap_or_else(|| self.scan(&mut seen))
        })
    }

    /// Whether a tool's name, or an address, is somebody else's.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        (self.is_reserved)(name)
    }

    /// Looks, unless a look began since then.
    pub(super) fn refresh(&self, since: Instant) {
        let mut seen = self.lock_scan_state();
        if seen.last_scan_started_at.is_none_or(|began| began < since) {
            self.scan(&mut seen);
        }
    }

    /// What there was in the last look, and the folders in which a change of it can show.
    pub(super) fn snapshot_with_dirs(&self) -> (Arc<RegistrySnapshot>, Arc<[ScannedDir]>) {
        let mut seen = self.lock_scan_state();
        let loaded = self.current_if_loaded().unwrap_or_else(|| self.scan(&mut seen));
        (loaded, Arc::clone(&seen.scanned_dirs))
    }

    /// When a part of it became what it is, as far as that is not long ago: `digest` says what part.
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

    fn scan(&self, seen: &mut ScanState) -> Arc<RegistrySnapshot> {
        let began = Instant::now();
        let mut before = std::mem::take(&mut seen.indices);
        let (mut spots, mut findings) = (Vec::new(), ProblemList::default());
        let found: Vec<RootScan> = self.roots.iter().map(|root| root.scan(&mut spots, &mut findings)).collect();
        for (number, (root, found)) in self.roots.iter().zip(&found).enumerate() {
            let Some(top) = &found.folder else { continue };
            for way in &found.index_dirs {
                let shown = root.display_path(way, INDEX_FILE_NAME);
                let place = IndexLocation { root: top, root_index: number, relative_path: way, display_name: &shown };
                let kept = before.remove(&(number, way.clone()));
                let index = ParsedIndex::read(&place, kept.as_deref(), &mut seen.cache);
                seen.indices.insert((number, way.clone()), Arc::new(index));
            }
        }
        for ((number, way), index) in before {
            let (Some(root), Some(found)) = (self.roots.get(number), found.get(number)) else { continue };
            if found.is_unreadable(&way) && index.try_reuse(&mut seen.cache) {
                seen.indices.insert((number, way), index);
                continue;
            }
            // A switch is off when its index is known to be gone.
            let Some(switch) = &index.hide_gated_entry else { continue };
            let path = if way.is_empty() { INDEX_FILE_NAME.to_owned() } else { format!("{way}/{INDEX_FILE_NAME}") };
            let stat = root.open().and_then(|folder| folder.stat(&path));
            if !matches!(stat, Err(AppDirError::NotFound(_))) {
                let switched = ParsedIndex::unreadable_with_switch(&root.display_path(&way, INDEX_FILE_NAME), switch);
                seen.indices.insert((number, way), Arc::new(switched));
            }
        }
        let is_half_written = seen.indices.values().any(|index| index.partial_since.is_some());
        let is_unsure = seen.cache.has_hit_file_limit || found.iter().any(|found| !found.unreadable_dirs.is_empty());
        seen.rescan_after =
            is_half_written.then_some(PARTIAL_WRITE_RESCAN_INTERVAL).or_else(|| is_unsure.then_some(POLL_INTERVAL));
        seen.cache.next_generation();
        (seen.scanned_dirs, seen.last_scan_started_at) = (spots.into(), Some(began));
        let mut loaded =
            RegistrySnapshot::build(seen.indices.values().map(|index| &**index), &*self.is_reserved, findings);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        loaded.changed_at = match &*current {
            Some(before) if before.digest == loaded.digest => before.changed_at,
            Some(before) => {
                // What changed twice in a short time is held against what there was at first.
                let is_settled = |since: SystemTime| since.elapsed().is_ok_and(|time| time > CHANGE_MERGE_WINDOW);
                if before.changed_at.is_none_or(is_settled) {
                    *self.lock_previous() = Some(Arc::clone(before));
                }
                Some(SystemTime::now())
            }
            None => None,
        };
        let loaded = Arc::new(loaded);
        *current = Some(Arc::clone(&loaded));
        loaded
    }

    /// The folder and the name of a file beside an entry's index.
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

    /// From now on what there is follows the folders. Called once, on a worker thread.
    pub(super) fn start_watching(self: &Arc<Self>) {
        if self.watch_mode == WatchMode::Off {
            self.current();
            return;
        }
        self.watch_thread_once.call_once(|| {
            let live = Arc::downgrade(self);
            let watched = self.watch_mode == WatchMode::Events;
            let started = || watched.then(FolderWatcher::new).and_then(Result::ok).map(Arc::new);
            let watcher = self.watcher.get_or_init(started).clone();
            let waiting =
                thread::Builder::new().name("registry".into()).spawn(move || watch_loop(&live, watcher.as_deref()));
            if let Err(error) = waiting {
                tracing::error!(%error, "no thread to wait for changes: what is declared stays as it is now");
            }
        });
    }

    /// Looks, and watches where that looked. A folder that came meanwhile is looked into once more. When somebody has to look
    /// again by himself.
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
            let (_, spots) = self.snapshot_with_dirs();
            let watched: Vec<_> = spots.iter().map(|spot| watcher.watch(&spot.open()?)).collect();
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

/// The thread that follows changes, until nobody needs it.
fn watch_loop(live: &Weak<RegistryWatcher>, watcher: Option<&FolderWatcher>) {
    loop {
        // Held only while there is something to do: whoever drops the last one wakes this thread.
        let Some(held) = live.upgrade() else { return };
        let start = Instant::now();
        let looked = catch_unwind(AssertUnwindSafe(|| held.scan_and_watch()));
        drop(held);
        let again = looked.unwrap_or_else(|_| {
            tracing::error!("looking at what is declared panicked");
            Some(POLL_INTERVAL)
        });
        // However much there is to look at, it takes half of one processor at most.
        sleep(start.elapsed());
        match watcher {
            None => sleep(POLL_INTERVAL),
            Some(watcher) => loop {
                watcher.wait(again);
                if live.strong_count() == 0 {
                    return;
                }
                if wait_for_burst_end(watcher) || again.is_some() {
                    break;
                }
            },
        }
    }
}

/// Whether something changed; waits until the burst is over.
fn wait_for_burst_end(watcher: &FolderWatcher) -> bool {
    let (start, mut changed) = (Instant::now(), watcher.take_changes());
    let any = !changed.is_empty();
    while !changed.is_empty() && start.elapsed() < MAX_BURST_TIME {
        sleep(BURST_QUIET_TIME);
        changed = watcher.take_changes();
    }
    any
}
