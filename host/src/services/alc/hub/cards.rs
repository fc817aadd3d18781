//! What an index says of a package's cards.
//!
//! Never: reads more than a bounded number of them; an index is a summary.

use serde_json::{Value, json};

use crate::appdir::{AppDirError, EntryKind};
use crate::limits::{MAX_CARD_BYTES, MAX_CONFIG_BYTES, MAX_NAMES_SCANNED, MAX_PACKAGE_CARDS};
use crate::services::alc::Alc;
use crate::services::alc::rows::Row;
use crate::toml_text;
use crate::uri::{CardId, PackageName};

/// The cards of one package.
#[derive(Default)]
pub(super) struct Cards {
    pub(super) count: usize,
    /// Of those that were read, by name.
    pub(super) rows: Vec<Row>,
}

impl Cards {
    /// The card with the highest rate.
    pub(super) fn best(&self) -> Option<Value> {
        let rate = |row: &Row| row.get("pass_rate").and_then(Value::as_f64);
        let best = self.rows.iter().filter(|row| rate(row).is_some()).max_by(|a, b| {
            let (a, b) = (rate(a).unwrap_or_default(), rate(b).unwrap_or_default());
            a.total_cmp(&b)
        })?;
        let field = |key: &str| best.get(key).cloned().unwrap_or_default();
        Some(json!({
            "card_id": field("card_id"),
            "model": field("model"),
            "pass_rate": field("pass_rate"),
            "scenario": field("scenario"),
        }))
    }

    pub(super) fn best_rate(&self) -> Option<f64> {
        self.best()?.get("pass_rate")?.as_f64()
    }
}

impl Alc {
    pub(super) fn cards_of(&self, package: &PackageName) -> Cards {
        let Ok(folder) = self.folders.app.folder(&format!("cards/{package}")) else { return Cards::default() };
        let Ok(entries) = folder.entries(MAX_NAMES_SCANNED) else { return Cards::default() };
        let is_card = |name: &str| name.strip_suffix(".toml").and_then(|stem| CardId::parse(stem).ok());
        let names = entries.iter().filter(|entry| entry.kind == EntryKind::File);
        let ids: Vec<CardId> = names.filter_map(|entry| is_card(&entry.name)).collect();
        let read = |id: &CardId| {
            let (text, _) = folder.read_text(&format!("{id}.toml"), MAX_CARD_BYTES).ok()?;
            Some(summary(id, package, &toml_text::parse(&text).ok()?))
        };
        Cards { count: ids.len(), rows: ids.iter().take(MAX_PACKAGE_CARDS).filter_map(read).collect() }
    }

    /// The aliases that lead to cards of a package.
    pub(super) fn aliases_of(&self, package: &PackageName, cards: &Cards) -> Vec<Row> {
        let text = match self.folders.app.read_text("cards/_aliases.toml", MAX_CONFIG_BYTES) {
            Ok((text, _)) => text,
            Err(AppDirError::NotFound(_)) => return Vec::new(),
            Err(error) => {
                tracing::warn!(%error, "aliases not read");
                return Vec::new();
            }
        };
        let Ok(table) = toml_text::parse(&text) else { return Vec::new() };
        let rows = table.get("alias").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let own = |row: &&toml::Value| {
            let of = |key| row.get(key).and_then(toml::Value::as_str);
            let named =
                |card: &str| cards.rows.iter().any(|row| row.get("card_id").and_then(Value::as_str) == Some(card));
            of("pkg") == Some(package.as_str()) || of("pkg").is_none() && of("card_id").is_some_and(named)
        };
        let row = |row: &toml::Value| {
            let fields = ["name", "card_id", "pkg", "set_at", "note"].into_iter().filter_map(|key| {
                let value = row.get(key)?;
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Some((key.to_owned(), text.into()))
            });
            fields.collect()
        };
        rows.iter().filter(own).map(row).collect()
    }

    /// How many evals there are of a package.
    pub(super) fn evals_of(&self, package: &PackageName) -> usize {
        let Ok(folder) = self.folders.app.folder("evals") else { return 0 };
        let mut count = 0;
        let prefix = format!("{package}_");
        let pick = |name: &str| {
            let rest = name.strip_prefix(&prefix)?.strip_suffix(".json")?;
            rest.bytes().all(|byte| byte.is_ascii_digit()).then_some(())
        };
        let counted = folder.each_file_within(&mut { MAX_NAMES_SCANNED }, pick, |(), _| count += 1);
        if let Err(error) = counted {
            tracing::warn!(%error, "evals not counted");
        }
        count
    }
}

fn summary(id: &CardId, package: &PackageName, card: &toml::Table) -> Row {
    let text = |value: Option<&toml::Value>| value.and_then(toml::Value::as_str).map(str::to_owned);
    let below = |table: &str, key: &str| card.get(table).and_then(|table| table.get(key)).cloned();
    let number = |value: toml::Value| value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    let mut row = Row::new();
    row.insert("card_id".into(), id.as_str().into());
    row.insert("pkg".into(), package.as_str().into());
    if let Some(created) = text(card.get("created_at")) {
        row.insert("created_at".into(), created.into());
    }
    if let Some(model) = text(below("model", "id").as_ref()) {
        row.insert("model".into(), model.into());
    }
    if let Some(scenario) = text(below("scenario", "name").as_ref()) {
        row.insert("scenario".into(), scenario.into());
    }
    if let Some(rate) = below("stats", "pass_rate").and_then(number).filter(|rate| rate.is_finite()) {
        row.insert("pass_rate".into(), rate.into());
    }
    row
}
