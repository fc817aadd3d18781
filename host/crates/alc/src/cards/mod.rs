//! Cards: the immutable records of runs, as resources, as tools and for scripts.
//!
//! Owns: the resource `alc://cards/{card_id}`, finding a card's folder without looking through all of them, and the
//! words for what goes wrong with a card.

mod aliases;
mod arguments;
mod find;
mod format;
mod import;
mod index;
mod lineage;
mod query;
mod samples;
mod script;
mod sinks;
mod store;
mod summary;
pub(super) mod tools;

use serde_json::Value;
use wardroom_rules::id::check_alphabet;

pub(super) use self::index::CardIndex;
pub use self::sinks::Sink;
pub(super) use self::sinks::Sinks;
pub use self::store::Prepared;
pub(super) use self::summary::OfPackage;
use super::{Alc, Ask};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::{LIGHT_CARD_BYTES, MAX_CARD_BYTES, MAX_NAMES_SCANNED};
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::{Content, ServiceError, Sizes, mime, shown};

/// Parsed, a card takes many times its text: it counts as large from early on.
const CARD: Sizes = Sizes { light: LIGHT_CARD_BYTES, shared: LIGHT_CARD_BYTES, most: MAX_CARD_BYTES };

/// Where cards are, in the AppDir.
const CARDS: &str = "cards";

/// The folder that holds a card, and its name, which is the package's.
struct Home {
    package: String,
    folder: Folder,
}

/// Whether somebody gave up on the answer.
type Stop<'s> = &'s dyn Fn() -> bool;

impl Alc {
    pub(super) fn card(&self, card: &CardId, ask: &Ask) -> Result<Content, ServiceError> {
        let folder = self.card_folder(card, ask)?;
        let read = folder.read_text(&file_name(card), ask.context.within(CARD));
        let (text, modified) = read.map_err(|error| ServiceError::reading(ask.uri, error))?;
        Ok(Content::new(mime::JSON, parsed(card, &text)?.to_string(), modified))
    }

    /// The folder that holds a card, for who reads it as a resource.
    pub(super) fn card_folder(&self, card: &CardId, ask: &Ask) -> Result<Folder, ServiceError> {
        let failed = |error| ServiceError::reading(ask.uri, error);
        let cards = self.folders.app.folder(CARDS).map_err(failed)?;
        if let Some(home) = likely_home(&cards, card).map_err(failed)? {
            return Ok(home.folder);
        }
        ask.context.needs_full()?;
        let found = any_home(&cards, card, &|| ask.context.cancelled.is_cancelled()).map_err(failed)?;
        found.map(|home| home.folder).ok_or_else(|| ServiceError::NotFound { uri: ask.uri.to_owned() })
    }

    /// The folder that holds a card, if there is one.
    fn card_home(&self, card: &CardId, stop: Stop) -> Result<Option<Home>, ServiceError> {
        let find = || {
            let cards = match self.folders.app.folder(CARDS) {
                Err(AppDirError::NotFound(_)) => return Ok(None),
                cards => cards?,
            };
            match likely_home(&cards, card)? {
                Some(home) => Ok(Some(home)),
                None => any_home(&cards, card, stop),
            }
        };
        find().map_err(|error| failed(&format!("card '{card}'"), error))
    }
}

/// A card's id begins with its package's name, so those folders are tried first, the longest name before shorter ones.
fn likely_home(cards: &Folder, card: &CardId) -> Result<Option<Home>, AppDirError> {
    for prefix in likely_folders(card) {
        match cards.folder(prefix) {
            Ok(folder) if holds(&folder, card)? => return Ok(Some(Home { package: prefix.to_owned(), folder })),
            Ok(_) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// All folders, by name: the order does not depend on the disk. To ask the index would take as many looks, since it has
/// to look at every folder to know that it still holds.
fn any_home(cards: &Folder, card: &CardId, stop: Stop) -> Result<Option<Home>, AppDirError> {
    for entry in cards.entries(MAX_NAMES_SCANNED)? {
        if stop() {
            return Err(AppDirError::Stopped(entry.name));
        }
        if !matches!(entry.kind, EntryKind::Folder | EntryKind::Link) {
            continue;
        }
        match cards.folder(&entry.name) {
            Ok(folder) if holds(&folder, card)? => return Ok(Some(Home { package: entry.name, folder })),
            Ok(_) => {}
            // A folder that cannot be opened hides no card in the others.
            Err(error) => tracing::debug!(%error, "folder of cards skipped"),
        }
    }
    Ok(None)
}

/// The names that the folder of a card usually has, the longest first.
pub(super) fn likely_folders(card: &CardId) -> impl Iterator<Item = &str> {
    let id = card.as_str();
    // Not every beginning of an id is a name: `.._x` begins with `..`.
    id.rmatch_indices('_').filter_map(|(at, _)| id.get(..at)).filter(|prefix| check_alphabet(prefix).is_ok())
}

pub(super) fn file_name(card: &CardId) -> String {
    format!("{card}.toml")
}

/// Whether a package's folder has the card. A card that leads outside is an error, not an absence.
fn holds(folder: &Folder, card: &CardId) -> Result<bool, AppDirError> {
    match folder.stat(&file_name(card)) {
        Ok(_) => Ok(true),
        Err(AppDirError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The JSON of a card's text.
fn parsed(card: &CardId, text: &str) -> Result<Value, ServiceError> {
    table(card, text).map(format::card_to_json)
}

fn table(card: &CardId, text: &str) -> Result<toml::Table, ServiceError> {
    toml_text::parse(text)
        .map_err(|error| ServiceError::internal(format!("Failed to parse card '{card}': {}", error.public()), error))
}

/// A failure that the caller can mend.
fn refused(code: &'static str, message: impl Into<String>) -> ServiceError {
    ServiceError::Tool { code, message: message.into(), details: None }
}

fn no_card(card: &CardId) -> ServiceError {
    refused("CARD_NOT_FOUND", format!("card '{card}' not found"))
}

fn card_name(text: &str) -> Result<CardId, ServiceError> {
    CardId::parse(text).map_err(|_| bad_name("card_id", text))
}

fn package_name(text: &str) -> Result<PackageName, ServiceError> {
    PackageName::parse(text).ok().filter(|_| text != store::LOCKS).ok_or_else(|| bad_name("pkg", text))
}

fn bad_name(kind: &str, text: &str) -> ServiceError {
    refused("INVALID_NAME", format!("Invalid {kind} name: '{}'", shown(text)))
}

/// What an operation on the files of `what` means for the caller of a tool or for a script.
fn failed(what: &str, error: AppDirError) -> ServiceError {
    match error {
        AppDirError::NotFound(_) => refused("NOT_FOUND", format!("{what} is not there")),
        AppDirError::Denied(_) => ServiceError::denied(what),
        AppDirError::Stopped(_) => refused("CANCELLED", format!("the call was cancelled while it looked at {what}")),
        AppDirError::ReadOnly(_) => {
            refused("READ_ONLY", format!("{what} cannot be written: the folder was opened read-only"))
        }
        AppDirError::Locked(_) => {
            refused("BUSY", format!("{what} is being written by another process for too long, try again"))
        }
        AppDirError::Full(_) => {
            refused("DISK_FULL", format!("{what} cannot be written: the disk is full; make room and try again"))
        }
        error => ServiceError::reading(what, error),
    }
}
