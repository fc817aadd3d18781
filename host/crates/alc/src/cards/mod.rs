//! Cards: immutable records of runs, offered as resources, as tools and to scripts.
//!
//! Owns: `cards/`, the index of its cards, and the search for a card's folder, which tries prefixes of the id before it
//! scans all folders.
//! Gives: cards and their samples as resources, and the queries and changes that tools and scripts make.
//! Never: changes a field of a card, or runs a tool: each one is a function that takes the store.

mod aliases;
mod args;
mod figures;
pub(crate) mod file_names;
mod find;
mod format;
mod import;
mod index;
mod lineage;
mod listing;
mod outputs;
mod query;
mod sample_pages;
mod samples;
mod script_api;
mod sinks;
mod store;
mod summary;
pub(super) mod tools;

use std::sync::Arc;

use crate::cards::file_names::{CARDS_DIR, card_file_name};
use crate::reserved_names::is_reserved_card_package;
use crate::storage_error::access_error;
use serde_json::Value;
use wardroom_rules::id::check_alphabet;

pub use self::figures::{CardFigures, CardFilter};
use self::index::CardIndex;
pub use self::script_api::{CardOperation, perform_card_operation};
pub use self::sinks::CardSink;
use self::sinks::CardSinks;
pub use self::store::PreparedCard;
pub(super) use self::summary::PackageCardStats;
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_INLINE_CARD_BYTES};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, CacheDir, EntryKind, Folder, LineIndexCache};
use wardroom_base::toml_text::{self, TomlError};
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::{Cost, DocumentLimits, ResourceContent, ServiceError, Step, Work, escape_and_truncate, mime};

/// The read limits of a card. A parsed card takes many times the memory of its text, so a few KiB count as large.
const CARD_SIZE_LIMITS: DocumentLimits =
    DocumentLimits { inline: MAX_INLINE_CARD_BYTES, worker: MAX_INLINE_CARD_BYTES, large: MAX_CARD_BYTES };

/// The cards of one AppDir.
pub struct CardStore {
    app: Folder,
    /// The line indexes of sample files.
    indexes: LineIndexCache,
    index: CardIndex,
    sinks: CardSinks,
}

/// The folder that holds a card, with the package that it is named after.
struct CardLocation {
    package: String,
    folder: Folder,
}

/// Returns whether the caller cancelled the operation.
type CancelCheck<'s> = &'s (dyn Fn() -> bool + Sync);

/// The index of a store of cards.
pub struct CardIndexOptions {
    pub cache: CacheDir,
    /// How many cards it has at most.
    pub max_cards: usize,
    /// Whether the system is asked which cards changed.
    pub watches_folders: bool,
}

impl CardStore {
    /// Creates the store of an AppDir. Each sink gets a copy of every card that is written.
    #[must_use]
    pub fn new(app: Folder, index: CardIndexOptions, indexes: LineIndexCache, sinks: Vec<CardSink>) -> Self {
        let CardIndexOptions { cache, max_cards, watches_folders } = index;
        let index = CardIndex::new(cache, max_cards, watches_folders);
        Self { app, indexes, index, sinks: CardSinks::new(sinks) }
    }

    /// Returns the folders of the sinks.
    pub(super) fn sink_folders(&self) -> impl Iterator<Item = &Folder> {
        self.sinks.folders()
    }

    /// Resolves the read of a card.
    pub(super) fn resolve_card(
        self: &Arc<Self>,
        card: &CardId,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        if let Some(folder) = self.find_folder_by_prefix(card, uri)? {
            return read_card_file(&folder, card, uri);
        }
        let (store, card, uri) = (Arc::clone(self), card.clone(), uri.to_owned());
        Ok(Work::in_steps(Cost::Worker, move |info| {
            let folder = store.find_folder_by_scan(&card, &uri, &|| info.cancellation.is_cancelled())?;
            read_card_file(&folder, &card, &uri).map(Step::Next)
        }))
    }

    /// Returns the folder that holds a card, if the id begins with its name.
    pub(super) fn find_folder_by_prefix(&self, card: &CardId, uri: &str) -> Result<Option<Folder>, ServiceError> {
        let cards = self.app.open_folder(CARDS_DIR);
        let found = cards.and_then(|cards| locate_by_id_prefix(&cards, card));
        found
            .map(|location| location.map(|location| location.folder))
            .map_err(|error| ServiceError::from_read_error(uri, error))
    }

    /// Returns the folder that holds a card, among all of them.
    pub(super) fn find_folder_by_scan(
        &self,
        card: &CardId,
        uri: &str,
        stop: CancelCheck,
    ) -> Result<Folder, ServiceError> {
        let cards = self.app.open_folder(CARDS_DIR);
        let found = cards.and_then(|cards| locate_by_scan(&cards, card, stop));
        let found = found.map_err(|error| ServiceError::from_read_error(uri, error))?;
        found.map(|location| location.folder).ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Returns the folder that holds a card, or `None` where no folder has it.
    fn locate_card(&self, card: &CardId, stop: CancelCheck) -> Result<Option<CardLocation>, ServiceError> {
        let find = || {
            let cards = match self.app.open_folder(CARDS_DIR) {
                Err(AppDirError::NotFound(_)) => return Ok(None),
                cards => cards?,
            };
            match locate_by_id_prefix(&cards, card)? {
                Some(location) => Ok(Some(location)),
                None => locate_by_scan(&cards, card, stop),
            }
        };
        find().map_err(|error| access_error(&format!("card '{card}'"), error))
    }
}

fn read_card_file(folder: &Folder, card: &CardId, uri: &str) -> Result<Work<ResourceContent>, ServiceError> {
    let file = folder.open(&card_file_name(card)).map_err(|error| ServiceError::from_read_error(uri, error))?;
    let card = card.clone();
    Ok(CARD_SIZE_LIMITS.read_text(file, uri, move |text, modified| {
        Ok(ResourceContent::new(mime::JSON, parse_card_json(&card, &text)?.to_string(), modified))
    }))
}

/// Tries the folders whose names are prefixes of the id, the longest first: an id begins with its package's name.
fn locate_by_id_prefix(cards: &Folder, card: &CardId) -> Result<Option<CardLocation>, AppDirError> {
    for prefix in candidate_package_names(card) {
        match cards.open_folder(prefix) {
            Ok(folder) if contains_card(&folder, card)? => {
                return Ok(Some(CardLocation { package: prefix.to_owned(), folder }));
            }
            Ok(_) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Tries all folders in the order of their names, which does not depend on the disk. The index would be no faster: it
/// has to stat every folder to know that it is current.
fn locate_by_scan(cards: &Folder, card: &CardId, stop: CancelCheck) -> Result<Option<CardLocation>, AppDirError> {
    let file = card_file_name(card);
    for entry in cards.entries(MAX_NAMES_SCANNED)? {
        if stop() {
            return Err(AppDirError::Cancelled(entry.name));
        }
        if !matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink) {
            continue;
        }
        // One system call instead of three, for nearly all folders. A link is judged from its own folder below.
        if let Err(AppDirError::NotFound(_)) = cards.entry_kind(&format!("{}/{file}", entry.name)) {
            continue;
        }
        match cards.open_folder(&entry.name) {
            Ok(folder) if contains_card(&folder, card)? => {
                return Ok(Some(CardLocation { package: entry.name, folder }));
            }
            Ok(_) => {}
            // A folder that cannot be opened must not hide cards in the others.
            Err(error) => tracing::debug!(%error, "cannot list a folder of cards, skipped"),
        }
    }
    Ok(None)
}

/// Returns the package names that an id may begin with, the longest first.
pub(super) fn candidate_package_names(card: &CardId) -> impl Iterator<Item = &str> {
    let id = card.as_str();
    // Not every prefix of an id is a name: `.._x` begins with `..`.
    id.rmatch_indices('_').filter_map(|(at, _)| id.get(..at)).filter(|prefix| check_alphabet(prefix).is_ok())
}

/// Returns whether a package's folder has the card. A symlink that leads outside is an error, not an absence.
fn contains_card(folder: &Folder, card: &CardId) -> Result<bool, AppDirError> {
    match folder.stat(&card_file_name(card)) {
        Ok(_) => Ok(true),
        Err(AppDirError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Parses a card's text into JSON.
fn parse_card_json(card: &CardId, text: &str) -> Result<Value, ServiceError> {
    toml_text::parse_json(text).map(Value::Object).map_err(|error| card_parse_error(card, error))
}

fn parse_card_table(card: &CardId, text: &str) -> Result<toml::Table, ServiceError> {
    toml_text::parse(text).map_err(|error| card_parse_error(card, error))
}

fn card_parse_error(card: &CardId, error: TomlError) -> ServiceError {
    ServiceError::internal(format!("Failed to parse card '{card}': {}", error.public_message()), error)
}

fn card_not_found(card: &CardId) -> ServiceError {
    ServiceError::tool(code::CARD_NOT_FOUND, format!("card '{card}' not found"))
}

fn parse_card_id(text: &str) -> Result<CardId, ServiceError> {
    CardId::parse(text).map_err(|_| invalid_name("card_id", text))
}

fn parse_package_name(text: &str) -> Result<PackageName, ServiceError> {
    let is_free = |_: &PackageName| !is_reserved_card_package(text);
    PackageName::parse(text).ok().filter(is_free).ok_or_else(|| invalid_name("pkg", text))
}

fn invalid_name(kind: &str, text: &str) -> ServiceError {
    ServiceError::tool(code::INVALID_NAME, format!("Invalid {kind} name: '{}'", escape_and_truncate(text)))
}
