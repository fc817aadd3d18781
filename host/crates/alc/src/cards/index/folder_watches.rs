//! The folders of cards that the system watches, so that a query looks at no card that did not change.
//!
//! Owns: what a query has to look at: what the system names, and every card once after its folder began to be watched.
//! Never: trusts the system about a folder that other machines may change, or in which a link was seen.

use std::collections::{HashMap, HashSet};

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
    /// Whether folders may be watched that no package has any more.
    has_unused: bool,
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
    /// Whether something was reported that no query has dealt with.
    pub(super) is_changed: bool,
    /// The cards that were reported.
    pub(super) changed: HashSet<Box<str>>,
    pub(super) unseen: UnseenCards,
}

/// Cards of a folder that are still to be looked at, in turn. A new turn goes on where the last one is, so that none is left out
/// however often one begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnseenCards {
    /// The number of the next one.
    pub(super) next: u32,
    pub(super) left: usize,
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
        // A folder may have two names.
        let mut by_folder: Option<HashMap<FileId, Vec<usize>>> = None;
        let mut has_ended = false;
        let is_whole = watcher.visit_changes(|folder, name| {
            if root == Some(folder) {
                is_root_changed = true;
                is_root_lost |= name.is_none();
                return;
            }
            let by_folder = by_folder.get_or_insert_with(|| numbers_by_folder(packages));
            for at in by_folder.get(&folder).into_iter().flatten() {
                if let Some(package) = packages.get_mut(*at) {
                    has_ended |= !package.watch.report(name, package.cards.len());
                }
            }
        });
        if !is_whole {
            // The end of a watch may be among the changes that were lost.
            packages.iter_mut().for_each(|package| package.watch = FolderWatch::None);
        }
        if has_ended || !is_whole {
            self.has_unused = true;
            self.count = packages.iter().filter(|package| package.watch.is_watched()).count();
        }
        if is_root_lost || !is_whole {
            self.root = None;
        }
        if is_root_changed {
            self.expect_other_folders(packages);
        }
    }

    /// Watches the folder of all packages, before the folders in it are opened.
    pub(super) fn watch_root(&mut self, cards: &Folder, id: FileId, packages: &mut [IndexedPackage]) {
        if self.root == Some(id) {
            return;
        }
        self.root = self.watcher.as_ref().filter(|_| is_local(cards)).and_then(|watcher| watcher.watch(cards).ok());
        self.expect_other_folders(packages);
    }

    /// Notes that each name may lead to another folder by now, and to one that can be trusted.
    fn expect_other_folders(&mut self, packages: &mut [IndexedPackage]) {
        self.has_unused = true;
        for package in packages {
            match &mut package.watch {
                FolderWatch::Watched(watched) => watched.is_changed = true,
                untrusted @ FolderWatch::Untrusted(_) => *untrusted = FolderWatch::None,
                FolderWatch::None => {}
            }
        }
    }

    /// Returns what is known of the folder of a package with so many cards, which is watched from now on where that can be.
    pub(super) fn watch(
        &mut self,
        before: FolderWatch,
        (cards, name): (&Folder, &str),
        folder: &Folder,
        n_cards: usize,
    ) -> FolderWatch {
        let (Some(watcher), Some(_)) = (&self.watcher, self.root) else { return FolderWatch::None };
        let Ok(id) = folder.stat_self().map(|stat| stat.file_id) else { return FolderWatch::None };
        if before.id() == Some(id) {
            return before;
        }
        if before.is_watched() {
            (self.has_unused, self.count) = (true, self.count.saturating_sub(1));
        }
        let is_trusted = self.count < MAX_WATCHED_CARD_FOLDERS && is_local(folder) && cards.read_link(name).is_err();
        match is_trusted.then(|| watcher.watch(folder).ok()).flatten() {
            Some(id) => {
                self.count += 1;
                let unseen = UnseenCards { next: 0, left: n_cards };
                FolderWatch::Watched(WatchedFolder { id, is_changed: true, changed: HashSet::new(), unseen })
            }
            None => FolderWatch::Untrusted(id),
        }
    }

    /// Notes that a folder is not trusted or not there any more.
    pub(super) fn note_unused(&mut self) {
        self.has_unused = true;
    }

    /// Ends the watches of folders that no package has.
    pub(super) fn release_unused(&mut self, packages: &[IndexedPackage]) {
        let Some(watcher) = self.watcher.as_ref().filter(|_| std::mem::take(&mut self.has_unused)) else { return };
        let watched = packages.iter().filter(|package| package.watch.is_watched());
        let mut used: HashSet<_> = watched.filter_map(|package| package.watch.id()).collect();
        self.count = used.len();
        used.extend(self.root);
        let _ = watcher.retain(&used);
    }
}

impl FolderWatch {
    /// Whether the folder has nothing that a query would have to look at.
    pub(super) fn is_unchanged(&self) -> bool {
        matches!(self, Self::Watched(watched) if !watched.is_changed && watched.unseen.left == 0)
    }

    pub(super) fn watched_mut(&mut self) -> Option<&mut WatchedFolder> {
        match self {
            Self::Watched(watched) => Some(watched),
            Self::None | Self::Untrusted(_) => None,
        }
    }

    pub(super) fn id(&self) -> Option<FileId> {
        match self {
            Self::None => None,
            Self::Watched(WatchedFolder { id, .. }) | Self::Untrusted(id) => Some(*id),
        }
    }

    pub(super) const fn is_watched(&self) -> bool {
        matches!(self, Self::Watched(_))
    }

    /// Notes that a card was seen which can change without a report.
    pub(super) fn distrust(&mut self) {
        if let Self::Watched(watched) = self {
            *self = Self::Untrusted(watched.id);
        }
    }

    /// Notes what the system reported. Returns `false` where that ends the watch.
    fn report(&mut self, name: Option<&str>, n_cards: usize) -> bool {
        let Self::Watched(watched) = self else { return true };
        // The folder itself changed: its watch may have ended.
        let Some(name) = name else {
            *self = Self::None;
            return false;
        };
        watched.is_changed = true;
        let Some(id) = name.strip_suffix(".toml").filter(|id| !watched.changed.contains(*id)) else { return true };
        if watched.changed.len() < MAX_NAMED_CARD_CHANGES {
            watched.changed.insert(id.into());
        } else {
            watched.unseen.left = n_cards;
        }
        true
    }
}

fn numbers_by_folder(packages: &[IndexedPackage]) -> HashMap<FileId, Vec<usize>> {
    let mut numbers: HashMap<_, Vec<_>> = HashMap::new();
    for (at, package) in packages.iter().enumerate().filter(|(_, package)| package.watch.is_watched()) {
        if let Some(id) = package.watch.id() {
            numbers.entry(id).or_default().push(at);
        }
    }
    numbers
}

fn is_local(folder: &Folder) -> bool {
    folder.file_system_reach().is_ok_and(|reach| reach == FileSystemReach::Local)
}
