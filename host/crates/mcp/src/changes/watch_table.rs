//! The watched topics, and the fingerprint of each at its last scan.
//!
//! Owns: the order in which a folder is first watched and then scanned, so that no change falls between the two.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::{SubscriptionKey, Topic};
use wardroom_appdir::{DebouncedWatcher, FileId, FolderChanges};
use wardroom_service::{Catalogue, Dependencies, Fingerprint};

#[derive(Default)]
pub(super) struct WatchTable {
    observations: HashMap<SubscriptionKey, Observation>,
    /// Some folder could not be watched.
    needs_polling: bool,
}

/// The folders and topics to scan.
pub(super) struct DirtySet {
    pub(super) changed: FolderChanges,
    /// Also the topics whose folders cannot be watched.
    pub(super) includes_unwatched: bool,
}

impl DirtySet {
    /// New topics only.
    pub(super) fn empty() -> Self {
        Self { changed: FolderChanges::empty(), includes_unwatched: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && !self.includes_unwatched
    }
}

/// The watcher and the catalogue that a scan uses.
pub(super) struct WatchContext<'e> {
    pub(super) watcher: Option<&'e DebouncedWatcher>,
    pub(super) catalogue: &'e Arc<Catalogue>,
}

/// State that all topics of one scan share.
struct ScanRound {
    /// A refresh after this time shows every change before it, and every change to any of `watched_folders`.
    since: Instant,
    watched_folders: HashSet<FileId>,
}

struct Observation {
    folders: HashSet<FileId>,
    fingerprint: Option<Fingerprint>,
    needs_polling: bool,
}

impl WatchTable {
    pub(super) fn needs_polling(&self) -> bool {
        self.needs_polling
    }

    /// Whether something may have changed since `time`.
    pub(super) fn may_have_changed_since(&self, key: &SubscriptionKey, time: SystemTime) -> bool {
        self.observations
            .get(key)
            .and_then(|observation| observation.fingerprint)
            .is_some_and(|fingerprint| fingerprint.may_have_changed_since(time))
    }

    /// Scans the wanted topics that are new or affected by `dirty`, and forgets all topics that are not wanted. Calls
    /// `notify` for each that may have changed since its last scan.
    pub(super) fn scan(
        &mut self,
        wanted: &BTreeSet<SubscriptionKey>,
        dirty: &DirtySet,
        context: &WatchContext<'_>,
        notify: impl Fn(&SubscriptionKey),
    ) {
        self.observations.retain(|key, _| wanted.contains(key));
        let mut round = ScanRound { since: Instant::now(), watched_folders: HashSet::new() };
        for key in wanted {
            let before = self.observations.get(key);
            let is_due = |observation: &Observation| {
                dirty.changed.affects_any(&observation.folders) || dirty.includes_unwatched && observation.needs_polling
            };
            if before.is_some_and(|observation| !is_due(observation)) {
                continue;
            }
            let observation = observe(key, context, &mut round);
            if before.is_some_and(|before| may_differ(observation.fingerprint, before.fingerprint)) {
                notify(key);
            }
            self.observations.insert(key.clone(), observation);
        }
        self.needs_polling = self.observations.values().any(|observation| observation.needs_polling);
        if let Some(watcher) = context.watcher {
            watcher.retain(
                &self.observations.values().flat_map(|observation| observation.folders.iter().copied()).collect(),
            );
        }
    }
}

fn may_differ(now: Option<Fingerprint>, before: Option<Fingerprint>) -> bool {
    match (now, before) {
        (Some(now), Some(before)) => now.may_differ(&before),
        (now, before) => now != before,
    }
}

/// Watches the folders of a topic, and then scans it. The scan may show other folders to watch, if one was replaced
/// meanwhile.
fn observe(key: &SubscriptionKey, context: &WatchContext<'_>, round: &mut ScanRound) -> Observation {
    const MAX_ATTEMPTS: usize = 3;
    let mut observation = Observation { folders: HashSet::new(), fingerprint: None, needs_polling: false };
    for _ in 0..MAX_ATTEMPTS {
        context.catalogue.refresh(round.since);
        let Some(watched) = dependencies(key, context.catalogue) else { break };
        observation.fingerprint = Some(watched.fingerprint());
        (observation.folders, observation.needs_polling) = watch_folders(&watched, context.watcher);
        if observation.folders.is_subset(&round.watched_folders) {
            break;
        }
        round.watched_folders.extend(&observation.folders);
        round.since = Instant::now();
    }
    observation
}

fn dependencies((caller, topic): &SubscriptionKey, catalogue: &Arc<Catalogue>) -> Option<Dependencies> {
    match topic {
        Topic::Resources => Some(catalogue.resource_list_dependencies(caller)),
        Topic::Tools => Some(catalogue.tool_list_dependencies(caller)),
        Topic::Prompts => Some(catalogue.prompt_list_dependencies(caller)),
        Topic::Resource(uri) => catalogue.dependencies(uri, caller).ok(),
    }
}

fn watch_folders(watched: &Dependencies, watcher: Option<&DebouncedWatcher>) -> (HashSet<FileId>, bool) {
    let Some(watcher) = watcher else { return (HashSet::new(), true) };
    let mut needs_polling = watched.is_partial();
    let mut folders = HashSet::new();
    for dir in watched.dirs() {
        match dir.open().and_then(|folder| watcher.watch(&folder)) {
            Ok(id) => {
                folders.insert(id);
            }
            Err(error) => {
                tracing::debug!(%error, "cannot watch a folder, so it is polled");
                needs_polling = true;
            }
        }
    }
    (folders, needs_polling)
}
