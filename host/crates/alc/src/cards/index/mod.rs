//! The index of cards: what lists and searches need of every card, in memory, and as a file for the next process.
//!
//! Owns: when what it knows still holds. A folder whose own state is what it was, and was old enough then, has the names
//! that it had; else its names are read again, and each card whose inode is another one. Beyond that, every question
//! looks at [`MAX_CARD_LOOKS`] cards one by one, where the last one stopped. So where there are no more than that, nothing
//! that happens to a card is missed; where there are more, a card that was changed in place, or replaced several times
//! until it had its old inode again, is seen after a few more questions. Cards are only ever replaced by a rename.
//! Never: opens a card that it has looked at and that did not change, except one that is too long to be kept whole.

mod packed;
mod refresh;
mod saved;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, PoisonError};

use super::{CARDS, Stop, likely_folders};
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::uri::CardId;

use self::packed::Keys;
pub(super) use self::packed::{Packed, Way};

/// The index of one AppDir, shared by all who ask.
#[derive(Default)]
pub(crate) struct CardIndex(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Whether the file of another process was looked for.
    loaded: bool,
    /// The folder of all packages, and its packages, sorted by name.
    root: Option<Seen>,
    packages: Vec<Package>,
    keys: Keys,
    /// Bytes of all cards that are kept, and how many they are.
    bytes: usize,
    cards: usize,
    order: Order,
    /// Where the next look at single cards begins.
    look_from: Option<(Arc<str>, usize)>,
    /// The number of the last turn in which names were read.
    turn: u64,
    /// Cards that were read since the file was written.
    unsaved: usize,
    hasher: RandomState,
}

/// Every card, the newest first.
#[derive(Default)]
struct Order {
    places: Vec<Place>,
    /// Cards that have no place among them yet.
    new: Vec<Place>,
    /// Whether the order of the others says anything.
    holds: bool,
}

/// Where a card is: the number of its package, and its own in there.
type Place = (usize, usize);

/// The state of a folder when its names were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    stat: Stat,
    /// Whether that was long enough after its last change.
    settled: bool,
}

#[derive(Default)]
struct Package {
    name: Arc<str>,
    seen: Option<Seen>,
    /// Sorted by id as far as they came at once: a search goes through them as they lie in memory.
    cards: Vec<Card>,
    by_id: HashMap<Arc<str>, usize>,
    /// The cards in the order in which the folder gave their names.
    as_read: Vec<Read>,
}

/// A name as the folder gave it: enough to know it again without looking at the card, which lies anywhere in memory.
#[derive(Clone, Copy)]
struct Read {
    /// A hash of the name, by a key of this process's own.
    name: u64,
    inode: u64,
    number: usize,
}

struct Card {
    id: Arc<str>,
    /// Its file as the names of the folder gave it, and a hash of what it was when it was looked at.
    inode: u64,
    stat: u64,
    /// The turn in which its name was last read.
    turn: u64,
    held: Held,
}

enum Held {
    /// All of it.
    Whole(Box<[u8]>),
    /// What lists show and descent needs.
    Part(Box<[u8]>),
    /// No card can be read from it.
    Broken,
}

/// A card as the index knows it.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) package: &'a str,
    pub(super) id: &'a str,
    pub(super) fields: Packed<'a>,
    /// Whether `fields` are all that the card has.
    pub(super) is_whole: bool,
}

/// What the index knows, for as long as nobody else uses it.
pub(super) struct View<'a> {
    known: &'a Known,
}

impl CardIndex {
    /// Brings the index up to date, and asks it something. Who else asks waits meanwhile.
    ///
    /// # Errors
    /// When the folder of cards cannot be read, and [`AppDirError::Stopped`] once `stop` says so.
    pub(super) fn ask<T>(&self, app: &Folder, stop: Stop, ask: impl FnOnce(&View<'_>) -> T) -> Result<T, AppDirError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.loaded {
            known.loaded = true;
            if let Some(saved) = saved::load(app) {
                *known = saved;
            }
        }
        known.refresh(app, stop)?;
        known.sort();
        Ok(ask(&View { known: &known }))
    }
}

impl Known {
    fn entry(&self, (package, number): Place) -> Option<Entry<'_>> {
        self.packages.get(package)?.entry(number, &self.keys)
    }

    /// What a card is ordered by: newest first, by `created_at` and then by id.
    fn age(&self, place: Place) -> Option<Reverse<(&str, &str)>> {
        let entry = self.entry(place)?;
        Some(Reverse((entry.fields.text(&["created_at"]).unwrap_or_default(), entry.id)))
    }

    fn sort(&mut self) {
        /// So many new cards are put in their places one by one.
        const FEW: usize = 256;
        let Order { mut places, new, holds } = std::mem::take(&mut self.order);
        if !holds || new.len() > FEW {
            let numbered = self.packages.iter().enumerate();
            let all = numbered.flat_map(|(at, package)| (0..package.cards.len()).map(move |card| (at, card)));
            let mut aged: Vec<_> = all.filter_map(|place| Some((self.age(place)?, place))).collect();
            aged.sort_unstable();
            places = aged.into_iter().map(|(_, place)| place).collect();
        } else {
            for place in new {
                let Some(age) = self.age(place) else { continue };
                let before = |other: &Place| self.age(*other).is_some_and(|other| other < age);
                places.insert(places.partition_point(before), place);
            }
        }
        self.order = Order { places, new: Vec::new(), holds: true };
    }
}

impl Package {
    fn entry<'a>(&'a self, number: usize, keys: &'a Keys) -> Option<Entry<'a>> {
        self.cards.get(number)?.entry(&self.name, keys)
    }
}

impl Card {
    fn entry<'a>(&'a self, package: &'a str, keys: &'a Keys) -> Option<Entry<'a>> {
        let is_whole = matches!(self.held, Held::Whole(_));
        Some(Entry { package, id: &self.id, fields: self.held.fields(keys)?, is_whole })
    }
}

impl Held {
    fn fields<'a>(&'a self, keys: &'a Keys) -> Option<Packed<'a>> {
        match self {
            Self::Whole(bytes) | Self::Part(bytes) => Some(Packed::new(bytes, keys)),
            Self::Broken => None,
        }
    }
}

impl<'a> View<'a> {
    /// Every card, the newest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let known = self.known;
        known.order.places.iter().filter_map(|place| known.entry(*place))
    }

    /// The cards of one package, the newest first.
    pub(super) fn entries_of(&self, package: Option<&'a str>) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        self.entries().filter(move |entry| package.is_none_or(|package| package == entry.package))
    }

    /// The card with an id: of several, the one that reading it would find.
    pub(super) fn get(&self, id: &CardId) -> Option<Entry<'a>> {
        let Known { packages, keys, .. } = self.known;
        let entry = |package: &'a Package| package.entry(*package.by_id.get(id.as_str())?, keys);
        let likely = likely_folders(id).find_map(|name| {
            let at = packages.binary_search_by(|package| (*package.name).cmp(name)).ok()?;
            entry(packages.get(at)?)
        });
        likely.or_else(|| packages.iter().find_map(entry))
    }

    pub(super) fn way(&self, path: &[String]) -> Way {
        self.known.keys.path(path)
    }
}
