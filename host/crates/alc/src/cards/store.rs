//! Writing cards: created once, extended by new keys, and samples written once.
//!
//! Owns: what is added to a new card, who wins of two writers, and the locks between them.
//! Never: changes or removes anything that a card has, or looks at a clock: the time of a new card is given, so that a run
//! that is replayed decides the same.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::sinks::CardEvent;
use super::{
    CARDS_DIR, CardLocation, card_file_name, card_not_found, format, locate_by_id_prefix, locate_by_scan,
    parse_card_json, parse_card_table, storage_error, tool_error,
};
use super::{parse_card_id, parse_package_name};
use crate::Alc;
use crate::limits::{CARD_LOCK_SHARDS, MAX_CARD_BYTES};
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, FileLock, Folder, Privacy};
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::ServiceError;

/// The schema of cards that say nothing else.
pub(super) const CARD_SCHEMA_VERSION: &str = "card/v0";

/// A card that is decided in all respects and not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedCard {
    pub card_id: String,
    pub package: String,
    /// What its file will hold.
    pub text: String,
}

impl PreparedCard {
    /// What `alc.card.create` answers: the file is named from the AppDir on.
    #[must_use]
    pub fn to_output(&self) -> Value {
        json!({"card_id": self.card_id, "path": format!("{CARDS_DIR}/{}/{}.toml", self.package, self.card_id)})
    }
}

/// What to do about a card that is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExistingCardPolicy {
    Reject,
    /// It counts as written when it has all that was to be written.
    AcceptMatching,
}

impl Alc {
    /// Decides what a new card is: its id, and the text of its file. The same card at the same time is the same in every
    /// process.
    ///
    /// # Errors
    /// In the original's words, and when it could not be read again.
    pub fn prepare_card(&self, card: &Value, now: SystemTime) -> Result<PreparedCard, ServiceError> {
        let Value::Object(fields) = card else { return Err(invalid_card("alc.card.create: card must be a table")) };
        let mut fields = fields.clone();
        let package = card.pointer("/pkg/name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let package =
            parse_package_name(package.ok_or_else(|| invalid_card("alc.card.create: pkg.name is required"))?)?;
        let now = DateTime::<Utc>::from(now);
        let mut default = |key: &str, value: &dyn Fn() -> String| {
            if fields.get(key).is_none_or(Value::is_null) {
                fields.insert(key.to_owned(), value().into());
            }
        };
        default("schema_version", &|| CARD_SCHEMA_VERSION.to_owned());
        default("created_at", &|| now.to_rfc3339_opts(SecondsFormat::Secs, true));
        default("created_by", &|| format!("wardroom@{}", env!("CARGO_PKG_VERSION")));
        if let Some(params) = fields.get("params").filter(|params| params.is_object()) {
            let fingerprint = format::fingerprint_params(params);
            fields.insert("param_fingerprint".to_owned(), fingerprint.into());
        }
        let id = match fields.get("card_id") {
            None | Some(Value::Null) => {
                fields.remove("card_id");
                format::generate_card_id(package.as_str(), &Value::Object(fields.clone()), now)
            }
            Some(Value::String(id)) => id.clone(),
            Some(_) => return Err(invalid_card("alc.card.create: card_id must be a string")),
        };
        let id = parse_card_id(&id)?;
        fields.insert("card_id".to_owned(), id.as_str().into());
        let text = format::render_card_toml(&to_toml_table(&fields))
            .map_err(|reason| tool_error("CARD_TOO_LARGE", format!("alc.card.create: card '{id}' {reason}")))?;
        Ok(PreparedCard { card_id: id.to_string(), package: package.to_string(), text })
    }

    /// Writes a prepared card, or finds it written: a run that died between the two may do it again.
    ///
    /// # Errors
    /// When another card has that id, or the disk does not take it.
    pub fn commit_card(&self, prepared: &PreparedCard) -> Result<(), ServiceError> {
        self.write_card(prepared, ExistingCardPolicy::AcceptMatching)
    }

    /// Writes a card that must be new. Of two writers one succeeds, in whatever packages.
    pub(super) fn create_card(&self, card: &Value, now: SystemTime) -> Result<PreparedCard, ServiceError> {
        let prepared = self.prepare_card(card, now)?;
        self.write_card(&prepared, ExistingCardPolicy::Reject)?;
        Ok(prepared)
    }

    fn write_card(&self, prepared: &PreparedCard, again: ExistingCardPolicy) -> Result<(), ServiceError> {
        let (id, package) = (parse_card_id(&prepared.card_id)?, parse_package_name(&prepared.package)?);
        let what = format!("card '{id}'");
        let io = |error| storage_error(&what, error);
        let cards = self.folders.app.create_folder(CARDS_DIR).map_err(io)?;
        let _lock = lock_card(&cards, &id).map_err(io)?;
        if let Some(home) = locate_card_in(&cards, &id).map_err(io)? {
            return match again {
                ExistingCardPolicy::AcceptMatching
                    if home.package == package.as_str() && has_all_fields(&home.folder, &id, &prepared.text) =>
                {
                    Ok(())
                }
                ExistingCardPolicy::AcceptMatching | ExistingCardPolicy::Reject => Err(card_already_exists(&id)),
            };
        }
        let folder = cards.create_folder(package.as_str()).map_err(io)?;
        match folder.create_file(&card_file_name(&id), prepared.text.as_bytes(), Privacy::Shared) {
            // A writer that knows nothing of our locks.
            Err(AppDirError::AlreadyExists(_)) => return Err(card_already_exists(&id)),
            created => created.map_err(io)?,
        }
        self.sinks.publish(&CardEvent::Created { package: package.as_str(), card: &id, text: &prepared.text });
        Ok(())
    }

    /// A card as JSON, if there is one.
    pub(super) fn load_card(
        &self,
        id: &CardId,
        limit: u64,
        stop: super::CancelCheck,
    ) -> Result<Option<Value>, ServiceError> {
        let Some(home) = self.locate_card(id, stop)? else { return Ok(None) };
        match home.folder.read_text(&card_file_name(id), limit) {
            Ok((text, _)) => parse_card_json(id, &text).map(Some),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(storage_error(&format!("card '{id}'"), error)),
        }
    }

    /// Adds new keys to a card; the card as it is then. Of two who add, neither loses what the other one added.
    pub(super) fn append_card(&self, id: &CardId, fields: &Value, limit: u64) -> Result<Value, ServiceError> {
        let Value::Object(fields) = fields else { return Err(invalid_card("alc.card.append: fields must be a table")) };
        let what = format!("card '{id}'");
        let io = |error| storage_error(&what, error);
        let missing = || tool_error("CARD_NOT_FOUND", format!("alc.card.append: card '{id}' not found"));
        let cards = match self.folders.app.open_folder(CARDS_DIR) {
            Err(AppDirError::NotFound(_)) => return Err(missing()),
            cards => cards.map_err(io)?,
        };
        let _lock = lock_card(&cards, id).map_err(io)?;
        let CardLocation { package, folder } = locate_card_in(&cards, id).map_err(io)?.ok_or_else(missing)?;
        let (text, _) = folder.read_text(&card_file_name(id), limit).map_err(io)?;
        let mut card = parse_card_table(id, &text)?;
        let before = card.len();
        for (key, value) in fields {
            let Some(value) = format::json_to_toml(value) else { continue };
            if card.contains_key(key) {
                let message = format!("alc.card.append: key '{key}' already set on card '{id}' (immutable)");
                return Err(tool_error("KEY_ALREADY_SET", message));
            }
            card.insert(key.clone(), value);
        }
        if card.len() > before {
            let text = format::render_card_toml(&card)
                .map_err(|reason| tool_error("CARD_TOO_LARGE", format!("alc.card.append: card '{id}' {reason}")))?;
            folder.write(&card_file_name(id), text.as_bytes(), Privacy::Shared).map_err(io)?;
            self.sinks.publish(&CardEvent::Appended { package: &package, card: id, text: &text });
        }
        Ok(format::card_to_json(card))
    }

    /// Writes the rows of a card, which must have none yet; where they are, and how many.
    pub(super) fn write_samples(
        &self,
        id: &CardId,
        rows: &Value,
        stop: super::CancelCheck,
    ) -> Result<Value, ServiceError> {
        let empty = Vec::new();
        let rows = match rows {
            Value::Array(rows) => rows,
            // A table of Lua without anything in it.
            Value::Object(rows) if rows.is_empty() => &empty,
            _ => return Err(invalid_card("alc.card.write_samples: samples must be an array")),
        };
        let mut text = String::new();
        let stopped =
            || storage_error(&format!("the samples of card '{id}'"), AppDirError::Cancelled(samples_file_name(id)));
        for row in rows {
            if stop() {
                return Err(stopped());
            }
            let start = text.len();
            text.push_str(&row.to_string());
            if text.len() - start > MAX_JSONL_LINE_BYTES {
                let message = format!("alc.card.write_samples: a sample is longer than {MAX_JSONL_LINE_BYTES} bytes");
                return Err(tool_error("SAMPLE_TOO_LARGE", message));
            }
            text.push('\n');
        }
        let home = self.locate_card(id, stop)?.ok_or_else(|| card_not_found(id))?;
        let name = samples_file_name(id);
        match home.folder.create_file(&name, text.as_bytes(), Privacy::Shared) {
            Err(AppDirError::AlreadyExists(_)) => {
                let message = format!("alc.card.write_samples: samples already exist for card '{id}' (write-once)");
                return Err(tool_error("SAMPLES_EXIST", message));
            }
            created => created.map_err(|error| storage_error(&format!("the samples of card '{id}'"), error))?,
        }
        self.sinks.publish(&CardEvent::SamplesWritten { package: &home.package, card: id, text: &text });
        Ok(json!({"path": format!("{CARDS_DIR}/{}/{name}", home.package), "count": rows.len()}))
    }

    /// Copies a card that somebody else wrote, as it is; false when there is one with that id.
    pub(super) fn import_card(
        &self,
        package: &PackageName,
        id: &CardId,
        text: &str,
        samples: Option<&str>,
    ) -> Result<bool, ServiceError> {
        let what = format!("card '{id}'");
        let io = |error| storage_error(&what, error);
        let cards = self.folders.app.create_folder(CARDS_DIR).map_err(io)?;
        let _lock = lock_card(&cards, id).map_err(io)?;
        if locate_card_in(&cards, id).map_err(io)?.is_some() {
            return Ok(false);
        }
        let folder = cards.create_folder(package.as_str()).map_err(io)?;
        // First, so that whoever sees the card sees its rows too.
        if let Some(samples) = samples {
            match folder.create_file(&samples_file_name(id), samples.as_bytes(), Privacy::Shared) {
                // Of an attempt that did not get to the card.
                Err(AppDirError::AlreadyExists(_)) => {}
                created => created.map_err(io)?,
            }
        }
        match folder.create_file(&card_file_name(id), text.as_bytes(), Privacy::Shared) {
            Err(AppDirError::AlreadyExists(_)) => return Ok(false),
            created => created.map_err(io)?,
        }
        self.sinks.publish(&CardEvent::Created { package: package.as_str(), card: id, text });
        if let Some(text) = samples {
            self.sinks.publish(&CardEvent::SamplesWritten { package: package.as_str(), card: id, text });
        }
        Ok(true)
    }
}

pub(super) fn samples_file_name(card: &CardId) -> String {
    format!("{card}.samples.jsonl")
}

/// One writer at a time for each id, in all packages and processes. A few locks do for all ids: two ids that share one
/// wait for each other, and nothing else happens.
fn lock_card(cards: &Folder, id: &CardId) -> Result<FileLock, AppDirError> {
    cards.create_folder(LOCKS_DIR)?.lock(&format!("{:02x}.lock", format::djb2(id.as_str()) % CARD_LOCK_SHARDS))
}

/// The folder of the locks, beside those of the packages.
pub(super) const LOCKS_DIR: &str = ".locks";

fn locate_card_in(cards: &Folder, id: &CardId) -> Result<Option<CardLocation>, AppDirError> {
    match locate_by_id_prefix(cards, id)? {
        Some(home) => Ok(Some(home)),
        None => locate_by_scan(cards, id, &|| false),
    }
}

/// Whether the card in the file has every key of `text`, with what it says: somebody may have added more.
fn has_all_fields(folder: &Folder, id: &CardId, text: &str) -> bool {
    let stored = folder.read_text(&card_file_name(id), MAX_CARD_BYTES).ok();
    let stored = stored.and_then(|(stored, _)| toml_text::parse(&stored).ok());
    match (stored, toml_text::parse(text)) {
        (Some(stored), Ok(wanted)) => wanted.iter().all(|(key, value)| stored.get(key) == Some(value)),
        _ => false,
    }
}

fn to_toml_table(fields: &Map<String, Value>) -> toml::Table {
    fields.iter().filter_map(|(key, value)| Some((key.clone(), format::json_to_toml(value)?))).collect()
}

fn card_already_exists(id: &CardId) -> ServiceError {
    tool_error("CARD_EXISTS", format!("alc.card.create: card '{id}' already exists (immutable)"))
}

fn invalid_card(message: &str) -> ServiceError {
    tool_error("INVALID_CARD", message)
}
