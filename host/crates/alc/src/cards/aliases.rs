//! Aliases: user-given names of cards, stored in one table in the original's format.
//!
//! Owns: `cards/_aliases.toml`.
//! Never: loses an alias that another writer sets, or a field that a later version adds to an alias.

use crate::cards::file_names::{ALIASES_FILE, ALIASES_LOCK_FILE, CARDS_DIR};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use super::sinks::CardEvent;
use super::{CancelCheck, card_not_found, format, invalid_name};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{MAX_ALIAS_NAME_BYTES, MAX_ALIAS_NOTE_BYTES, MAX_ALIAS_TABLE_BYTES};
use crate::storage_error::access_error;
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::ServiceError;

const ALIASES_KEY: &str = "alias";

/// An alias to set, with the card that it names.
pub(super) struct AliasAssignment<'a> {
    pub(super) name: &'a str,
    pub(super) card: &'a CardId,
    pub(super) package: Option<&'a PackageName>,
    pub(super) note: Option<&'a str>,
}

impl CardStore {
    /// Returns the aliases of one package, or all, in the order in which they were set.
    pub(super) fn list_aliases(&self, package: Option<&str>) -> Result<Vec<Value>, ServiceError> {
        let aliases = self.read_alias_tables()?.into_iter().map(format::card_to_json);
        let of_package = |alias: &Value| package.is_none_or(|package| alias.get("pkg") == Some(&package.into()));
        Ok(aliases.filter(of_package).collect())
    }

    /// Returns the card that an alias names, or `None` for an unknown alias.
    pub(super) fn resolve_alias(&self, name: &str) -> Result<Option<CardId>, ServiceError> {
        validate_alias_name(name)?;
        let aliases = self.read_alias_tables()?;
        let found = aliases.iter().rev().find(|alias| alias.get("name").and_then(toml::Value::as_str) == Some(name));
        let id = found.and_then(|alias| alias.get("card_id")?.as_str());
        Ok(id.and_then(|id| CardId::parse(id).ok()))
    }

    /// Sets an alias and replaces an earlier one of that name; the new entry is the last of the table.
    pub(super) fn set_alias(
        &self,
        setting: &AliasAssignment,
        now: SystemTime,
        stop: CancelCheck,
    ) -> Result<Value, ServiceError> {
        let AliasAssignment { name, card, note, .. } = *setting;
        validate_alias_name(name)?;
        if note.is_some_and(|note| note.len() > MAX_ALIAS_NOTE_BYTES) {
            return Err(ServiceError::tool(
                code::NOTE_TOO_LONG,
                format!("alc.card.alias_set: the note is longer than {}", ByteSize(MAX_ALIAS_NOTE_BYTES as u64)),
            ));
        }
        if self.locate_card(card, stop)?.is_none() {
            return Err(ServiceError::tool(
                code::CARD_NOT_FOUND,
                format!("alc.card.alias_set: card '{card}' not found"),
            ));
        }
        let io = |error| access_error("the table of aliases", error);
        let cards = self.app.open_folder(CARDS_DIR).map_err(io)?;
        let _lock = cards.lock(ALIASES_LOCK_FILE).map_err(io)?;
        let mut aliases = self.read_alias_tables()?;
        aliases.retain(|alias| alias.get("name").and_then(toml::Value::as_str) != Some(name));
        let alias = build_alias_table(setting, now);
        aliases.push(alias.clone());
        let table = aliases.into_iter().map(toml::Value::Table).collect();
        let table = toml::Table::from_iter([(ALIASES_KEY.to_owned(), toml::Value::Array(table))]);
        let text = toml::to_string_pretty(&table)
            .map_err(|error| ServiceError::internal("the table of aliases cannot be written", error))?;
        if text.len() as u64 > MAX_ALIAS_TABLE_BYTES {
            let message = format!("the table of aliases would exceed its limit of {}", ByteSize(MAX_ALIAS_TABLE_BYTES));
            return Err(ServiceError::tool(code::TOO_MANY_ALIASES, message));
        }
        cards.write(ALIASES_FILE, text.as_bytes(), Privacy::Shared).map_err(io)?;
        self.sinks.publish(&CardEvent::AliasesWritten { text: &text });
        Ok(format::card_to_json(alias))
    }

    /// Returns what [`Self::set_alias`] answered at the time `then`, if the table holds that alias or one set later.
    /// Times have a resolution of 1 s: an alias that was set in the same second counts as later.
    pub(super) fn find_set_alias_result(
        &self,
        setting: &AliasAssignment,
        then: SystemTime,
    ) -> Result<Option<Value>, ServiceError> {
        let then_set = build_alias_table(setting, then);
        let seconds = |alias: &toml::Table| {
            let set_at = DateTime::parse_from_rfc3339(alias.get("set_at")?.as_str()?).ok()?;
            Some(set_at.timestamp())
        };
        let aliases = self.read_alias_tables()?;
        let found = aliases.iter().rfind(|alias| alias.get("name") == then_set.get("name"));
        let is_since = found.is_some_and(|found| seconds(found) >= seconds(&then_set));
        Ok(is_since.then(|| format::card_to_json(then_set)))
    }

    /// Loads the card that an alias names; `None` for an unknown alias, an error for a missing card.
    pub(super) fn load_card_by_alias(&self, name: &str, stop: CancelCheck) -> Result<Option<Value>, ServiceError> {
        let Some(id) = self.resolve_alias(name)? else { return Ok(None) };
        self.load_card(&id, stop)?.map(Some).ok_or_else(|| card_not_found(&id))
    }

    fn read_alias_tables(&self) -> Result<Vec<toml::Table>, ServiceError> {
        let text = match self.app.read_text(&format!("{CARDS_DIR}/{ALIASES_FILE}"), MAX_ALIAS_TABLE_BYTES) {
            Ok((text, _)) => text,
            // A folder of this name is a conflict that `wardroom doctor` reports.
            Err(AppDirError::NotFound(_) | AppDirError::NotRegularFile(_)) => return Ok(Vec::new()),
            Err(error) => return Err(access_error("the table of aliases", error)),
        };
        let mut table = toml_text::parse(&text).map_err(|error| {
            ServiceError::internal(format!("Failed to parse {ALIASES_FILE}: {}", error.public_message()), error)
        })?;
        // A rewrite of the table would lose the entries that cannot be parsed.
        let malformed = || ServiceError::Internal {
            public_message: format!("Failed to parse {ALIASES_FILE}: not a list of aliases"),
            cause: None,
        };
        match table.remove(ALIASES_KEY) {
            None => Ok(Vec::new()),
            Some(toml::Value::Array(aliases)) => aliases
                .into_iter()
                .map(|alias| match alias {
                    toml::Value::Table(alias) => Ok(alias),
                    _ => Err(malformed()),
                })
                .collect(),
            Some(_) => Err(malformed()),
        }
    }
}

/// Builds the entry of an alias in the table.
fn build_alias_table(setting: &AliasAssignment, set_at: SystemTime) -> toml::Table {
    let set_at = DateTime::<Utc>::from(set_at).to_rfc3339_opts(SecondsFormat::Secs, true);
    let fields = [
        ("name", Some(setting.name)),
        ("card_id", Some(setting.card.as_str())),
        ("pkg", setting.package.map(PackageName::as_str)),
        ("set_at", Some(&set_at)),
        ("note", setting.note),
    ];
    fields.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.to_owned().into()))).collect()
}

/// Accepts, as the original does, any name that cannot be a path. The name is only ever a text in the table.
fn validate_alias_name(name: &str) -> Result<(), ServiceError> {
    let bad = name.is_empty()
        || name.len() > MAX_ALIAS_NAME_BYTES
        || name.contains("..")
        || name.chars().any(|c| matches!(c, '/' | '\\') || c.is_control());
    if bad { Err(invalid_name("alias", name)) } else { Ok(()) }
}
