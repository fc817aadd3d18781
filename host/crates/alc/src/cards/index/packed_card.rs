//! A compact encoding of a card, in which a field can be looked up without decoding the rest.
//!
//! Owns: the encoding: a tag byte, then the value. Tables and arrays are length-prefixed, so that a search skips those
//! that it does not need. Keys are numbers in a table that all cards share.
//! Never: trusts the bytes: a malformed field counts as missing.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use crate::cards::query::{FieldValue, QueryDocument};
use crate::limits::{MAX_CARD_INDEX_KEY_BYTES, MAX_CARD_INDEX_KEYS};
use wardroom_base::limits::MAX_JSON_DEPTH;

/// The keys of all cards, each with a number.
#[derive(Default, Clone)]
pub(super) struct CardKeyTable {
    numbers: HashMap<Arc<str>, u16>,
    names: Vec<Arc<str>>,
}

impl CardKeyTable {
    pub(super) fn number_of(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    /// Returns the number of a key and adds a new key; `None` when the table is full or the key is too long.
    fn intern(&mut self, name: &str) -> Option<u16> {
        if let Some(number) = self.number_of(name) {
            return Some(number);
        }
        let number = u16::try_from(self.names.len()).ok();
        let number =
            number.filter(|_| self.names.len() < MAX_CARD_INDEX_KEYS && name.len() <= MAX_CARD_INDEX_KEY_BYTES)?;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Some(number)
    }

    /// Returns the names in the order of their numbers.
    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Builds the table of these names; `None` when they are not unique or too many.
    pub(super) fn from_names(names: Vec<Arc<str>>) -> Option<Self> {
        let mut numbers = HashMap::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            numbers.insert(Arc::clone(name), u16::try_from(number).ok()?);
        }
        (numbers.len() == names.len() && names.len() <= MAX_CARD_INDEX_KEYS).then_some(Self { numbers, names })
    }

    /// Resolves the names of a path to the numbers of its keys.
    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        KeyPath(path.iter().map(|name| self.number_of(name)).collect())
    }
}

/// A path to a field, by the numbers of its keys; `None` where a key occurs in no card.
pub(in crate::cards) struct KeyPath(Option<Box<[u16]>>);

const TAG_NULL: u8 = 0;
const TAG_FALSE: u8 = 1;
const TAG_TRUE: u8 = 2;
const TAG_INTEGER: u8 = 3;
const TAG_FLOAT: u8 = 4;
const TAG_TEXT: u8 = 5;
const TAG_ARRAY: u8 = 6;
const TAG_TABLE: u8 = 7;

/// Encodes a value; `None` when its keys do not fit in the table.
pub(super) fn pack_value(value: &Value, keys: &mut CardKeyTable) -> Option<Box<[u8]>> {
    let mut bytes = Vec::new();
    write_value(value, keys, &mut bytes)?;
    Some(bytes.into())
}

fn write_value(value: &Value, keys: &mut CardKeyTable, bytes: &mut Vec<u8>) -> Option<()> {
    match value {
        Value::Null => bytes.push(TAG_NULL),
        Value::Bool(flag) => bytes.push(if *flag { TAG_TRUE } else { TAG_FALSE }),
        Value::Number(number) => match number.as_i64() {
            Some(number) => {
                bytes.push(TAG_INTEGER);
                bytes.extend(number.to_le_bytes());
            }
            None => {
                bytes.push(TAG_FLOAT);
                bytes.extend(number.as_f64()?.to_le_bytes());
            }
        },
        Value::String(text) => {
            bytes.push(TAG_TEXT);
            write_length(text.len(), bytes)?;
            bytes.extend(text.as_bytes());
        }
        Value::Array(items) => {
            write_nested(TAG_ARRAY, bytes, |bytes| items.iter().try_for_each(|item| write_value(item, keys, bytes)))?;
        }
        Value::Object(fields) => {
            write_nested(TAG_TABLE, bytes, |bytes| {
                fields.iter().try_for_each(|(key, value)| {
                    bytes.extend(keys.intern(key)?.to_le_bytes());
                    write_value(value, keys, bytes)
                })
            })?;
        }
    }
    Some(())
}

fn write_nested(kind: u8, bytes: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
    let mut inside = Vec::new();
    content(&mut inside)?;
    bytes.push(kind);
    write_length(inside.len(), bytes)?;
    bytes.append(&mut inside);
    Some(())
}

/// Writes a length in one byte where it is below 255, as nearly all are, else in five.
fn write_length(length: usize, bytes: &mut Vec<u8>) -> Option<()> {
    match u8::try_from(length) {
        Ok(short) if short < u8::MAX => bytes.push(short),
        _ => {
            bytes.push(u8::MAX);
            bytes.extend(u32::try_from(length).ok()?.to_le_bytes());
        }
    }
    Some(())
}

/// An encoded card.
#[derive(Clone, Copy)]
pub(in crate::cards) struct PackedCard<'a> {
    bytes: &'a [u8],
    keys: &'a CardKeyTable,
}

/// One value of an encoded card; arrays and tables stay encoded.
#[derive(Clone, Copy)]
enum PackedItem<'a> {
    Scalar(FieldValue<'a>),
    /// Checked as UTF-8 only when it is used.
    Text(&'a [u8]),
    Array(&'a [u8]),
    Table(&'a [u8]),
}

impl<'a> PackedCard<'a> {
    pub(super) fn new(bytes: &'a [u8], keys: &'a CardKeyTable) -> Self {
        Self { bytes, keys }
    }

    /// Returns the text of a field, by the names of the keys to it.
    pub(in crate::cards) fn text(self, path: &[&str]) -> Option<&'a str> {
        match self.get(path)? {
            PackedItem::Text(text) => std::str::from_utf8(text).ok(),
            PackedItem::Scalar(_) | PackedItem::Array(_) | PackedItem::Table(_) => None,
        }
    }

    /// Returns a field as JSON, by the names of the keys to it.
    pub(in crate::cards) fn json(self, path: &[&str]) -> Option<Value> {
        Some(self.unpack(self.get(path)?, MAX_JSON_DEPTH))
    }

    fn get(self, path: &[&str]) -> Option<PackedItem<'a>> {
        path.iter().try_fold(split_first_value(self.bytes)?.0, |item, key| item.field(self.keys.number_of(key)?))
    }

    fn get_by_key_path(self, path: &KeyPath) -> Option<PackedItem<'a>> {
        path.0.as_ref()?.iter().try_fold(split_first_value(self.bytes)?.0, |item, key| item.field(*key))
    }

    fn unpack(self, item: PackedItem, depth: usize) -> Value {
        match item {
            PackedItem::Scalar(field) => match field {
                FieldValue::Null | FieldValue::Compound => Value::Null,
                FieldValue::Bool(flag) => flag.into(),
                FieldValue::Integer(number) => number.into(),
                FieldValue::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
                FieldValue::Text(text) => text.into(),
            },
            PackedItem::Text(text) => std::str::from_utf8(text).map_or(Value::Null, Value::from),
            // An encoded card is not deeper; corrupt bytes are not followed.
            PackedItem::Array(_) | PackedItem::Table(_) if depth == 0 => Value::Null,
            PackedItem::Array(mut rest) => {
                let mut items = Vec::new();
                while let Some((item, after)) = split_first_value(rest) {
                    items.push(self.unpack(item, depth - 1));
                    rest = after;
                }
                Value::Array(items)
            }
            PackedItem::Table(mut rest) => {
                let mut fields = Map::new();
                while let Some((key, item, after)) = split_first_field(rest) {
                    if let Some(name) = self.keys.names.get(usize::from(key)) {
                        fields.insert(name.to_string(), self.unpack(item, depth - 1));
                    }
                    rest = after;
                }
                Value::Object(fields)
            }
        }
    }
}

impl QueryDocument for PackedCard<'_> {
    type Path = KeyPath;

    fn field(&self, path: &KeyPath) -> Option<FieldValue<'_>> {
        PackedCard::field(*self, path)
    }

    fn value(&self, path: &KeyPath) -> Option<Value> {
        Some(self.unpack(self.get_by_key_path(path)?, MAX_JSON_DEPTH))
    }
}

impl<'a> PackedCard<'a> {
    /// Returns the field at the end of a path.
    pub(in crate::cards) fn field(self, path: &KeyPath) -> Option<FieldValue<'a>> {
        Some(match self.get_by_key_path(path)? {
            PackedItem::Scalar(field) => field,
            PackedItem::Text(text) => FieldValue::Text(std::str::from_utf8(text).ok()?),
            PackedItem::Array(_) | PackedItem::Table(_) => FieldValue::Compound,
        })
    }
}

impl<'a> PackedItem<'a> {
    fn field(self, number: u16) -> Option<Self> {
        let Self::Table(mut rest) = self else { return None };
        let number = number.to_le_bytes();
        while let Some((key, value)) = rest.split_first_chunk() {
            if *key == number {
                return split_first_value(value).map(|(item, _)| item);
            }
            rest = skip_first_value(value)?;
        }
        None
    }
}

/// Returns the bytes after the first value, which is not read: a search passes most values.
fn skip_first_value(bytes: &[u8]) -> Option<&[u8]> {
    let (kind, rest) = bytes.split_first()?;
    match *kind {
        TAG_NULL | TAG_FALSE | TAG_TRUE => Some(rest),
        TAG_INTEGER | TAG_FLOAT => rest.get(size_of::<u64>()..),
        TAG_TEXT | TAG_ARRAY | TAG_TABLE => split_length_prefixed(rest).map(|(_, rest)| rest),
        _ => None,
    }
}

fn split_first_field(bytes: &[u8]) -> Option<(u16, PackedItem<'_>, &[u8])> {
    let (key, rest) = bytes.split_first_chunk()?;
    let (item, rest) = split_first_value(rest)?;
    Some((u16::from_le_bytes(*key), item, rest))
}

/// Splits off the first value; returns the bytes after it too.
fn split_first_value(bytes: &[u8]) -> Option<(PackedItem<'_>, &[u8])> {
    let (kind, rest) = bytes.split_first()?;
    let scalar = |field, rest| Some((PackedItem::Scalar(field), rest));
    match *kind {
        TAG_NULL => scalar(FieldValue::Null, rest),
        TAG_FALSE => scalar(FieldValue::Bool(false), rest),
        TAG_TRUE => scalar(FieldValue::Bool(true), rest),
        TAG_INTEGER => {
            let (number, rest) = rest.split_first_chunk()?;
            scalar(FieldValue::Integer(i64::from_le_bytes(*number)), rest)
        }
        TAG_FLOAT => {
            let (number, rest) = rest.split_first_chunk()?;
            scalar(FieldValue::Float(f64::from_le_bytes(*number)), rest)
        }
        TAG_TEXT => {
            let (text, rest) = split_length_prefixed(rest)?;
            Some((PackedItem::Text(text), rest))
        }
        TAG_ARRAY => split_length_prefixed(rest).map(|(inside, rest)| (PackedItem::Array(inside), rest)),
        TAG_TABLE => split_length_prefixed(rest).map(|(inside, rest)| (PackedItem::Table(inside), rest)),
        _ => None,
    }
}

fn split_length_prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (short, rest) = bytes.split_first()?;
    let (length, rest) = if *short < u8::MAX {
        (usize::from(*short), rest)
    } else {
        let (long, rest) = rest.split_first_chunk()?;
        (usize::try_from(u32::from_le_bytes(*long)).ok()?, rest)
    };
    rest.split_at_checked(length)
}
