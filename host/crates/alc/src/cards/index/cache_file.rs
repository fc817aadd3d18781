//! The index of cards as a cache file, so that the next process need not read every card.
//!
//! Owns: the format: a magic word with a version, then little-endian numbers and length-prefixed texts, then a checksum
//! of all of it.
//! Never: trusts a file that is inconsistent; the index is then rebuilt.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::card_forms::{CardForms, CardKeyTable};
use super::card_table::{CardExtent, CardFields, NewCard};
use super::index_limits::IndexLimits;
use super::refresh::card_bytes;
use super::{CardIndexState, IndexedPackage};
use crate::limits::{MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_INDEX_KEYS};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, CacheDir, FileId, FolderSnapshot, Privacy, Stat};
use wardroom_base::uri::CardId;

const MAGIC: u64 = u64::from_le_bytes(*b"WRCARDS2");
const INDEX_FILE: &str = "cards.index";

const TAG_BROKEN: u8 = 0;
const TAG_SUMMARY: u8 = 1;
const TAG_WHOLE: u8 = 2;

pub(super) fn load(cache: &CacheDir, limits: IndexLimits) -> Option<CardIndexState> {
    let document = cache.open().ok()?.read(INDEX_FILE, limits.file_bytes()).ok()?;
    decode(&document.bytes, limits)
}

pub(super) fn save(cache: &CacheDir, state: &CardIndexState) -> Result<(), AppDirError> {
    cache.create()?.write(INDEX_FILE, &encode(state), Privacy::Owner)
}

fn encode(state: &CardIndexState) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(state.total_bytes);
    write_u64(MAGIC, &mut bytes);
    let names = state.forms.keys.names();
    write_u64(names.len() as u64, &mut bytes);
    names.iter().for_each(|name| write_bytes(name.as_bytes(), &mut bytes));
    let shapes = state.forms.shapes.all();
    write_u64(shapes.len() as u64, &mut bytes);
    shapes.iter().for_each(|shape| write_bytes(shape.tags(), &mut bytes));
    write_snapshot(state.root_snapshot, &mut bytes);
    write_u64(state.packages.len() as u64, &mut bytes);
    for package in &state.packages {
        write_bytes(package.name.as_bytes(), &mut bytes);
        write_snapshot(package.snapshot, &mut bytes);
        write_u64(package.cards.len() as u64, &mut bytes);
        for card in package.cards.iter() {
            write_bytes(package.cards.id(card).as_bytes(), &mut bytes);
            write_u64(card.inode, &mut bytes);
            write_u64(card.stat_hash, &mut bytes);
            bytes.push(match card.extent {
                CardExtent::Broken => TAG_BROKEN,
                CardExtent::Summary => TAG_SUMMARY,
                CardExtent::Whole => TAG_WHOLE,
            });
            if card.extent != CardExtent::Broken {
                write_u64(card.shape.into(), &mut bytes);
                write_bytes(package.cards.values(card), &mut bytes);
            }
        }
    }
    write_u64(checksum(&bytes), &mut bytes);
    bytes
}

fn write_u64(number: u64, bytes: &mut Vec<u8>) {
    bytes.extend(number.to_le_bytes());
}

fn write_bytes(text: &[u8], bytes: &mut Vec<u8>) {
    write_u64(text.len() as u64, bytes);
    bytes.extend(text);
}

/// Writes a snapshot. An unsettled one is left out, because a later comparison with it proves nothing.
fn write_snapshot(snapshot: Option<FolderSnapshot>, bytes: &mut Vec<u8>) {
    let Some(stat) = snapshot.and_then(FolderSnapshot::settled) else {
        bytes.push(0);
        return;
    };
    bytes.push(1);
    for time in [stat.modified, stat.changed] {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        write_u64(since.as_secs(), bytes);
        write_u64(since.subsec_nanos().into(), bytes);
    }
    [stat.len, stat.file_id.device, stat.file_id.inode, stat.link_count]
        .into_iter()
        .for_each(|field| write_u64(field, bytes));
}

fn decode(bytes: &[u8], limits: IndexLimits) -> Option<CardIndexState> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = CardIndexReader(body);
    if reader.read_u64()? != MAGIC {
        return None;
    }
    let names = (0..reader.read_count(MAX_CARD_INDEX_KEYS)?)
        .map(|_| reader.read_text().map(Arc::from))
        .collect::<Option<Vec<_>>>()?;
    let mut state = CardIndexState { is_loaded: true, limits, ..CardIndexState::default() };
    state.forms.keys = CardKeyTable::from_names(names)?;
    let shapes =
        (0..reader.read_count(limits.cards)?).map(|_| Some(SavedShape { tags: reader.read_bytes()?, number: None }));
    let mut shapes = shapes.collect::<Option<Vec<_>>>()?;
    if shapes.iter().any(|shape| shape.tags.len() > MAX_CARD_INDEX_ENTRY_BYTES) {
        return None;
    }
    state.root_snapshot = reader.read_snapshot()?;
    for _ in 0..reader.read_count(MAX_NAMES_SCANNED)? {
        let package = reader.read_package(&mut state, &mut shapes)?;
        state.card_count += package.cards.len();
        state.packages.push(package);
    }
    let sorted = state.packages.is_sorted_by(|a, b| a.name < b.name);
    // The last card that was added may exceed the limit.
    let possible =
        state.total_bytes <= 2 * limits.bytes() + MAX_CARD_INDEX_ENTRY_BYTES && state.card_count <= limits.cards;
    (reader.0.is_empty() && sorted && possible).then_some(state)
}

/// A shape of the file, and its number once a card has it.
struct SavedShape<'a> {
    tags: &'a [u8],
    number: Option<u32>,
}

/// The bytes that are still unread.
struct CardIndexReader<'a>(&'a [u8]);

impl<'a> CardIndexReader<'a> {
    fn read_byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn read_u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// Reads a number of things, of which there may be at most `most`.
    fn read_count(&mut self, most: usize) -> Option<usize> {
        usize::try_from(self.read_u64()?).ok().filter(|count| *count <= most)
    }

    fn read_bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.read_u64()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn read_text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.read_bytes()?).ok()
    }

    #[expect(clippy::option_option, reason = "the outer `None` is a malformed file, the inner one an absent value")]
    fn read_snapshot(&mut self) -> Option<Option<FolderSnapshot>> {
        match self.read_byte()? {
            0 => return Some(None),
            1 => {}
            _ => return None,
        }
        let [modified, changed] = [self.read_time()?, self.read_time()?];
        let len = self.read_u64()?;
        let file_id = FileId { device: self.read_u64()?, inode: self.read_u64()? };
        let stat = Stat { len, modified, changed, file_id, link_count: self.read_u64()? };
        Some(Some(FolderSnapshot::from_settled(stat)))
    }

    #[expect(clippy::option_option, reason = "the outer `None` is a malformed file, the inner one an absent value")]
    fn read_time(&mut self) -> Option<Option<SystemTime>> {
        let (seconds, nanos) = (self.read_u64()?, u32::try_from(self.read_u64()?).ok()?);
        if nanos >= 1_000_000_000 {
            return None;
        }
        let since = Duration::new(seconds, nanos);
        if since.is_zero() { Some(None) } else { UNIX_EPOCH.checked_add(since).map(Some) }
    }

    /// Reads a package, and counts its cards and their shapes.
    fn read_package(&mut self, state: &mut CardIndexState, shapes: &mut [SavedShape<'_>]) -> Option<IndexedPackage> {
        let (name, snapshot) = (self.read_text()?.into(), self.read_snapshot()?);
        let mut package = IndexedPackage { name, snapshot, ..IndexedPackage::default() };
        let n_cards = self.read_count(state.limits.cards)?;
        for _ in 0..n_cards {
            let id = self.read_text()?;
            CardId::parse(id).ok()?;
            let (inode, stat_hash) = (self.read_u64()?, self.read_u64()?);
            let fields = match self.read_byte()? {
                TAG_BROKEN => CardFields::default(),
                TAG_SUMMARY => self.read_fields(CardExtent::Summary, state, shapes)?,
                TAG_WHOLE => self.read_fields(CardExtent::Whole, state, shapes)?,
                _ => return None,
            };
            if package.cards.find(id, &state.hasher).is_some() {
                return None;
            }
            state.total_bytes = state.total_bytes.checked_add(card_bytes(fields.values.len()))?;
            package.cards.push(&NewCard { id, inode, stat_hash, generation: 0, fields }, &state.hasher)?;
        }
        package.cards.shrink_after(n_cards);
        Some(package)
    }

    fn read_fields(
        &mut self,
        extent: CardExtent,
        state: &mut CardIndexState,
        shapes: &mut [SavedShape<'_>],
    ) -> Option<CardFields> {
        let CardForms { keys, shapes: known } = &mut state.forms;
        let saved = shapes.get_mut(usize::try_from(self.read_u64()?).ok()?)?;
        let shape = match saved.number {
            Some(number) => known.take_again(number)?,
            None => known.take(saved.tags, keys)?,
        };
        saved.number = Some(shape);
        Some(CardFields { extent, shape, values: self.read_bytes()?.to_vec() })
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
