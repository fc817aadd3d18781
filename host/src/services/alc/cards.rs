//! `alc://cards/{card_id}`: a card, from the TOML it is stored as to JSON.
//!
//! Owns: finding a card's folder without looking through all of them.

use serde_json::Value;
use wardroom_rules::id::check_alphabet;

use super::{Alc, Ask};
use crate::appdir::{AppDirError, EntryKind, Folder};
use crate::limits::{LIGHT_CARD_BYTES, MAX_CARD_BYTES, MAX_NAMES_SCANNED};
use crate::services::{Content, ServiceError, Sizes, mime};
use crate::toml_text;
use crate::uri::CardId;

/// Parsed, a card takes many times its text: it counts as large from early on.
const CARD: Sizes = Sizes { light: LIGHT_CARD_BYTES, shared: LIGHT_CARD_BYTES, most: MAX_CARD_BYTES };

impl Alc {
    pub(super) fn card(&self, card: &CardId, ask: &Ask) -> Result<Content, ServiceError> {
        let uri = ask.uri;
        let failed = |error| ServiceError::reading(uri, error);
        let folder = self.card_folder(card, ask)?;
        let read = folder.read_text(&file_name(card), ask.context.within(CARD));
        let (text, modified) = read.map_err(failed)?;
        let table = toml_text::parse(&text).map_err(|error| {
            ServiceError::internal(format!("Failed to parse card '{card}': {}", error.public()), error)
        })?;
        let json = Value::Object(table.into_iter().map(|(key, value)| (key, to_json(value))).collect());
        Ok(Content::new(mime::JSON, json.to_string(), modified))
    }

    /// The folder that holds a card. A card's id begins with its package's name, so those folders are tried first,
    /// the longest name before shorter ones; then all others by name. The order does not depend on the disk.
    pub(super) fn card_folder(&self, card: &CardId, ask: &Ask) -> Result<Folder, ServiceError> {
        let uri = ask.uri;
        let failed = |error| ServiceError::reading(uri, error);
        let cards = self.folders.app.folder("cards").map_err(failed)?;
        for prefix in likely_folders(card) {
            match cards.folder(prefix) {
                Ok(folder) if holds(&folder, card).map_err(failed)? => return Ok(folder),
                Ok(_) | Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        ask.context.needs_full()?;
        for entry in cards.entries(MAX_NAMES_SCANNED).map_err(failed)? {
            if ask.context.cancelled.is_cancelled() {
                return Err(failed(AppDirError::Stopped(entry.name)));
            }
            if !matches!(entry.kind, EntryKind::Folder | EntryKind::Link) {
                continue;
            }
            match cards.folder(&entry.name) {
                Ok(folder) if holds(&folder, card).map_err(failed)? => return Ok(folder),
                Ok(_) => {}
                // A folder that cannot be opened hides no card in the others.
                Err(error) => tracing::debug!(%error, "folder of cards skipped"),
            }
        }
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }
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

/// Date-times become strings, numbers that JSON lacks become null.
fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(to_json).collect(),
        toml::Value::Table(table) => Value::Object(table.into_iter().map(|(k, v)| (k, to_json(v))).collect()),
    }
}
