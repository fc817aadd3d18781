//! Summaries of a package's cards, for an index of packages and for the description of one package.
//!
//! Never: opens a card: the index of cards holds all that it needs.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::CancelCheck;
use super::find::card_row;
use super::index::CardEntry;
use crate::cards::CardStore;
use crate::limits::MAX_PACKAGE_CARDS;
use crate::storage_error::access_error;
use wardroom_base::uri::CardId;
use wardroom_service::ServiceError;

/// The number of cards of one package, and the best one.
#[derive(Default, Clone)]
pub(crate) struct PackageCardStats {
    pub(crate) count: usize,
    /// The highest pass rate with its card, the newest of several.
    best: Option<(f64, Value)>,
}

impl PackageCardStats {
    fn add_card(&mut self, card: &CardEntry) {
        self.count += 1;
        let rate = card.fields.json(&["stats", "pass_rate"]).and_then(|rate| rate.as_f64());
        let Some(rate) = rate.filter(|rate| self.best.as_ref().is_none_or(|(best, _)| rate > best)) else { return };
        let text = |path: &[&str]| card.fields.text(path);
        let best = json!({
            "card_id": card.id,
            "model": text(&["model", "id"]),
            "pass_rate": rate,
            "scenario": text(&["scenario", "name"]),
        });
        self.best = Some((rate, best));
    }

    pub(crate) fn best_card(&self) -> Option<&Value> {
        self.best.as_ref().map(|(_, card)| card)
    }

    pub(crate) fn best_pass_rate(&self) -> Option<f64> {
        self.best.as_ref().map(|(rate, _)| *rate)
    }
}

impl CardStore {
    /// Returns the statistics of every package that has cards.
    pub(crate) fn card_stats_by_package(
        &self,
        stop: CancelCheck,
    ) -> Result<HashMap<String, PackageCardStats>, ServiceError> {
        let result = self.index.query(&self.app, stop, |view| {
            let mut packages: HashMap<String, PackageCardStats> = HashMap::new();
            for card in view.entries() {
                match packages.get_mut(card.package) {
                    Some(known) => known.add_card(&card),
                    None => packages.entry(card.package.to_owned()).or_default().add_card(&card),
                }
            }
            packages
        });
        result.map_err(|error| access_error("the cards", error))
    }

    /// Returns the statistics of one package, with a row for each of the newest cards.
    pub(crate) fn summarize_package_cards(
        &self,
        package: &str,
        stop: CancelCheck,
    ) -> Result<(PackageCardStats, Vec<Value>), ServiceError> {
        let result = self.index.query(&self.app, stop, |view| {
            let (mut all, mut rows) = (PackageCardStats::default(), Vec::new());
            for card in view.package_entries(Some(package)) {
                all.add_card(&card);
                if rows.len() < MAX_PACKAGE_CARDS {
                    rows.push(card_row(&card));
                }
            }
            (all, rows)
        });
        result.map_err(|error| access_error("the cards", error))
    }

    /// Returns the aliases that name this package, and those that name no package but one of its cards.
    pub(crate) fn find_package_aliases(&self, package: &str, stop: CancelCheck) -> Result<Vec<Value>, ServiceError> {
        let text = |alias: &Value, key: &str| alias.get(key).and_then(Value::as_str).map(str::to_owned);
        let mut aliases = self.list_aliases(None)?;
        let unassigned: HashSet<String> = aliases
            .iter()
            .filter(|alias| alias.get("pkg").is_none())
            .filter_map(|alias| text(alias, "card_id"))
            .collect();
        let own: HashSet<String> = if unassigned.is_empty() {
            HashSet::new()
        } else {
            let result = self.index.query(&self.app, stop, |view| {
                let is_own = |id: &String| {
                    let card = CardId::parse(id).ok().and_then(|id| view.get(&id));
                    card.is_some_and(|card| card.package == package)
                };
                unassigned.into_iter().filter(is_own).collect()
            });
            result.map_err(|error| access_error("the cards", error))?
        };
        aliases.retain(|alias| match text(alias, "pkg") {
            Some(named) => named == package,
            None => text(alias, "card_id").is_some_and(|id| own.contains(&id)),
        });
        Ok(aliases)
    }
}
