//! The cards of one package, in few blocks of memory, so that a search reads them nearly in order.
//!
//! Owns: where the id and the values of a card lie.
//! Never: knows what the values mean.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

/// The cards of one package. Each batch of new cards is sorted by id.
#[derive(Default)]
pub(super) struct CardTable {
    cards: Vec<IndexedCard>,
    ids: String,
    values: Vec<u8>,
    /// Bytes of values that no card has any more.
    unused_bytes: usize,
    /// Whether the index held one of the cards only in part.
    had_partial: bool,
    /// The numbers of the cards by their ids.
    numbers: HashTable<u32>,
}

/// What the index holds of a card, beside its values.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IndexedCard {
    /// The inode that the directory listed, and a hash of the file's last stat.
    pub(super) inode: u64,
    pub(super) stat_hash: u64,
    id_start: u32,
    values_start: u32,
    values_len: u32,
    /// The read of names that added the card or, when other cards were deleted, listed it last.
    pub(super) generation: u32,
    /// The number of its shape.
    pub(super) shape: u32,
    id_len: u16,
    pub(super) extent: CardExtent,
}

/// How much of a card the index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CardExtent {
    /// All fields.
    Whole,
    /// The fields that lists and lineages need.
    Summary,
    /// Nothing: the file is not a readable card.
    #[default]
    Broken,
}

/// The fields of a card, as the index holds them.
#[derive(Debug, Default)]
pub(super) struct CardFields {
    pub(super) extent: CardExtent,
    pub(super) shape: u32,
    pub(super) values: Vec<u8>,
}

/// A card that is added.
pub(super) struct NewCard<'a> {
    pub(super) id: &'a str,
    pub(super) inode: u64,
    pub(super) stat_hash: u64,
    pub(super) generation: u32,
    pub(super) fields: CardFields,
}

/// New cards after which the table gives away the memory that it has in reserve.
const ADDED_BEFORE_SHRINKING: usize = 64;
/// Bytes of values that no card has, from which on they are removed if they are half of all.
const MIN_UNUSED_BYTES: usize = 4096;

impl IndexedCard {
    pub(super) const fn values_len(&self) -> usize {
        self.values_len as usize
    }
}

impl CardTable {
    pub(super) fn len(&self) -> usize {
        self.cards.len()
    }

    pub(super) fn get(&self, number: u32) -> Option<&IndexedCard> {
        self.cards.get(number as usize)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut IndexedCard> {
        self.cards.get_mut(number as usize)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &IndexedCard> {
        self.cards.iter()
    }

    /// Iterates over the cards that the index holds only in part. Most tables have none, and are not visited.
    pub(super) fn iter_partial(&self) -> impl Iterator<Item = &IndexedCard> {
        let cards = self.had_partial.then_some(&self.cards);
        cards.into_iter().flatten().filter(|card| card.extent == CardExtent::Summary)
    }

    pub(super) fn id(&self, card: &IndexedCard) -> &str {
        let start = card.id_start as usize;
        self.ids.get(start..start + usize::from(card.id_len)).unwrap_or_default()
    }

    pub(super) fn values(&self, card: &IndexedCard) -> &[u8] {
        let start = card.values_start as usize;
        self.values.get(start..start + card.values_len as usize).unwrap_or_default()
    }

    /// Returns the number of the card with an id.
    pub(super) fn find(&self, id: &str, hasher: &RandomState) -> Option<u32> {
        let is_it = |number: &u32| self.get(*number).is_some_and(|card| self.id(card) == id);
        self.numbers.find(hasher.hash_one(id), is_it).copied()
    }

    /// Adds a card whose id is new; returns its number. `None` where the package has no room for it.
    pub(super) fn push(&mut self, new: &NewCard<'_>, hasher: &RandomState) -> Option<u32> {
        let NewCard { id, inode, stat_hash, generation, ref fields } = *new;
        let CardFields { extent, shape, ref values } = *fields;
        let card = IndexedCard { inode, stat_hash, generation, extent, shape, ..IndexedCard::default() };
        self.append(id, card, values, hasher)
    }

    fn append(&mut self, id: &str, card: IndexedCard, values: &[u8], hasher: &RandomState) -> Option<u32> {
        let number = u32::try_from(self.cards.len()).ok()?;
        self.had_partial |= card.extent == CardExtent::Summary;
        self.cards.push(IndexedCard {
            id_start: u32::try_from(self.ids.len()).ok()?,
            id_len: u16::try_from(id.len()).ok()?,
            values_start: u32::try_from(self.values.len()).ok()?,
            values_len: u32::try_from(values.len()).ok()?,
            ..card
        });
        self.ids.push_str(id);
        self.values.extend_from_slice(values);
        let (cards, ids) = (&self.cards, &self.ids);
        let hash_of = |number: &u32| hasher.hash_one(id_of(cards, ids, *number));
        self.numbers.insert_unique(hasher.hash_one(id), number, hash_of);
        Some(number)
    }

    /// Replaces the fields of a card.
    pub(super) fn replace(&mut self, number: u32, fields: &CardFields) {
        let Some(card) = self.cards.get_mut(number as usize) else { return };
        self.unused_bytes += card.values_len as usize;
        let (start, len) = (u32::try_from(self.values.len()), u32::try_from(fields.values.len()));
        (card.shape, card.extent) = (fields.shape, fields.extent);
        self.had_partial |= card.extent == CardExtent::Summary;
        match (start, len) {
            (Ok(start), Ok(len)) => {
                (card.values_start, card.values_len) = (start, len);
                self.values.extend_from_slice(&fields.values);
            }
            _ => (card.values_len, card.extent) = (0, CardExtent::Broken),
        }
        if self.unused_bytes > MIN_UNUSED_BYTES.max(self.values.len() / 2) {
            self.remove_unused();
        }
    }

    /// Keeps some cards; returns the new number of each.
    pub(super) fn retain(&mut self, keeps: impl Fn(&IndexedCard) -> bool, hasher: &RandomState) -> Vec<Option<u32>> {
        let mut numbers = Vec::with_capacity(self.len());
        let mut kept = Self::default();
        for card in &self.cards {
            let keep = || kept.append(self.id(card), *card, self.values(card), hasher);
            numbers.push(keeps(card).then(keep).flatten());
        }
        *self = kept;
        self.shrink();
        numbers
    }

    /// Gives away the memory in reserve, after cards were added.
    pub(super) fn shrink_after(&mut self, added: usize) {
        if added >= ADDED_BEFORE_SHRINKING {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.cards.shrink_to_fit();
        self.ids.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    fn remove_unused(&mut self) {
        let old = std::mem::take(&mut self.values);
        for card in &mut self.cards {
            let start = card.values_start as usize;
            let values = old.get(start..start + card.values_len as usize).unwrap_or_default();
            // It is no more than it was.
            card.values_start = u32::try_from(self.values.len()).unwrap_or_default();
            self.values.extend_from_slice(values);
        }
        self.unused_bytes = 0;
    }
}

fn id_of<'t>(cards: &[IndexedCard], ids: &'t str, number: u32) -> &'t str {
    let range = |card: &IndexedCard| card.id_start as usize..card.id_start as usize + usize::from(card.id_len);
    cards.get(number as usize).and_then(|card| ids.get(range(card))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(values: &[u8]) -> CardFields {
        CardFields { extent: CardExtent::Whole, shape: 0, values: values.to_vec() }
    }

    fn table(ids: &[&str], hasher: &RandomState) -> CardTable {
        let mut table = CardTable::default();
        for id in ids {
            let new = NewCard { id, inode: 1, stat_hash: 2, generation: 3, fields: fields(id.as_bytes()) };
            assert!(table.push(&new, hasher).is_some());
        }
        table
    }

    fn values<'t>(table: &'t CardTable, id: &str, hasher: &RandomState) -> Option<&'t [u8]> {
        Some(table.values(table.get(table.find(id, hasher)?)?))
    }

    #[test]
    fn cards_are_found_after_others_were_replaced_and_removed() {
        let hasher = RandomState::new();
        let ids: Vec<String> = (0..300).map(|number| format!("card_{number}")).collect();
        let mut table = table(&ids.iter().map(String::as_str).collect::<Vec<_>>(), &hasher);
        for turn in 0..50 {
            for number in 0..300 {
                table.replace(number, &fields(format!("{number}, {turn}").as_bytes()));
            }
        }
        assert!(table.values.len() < 3 * 300 * 7, "{} bytes are kept", table.values.len());
        let numbers = table.retain(|card| card.id_len == 8, &hasher);
        assert_eq!(table.len(), 200);
        assert_eq!((numbers.first(), numbers.get(150)), (Some(&None), Some(&Some(50))));
        assert_eq!(values(&table, "card_150", &hasher), Some(b"150, 49".as_slice()));
        assert_eq!(values(&table, "card_1", &hasher), None);
    }
}
