//! The store of cards: a card is found and read by its id, created once and extended by new keys. Its samples are
//! written once.
//!
//! Owns: the default fields of a new card, the choice between two writers of one id, and the locks for it.
//! Never: changes or removes a field of a card, or reads a clock: the caller passes the time of a new card, so that a
//! replayed run gets the same card.

use crate::cards::file_names::{CARDS_DIR, card_file_name, samples_file_name};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::query::Predicate;
use super::samples::SampleQuery;
use super::sinks::CardEvent;
use super::{
    CardLocation, card_not_found, format, locate_by_id_prefix, locate_by_scan, parse_card_json, parse_card_table,
};
use super::{parse_card_id, parse_package_name};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{
    CARD_LOCK_SHARDS, MAX_CARD_BYTES, MAX_CARD_ID_ATTEMPTS, MAX_COPIED_SAMPLES_BYTES, MAX_SCRIPT_SAMPLES_BYTES,
};
use crate::storage_error::access_error;
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, FileLock, Folder, OpenFile, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::ServiceError;

/// The schema version of a new card that names no other.
pub(super) const CARD_SCHEMA_VERSION: &str = "card/v0";

/// A card whose id and text are fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedCard {
    pub card_id: String,
    pub package: String,
    /// The content of its file.
    text: String,
    has_generated_id: bool,
}

impl PreparedCard {
    /// Returns the answer of `alc.card.create`; the path is relative to the AppDir.
    #[must_use]
    pub fn to_output(&self) -> Value {
        json!({"card_id": self.card_id, "path": format!("{CARDS_DIR}/{}/{}.toml", self.package, self.card_id)})
    }
}

/// The treatment of a card that exists already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExistingCardPolicy {
    Reject,
    /// Counts as written if it has all fields of the new card.
    AcceptMatching,
}

impl CardStore {
    /// Creates a card: builds it and writes it. Of two writers of one id exactly one succeeds, even in different packages. An
    /// id that is generated, and that another card has, is followed by others.
    ///
    /// The same input gives the same card in every process. `salt` distinguishes equal cards of the same second.
    ///
    /// # Errors
    /// For an invalid card, in the original's words, for a card whose file could not be read again, for an id that exists,
    /// and when the write fails.
    pub fn create_card(&self, card: &Value, now: SystemTime, salt: &str) -> Result<PreparedCard, ServiceError> {
        self.create_with(card, now, salt, ExistingCardPolicy::Reject)
    }

    /// Creates a card that an earlier process may have created with the same input: then the card counts as written.
    ///
    /// # Errors
    /// As [`Self::create_card`].
    pub fn recreate_card(&self, card: &Value, now: SystemTime, salt: &str) -> Result<PreparedCard, ServiceError> {
        self.create_with(card, now, salt, ExistingCardPolicy::AcceptMatching)
    }

    fn create_with(
        &self,
        card: &Value,
        now: SystemTime,
        salt: &str,
        policy: ExistingCardPolicy,
    ) -> Result<PreparedCard, ServiceError> {
        let mut attempt = 0;
        loop {
            let prepared = prepare_card(card, now, &CardIdSalt { salt, attempt })?;
            attempt += 1;
            match self.write_card(&prepared, policy) {
                Err(ServiceError::Tool { code: code::CARD_EXISTS, .. })
                    if prepared.has_generated_id && attempt < MAX_CARD_ID_ATTEMPTS => {}
                written => return written.map(|()| prepared),
            }
        }
    }

    fn write_card(&self, prepared: &PreparedCard, policy: ExistingCardPolicy) -> Result<(), ServiceError> {
        let (id, package) = (parse_card_id(&prepared.card_id)?, parse_package_name(&prepared.package)?);
        let what = format!("card '{id}'");
        let io = |error| access_error(&what, error);
        let cards = self.app.create_folder(CARDS_DIR).map_err(io)?;
        let _lock = lock_card(&cards, &id).map_err(io)?;
        if let Some(location) = locate_card_in(&cards, &id).map_err(io)? {
            return match policy {
                ExistingCardPolicy::AcceptMatching
                    if location.package == package.as_str()
                        && has_all_fields(&location.folder, &id, &prepared.text).map_err(io)? =>
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

    /// Loads a card as JSON, or `None` where there is no such card.
    pub(super) fn load_card(&self, id: &CardId, stop: super::CancelCheck) -> Result<Option<Value>, ServiceError> {
        let Some(file) = self.open_card(id, stop)? else { return Ok(None) };
        let read = file.read_text(MAX_CARD_BYTES).map_err(|error| access_error(&format!("card '{id}'"), error));
        parse_card_json(id, &read?.0).map(Some)
    }

    /// Opens a card's file; `None` where there is no such card.
    pub(super) fn open_card(&self, id: &CardId, stop: super::CancelCheck) -> Result<Option<OpenFile>, ServiceError> {
        let Some(location) = self.locate_card(id, stop)? else { return Ok(None) };
        match location.folder.open(&card_file_name(id)) {
            Ok(file) => Ok(Some(file)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(access_error(&format!("card '{id}'"), error)),
        }
    }

    /// Adds new keys to a card and returns all of it. Concurrent calls do not lose each other's keys.
    pub(super) fn append_card(&self, id: &CardId, fields: &Value, limit: u64) -> Result<Value, ServiceError> {
        let Value::Object(fields) = fields else { return Err(invalid_card("alc.card.append: fields must be a table")) };
        let what = format!("card '{id}'");
        let io = |error| access_error(&what, error);
        let missing = || ServiceError::tool(code::CARD_NOT_FOUND, format!("alc.card.append: card '{id}' not found"));
        let cards = match self.app.open_folder(CARDS_DIR) {
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
                return Err(ServiceError::tool(code::KEY_ALREADY_SET, message));
            }
            card.insert(key.clone(), value);
        }
        if card.len() > before {
            let text = format::render_card_toml(&card).map_err(|reason| {
                ServiceError::tool(code::CARD_TOO_LARGE, format!("alc.card.append: card '{id}' {reason}"))
            })?;
            folder.write(&card_file_name(id), text.as_bytes(), Privacy::Shared).map_err(io)?;
            self.sinks.publish(&CardEvent::Appended { package: &package, card: id, text: &text });
        }
        Ok(format::card_to_json(card))
    }

    /// Writes the samples of a card that has none yet; returns their path and number.
    pub(super) fn write_samples(
        &self,
        id: &CardId,
        rows: &Value,
        stop: super::CancelCheck,
    ) -> Result<Value, ServiceError> {
        let empty = Vec::new();
        let rows = match rows {
            Value::Array(rows) => rows,
            // An empty Lua table.
            Value::Object(rows) if rows.is_empty() => &empty,
            _ => return Err(invalid_card("alc.card.write_samples: samples must be an array")),
        };
        let mut text = String::new();
        let stopped =
            || access_error(&format!("the samples of card '{id}'"), AppDirError::Cancelled(samples_file_name(id)));
        for row in rows {
            if stop() {
                return Err(stopped());
            }
            let start = text.len();
            text.push_str(&row.to_string());
            if text.len() - start > MAX_JSONL_LINE_BYTES {
                let message = format!(
                    "alc.card.write_samples: a sample is longer than {}",
                    ByteSize(MAX_JSONL_LINE_BYTES as u64)
                );
                return Err(ServiceError::tool(code::SAMPLE_TOO_LARGE, message));
            }
            text.push('\n');
        }
        let location = self.locate_card(id, stop)?.ok_or_else(|| card_not_found(id))?;
        let name = samples_file_name(id);
        match location.folder.create_file(&name, text.as_bytes(), Privacy::Shared) {
            Err(AppDirError::AlreadyExists(_)) => {
                let message = format!("alc.card.write_samples: samples already exist for card '{id}' (write-once)");
                return Err(ServiceError::tool(code::SAMPLES_EXIST, message));
            }
            created => created.map_err(|error| access_error(&format!("the samples of card '{id}'"), error))?,
        }
        self.sinks.publish(&CardEvent::SamplesWritten { package: &location.package, card: id, text: &text });
        Ok(written_samples_answer(&location.package, id, rows.len()))
    }

    /// Returns what writing these samples answered, if they are the card's.
    pub(super) fn find_written_samples(&self, id: &CardId, rows: &[Value], stop: super::CancelCheck) -> Option<Value> {
        let all = SampleQuery {
            condition: &Predicate::All(Vec::new()),
            offset: 0,
            limit: usize::MAX,
            max_bytes: MAX_SCRIPT_SAMPLES_BYTES,
        };
        let kept = self.read_samples(id, &all, stop).ok()?;
        let location = self.locate_card(id, stop).ok()??;
        let is_same = kept.next_offset.is_none() && kept.rows == rows;
        is_same.then(|| written_samples_answer(&location.package, id, rows.len()))
    }

    /// Copies a card from outside the AppDir unchanged; returns false when its id exists already.
    pub(super) fn import_card(
        &self,
        package: &PackageName,
        id: &CardId,
        text: &str,
        samples: Option<&str>,
    ) -> Result<bool, ServiceError> {
        parse_package_name(package.as_str())?;
        let what = format!("card '{id}'");
        let io = |error| access_error(&what, error);
        let cards = self.app.create_folder(CARDS_DIR).map_err(io)?;
        let _lock = lock_card(&cards, id).map_err(io)?;
        if locate_card_in(&cards, id).map_err(io)?.is_some() {
            return Ok(false);
        }
        let folder = cards.create_folder(package.as_str()).map_err(io)?;
        // Written first, so that a reader who sees the card sees its samples too.
        if let Some(samples) = samples {
            // Those of an attempt that did not get to the card are replaced.
            folder.write(&samples_file_name(id), samples.as_bytes(), Privacy::Shared).map_err(io)?;
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

    /// Copies one card with its samples, unless a card of any package has its id. Returns whether it was copied; `None`
    /// for a file that is not a card.
    pub(crate) fn import_card_file(
        &self,
        folder: &Folder,
        package: &PackageName,
        card: &CardId,
    ) -> Result<Option<bool>, ServiceError> {
        let what = format!("card '{card}'");
        let (text, _) =
            folder.read_text(&card_file_name(card), MAX_CARD_BYTES).map_err(|error| access_error(&what, error))?;
        let schema = toml_text::parse(&text).ok().and_then(|mut card| card.remove("schema_version"));
        if schema.as_ref().and_then(toml::Value::as_str) != Some(CARD_SCHEMA_VERSION) {
            return Ok(None);
        }
        let samples = match folder.read_text(&samples_file_name(card), MAX_COPIED_SAMPLES_BYTES) {
            Ok((samples, _)) => Some(samples),
            Err(AppDirError::NotFound(_)) => None,
            Err(error) => return Err(access_error(&format!("the samples of {what}"), error)),
        };
        self.import_card(package, card, &text, samples.as_deref()).map(Some)
    }
}

/// Builds a new card: its id and the text of its file.
fn prepare_card(card: &Value, now: SystemTime, salt: &CardIdSalt) -> Result<PreparedCard, ServiceError> {
    let Value::Object(fields) = card else { return Err(invalid_card("alc.card.create: card must be a table")) };
    let mut fields = fields.clone();
    let package = card.pointer("/pkg/name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let package = match package {
        Some(name) => parse_package_name(name),
        None => Err(invalid_card("alc.card.create: pkg.name is required")),
    };
    let given_id = match fields.get("card_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => parse_card_id(id).map(Some),
        Some(_) => Err(invalid_card("alc.card.create: card_id must be a string")),
    };
    let (package, given_id) = both(package, given_id)?;
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
    let has_generated_id = given_id.is_none();
    let id = match given_id {
        Some(id) => id,
        None => {
            fields.remove("card_id");
            let generated =
                format::generate_card_id(package.as_str(), &Value::Object(fields.clone()), now, &salt.to_text());
            parse_card_id(&generated)?
        }
    };
    fields.insert("card_id".to_owned(), id.as_str().into());
    let text = format::render_card_toml(&to_toml_table(&fields))
        .map_err(|reason| ServiceError::tool(code::CARD_TOO_LARGE, format!("alc.card.create: card '{id}' {reason}")))?;
    Ok(PreparedCard { card_id: id.to_string(), package: package.to_string(), text, has_generated_id })
}

/// Returns both values, or the errors of both.
fn both<A, B>(one: Result<A, ServiceError>, other: Result<B, ServiceError>) -> Result<(A, B), ServiceError> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
        (Err(one), Err(other)) => Err(invalid_card(&format!("{one}; {other}"))),
    }
}

/// What distinguishes the generated ids of equal cards of the same second.
struct CardIdSalt<'a> {
    salt: &'a str,
    /// How many ids were taken.
    attempt: usize,
}

impl CardIdSalt<'_> {
    fn to_text(&self) -> String {
        let attempt = if self.attempt == 0 { String::new() } else { format!("#{}", self.attempt) };
        [self.salt, &attempt].concat()
    }
}

/// Locks an id against other writers in all packages and processes. Ids share a fixed number of lock files; writers of
/// two ids with the same lock only wait for each other.
fn lock_card(cards: &Folder, id: &CardId) -> Result<FileLock, AppDirError> {
    cards.create_folder(LOCKS_DIR)?.lock(&format!("{:02x}.lock", format::djb2(id.as_str()) % CARD_LOCK_SHARDS))
}

/// The folder of lock files, beside the folders of packages.
pub(super) const LOCKS_DIR: &str = ".locks";

fn locate_card_in(cards: &Folder, id: &CardId) -> Result<Option<CardLocation>, AppDirError> {
    match locate_by_id_prefix(cards, id)? {
        Some(location) => Ok(Some(location)),
        None => locate_by_scan(cards, id, &|| false),
    }
}

/// Returns whether the stored card has every key of `text` with the same value; keys may have been appended since.
fn has_all_fields(folder: &Folder, id: &CardId, text: &str) -> Result<bool, AppDirError> {
    let stored = match folder.read_text(&card_file_name(id), MAX_CARD_BYTES) {
        Ok((stored, _)) => stored,
        // It would be taken for another card, and the same one be made again.
        Err(error) if error.is_transient() => return Err(error),
        Err(_) => return Ok(false),
    };
    Ok(match (toml_text::parse(&stored), toml_text::parse(text)) {
        (Ok(stored), Ok(wanted)) => wanted.iter().all(|(key, value)| stored.get(key) == Some(value)),
        _ => false,
    })
}

fn to_toml_table(fields: &Map<String, Value>) -> toml::Table {
    fields.iter().filter_map(|(key, value)| Some((key.clone(), format::json_to_toml(value)?))).collect()
}

/// Returns the answer to a write of samples; the path is relative to the AppDir.
fn written_samples_answer(package: &str, id: &CardId, count: usize) -> Value {
    json!({"path": format!("{CARDS_DIR}/{package}/{}", samples_file_name(id)), "count": count})
}

fn card_already_exists(id: &CardId) -> ServiceError {
    ServiceError::tool(code::CARD_EXISTS, format!("alc.card.create: card '{id}' already exists (immutable)"))
}

fn invalid_card(message: &str) -> ServiceError {
    ServiceError::tool(code::INVALID_CARD, message)
}
