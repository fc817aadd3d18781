//! The index of cards: the fields that lists and searches need, in memory and as a file for the next process.
//!
//! Owns: the check whether its entries are current. A folder whose stat is unchanged since a settled snapshot has the
//! same names; otherwise its names are read again, and every card whose inode changed. Where the system reports changes, a
//! folder is opened only after one, and the cards that it names are looked at. Elsewhere every query stats up to 4000 cards
//! (`MAX_CARD_RECHECKS_PER_QUERY`), for 50 ms, and continues where the last query stopped. So with up to 4000 cards, no change
//! is missed there; with more, or on a slow file system, a card that was changed in place, or replaced several times until
//! it had its old inode again, is noticed some queries later. Cards are only ever replaced by a rename.
//! Never: opens an indexed card that did not change, except one that is too long to be kept whole.

mod cache_file;
mod card_forms;
mod card_table;
mod folder_watches;
mod index_limits;
mod look;
mod packed_card;
mod read_card;
mod refresh;

use std::cmp::Reverse;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, PoisonError};

use super::{CancelCheck, candidate_package_names};
use wardroom_appdir::{AppDirError, CacheDir, Folder, FolderSnapshot};
use wardroom_base::uri::CardId;

use self::card_forms::CardForms;
use self::card_table::{CardExtent, CardTable, IndexedCard};
use self::folder_watches::{FolderWatch, FolderWatches};
use self::index_limits::IndexLimits;
pub(super) use self::packed_card::{KeyPath, PackedCard};

/// The index of one AppDir, shared by all callers.
pub(crate) struct CardIndex {
    state: Mutex<CardIndexState>,
    /// Where the index is kept for the next process.
    cache: CacheDir,
}

#[derive(Default)]
struct CardIndexState {
    limits: IndexLimits,
    /// Whether the cache file of an earlier process was tried.
    is_loaded: bool,
    /// The state of the folder of all packages, and the packages in it, sorted by name.
    root_snapshot: Option<FolderSnapshot>,
    packages: Vec<IndexedPackage>,
    forms: CardForms,
    /// Bytes and number of all indexed cards, without their shapes.
    total_bytes: usize,
    card_count: usize,
    /// Whether there are more cards than it may hold.
    leaves_out_cards: bool,
    order: CardOrder,
    /// The package and number of the card from which the next query stats cards.
    next_stat_check: Option<(Arc<str>, u32)>,
    /// The same for a card of a watched folder.
    next_look: Option<(Arc<str>, u32)>,
    /// The number of the last read of a folder's names.
    generation: u32,
    /// Cards that were read since the cache file was written.
    unsaved_cards: usize,
    watches: FolderWatches,
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
type CardPosition = (u32, u32);

#[derive(Default)]
struct IndexedPackage {
    name: Arc<str>,
    watch: FolderWatch,
    snapshot: Option<FolderSnapshot>,
    cards: CardTable,
    /// The cards in the order in which the directory listed their names.
    dir_entries: Vec<CardDirEntry>,
}

/// A directory entry.
#[derive(Clone, Copy)]
struct CardDirEntry {
    /// A hash of the name, with a random key of this process.
    name_hash: u64,
    number: u32,
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
        Reverse((self.fields.created_at().unwrap_or_default(), self.id))
    }
}

/// Read access to the index, while its lock is held.
pub(super) struct CardIndexView<'a> {
    state: &'a CardIndexState,
}

impl CardIndex {
    /// Creates an index of at most `max_cards`, which is kept among the caches. Without watches, each query looks at cards in turn.
    pub(super) fn new(cache: CacheDir, max_cards: usize, watches_folders: bool) -> Self {
        let watches = if watches_folders { FolderWatches::default() } else { FolderWatches::unavailable() };
        let limits = IndexLimits { cards: max_cards };
        Self { state: Mutex::new(CardIndexState { limits, watches, ..CardIndexState::default() }), cache }
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
            if let Some(saved) = cache_file::load(&self.cache, state.limits) {
                let watches = std::mem::take(&mut state.watches);
                *state = CardIndexState { watches, ..saved };
            }
        }
        state.refresh(app, &self.cache, stop)?;
        state.update_order();
        Ok(read(&CardIndexView { state: &state }))
    }
}

impl CardIndexState {
    fn entry(&self, (package, number): CardPosition) -> Option<CardEntry<'_>> {
        self.packages.get(package as usize)?.entry(number, &self.forms)
    }

    fn sort_key(&self, position: CardPosition) -> Option<NewestFirst<'_>> {
        self.entry(position).map(|entry| entry.sort_key())
    }

    fn update_order(&mut self) {
        /// Most new cards that are inserted one by one; with more of them, all cards are sorted.
        const MAX_SORTED_INSERTS: usize = 256;
        let CardOrder { mut positions, unsorted, is_sorted } = std::mem::take(&mut self.order);
        if !is_sorted || unsorted.len() > MAX_SORTED_INSERTS {
            let numbered = (0u32..).zip(&self.packages);
            let all =
                numbered.flat_map(|(at, package)| (0u32..).zip(package.cards.iter()).map(move |(card, _)| (at, card)));
            let mut keyed: Vec<_> = all.filter_map(|position| Some((self.sort_key(position)?, position))).collect();
            keyed.sort_unstable();
            positions = keyed.into_iter().map(|(_, position)| position).collect();
        } else {
            // As a sort of all would have it, also among cards of one id.
            for position in unsorted {
                let Some(key) = self.sort_key(position) else { continue };
                let before = |other: &CardPosition| {
                    self.sort_key(*other).is_some_and(|other_key| (other_key, *other) < (key, position))
                };
                positions.insert(positions.partition_point(before), position);
            }
        }
        self.order = CardOrder { positions, unsorted: Vec::new(), is_sorted: true };
    }
}

impl IndexedPackage {
    fn entry<'a>(&'a self, number: u32, forms: &'a CardForms) -> Option<CardEntry<'a>> {
        self.entry_of(self.cards.get(number)?, forms)
    }

    fn entry_of<'a>(&'a self, card: &'a IndexedCard, forms: &'a CardForms) -> Option<CardEntry<'a>> {
        if card.extent == CardExtent::Broken {
            return None;
        }
        let id = self.cards.id(card);
        let fields = PackedCard::new(forms, card.shape, id, self.cards.values(card))?;
        Some(CardEntry { package: &self.name, id, fields, is_whole: card.extent == CardExtent::Whole })
    }
}

impl<'a> CardIndexView<'a> {
    /// Iterates over all cards, the newest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let state = self.state;
        state.order.positions.iter().filter_map(|position| state.entry(*position))
    }

    /// Iterates over the cards of one package, or of all, the newest first.
    pub(super) fn package_entries(&self, package: Option<&str>) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let state = self.state;
        self.package_positions(package).filter_map(|position| state.entry(*position))
    }

    /// Returns a page of the cards of one package, or of all, the newest first, and how many there are. No other card is visited.
    pub(super) fn newest_page(
        &self,
        package: Option<&str>,
        offset: usize,
        limit: usize,
    ) -> (impl Iterator<Item = CardEntry<'a>> + use<'a>, usize) {
        let (state, positions) = (self.state, self.package_positions(package));
        let total = if package.is_none() { state.order.positions.len() } else { positions.clone().count() };
        (positions.skip(offset).take(limit).filter_map(|position| state.entry(*position)), total)
    }

    /// Iterates over the positions of the cards of one package, or of all, the newest first. Each is that of a card that can be read.
    fn package_positions(&self, package: Option<&str>) -> impl Iterator<Item = &'a CardPosition> + Clone + use<'a> {
        let CardIndexState { order, packages, .. } = self.state;
        let number_of = |name: &str| packages.binary_search_by(|package| (*package.name).cmp(name)).ok();
        // A package that has no cards has no number.
        let wanted = package.map(|name| number_of(name).and_then(|at| u32::try_from(at).ok()));
        order.positions.iter().filter(move |(number, _)| wanted.is_none_or(|wanted| wanted == Some(*number)))
    }

    /// Iterates over the cards of one package, or of all, as they lie in memory: by package, then as they were read. All of
    /// them are visited several times faster than by age.
    pub(super) fn unordered_entries(
        &self,
        package: Option<&'a str>,
    ) -> impl DoubleEndedIterator<Item = CardEntry<'a>> + use<'a> {
        let forms = &self.state.forms;
        self.packages(package)
            .flat_map(move |found| found.cards.iter().filter_map(move |card| found.entry_of(card, forms)))
    }

    /// Iterates over those of them that the index holds only in part.
    pub(super) fn partial_entries(&self, package: Option<&'a str>) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let forms = &self.state.forms;
        self.packages(package)
            .flat_map(move |found| found.cards.iter_partial().filter_map(move |card| found.entry_of(card, forms)))
    }

    fn packages(&self, name: Option<&'a str>) -> impl DoubleEndedIterator<Item = &'a IndexedPackage> + use<'a> {
        let packages = &self.state.packages;
        packages.iter().filter(move |package| name.is_none_or(|name| name == &*package.name))
    }

    /// Returns the card with an id; of several, the one that a read of the card finds.
    pub(super) fn get(&self, id: &CardId) -> Option<CardEntry<'a>> {
        let CardIndexState { packages, forms, hasher, .. } = self.state;
        let entry = |package: &'a IndexedPackage| package.entry(package.cards.find(id.as_str(), hasher)?, forms);
        let likely = candidate_package_names(id).find_map(|name| {
            let at = packages.binary_search_by(|package| (*package.name).cmp(name)).ok()?;
            entry(packages.get(at)?)
        });
        likely.or_else(|| packages.iter().find_map(entry))
    }

    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        self.state.forms.resolve_path(path)
    }
}
