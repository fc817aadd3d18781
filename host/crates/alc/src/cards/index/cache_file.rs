//! The index of cards as a cache file, so that the next process need not read every card.
//!
//! Owns: the format: a magic word with a version, then little-endian numbers and length-prefixed texts, then a checksum
//! of all of it.
//! Never: trusts a file that is inconsistent; the index is then rebuilt.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::packed_card::CardKeyTable;
use super::{CardData, CardFolderSnapshot, CardIndexState, IndexedCard, IndexedPackage};
use crate::limits::{MAX_CARD_INDEX_BYTES, MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_INDEX_FILE_BYTES, MAX_INDEXED_CARDS};
use wardroom_appdir::{AppDirError, CacheDir, FileId, Privacy, Stat};
use wardroom_base::uri::CardId;

const MAGIC: u64 = u64::from_le_bytes(*b"WRCARDS1");
const INDEX_FILE: &str = "cards.index";

const TAG_BROKEN: u8 = 0;
const TAG_SUMMARY: u8 = 1;
const TAG_WHOLE: u8 = 2;

pub(super) fn load(cache: &CacheDir) -> Option<CardIndexState> {
    let document = cache.open().ok()?.read(INDEX_FILE, MAX_CARD_INDEX_FILE_BYTES).ok()?;
    decode(&document.bytes)
}

pub(super) fn save(cache: &CacheDir, state: &CardIndexState) -> Result<(), AppDirError> {
    cache.create()?.write(INDEX_FILE, &encode(state), Privacy::Owner)
}

fn encode(state: &CardIndexState) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(state.total_bytes);
    write_u64(MAGIC, &mut bytes);
    let names = state.keys.names();
    write_u64(names.len() as u64, &mut bytes);
    names.iter().for_each(|name| write_bytes(name.as_bytes(), &mut bytes));
    write_snapshot(state.root_snapshot, &mut bytes);
    write_u64(state.packages.len() as u64, &mut bytes);
    for package in &state.packages {
        write_bytes(package.name.as_bytes(), &mut bytes);
        write_snapshot(package.snapshot, &mut bytes);
        write_u64(package.cards.len() as u64, &mut bytes);
        for card in &package.cards {
            write_bytes(card.id.as_bytes(), &mut bytes);
            write_u64(card.inode, &mut bytes);
            write_u64(card.stat_hash, &mut bytes);
            let (tag, data): (u8, &[u8]) = match &card.data {
                CardData::Broken => (TAG_BROKEN, &[]),
                CardData::Summary(bytes) => (TAG_SUMMARY, bytes),
                CardData::Whole(bytes) => (TAG_WHOLE, bytes),
            };
            bytes.push(tag);
            write_bytes(data, &mut bytes);
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
fn write_snapshot(snapshot: Option<CardFolderSnapshot>, bytes: &mut Vec<u8>) {
    let Some(CardFolderSnapshot { stat, is_settled: true }) = snapshot else {
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
    let mut state =
        CardIndexState { is_loaded: true, keys: CardKeyTable::from_names(names)?, ..CardIndexState::default() };
    state.root_snapshot = reader.read_snapshot()?;
    for _ in 0..reader.read_u64()? {
        let package = reader.read_package()?;
        state.total_bytes =
            package.cards.iter().try_fold(state.total_bytes, |bytes, card| bytes.checked_add(card.memory_bytes()))?;
        state.card_count += package.cards.len();
        state.packages.push(package);
    }
    let sorted = state.packages.is_sorted_by(|a, b| a.name < b.name);
    // The last card that was added may exceed the limit.
    let possible = state.total_bytes <= 2 * MAX_CARD_INDEX_BYTES + MAX_CARD_INDEX_ENTRY_BYTES
        && state.card_count <= MAX_INDEXED_CARDS;
    (reader.0.is_empty() && sorted && possible).then_some(state)
}

/// The bytes that are still unread.
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

    #[expect(clippy::option_option, reason = "the outer `None` is a malformed file, the inner one an absent value")]
    fn read_snapshot(&mut self) -> Option<Option<CardFolderSnapshot>> {
        match self.read_byte()? {
            0 => return Some(None),
            1 => {}
            _ => return None,
        }
        let [modified, changed] = [self.read_time()?, self.read_time()?];
        let len = self.read_u64()?;
        let file_id = FileId { device: self.read_u64()?, inode: self.read_u64()? };
        let stat = Stat { len, modified, changed, file_id, link_count: self.read_u64()? };
        Some(Some(CardFolderSnapshot { stat, is_settled: true }))
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

    fn read_package(&mut self) -> Option<IndexedPackage> {
        let mut package =
            IndexedPackage { name: self.read_string()?, snapshot: self.read_snapshot()?, ..IndexedPackage::default() };
        for number in 0..usize::try_from(self.read_u64()?).ok()? {
            let id = self.read_string()?;
            CardId::parse(&id).ok()?;
            let (inode, stat_hash) = (self.read_u64()?, self.read_u64()?);
            let data = match (self.read_byte()?, self.read_bytes()?) {
                (TAG_BROKEN, []) => CardData::Broken,
                (TAG_SUMMARY, bytes) => CardData::Summary(bytes.into()),
                (TAG_WHOLE, bytes) => CardData::Whole(bytes.into()),
                _ => return None,
            };
            if package.by_id.insert(Arc::clone(&id), number).is_some() {
                return None;
            }
            package.cards.push(IndexedCard { id, inode, stat_hash, generation: 0, data });
        }
        Some(package)
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
