//! Conversion between Lua values and JSON.
//!
//! Owns: the mapping. A top-level null is nil; a null within a document is a light userdata, so that lists keep their
//! length. `{}` is an object; decoded lists, and those of `json.array`, have a metatable that keeps them lists when
//! empty. A table with a first element is a list of 1 to `#t`, and its other keys are dropped. Integers and floats stay
//! what they are; NaN and the infinities, which JSON lacks, are null.
//! Never: calls a metamethod, exceeds `MAX_LUA_DEPTH` levels, or encodes more than `MAX_LUA_VALUES` values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::ops::Range;

use mlua::{IntoLua, Lua, Table, Value};
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use crate::limits::{MAX_LUA_DEPTH, MAX_LUA_VALUES};
use wardroom_base::limits::MAX_QUOTED_INPUT_BYTES;
use wardroom_base::payload::{self, Payload, PayloadView};

/// The key of the array metatable in Lua's registry.
const ARRAY_METATABLE_KEY: &str = "wardroom.array";

/// The metatable that marks a table as a list, even an empty one. Scripts can neither see nor replace it.
pub(crate) fn array_metatable(lua: &Lua) -> mlua::Result<Table> {
    if let Value::Table(metatable) = lua.named_registry_value(ARRAY_METATABLE_KEY)? {
        return Ok(metatable);
    }
    let metatable = lua.create_table()?;
    metatable.raw_set("__metatable", false)?;
    lua.set_named_registry_value(ARRAY_METATABLE_KEY, &metatable)?;
    Ok(metatable)
}

/// Marks a table as a list, so that it is one in JSON even when empty.
pub(crate) fn into_array(lua: &Lua, table: Table) -> mlua::Result<Value> {
    table.set_metatable(Some(array_metatable(lua)?))?;
    table.into_lua(lua)
}

// ---- From JSON -----------------------------------------------------------------------------------------------------

/// Converts a document to a Lua value. A top-level null is nil.
///
/// # Errors
/// When the document is nested too deep.
pub fn from_json(lua: &Lua, document: &Json) -> Result<Value, String> {
    build_value(lua, document).map(null_to_nil)
}

/// Converts a payload to a Lua value, its text without building it in between. A top-level null is nil.
///
/// # Errors
/// As [`from_json`].
pub fn from_payload(lua: &Lua, payload: &Payload) -> Result<Value, String> {
    let value = match payload.view() {
        PayloadView::Value(value) => build_value(lua, value),
        PayloadView::Text(text) => build_value(lua, &mut serde_json::Deserializer::from_str(text)),
    };
    value.map(null_to_nil)
}

/// Converts a payload to the arguments of a function: those of a list, or one.
///
/// # Errors
/// As [`from_json`].
pub(crate) fn arguments_from_payload(lua: &Lua, payload: &Payload) -> Result<Vec<Value>, String> {
    if !payload.is_list() {
        return Ok(vec![from_payload(lua, payload)?]);
    }
    let listed = payload.clone().into_typed::<Vec<Payload>>().map_err(|error| error.to_string())?;
    listed.iter().map(|argument| from_payload(lua, argument)).collect()
}

/// Parses JSON to a Lua value. A top-level null is nil.
///
/// # Errors
/// When the text is not JSON, or nested too deep.
pub fn decode(lua: &Lua, text: &[u8]) -> Result<Value, String> {
    let mut parser = serde_json::Deserializer::from_slice(text);
    let value = build_value(lua, &mut parser)?;
    parser.end().map_err(|error| error.to_string())?;
    Ok(null_to_nil(value))
}

fn null_to_nil(value: Value) -> Value {
    if value == Value::NULL { Value::Nil } else { value }
}

fn build_value<'de, D: Deserializer<'de>>(lua: &Lua, document: D) -> Result<Value, String> {
    let text = |error: mlua::Error| error.to_string();
    let (metatable, holder) = (array_metatable(lua).map_err(text)?, lua.create_table().map_err(text)?);
    let slot = TableSlot {
        lua,
        array_metatable: &metatable,
        table: &holder,
        key: TableSlotKey::Index(1),
        depth_left: MAX_LUA_DEPTH,
    };
    slot.deserialize(document).map_err(|error| error.to_string())?;
    holder.raw_get(1).map_err(text)
}

/// The table slot for a document's next value. Writing values in place avoids a Lua handle for each.
struct TableSlot<'a> {
    lua: &'a Lua,
    array_metatable: &'a Table,
    table: &'a Table,
    key: TableSlotKey<'a>,
    /// How many more levels of nesting are allowed.
    depth_left: usize,
}

enum TableSlotKey<'a> {
    Index(i64),
    Name(&'a str),
}

impl TableSlot<'_> {
    fn set<E: serde::de::Error>(&self, value: impl IntoLua) -> Result<(), E> {
        let put = match self.key {
            TableSlotKey::Index(index) => self.table.raw_set(index, value),
            TableSlotKey::Name(name) => self.table.raw_set(name, value),
        };
        put.map_err(E::custom)
    }

    /// Creates a table in this slot, and returns it with the depth that is left in it.
    fn create_table<E: serde::de::Error>(&self) -> Result<(Table, usize), E> {
        let left = self.depth_left.checked_sub(1);
        let left = left.ok_or_else(|| E::custom(format_args!("nested deeper than {MAX_LUA_DEPTH} levels")))?;
        let table = self.lua.create_table().map_err(E::custom)?;
        self.set(&table)?;
        Ok((table, left))
    }
}

impl<'de> DeserializeSeed<'de> for TableSlot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, document: D) -> Result<(), D::Error> {
        document.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TableSlot<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.set(Value::NULL)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.set(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.set(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.set(value),
            Err(_) => self.set(value as f64),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.set(value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.set(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (table, left) = self.create_table()?;
        table.set_metatable(Some(self.array_metatable.clone())).map_err(A::Error::custom)?;
        let mut index = 1;
        while list
            .next_element_seed(TableSlot { table: &table, key: TableSlotKey::Index(index), depth_left: left, ..self })?
            .is_some()
        {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let (table, left) = self.create_table()?;
        while let Some(name) = object.next_key_seed(ObjectKeySeed)? {
            object.next_value_seed(TableSlot {
                table: &table,
                key: TableSlotKey::Name(&name),
                depth_left: left,
                ..self
            })?;
        }
        Ok(())
    }
}

/// Deserializes a field's name, borrowed from the document if it has no escapes.
struct ObjectKeySeed;

impl<'de> DeserializeSeed<'de> for ObjectKeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Self::Value, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for ObjectKeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

// ---- To JSON -------------------------------------------------------------------------------------------------------

/// Converts a Lua value to JSON.
///
/// # Errors
/// As `to_json_text`.
pub fn to_json(lua: &Lua, value: &Value, name: &str) -> Result<Json, String> {
    let text = to_json_text(lua, value, name)?;
    payload::parse_stored(text.as_bytes()).map_err(|error| error.to_string())
}

/// Converts a Lua value to the text of JSON, with sorted keys. Nothing is built on the way: a list of small tables would
/// take a hundred times its text.
///
/// # Errors
/// When the value or a part of it has no JSON form. The message has the path of the part, which begins with `name`.
pub(crate) fn to_json_text(lua: &Lua, value: &Value, name: &str) -> Result<String, String> {
    let metatable = array_metatable(lua).map_err(|error| error.to_string())?;
    let mut encoder = LuaEncoder { array_metatable: metatable, values_left: MAX_LUA_VALUES, text: Vec::new() };
    encoder.encode_value(value, MAX_LUA_DEPTH).map_err(|error| error.message(name))?;
    String::from_utf8(encoder.text).map_err(|error| error.to_string())
}

/// As `to_json_text`, as a payload.
///
/// # Errors
/// As `to_json_text`.
pub fn to_payload(lua: &Lua, value: &Value, name: &str) -> Result<Payload, String> {
    Payload::from_own_text(to_json_text(lua, value, name)?).map_err(|error| error.to_string())
}

/// Returns an object with one field.
pub(crate) fn object_of(name: &str, value: &Payload) -> Result<Payload, String> {
    Payload::text_of(&BTreeMap::from([(name, value)])).map_err(|error| error.to_string())
}

/// The reason why a value cannot be JSON, and its path from the innermost segment outwards.
struct LuaEncodeError {
    reason: String,
    segments: Vec<LuaPathSegment>,
}

enum LuaPathSegment {
    Key(String),
    Index(usize),
}

impl LuaEncodeError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), segments: Vec::new() }
    }

    fn with_segment(mut self, segment: LuaPathSegment) -> Self {
        self.segments.push(segment);
        self
    }

    fn message(&self, name: &str) -> String {
        let mut path = name.to_owned();
        for segment in self.segments.iter().rev() {
            // The beginning of a very long path is enough.
            if path.len() > MAX_QUOTED_INPUT_BYTES {
                path.push('…');
                break;
            }
            let written = match segment {
                LuaPathSegment::Index(index) => write!(path, "[{index}]"),
                LuaPathSegment::Key(key) if is_identifier(key) => write!(path, ".{key}"),
                LuaPathSegment::Key(key) => {
                    write!(path, "[{:?}]", key.chars().take(MAX_QUOTED_INPUT_BYTES).collect::<String>())
                }
            };
            debug_assert!(written.is_ok(), "a string takes everything");
        }
        format!("{path}: {}", self.reason)
    }
}

fn is_identifier(key: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    key.chars().all(is_word) && key.starts_with(|c: char| !c.is_ascii_digit()) && key.len() <= MAX_QUOTED_INPUT_BYTES
}

struct LuaEncoder {
    array_metatable: Table,
    /// How many more values are allowed. A table's length can be billions when a few of its elements are set.
    values_left: usize,
    text: Vec<u8>,
}

/// An entry of an object, as it was written: `"key":value`.
struct EncodedEntry {
    key: String,
    /// Whether the key was a string in Lua.
    is_text: bool,
    range: Range<usize>,
}

impl LuaEncoder {
    fn encode_value(&mut self, value: &Value, left: usize) -> Result<(), LuaEncodeError> {
        let too_many = || LuaEncodeError::new(format!("more than {MAX_LUA_VALUES} values"));
        self.values_left = self.values_left.checked_sub(1).ok_or_else(too_many)?;
        match value {
            Value::Nil => self.text.extend_from_slice(b"null"),
            null if *null == Value::NULL => self.text.extend_from_slice(b"null"),
            Value::Boolean(value) => self.text.extend_from_slice(if *value { b"true" } else { b"false" }),
            Value::Integer(value) => self.push_json(value),
            // JSON has no NaN and no infinity: they are null.
            Value::Number(value) => self.push_json(value),
            Value::String(string) => {
                let text = string.to_str().map_err(|_| LuaEncodeError::new("a string that is not UTF-8"))?;
                self.push_json(&*text);
            }
            Value::Table(table) => {
                let deeper = left.checked_sub(1);
                let left =
                    deeper.ok_or_else(|| LuaEncodeError::new(format!("nested deeper than {MAX_LUA_DEPTH} levels")))?;
                return match table.raw_len() {
                    0 => self.encode_object(table, left),
                    length => self.encode_list(table, length, left),
                };
            }
            other => return Err(LuaEncodeError::new(format!("a {} cannot be JSON", type_name(other)))),
        }
        Ok(())
    }

    /// Writes a value without parts.
    fn push_json<T: Serialize + ?Sized>(&mut self, value: &T) {
        let written = serde_json::to_writer(&mut self.text, value);
        debug_assert!(written.is_ok(), "a vector takes everything");
    }

    fn encode_list(&mut self, table: &Table, length: usize, left: usize) -> Result<(), LuaEncodeError> {
        if length > self.values_left {
            return Err(LuaEncodeError::new(format!("more than {MAX_LUA_VALUES} values")));
        }
        for index in 1..=length {
            let at = |refused: LuaEncodeError| refused.with_segment(LuaPathSegment::Index(index));
            self.text.push(if index == 1 { b'[' } else { b',' });
            let value: Value = table.raw_get(index).map_err(|error| at(LuaEncodeError::new(error.to_string())))?;
            self.encode_value(&value, left).map_err(at)?;
        }
        self.text.push(b']');
        Ok(())
    }

    /// Encodes a table without a first element: an object, or an empty list if it is marked as one.
    fn encode_object(&mut self, table: &Table, left: usize) -> Result<(), LuaEncodeError> {
        let start = self.text.len();
        let mut entries = Vec::new();
        let mut refused = None;
        let walked = table.for_each(|key: Value, value: Value| match self.encode_entry(&key, &value, left) {
            Ok(entry) => {
                entries.push(entry);
                Ok(())
            }
            Err(reason) => {
                refused = Some(reason);
                Err(mlua::Error::CallbackDestructed)
            }
        });
        match (refused, walked) {
            (Some(refused), _) => return Err(refused),
            (None, Err(error)) => return Err(LuaEncodeError::new(error.to_string())),
            (None, Ok(())) if entries.is_empty() && table.metatable().as_ref() == Some(&self.array_metatable) => {
                self.text.extend_from_slice(b"[]");
                return Ok(());
            }
            (None, Ok(())) => {}
        }
        // A string key takes precedence over a number with the same text, in any order.
        entries.sort_by(|one, other| (&one.key, other.is_text).cmp(&(&other.key, one.is_text)));
        entries.dedup_by(|later, kept| later.key == kept.key);
        let mut object = Vec::with_capacity(self.text.len() - start + entries.len() + 2);
        object.push(b'{');
        for EncodedEntry { range, .. } in entries {
            if object.len() > 1 {
                object.push(b',');
            }
            object.extend_from_slice(self.text.get(range).unwrap_or_default());
        }
        object.push(b'}');
        self.text.truncate(start);
        self.text.append(&mut object);
        Ok(())
    }

    fn encode_entry(&mut self, key: &Value, value: &Value, left: usize) -> Result<EncodedEntry, LuaEncodeError> {
        let (key, is_text) = match key {
            Value::String(string) => {
                (to_utf8(string).map_err(|_| LuaEncodeError::new("a key that is not UTF-8"))?, true)
            }
            Value::Integer(number) => (number.to_string(), false),
            Value::Number(number) => (number.to_string(), false),
            Value::Boolean(value) => (value.to_string(), false),
            other => return Err(LuaEncodeError::new(format!("a {} cannot be a key of JSON", type_name(other)))),
        };
        let start = self.text.len();
        self.push_json(&key);
        self.text.push(b':');
        match self.encode_value(value, left) {
            Ok(()) => Ok(EncodedEntry { key, is_text, range: start..self.text.len() }),
            Err(refused) => Err(refused.with_segment(LuaPathSegment::Key(key))),
        }
    }
}

fn to_utf8(string: &mlua::String) -> Result<String, LuaEncodeError> {
    string.to_str().map(|text| text.to_owned()).map_err(|_| LuaEncodeError::new("a string that is not UTF-8"))
}

/// The name of a value's type, as in Lua's messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        null if *null == Value::NULL => "null",
        Value::Integer(_) => "number",
        Value::LightUserData(_) | Value::Error(_) | Value::Other(_) => "userdata",
        other => other.type_name(),
    }
}
