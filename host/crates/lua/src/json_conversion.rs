//! Conversion between Lua values and JSON.
//!
//! Owns: the mapping. A top-level null is nil; a null within a document is a light userdata, so that lists keep their
//! length. `{}` is an object; decoded lists, and those of `json.array`, have a metatable that keeps them lists when
//! empty. A table with a first element is a list of 1 to `#t`, and its other keys are dropped. Integers and floats stay
//! what they are; NaN and the infinities, which JSON lacks, are null.
//! Never: calls a metamethod, exceeds `MAX_LUA_DEPTH` levels, or encodes more than `MAX_LUA_VALUES` values.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use mlua::{IntoLua, Lua, Table, Value};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use crate::limits::{MAX_LUA_DEPTH, MAX_LUA_VALUES};
use wardroom_base::limits::MAX_QUOTED_INPUT_BYTES;

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
/// When the value or a part of it has no JSON form. The message has the path of the part, which begins with `name`.
pub fn to_json(lua: &Lua, value: &Value, name: &str) -> Result<Json, String> {
    let metatable = array_metatable(lua).map_err(|error| error.to_string())?;
    let mut encoder = LuaEncoder { array_metatable: metatable, values_left: MAX_LUA_VALUES };
    encoder.encode_value(value, MAX_LUA_DEPTH).map_err(|error| error.message(name))
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
}

impl LuaEncoder {
    fn encode_value(&mut self, value: &Value, left: usize) -> Result<Json, LuaEncodeError> {
        let too_many = || LuaEncodeError::new(format!("more than {MAX_LUA_VALUES} values"));
        self.values_left = self.values_left.checked_sub(1).ok_or_else(too_many)?;
        match value {
            Value::Nil => Ok(Json::Null),
            null if *null == Value::NULL => Ok(Json::Null),
            Value::Boolean(value) => Ok(Json::Bool(*value)),
            Value::Integer(value) => Ok(Json::Number((*value).into())),
            Value::Number(value) => Ok(Number::from_f64(*value).map_or(Json::Null, Json::Number)),
            Value::String(string) => to_utf8(string).map(Json::String),
            Value::Table(table) => {
                let deeper = left.checked_sub(1);
                let left =
                    deeper.ok_or_else(|| LuaEncodeError::new(format!("nested deeper than {MAX_LUA_DEPTH} levels")))?;
                match table.raw_len() {
                    0 => self.encode_object(table, left),
                    length => self.encode_list(table, length, left),
                }
            }
            other => Err(LuaEncodeError::new(format!("a {} cannot be JSON", type_name(other)))),
        }
    }

    fn encode_list(&mut self, table: &Table, length: usize, left: usize) -> Result<Json, LuaEncodeError> {
        if length > self.values_left {
            return Err(LuaEncodeError::new(format!("more than {MAX_LUA_VALUES} values")));
        }
        let mut list = Vec::with_capacity(length);
        for index in 1..=length {
            let at = |refused: LuaEncodeError| refused.with_segment(LuaPathSegment::Index(index));
            let value: Value = table.raw_get(index).map_err(|error| at(LuaEncodeError::new(error.to_string())))?;
            list.push(self.encode_value(&value, left).map_err(at)?);
        }
        Ok(Json::Array(list))
    }

    /// Encodes a table without a first element: an object, or an empty list if it is marked as one.
    fn encode_object(&mut self, table: &Table, left: usize) -> Result<Json, LuaEncodeError> {
        let mut object = Map::new();
        let mut refused = None;
        let walked = table.for_each(|key: Value, value: Value| {
            let entry = self.encode_entry(&key, &value, left);
            match entry {
                // A string key takes precedence over a number with the same text, in any order.
                Ok((key, value, true)) => drop(object.insert(key, value)),
                Ok((key, value, false)) => drop(object.entry(key).or_insert(value)),
                Err(reason) => {
                    refused = Some(reason);
                    return Err(mlua::Error::CallbackDestructed);
                }
            }
            Ok(())
        });
        match (refused, walked) {
            (Some(refused), _) => Err(refused),
            (None, Err(error)) => Err(LuaEncodeError::new(error.to_string())),
            (None, Ok(())) if object.is_empty() && table.metatable().as_ref() == Some(&self.array_metatable) => {
                Ok(Json::Array(Vec::new()))
            }
            (None, Ok(())) => Ok(Json::Object(object)),
        }
    }

    /// Encodes a pair to its key, its value, and whether the key was a string.
    fn encode_entry(
        &mut self,
        key: &Value,
        value: &Value,
        left: usize,
    ) -> Result<(String, Json, bool), LuaEncodeError> {
        let (key, is_text) = match key {
            Value::String(string) => {
                (to_utf8(string).map_err(|_| LuaEncodeError::new("a key that is not UTF-8"))?, true)
            }
            Value::Integer(number) => (number.to_string(), false),
            Value::Number(number) => (number.to_string(), false),
            Value::Boolean(value) => (value.to_string(), false),
            other => return Err(LuaEncodeError::new(format!("a {} cannot be a key of JSON", type_name(other)))),
        };
        match self.encode_value(value, left) {
            Ok(value) => Ok((key, value, is_text)),
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
