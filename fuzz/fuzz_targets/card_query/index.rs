//! Cards as the index holds them.

#[path = "../../../host/crates/alc/src/cards/index/packed_card.rs"]
mod packed_card;

use serde_json::Value;

use self::packed_card::{CardKeyTable, KeyPath, PackedCard, pack_value};

/// Documents that share a table of keys.
pub struct Packed {
    bytes: Box<[u8]>,
    keys: CardKeyTable,
}

impl Packed {
    /// Packs documents; `None` where a key is too long for the index.
    pub fn pack_all(documents: &[Value]) -> Option<Vec<Self>> {
        let mut keys = CardKeyTable::default();
        let packed: Option<Vec<_>> = documents.iter().map(|document| pack_value(document, &mut keys)).collect();
        assert!(CardKeyTable::from_names(keys.names().to_vec()).is_some(), "a saved table of keys can be read");
        Some(packed?.into_iter().map(|bytes| Self { bytes, keys: keys.clone() }).collect())
    }

    pub(super) fn card(&self) -> PackedCard<'_> {
        PackedCard::new(&self.bytes, &self.keys)
    }

    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        self.keys.resolve_path(path)
    }

    /// Returns the document again.
    pub fn json(&self) -> Option<Value> {
        self.card().json(&[])
    }

    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.card().text(path)
    }
}
