//! Lists and searches of cards: one row a card, and the number of all that fit.
//!
//! Owns: what a row has.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::index::{Entry, View, Way};
use super::query::{Condition, Document as _, Field, OrderBy, Path, compare};
use super::{CARDS, Stop, failed, file_name, refused};
use crate::Alc;
use wardroom_appdir::AppDirError;
use wardroom_base::limits::{MAX_CARD_BYTES, MAX_LONG_CARDS_BYTES, MAX_LONG_ORDER_BYTES};
use wardroom_base::toml_text;
use wardroom_base::uri::CardId;
use wardroom_service::{CallContext, ServiceError};

/// Which cards are wanted.
pub(super) struct Wanted<'q> {
    pub(super) package: Option<&'q str>,
    pub(super) condition: &'q Condition,
    pub(super) order_by: &'q OrderBy,
    pub(super) offset: usize,
    pub(super) limit: usize,
    /// The call of a client, where it is one.
    pub(super) context: Option<&'q CallContext>,
}

/// Some of the cards that were wanted.
pub(super) struct Found {
    pub(super) rows: Vec<Value>,
    /// How many there are in all.
    pub(super) total: usize,
}

impl Alc {
    /// The cards that are wanted, the newest first unless another order is asked for. What is longer than the index keeps
    /// is read while nobody waits for the index.
    pub(super) fn find_cards(&self, wanted: &Wanted, stop: Stop) -> Result<Found, ServiceError> {
        let app = &self.folders.app;
        let none = HashMap::new();
        let first = self.cards.ask(app, stop, |view| match wanted.long_ones(view) {
            long if long.is_empty() => search(view, wanted, &none, stop).map(Ok),
            long => Ok(Err(long)),
        });
        let long = match flat(first)? {
            Ok(found) => return Ok(found),
            Err(long) => long,
        };
        // One of them may take two hundred times its text.
        wanted.context.map_or(Ok(()), CallContext::needs_large)?;
        let read = self.read_long(&long, wanted, stop)?;
        flat(self.cards.ask(app, stop, |view| search(view, wanted, &read, stop)))
    }

    /// What the search needs of cards that the index has not whole, one after the other.
    fn read_long(&self, long: &[(String, String)], wanted: &Wanted, stop: Stop) -> Result<Long, ServiceError> {
        let (mut read, mut bytes, mut kept) = (Long::new(), 0, 0);
        for (package, id) in long {
            if stop() {
                return Err(failed("the cards", AppDirError::Stopped(id.clone())));
            }
            let Some((card, length)) = self.long_card(package, id) else { continue };
            bytes += length;
            let order = wanted.condition.holds(&card).then(|| {
                let fields = wanted.order_by.0.iter().map(|(path, _)| match card.field(path)? {
                    Field::Compound => Some(Value::Array(Vec::new())),
                    Field::Text(text) => {
                        kept += text.len();
                        Some(text.into())
                    }
                    Field::Null | Field::Bool(_) | Field::Integer(_) | Field::Float(_) => card.value(path),
                });
                fields.collect()
            });
            if bytes > MAX_LONG_CARDS_BYTES || kept > MAX_LONG_ORDER_BYTES {
                let message = format!(
                    "the search would read more than {MAX_LONG_CARDS_BYTES} bytes of long cards, or order by more than \
                     {MAX_LONG_ORDER_BYTES} bytes of text: name a package (pkg), or leave out the order"
                );
                return Err(refused("TOO_MANY_LONG_CARDS", message));
            }
            read.entry(package.clone()).or_default().insert(id.clone(), order);
        }
        Ok(read)
    }

    /// All of a card that the index has not whole, and how long its text is.
    pub(super) fn long_card(&self, package: &str, id: &str) -> Option<(Value, usize)> {
        let id = CardId::parse(id).ok()?;
        let name = format!("{CARDS}/{package}/{}", file_name(&id));
        let (text, _) = self.folders.app.read_text(&name, MAX_CARD_BYTES).ok()?;
        Some((toml_text::parse(&text).ok().map(super::format::card_to_json)?, text.len()))
    }
}

fn flat<T>(asked: Result<Result<T, AppDirError>, AppDirError>) -> Result<T, ServiceError> {
    asked.flatten().map_err(|error| failed("the cards", error))
}

/// By package and id, of cards that the index has not whole: what the order asks for, in its order, where the card fits.
type Long = HashMap<String, HashMap<String, Option<Vec<Option<Value>>>>>;

impl Wanted<'_> {
    fn needs_all(&self) -> bool {
        !self.condition.is_empty() || !self.order_by.0.is_empty()
    }

    /// The package and id of those whose files have to be read.
    fn long_ones(&self, view: &View<'_>) -> Vec<(String, String)> {
        if !self.needs_all() {
            return Vec::new();
        }
        let long = view.entries_of(self.package).filter(|card| !card.is_whole);
        long.map(|card| (card.package.to_owned(), card.id.to_owned())).collect()
    }
}

/// How many cards are looked at before somebody is asked whether it is still wanted.
const STRIDE: usize = 1024;

fn search(view: &View<'_>, wanted: &Wanted, long: &Long, stop: Stop) -> Result<Found, AppDirError> {
    let way = |path: &Path| view.way(path);
    let (condition, order_by) = (wanted.condition.resolved(&way), wanted.order_by.resolved(&way));
    let cards = view.entries_of(wanted.package);
    let (offset, limit) = (wanted.offset, wanted.limit);
    if !wanted.needs_all() {
        let (mut rows, mut total) = (Vec::new(), 0);
        for card in cards {
            if total >= offset && rows.len() < limit {
                rows.push(row(&card));
            }
            total += 1;
        }
        return Ok(Found { rows, total });
    }
    let mut found: Vec<Match<'_>> = Vec::new();
    for (at, card) in cards.enumerate() {
        if at % STRIDE == 0 && stop() {
            return Err(AppDirError::Stopped(card.id.to_owned()));
        }
        if card.is_whole {
            if condition.holds(&card.fields) {
                let first = order_by.0.first().and_then(|(way, _)| card.fields.field(way));
                found.push(Match { at, card, first, long: None });
            }
        } else if let Some(Some(order)) = long.get(card.package).and_then(|cards| cards.get(card.id)) {
            found.push(Match { at, card, first: None, long: Some(order) });
        }
    }
    let total = found.len();
    let end = offset.saturating_add(limit).min(total);
    if !order_by.0.is_empty() {
        let order = |a: &Match, b: &Match| a.compare(b, &order_by).then(a.at.cmp(&b.at));
        if end > 0 && end < total {
            found.select_nth_unstable_by(end - 1, order);
        }
        found.truncate(end);
        found.sort_unstable_by(order);
    }
    Ok(Found { rows: found.iter().take(end).skip(offset).map(|found| row(&found.card)).collect(), total })
}

struct Match<'a> {
    /// Its place in the order that there is.
    at: usize,
    card: Entry<'a>,
    /// What counts most in the order that was asked for, looked up once.
    first: Option<Field<'a>>,
    /// What the order asks for, where the index has not all of the card.
    long: Option<&'a Vec<Option<Value>>>,
}

impl Match<'_> {
    fn field(&self, at: usize, ways: &OrderBy<Way>) -> Option<Field<'_>> {
        match (self.long, ways.0.get(at)) {
            (Some(long), _) => long.get(at)?.as_ref().map(Field::of),
            (None, _) if at == 0 => self.first,
            (None, Some((way, _))) => self.card.fields.field(way),
            (None, None) => None,
        }
    }

    fn compare(&self, other: &Self, ways: &OrderBy<Way>) -> Ordering {
        let each = ways.0.iter().enumerate();
        each.map(|(at, (_, direction))| compare(self.field(at, ways), other.field(at, ways), *direction))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// What a list says of a card.
pub(super) fn row(card: &Entry) -> Value {
    let mut row = Map::new();
    row.insert("card_id".to_owned(), card.id.into());
    row.insert("pkg".to_owned(), card.package.into());
    let texts = [("created_at", &["created_at"][..]), ("model", &["model", "id"]), ("scenario", &["scenario", "name"])];
    for (name, path) in texts {
        if let Some(text) = card.fields.text(path) {
            row.insert(name.to_owned(), text.into());
        }
    }
    // A whole number counts too.
    if let Some(rate @ Value::Number(_)) = card.fields.json(&["stats", "pass_rate"]) {
        row.insert("pass_rate".to_owned(), json!(rate.as_f64()));
    }
    Value::Object(row)
}
