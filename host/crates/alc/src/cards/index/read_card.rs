//! Reads a card for the index.
//!
//! Owns: which cards several threads may read at the same time.
//! Never: adds a card to the index.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use super::card_forms::CardKeyTable;
use super::packed_card::{EncodedCard, encode_card};
use crate::limits::MAX_CARD_BYTES;
use wardroom_appdir::{Folder, Stat};
use wardroom_base::toml_text;

/// The longest card of a batch: a parsed card takes ten times as many bytes, and a batch has many.
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
    Json(Value),
    /// A card whose keys earlier ones have.
    Encoded(EncodedCard),
}

impl ReadCard {
    /// Reads a card; `None` where the file is gone, or is no regular file.
    pub(super) fn read(folder: &Folder, id: &str) -> Option<Self> {
        Self::read_within(folder, id, u64::MAX).unwrap_or_default()
    }

    /// Reads a card as [`Self::read`] does, unless it is long, and encodes it if earlier ones have its keys.
    pub(super) fn read_short(folder: &Folder, id: &str, keys: &CardKeyTable) -> Result<Option<Self>, LongCard> {
        let mut read = Self::read_within(folder, id, MAX_BATCHED_CARD_BYTES)?;
        if let Some(read) = &mut read
            && let CardContent::Json(card) = &read.card
            && let Some(encoded) = encode_card(card, id, &mut { keys })
        {
            read.card = CardContent::Encoded(encoded);
        }
        Ok(read)
    }

    fn read_within(folder: &Folder, id: &str, longest: u64) -> Result<Option<Self>, LongCard> {
        let name = format!("{id}.toml");
        let file = match folder.open(&name) {
            Ok(file) if file.stat().len > longest => return Err(LongCard),
            Ok(file) => file.uncached(),
            Err(error) => {
                tracing::debug!(%error, "cannot open a card, skipped");
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
                CardContent::Unreadable
            }
        };
        Ok(Some(Self { stat_hash, card }))
    }
}

/// A card that is to be read alone.
pub(super) struct LongCard;

pub(super) fn hash_stat(stat: Stat) -> u64 {
    let mut hasher = DefaultHasher::new();
    stat.hash(&mut hasher);
    hasher.finish()
}
