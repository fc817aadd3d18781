//! A card in few bytes, which can be asked for a field without being taken apart.
//!
//! Owns: the form: a byte for the kind, then the value; tables and arrays say how long they are, so that a search steps
//! over what it does not want. Keys are numbers in a table that all cards share.
//! Never: trusts the bytes: what makes no sense is a field that is missing.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use crate::cards::query::{Document, Field};
use wardroom_base::limits::{MAX_CARD_KEY_BYTES, MAX_CARD_KEYS, MAX_JSON_DEPTH};

/// The keys of all cards, each with a number.
#[derive(Default, Clone)]
pub(super) struct Keys {
    numbers: HashMap<Arc<str>, u16>,
    names: Vec<Arc<str>>,
}

impl Keys {
    pub(super) fn number(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    /// The number of a key, a new one when need be; nothing when there is no room for it.
    fn add(&mut self, name: &str) -> Option<u16> {
        if let Some(number) = self.number(name) {
            return Some(number);
        }
        let number = u16::try_from(self.names.len()).ok();
        let number = number.filter(|_| self.names.len() < MAX_CARD_KEYS && name.len() <= MAX_CARD_KEY_BYTES)?;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Some(number)
    }

    /// The names by their numbers.
    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The table with these names; nothing when they cannot be one.
    pub(super) fn from_names(names: Vec<Arc<str>>) -> Option<Self> {
        let mut numbers = HashMap::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            numbers.insert(Arc::clone(name), u16::try_from(number).ok()?);
        }
        (numbers.len() == names.len() && names.len() <= MAX_CARD_KEYS).then_some(Self { numbers, names })
    }

    /// A path as numbers; nothing when no card that is kept whole has it.
    pub(super) fn path(&self, path: &[String]) -> Way {
        Way(path.iter().map(|name| self.number(name)).collect())
    }
}

/// A path to a field, by the numbers of its keys; none where a key is in no card.
pub(in crate::cards) struct Way(Option<Box<[u16]>>);

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const TEXT: u8 = 5;
const ARRAY: u8 = 6;
const TABLE: u8 = 7;

/// The compact form of a value; nothing when its keys do not fit.
pub(super) fn pack(value: &Value, keys: &mut Keys) -> Option<Box<[u8]>> {
    let mut bytes = Vec::new();
    write(value, keys, &mut bytes)?;
    Some(bytes.into())
}

fn write(value: &Value, keys: &mut Keys, bytes: &mut Vec<u8>) -> Option<()> {
    match value {
        Value::Null => bytes.push(NULL),
        Value::Bool(flag) => bytes.push(if *flag { TRUE } else { FALSE }),
        Value::Number(number) => match number.as_i64() {
            Some(number) => {
                bytes.push(INTEGER);
                bytes.extend(number.to_le_bytes());
            }
            None => {
                bytes.push(FLOAT);
                bytes.extend(number.as_f64()?.to_le_bytes());
            }
        },
        Value::String(text) => {
            bytes.push(TEXT);
            length(text.len(), bytes)?;
            bytes.extend(text.as_bytes());
        }
        Value::Array(items) => {
            nested(ARRAY, bytes, |bytes| items.iter().try_for_each(|item| write(item, keys, bytes)))?;
        }
        Value::Object(fields) => {
            nested(TABLE, bytes, |bytes| {
                fields.iter().try_for_each(|(key, value)| {
                    bytes.extend(keys.add(key)?.to_le_bytes());
                    write(value, keys, bytes)
                })
            })?;
        }
    }
    Some(())
}

fn nested(kind: u8, bytes: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
    let mut inside = Vec::new();
    content(&mut inside)?;
    bytes.push(kind);
    length(inside.len(), bytes)?;
    bytes.append(&mut inside);
    Some(())
}

/// A length in one byte where it is short, as nearly all are.
fn length(length: usize, bytes: &mut Vec<u8>) -> Option<()> {
    match u8::try_from(length) {
        Ok(short) if short < u8::MAX => bytes.push(short),
        _ => {
            bytes.push(u8::MAX);
            bytes.extend(u32::try_from(length).ok()?.to_le_bytes());
        }
    }
    Some(())
}

/// A value in its compact form.
#[derive(Clone, Copy)]
pub(in crate::cards) struct Packed<'a> {
    bytes: &'a [u8],
    keys: &'a Keys,
}

/// One value of those bytes.
#[derive(Clone, Copy)]
enum Item<'a> {
    Scalar(Field<'a>),
    /// Looked into only where it is wanted.
    Text(&'a [u8]),
    Array(&'a [u8]),
    Table(&'a [u8]),
}

impl<'a> Packed<'a> {
    pub(super) fn new(bytes: &'a [u8], keys: &'a Keys) -> Self {
        Self { bytes, keys }
    }

    /// The text of a field, by the names of the keys to it.
    pub(in crate::cards) fn text(self, path: &[&str]) -> Option<&'a str> {
        match self.get(path)? {
            Item::Text(text) => std::str::from_utf8(text).ok(),
            Item::Scalar(_) | Item::Array(_) | Item::Table(_) => None,
        }
    }

    /// A field as a value of JSON, by the names of the keys to it.
    pub(in crate::cards) fn json(self, path: &[&str]) -> Option<Value> {
        Some(self.unpacked(self.get(path)?, MAX_JSON_DEPTH))
    }

    fn get(self, path: &[&str]) -> Option<Item<'a>> {
        path.iter().try_fold(take(self.bytes)?.0, |item, key| item.field(self.keys.number(key)?))
    }

    fn follow(self, way: &Way) -> Option<Item<'a>> {
        way.0.as_ref()?.iter().try_fold(take(self.bytes)?.0, |item, key| item.field(*key))
    }

    fn unpacked(self, item: Item, depth: usize) -> Value {
        match item {
            Item::Scalar(field) => match field {
                Field::Null | Field::Compound => Value::Null,
                Field::Bool(flag) => flag.into(),
                Field::Integer(number) => number.into(),
                Field::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
                Field::Text(text) => text.into(),
            },
            Item::Text(text) => std::str::from_utf8(text).map_or(Value::Null, Value::from),
            // What was packed was not deeper; what was spoilt is not followed.
            Item::Array(_) | Item::Table(_) if depth == 0 => Value::Null,
            Item::Array(mut rest) => {
                let mut items = Vec::new();
                while let Some((item, after)) = take(rest) {
                    items.push(self.unpacked(item, depth - 1));
                    rest = after;
                }
                Value::Array(items)
            }
            Item::Table(mut rest) => {
                let mut fields = Map::new();
                while let Some((key, item, after)) = take_field(rest) {
                    if let Some(name) = self.keys.names.get(usize::from(key)) {
                        fields.insert(name.to_string(), self.unpacked(item, depth - 1));
                    }
                    rest = after;
                }
                Value::Object(fields)
            }
        }
    }
}

impl Document for Packed<'_> {
    type Path = Way;

    fn field(&self, way: &Way) -> Option<Field<'_>> {
        Packed::field(*self, way)
    }

    fn value(&self, way: &Way) -> Option<Value> {
        Some(self.unpacked(self.follow(way)?, MAX_JSON_DEPTH))
    }
}

impl<'a> Packed<'a> {
    /// The field at the end of a path.
    pub(in crate::cards) fn field(self, way: &Way) -> Option<Field<'a>> {
        Some(match self.follow(way)? {
            Item::Scalar(field) => field,
            Item::Text(text) => Field::Text(std::str::from_utf8(text).ok()?),
            Item::Array(_) | Item::Table(_) => Field::Compound,
        })
    }
}

impl<'a> Item<'a> {
    fn field(self, wanted: u16) -> Option<Self> {
        let Self::Table(mut rest) = self else { return None };
        while let Some((key, item, after)) = take_field(rest) {
            if key == wanted {
                return Some(item);
            }
            rest = after;
        }
        None
    }
}

fn take_field(bytes: &[u8]) -> Option<(u16, Item<'_>, &[u8])> {
    let (key, rest) = bytes.split_first_chunk()?;
    let (item, rest) = take(rest)?;
    Some((u16::from_le_bytes(*key), item, rest))
}

/// The first value, and what follows it.
fn take(bytes: &[u8]) -> Option<(Item<'_>, &[u8])> {
    let (kind, rest) = bytes.split_first()?;
    let scalar = |field, rest| Some((Item::Scalar(field), rest));
    match *kind {
        NULL => scalar(Field::Null, rest),
        FALSE => scalar(Field::Bool(false), rest),
        TRUE => scalar(Field::Bool(true), rest),
        INTEGER => {
            let (number, rest) = rest.split_first_chunk()?;
            scalar(Field::Integer(i64::from_le_bytes(*number)), rest)
        }
        FLOAT => {
            let (number, rest) = rest.split_first_chunk()?;
            scalar(Field::Float(f64::from_le_bytes(*number)), rest)
        }
        TEXT => {
            let (text, rest) = take_long(rest)?;
            Some((Item::Text(text), rest))
        }
        ARRAY => take_long(rest).map(|(inside, rest)| (Item::Array(inside), rest)),
        TABLE => take_long(rest).map(|(inside, rest)| (Item::Table(inside), rest)),
        _ => None,
    }
}

fn take_long(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (short, rest) = bytes.split_first()?;
    let (length, rest) = if *short < u8::MAX {
        (usize::from(*short), rest)
    } else {
        let (long, rest) = rest.split_first_chunk()?;
        (usize::try_from(u32::from_le_bytes(*long)).ok()?, rest)
    };
    rest.split_at_checked(length)
}
