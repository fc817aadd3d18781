//! One pass over JSON that builds nothing: the memory that its value would take, and a digest of its meaning.
//!
//! Owns: what a `serde_json::Value` costs.
//! Never: holds more of a document than the keys of the objects around one value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::limits::MAX_JSON_DEPTH;
use crate::payload::{PayloadError, RESERVED_KEY_START};

/// What the allocator adds to a block, at most.
const BLOCK_BYTES: usize = 32;
/// A `Value` in its list.
const VALUE_BYTES: usize = size_of::<serde_json::Value>();
/// A node of a map's tree, which has up to eleven entries and, filled in order, often six.
const MAP_NODE_BYTES: usize = 11 * (VALUE_BYTES + size_of::<String>()) + 2 * BLOCK_BYTES;
const ENTRIES_PER_MAP_NODE: usize = 5;

/// Returns the memory that the value of a text takes.
///
/// # Errors
/// When the text is too deep, or no JSON that can become a value.
pub(crate) fn value_bytes(text: &str) -> Result<usize, PayloadError> {
    let mut scan = ValueScan { total: VALUE_BYTES, is_too_deep: false };
    let mut parser = serde_json::Deserializer::from_str(text);
    let scanned = ValueSize { scan: &mut scan, depth: 0 }.deserialize(&mut parser).and_then(|()| parser.end());
    match scanned {
        _ if scan.is_too_deep => Err(PayloadError::TooDeep),
        Ok(()) => Ok(scan.total),
        Err(error) => Err(error.into()),
    }
}

struct ValueScan {
    total: usize,
    /// The text is nested too deep, or has a key that `serde_json` reserves.
    is_too_deep: bool,
}

/// Adds what a value takes beside its own slot.
struct ValueSize<'t> {
    scan: &'t mut ValueScan,
    /// The number of lists and objects around the value.
    depth: usize,
}

impl ValueSize<'_> {
    fn add_text(&mut self, len: usize) {
        if len > 0 {
            self.scan.total += len + BLOCK_BYTES;
        }
    }

    /// Enters a list or an object, and returns the depth of what is in it.
    fn enter<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        if self.depth == MAX_JSON_DEPTH {
            return Err(self.refuse());
        }
        Ok(self.depth + 1)
    }

    fn refuse<E: serde::de::Error>(&mut self) -> E {
        self.scan.is_too_deep = true;
        E::custom("too deep")
    }
}

impl<'de> DeserializeSeed<'de> for ValueSize<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSize<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(mut self, text: &str) -> Result<(), E> {
        self.add_text(text.len());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let (depth, mut len) = (self.enter()?, 0usize);
        while list.next_element_seed(ValueSize { scan: &mut *self.scan, depth })?.is_some() {
            len += 1;
        }
        if len > 0 {
            // A list grows by doubling, and is copied when it does.
            self.scan.total += len.max(4).next_power_of_two() * VALUE_BYTES * 3 / 2 + BLOCK_BYTES;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let (depth, mut len) = (self.enter()?, 0usize);
        while let Some(key) = object.next_key::<Text<'de>>()? {
            if key.0.starts_with(RESERVED_KEY_START) {
                return Err(self.refuse());
            }
            self.add_text(key.0.len());
            object.next_value_seed(ValueSize { scan: &mut *self.scan, depth })?;
            len += 1;
        }
        self.scan.total += len.div_ceil(ENTRIES_PER_MAP_NODE) * MAP_NODE_BYTES;
        Ok(())
    }
}

/// Returns a field of an object in checked text; of several with this name the last, as the value would have.
pub(crate) fn field<'t>(text: &'t str, name: &str) -> Option<&'t RawValue> {
    let mut parser = serde_json::Deserializer::from_str(text);
    parser.deserialize_map(FieldVisitor(name)).ok().flatten()
}

struct FieldVisitor<'n>(&'n str);

impl<'de> Visitor<'de> for FieldVisitor<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Text(key)) = object.next_key()? {
            if key == self.0 {
                found = Some(object.next_value()?);
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// A text, borrowed from the document if it has no escapes.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Adds a value to a digest: equal values add the same, whatever the order of their keys.
pub(crate) struct CanonicalDigest<'h>(&'h mut Sha256);

impl<'h> CanonicalDigest<'h> {
    /// Adds a checked document.
    pub(crate) fn add<'de, D: Deserializer<'de>>(document: D, digest: &'h mut Sha256) {
        let added = CanonicalDigest(digest).deserialize(document);
        debug_assert!(added.is_ok(), "only checked JSON has a digest");
    }

    fn add_bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update([kind]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

impl<'de> DeserializeSeed<'de> for CanonicalDigest<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CanonicalDigest<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.update(b"z");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.update(if value { b"t" } else { b"f" });
        Ok(())
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<(), E> {
        self.add_bytes(b'i', &value.to_le_bytes());
        Ok(())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.add_bytes(b'i', &value.to_le_bytes()),
            Err(_) => self.add_bytes(b'u', &value.to_le_bytes()),
        }
        Ok(())
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<(), E> {
        self.add_bytes(b'd', &value.to_bits().to_le_bytes());
        Ok(())
    }

    fn visit_str<E>(mut self, text: &str) -> Result<(), E> {
        self.add_bytes(b's', text.as_bytes());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.update(b"[");
        while list.next_element_seed(CanonicalDigest(self.0))?.is_some() {}
        self.0.update(b"]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let mut entries: Vec<(Cow<'de, str>, [u8; 32])> = Vec::new();
        while let Some(Text(key)) = object.next_key()? {
            let mut digest = Sha256::new();
            object.next_value_seed(CanonicalDigest(&mut digest))?;
            entries.push((key, digest.finalize().into()));
        }
        // A key that is there twice stays in its order: what reads the document may take either.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.0.update(b"{");
        for (key, digest) in entries {
            self.add_bytes(b'k', key.as_bytes());
            self.0.update(digest);
        }
        self.0.update(b"}");
        Ok(())
    }
}
