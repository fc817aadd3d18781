//! Other entries: imported, called, and looked up.

use std::sync::Arc;

use regex_automata::meta::{Config, Regex};
use serde_json::{Map, Value, json};

use super::{Scope, text};
use crate::calls::{Conversation, Halt};
use crate::entry::Entry;
use wardroom_base::limits::MAX_PATTERN_BYTES;

impl Conversation<'_> {
    /// The source of what an entry imports. What is imported brings its own modules and imports.
    pub(super) fn import(&self, scope: &mut Scope, arguments: &Value) -> Result<Value, String> {
        let id = text(arguments, "id")?;
        if !scope.importable.contains(id) {
            return Err(format!("{} does not list the import {}", scope.id, wardroom_service::shown(id)));
        }
        let handler = self.loaded.entries.get(id).and_then(|entry| entry.handler.as_ref());
        let handler = handler.ok_or_else(|| format!("{id} is not there"))?;
        scope.extend(handler);
        Ok(json!({
            "id": id, "source": *handler.source, "modules": handler.modules, "imports": handler.imports,
        }))
    }

    /// An entry that the caller may see. Another one is as good as missing.
    fn shown_entry(&self, id: &str) -> Option<&Arc<Entry>> {
        self.loaded.entries.get(id).filter(|entry| self.loaded.shows(entry, &self.context.caller))
    }

    /// Calls another function entry, as part of this request.
    pub(super) fn call_function(&self, arguments: &Value) -> Result<Result<Value, String>, Halt> {
        let id = match text(arguments, "id") {
            Ok(id) => id,
            Err(why) => return Ok(Err(why)),
        };
        let Some(entry) = self.shown_entry(id) else {
            return Ok(Ok(
                json!({"error": {"kind": "NOT_FOUND", "message": format!("there is no entry {}", wardroom_service::shown(id))}}),
            ));
        };
        let mut given = arguments.get("arguments").and_then(Value::as_array).cloned().unwrap_or_default();
        // A handler without arguments gets an empty table, as a tool does.
        match given.first_mut() {
            None => given.push(Map::new().into()),
            Some(first) if first.is_null() => *first = Map::new().into(),
            Some(_) => {}
        }
        Ok(Ok(match self.run(entry, given)? {
            Ok(value) => json!({"value": value}),
            Err(trouble) => json!({"error": trouble.json()}),
        }))
    }

    pub(super) fn get_entry(&self, arguments: &Value) -> Result<Value, String> {
        let entry = self.shown_entry(text(arguments, "id")?);
        Ok(entry.map_or(Value::Null, |entry| shown(entry)))
    }

    /// The entries for which every condition holds: `.kind`, `.name`, `.ns` and `.id` exactly, `meta.x` exactly, with `~`
    /// before it a pattern, `*` a part, `^` a beginning, `$` an end.
    pub(super) fn find_entries(&self, arguments: &Value) -> Result<Value, String> {
        let conditions = match arguments.get("filter") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) if items.is_empty() => Vec::new(),
            Some(Value::Object(fields)) => {
                fields.iter().map(|(key, wanted)| Condition::parse(key, wanted)).collect::<Result<_, _>>()?
            }
            Some(_) => return Err("filter must be a table of conditions".to_owned()),
        };
        let seen = self.loaded.entries.values().filter(|entry| self.loaded.shows(entry, &self.context.caller));
        let found = seen.filter(|entry| conditions.iter().all(|condition| condition.holds(entry)));
        Ok(found.map(|entry| shown(entry)).collect())
    }
}

/// An entry as handlers see it.
fn shown(entry: &Entry) -> Value {
    let mut fields = entry.raw.as_object().cloned().unwrap_or_default();
    // Where its source lies says nothing to a handler.
    fields.remove("source");
    fields.insert("id".to_owned(), entry.id.clone().into());
    fields.insert("ns".to_owned(), entry.namespace.clone().into());
    fields.into()
}

enum Condition<'w> {
    Root(&'w str, &'w Value),
    Meta(&'w str, How<'w>),
}

enum How<'w> {
    Is(&'w Value),
    Contains(&'w str),
    Begins(&'w str),
    Ends(&'w str),
    Matches(Box<Regex>),
}

impl<'w> Condition<'w> {
    fn parse(key: &'w str, wanted: &'w Value) -> Result<Self, String> {
        if matches!(key, ".kind" | ".name" | ".ns" | ".id" | "kind") {
            return Ok(Self::Root(key.trim_start_matches('.'), wanted));
        }
        let unknown =
            || format!("unknown condition {}: use .kind, .name, .ns, .id or meta.KEY", wardroom_service::shown(key));
        let (sign, name) = match key.strip_prefix("meta.") {
            Some(name) => ("", name),
            None => {
                let (sign, rest) = key.split_at_checked(1).ok_or_else(unknown)?;
                (sign, rest.strip_prefix("meta.").ok_or_else(unknown)?)
            }
        };
        let words = || wanted.as_str().ok_or_else(|| format!("{key} must be compared with text"));
        let how = match sign {
            "" => How::Is(wanted),
            "*" => How::Contains(words()?),
            "^" => How::Begins(words()?),
            "$" => How::Ends(words()?),
            "~" => {
                let built =
                    Regex::builder().configure(Config::new().nfa_size_limit(Some(MAX_PATTERN_BYTES))).build(words()?);
                How::Matches(Box::new(built.map_err(|_| format!("{key} is no pattern"))?))
            }
            _ => return Err(unknown()),
        };
        Ok(Self::Meta(name, how))
    }

    fn holds(&self, entry: &Entry) -> bool {
        match self {
            Self::Root(name, wanted) => {
                let kind = entry.raw.get("kind").and_then(Value::as_str).unwrap_or_default();
                let own = match *name {
                    "kind" => kind,
                    "name" => &entry.name,
                    "ns" => &entry.namespace,
                    _ => &entry.id,
                };
                wanted.as_str() == Some(own)
            }
            Self::Meta(name, how) => {
                let Some(own) = entry.raw.get("meta").and_then(|meta| meta.get(*name)) else { return false };
                let text = own.as_str();
                match how {
                    How::Is(wanted) => own == *wanted,
                    How::Contains(part) => text.is_some_and(|text| text.contains(part)),
                    How::Begins(part) => text.is_some_and(|text| text.starts_with(part)),
                    How::Ends(part) => text.is_some_and(|text| text.ends_with(part)),
                    How::Matches(pattern) => text.is_some_and(|text| pattern.is_match(text)),
                }
            }
        }
    }
}
