//! The values of a card, in which a field is found without decoding the rest.
//!
//! Owns: the encoding: numbers of eight bytes each, then texts and arrays, length-prefixed. Which field a value belongs to
//! says the shape of the card. The values of an array have a tag each.
//! Never: trusts the bytes: a malformed field counts as missing.

use serde_json::{Map, Number, Value};

use super::card_forms::{
    CardForms, CardKeyTable, CardShape, FieldPlace, TAG_ARRAY, TAG_END, TAG_FALSE, TAG_FLOAT, TAG_ID, TAG_INTEGER,
    TAG_NULL, TAG_TABLE, TAG_TEXT, TAG_TRUE,
};
use crate::cards::query::{FieldValue, QueryDocument};
use wardroom_base::limits::MAX_JSON_DEPTH;

/// A card that was encoded: the tags of its shape, and its values.
#[derive(Default)]
pub(super) struct EncodedCard {
    pub(super) tags: Vec<u8>,
    pub(super) values: Vec<u8>,
}

/// Where the numbers of keys come from.
pub(super) trait KeyNumbers {
    /// Returns the number of a key; `None` where it gets none.
    fn number(&mut self, name: &str) -> Option<u16>;
}

/// Gives new keys a number.
impl KeyNumbers for CardKeyTable {
    fn number(&mut self, name: &str) -> Option<u16> {
        self.intern(name)
    }
}

/// Knows the keys of earlier cards alone, so that several threads may encode with it.
impl KeyNumbers for &CardKeyTable {
    fn number(&mut self, name: &str) -> Option<u16> {
        self.number_of(name)
    }
}

/// Encodes a card; `None` when some of its keys get no number.
pub(super) fn encode_card(card: &Value, id: &str, keys: &mut impl KeyNumbers) -> Option<EncodedCard> {
    let mut encoder = CardEncoder { id, keys, tags: Vec::new(), numbers: Vec::new(), texts: Vec::new() };
    encoder.encode(card, None)?;
    let mut values = encoder.numbers;
    values.append(&mut encoder.texts);
    Some(EncodedCard { tags: encoder.tags, values })
}

struct CardEncoder<'a, K> {
    id: &'a str,
    keys: &'a mut K,
    tags: Vec<u8>,
    numbers: Vec<u8>,
    texts: Vec<u8>,
}

impl<K: KeyNumbers> CardEncoder<'_, K> {
    /// Encodes a value, which has a key in a table.
    fn encode(&mut self, value: &Value, key: Option<u16>) -> Option<()> {
        let tag = match value {
            Value::String(text) if text == self.id => TAG_ID,
            value => tag_of(value),
        };
        self.tags.push(tag);
        if let Some(key) = key {
            self.tags.extend_from_slice(&key.to_le_bytes());
        }
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    let key = self.keys.number(name)?;
                    self.encode(field, Some(key))?;
                }
                self.tags.push(TAG_END);
            }
            Value::Number(number) => self.numbers.extend_from_slice(&number_bytes(number)?),
            Value::String(_) if tag == TAG_ID => {}
            Value::String(text) => write_bytes(text.as_bytes(), &mut self.texts)?,
            Value::Array(items) => {
                let mut inside = Vec::new();
                items.iter().try_for_each(|item| write_item(item, self.keys, &mut inside))?;
                write_bytes(&inside, &mut self.texts)?;
            }
            Value::Null | Value::Bool(_) => {}
        }
        Some(())
    }
}

fn tag_of(value: &Value) -> u8 {
    match value {
        Value::Null => TAG_NULL,
        Value::Bool(false) => TAG_FALSE,
        Value::Bool(true) => TAG_TRUE,
        Value::Number(number) if number.as_i64().is_some() => TAG_INTEGER,
        Value::Number(_) => TAG_FLOAT,
        Value::String(_) => TAG_TEXT,
        Value::Array(_) => TAG_ARRAY,
        Value::Object(_) => TAG_TABLE,
    }
}

fn number_bytes(number: &Number) -> Option<[u8; 8]> {
    match number.as_i64() {
        Some(number) => Some(number.to_le_bytes()),
        None => Some(number.as_f64()?.to_le_bytes()),
    }
}

/// Writes a value of an array: its tag, then what it holds.
fn write_item(value: &Value, keys: &mut impl KeyNumbers, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.push(tag_of(value));
    match value {
        Value::Null | Value::Bool(_) => Some(()),
        Value::Number(number) => {
            bytes.extend_from_slice(&number_bytes(number)?);
            Some(())
        }
        Value::String(text) => write_bytes(text.as_bytes(), bytes),
        Value::Array(items) => {
            let mut inside = Vec::new();
            items.iter().try_for_each(|item| write_item(item, keys, &mut inside))?;
            write_bytes(&inside, bytes)
        }
        Value::Object(fields) => {
            let mut inside = Vec::new();
            for (key, value) in fields {
                inside.extend_from_slice(&keys.number(key)?.to_le_bytes());
                write_item(value, keys, &mut inside)?;
            }
            write_bytes(&inside, bytes)
        }
    }
}

/// Writes bytes behind their length, which takes one byte where it is below 255, as nearly all are, else five.
fn write_bytes(content: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    match u8::try_from(content.len()) {
        Ok(short) if short < u8::MAX => bytes.push(short),
        _ => {
            bytes.push(u8::MAX);
            bytes.extend_from_slice(&u32::try_from(content.len()).ok()?.to_le_bytes());
        }
    }
    bytes.extend_from_slice(content);
    Some(())
}

/// A path to a field, by the numbers of its keys, and where it lies in the cards of the first shapes.
pub(in crate::cards) struct KeyPath {
    /// `None` where a key occurs in no card.
    keys: Option<Box<[u16]>>,
    places: Box<[Option<FieldPlace>]>,
}

/// Shapes in which a path is looked up once for all cards. A store may have a shape for each card.
const MAX_RESOLVED_SHAPES: usize = 256;

impl CardForms {
    /// Resolves the names of a path.
    pub(super) fn resolve_path(&self, path: &[String]) -> KeyPath {
        let keys: Option<Box<[u16]>> = path.iter().map(|name| self.keys.number_of(name)).collect();
        let shapes = self.shapes.all().iter().take(MAX_RESOLVED_SHAPES);
        let places = keys.iter().flat_map(|keys| shapes.clone().map(|shape| shape.place(keys))).collect();
        KeyPath { keys, places }
    }
}

/// An encoded card.
#[derive(Clone, Copy)]
pub(in crate::cards) struct PackedCard<'a> {
    id: &'a str,
    shape_number: u32,
    shape: &'a CardShape,
    values: &'a [u8],
    keys: &'a CardKeyTable,
}

impl<'a> PackedCard<'a> {
    /// Reads the values of a card with a shape; `None` where there is no such shape.
    pub(super) fn new(forms: &'a CardForms, shape_number: u32, id: &'a str, values: &'a [u8]) -> Option<Self> {
        Some(Self { id, shape_number, shape: forms.shapes.get(shape_number)?, values, keys: &forms.keys })
    }

    pub(super) fn created_at(self) -> Option<&'a str> {
        self.text_at(self.shape.created_at?)
    }

    /// Returns the text of a field, by the names of the keys to it.
    pub(in crate::cards) fn text(self, path: &[&str]) -> Option<&'a str> {
        self.text_at(self.place(path)?)
    }

    /// Returns a field as JSON, by the names of the keys to it.
    pub(in crate::cards) fn json(self, path: &[&str]) -> Option<Value> {
        self.decode(self.place(path)?)
    }

    /// Returns the field at the end of a path.
    pub(in crate::cards) fn field(self, path: &KeyPath) -> Option<FieldValue<'a>> {
        Some(match self.place_at(path)? {
            FieldPlace::Null => FieldValue::Null,
            FieldPlace::Bool(flag) => FieldValue::Bool(flag),
            FieldPlace::Integer(at) => FieldValue::Integer(i64::from_le_bytes(self.number(at)?)),
            FieldPlace::Float(at) => FieldValue::Float(f64::from_le_bytes(self.number(at)?)),
            place @ (FieldPlace::Text(_) | FieldPlace::Id) => FieldValue::Text(self.text_at(place)?),
            FieldPlace::Array(_) | FieldPlace::Table(_) => FieldValue::Compound,
        })
    }

    fn place(self, path: &[&str]) -> Option<FieldPlace> {
        /// Keys to a field that a list shows.
        const MOST_KEYS: usize = 4;
        let mut keys = [0; MOST_KEYS];
        let keys = keys.get_mut(..path.len())?;
        for (key, name) in keys.iter_mut().zip(path) {
            *key = self.keys.number_of(name)?;
        }
        self.shape.place(keys)
    }

    fn place_at(self, path: &KeyPath) -> Option<FieldPlace> {
        match path.places.get(self.shape_number as usize) {
            Some(place) => *place,
            None => self.shape.place(path.keys.as_ref()?),
        }
    }

    fn number(self, at: usize) -> Option<[u8; 8]> {
        self.values.get(at.checked_mul(8)?..)?.first_chunk().copied()
    }

    /// Returns the text or array with a number.
    fn text_bytes(self, number: usize) -> Option<&'a [u8]> {
        let mut rest = self.values.get(self.shape.numbers.checked_mul(8)?..)?;
        for _ in 0..number {
            rest = split_bytes(rest)?.1;
        }
        Some(split_bytes(rest)?.0)
    }

    fn text_at(self, place: FieldPlace) -> Option<&'a str> {
        match place {
            FieldPlace::Id => Some(self.id),
            FieldPlace::Text(number) => std::str::from_utf8(self.text_bytes(number)?).ok(),
            _ => None,
        }
    }

    fn decode(self, place: FieldPlace) -> Option<Value> {
        let skipped = match place {
            FieldPlace::Text(number) | FieldPlace::Array(number) => number,
            FieldPlace::Table(table) => table.texts,
            _ => 0,
        };
        let mut rest = self.values.get(self.shape.numbers.checked_mul(8)?..).unwrap_or_default();
        for _ in 0..skipped {
            rest = split_bytes(rest).map_or(&[], |(_, rest)| rest);
        }
        self.decode_next(place, &mut rest)
    }

    /// Decodes a value. `texts` are those from its own on.
    fn decode_next(self, place: FieldPlace, texts: &mut &'a [u8]) -> Option<Value> {
        let mut next = || {
            let (text, rest) = split_bytes(texts)?;
            *texts = rest;
            Some(text)
        };
        Some(match place {
            FieldPlace::Null => Value::Null,
            FieldPlace::Bool(flag) => flag.into(),
            FieldPlace::Integer(at) => i64::from_le_bytes(self.number(at)?).into(),
            FieldPlace::Float(at) => float(f64::from_le_bytes(self.number(at)?)),
            FieldPlace::Id => self.id.into(),
            FieldPlace::Text(_) => text_value(next()?),
            FieldPlace::Array(_) => decode_array(next()?, self.keys, MAX_JSON_DEPTH),
            FieldPlace::Table(mut position) => {
                let mut fields = Map::new();
                while let Some((key, place)) = self.shape.next_field(&mut position) {
                    let field = self.decode_next(place, texts);
                    if let Some((name, field)) = self.keys.name_of(key).zip(field) {
                        fields.insert(name.to_string(), field);
                    }
                }
                Value::Object(fields)
            }
        })
    }
}

impl QueryDocument for PackedCard<'_> {
    type Path = KeyPath;

    fn field(&self, path: &KeyPath) -> Option<FieldValue<'_>> {
        PackedCard::field(*self, path)
    }

    fn value(&self, path: &KeyPath) -> Option<Value> {
        self.decode(self.place_at(path)?)
    }
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

fn text_value(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or(Value::Null, Value::from)
}

/// Decodes the values of an array. Corrupt bytes are not followed beyond the depth of a card.
fn decode_array(mut rest: &[u8], keys: &CardKeyTable, depth: usize) -> Value {
    let mut items = Vec::new();
    while let Some((item, after)) = split_item(rest, keys, depth) {
        items.push(item);
        rest = after;
    }
    Value::Array(items)
}

fn decode_table(mut rest: &[u8], keys: &CardKeyTable, depth: usize) -> Value {
    let mut fields = Map::new();
    while let Some((key, value)) = rest.split_first_chunk() {
        let Some((item, after)) = split_item(value, keys, depth) else { break };
        if let Some(name) = keys.name_of(u16::from_le_bytes(*key)) {
            fields.insert(name.to_string(), item);
        }
        rest = after;
    }
    Value::Object(fields)
}

/// Splits off the first value of an array; returns the bytes after it too.
fn split_item<'a>(bytes: &'a [u8], keys: &CardKeyTable, depth: usize) -> Option<(Value, &'a [u8])> {
    let (tag, rest) = bytes.split_first()?;
    Some(match *tag {
        TAG_NULL => (Value::Null, rest),
        TAG_FALSE => (false.into(), rest),
        TAG_TRUE => (true.into(), rest),
        TAG_INTEGER => {
            let (number, rest) = rest.split_first_chunk()?;
            (i64::from_le_bytes(*number).into(), rest)
        }
        TAG_FLOAT => {
            let (number, rest) = rest.split_first_chunk()?;
            (float(f64::from_le_bytes(*number)), rest)
        }
        TAG_TEXT => {
            let (text, rest) = split_bytes(rest)?;
            (text_value(text), rest)
        }
        TAG_ARRAY | TAG_TABLE => {
            let (inside, rest) = split_bytes(rest)?;
            let value = match depth.checked_sub(1) {
                None => Value::Null,
                Some(depth) if *tag == TAG_ARRAY => decode_array(inside, keys, depth),
                Some(depth) => decode_table(inside, keys, depth),
            };
            (value, rest)
        }
        _ => return None,
    })
}

/// Splits off bytes behind their length; returns those after them too.
fn split_bytes(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (short, rest) = bytes.split_first()?;
    let (length, rest) = if *short < u8::MAX {
        (usize::from(*short), rest)
    } else {
        let (long, rest) = rest.split_first_chunk()?;
        (usize::try_from(u32::from_le_bytes(*long)).ok()?, rest)
    };
    rest.split_at_checked(length)
}
