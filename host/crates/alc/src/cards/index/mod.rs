//! The index of cards: what lists and searches need of every card, in memory, and as a file for the next process.
//!
//! Owns: when what it knows still holds. A folder whose own state is what it was, and was old enough then, has the names
//! that it had; else its names are read again, and each card whose inode is another one. Beyond that, every question
//! looks at [`MAX_CARD_RECHECKS_PER_QUERY`] cards one by one, where the last one stopped. So where there are no more than that, nothing
//! that happens to a card is missed; where there are more, a card that was changed in place, or replaced several times
//! until it had its old inode again, is seen after a few more questions. Cards are only ever replaced by a rename.
//! Never: opens a card that it has looked at and that did not change, except one that is too long to be kept whole.

mod cache_file;
mod packed_card;
mod refresh;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, PoisonError};

use super::{CARDS_DIR, CancelCheck, candidate_package_names};
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::uri::CardId;

use self::packed_card::CardKeyTable;
pub(super) use self::packed_card::{KeyPath, PackedCard};

/// The index of one AppDir, shared by all who ask.
#[derive(Default)]
pub(crate) struct CardIndex(Mutex<CardIndexState>);

#[derive(Default)]
struct CardIndexState {
    /// Whether the file of another process was looked for.
    is_loaded: bool,
    /// The folder of all packages, and its packages, sorted by name.
    root_snapshot: Option<CardFolderSnapshot>,
    packages: Vec<IndexedPackage>,
    keys: CardKeyTable,
    /// Bytes of all cards that are kept, and how many they are.
    total_bytes: usize,
    card_count: usize,
    order: CardOrder,
    /// Where the next look at single cards begins.
    next_stat_check: Option<(Arc<str>, usize)>,
    /// The number of the last turn in which names were read.
    generation: u64,
    /// Cards that were read since the file was written.
    unsaved_cards: usize,
    hasher: RandomState,
}

/// Every card, the newest first.
#[derive(Default)]
struct CardOrder {
    positions: Vec<CardPosition>,
    /// Cards that have no place among them yet.
    unsorted: Vec<CardPosition>,
    /// Whether the order of the others says anything.
    is_sorted: bool,
}

/// Where a card is: the number of its package, and its own in there.
type CardPosition = (usize, usize);

/// The state of a folder when its names were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CardFolderSnapshot {
    stat: Stat,
    /// Whether that was long enough after its last change.
    is_settled: bool,
}

#[derive(Default)]
struct IndexedPackage {
    name: Arc<str>,
    snapshot: Option<CardFolderSnapshot>,
    /// Sorted by id as far as they came at once: a search goes through them as they lie in memory.
    cards: Vec<IndexedCard>,
    by_id: HashMap<Arc<str>, usize>,
    /// The cards in the order in which the folder gave their names.
    dir_entries: Vec<CardDirEntry>,
}

/// A name as the folder gave it: enough to know it again without looking at the card, which lies anywhere in memory.
#[derive(Clone, Copy)]
struct CardDirEntry {
    /// A hash of the name, by a key of this process's own.
    name_hash: u64,
    inode: u64,
    number: usize,
}

struct IndexedCard {
    id: Arc<str>,
    /// Its file as the names of the folder gave it, and a hash of what it was when it was looked at.
    inode: u64,
    stat_hash: u64,
    /// The turn in which its name was last read.
    generation: u64,
    data: CardData,
}

enum CardData {
    /// All of it.
    Whole(Box<[u8]>),
    /// What lists show and descent needs.
    Summary(Box<[u8]>),
    /// No card can be read from it.
    Broken,
}

/// A card as the index knows it.
#[derive(Clone, Copy)]
pub(super) struct CardEntry<'a> {
    pub(super) package: &'a str,
    pub(super) id: &'a str,
    pub(super) fields: PackedCard<'a>,
    /// Whether `fields` are all that the card has.
    pub(super) is_whole: bool,
}

/// What the index knows, for as long as nobody else uses it.
pub(super) struct CardIndexView<'a> {
    state: &'a CardIndexState,
}

impl CardIndex {
    /// Brings the index up to date, and asks it something. Who else asks waits meanwhile.
    ///
    /// # Errors
    /// When the folder of cards cannot be read, and [`AppDirError::ScriptStopError`] once `stop` says so.
    pub(super) fn query<T>(
        &self,
        app: &Folder,
        stop: CancelCheck,
        ask: impl FnOnce(&CardIndexView<'_>) -> T,
    ) -> Result<T, AppDirError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.is_loaded {
            known.is_loaded = true;
            if let Some(saved) = cache_file::load(app) {
                *known = saved;
            }
        }
        known.refresh(app, stop)?;
        known.update_order();
        Ok(ask(&CardIndexView { state: &known }))
    }
}

impl CardIndexState {
    fn entry(&self, (package, number): CardPosition) -> Option<CardEntry<'_>> {
        self.packages.get(package)?.entry(number, &self.keys)
    }

    /// What a card is ordered by: newest first, by `created_at` and then by id.
    fn sort_key(&self, place: CardPosition) -> Option<Reverse<(&str, &str)>> {
        let entry = self.entry(place)?;
        Some(Reverse((entry.fields.text(&["created_at"]).unwrap_or_default(), entry.id)))
    }

    fn update_order(&mut self) {
        /// So many new cards are put in their places one by one.
        const MAX_SORTED_INSERTS: usize = 256;
        let CardOrder { positions: mut places, unsorted: new, is_sorted: holds } = std::mem::take(&mut self.order);
        if !holds || new.len() > MAX_SORTED_INSERTS {
            let numbered = self.packages.iter().enumerate();
            let all = numbered.flat_map(|(at, package)| (0..package.cards.len()).map(move |card| (at, card)));
            let mut aged: Vec<_> = all.filter_map(|place| Some((self.sort_key(place)?, place))).collect();
            aged.sort_unstable();
            places = aged.into_iter().map(|(_, place)| place).collect();
        } else {
            for place in new {
                let Some(age) = self.sort_key(place) else { continue };
                let before = |other: &CardPosition| self.sort_key(*other).is_some_and(|other| other < age);
                places.insert(places.partition_point(before), place);
            }
        }
        self.order = CardOrder { positions: places, unsorted: Vec::new(), is_sorted: true };
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
    /// Every card, the newest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        let known = self.state;
        known.order.positions.iter().filter_map(|place| known.entry(*place))
    }

    /// The cards of one package, the newest first.
    pub(super) fn package_entries(&self, package: Option<&'a str>) -> impl Iterator<Item = CardEntry<'a>> + use<'a> {
        self.entries().filter(move |entry| package.is_none_or(|package| package == entry.package))
    }

    /// The card with an id: of several, the one that reading it would find.
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
