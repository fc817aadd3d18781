//! What cards share: their keys, each with a number, and their shapes.
//!
//! Owns: the shape of a card: which keys it has in which order, and of which kind each value is. The cards of one program have the
//! same one, so that a search looks up once where a field lies.
//! Never: trusts a shape that was saved: a malformed one is refused.

use std::collections::HashMap;
use std::sync::Arc;

use crate::limits::{MAX_CARD_INDEX_KEY_BYTES, MAX_CARD_INDEX_KEYS};
use wardroom_base::limits::MAX_JSON_DEPTH;

/// The keys and shapes of all cards.
#[derive(Default, Clone)]
pub(super) struct CardForms {
    pub(super) keys: CardKeyTable,
    pub(super) shapes: CardShapeTable,
}

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

    pub(super) fn name_of(&self, number: u16) -> Option<&Arc<str>> {
        self.names.get(usize::from(number))
    }

    /// Returns the number of a key and adds a new key; `None` when the table is full or the key is too long.
    pub(super) fn intern(&mut self, name: &str) -> Option<u16> {
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
}

// A shape is a tag for each value. In a table, the number of the key comes behind the tag, and `TAG_END` is behind the last field.
pub(super) const TAG_NULL: u8 = 0;
pub(super) const TAG_FALSE: u8 = 1;
pub(super) const TAG_TRUE: u8 = 2;
pub(super) const TAG_INTEGER: u8 = 3;
pub(super) const TAG_FLOAT: u8 = 4;
pub(super) const TAG_TEXT: u8 = 5;
pub(super) const TAG_ARRAY: u8 = 6;
pub(super) const TAG_TABLE: u8 = 7;
/// A text that is the id of the card, which is not stored again.
pub(super) const TAG_ID: u8 = 8;
pub(super) const TAG_END: u8 = 9;

/// Where a field lies in the values of a card: numbers come first, of eight bytes each, and then texts and arrays with their
/// lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldPlace {
    Null,
    Bool(bool),
    Integer(usize),
    Float(usize),
    Text(usize),
    Id,
    Array(usize),
    Table(ShapePosition),
}

/// A position in a shape, with the numbers and texts before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShapePosition {
    at: usize,
    pub(super) numbers: usize,
    pub(super) texts: usize,
}

/// The shape of a card.
#[derive(Default, Clone)]
pub(super) struct CardShape {
    tags: Arc<[u8]>,
    /// The numbers of a card.
    pub(super) numbers: usize,
    /// Where its `created_at` lies, by which all cards are ordered.
    pub(super) created_at: Option<FieldPlace>,
    /// The cards that have this shape.
    cards: usize,
}

impl CardShape {
    /// Reads the tags of a shape; `None` where they are malformed.
    fn parse(tags: &[u8], keys: &CardKeyTable) -> Option<Self> {
        let mut end = ShapePosition::default();
        let root = end.read_tag(tags)?;
        end.pass_value(root, tags, MAX_JSON_DEPTH)?;
        if end.at != tags.len() {
            return None;
        }
        let mut shape = Self { tags: tags.into(), numbers: end.numbers, created_at: None, cards: 0 };
        shape.created_at = keys.number_of("created_at").and_then(|key| shape.place(&[key]));
        Some(shape)
    }

    pub(super) fn tags(&self) -> &[u8] {
        &self.tags
    }

    /// Returns the place of a field, by the numbers of the keys to it.
    pub(super) fn place(&self, path: &[u16]) -> Option<FieldPlace> {
        let mut position = ShapePosition::default();
        let mut tag = position.read_tag(&self.tags)?;
        for key in path {
            if tag != TAG_TABLE {
                return None;
            }
            tag = loop {
                let (number, tag) = position.read_field(&self.tags)?;
                if number == *key {
                    break tag;
                }
                position.pass_value(tag, &self.tags, MAX_JSON_DEPTH)?;
            };
        }
        position.place_of(tag)
    }

    /// Returns the next field of a table, and where it lies; `None` behind the last.
    pub(super) fn next_field(&self, position: &mut ShapePosition) -> Option<(u16, FieldPlace)> {
        let (key, tag) = position.read_field(&self.tags)?;
        let place = position.place_of(tag)?;
        position.pass_value(tag, &self.tags, MAX_JSON_DEPTH)?;
        Some((key, place))
    }

    fn memory_bytes(&self) -> usize {
        /// Bytes of an entry in both tables of shapes.
        const SHAPE_OVERHEAD_BYTES: usize = 160;
        self.tags.len() + SHAPE_OVERHEAD_BYTES
    }
}

impl ShapePosition {
    fn read_tag(&mut self, tags: &[u8]) -> Option<u8> {
        let tag = *tags.get(self.at)?;
        self.at += 1;
        Some(tag)
    }

    /// Reads the key and the tag of a field; `None` behind the last.
    fn read_field(&mut self, tags: &[u8]) -> Option<(u16, u8)> {
        let tag = self.read_tag(tags).filter(|tag| *tag != TAG_END)?;
        Some((self.read_key(tags)?, tag))
    }

    fn read_key(&mut self, tags: &[u8]) -> Option<u16> {
        let (key, _) = tags.get(self.at..)?.split_first_chunk()?;
        self.at += key.len();
        Some(u16::from_le_bytes(*key))
    }

    /// Returns the place of the value whose tag was read.
    const fn place_of(self, tag: u8) -> Option<FieldPlace> {
        Some(match tag {
            TAG_NULL => FieldPlace::Null,
            TAG_FALSE => FieldPlace::Bool(false),
            TAG_TRUE => FieldPlace::Bool(true),
            TAG_INTEGER => FieldPlace::Integer(self.numbers),
            TAG_FLOAT => FieldPlace::Float(self.numbers),
            TAG_TEXT => FieldPlace::Text(self.texts),
            TAG_ID => FieldPlace::Id,
            TAG_ARRAY => FieldPlace::Array(self.texts),
            TAG_TABLE => FieldPlace::Table(self),
            _ => return None,
        })
    }

    /// Passes the value whose tag was read; `None` where it is malformed.
    fn pass_value(&mut self, tag: u8, tags: &[u8], depth: usize) -> Option<()> {
        match tag {
            TAG_NULL | TAG_FALSE | TAG_TRUE | TAG_ID => {}
            TAG_INTEGER | TAG_FLOAT => self.numbers += 1,
            TAG_TEXT | TAG_ARRAY => self.texts += 1,
            TAG_TABLE => {
                let depth = depth.checked_sub(1)?;
                loop {
                    let tag = self.read_tag(tags)?;
                    if tag == TAG_END {
                        break;
                    }
                    self.read_key(tags)?;
                    self.pass_value(tag, tags, depth)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// The shapes of all cards, each with a number. One that no card has any more gives its number away.
#[derive(Default, Clone)]
pub(super) struct CardShapeTable {
    shapes: Vec<CardShape>,
    numbers: HashMap<Arc<[u8]>, u32>,
    unused: Vec<u32>,
    memory_bytes: usize,
}

impl CardShapeTable {
    /// Returns the number of a shape that one more card has; `None` where the tags are malformed.
    pub(super) fn take(&mut self, tags: &[u8], keys: &CardKeyTable) -> Option<u32> {
        let number = match self.numbers.get(tags) {
            Some(number) => *number,
            None => self.add(CardShape::parse(tags, keys)?)?,
        };
        self.take_again(number)
    }

    /// Notes that one more card has the shape with this number.
    pub(super) fn take_again(&mut self, number: u32) -> Option<u32> {
        self.shapes.get_mut(number as usize)?.cards += 1;
        Some(number)
    }

    fn add(&mut self, shape: CardShape) -> Option<u32> {
        self.memory_bytes += shape.memory_bytes();
        let tags = Arc::clone(&shape.tags);
        let number = match self.unused.pop() {
            Some(number) => number,
            None => u32::try_from(self.shapes.len()).ok()?,
        };
        match self.shapes.get_mut(number as usize) {
            Some(place) => *place = shape,
            None => self.shapes.push(shape),
        }
        self.numbers.insert(tags, number);
        Some(number)
    }

    /// Notes that a card has a shape no more.
    pub(super) fn release(&mut self, number: u32) {
        let Some(shape) = self.shapes.get_mut(number as usize) else { return };
        shape.cards = shape.cards.saturating_sub(1);
        if shape.cards == 0 {
            self.memory_bytes -= shape.memory_bytes();
            self.numbers.remove(&shape.tags);
            *shape = CardShape::default();
            self.unused.push(number);
        }
    }

    pub(super) fn get(&self, number: u32) -> Option<&CardShape> {
        self.shapes.get(number as usize)
    }

    /// Returns all shapes in the order of their numbers; those that no card has are empty.
    pub(super) fn all(&self) -> &[CardShape] {
        &self.shapes
    }

    pub(super) const fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{a: 1, b: {c: "x", d: 2.0, e: []}, created_at: "y"}`, with the numbers of the keys in this order.
    fn tags() -> Vec<u8> {
        let field = |tag: u8, key: u8| vec![tag, key, 0];
        let inner = [field(TAG_TEXT, 2), field(TAG_FLOAT, 3), field(TAG_ARRAY, 4), vec![TAG_END]].concat();
        let fields = [field(TAG_INTEGER, 0), field(TAG_TABLE, 1), inner, field(TAG_TEXT, 5), vec![TAG_END]].concat();
        [vec![TAG_TABLE], fields].concat()
    }

    fn keys() -> CardKeyTable {
        CardKeyTable::from_names(["a", "b", "c", "d", "e", "created_at"].map(Arc::from).to_vec()).unwrap()
    }

    #[test]
    fn fields_have_places_behind_those_before_them() {
        let shape = CardShape::parse(&tags(), &keys()).unwrap();
        assert_eq!(shape.place(&[0]), Some(FieldPlace::Integer(0)));
        assert_eq!(shape.place(&[1, 2]), Some(FieldPlace::Text(0)));
        assert_eq!(shape.place(&[1, 3]), Some(FieldPlace::Float(1)));
        assert_eq!(shape.place(&[1, 4]), Some(FieldPlace::Array(1)));
        assert_eq!(shape.created_at, Some(FieldPlace::Text(2)));
        assert_eq!((shape.place(&[2]), shape.place(&[0, 2]), shape.place(&[1, 5])), (None, None, None));
        assert_eq!(shape.numbers, 2);
        let Some(FieldPlace::Table(mut table)) = shape.place(&[1]) else { panic!("a table") };
        let fields: Vec<_> = std::iter::from_fn(|| shape.next_field(&mut table)).map(|(key, _)| key).collect();
        assert_eq!(fields, [2, 3, 4]);
    }

    #[test]
    fn malformed_shapes_are_refused() {
        let keys = keys();
        for cut in 0..tags().len() {
            assert!(CardShape::parse(&tags()[..cut], &keys).is_none(), "{cut}");
        }
        assert!(CardShape::parse(&[tags(), vec![TAG_NULL]].concat(), &keys).is_none(), "more than one value");
        assert!(CardShape::parse(&[TAG_TABLE, 77, 0, 0, TAG_END], &keys).is_none(), "an unknown tag");
        let deep = [[TAG_TABLE, 0, 0]; 200].concat();
        let deep = [&[TAG_TABLE], deep.as_slice(), &[TAG_END; 201]].concat();
        assert!(CardShape::parse(&deep, &keys).is_none(), "too deep");
    }

    #[test]
    fn shapes_that_no_card_has_give_their_number_away() {
        let (keys, mut shapes) = (keys(), CardShapeTable::default());
        let first = shapes.take(&tags(), &keys).unwrap();
        assert_eq!(shapes.take(&tags(), &keys), Some(first));
        let full = shapes.memory_bytes();
        shapes.release(first);
        assert_eq!(shapes.memory_bytes(), full);
        shapes.release(first);
        assert_eq!(shapes.memory_bytes(), 0);
        assert_eq!(shapes.take(&[TAG_NULL], &keys), Some(first));
        assert_eq!(shapes.all().len(), 1);
    }
}
