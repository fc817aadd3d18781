//! The index of cards: the fields that lists and searches need, in memory and as a file for the next process.
//!
//! Owns: the check whether its entries are current. A folder whose stat is unchanged since a settled snapshot has the
//! same names; otherwise its names are read again, and every card whose inode changed. Besides, every query stats up to
//! 4000 cards (`MAX_CARD_RECHECKS_PER_QUERY`), for 50 ms, and continues where the last query stopped. So with up to 4000 cards
//! on a local file system, no change is missed; with more, or on a slow one, a card that was changed in place, or replaced
//! several times until it had its old inode again, is noticed some queries later. Cards are only ever replaced by a rename.
//! Never: opens an indexed card that did not change, except one that is too long to be kept whole.

mod cache_file;
mod packed_card;
mod read_card;
mod refresh;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, PoisonError};

use super::{CancelCheck, candidate_package_names};
use wardroom_appdir::{AppDirError, CacheDir, Folder, Stat};
use wardroom_base::uri::CardId;

use self::packed_card::CardKeyTable;
pub(super) use self::packed_card::{KeyPath, PackedCard};

/// The index of one AppDir, shared by all callers.
pub(crate) struct CardIndex {
    state: Mutex<CardIndexState>,
    /// Where the index is kept for the next process.
    cache: CacheDir,
}

#[derive(Default)]
struct CardIndexState {
    /// Whether the cache file of an earlier process was tried.
    is_loaded: bool,
    /// The state of the folder of all packages, and the packages in it, sorted by name.
    root_snapshot: Option<CardFolderSnapshot>,
    packages: Vec<IndexedPackage>,
    keys: CardKeyTable,
    /// Bytes and number of all indexed cards.
    total_bytes: usize,
    card_count: usize,
    order: CardOrder,
    /// The package and number of the card from which the next query stats cards.
    next_stat_check: Option<(Arc<str>, usize)>,
    /// The number of the last read of a folder's names.
    generation: u64,
    /// Cards that were read since the cache file was written.
    unsaved_cards: usize,
    hasher: RandomState,
}

/// The order of all cards, the newest first.
#[derive(Default)]
struct CardOrder {
    positions: Vec<CardPosition>,
    /// Cards that are not in `positions` yet.
    unsorted: Vec<CardPosition>,
    /// Whether `positions` is valid; otherwise it is rebuilt.
    is_sorted: bool,
}

/// The position of a card: the number of its package, and its number in the package.
type CardPosition = (usize, usize);

/// The state of a folder before its names were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CardFolderSnapshot {
    stat: Stat,
    /// Whether the folder's last change was long enough before.
    is_settled: bool,
}

#[derive(Default)]
struct IndexedPackage {
    name: Arc<str>,
    snapshot: Option<CardFolderSnapshot>,
    /// Each batch of new cards is sorted by id, so that a search visits them nearly in the order of memory.
    cards: Vec<IndexedCard>,
    by_id: HashMap<Arc<str>, usize>,
    /// The cards in the order in which the directory listed their names.
    dir_entries: Vec<CardDirEntry>,
}

/// A directory entry: enough to recognize a name without access to the card, which lies anywhere in memory.
#[derive(Clone, Copy)]
struct CardDirEntry {
    /// A hash of the name, with a random key of this process.
    name_hash: u64,
    inode: u64,
    number: usize,
}

struct IndexedCard {
    id: Arc<str>,
    /// The inode that the directory listed, and a hash of the file's last stat.
    inode: u64,
    stat_hash: u64,
    /// The read of names that added the card or, when other cards were deleted, listed it last.
    generation: u64,
    data: CardData,
}

enum CardData {
    /// All fields of the card.
    Whole(Box<[u8]>),
    /// The fields that lists and lineages need.
    Summary(Box<[u8]>),
    /// The file is not a readable card.
    Broken,
}

/// A card as the index holds it.
#[derive(Clone, Copy)]
pub(super) struct CardEntry<'a> {
    pub(super) package: &'a str,
    pub(super) id: &'a str,
    pub(super) fields: PackedCard<'a>,
    /// Whether `fields` are all fields of the card.
    pub(super) is_whole: bool,
}

/// The sort key of a card: newest first, by `created_at` and then by id.
pub(super) type NewestFirst<'a> = Reverse<(&'a str, &'a str)>;

impl<'a> CardEntry<'a> {
    pub(super) fn sort_key(&self) -> NewestFirst<'a> {
        Reverse((self.fields.text(&["created_at"]).unwrap_or_default(), self.id))
    }
}

/// Read access to the index, while its lock is held.
pub(super) struct CardIndexView<'a> {
    state: &'a CardIndexState,
}

impl CardIndex {
    /// Creates an index that is kept among the caches.
    pub(super) fn new(cache: CacheDir) -> Self {
        Self { state: Mutex::default(), cache }
    }

    /// Refreshes the index and calls `read` with it. Other callers wait for the lock meanwhile.
    ///
    /// # Errors
    /// When the folder of cards cannot be read, and [`AppDirError::Cancelled`] once `stop` returns true.
    pub(super) fn query<T>(
        &self,
        app: &Folder,
        stop: CancelCheck,
        read: impl FnOnce(&CardIndexView<'_>) -> T,
    ) -> Result<T, AppDirError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_loaded {
            state.is_loaded = true;
            if let Some(saved) = cache_file::load(&self.cache) {
                *state = saved;
            }
        }
        state.refresh(app, &self.cache, stop)?;
        state.update_order();
        Ok(read(&CardIndexView { state: &state }))
    }
}

impl CardIndexState {
    fn entry(&self, (package, number): CardPosition) -> Option<CardEntry<'_>> {
        self.packages.get(package)?.entry(number, &self.keys)
    }

    fn sort_key(&self, position: CardPosition) -> Option<NewestFirst<'_>> {
        self.entry(position).map(|entry| entry.sort_key())
    }

    fn update_order(&mut self) {
        /// Most new cards that are inserted one by one; with more of them, all cards are sorted.
        const MAX_SORTED_INSERTS: usize = 256;
        let CardOrder { mut positions, unsorted, is_sorted } = std::mem::take(&mut self.order);
        if !is_sorted || unsorted.len() > MAX_SORTED_INSERTS {
            let numbered = self.packages.iter().enumerate();
            let all = numbered.flat_map(|(at, package)| (0..package.cards.len()).map(move |card| (at, card)));
            let mut keyed: Vec<_> = all.filter_map(|position| Some((self.sort_key(position)?, position))).collect();
            keyed.sort_unstable();
            positions = keyed.into_iter().map(|(_, position)| position).collect();
        } else {
            for position in unsorted {
                let Some(key) = self.sort_key(position) else { continue };
                let before = |other: &CardPosition| self.sort_key(*other).is_some_and(|other| other < key);
                positions.insert(positions.partition_point(before), position);
            }
        }
        self.order = CardOrder { positions, unsorted: Vec::new(), is_sorted: true };
    }
}

impl IndexedPackage {
    fn entry<'a>(&'a self, number: usize, keys: &'a CardKeyTable) -> Option<CardEntry<'a>> {
        self.cards.get(number)?.entry(&self.name, keys)
    }
}

impl IndexedCard {
    fn entry<'a>(&'a self, package: &'a str, keys: &'a CardKeyTable) -> Option<CardEntry<'a>> {
        let is_whole = matches!(self.data, CardData::Whole(_));
        Some(CardEntry { package, id: &self.id, fields: self.data.fields(keys)?, is_whole })
    }
}

impl CardData {
    fn fields<'a>(&'a self, keys: &'a CardKeyTable) -> Option<PackedCard<'a>> {
        match self {
            Self::Whole(bytes) | Self::Summary(bytes) => Some(PackedCard::new(bytes, keys)),
            Self::Broken => None,
        }
    }
}

impl<'a> CardIndexView<'a> {
    /// Iterates over all cards, the newest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let state = self.state;
        state.order.positions.iter().filter_map(|position| state.entry(*position))
    }

    /// Iterates over the cards of one package, or of all, the newest first.
    pub(super) fn package_entries(&self, package: Option<&'a str>) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        self.entries().filter(move |entry| package.is_none_or(|package| package == entry.package))
    }

    /// Iterates over the cards of one package, or of all, as they lie in memory: by package, then as they were read. All of
    /// them are visited several times faster than by age.
    pub(super) fn unordered_entries(&self, package: Option<&'a str>) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let CardIndexState { packages, keys, .. } = self.state;
        let packages = packages.iter().filter(move |found| package.is_none_or(|package| package == &*found.name));
        packages.flat_map(move |found| found.cards.iter().filter_map(move |card| card.entry(&found.name, keys)))
    }

    /// Returns the card with an id; of several, the one that a read of the card finds.
    pub(super) fn get(&self, id: &CardId) -> Option<CardEntry<'a>> {
        let CardIndexState { packages, keys, .. } = self.state;
        let entry = |package: &'a IndexedPackage| package.entry(*package.by_id.get(id.as_str())?, keys);
        let likely = candidate_package_names(id).find_map(|name| {
            let at = packages.binary_search_by(|package| (*package.name).cmp(name)).ok()?;
            entry(packages.get(at)?)
        });
        likely.or_else(|| packages.iter().find_map(entry))
    }

    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        self.state.keys.resolve_path(path)
    }
}
