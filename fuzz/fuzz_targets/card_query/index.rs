//! Cards as the index holds them.

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/cards/index/card_forms.rs"]
mod card_forms;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/cards/index/packed_card.rs"]
mod packed_card;

use serde_json::Value;

use self::card_forms::{CardForms, CardKeyTable};
use self::packed_card::{KeyPath, PackedCard, encode_card};

/// The id of each document, as which some of their texts are stored.
const ID: &str = "a";

/// Documents that share a table of keys and shapes.
pub struct Packed {
    shape: u32,
    values: Vec<u8>,
    forms: CardForms,
}

impl Packed {
    /// Packs documents; `None` where a key is too long for the index, or one is too deep.
    pub fn pack_all(documents: &[Value]) -> Option<Vec<Self>> {
        let mut forms = CardForms::default();
        let encode = |document: &Value| {
            let card = encode_card(document, ID, &mut forms.keys)?;
            let shape = forms.shapes.take(&card.tags, &forms.keys)?;
            Some((shape, card.values))
        };
        let packed: Option<Vec<_>> = documents.iter().map(encode).collect();
        assert!(CardKeyTable::from_names(forms.keys.names().to_vec()).is_some(), "a saved table of keys can be read");
        Some(packed?.into_iter().map(|(shape, values)| Self { shape, values, forms: forms.clone() }).collect())
    }

    pub(super) fn card(&self) -> PackedCard<'_> {
        PackedCard::new(&self.forms, self.shape, ID, &self.values).expect("it has a shape")
    }

    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        self.forms.resolve_path(path)
    }

    /// Returns the document again.
    pub fn json(&self) -> Option<Value> {
        self.card().json(&[])
    }

    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.card().text(path)
    }
}
