//! Aliases: names that people give to cards, in one table in the original's format.
//!
//! Owns: `cards/_aliases.toml`.
//! Never: loses what another writer sets, or what a later version keeps beside an alias.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use super::sinks::CardEvent;
use super::{CARDS_DIR, CancelCheck, card_not_found, format, invalid_name, storage_error};
use crate::Alc;
use crate::error_code as code;
use crate::limits::{MAX_ALIAS_NAME_BYTES, MAX_ALIAS_NOTE_BYTES, MAX_ALIAS_TABLE_BYTES};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::ServiceError;

/// The file, in the folder of cards.
pub(super) const ALIASES_FILE: &str = "_aliases.toml";
const ALIASES_LOCK_FILE: &str = "._aliases.lock";
const ALIASES_KEY: &str = "alias";

/// What an alias is set to.
pub(super) struct AliasAssignment<'a> {
    pub(super) name: &'a str,
    pub(super) card: &'a CardId,
    pub(super) package: Option<&'a PackageName>,
    pub(super) note: Option<&'a str>,
}

impl Alc {
    /// The aliases, of one package or all, in the order in which they were set.
    pub(super) fn list_aliases(&self, package: Option<&str>) -> Result<Vec<Value>, ServiceError> {
        let aliases = self.read_alias_tables()?.into_iter().map(format::card_to_json);
        let of_package = |alias: &Value| package.is_none_or(|package| alias.get("pkg") == Some(&package.into()));
        Ok(aliases.filter(of_package).collect())
    }

    /// The card that an alias stands for, if there is such an alias.
    pub(super) fn resolve_alias(&self, name: &str) -> Result<Option<CardId>, ServiceError> {
        validate_alias_name(name)?;
        let aliases = self.read_alias_tables()?;
        let found = aliases.iter().rev().find(|alias| alias.get("name").and_then(toml::Value::as_str) == Some(name));
        let id = found.and_then(|alias| alias.get("card_id")?.as_str());
        Ok(id.and_then(|id| CardId::parse(id).ok()))
    }

    /// Sets an alias, whatever it stood for before; it comes to the end.
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
                format!("alc.card.alias_set: the note is longer than {MAX_ALIAS_NOTE_BYTES} bytes"),
            ));
        }
        if self.locate_card(card, stop)?.is_none() {
            return Err(ServiceError::tool(
                code::CARD_NOT_FOUND,
                format!("alc.card.alias_set: card '{card}' not found"),
            ));
        }
        let io = |error| storage_error("the table of aliases", error);
        let cards = self.folders.app.open_folder(CARDS_DIR).map_err(io)?;
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
            let message =
                format!("there is no room for another alias: the table has {MAX_ALIAS_TABLE_BYTES} bytes at most");
            return Err(ServiceError::tool(code::TOO_MANY_ALIASES, message));
        }
        cards.write(ALIASES_FILE, text.as_bytes(), Privacy::Shared).map_err(io)?;
        self.sinks.publish(&CardEvent::AliasesWritten { text: &text });
        Ok(format::card_to_json(alias))
    }

    /// What setting an alias at that time answered, if it was done or somebody set the alias later. The table has seconds:
    /// who set it in the same one is taken for the later one.
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

    /// The card that an alias stands for, or what is wrong with it.
    pub(super) fn load_card_by_alias(
        &self,
        name: &str,
        limit: u64,
        stop: CancelCheck,
    ) -> Result<Option<Value>, ServiceError> {
        let Some(id) = self.resolve_alias(name)? else { return Ok(None) };
        self.load_card(&id, limit, stop)?.map(Some).ok_or_else(|| card_not_found(&id))
    }

    fn read_alias_tables(&self) -> Result<Vec<toml::Table>, ServiceError> {
        let text = match self.folders.app.read_text(&format!("{CARDS_DIR}/{ALIASES_FILE}"), MAX_ALIAS_TABLE_BYTES) {
            Ok((text, _)) => text,
            Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(storage_error("the table of aliases", error)),
        };
        let mut table = toml_text::parse(&text).map_err(|error| {
            ServiceError::internal(format!("Failed to parse {ALIASES_FILE}: {}", error.public_message()), error)
        })?;
        // To write it anew without what cannot be understood would lose it.
        let strange = || ServiceError::Internal {
            public_message: format!("Failed to parse {ALIASES_FILE}: not a list of aliases"),
            cause: None,
        };
        match table.remove(ALIASES_KEY) {
            None => Ok(Vec::new()),
            Some(toml::Value::Array(aliases)) => aliases
                .into_iter()
                .map(|alias| match alias {
                    toml::Value::Table(alias) => Ok(alias),
                    _ => Err(strange()),
                })
                .collect(),
            Some(_) => Err(strange()),
        }
    }
}

/// An alias as it stands in the table.
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

/// As the original: any name that could be no path. It is only ever a text in that table.
fn validate_alias_name(name: &str) -> Result<(), ServiceError> {
    let bad = name.is_empty()
        || name.len() > MAX_ALIAS_NAME_BYTES
        || name.contains("..")
        || name.chars().any(|c| matches!(c, '/' | '\\') || c.is_control());
    if bad { Err(invalid_name("alias", name)) } else { Ok(()) }
}
