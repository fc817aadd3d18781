//! Reads a card for the index.
//!
//! Owns: which cards several threads may read at the same time: those that take little memory until they are added.
//! Never: adds a card to the index.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use super::card_forms::CardKeyTable;
use super::packed_card::{EncodedCard, encode_card};
use crate::limits::MAX_CARD_BYTES;
use wardroom_appdir::{Folder, Stat};
use wardroom_base::toml_text;

/// The longest card of a batch. Parsed, it may take three hundred times as many bytes, and each thread has one such.
const MAX_BATCHED_CARD_BYTES: u64 = 4096;

/// A card as its file has it.
#[derive(Default)]
pub(super) struct ReadCard {
    /// A hash of the file's stat when it was opened.
    pub(super) stat_hash: u64,
    pub(super) card: CardContent,
}

/// What a card's file holds.
#[derive(Default)]
pub(super) enum CardContent {
    /// No card that can be read.
    #[default]
    Unreadable,
    /// The system failed, which says nothing of the card.
    Unknown,
    Json(Value),
    /// A card whose keys earlier ones have, as the index holds it.
    Encoded(EncodedCard),
}

impl ReadCard {
    /// Reads a card; `None` where the file is gone, or is no regular file.
    pub(super) fn read(folder: &Folder, id: &str) -> Option<Self> {
        Self::read_within(folder, id, u64::MAX).unwrap_or_default()
    }

    /// Reads a card as [`Self::read`] does, and encodes it.
    ///
    /// # Errors
    /// When the card is long, or has keys that no earlier one has: until it is added, it would take much memory.
    pub(super) fn read_short(folder: &Folder, id: &str, keys: &CardKeyTable) -> Result<Option<Self>, ReadAlone> {
        let mut read = Self::read_within(folder, id, MAX_BATCHED_CARD_BYTES)?;
        if let Some(read) = &mut read
            && let CardContent::Json(card) = &read.card
        {
            read.card = CardContent::Encoded(encode_card(card, id, &mut { keys }).ok_or(ReadAlone)?);
        }
        Ok(read)
    }

    fn read_within(folder: &Folder, id: &str, longest: u64) -> Result<Option<Self>, ReadAlone> {
        let name = format!("{id}.toml");
        let file = match folder.open(&name) {
            Ok(file) if file.stat().len > longest => return Err(ReadAlone),
            Ok(file) => file.uncached(),
            Err(error) => {
                tracing::debug!(%error, "cannot open a card, skipped");
                if error.is_transient() {
                    return Ok(Some(Self { stat_hash: 0, card: CardContent::Unknown }));
                }
                return Ok(folder
                    .stat(&name)
                    .ok()
                    .map(|stat| Self { stat_hash: hash_stat(stat), card: CardContent::Unreadable }));
            }
        };
        let stat_hash = hash_stat(file.stat());
        let card = match file.read_text(MAX_CARD_BYTES) {
            Ok((text, _)) => {
                toml_text::parse_json(&text).map_or(CardContent::Unreadable, |card| CardContent::Json(card.into()))
            }
            Err(error) => {
                tracing::debug!(%error, "cannot read a card, skipped");
                if error.is_transient() { CardContent::Unknown } else { CardContent::Unreadable }
            }
        };
        Ok(Some(Self { stat_hash, card }))
    }
}

/// A card that is to be read alone.
pub(super) struct ReadAlone;

pub(super) fn hash_stat(stat: Stat) -> u64 {
    let mut hasher = DefaultHasher::new();
    stat.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wardroom_appdir::{Access, Privacy, ambient};

    /// What waits in a batch is encoded: a parsed card may take three hundred times as many bytes as its text.
    #[test]
    fn card_with_new_keys_is_read_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ambient::open_folder(dir.path(), Access::ReadWrite).unwrap();
        folder.write("c.toml", b"known = 1\n", Privacy::Owner).unwrap();
        let mut keys = CardKeyTable::default();
        assert!(ReadCard::read_short(&folder, "c", &keys).is_err());
        encode_card(&serde_json::json!({"known": 2}), "d", &mut keys).unwrap();
        let read = ReadCard::read_short(&folder, "c", &keys).ok().flatten().unwrap();
        assert!(matches!(read.card, CardContent::Encoded(_)));
        let long = format!("known = \"{}\"\n", "x".repeat(4096));
        folder.write("c.toml", long.as_bytes(), Privacy::Owner).unwrap();
        assert!(ReadCard::read_short(&folder, "c", &keys).is_err());
    }
}
