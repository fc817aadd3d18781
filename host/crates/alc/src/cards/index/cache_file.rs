//! The index of cards as a cache file, so that the next process need not read every card.
//!
//! Owns: which numbers and texts the file holds, in which order, and the version of that.
//! Never: trusts a file that is inconsistent; the index is then rebuilt.

use std::sync::Arc;

use super::card_forms::{CardForms, CardKeyTable};
use super::card_table::{CardExtent, CardFields, NewCard};
use super::index_limits::IndexLimits;
use super::refresh::card_bytes;
use super::{CardIndexState, IndexedPackage};
use crate::limits::{MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_INDEX_KEYS};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, CacheDir, Privacy, SavedBytesReader, SavedBytesWriter};
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
    let mut writer = SavedBytesWriter::new(MAGIC, state.total_bytes);
    let names = state.forms.keys.names();
    writer.write_u64(names.len() as u64);
    names.iter().for_each(|name| writer.write_bytes(name.as_bytes()));
    let shapes = state.forms.shapes.all();
    writer.write_u64(shapes.len() as u64);
    shapes.iter().for_each(|shape| writer.write_bytes(shape.tags()));
    writer.write_snapshot(state.root_snapshot);
    writer.write_u64(state.packages.len() as u64);
    for package in &state.packages {
        writer.write_bytes(package.name.as_bytes());
        writer.write_snapshot(package.snapshot);
        writer.write_u64(package.cards.len() as u64);
        for card in package.cards.iter() {
            writer.write_bytes(package.cards.id(card).as_bytes());
            writer.write_u64(card.inode);
            writer.write_u64(card.stat_hash);
            writer.write_byte(match card.extent {
                CardExtent::Broken => TAG_BROKEN,
                CardExtent::Summary => TAG_SUMMARY,
                CardExtent::Whole => TAG_WHOLE,
            });
            if card.extent != CardExtent::Broken {
                writer.write_u64(card.shape.into());
                writer.write_bytes(package.cards.values(card));
            }
        }
    }
    writer.finish()
}

fn decode(bytes: &[u8], limits: IndexLimits) -> Option<CardIndexState> {
    let mut reader = SavedBytesReader::open(bytes, MAGIC)?;
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
        let package = read_package(&mut reader, &mut state, &mut shapes)?;
        state.card_count += package.cards.len();
        state.packages.push(package);
    }
    let sorted = state.packages.is_sorted_by(|a, b| a.name < b.name);
    // The last card that was added may exceed the limit.
    let possible =
        state.total_bytes <= 2 * limits.bytes() + MAX_CARD_INDEX_ENTRY_BYTES && state.card_count <= limits.cards;
    (reader.is_at_end() && sorted && possible).then_some(state)
}

/// A shape of the file, and its number once a card has it.
struct SavedShape<'a> {
    tags: &'a [u8],
    number: Option<u32>,
}

/// Reads a package, and counts its cards and their shapes.
fn read_package(
    reader: &mut SavedBytesReader<'_>,
    state: &mut CardIndexState,
    shapes: &mut [SavedShape<'_>],
) -> Option<IndexedPackage> {
    let (name, snapshot) = (reader.read_text()?.into(), reader.read_snapshot()?);
    let mut package = IndexedPackage { name, snapshot, ..IndexedPackage::default() };
    let n_cards = reader.read_count(state.limits.cards)?;
    for _ in 0..n_cards {
        let id = reader.read_text()?;
        CardId::parse(id).ok()?;
        let (inode, stat_hash) = (reader.read_u64()?, reader.read_u64()?);
        let fields = match reader.read_byte()? {
            TAG_BROKEN => CardFields::default(),
            TAG_SUMMARY => read_fields(reader, CardExtent::Summary, state, shapes)?,
            TAG_WHOLE => read_fields(reader, CardExtent::Whole, state, shapes)?,
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
    reader: &mut SavedBytesReader<'_>,
    extent: CardExtent,
    state: &mut CardIndexState,
    shapes: &mut [SavedShape<'_>],
) -> Option<CardFields> {
    let CardForms { keys, shapes: known } = &mut state.forms;
    let saved = shapes.get_mut(usize::try_from(reader.read_u64()?).ok()?)?;
    let shape = match saved.number {
        Some(number) => known.take_again(number)?,
        None => known.take(saved.tags, keys)?,
    };
    saved.number = Some(shape);
    Some(CardFields { extent, shape, values: reader.read_bytes()?.to_vec() })
}
