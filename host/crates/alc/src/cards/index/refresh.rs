//! Bringing the index up to date.
//!
//! Never: reads a card that is known and has not changed.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::packed::{Keys, pack};
use super::{CARDS, Card, Held, Known, Package, Read, Seen, saved};
use crate::cards::store::LOCKS;
use crate::cards::{Stop, format};
use wardroom_appdir::{AppDirError, EntryKind, Folder, Stat};
use wardroom_base::limits::{
    CARD_INDEX_FILE_FROM, MAX_CARD_BYTES, MAX_CARD_LOOKS, MAX_CARD_NAMES, MAX_HELD_CARD_BYTES, MAX_HELD_CARDS_BYTES,
    MAX_INDEXED_CARDS, MAX_NAMES_SCANNED,
};
use wardroom_base::toml_text;
use wardroom_base::uri::CardId;

/// What a card costs beside its compact form: its id, its place in a table and in the order.
const CARD_COST: usize = 200;

/// How many names that came before may be gone at once without a search for the one that comes instead.
const AHEAD: usize = 4;

impl Seen {
    /// `stat` is from before the names are read.
    fn of(stat: Stat) -> Self {
        Self { stat, settled: stat.holds_still() }
    }

    /// Whether a folder in this state has the names that it had.
    fn holds(self, stat: Stat) -> bool {
        self.settled && self.stat == stat
    }
}

impl Known {
    pub(super) fn refresh(&mut self, app: &Folder, stop: Stop) -> Result<(), AppDirError> {
        let cards = match app.folder(CARDS) {
            Err(AppDirError::NotFound(_)) => {
                *self = Self { loaded: true, ..Self::default() };
                return Ok(());
            }
            cards => cards?,
        };
        self.find_packages(&cards)?;
        let look_from = self.look_from.take();
        let mut looks = Looks { left: MAX_CARD_LOOKS, stopped_at: None };
        let mut left = MAX_CARD_NAMES;
        for at in 0..self.packages.len() {
            let Some(mut package) = self.packages.get_mut(at).map(std::mem::take) else { break };
            let from = match &look_from {
                Some((name, _)) if *name > package.name => None,
                Some((name, number)) if *name == package.name => Some(*number),
                _ => Some(0),
            };
            let refreshed = cards.folder(&package.name).and_then(|folder| {
                self.read_names(at, &mut package, &folder, &mut left, stop)?;
                if let Some(from) = from {
                    self.look(&mut package, &folder, from, &mut looks);
                }
                Ok(())
            });
            match refreshed {
                Ok(()) => {}
                Err(AppDirError::Stopped(_)) => package.seen = None,
                // As in reading: a folder that cannot be opened hides no card in the others.
                Err(ref error) => {
                    tracing::debug!(%error, "folder of cards skipped");
                    let name = Arc::clone(&package.name);
                    self.forget(&package);
                    package = Package { name, ..Package::default() };
                }
            }
            if let Some(place) = self.packages.get_mut(at) {
                *place = package;
            }
            if let Err(error @ AppDirError::Stopped(_)) = refreshed {
                return Err(error);
            }
        }
        self.look_from = looks.stopped_at;
        self.save(app);
        Ok(())
    }

    /// Which folders of packages there are.
    fn find_packages(&mut self, cards: &Folder) -> Result<(), AppDirError> {
        let seen = Seen::of(cards.own_stat()?);
        if self.root.is_some_and(|root| root.holds(seen.stat)) {
            return Ok(());
        }
        let entries = cards.entries(MAX_NAMES_SCANNED)?.into_iter();
        let folders = entries.filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Link));
        let names: Vec<Arc<str>> = folders.filter(|entry| entry.name != LOCKS).map(|entry| entry.name.into()).collect();
        if !self.packages.iter().map(|package| &package.name).eq(&names) {
            let mut known: HashMap<_, _> =
                std::mem::take(&mut self.packages).into_iter().map(|p| (Arc::clone(&p.name), p)).collect();
            let find = |name| known.remove(&name).unwrap_or_else(|| Package { name, ..Package::default() });
            self.packages = names.into_iter().map(find).collect();
            known.values().for_each(|gone| self.forget(gone));
            self.order.holds = false;
        }
        self.root = Some(seen);
        Ok(())
    }

    /// Counts the cards of a package no more.
    fn forget(&mut self, package: &Package) {
        self.bytes -= package.cards.iter().map(Card::cost).sum::<usize>();
        self.cards -= package.cards.len();
        self.order.holds = false;
    }

    /// Reads the names of a package's cards where they may have changed, and the cards that are new or replaced.
    fn read_names(
        &mut self,
        at: usize,
        package: &mut Package,
        folder: &Folder,
        left: &mut usize,
        stop: Stop,
    ) -> Result<(), AppDirError> {
        if stop() {
            return Err(AppDirError::Stopped(package.name.to_string()));
        }
        let seen = Seen::of(folder.own_stat()?);
        if package.seen.is_some_and(|known| known.holds(seen.stat)) {
            return Ok(());
        }
        self.turn += 1;
        let turn = self.turn;
        let (mut new, mut replaced, mut next) = (Vec::new(), Vec::new(), 0);
        let mut as_read = Vec::with_capacity(package.as_read.len());
        folder.each_name_within(left, |file, inode, kind| {
            let id = file.strip_suffix(".toml").filter(|_| matches!(kind, EntryKind::File | EntryKind::Link));
            let Some(id) = id else { return };
            // Names come in the order in which they came before, so that most are known without a search.
            let name = self.hasher.hash_one(id);
            let ahead = package.as_read.iter().skip(next).take(AHEAD).position(|read| read.name == name);
            let expected = ahead.and_then(|ahead| package.as_read.get(next + ahead));
            next += ahead.map_or(0, |ahead| ahead + 1);
            let number = match expected {
                Some(read) if read.inode == inode => return as_read.push(*read),
                Some(read) => Some(read.number),
                None => package.by_id.get(id).copied(),
            };
            match number.and_then(|number| Some((number, package.cards.get(number)?))) {
                Some((number, card)) => {
                    as_read.push(Read { name, inode, number });
                    if card.inode != inode {
                        replaced.push((number, inode));
                    }
                }
                None if CardId::parse(id).is_ok() => new.push((Arc::<str>::from(id), inode)),
                None => {}
            }
        })?;
        package.as_read = as_read;
        for (number, inode) in replaced {
            self.reread(package, folder, number, inode);
        }
        if package.as_read.len() < package.cards.len() {
            for read in &package.as_read {
                if let Some(card) = package.cards.get_mut(read.number) {
                    card.turn = turn;
                }
            }
            self.remove_gone(package, turn);
        }
        package.seen = Some(seen).filter(|_| *left > 0);
        new.sort_unstable();
        for (id, inode) in new {
            if stop() {
                return Err(AppDirError::Stopped(id.to_string()));
            }
            if self.cards >= MAX_INDEXED_CARDS || self.bytes >= 2 * MAX_HELD_CARDS_BYTES {
                tracing::warn!("there are more cards than can be listed: the rest is left out");
                package.seen = None;
                break;
            }
            if let Some((stat, held)) = self.read(folder, &id) {
                self.add(at, package, Card { id, inode, stat, turn, held });
            }
        }
        Ok(())
    }

    fn add(&mut self, at: usize, package: &mut Package, card: Card) {
        let number = package.cards.len();
        self.bytes += card.cost();
        self.cards += 1;
        self.unsaved += 1;
        package.by_id.insert(Arc::clone(&card.id), number);
        package.cards.push(card);
        self.order.new.push((at, number));
    }

    fn remove_gone(&mut self, package: &mut Package, turn: u64) {
        let mut numbers = Vec::with_capacity(package.cards.len());
        let mut kept = Vec::with_capacity(package.as_read.len());
        for card in std::mem::take(&mut package.cards) {
            numbers.push(kept.len());
            if card.turn == turn {
                kept.push(card);
            } else {
                self.bytes -= card.cost();
                self.cards -= 1;
            }
        }
        package.by_id = kept.iter().enumerate().map(|(number, card)| (Arc::clone(&card.id), number)).collect();
        package.cards = kept;
        for read in &mut package.as_read {
            read.number = numbers.get(read.number).copied().unwrap_or(usize::MAX);
        }
        self.order.holds = false;
    }

    /// Reads a card again; one that is gone meanwhile is kept as broken until the names are read without it.
    fn reread(&mut self, package: &mut Package, folder: &Folder, number: usize, inode: u64) {
        let Some(card) = package.cards.get_mut(number) else { return };
        self.bytes -= card.cost();
        let (stat, held) = self.read(folder, &card.id).unwrap_or((0, Held::Broken));
        let age = |held: &Held| Some(held.fields(&self.keys)?.text(&["created_at"]).map(str::to_owned));
        if age(&held) != age(&card.held) {
            self.order.holds = false;
        }
        (card.inode, card.stat, card.held) = (inode, stat, held);
        self.bytes += card.cost();
        self.unsaved += 1;
    }

    /// Looks at single cards from a number on, as far as this question may.
    fn look(&mut self, package: &mut Package, folder: &Folder, from: usize, looks: &mut Looks) {
        for number in from..package.cards.len() {
            let Some(rest) = looks.left.checked_sub(1) else {
                looks.stopped_at.get_or_insert_with(|| (Arc::clone(&package.name), number));
                return;
            };
            looks.left = rest;
            let Some(card) = package.cards.get(number) else { return };
            let (inode, file) = (card.inode, format!("{}.toml", card.id));
            // A link is no file of this folder: the longer way.
            let stat = folder.stat_here(&file).or_else(|_| folder.stat(&file));
            if stat.map_or(0, print) != card.stat {
                self.reread(package, folder, number, inode);
            }
        }
    }

    /// What is kept of a card, and a hash of what its file was before; nothing where there is none.
    fn read(&mut self, folder: &Folder, id: &str) -> Option<(u64, Held)> {
        let name = format!("{id}.toml");
        let stat = folder.stat(&name).ok()?;
        let held = match folder.read_text(&name, MAX_CARD_BYTES) {
            Ok((text, _)) => self.held(&text),
            Err(AppDirError::NotFound(_)) => return None,
            Err(error) => {
                tracing::debug!(%error, "card skipped");
                Held::Broken
            }
        };
        Some((print(stat), held))
    }

    fn held(&mut self, text: &str) -> Held {
        let Ok(table) = toml_text::parse(text) else { return Held::Broken };
        let card = format::card_to_json(table);
        let whole = pack(&card, &mut self.keys);
        let has_room = |bytes: &[u8]| {
            bytes.len() <= MAX_HELD_CARD_BYTES && self.bytes + bytes.len() + CARD_COST <= MAX_HELD_CARDS_BYTES
        };
        match whole.filter(|bytes| has_room(bytes)) {
            Some(bytes) => Held::Whole(bytes),
            None => Held::Part(part(&card, &mut self.keys)),
        }
    }

    /// Keeps the index for the next process, when that spares it much.
    fn save(&mut self, app: &Folder) {
        if app.is_read_only() || self.unsaved < CARD_INDEX_FILE_FROM.max(self.cards / 10) {
            return;
        }
        self.unsaved = 0;
        // It costs time later, and nothing else.
        if let Err(error) = saved::save(app, self) {
            tracing::debug!(%error, "index of cards not saved");
        }
    }
}

/// How many single cards may still be looked at, and where that ended.
struct Looks {
    left: usize,
    stopped_at: Option<(Arc<str>, usize)>,
}

impl Card {
    pub(super) fn cost(&self) -> usize {
        CARD_COST
            + match &self.held {
                Held::Whole(bytes) | Held::Part(bytes) => bytes.len(),
                Held::Broken => 0,
            }
    }
}

/// What lists show and descent needs. Its values are cut, so that no card takes more than a few hundred bytes.
fn part(card: &Value, keys: &mut Keys) -> Box<[u8]> {
    let short = |pointer: &str| match card.pointer(pointer) {
        Some(Value::String(text)) => text.chars().take(200).collect::<String>().into(),
        Some(number @ Value::Number(_)) => number.clone(),
        _ => Value::Null,
    };
    let rows = json!({
        "created_at": short("/created_at"),
        "model": {"id": short("/model/id")},
        "scenario": {"name": short("/scenario/name")},
        "stats": {"pass_rate": short("/stats/pass_rate")},
        "metadata": {"prior_card_id": short("/metadata/prior_card_id"), "prior_relation": short("/metadata/prior_relation")},
    });
    let nothing = Value::Object(Map::new());
    pack(&rows, keys).or_else(|| pack(&nothing, keys)).unwrap_or_default()
}

fn print(stat: Stat) -> u64 {
    let mut hasher = DefaultHasher::new();
    stat.hash(&mut hasher);
    hasher.finish()
}
