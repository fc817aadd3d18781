//! The index of cards as a file in the cache, so that the next process need not read every card.
//!
//! Owns: the format: a magic word with a version, then little-endian numbers and texts with their lengths, then a hash of
//! all of it.
//! Never: believes a file that does not add up; the index is then made anew.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::packed_card::CardKeyTable;
use super::{CardData, CardFolderSnapshot, CardIndexState, IndexedCard, IndexedPackage};
use crate::limits::{MAX_CARD_INDEX_BYTES, MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_INDEX_FILE_BYTES, MAX_INDEXED_CARDS};
use wardroom_appdir::{AppDirError, Folder, Privacy, Stat};
use wardroom_base::uri::CardId;

const MAGIC: u64 = u64::from_le_bytes(*b"WRCARDS1");
const CACHE_DIR: &str = "cache";
const INDEX_FILE: &str = "cards.index";

const TAG_BROKEN: u8 = 0;
const TAG_SUMMARY: u8 = 1;
const TAG_WHOLE: u8 = 2;

pub(super) fn load(app: &Folder) -> Option<CardIndexState> {
    let document = app.open_folder(CACHE_DIR).ok()?.read(INDEX_FILE, MAX_CARD_INDEX_FILE_BYTES).ok()?;
    decode(&document.bytes)
}

pub(super) fn save(app: &Folder, known: &CardIndexState) -> Result<(), AppDirError> {
    app.create_folder(CACHE_DIR)?.write(INDEX_FILE, &encode(known), Privacy::Owner)
}

fn encode(known: &CardIndexState) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(known.total_bytes);
    write_u64(MAGIC, &mut bytes);
    let names = known.keys.names();
    write_u64(names.len() as u64, &mut bytes);
    names.iter().for_each(|name| write_bytes(name.as_bytes(), &mut bytes));
    write_snapshot(known.root_snapshot, &mut bytes);
    write_u64(known.packages.len() as u64, &mut bytes);
    for package in &known.packages {
        write_bytes(package.name.as_bytes(), &mut bytes);
        write_snapshot(package.snapshot, &mut bytes);
        write_u64(package.cards.len() as u64, &mut bytes);
        for card in &package.cards {
            write_bytes(card.id.as_bytes(), &mut bytes);
            write_u64(card.inode, &mut bytes);
            write_u64(card.stat_hash, &mut bytes);
            let (kind, held): (u8, &[u8]) = match &card.data {
                CardData::Broken => (TAG_BROKEN, &[]),
                CardData::Summary(held) => (TAG_SUMMARY, held),
                CardData::Whole(held) => (TAG_WHOLE, held),
            };
            bytes.push(kind);
            write_bytes(held, &mut bytes);
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

/// A state that was not settled says nothing to anybody later.
fn write_snapshot(seen: Option<CardFolderSnapshot>, bytes: &mut Vec<u8>) {
    let Some(CardFolderSnapshot { stat, is_settled: true }) = seen else {
        bytes.push(0);
        return;
    };
    bytes.push(1);
    for time in [stat.modified, stat.changed] {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        write_u64(since.as_secs(), bytes);
        write_u64(since.subsec_nanos().into(), bytes);
    }
    [stat.len, stat.file_id.0, stat.file_id.1, stat.link_count].into_iter().for_each(|field| write_u64(field, bytes));
}

fn decode(bytes: &[u8]) -> Option<CardIndexState> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = CardIndexReader(body);
    if reader.read_u64()? != MAGIC {
        return None;
    }
    let names = (0..reader.read_u64()?).map(|_| reader.read_string()).collect::<Option<Vec<_>>>()?;
    let mut known =
        CardIndexState { is_loaded: true, keys: CardKeyTable::from_names(names)?, ..CardIndexState::default() };
    known.root_snapshot = reader.read_snapshot()?;
    for _ in 0..reader.read_u64()? {
        let package = reader.read_package()?;
        known.total_bytes =
            package.cards.iter().try_fold(known.total_bytes, |bytes, card| bytes.checked_add(card.memory_bytes()))?;
        known.card_count += package.cards.len();
        known.packages.push(package);
    }
    let sorted = known.packages.is_sorted_by(|a, b| a.name < b.name);
    // The last card to come in may be the one too many.
    let possible = known.total_bytes <= 2 * MAX_CARD_INDEX_BYTES + MAX_CARD_INDEX_ENTRY_BYTES
        && known.card_count <= MAX_INDEXED_CARDS;
    (reader.0.is_empty() && sorted && possible).then_some(known)
}

/// What is left to read.
struct CardIndexReader<'a>(&'a [u8]);

impl CardIndexReader<'_> {
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

    fn read_bytes(&mut self) -> Option<&[u8]> {
        let length = usize::try_from(self.read_u64()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn read_string(&mut self) -> Option<Arc<str>> {
        std::str::from_utf8(self.read_bytes()?).ok().map(Arc::from)
    }

    #[expect(clippy::option_option, reason = "the file says that there is none, or says nothing that makes sense")]
    fn read_snapshot(&mut self) -> Option<Option<CardFolderSnapshot>> {
        match self.read_byte()? {
            0 => return Some(None),
            1 => {}
            _ => return None,
        }
        let [modified, changed] = [self.read_time()?, self.read_time()?];
        let len = self.read_u64()?;
        let identity = (self.read_u64()?, self.read_u64()?);
        let stat = Stat { len, modified, changed, file_id: identity, link_count: self.read_u64()? };
        Some(Some(CardFolderSnapshot { stat, is_settled: true }))
    }

    #[expect(clippy::option_option, reason = "the file says that there is none, or says nothing that makes sense")]
    fn read_time(&mut self) -> Option<Option<SystemTime>> {
        let (seconds, nanos) = (self.read_u64()?, u32::try_from(self.read_u64()?).ok()?);
        if nanos >= 1_000_000_000 {
            return None;
        }
        let since = Duration::new(seconds, nanos);
        if since.is_zero() { Some(None) } else { UNIX_EPOCH.checked_add(since).map(Some) }
    }

    fn read_package(&mut self) -> Option<IndexedPackage> {
        let mut package =
            IndexedPackage { name: self.read_string()?, snapshot: self.read_snapshot()?, ..IndexedPackage::default() };
        for number in 0..usize::try_from(self.read_u64()?).ok()? {
            let id = self.read_string()?;
            CardId::parse(&id).ok()?;
            let (inode, stat) = (self.read_u64()?, self.read_u64()?);
            let held = match (self.read_byte()?, self.read_bytes()?) {
                (TAG_BROKEN, []) => CardData::Broken,
                (TAG_SUMMARY, held) => CardData::Summary(held.into()),
                (TAG_WHOLE, held) => CardData::Whole(held.into()),
                _ => return None,
            };
            if package.by_id.insert(Arc::clone(&id), number).is_some() {
                return None;
            }
            package.cards.push(IndexedCard { id, inode, stat_hash: stat, generation: 0, data: held });
        }
        Some(package)
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
