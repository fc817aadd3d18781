//! The refresh of the index of cards.
//!
//! Never: reads an indexed card that has not changed.

use crate::cards::file_names::CARDS_DIR;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::iter;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::card_table::{CardExtent, CardFields, IndexedCard, NewCard};
use super::folder_watches::FolderWatch;
use super::look::StatBudget;
use super::packed_card::{EncodedCard, encode_card};
use super::read_card::{CardContent, ReadAlone, ReadCard};
use super::{CardDirEntry, CardIndexState, IndexedPackage, cache_file};
use crate::cards::CancelCheck;
use crate::cards::store::LOCKS_DIR;
use crate::limits::{CARD_INDEX_FILE_MIN_CARDS, MAX_CARD_INDEX_ENTRY_BYTES};
use crate::parallel;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, CacheDir, EntryKind, Folder, FolderSnapshot, Stat};
use wardroom_base::uri::CardId;

/// Bytes of a card beside its values: its id, its entries in two tables and its position in the order.
const CARD_OVERHEAD_BYTES: usize = 130;

/// New cards that several threads read and encode before they are added. Each batch starts its threads anew.
const CARDS_PER_BATCH: usize = 1024;

/// Consecutive names that may be gone before the next name has to be looked up by its id.
const MAX_NAME_LOOKAHEAD: usize = 4;

impl CardIndexState {
    pub(super) fn refresh(&mut self, app: &Folder, cache: &CacheDir, stop: CancelCheck) -> Result<(), AppDirError> {
        // Before anything is opened: what is reported later is looked at by the next query.
        self.watches.take_changes(&mut self.packages);
        let cards = match app.open_folder(CARDS_DIR) {
            Err(AppDirError::NotFound(_)) => {
                let (limits, watches) = (self.limits, std::mem::take(&mut self.watches));
                *self = Self { is_loaded: true, limits, watches, ..Self::default() };
                self.watches.note_unused();
                self.watches.release_unused(&[]);
                return Ok(());
            }
            cards => cards?,
        };
        let stat = cards.stat_self()?;
        self.watches.watch_root(&cards, stat.file_id, &mut self.packages);
        self.refresh_packages(&cards, stat)?;
        let resume_at = self.next_stat_check.take();
        // What is watched takes no turn from what is not, nor one card that was not reported from one that was.
        let [mut budget, mut unseen_budget, mut reported_budget] = [(); 3].map(|()| StatBudget::new());
        let mut left = self.limits.names();
        let left_out_before = std::mem::take(&mut self.leaves_out_cards);
        for (at, number) in (0..self.packages.len()).zip(0u32..) {
            let Some(slot) = self.packages.get_mut(at) else { break };
            if slot.snapshot.is_some() && slot.watch.is_unchanged() {
                continue;
            }
            let mut package = std::mem::take(slot);
            let from = match &resume_at {
                Some((name, _)) if *name > package.name => None,
                Some((name, number)) if *name == package.name => Some(*number),
                _ => Some(0),
            };
            let refreshed = cards.open_folder(&package.name).and_then(|folder| {
                let (watch, n_cards) = (std::mem::take(&mut package.watch), package.cards.len());
                package.watch = self.watches.watch(watch, (&cards, &package.name), &folder, n_cards);
                self.refresh_names(number, &mut package, &folder, &mut left, stop)?;
                if package.watch.is_watched() {
                    self.look_at_reported(&mut package, &folder, &mut reported_budget, stop);
                    self.look_at_unseen(&mut package, &folder, &mut unseen_budget);
                } else if let Some(from) = from
                    && let Some(stopped_at) = self.stat_cards(&mut package, &folder, from, &mut budget)
                {
                    budget.stopped_at.get_or_insert_with(|| (Arc::clone(&package.name), stopped_at));
                }
                Ok(())
            });
            match refreshed {
                Ok(()) => {}
                Err(AppDirError::Cancelled(_)) => package.snapshot = None,
                Err(ref error) if error.is_transient() => self.look_again(&mut package),
                // As in a read of one card, a folder that cannot be opened must not hide cards in the others.
                Err(ref error) => {
                    tracing::debug!(%error, "cannot list a folder of cards, skipped");
                    let name = Arc::clone(&package.name);
                    self.subtract_package(&package);
                    self.watches.note_unused();
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
        if self.leaves_out_cards && !left_out_before {
            tracing::warn!("there are more cards than `[alc] max_records`: the others are left out of lists");
        }
        self.next_stat_check = budget.stopped_at;
        self.look_at_some(&cards);
        self.watches.release_unused(&self.packages);
        self.save_if_stale(cache);
        Ok(())
    }

    /// Refreshes the list of packages.
    fn refresh_packages(&mut self, cards: &Folder, stat: Stat) -> Result<(), AppDirError> {
        let snapshot = FolderSnapshot::from_stat(stat);
        if self.root_snapshot.is_some_and(|root| root.is_unchanged(snapshot.stat())) {
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
        package.cards.iter().for_each(|card| self.subtract_fields(card));
        self.card_count -= package.cards.len();
        self.order.is_sorted = false;
    }

    /// Subtracts the fields of a card from the totals.
    fn subtract_fields(&mut self, card: &IndexedCard) {
        self.total_bytes -= card_bytes(card.values_len());
        if card.extent != CardExtent::Broken {
            self.forms.shapes.release(card.shape);
        }
    }

    /// Reads the names of a package's cards if they may have changed, and the cards that are new or replaced.
    fn refresh_names(
        &mut self,
        at: u32,
        package: &mut IndexedPackage,
        folder: &Folder,
        left: &mut usize,
        stop: CancelCheck,
    ) -> Result<(), AppDirError> {
        if stop() {
            return Err(AppDirError::Cancelled(package.name.to_string()));
        }
        let snapshot = FolderSnapshot::from_stat(folder.stat_self()?);
        if package.snapshot.is_some_and(|previous| previous.is_unchanged(snapshot.stat())) {
            return Ok(());
        }
        self.generation = self.generation.wrapping_add(1);
        let generation = self.generation;
        let (mut new, mut replaced, mut next, mut has_links) = (Vec::new(), Vec::new(), 0, false);
        let mut dir_entries = Vec::with_capacity(package.dir_entries.len());
        folder.visit_names(left, |file, inode, kind| {
            let id = file.strip_suffix(".toml").filter(|_| matches!(kind, EntryKind::File | EntryKind::Symlink));
            let Some(id) = id else { return };
            has_links |= kind == EntryKind::Symlink;
            // A directory lists its names in the same order as before, so most are recognized without a lookup.
            let name_hash = self.hasher.hash_one(id);
            let ahead = package.dir_entries.iter().skip(next).take(MAX_NAME_LOOKAHEAD);
            let ahead = ahead.clone().position(|read| read.name_hash == name_hash);
            let expected = ahead.and_then(|ahead| package.dir_entries.get(next + ahead));
            next += ahead.map_or(0, |ahead| ahead + 1);
            let number = match expected {
                Some(read) => Some(read.number),
                None => package.cards.find(id, &self.hasher),
            };
            match number.and_then(|number| Some((number, package.cards.get(number)?))) {
                Some((number, card)) => {
                    dir_entries.push(CardDirEntry { name_hash, number });
                    if card.inode != inode {
                        replaced.push((number, inode));
                    }
                }
                None if CardId::parse(id).is_ok() => new.push((Box::<str>::from(id), inode)),
                None => {}
            }
        })?;
        package.dir_entries = dir_entries;
        if has_links {
            self.distrust(package);
        }
        package.snapshot = Some(snapshot).filter(|_| *left > 0);
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
        new.sort_unstable();
        let n_before = package.cards.len();
        // The first one is read before the others, which mostly have its keys.
        let (first, others) = new.split_at(new.len().min(1));
        for batch in iter::once(first).chain(others.chunks(CARDS_PER_BATCH)) {
            let (batch, left_out) = batch.split_at(batch.len().min(self.limits.cards.saturating_sub(self.card_count)));
            let mut is_full = !left_out.is_empty();
            let keys = &self.forms.keys;
            let read = parallel::map_items(batch, stop, |(id, _)| ReadCard::read_short(folder, id, keys));
            for ((id, inode), read) in batch.iter().zip(read) {
                let Some(read) = read.filter(|_| !stop()) else { return Err(AppDirError::Cancelled(id.to_string())) };
                if self.memory_bytes() >= 2 * self.limits.bytes() {
                    is_full = true;
                    break;
                }
                let read = read.unwrap_or_else(|ReadAlone| ReadCard::read(folder, id));
                let Some(ReadCard { stat_hash, card }) = read else { continue };
                match self.fields_of(folder, id, card) {
                    Some(fields) => {
                        self.add_card(at, package, &NewCard { id, inode: *inode, stat_hash, generation, fields });
                    }
                    None => self.look_again(package),
                }
            }
            if is_full {
                // The next query tries again.
                package.snapshot = None;
                self.leaves_out_cards = true;
                break;
            }
        }
        package.cards.shrink_after(package.cards.len() - n_before);
        Ok(())
    }

    fn add_card(&mut self, at: u32, package: &mut IndexedPackage, card: &NewCard<'_>) {
        let Some(number) = package.cards.push(card, &self.hasher) else { return };
        self.total_bytes += card_bytes(card.fields.values.len());
        self.card_count += 1;
        self.unsaved_cards += 1;
        self.order.unsorted.push((at, number));
    }

    fn remove_deleted_cards(&mut self, package: &mut IndexedPackage, generation: u32) {
        for card in package.cards.iter().filter(|card| card.generation != generation) {
            self.subtract_fields(card);
            self.card_count -= 1;
        }
        let numbers = package.cards.retain(|card| card.generation == generation, &self.hasher);
        // The others have new numbers.
        if let Some(watched) = package.watch.watched_mut()
            && watched.unseen.left > 0
        {
            watched.unseen.left = package.cards.len();
        }
        for read in &mut package.dir_entries {
            read.number = numbers.get(read.number as usize).copied().flatten().unwrap_or(u32::MAX);
        }
        self.order.is_sorted = false;
    }

    /// Reads a card again. A missing card is kept as broken until the next read of names removes it.
    pub(super) fn reread_card(&mut self, package: &mut IndexedPackage, folder: &Folder, number: u32, inode: u64) {
        let Some(card) = package.cards.get(number).copied() else { return };
        let id = package.cards.id(&card).to_owned();
        let created_at = package.entry(number, &self.forms).map(|card| card.fields.created_at().map(str::to_owned));
        let ReadCard { stat_hash, card: read } = ReadCard::read(folder, &id).unwrap_or_default();
        if matches!(read, CardContent::Unknown) {
            return self.look_again(package);
        }
        self.subtract_fields(&card);
        // Only what was encoded is read once more.
        let fields = self.fields_of(folder, &id, read).unwrap_or_default();
        self.total_bytes += card_bytes(fields.values.len());
        self.unsaved_cards += 1;
        package.cards.replace(number, &fields);
        if let Some(card) = package.cards.get_mut(number) {
            (card.inode, card.stat_hash) = (inode, stat_hash);
        }
        let now = package.entry(number, &self.forms).map(|card| card.fields.created_at().map(str::to_owned));
        if now != created_at {
            self.order.is_sorted = false;
        }
    }

    /// Has the next query look at a folder again, after a failure of the system: at its names, and at each card once.
    pub(super) fn look_again(&mut self, package: &mut IndexedPackage) {
        (package.watch, package.snapshot) = (FolderWatch::None, None);
        self.watches.note_unused();
    }

    /// Returns the fields of a card for the index; `None` where the system failed.
    fn fields_of(&mut self, folder: &Folder, id: &str, card: CardContent) -> Option<CardFields> {
        let whole = match card {
            CardContent::Unknown => return None,
            CardContent::Unreadable => return Some(CardFields::default()),
            CardContent::Json(card) => return Some(self.encode_fields(id, &card)),
            CardContent::Encoded(card) => Some(card).filter(|card| self.has_room(card)),
        };
        if let Some(fields) = whole.and_then(|whole| self.take_shape(CardExtent::Whole, whole)) {
            return Some(fields);
        }
        // Of a card that is kept in part, the encoded form was not needed.
        match ReadCard::read(folder, id).unwrap_or_default().card {
            CardContent::Unknown => None,
            CardContent::Json(card) => Some(self.encode_fields(id, &card)),
            CardContent::Unreadable | CardContent::Encoded(_) => Some(CardFields::default()),
        }
    }

    fn encode_fields(&mut self, id: &str, card: &Value) -> CardFields {
        let whole = encode_card(card, id, &mut self.forms.keys).filter(|card| self.has_room(card));
        if let Some(fields) = whole.and_then(|whole| self.take_shape(CardExtent::Whole, whole)) {
            return fields;
        }
        let forms = [summary_of(card), Value::Object(Map::new())];
        let summary = forms.iter().find_map(|summary| encode_card(summary, id, &mut self.forms.keys));
        summary.and_then(|summary| self.take_shape(CardExtent::Summary, summary)).unwrap_or_default()
    }

    /// Whether the index may hold a card whole.
    fn has_room(&self, card: &EncodedCard) -> bool {
        let bytes = card.tags.len() + card.values.len();
        bytes <= MAX_CARD_INDEX_ENTRY_BYTES && self.memory_bytes() + bytes + CARD_OVERHEAD_BYTES <= self.limits.bytes()
    }

    fn take_shape(&mut self, extent: CardExtent, card: EncodedCard) -> Option<CardFields> {
        let shape = self.forms.shapes.take(&card.tags, &self.forms.keys)?;
        Some(CardFields { extent, shape, values: card.values })
    }

    /// Returns the memory of all cards and their shapes.
    const fn memory_bytes(&self) -> usize {
        self.total_bytes + self.forms.shapes.memory_bytes()
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

/// Returns the memory of a card with so many bytes of values, without its shape.
pub(super) const fn card_bytes(values: usize) -> usize {
    CARD_OVERHEAD_BYTES + values
}

/// Returns the fields that lists and lineages need. Texts are cut to 200 characters, which bounds the size of a card.
fn summary_of(card: &Value) -> Value {
    let short = |pointer: &str| match card.pointer(pointer) {
        Some(Value::String(text)) => text.chars().take(200).collect::<String>().into(),
        Some(number @ Value::Number(_)) => number.clone(),
        _ => Value::Null,
    };
    json!({
        "created_at": short("/created_at"),
        "model": {"id": short("/model/id")},
        "scenario": {"name": short("/scenario/name")},
        "stats": {"pass_rate": short("/stats/pass_rate")},
        "metadata": {"prior_card_id": short("/metadata/prior_card_id"), "prior_relation": short("/metadata/prior_relation")},
    })
}
