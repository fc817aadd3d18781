//! The index of cards: the files of its crate themselves, since that would bring wasmtime.

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/cards/file_names.rs"]
pub mod file_names;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/cards/index/mod.rs"]
mod index;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/cards/query.rs"]
mod query;

use serde_json::Value;
use wardroom_appdir::{CacheDir, Folder};
use wardroom_base::uri::CardId;

use self::index::CardIndex;

pub mod store {
    pub const LOCKS_DIR: &str = ".locks";
}

type CancelCheck<'s> = &'s (dyn Fn() -> bool + Sync);

/// The package names that an id may begin with, the longest first.
fn candidate_package_names(card: &CardId) -> impl Iterator<Item = &str> {
    let id = card.as_str();
    id.rmatch_indices('_').filter_map(|(at, _)| id.get(..at)).filter(|name| !name.is_empty())
}

/// A card as a list shows it: its package, its id, whether all of its fields are there, and those.
pub type Row = (String, String, bool, Option<Value>);

/// Returns the cards that a new process finds, the newest first. What `get` finds of each is asked too.
pub fn list(app: &Folder) -> Vec<Row> {
    let rows = CardIndex::new(CacheDir::in_app(app), 200_000, false).query(app, &|| false, |view| {
        let rows = view.entries().map(|entry| {
            let id = CardId::parse(entry.id).expect("a card has an id");
            let found = view.get(&id).expect("a listed card is found");
            assert_eq!(found.id, entry.id);
            (entry.package.to_owned(), entry.id.to_owned(), entry.is_whole, entry.fields.json(&[]))
        });
        rows.collect()
    });
    rows.expect("the folder of cards can be read")
}
