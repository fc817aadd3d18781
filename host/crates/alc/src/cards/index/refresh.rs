//! The refresh of the index of cards.
//!
//! Never: reads an indexed card that has not changed.

use crate::cards::file_names::CARDS_DIR;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::packed_card::{CardKeyTable, pack_value};
use super::read_card::{LongCard, ReadCard, hash_stat};
use super::{CardData, CardDirEntry, CardFolderSnapshot, CardIndexState, IndexedCard, IndexedPackage, cache_file};
use crate::cards::CancelCheck;
use crate::cards::store::LOCKS_DIR;
use crate::limits::{
    CARD_INDEX_FILE_MIN_CARDS, MAX_CARD_INDEX_BYTES, MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_NAMES_SCANNED,
    MAX_CARD_RECHECK_TIME, MAX_CARD_RECHECKS_PER_QUERY, MAX_INDEXED_CARDS,
};
use crate::parallel;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, CacheDir, EntryKind, Folder, Stat};
use wardroom_base::uri::CardId;

/// Bytes of a card beside its encoded fields: its id, its entry in a table and its position in the order.
const CARD_OVERHEAD_BYTES: usize = 200;

/// New cards that several threads read and parse before they are added.
const CARDS_PER_BATCH: usize = 256;

/// Consecutive names that may be gone before the next name has to be looked up by its id.
const MAX_NAME_LOOKAHEAD: usize = 4;

impl CardFolderSnapshot {
    /// Takes a `stat` from before the names are read.
    fn from_stat(stat: Stat) -> Self {
        Self { stat, is_settled: stat.is_settled() }
    }

    /// Returns whether a folder with this stat still has the same names.
    fn is_unchanged(self, stat: Stat) -> bool {
        self.is_settled && self.stat == stat
    }
}

impl CardIndexState {
    pub(super) fn refresh(&mut self, app: &Folder, cache: &CacheDir, stop: CancelCheck) -> Result<(), AppDirError> {
        let cards = match app.open_folder(CARDS_DIR) {
            Err(AppDirError::NotFound(_)) => {
                *self = Self { is_loaded: true, ..Self::default() };
                return Ok(());
            }
            cards => cards?,
        };
        self.refresh_packages(&cards)?;
        let resume_at = self.next_stat_check.take();
        let mut budget = StatBudget::new();
        let mut left = MAX_CARD_NAMES_SCANNED;
        for at in 0..self.packages.len() {
            let Some(mut package) = self.packages.get_mut(at).map(std::mem::take) else { break };
            let from = match &resume_at {
                Some((name, _)) if *name > package.name => None,
                Some((name, number)) if *name == package.name => Some(*number),
                _ => Some(0),
            };
            let refreshed = cards.open_folder(&package.name).and_then(|folder| {
                self.refresh_names(at, &mut package, &folder, &mut left, stop)?;
                if let Some(from) = from {
                    self.stat_cards(&mut package, &folder, from, &mut budget);
                }
                Ok(())
            });
            match refreshed {
                Ok(()) => {}
                Err(AppDirError::Cancelled(_)) => package.snapshot = None,
                // As in a read of one card, a folder that cannot be opened must not hide cards in the others.
                Err(ref error) => {
                    tracing::debug!(%error, "cannot list a folder of cards, skipped");
                    let name = Arc::clone(&package.name);
                    self.subtract_package(&package);
                    package = IndexedPackage { name, ..IndexedPackage::default() };
                }
            }
            if let Some(slot) = self.packages.get_mut(at) {
                *slot = package;
            }
            if let Err(error @ AppDirError::Cancelled(_)) = refreshed {
                return Err(error);
            }
        }
        self.next_stat_check = budget.stopped_at;
        self.save_if_stale(cache);
        Ok(())
    }

    /// Refreshes the list of packages.
    fn refresh_packages(&mut self, cards: &Folder) -> Result<(), AppDirError> {
        let snapshot = CardFolderSnapshot::from_stat(cards.stat_self()?);
        if self.root_snapshot.is_some_and(|root| root.is_unchanged(snapshot.stat)) {
            return Ok(());
        }
        let entries = cards.entries(MAX_NAMES_SCANNED)?.into_iter();
        let folders = entries.filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink));
        let names: Vec<Arc<str>> =
            folders.filter(|entry| entry.name != LOCKS_DIR).map(|entry| entry.name.into()).collect();
        if !self.packages.iter().map(|package| &package.name).eq(&names) {
            let mut known: HashMap<_, _> =
                std::mem::take(&mut self.packages).into_iter().map(|p| (Arc::clone(&p.name), p)).collect();
            let find =
                |name| known.remove(&name).unwrap_or_else(|| IndexedPackage { name, ..IndexedPackage::default() });
            self.packages = names.into_iter().map(find).collect();
            known.values().for_each(|gone| self.subtract_package(gone));
            self.order.is_sorted = false;
        }
        self.root_snapshot = Some(snapshot);
        Ok(())
    }

    /// Subtracts the cards of a package from the totals.
    fn subtract_package(&mut self, package: &IndexedPackage) {
        self.total_bytes -= package.cards.iter().map(IndexedCard::memory_bytes).sum::<usize>();
        self.card_count -= package.cards.len();
        self.order.is_sorted = false;
    }

    /// Reads the names of a package's cards if they may have changed, and the cards that are new or replaced.
    fn refresh_names(
        &mut self,
        at: usize,
        package: &mut IndexedPackage,
        folder: &Folder,
        left: &mut usize,
        stop: CancelCheck,
    ) -> Result<(), AppDirError> {
        if stop() {
            return Err(AppDirError::Cancelled(package.name.to_string()));
        }
        let snapshot = CardFolderSnapshot::from_stat(folder.stat_self()?);
        if package.snapshot.is_some_and(|previous| previous.is_unchanged(snapshot.stat)) {
            return Ok(());
        }
        self.generation += 1;
        let generation = self.generation;
        let (mut new, mut replaced, mut next) = (Vec::new(), Vec::new(), 0);
        let mut dir_entries = Vec::with_capacity(package.dir_entries.len());
        folder.visit_names(left, |file, inode, kind| {
            let id = file.strip_suffix(".toml").filter(|_| matches!(kind, EntryKind::File | EntryKind::Symlink));
            let Some(id) = id else { return };
            // A directory lists its names in the same order as before, so most are recognized without a lookup.
            let name = self.hasher.hash_one(id);
            let ahead =
                package.dir_entries.iter().skip(next).take(MAX_NAME_LOOKAHEAD).position(|read| read.name_hash == name);
            let expected = ahead.and_then(|ahead| package.dir_entries.get(next + ahead));
            next += ahead.map_or(0, |ahead| ahead + 1);
            let number = match expected {
                Some(read) if read.inode == inode => return dir_entries.push(*read),
                Some(read) => Some(read.number),
                None => package.by_id.get(id).copied(),
            };
            match number.and_then(|number| Some((number, package.cards.get(number)?))) {
                Some((number, card)) => {
                    dir_entries.push(CardDirEntry { name_hash: name, inode, number });
                    if card.inode != inode {
                        replaced.push((number, inode));
                    }
                }
                None if CardId::parse(id).is_ok() => new.push((Arc::<str>::from(id), inode)),
                None => {}
            }
        })?;
        package.dir_entries = dir_entries;
        for (number, inode) in replaced {
            self.reread_card(package, folder, number, inode);
        }
        if package.dir_entries.len() < package.cards.len() {
            for read in &package.dir_entries {
                if let Some(card) = package.cards.get_mut(read.number) {
                    card.generation = generation;
                }
            }
            self.remove_deleted_cards(package, generation);
        }
        package.snapshot = Some(snapshot).filter(|_| *left > 0);
        new.sort_unstable();
        for batch in new.chunks(CARDS_PER_BATCH) {
            let read = parallel::map_items(batch, stop, |(id, _)| ReadCard::read_short(folder, id));
            for ((id, inode), read) in batch.iter().zip(read) {
                let Some(read) = read.filter(|_| !stop()) else { return Err(AppDirError::Cancelled(id.to_string())) };
                if self.card_count >= MAX_INDEXED_CARDS || self.total_bytes >= 2 * MAX_CARD_INDEX_BYTES {
                    tracing::warn!("there are more cards than the limit: the others are left out of lists");
                    package.snapshot = None;
                    return Ok(());
                }
                if let Some(ReadCard { stat_hash, card }) = read.unwrap_or_else(|LongCard| ReadCard::read(folder, id)) {
                    let (id, data) = (Arc::clone(id), self.pack_card(card.as_ref()));
                    self.add_card(at, package, IndexedCard { id, inode: *inode, stat_hash, generation, data });
                }
            }
        }
        Ok(())
    }

    fn add_card(&mut self, at: usize, package: &mut IndexedPackage, card: IndexedCard) {
        let number = package.cards.len();
        self.total_bytes += card.memory_bytes();
        self.card_count += 1;
        self.unsaved_cards += 1;
        package.by_id.insert(Arc::clone(&card.id), number);
        package.cards.push(card);
        self.order.unsorted.push((at, number));
    }

    fn remove_deleted_cards(&mut self, package: &mut IndexedPackage, generation: u64) {
        let mut numbers = Vec::with_capacity(package.cards.len());
        let mut kept = Vec::with_capacity(package.dir_entries.len());
        for card in std::mem::take(&mut package.cards) {
            numbers.push(kept.len());
            if card.generation == generation {
                kept.push(card);
            } else {
                self.total_bytes -= card.memory_bytes();
                self.card_count -= 1;
            }
        }
        package.by_id = kept.iter().enumerate().map(|(number, card)| (Arc::clone(&card.id), number)).collect();
        package.cards = kept;
        for read in &mut package.dir_entries {
            read.number = numbers.get(read.number).copied().unwrap_or(usize::MAX);
        }
        self.order.is_sorted = false;
    }

    /// Reads a card again. A missing card is kept as broken until the next read of names removes it.
    fn reread_card(&mut self, package: &mut IndexedPackage, folder: &Folder, number: usize, inode: u64) {
        let Some(card) = package.cards.get_mut(number) else { return };
        self.total_bytes -= card.memory_bytes();
        let ReadCard { stat_hash, card: read } = ReadCard::read(folder, &card.id).unwrap_or_default();
        let data = self.pack_card(read.as_ref());
        let created_at = |data: &CardData| Some(data.fields(&self.keys)?.text(&["created_at"]).map(str::to_owned));
        if created_at(&data) != created_at(&card.data) {
            self.order.is_sorted = false;
        }
        (card.inode, card.stat_hash, card.data) = (inode, stat_hash, data);
        self.total_bytes += card.memory_bytes();
        self.unsaved_cards += 1;
    }

    /// Stats the cards from a number on, within the budget of this query, and reads those that changed.
    fn stat_cards(&mut self, package: &mut IndexedPackage, folder: &Folder, from: usize, budget: &mut StatBudget) {
        for number in from..package.cards.len() {
            if !budget.take() {
                budget.stopped_at.get_or_insert_with(|| (Arc::clone(&package.name), number));
                return;
            }
            let Some(card) = package.cards.get(number) else { return };
            let (inode, file) = (card.inode, format!("{}.toml", card.id));
            // `stat_nofollow` refuses a symlink, which the slower `stat` follows.
            let stat = folder.stat_nofollow(&file).or_else(|_| folder.stat(&file));
            if stat.map_or(0, hash_stat) != card.stat_hash {
                self.reread_card(package, folder, number, inode);
            }
        }
    }

    /// Encodes a card for the index.
    fn pack_card(&mut self, card: Option<&Value>) -> CardData {
        let Some(card) = card else { return CardData::Broken };
        let whole = pack_value(card, &mut self.keys);
        let has_room = |bytes: &[u8]| {
            bytes.len() <= MAX_CARD_INDEX_ENTRY_BYTES
                && self.total_bytes + bytes.len() + CARD_OVERHEAD_BYTES <= MAX_CARD_INDEX_BYTES
        };
        match whole.filter(|bytes| has_room(bytes)) {
            Some(bytes) => CardData::Whole(bytes),
            None => CardData::Summary(pack_summary(card, &mut self.keys)),
        }
    }

    /// Saves the index for the next process, once enough cards were read since the last save.
    fn save_if_stale(&mut self, cache: &CacheDir) {
        if cache.is_read_only() || self.unsaved_cards < CARD_INDEX_FILE_MIN_CARDS.max(self.card_count / 10) {
            return;
        }
        self.unsaved_cards = 0;
        // Without the file, the next process only takes longer.
        if let Err(error) = cache_file::save(cache, self) {
            tracing::debug!(%error, "cannot save the index of cards");
        }
    }
}

/// Cards that may still be statted, and the first one beyond the budget.
struct StatBudget {
    remaining: usize,
    /// The time of the first card's check: the folders before it cost no card its turn.
    began: Option<Instant>,
    stopped_at: Option<(Arc<str>, usize)>,
}

impl StatBudget {
    fn new() -> Self {
        Self { remaining: MAX_CARD_RECHECKS_PER_QUERY, began: None, stopped_at: None }
    }

    fn take(&mut self) -> bool {
        // Each query checks at least as many cards.
        const CARDS_PER_CLOCK: usize = 32;
        if self.remaining.is_multiple_of(CARDS_PER_CLOCK) {
            let began = *self.began.get_or_insert_with(Instant::now);
            if self.remaining < MAX_CARD_RECHECKS_PER_QUERY && began.elapsed() >= MAX_CARD_RECHECK_TIME {
                self.remaining = 0;
            }
        }
        let has_one = self.remaining > 0;
        self.remaining = self.remaining.saturating_sub(1);
        has_one
    }
}

impl IndexedCard {
    pub(super) fn memory_bytes(&self) -> usize {
        CARD_OVERHEAD_BYTES
            + match &self.data {
                CardData::Whole(bytes) | CardData::Summary(bytes) => bytes.len(),
                CardData::Broken => 0,
            }
    }
}

/// Encodes the fields that lists and lineages need. Texts are cut to 200 characters, which bounds the size of a card.
fn pack_summary(card: &Value, keys: &mut CardKeyTable) -> Box<[u8]> {
    let short = |pointer: &str| match card.pointer(pointer) {
        Some(Value::String(text)) => text.chars().take(200).collect::<String>().into(),
        Some(number @ Value::Number(_)) => number.clone(),
        _ => Value::Null,
    };
    let rows = json!({
        "created_at": short("/created_at"),
        "model": {"id": short("/model/id")},
        "scenario": {"name": short("/scenario/name")},
        "stats": {"pass_rate": short("/stats/pass_rate")},
        "metadata": {"prior_card_id": short("/metadata/prior_card_id"), "prior_relation": short("/metadata/prior_relation")},
    });
    let nothing = Value::Object(Map::new());
    pack_value(&rows, keys).or_else(|| pack_value(&nothing, keys)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn checked(mut budget: StatBudget) -> usize {
        std::iter::from_fn(|| budget.take().then_some(())).count()
    }

    /// Folders that take all of the time leave cards for the next query, and never all of them.
    #[test]
    fn slow_query_checks_some_cards() {
        let late = Instant::now().checked_sub(2 * MAX_CARD_RECHECK_TIME + Duration::from_secs(1));
        assert!(late.is_some());
        assert_eq!(checked(StatBudget { began: late, ..StatBudget::new() }), 32);
        assert_eq!(
            checked(StatBudget { began: Some(Instant::now() + Duration::from_secs(60)), ..StatBudget::new() }),
            MAX_CARD_RECHECKS_PER_QUERY
        );
    }
}
