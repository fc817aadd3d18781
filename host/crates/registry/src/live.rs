//! The folders of a registry, and what they hold now.
//!
//! Owns: when they are looked at: at first use, and after something changed in them. An unchanged tree costs a call nothing.
//! Never: changes what a call began with.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, RwLock, Weak};
use std::thread::{self, sleep};
use std::time::{Duration, Instant, SystemTime};

use super::entry::Entry;
use super::folders::{Found, Root, Spot};
use super::index::{INDEX, Index, Place};
use super::loaded::Loaded;
use super::problems::Problems;
use super::sources::Stock;
use wardroom_appdir::{AppDirError, Folder, Watcher};
use wardroom_config::Watch;
use wardroom_service::ServiceError;

/// Which names of tools, and which addresses, are others'.
pub type IsTaken = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// When nothing has happened for that long, a burst is over.
const QUIET: Duration = Duration::from_millis(30);
/// A burst that does not end is looked at all the same.
const LONGEST: Duration = Duration::from_millis(120);
/// How often somebody looks where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);
/// Changes that follow each other within this are one for whoever asks since when.
const RECENT: Duration = Duration::from_secs(1);
/// How long one that is being written may take without telling.
const HALF: Duration = Duration::from_secs(1);

pub(super) struct Live {
    roots: Vec<Root>,
    is_taken: IsTaken,
    how: Watch,
    current: RwLock<Option<Arc<Loaded>>>,
    /// What there was before the last change, or before several that followed each other at once.
    earlier: Mutex<Option<Arc<Loaded>>>,
    /// Locked for as long as somebody looks.
    seen: Mutex<Seen>,
    watcher: OnceLock<Option<Arc<Watcher>>>,
    waits: Once,
}

#[derive(Default)]
struct Seen {
    indices: BTreeMap<(usize, String), Arc<Index>>,
    stock: Stock,
    /// Every folder in which a change can show.
    spots: Arc<[Spot]>,
    /// When the last look began.
    began: Option<Instant>,
    /// When to look again, where nothing may tell of a change: something seems to be written just now, or could not be read.
    again: Option<Duration>,
}

impl Live {
    pub(super) fn new(roots: Vec<Root>, is_taken: IsTaken, how: Watch) -> Arc<Self> {
        Arc::new(Self {
            roots,
            is_taken,
            how,
            current: RwLock::default(),
            earlier: Mutex::default(),
            seen: Mutex::default(),
            watcher: OnceLock::new(),
            waits: Once::new(),
        })
    }

    /// What there is, where somebody looked already.
    pub(super) fn known(&self) -> Option<Arc<Loaded>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What there is. The first call looks.
    pub(super) fn current(&self) -> Arc<Loaded> {
        self.known().unwrap_or_else(|| {
            let mut seen = self.seen();
            // Another one may have looked meanwhile.
            self.known().unwrap_or_else(|| self.look(&mut seen))
        })
    }

    /// Whether a tool's name, or an address, is somebody else's.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        (self.is_taken)(name)
    }

    /// Looks, unless a look began since then.
    pub(super) fn refresh(&self, since: Instant) {
        let mut seen = self.seen();
        if seen.began.is_none_or(|began| began < since) {
            self.look(&mut seen);
        }
    }

    /// What there was in the last look, and the folders in which a change of it can show.
    pub(super) fn looked_at(&self) -> (Arc<Loaded>, Arc<[Spot]>) {
        let mut seen = self.seen();
        let loaded = self.known().unwrap_or_else(|| self.look(&mut seen));
        (loaded, Arc::clone(&seen.spots))
    }

    /// When a part of it became what it is, as far as that is not long ago: `digest` says what part.
    pub(super) fn since(&self, loaded: &Loaded, digest: impl Fn(&Loaded) -> u64) -> Option<SystemTime> {
        let earlier = self.earlier();
        loaded.since.filter(|_| earlier.as_ref().is_none_or(|earlier| digest(earlier) != digest(loaded)))
    }

    fn earlier(&self) -> MutexGuard<'_, Option<Arc<Loaded>>> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, seen: &mut Seen) -> Arc<Loaded> {
        let began = Instant::now();
        let mut before = std::mem::take(&mut seen.indices);
        let (mut spots, mut findings) = (Vec::new(), Problems::default());
        let found: Vec<Found> = self.roots.iter().map(|root| root.find(&mut spots, &mut findings)).collect();
        for (number, (root, found)) in self.roots.iter().zip(&found).enumerate() {
            let Some(top) = &found.top else { continue };
            for way in &found.indices {
                let shown = root.shown(way, INDEX);
                let place = Place { root: top, number, way, shown: &shown };
                let kept = before.remove(&(number, way.clone()));
                let index = Index::read(&place, kept.as_deref(), &mut seen.stock);
                seen.indices.insert((number, way.clone()), Arc::new(index));
            }
        }
        for ((number, way), index) in before {
            let (Some(root), Some(found)) = (self.roots.get(number), found.get(number)) else { continue };
            if found.hides(&way) && index.hold(&mut seen.stock) {
                seen.indices.insert((number, way), index);
                continue;
            }
            // A switch is off when its index is known to be gone.
            let Some(switch) = &index.switch else { continue };
            let path = if way.is_empty() { INDEX.to_owned() } else { format!("{way}/{INDEX}") };
            let stat = root.opened().and_then(|folder| folder.stat(&path));
            if !matches!(stat, Err(AppDirError::NotFound(_))) {
                let switched = Index::switched(&root.shown(&way, INDEX), switch);
                seen.indices.insert((number, way), Arc::new(switched));
            }
        }
        let is_half_written = seen.indices.values().any(|index| index.half_since.is_some());
        let is_unsure = seen.stock.is_busy || found.iter().any(|found| !found.unseen.is_empty());
        seen.again = is_half_written.then_some(HALF).or_else(|| is_unsure.then_some(POLL));
        seen.stock.turn();
        (seen.spots, seen.began) = (spots.into(), Some(began));
        let mut loaded = Loaded::link(seen.indices.values().map(|index| &**index), &*self.is_taken, findings);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        loaded.since = match &*current {
            Some(before) if before.digest == loaded.digest => before.since,
            Some(before) => {
                // What changed twice in a short time is held against what there was at first.
                let is_settled = |since: SystemTime| since.elapsed().is_ok_and(|time| time > RECENT);
                if before.since.is_none_or(is_settled) {
                    *self.earlier() = Some(Arc::clone(before));
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
    pub(super) fn beside(&self, entry: &Entry, name: &str) -> Result<(Folder, String), ServiceError> {
        let gone = || ServiceError::NotFound { uri: entry.id.clone() };
        let root = self.roots.get(entry.root).ok_or_else(gone)?;
        let path = if entry.way.is_empty() { name.to_owned() } else { format!("{}/{name}", entry.way) };
        Ok((root.opened().map_err(|_| gone())?, path))
    }

    /// From now on what there is follows the folders. Called once, on a worker thread.
    pub(super) fn follow(self: &Arc<Self>) {
        if self.how == Watch::Off {
            self.current();
            return;
        }
        self.waits.call_once(|| {
            let live = Arc::downgrade(self);
            let watched = self.how == Watch::Events;
            let started = || watched.then(Watcher::new).and_then(Result::ok).map(Arc::new);
            let watcher = self.watcher.get_or_init(started).clone();
            let waiting = thread::Builder::new().name("registry".into()).spawn(move || wait(&live, watcher.as_deref()));
            if let Err(error) = waiting {
                tracing::error!(%error, "no thread to wait for changes: what is declared stays as it is now");
            }
        });
    }

    /// Looks, and watches where that looked. A folder that came meanwhile is looked into once more. When somebody has to look
    /// again by himself.
    fn look_and_watch(&self) -> Option<Duration> {
        let is_blind = self.look_until_watched();
        self.seen().again.or_else(|| is_blind.then_some(POLL))
    }

    fn look_until_watched(&self) -> bool {
        const ATTEMPTS: usize = 3;
        let (mut known, mut is_blind) = (HashSet::new(), true);
        for _ in 0..ATTEMPTS {
            self.refresh(Instant::now());
            let Some(Some(watcher)) = self.watcher.get() else { return true };
            let (_, spots) = self.looked_at();
            let watched: Vec<_> = spots.iter().map(|spot| watcher.watch(&spot.opened()?)).collect();
            is_blind = watched.iter().any(Result::is_err);
            let now: HashSet<_> = watched.into_iter().flatten().collect();
            watcher.keep(&now);
            if now.is_subset(&known) {
                break;
            }
            known = now;
        }
        is_blind
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(Some(watcher)) = self.watcher.get() {
            watcher.wake();
        }
    }
}

/// The thread that follows changes, until nobody needs it.
fn wait(live: &Weak<Live>, watcher: Option<&Watcher>) {
    loop {
        // Held only while there is something to do: whoever drops the last one wakes this thread.
        let Some(held) = live.upgrade() else { return };
        let start = Instant::now();
        let looked = catch_unwind(AssertUnwindSafe(|| held.look_and_watch()));
        drop(held);
        let again = looked.unwrap_or_else(|_| {
            tracing::error!("looking at what is declared panicked");
            Some(POLL)
        });
        // However much there is to look at, it takes half of one processor at most.
        sleep(start.elapsed());
        match watcher {
            None => sleep(POLL),
            Some(watcher) => loop {
                watcher.wait(again);
                if live.strong_count() == 0 {
                    return;
                }
                if burst(watcher) || again.is_some() {
                    break;
                }
            },
        }
    }
}

/// Whether something changed; waits until the burst is over.
fn burst(watcher: &Watcher) -> bool {
    let (start, mut changed) = (Instant::now(), watcher.changes());
    let any = !changed.is_nothing();
    while !changed.is_nothing() && start.elapsed() < LONGEST {
        sleep(QUIET);
        changed = watcher.changes();
    }
    any
}
