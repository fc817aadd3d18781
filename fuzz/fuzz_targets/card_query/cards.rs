//! The query language, and cards as the index holds them: the files of their crate themselves, since that would bring
//! wasmtime.

pub mod index;
#[path = "../../../host/crates/alc/src/cards/query.rs"]
pub mod query;

use std::cmp::Ordering;

use serde_json::Value;

use self::index::Packed;
use self::query::{FieldValue, OrderBy, Predicate, QueryDocument as _, SortDirection, compare_sort_values};

/// Words that are operators of other languages.
pub fn foreign_operators() -> &'static [&'static str] {
    &query::FOREIGN_OPERATORS
}

/// A parsed `where`.
pub struct Condition(Predicate);

impl Condition {
    pub fn parse(clause: &Value) -> Result<Self, String> {
        Predicate::parse(clause).map(Self)
    }

    /// Whether a document fulfils it: as JSON, and as the index holds it.
    pub fn matches(&self, document: &Value, packed: &Packed) -> (bool, bool) {
        let resolved = self.0.resolve_paths(&|path| packed.resolve_path(path));
        (self.0.matches(document), resolved.matches(&packed.card()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A parsed `order_by`.
pub struct Order(OrderBy);

impl Order {
    pub fn parse(keys: &Value) -> Result<Self, String> {
        OrderBy::parse(keys).map(Self)
    }

    /// Compares two documents, first as JSON and then as the index holds them. Both have one table of keys.
    pub fn compare(&self, documents: [&Value; 2], packed: [&Packed; 2]) -> (Ordering, Ordering) {
        let plain = self.0.0.iter().map(|(path, direction)| {
            let [one, other] = documents.map(|document| document.field(path));
            compare(one, other, *direction)
        });
        let resolved = self.0.resolve_paths(&|path| packed[0].resolve_path(path));
        let held = resolved.0.iter().map(|(path, direction)| {
            let [one, other] = packed.map(|packed| packed.card().field(path));
            compare(one, other, *direction)
        });
        (first_difference(plain), first_difference(held))
    }
}

fn compare(one: Option<FieldValue>, other: Option<FieldValue>, direction: SortDirection) -> Ordering {
    let order = compare_sort_values(one, other, direction);
    assert_eq!(compare_sort_values(other, one, direction), order.reverse());
    let opposite = match direction {
        SortDirection::Ascending => SortDirection::Descending,
        SortDirection::Descending => SortDirection::Ascending,
    };
    assert_eq!(compare_sort_values(one, other, opposite), order.reverse());
    order
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
