//! Lists and searches of cards: one row a card, and the number of all that fit.
//!
//! Owns: what a row has.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::index::{Entry, View, Way};
use super::query::{Condition, Document as _, Field, OrderBy, Path, compare};
use super::{CARDS, Stop, failed, file_name};
use crate::appdir::Folder;
use crate::limits::MAX_CARD_BYTES;
use crate::services::ServiceError;
use crate::services::alc::Alc;
use crate::toml_text;
use crate::uri::CardId;

/// Which cards are wanted.
pub(super) struct Wanted<'q> {
    pub(super) package: Option<&'q str>,
    pub(super) condition: &'q Condition,
    pub(super) order_by: &'q OrderBy,
    pub(super) offset: usize,
    pub(super) limit: usize,
}

/// Some of the cards that were wanted.
pub(super) struct Found {
    pub(super) rows: Vec<Value>,
    /// How many there are in all.
    pub(super) total: usize,
}

impl Alc {
    /// The cards that are wanted, the newest first unless another order is asked for.
    pub(super) fn find_cards(&self, wanted: &Wanted, stop: Stop) -> Result<Found, ServiceError> {
        let app = &self.folders.app;
        let found = self.cards.ask(app, stop, |view| search(view, wanted, &Files(app)));
        found.map_err(|error| failed("the cards", error))
    }
}

fn search(view: &View<'_>, wanted: &Wanted, files: &Files) -> Found {
    let way = |path: &Path| view.way(path);
    let (condition, order_by) = (wanted.condition.resolved(&way), wanted.order_by.resolved(&way));
    let needs_all = !wanted.condition.is_empty() || !order_by.0.is_empty();
    let cards = view.entries_of(wanted.package);
    let (offset, limit) = (wanted.offset, wanted.limit);
    if !needs_all {
        let (mut rows, mut total) = (Vec::new(), 0);
        for card in cards {
            if total >= offset && rows.len() < limit {
                rows.push(row(&card));
            }
            total += 1;
        }
        return Found { rows, total };
    }
    let mut found: Vec<Match<'_>> = Vec::new();
    for (at, card) in cards.enumerate() {
        // What is longer than the index keeps is read.
        let long = if card.is_whole { None } else { files.read(&card) };
        let holds = match &long {
            Some(whole) => wanted.condition.holds(whole),
            None => condition.holds(&card.fields),
        };
        if holds {
            let first = order_by.0.first().and_then(|(way, _)| card.fields.field(way));
            found.push(Match { at, card, first, long: long.filter(|_| !order_by.0.is_empty()) });
        }
    }
    let total = found.len();
    let end = offset.saturating_add(limit).min(total);
    if !order_by.0.is_empty() {
        let order = |a: &Match, b: &Match| a.compare(b, wanted.order_by, &order_by).then(a.at.cmp(&b.at));
        if end > 0 && end < total {
            found.select_nth_unstable_by(end - 1, order);
        }
        found.truncate(end);
        found.sort_unstable_by(order);
    }
    Found { rows: found.iter().take(end).skip(offset).map(|found| row(&found.card)).collect(), total }
}

struct Match<'a> {
    /// Its place in the order that there is.
    at: usize,
    card: Entry<'a>,
    /// What counts most in the order that was asked for, looked up once.
    first: Option<Field<'a>>,
    /// All of it, where the index has not, and the order may ask for it.
    long: Option<Value>,
}

impl Match<'_> {
    fn field(&self, at: usize, names: &OrderBy, ways: &OrderBy<Way>) -> Option<Field<'_>> {
        match (&self.long, names.0.get(at), ways.0.get(at)) {
            (Some(long), Some((path, _)), _) => long.field(path),
            (None, ..) if at == 0 => self.first,
            (None, _, Some((way, _))) => self.card.fields.field(way),
            _ => None,
        }
    }

    fn compare(&self, other: &Self, names: &OrderBy, ways: &OrderBy<Way>) -> Ordering {
        let each = ways.0.iter().enumerate();
        each.map(|(at, (_, direction))| compare(self.field(at, names, ways), other.field(at, names, ways), *direction))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The files of cards, for those that the index has not whole.
struct Files<'a>(&'a Folder);

impl Files<'_> {
    fn read(&self, card: &Entry) -> Option<Value> {
        let id = CardId::parse(card.id).ok()?;
        let name = format!("{CARDS}/{}/{}", card.package, file_name(&id));
        let (text, _) = self.0.read_text(&name, MAX_CARD_BYTES).ok()?;
        toml_text::parse(&text).ok().map(super::format::card_to_json)
    }
}

/// What a list says of a card.
fn row(card: &Entry) -> Value {
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
