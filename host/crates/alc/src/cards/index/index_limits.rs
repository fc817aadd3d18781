//! How much the index of cards may hold.
//!
//! Owns: that each bound grows with the number of cards that the operator wants listed.

use crate::limits::{MAX_CARD_INDEX_BYTES_PER_CARD, MAX_CARD_INDEX_FILE_BYTES_PER_CARD, MAX_NAMES_SCANNED_PER_CARD};

/// The bounds of one index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IndexLimits {
    pub(super) cards: usize,
}

impl IndexLimits {
    /// Bytes of all cards that are kept whole.
    pub(super) const fn bytes(self) -> usize {
        self.cards.saturating_mul(MAX_CARD_INDEX_BYTES_PER_CARD)
    }

    /// Names that one refresh reads.
    pub(super) const fn names(self) -> usize {
        self.cards.saturating_mul(MAX_NAMES_SCANNED_PER_CARD)
    }

    /// Bytes of a saved index.
    pub(super) const fn file_bytes(self) -> u64 {
        self.cards.saturating_mul(MAX_CARD_INDEX_FILE_BYTES_PER_CARD) as u64
    }
}
