//! The index of cards as a file in the cache, so that the next process need not read every card.
//!
//! Owns: the format: a magic word with a version, then little-endian numbers and texts with their lengths, then a hash of
//! all of it.
//! Never: believes a file that does not add up; the index is then made anew.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::packed::Keys;
use super::{Card, Held, Known, Package, Seen};
use wardroom_appdir::{AppDirError, Folder, Privacy, Stat};
use wardroom_base::limits::{MAX_CARD_INDEX_FILE_BYTES, MAX_HELD_CARD_BYTES, MAX_HELD_CARDS_BYTES, MAX_INDEXED_CARDS};
use wardroom_base::uri::CardId;

const MAGIC: u64 = u64::from_le_bytes(*b"WRCARDS1");
const FOLDER: &str = "cache";
const FILE: &str = "cards.index";

const BROKEN: u8 = 0;
const PART: u8 = 1;
const WHOLE: u8 = 2;

pub(super) fn load(app: &Folder) -> Option<Known> {
    let document = app.folder(FOLDER).ok()?.read(FILE, MAX_CARD_INDEX_FILE_BYTES).ok()?;
    decode(&document.bytes)
}

pub(super) fn save(app: &Folder, known: &Known) -> Result<(), AppDirError> {
    app.create_folder(FOLDER)?.write(FILE, &encode(known), Privacy::Owner)
}

fn encode(known: &Known) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(known.bytes);
    number(MAGIC, &mut bytes);
    let names = known.keys.names();
    number(names.len() as u64, &mut bytes);
    names.iter().for_each(|name| text(name.as_bytes(), &mut bytes));
    seen(known.root, &mut bytes);
    number(known.packages.len() as u64, &mut bytes);
    for package in &known.packages {
        text(package.name.as_bytes(), &mut bytes);
        seen(package.seen, &mut bytes);
        number(package.cards.len() as u64, &mut bytes);
        for card in &package.cards {
            text(card.id.as_bytes(), &mut bytes);
            number(card.inode, &mut bytes);
            number(card.stat, &mut bytes);
            let (kind, held): (u8, &[u8]) = match &card.held {
                Held::Broken => (BROKEN, &[]),
                Held::Part(held) => (PART, held),
                Held::Whole(held) => (WHOLE, held),
            };
            bytes.push(kind);
            text(held, &mut bytes);
        }
    }
    number(checksum(&bytes), &mut bytes);
    bytes
}

fn number(number: u64, bytes: &mut Vec<u8>) {
    bytes.extend(number.to_le_bytes());
}

fn text(text: &[u8], bytes: &mut Vec<u8>) {
    number(text.len() as u64, bytes);
    bytes.extend(text);
}

/// A state that was not settled says nothing to anybody later.
fn seen(seen: Option<Seen>, bytes: &mut Vec<u8>) {
    let Some(Seen { stat, settled: true }) = seen else {
        bytes.push(0);
        return;
    };
    bytes.push(1);
    for time in [stat.modified, stat.changed] {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        number(since.as_secs(), bytes);
        number(since.subsec_nanos().into(), bytes);
    }
    [stat.len, stat.identity.0, stat.identity.1, stat.links].into_iter().for_each(|field| number(field, bytes));
}

fn decode(bytes: &[u8]) -> Option<Known> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = Reader(body);
    if reader.number()? != MAGIC {
        return None;
    }
    let names = (0..reader.number()?).map(|_| reader.string()).collect::<Option<Vec<_>>>()?;
    let mut known = Known { loaded: true, keys: Keys::from_names(names)?, ..Known::default() };
    known.root = reader.seen()?;
    for _ in 0..reader.number()? {
        let package = reader.package()?;
        known.bytes = package.cards.iter().try_fold(known.bytes, |bytes, card| bytes.checked_add(card.cost()))?;
        known.cards += package.cards.len();
        known.packages.push(package);
    }
    let sorted = known.packages.is_sorted_by(|a, b| a.name < b.name);
    // The last card to come in may be the one too many.
    let possible = known.bytes <= 2 * MAX_HELD_CARDS_BYTES + MAX_HELD_CARD_BYTES && known.cards <= MAX_INDEXED_CARDS;
    (reader.0.is_empty() && sorted && possible).then_some(known)
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&[u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn string(&mut self) -> Option<Arc<str>> {
        std::str::from_utf8(self.bytes()?).ok().map(Arc::from)
    }

    #[expect(clippy::option_option, reason = "the file says that there is none, or says nothing that makes sense")]
    fn seen(&mut self) -> Option<Option<Seen>> {
        match self.byte()? {
            0 => return Some(None),
            1 => {}
            _ => return None,
        }
        let [modified, changed] = [self.time()?, self.time()?];
        let len = self.number()?;
        let identity = (self.number()?, self.number()?);
        let stat = Stat { len, modified, changed, identity, links: self.number()? };
        Some(Some(Seen { stat, settled: true }))
    }

    #[expect(clippy::option_option, reason = "the file says that there is none, or says nothing that makes sense")]
    fn time(&mut self) -> Option<Option<SystemTime>> {
        let (seconds, nanos) = (self.number()?, u32::try_from(self.number()?).ok()?);
        if nanos >= 1_000_000_000 {
            return None;
        }
        let since = Duration::new(seconds, nanos);
        if since.is_zero() { Some(None) } else { UNIX_EPOCH.checked_add(since).map(Some) }
    }

    fn package(&mut self) -> Option<Package> {
        let mut package = Package { name: self.string()?, seen: self.seen()?, ..Package::default() };
        for number in 0..usize::try_from(self.number()?).ok()? {
            let id = self.string()?;
            CardId::parse(&id).ok()?;
            let (inode, stat) = (self.number()?, self.number()?);
            let held = match (self.byte()?, self.bytes()?) {
                (BROKEN, []) => Held::Broken,
                (PART, held) => Held::Part(held.into()),
                (WHOLE, held) => Held::Whole(held.into()),
                _ => return None,
            };
            if package.by_id.insert(Arc::clone(&id), number).is_some() {
                return None;
            }
            package.cards.push(Card { id, inode, stat, turn: 0, held });
        }
        Some(package)
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
