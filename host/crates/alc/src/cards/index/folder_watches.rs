//! The folders of cards that the system watches, so that a query looks at no card that did not change.
//!
//! Owns: what a query has to look at: what the system names, and every card once after its folder began to be watched.
//! Never: trusts the system about a folder that other machines may change, or in which a link was seen.

use std::collections::HashSet;

use wardroom_appdir::{FileId, FileSystemReach, Folder, FolderWatcher};

use super::IndexedPackage;
use crate::limits::{MAX_NAMED_CARD_CHANGES, MAX_WATCHED_CARD_FOLDERS};

/// The watches of one index.
#[derive(Default)]
pub(super) struct FolderWatches {
    watcher: Option<FolderWatcher>,
    /// The folder of all packages.
    root: Option<FileId>,
    /// How many folders of packages are watched.
    count: usize,
    /// Whether there was a query. A process that asks once watches nothing.
    has_queried: bool,
    /// The system has no watches left, or none at all, or the operator wants none.
    is_unavailable: bool,
}

/// What is known of the folder of one package.
#[derive(Default)]
pub(super) enum FolderWatch {
    #[default]
    None,
    Watched(WatchedFolder),
    /// Cards in it can change without a report.
    Untrusted(FileId),
}

pub(super) struct WatchedFolder {
    id: FileId,
    /// Whether something was reported since the last query.
    is_changed: bool,
    /// The names that were reported.
    pub(super) changed: Vec<Box<str>>,
    /// The number of the first card that is still to be looked at; `None` once all of them were.
    pub(super) unseen_from: Option<u32>,
}

impl FolderWatches {
    pub(super) fn unavailable() -> Self {
        Self { is_unavailable: true, ..Self::default() }
    }

    /// Notes what the system reported since the last query.
    pub(super) fn take_changes(&mut self, packages: &mut [IndexedPackage]) {
        let is_first = !std::mem::replace(&mut self.has_queried, true);
        if self.watcher.is_none() && !is_first && !self.is_unavailable {
            self.watcher = FolderWatcher::new().ok();
            self.is_unavailable = self.watcher.is_none();
        }
        let Some(watcher) = &self.watcher else { return };
        let root = self.root;
        let (mut is_root_changed, mut is_root_lost) = (false, false);
        let is_whole = watcher.visit_changes(|folder, name| {
            if root == Some(folder) {
                is_root_changed = true;
                is_root_lost |= name.is_none();
            } else if let Some(package) = packages.iter_mut().find(|package| package.watch.is_of(folder)) {
                package.watch.report(name);
            }
        });
        if is_root_lost {
            self.root = None;
        }
        if is_root_changed || !is_whole {
            for watched in packages.iter_mut().filter_map(|package| package.watch.watched_mut()) {
                // The name may lead to another folder by now.
                watched.is_changed = true;
                if !is_whole {
                    watched.look_at_all();
                }
            }
            let used = packages.iter().filter_map(|package| package.watch.watched_id()).chain(self.root);
            let _ = watcher.retain(&used.collect::<HashSet<_>>());
        }
        self.count = packages.iter().filter_map(|package| package.watch.watched_id()).count();
    }

    /// Watches the folder of all packages, before the folders in it are opened. Returns whether those that are watched are still the
    /// ones in it.
    pub(super) fn watch_root(&mut self, cards: &Folder, id: FileId) -> bool {
        if self.root == Some(id) {
            return true;
        }
        self.root = self.watcher.as_ref().filter(|_| is_local(cards)).and_then(|watcher| watcher.watch(cards).ok());
        false
    }

    /// Returns what is known of the folder of a package, which is watched from now on where that can be.
    pub(super) fn watch(&mut self, before: FolderWatch, cards: &Folder, name: &str, folder: &Folder) -> FolderWatch {
        let Ok(id) = folder.stat_self().map(|stat| stat.file_id) else { return FolderWatch::None };
        let (Some(watcher), Some(_)) = (&self.watcher, self.root) else { return FolderWatch::None };
        if before.is_of(id) {
            return before;
        }
        let is_trusted = self.count < MAX_WATCHED_CARD_FOLDERS && is_local(folder) && cards.read_link(name).is_err();
        match is_trusted.then(|| watcher.watch(folder).ok()).flatten() {
            Some(id) => {
                self.count += 1;
                let unseen_from = Some(0);
                FolderWatch::Watched(WatchedFolder { id, is_changed: true, changed: Vec::new(), unseen_from })
            }
            None => FolderWatch::Untrusted(id),
        }
    }
}

impl FolderWatch {
    /// Whether the folder has nothing that a query would have to look at.
    pub(super) fn is_unchanged(&self) -> bool {
        matches!(self, Self::Watched(watched) if !watched.is_changed && watched.unseen_from.is_none())
    }

    pub(super) fn watched_mut(&mut self) -> Option<&mut WatchedFolder> {
        match self {
            Self::Watched(watched) => Some(watched),
            Self::None | Self::Untrusted(_) => None,
        }
    }

    fn watched_id(&self) -> Option<FileId> {
        match self {
            Self::Watched(watched) => Some(watched.id),
            Self::None | Self::Untrusted(_) => None,
        }
    }

    /// Notes that a card was seen which can change without a report.
    pub(super) fn distrust(&mut self) {
        if let Self::Watched(watched) = self {
            *self = Self::Untrusted(watched.id);
        }
    }

    fn is_of(&self, folder: FileId) -> bool {
        match self {
            Self::None => false,
            Self::Watched(WatchedFolder { id, .. }) | Self::Untrusted(id) => *id == folder,
        }
    }

    fn report(&mut self, name: Option<&str>) {
        let Self::Watched(watched) = self else { return };
        // The folder itself changed: its watch may have ended.
        let Some(name) = name else {
            *self = Self::None;
            return;
        };
        watched.is_changed = true;
        let Some(id) = name.strip_suffix(".toml").filter(|_| watched.unseen_from != Some(0)) else { return };
        if watched.changed.last().is_some_and(|last| **last == *id) {
            return;
        }
        if watched.changed.len() < MAX_NAMED_CARD_CHANGES {
            watched.changed.push(id.into());
        } else {
            watched.look_at_all();
        }
    }
}

impl WatchedFolder {
    /// Notes that the names were read, and those that were reported were looked at.
    pub(super) fn finish(&mut self) {
        self.is_changed = false;
        self.changed.clear();
    }

    fn look_at_all(&mut self) {
        self.unseen_from = Some(0);
        self.changed.clear();
    }
}

fn is_local(folder: &Folder) -> bool {
    folder.file_system_reach().is_ok_and(|reach| reach == FileSystemReach::Local)
}
