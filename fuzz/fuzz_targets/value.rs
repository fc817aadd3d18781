//! JSON and TOML of checked size and depth: what is accepted is what `serde_json` and `toml` read, within the bounds, in
//! whichever form it is held.
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_base::payload::{Payload, check_json_text, has_reserved_text, json_depth};
use wardroom_base::toml_text;

const MAX_BYTES: usize = 2_000;

/// Counts what is held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the bounds say of a document, without its value.
struct Shape {
    depth: usize,
    has_reserved_key: bool,
    /// Whether an object has two fields of one name.
    has_duplicate_key: bool,
}

impl Shape {
    const LEAF: Self = Self { depth: 0, has_reserved_key: false, has_duplicate_key: false };

    fn around(&mut self, inner: &Self) {
        self.depth = self.depth.max(inner.depth + 1);
        self.has_reserved_key |= inner.has_reserved_key;
        self.has_duplicate_key |= inner.has_duplicate_key;
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::LEAF)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let mut shape = Shape { depth: 1, ..Shape::LEAF };
        while let Some(item) = items.next_element::<Shape>()? {
            shape.around(&item);
        }
        Ok(shape)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Shape, A::Error> {
        let (mut shape, mut keys) = (Shape { depth: 1, ..Shape::LEAF }, HashSet::new());
        while let Some((key, value)) = fields.next_entry::<String, Shape>()? {
            shape.around(&value);
            shape.has_reserved_key |= key.starts_with("$serde_json::private::");
            shape.has_duplicate_key |= !keys.insert(key);
        }
        Ok(shape)
    }
}

fn check_json(text: &str) {
    let shape: Option<Shape> = serde_json::from_str(text).ok();
    let within = |shape: &Shape| text.len() <= MAX_BYTES && shape.depth <= MAX_JSON_DEPTH && !shape.has_reserved_key;
    let is_accepted = shape.as_ref().is_some_and(within);
    let value = Payload::parse(text, MAX_BYTES);
    let held = Payload::parse_text(text, MAX_BYTES);
    assert_eq!(value.is_ok(), is_accepted, "{text:?}: {value:?}");
    assert_eq!(held.is_ok(), is_accepted, "{text:?}: {held:?}");
    if let Some(shape) = &shape {
        let expected = if shape.has_reserved_key { usize::MAX } else { shape.depth };
        assert_eq!(json_depth(text.as_bytes()), expected, "{text:?}");
        assert_eq!(has_reserved_text(text.as_bytes()), shape.has_reserved_key, "{text:?}");
    }
    let (Ok(value), Ok(held)) = (value, held) else { return };
    check_json_text(text, MAX_BYTES).expect("it was accepted");
    check_forms(text, &value, &held, shape.is_some_and(|shape| shape.has_duplicate_key));
}

fn check_forms(text: &str, value: &Payload, held: &Payload, has_duplicate_key: bool) {
    let expected: Value = serde_json::from_str(text).expect("it was accepted");
    assert_eq!(value.to_value(), expected);
    assert!(!held.to_string().contains(['\n', '\r']), "a text is on one line");
    assert_eq!(serde_json::from_str::<Value>(&held.to_string()).ok().as_ref(), Some(&expected));
    assert_eq!((held.is_list(), held.is_object()), (expected.is_array(), expected.is_object()));
    let before = HELD.load(Ordering::Relaxed);
    let built = held.to_value();
    let taken = HELD.load(Ordering::Relaxed) - before;
    assert!(taken <= held.value_bytes(), "{text:?} takes {taken} bytes, and {} were counted", held.value_bytes());
    assert_eq!(built, expected);
    let pretty = serde_json::to_string_pretty(&expected).expect("a value is JSON");
    let pretty = Payload::parse_text(&pretty, usize::MAX).expect("a value is JSON");
    assert_eq!(pretty.canonical_digest(), value.canonical_digest(), "{text:?}");
    // Of two fields of one name, readers of the text may take either: it is not the document with the last one alone.
    assert_eq!(held.canonical_digest() == value.canonical_digest(), !has_duplicate_key, "{text:?}");
    for name in
        expected.as_object().into_iter().flat_map(|fields| fields.keys().take(3)).map(String::as_str).chain(["-"])
    {
        let field = expected.get(name);
        for form in [value, held] {
            assert_eq!(form.field(name).map(Payload::into_value).as_ref(), field, "{text:?}: {name:?}");
            if let Value::Object(fields) = &expected {
                let mut fields = fields.clone();
                fields.insert(name.to_owned(), Value::from(vec![1]));
                assert_eq!(form.clone().with_field(name, Value::from(vec![1])).into_value(), Value::Object(fields));
            }
        }
    }
}

fn table_to_json(table: toml::Table) -> Map<String, Value> {
    fn value_to_json(value: toml::Value) -> Value {
        match value {
            toml::Value::String(text) => text.into(),
            toml::Value::Integer(number) => number.into(),
            toml::Value::Float(number) => number.into(),
            toml::Value::Boolean(flag) => flag.into(),
            toml::Value::Datetime(time) => time.to_string().into(),
            toml::Value::Array(items) => items.into_iter().map(value_to_json).collect(),
            toml::Value::Table(table) => table_to_json(table).into(),
        }
    }
    table.into_iter().map(|(key, value)| (key, value_to_json(value))).collect()
}

fn check_toml(text: &str) {
    let expected: Result<toml::Table, _> = toml::from_str(text);
    // To `toml` a table with this key is a time; as JSON it is a table.
    if !text.contains("$__toml") {
        let json = expected.clone().ok().filter(|_| toml_text::parse(text).is_ok()).map(table_to_json);
        assert_eq!(toml_text::parse_json(text).ok(), json, "{text:?}");
    }
    match (toml_text::parse(text), expected) {
        (Ok(table), Ok(expected)) => assert_eq!(format!("{table:?}"), format!("{expected:?}")),
        (Ok(_), Err(error)) => panic!("{text:?} is no TOML: {error}"),
        (Err(error), expected) => {
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            assert!((1..=lines + 1).contains(&error.line), "{text:?}: {error}");
            // The bound of the depth is the only one that `toml` has not.
            let depth = text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b'.')).count();
            assert!(expected.is_err() || depth >= 20, "{text:?}: {error}");
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match kind % 4 {
        0 => check_toml(text),
        _ => check_json(text),
    }
});
