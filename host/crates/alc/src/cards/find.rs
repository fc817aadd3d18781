//! Lists and searches of cards: one row per card, and the number of all matches.
//!
//! Owns: the fields of a row.

use crate::cards::file_names::{CARDS_DIR, card_file_name};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::iter;

use serde_json::{Map, Value, json};

use super::CancelCheck;
use super::index::{CardEntry, CardIndexView, KeyPath};
use super::query::{FieldPath, FieldValue, OrderBy, Predicate, QueryDocument as _, SortDirection, compare_sort_values};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_UNINDEXED_CARD_READ_BYTES, MAX_UNINDEXED_SORT_KEY_BYTES};
use crate::storage_error::access_error;
use wardroom_appdir::AppDirError;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::toml_text;
use wardroom_base::uri::CardId;
use wardroom_service::ServiceError;

/// A search for cards.
pub(super) struct CardQuery {
    pub(super) package: Option<String>,
    pub(super) condition: Predicate,
    pub(super) order_by: OrderBy,
    pub(super) offset: usize,
    pub(super) limit: usize,
}

/// The outcome of a search in the index.
pub(super) enum IndexSearch {
    Found(CardPage),
    /// The package and id of each card that the index holds only in part, and whose file decides.
    NeedsLongCards(Vec<(String, String)>),
}

/// One page of the matches.
pub(super) struct CardPage {
    pub(super) rows: Vec<Value>,
    /// The number of all matches.
    pub(super) total: usize,
}

impl CardStore {
    /// Finds cards, the newest first unless the query has another order. Cards that the index holds only in part are
    /// read from their files, while its lock is not held.
    pub(super) fn find_cards(&self, query: &CardQuery, stop: CancelCheck) -> Result<CardPage, ServiceError> {
        match self.search_cards(query, stop)? {
            IndexSearch::Found(page) => Ok(page),
            IndexSearch::NeedsLongCards(unread) => self.find_with_long_cards(query, unread, stop),
        }
    }

    /// Searches the index.
    pub(super) fn search_cards(&self, query: &CardQuery, stop: CancelCheck) -> Result<IndexSearch, ServiceError> {
        self.search_with(query, &LongCards::default(), stop)
    }

    /// Searches the index, unless it holds cards only in part that were not read.
    fn search_with(&self, query: &CardQuery, read: &LongCards, stop: CancelCheck) -> Result<IndexSearch, ServiceError> {
        flatten_index_result(self.index.query(&self.app, stop, |view| match query.unread_cards(view, read) {
            unread if unread.is_empty() => search_index(view, query, read, stop).map(IndexSearch::Found),
            unread => Ok(IndexSearch::NeedsLongCards(unread)),
        }))
    }

    /// Finds cards, some of which are read from their files. A parsed card may take two hundred times the memory of its
    /// text.
    fn find_with_long_cards(
        &self,
        query: &CardQuery,
        mut unread: Vec<(String, String)>,
        stop: CancelCheck,
    ) -> Result<CardPage, ServiceError> {
        let mut read = LongCards::default();
        // Cards may become long meanwhile. Each is read once, and all of them together are bounded.
        loop {
            self.read_long_cards(&unread, query, &mut read, stop)?;
            match self.search_with(query, &read, stop)? {
                IndexSearch::Found(page) => return Ok(page),
                IndexSearch::NeedsLongCards(more) => unread = more,
            }
        }
    }

    /// Reads cards that the index holds only in part, one after the other, and keeps only their sort values.
    fn read_long_cards(
        &self,
        unread: &[(String, String)],
        query: &CardQuery,
        read: &mut LongCards,
        stop: CancelCheck,
    ) -> Result<(), ServiceError> {
        for (package, id) in unread {
            if stop() {
                return Err(access_error("the cards", AppDirError::Cancelled(id.clone())));
            }
            let card = self.read_long_card(package, id);
            let sort_values = card.and_then(|(card, length)| {
                read.bytes += length;
                query.condition.matches(&card).then(|| {
                    let fields = query.order_by.0.iter().map(|(path, _)| match card.field(path)? {
                        FieldValue::Compound => Some(Value::Array(Vec::new())),
                        FieldValue::Text(text) => {
                            read.kept_bytes += text.len();
                            Some(text.into())
                        }
                        FieldValue::Null | FieldValue::Bool(_) | FieldValue::Integer(_) | FieldValue::Float(_) => {
                            card.value(path)
                        }
                    });
                    fields.collect()
                })
            });
            if read.bytes > MAX_UNINDEXED_CARD_READ_BYTES || read.kept_bytes > MAX_UNINDEXED_SORT_KEY_BYTES {
                let message = format!(
                    "the search would read more than {} of long cards, or order by more than {} of text: name a package \
                     (pkg), or omit the order",
                    ByteSize(MAX_UNINDEXED_CARD_READ_BYTES as u64),
                    ByteSize(MAX_UNINDEXED_SORT_KEY_BYTES as u64)
                );
                return Err(ServiceError::tool(code::TOO_MANY_LONG_CARDS, message));
            }
            read.sort_values.entry(package.clone()).or_default().insert(id.clone(), sort_values);
        }
        Ok(())
    }

    /// Reads a whole card from its file; returns the length of its text in bytes too.
    pub(super) fn read_long_card(&self, package: &str, id: &str) -> Option<(Value, usize)> {
        let id = CardId::parse(id).ok()?;
        let name = format!("{CARDS_DIR}/{package}/{}", card_file_name(&id));
        let (text, _) = self.app.read_text(&name, MAX_CARD_BYTES).ok()?;
        Some((toml_text::parse_json(&text).ok()?.into(), text.len()))
    }
}

fn flatten_index_result<T>(result: Result<Result<T, AppDirError>, AppDirError>) -> Result<T, ServiceError> {
    result.flatten().map_err(|error| access_error("the cards", error))
}

/// The values of all sort keys of a card.
type SortValues = Vec<Option<Value>>;

/// Cards that the index holds only in part, as their files had them.
#[derive(Default)]
struct LongCards {
    /// Their sort values, by package and id; `None` where the card does not match, or is gone.
    sort_values: HashMap<String, HashMap<String, Option<SortValues>>>,
    /// Bytes that were read, and bytes of sort values.
    bytes: usize,
    kept_bytes: usize,
}

impl LongCards {
    fn get(&self, card: &CardEntry<'_>) -> Option<&Option<SortValues>> {
        self.sort_values.get(card.package)?.get(card.id)
    }
}

impl CardQuery {
    fn needs_full_cards(&self) -> bool {
        !self.condition.is_empty() || !self.order_by.0.is_empty()
    }

    /// Returns the package and id of each card whose file has to be read.
    fn unread_cards(&self, view: &CardIndexView<'_>, read: &LongCards) -> Vec<(String, String)> {
        if !self.needs_full_cards() {
            return Vec::new();
        }
        let unread = view.partial_entries(self.package.as_deref()).filter(|card| read.get(card).is_none());
        unread.map(|card| (card.package.to_owned(), card.id.to_owned())).collect()
    }
}

/// Cards that are tested between two checks for cancellation.
const CARDS_PER_CANCEL_CHECK: usize = 1024;

/// Matches that are collected, at least, before those beyond the page are dropped.
const MIN_MATCHES_TO_PRUNE: usize = 1024;

fn search_index(
    view: &CardIndexView<'_>,
    query: &CardQuery,
    long: &LongCards,
    stop: CancelCheck,
) -> Result<CardPage, AppDirError> {
    let resolve = |path: &FieldPath| view.resolve_path(path);
    let (condition, order_by) = (query.condition.resolve_paths(&resolve), query.order_by.resolve_paths(&resolve));
    let (offset, limit) = (query.offset, query.limit);
    if !query.needs_full_cards() {
        let (cards, total) = view.newest_page(query.package.as_deref(), offset, limit);
        return Ok(CardPage { rows: cards.map(|card| card_row(&card)).collect(), total });
    }
    let end = offset.saturating_add(limit);
    let order = |a: &CardMatch, b: &CardMatch| a.compare(b, &order_by);
    let (mut found, mut total, mut is_pruned): (Vec<CardMatch<'_>>, usize, bool) = (Vec::new(), 0, false);
    // Of cards that lie by their ids, and so by their age, the first ones of the order come first: the others are only compared.
    let first_key = order_by.0.first();
    let is_ascending = first_key.is_some_and(|(_, direction)| *direction == SortDirection::Ascending);
    let mut cards = view.unordered_entries(query.package.as_deref());
    let next = || if is_ascending { cards.next() } else { cards.next_back() };
    for (at, card) in iter::from_fn(next).enumerate() {
        if at % CARDS_PER_CANCEL_CHECK == 0 && stop() {
            return Err(AppDirError::Cancelled(card.id.to_owned()));
        }
        let sort_values = if card.is_whole {
            if !condition.matches(&card.fields) {
                continue;
            }
            None
        } else {
            match long.get(&card) {
                Some(Some(values)) => Some(values),
                Some(None) | None => continue,
            }
        };
        total += 1;
        if end == 0 {
            continue;
        }
        let first_sort_value = match sort_values {
            Some(values) => values.first().and_then(Option::as_ref).map(FieldValue::from_json),
            None => first_key.and_then(|(path, _)| card.fields.field(path)),
        };
        // The last of the page so far stays there until the next pruning. Most cards come after it by their first value.
        let last = found.get(end - 1).filter(|_| is_pruned);
        if let (Some(last), Some((_, direction))) = (last, first_key)
            && compare_sort_values(first_sort_value, last.first_sort_value, *direction).is_gt()
        {
            continue;
        }
        let number = if is_ascending { at } else { usize::MAX - at };
        let candidate = CardMatch { card, first_sort_value, sort_values, number };
        if last.is_some_and(|last| order(&candidate, last).is_gt()) {
            continue;
        }
        found.push(candidate);
        if found.len() >= end.saturating_mul(2).max(MIN_MATCHES_TO_PRUNE) {
            found.select_nth_unstable_by(end - 1, order);
            found.truncate(end);
            is_pruned = true;
        }
    }
    found.sort_unstable_by(order);
    Ok(CardPage { rows: found.iter().take(end).skip(offset).map(|found| card_row(&found.card)).collect(), total })
}

struct CardMatch<'a> {
    card: CardEntry<'a>,
    /// Its place in memory, which decides between two cards of one id.
    number: usize,
    /// The value of the first sort key, looked up once; `None` without one.
    first_sort_value: Option<FieldValue<'a>>,
    /// The values of all sort keys, where the index holds only a part of the card.
    sort_values: Option<&'a SortValues>,
}

impl CardMatch<'_> {
    fn sort_value(&self, at: usize, order_by: &OrderBy<KeyPath>) -> Option<FieldValue<'_>> {
        match (self.sort_values, order_by.0.get(at)) {
            _ if at == 0 => self.first_sort_value,
            (Some(long), _) => long.get(at)?.as_ref().map(FieldValue::from_json),
            (None, Some((path, _))) => self.card.fields.field(path),
            (None, None) => None,
        }
    }

    fn compare(&self, other: &Self, order_by: &OrderBy<KeyPath>) -> Ordering {
        for (at, (_, direction)) in order_by.0.iter().enumerate() {
            let order = compare_sort_values(self.sort_value(at, order_by), other.sort_value(at, order_by), *direction);
            if order.is_ne() {
                return order;
            }
        }
        (self.card.sort_key(), self.number).cmp(&(other.card.sort_key(), other.number))
    }
}

/// Builds the row of a card in a list.
pub(super) fn card_row(card: &CardEntry) -> Value {
    let mut row = Map::new();
    row.insert("card_id".to_owned(), card.id.into());
    row.insert("pkg".to_owned(), card.package.into());
    let texts = [("created_at", &["created_at"][..]), ("model", &["model", "id"]), ("scenario", &["scenario", "name"])];
    for (name, path) in texts {
        if let Some(text) = card.fields.text(path) {
            row.insert(name.to_owned(), text.into());
        }
    }
    // An integer rate becomes a float.
    if let Some(rate @ Value::Number(_)) = card.fields.json(&["stats", "pass_rate"]) {
        row.insert("pass_rate".to_owned(), json!(rate.as_f64()));
    }
    Value::Object(row)
}
