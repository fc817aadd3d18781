//! Writes metadata as the answer: JSON, and the list of unresolved parts.
//!
//! Owns: which tables are arrays, the paths of unresolved parts, and the size of the answer.
//! Never: recurses deeper than `MAX_DEPTH`; tables can contain themselves.

use wardroom_lua_syntax::number::{self, Number};
use wardroom_lua_syntax::position::{Locator, Position};

use crate::json;
use crate::limits::{MAX_DEPTH, MAX_OUTPUT_BYTES, MAX_UNRESOLVED};
use crate::lua::value::{Heap, Key, Reason, Table, Unknown, Value};

use super::replay::Found;
use super::{ExtractError, Metadata, Unresolved, as_u32};

/// Renders what the replay found.
pub(crate) fn metadata(
    source: &str,
    heap: &Heap<'_>,
    found: &Found<'_>,
    doc: Option<String>,
) -> Result<Metadata, ExtractError> {
    let spent = doc.as_ref().map_or(0, String::len);
    let (json, path, missing, is_doubted) = (String::new(), String::new(), Vec::new(), false);
    let mut renderer = Renderer { heap, json, path, missing, is_doubted, spent };
    renderer.root(found).map_err(|stop| match stop {
        Stop::TooDeep(at) => ExtractError::TooDeep(Position::of(source.as_bytes(), at as usize)),
        Stop::TooMuch => ExtractError::TooMuch(as_u32(MAX_OUTPUT_BYTES)),
    })?;
    Ok(Metadata { json: renderer.json, doc, unresolved: located(source, renderer.missing) })
}

fn located(source: &str, mut missing: Vec<Missing>) -> Vec<Unresolved> {
    missing.sort_by_key(|missing| missing.unknown.at);
    let mut locator = Locator::new(source.as_bytes());
    let unresolved = missing.into_iter().map(|Missing { path, unknown }| Unresolved {
        path,
        position: locator.locate(unknown.at as usize),
        reason: unknown.reason.text(),
    });
    unresolved.collect()
}

enum Stop {
    TooDeep(u32),
    TooMuch,
}

struct Missing {
    path: String,
    unknown: Unknown,
}

struct Renderer<'a, 's> {
    heap: &'a Heap<'s>,
    json: String,
    /// The path of the value that is being written.
    path: String,
    missing: Vec<Missing>,
    /// Whether the metadata as a whole is unresolved, so that nothing in it need be marked because it may be changed.
    is_doubted: bool,
    /// The bytes of the answer outside of `json`.
    spent: usize,
}

impl Renderer<'_, '_> {
    /// Writes the metadata as a whole, which is an object for all kinds of keys.
    fn root(&mut self, found: &Found<'_>) -> Result<(), Stop> {
        let (table, unknown) = match &found.meta {
            Value::Table(id) => (self.heap.table(*id), None),
            Value::Unknown(unknown) => (None, Some(*unknown)),
            Value::Nil | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Bytes(_) => (None, None),
        };
        if let Some(unknown) = unknown.or(table.and_then(|table| table.rest)).or(found.doubt) {
            self.is_doubted = true;
            self.miss(unknown)?;
        }
        let Some(table) = table else {
            self.json.push_str("{}");
            return self.check_size();
        };
        self.object(table, 1)
    }

    fn value(&mut self, value: &Value<'_>, depth: u32) -> Result<(), Stop> {
        match value {
            Value::Bool(bool) => self.json.push_str(if *bool { "true" } else { "false" }),
            Value::Number(Number::Int(int)) => json::push_int(&mut self.json, *int),
            Value::Number(Number::Float(float)) => json::push_float(&mut self.json, *float),
            Value::Text(text) => {
                self.check_room(text.as_str())?;
                json::push_string(&mut self.json, text.as_str());
            }
            // Neither becomes a field: nil removes a field, and bytes are settled.
            Value::Nil | Value::Bytes(_) => self.json.push_str("null"),
            Value::Table(id) => {
                if let Some(table) = self.heap.table(*id) {
                    self.table(table, depth + 1)?;
                }
            }
            Value::Unknown(unknown) => self.unknown(*unknown)?,
        }
        self.check_size()
    }

    fn unknown(&mut self, unknown: Unknown) -> Result<(), Stop> {
        self.miss(unknown)?;
        self.json.push_str("null");
        Ok(())
    }

    fn table(&mut self, table: &Table<'_>, depth: u32) -> Result<(), Stop> {
        if depth > MAX_DEPTH {
            return Err(Stop::TooDeep(table.at));
        }
        match table.rest.or(table.escape.filter(|_| !self.is_doubted)) {
            Some(unknown) => self.unknown(unknown),
            None if is_sequence(table) => self.array(table, depth),
            None => self.object(table, depth),
        }
    }

    fn array(&mut self, table: &Table<'_>, depth: u32) -> Result<(), Stop> {
        self.json.push('[');
        for (index, (key, value)) in table.fields.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            self.within(key, |renderer| renderer.value(value, depth))?;
        }
        self.json.push(']');
        Ok(())
    }

    fn object(&mut self, table: &Table<'_>, depth: u32) -> Result<(), Stop> {
        // Each field takes at least `"1":2`. So many names are not even collected.
        if table.fields.len() > MAX_OUTPUT_BYTES / 5 {
            return Err(Stop::TooMuch);
        }
        let mut fields: Vec<_> = table.fields.iter().map(|(key, value)| (name(key), key, value)).collect();
        fields.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        self.json.push('{');
        let mut previous: Option<&str> = None;
        for (name, key, value) in &fields {
            if previous == Some(name) {
                self.miss(Unknown { at: table.at, reason: Reason::BothKinds })?;
                continue;
            }
            if previous.is_some() {
                self.json.push(',');
            }
            previous = Some(name);
            self.check_room(name)?;
            json::push_string(&mut self.json, name);
            self.json.push(':');
            self.within(key, |renderer| renderer.value(value, depth))?;
        }
        self.json.push('}');
        self.check_size()
    }

    /// Writes a field with its key on the path.
    fn within(&mut self, key: &Key<'_>, write: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let before = self.path.len();
        push_key(&mut self.path, key);
        let written = write(self);
        self.path.truncate(before);
        written
    }

    fn miss(&mut self, unknown: Unknown) -> Result<(), Stop> {
        match unknown.reason {
            Reason::TooDeep => return Err(Stop::TooDeep(unknown.at)),
            Reason::TooMuch => return Err(Stop::TooMuch),
            reason => self.spent += self.path.len() + reason.text().len(),
        }
        if self.missing.len() >= MAX_UNRESOLVED {
            return Err(Stop::TooMuch);
        }
        self.check_size()?;
        self.missing.push(Missing { path: self.path.clone(), unknown });
        Ok(())
    }

    fn check_room(&self, text: &str) -> Result<(), Stop> {
        if self.json.len() + self.spent + text.len() > MAX_OUTPUT_BYTES { Err(Stop::TooMuch) } else { Ok(()) }
    }

    fn check_size(&self) -> Result<(), Stop> {
        self.check_room("")
    }
}

/// Whether the keys are 1 to n, for an n of at least 1: keys are sorted and distinct.
fn is_sequence(table: &Table<'_>) -> bool {
    let last = i64::try_from(table.fields.len()).ok();
    let is_int = |key: &Key<'_>| matches!(key, Key::Int(_));
    matches!(table.fields.first_key_value(), Some((Key::Int(1), _)))
        && matches!(table.fields.last_key_value(), Some((Key::Int(n), _)) if Some(*n) == last)
        && table.fields.keys().all(is_int)
}

fn name<'k>(key: &'k Key<'_>) -> std::borrow::Cow<'k, str> {
    match key {
        Key::Int(int) => int.to_string().into(),
        Key::Float(bits) => number::to_text(Number::Float(f64::from_bits(*bits))).unwrap_or_default().into(),
        Key::Text(text) => text.as_str().into(),
    }
}

fn push_key(path: &mut String, key: &Key<'_>) {
    match key {
        Key::Text(text) if is_identifier(text.as_str()) => {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(text.as_str());
        }
        Key::Text(text) => {
            path.push('[');
            json::push_string(path, text.as_str());
            path.push(']');
        }
        Key::Int(_) | Key::Float(_) => {
            path.push('[');
            path.push_str(&name(key));
            path.push(']');
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins_well && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
