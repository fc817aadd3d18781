//! The figures of cards, for tables and plots that a person looks at.
//!
//! Owns: the filters of those, as conditions of a search.
//! Never: reads a card that the index has whole.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::args::{parse_where, validate_package_filter};
use super::find::CardQuery;
use super::query::{OrderBy, Predicate};
use super::samples::SampleQuery;
use super::{CARD_SIZE_LIMITS, CancelCheck, CardStore, card_not_found, parse_card_id, parse_card_json};
use crate::storage_error::access_error;
use wardroom_service::ServiceError;
use wardroom_service::limits::MAX_PAGE_BYTES;

/// Which cards are wanted; all by default.
#[derive(Debug, Clone, Default)]
pub struct CardFilter {
    pub package: Option<String>,
    pub scenario: Option<String>,
    pub model: Option<String>,
    /// Only the cards of the last days.
    pub days: Option<u64>,
}

/// A card in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardFigures {
    pub card_id: String,
    pub pkg: String,
    pub created_at: Option<String>,
    pub model: Option<String>,
    pub scenario: Option<String>,
    pub pass_rate: Option<f64>,
}

impl CardFilter {
    fn condition(&self) -> Result<Predicate, ServiceError> {
        let equal = |value: &String| json!({ "eq": value });
        let all: Vec<Value> = [
            self.scenario.as_ref().map(|name| json!({"scenario": {"name": equal(name)}})),
            self.model.as_ref().map(|id| json!({"model": {"id": equal(id)}})),
            self.days.and_then(days_ago).map(|since| json!({"created_at": {"gte": since}})),
        ]
        .into_iter()
        .flatten()
        .collect();
        if all.is_empty() { Ok(Predicate::All(Vec::new())) } else { parse_where(json!({ "_and": all })) }
    }
}

/// Returns the time so many days ago, as cards have it.
fn days_ago(days: u64) -> Option<String> {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let since = SystemTime::now().checked_sub(Duration::from_secs(days.checked_mul(DAY_SECONDS)?))?;
    Some(DateTime::<Utc>::from(since).to_rfc3339_opts(SecondsFormat::Secs, true))
}

impl CardFigures {
    /// Returns when the card was created, in seconds since 1970.
    #[must_use]
    pub fn created_seconds(&self) -> Option<i64> {
        DateTime::parse_from_rfc3339(self.created_at.as_deref()?).ok().map(|time| time.timestamp())
    }

    fn from_row(row: &Value) -> Self {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            card_id: text("card_id").unwrap_or_default(),
            pkg: text("pkg").unwrap_or_default(),
            created_at: text("created_at"),
            model: text("model"),
            scenario: text("scenario"),
            pass_rate: row.get("pass_rate").and_then(Value::as_f64),
        }
    }
}

impl CardStore {
    /// Lists the newest cards that are wanted, and counts all of them.
    ///
    /// # Errors
    /// When a filter is no name, and when the cards cannot be read.
    pub fn list_figures(
        &self,
        filter: &CardFilter,
        limit: usize,
        stop: CancelCheck,
    ) -> Result<(Vec<CardFigures>, usize), ServiceError> {
        let package = validate_package_filter(filter.package.as_deref())?.map(str::to_owned);
        let query =
            CardQuery { package, condition: filter.condition()?, order_by: OrderBy(Vec::new()), offset: 0, limit };
        let page = self.find_cards(&query, stop)?;
        Ok((page.rows.iter().map(CardFigures::from_row).collect(), page.total))
    }

    /// Reads a card with all of its fields.
    pub(crate) fn read_whole_card(&self, id: &str, stop: CancelCheck) -> Result<Value, ServiceError> {
        let id = parse_card_id(id)?;
        let file = self.open_card(&id, stop)?.ok_or_else(|| card_not_found(&id))?;
        let (text, _) =
            file.read_text(CARD_SIZE_LIMITS.large).map_err(|error| access_error(&format!("card '{id}'"), error))?;
        parse_card_json(&id, &text)
    }

    /// Reads the first rows of a card, and counts all of them.
    pub(crate) fn read_first_samples(
        &self,
        id: &str,
        limit: usize,
        stop: CancelCheck,
    ) -> Result<(Vec<Value>, usize), ServiceError> {
        let condition = Predicate::All(Vec::new());
        let query = SampleQuery { condition: &condition, offset: 0, limit, max_bytes: MAX_PAGE_BYTES };
        let page = self.read_samples(&parse_card_id(id)?, &query, stop)?;
        let total = page.total.and_then(|total| usize::try_from(total).ok()).unwrap_or(page.rows.len());
        Ok((page.rows, total))
    }
}
