//! Cards: the immutable records of runs, as resources, as tools and for scripts.
//!
//! Owns: the resource `alc://cards/{card_id}`, finding a card's folder without looking through all of them, and the
//! words for what goes wrong with a card.

mod aliases;
mod args;
mod find;
mod format;
mod import;
mod index;
mod lineage;
mod query;
mod samples;
mod script_api;
mod sinks;
mod store;
mod summary;
pub(super) mod tools;

use serde_json::Value;
use wardroom_rules::id::check_alphabet;

pub(super) use self::index::CardIndex;
pub use self::sinks::CardSink;
pub(super) use self::sinks::CardSinks;
pub use self::store::PreparedCard;
pub(super) use self::summary::PackageCardStats;
use super::{Alc, ReadRequest};
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_INLINE_CARD_BYTES};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::{ResourceContent, ServiceError, SizeLimits, escape_and_truncate, mime};

/// Parsed, a card takes many times its text: it counts as large from early on.
const CARD_SIZE_LIMITS: SizeLimits =
    SizeLimits { light: MAX_INLINE_CARD_BYTES, full: MAX_INLINE_CARD_BYTES, large: MAX_CARD_BYTES };

/// Where cards are, in the AppDir.
const CARDS_DIR: &str = "cards";

/// The folder that holds a card, and its name, which is the package's.
struct CardLocation {
    package: String,
    folder: Folder,
}

/// Whether somebody gave up on the answer.
type CancelCheck<'s> = &'s dyn Fn() -> bool;

impl Alc {
    pub(super) fn read_card(&self, card: &CardId, ask: &ReadRequest) -> Result<ResourceContent, ServiceError> {
        let folder = self.find_card_folder(card, ask)?;
        let read = folder.read_text(&card_file_name(card), ask.context.size_limit(CARD_SIZE_LIMITS));
        let (text, modified) = read.map_err(|error| ServiceError::from_read_error(ask.uri, error))?;
        Ok(ResourceContent::new(mime::JSON, parse_card_json(card, &text)?.to_string(), modified))
    }

    /// The folder that holds a card, for who reads it as a resource.
    pub(super) fn find_card_folder(&self, card: &CardId, ask: &ReadRequest) -> Result<Folder, ServiceError> {
        let failed = |error| ServiceError::from_read_error(ask.uri, error);
        let cards = self.folders.app.open_folder(CARDS_DIR).map_err(failed)?;
        if let Some(home) = locate_by_id_prefix(&cards, card).map_err(failed)? {
            return Ok(home.folder);
        }
        ask.context.require_full()?;
        let found = locate_by_scan(&cards, card, &|| ask.context.cancellation.is_cancelled()).map_err(failed)?;
        found.map(|home| home.folder).ok_or_else(|| ServiceError::NotFound { uri: ask.uri.to_owned() })
    }

    /// The folder that holds a card, if there is one.
    fn locate_card(&self, card: &CardId, stop: CancelCheck) -> Result<Option<CardLocation>, ServiceError> {
        let find = || {
            let cards = match self.folders.app.open_folder(CARDS_DIR) {
                Err(AppDirError::NotFound(_)) => return Ok(None),
                cards => cards?,
            };
            match locate_by_id_prefix(&cards, card)? {
                Some(home) => Ok(Some(home)),
                None => locate_by_scan(&cards, card, stop),
            }
        };
        find().map_err(|error| storage_error(&format!("card '{card}'"), error))
    }
}

/// A card's id begins with its package's name, so those folders are tried first, the longest name before shorter ones.
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

/// All folders, by name: the order does not depend on the disk. To ask the index would take as many looks, since it has
/// to look at every folder to know that it still holds.
fn locate_by_scan(cards: &Folder, card: &CardId, stop: CancelCheck) -> Result<Option<CardLocation>, AppDirError> {
    for entry in cards.entries(MAX_NAMES_SCANNED)? {
        if stop() {
            return Err(AppDirError::Cancelled(entry.name));
        }
        if !matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink) {
            continue;
        }
        match cards.open_folder(&entry.name) {
            Ok(folder) if contains_card(&folder, card)? => {
                return Ok(Some(CardLocation { package: entry.name, folder }));
            }
            Ok(_) => {}
            // A folder that cannot be opened hides no card in the others.
            Err(error) => tracing::debug!(%error, "folder of cards skipped"),
        }
    }
    Ok(None)
}

/// The names that the folder of a card usually has, the longest first.
pub(super) fn candidate_package_names(card: &CardId) -> impl Iterator<Item = &str> {
    let id = card.as_str();
    // Not every beginning of an id is a name: `.._x` begins with `..`.
    id.rmatch_indices('_').filter_map(|(at, _)| id.get(..at)).filter(|prefix| check_alphabet(prefix).is_ok())
}

pub(super) fn card_file_name(card: &CardId) -> String {
    format!("{card}.toml")
}

/// Whether a package's folder has the card. A card that leads outside is an error, not an absence.
fn contains_card(folder: &Folder, card: &CardId) -> Result<bool, AppDirError> {
    match folder.stat(&card_file_name(card)) {
        Ok(_) => Ok(true),
        Err(AppDirError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The JSON of a card's text.
fn parse_card_json(card: &CardId, text: &str) -> Result<Value, ServiceError> {
    parse_card_table(card, text).map(format::card_to_json)
}

fn parse_card_table(card: &CardId, text: &str) -> Result<toml::Table, ServiceError> {
    toml_text::parse(text).map_err(|error| {
        ServiceError::internal(format!("Failed to parse card '{card}': {}", error.public_message()), error)
    })
}

fn card_not_found(card: &CardId) -> ServiceError {
    ServiceError::tool(code::CARD_NOT_FOUND, format!("card '{card}' not found"))
}

fn parse_card_id(text: &str) -> Result<CardId, ServiceError> {
    CardId::parse(text).map_err(|_| invalid_name("card_id", text))
}

fn parse_package_name(text: &str) -> Result<PackageName, ServiceError> {
    PackageName::parse(text).ok().filter(|_| text != store::LOCKS_DIR).ok_or_else(|| invalid_name("pkg", text))
}

fn invalid_name(kind: &str, text: &str) -> ServiceError {
    ServiceError::tool(code::INVALID_NAME, format!("Invalid {kind} name: '{}'", escape_and_truncate(text)))
}

/// What an operation on the files of `what` means for the caller of a tool or for a script.
fn storage_error(what: &str, error: AppDirError) -> ServiceError {
    match error {
        AppDirError::NotFound(_) => ServiceError::tool(code::NOT_FOUND, format!("{what} is not there")),
        AppDirError::PermissionDenied(_) => ServiceError::write_denied(what),
        AppDirError::Cancelled(_) => {
            ServiceError::tool(code::CANCELLED, format!("the call was cancelled while it looked at {what}"))
        }
        AppDirError::ReadOnly(_) => {
            ServiceError::tool(code::READ_ONLY, format!("{what} cannot be written: the folder was opened read-only"))
        }
        AppDirError::Locked(_) => ServiceError::tool(
            code::BUSY,
            format!("{what} is being written by another process for too long, try again"),
        ),
        AppDirError::DiskFull(_) => ServiceError::tool(
            code::DISK_FULL,
            format!("{what} cannot be written: the disk is full; make room and try again"),
        ),
        error => ServiceError::from_read_error(what, error),
    }
}
