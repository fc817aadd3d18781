//! Other entries: imported, called, and searched.

use std::sync::Arc;

use regex_automata::meta::{Config, Regex};
use serde_json::{Map, Value, json};

use super::{HandlerScope, OperationAnswer, error_of_kind, text_argument};
use crate::entry::RegistryEntry;
use crate::handler_call::{Abort, HandlerCall};
use crate::limits::{MAX_FIND_COMPILED_BYTES, MAX_FIND_CONDITIONS, MAX_FIND_PATTERN_BYTES, MAX_FIND_TEXT_BYTES};

impl HandlerCall<'_> {
    /// Returns the source of an import. An imported entry adds its own modules and imports.
    pub(super) fn import_source(&self, scope: &mut HandlerScope, arguments: &Value) -> OperationAnswer {
        let id = text_argument(arguments, "id")?;
        if !scope.importable.contains(id) {
            return Err(format!("{} does not list the import {}", scope.id, wardroom_service::escape_and_truncate(id)));
        }
        let handler = self.snapshot.entries.get(id).and_then(|entry| entry.handler.as_ref());
        let handler = handler.ok_or_else(|| format!("{id} is not there"))?;
        scope.add_handler(handler);
        Ok(json!({
            "id": id, "source": *handler.source, "modules": handler.modules, "imports": handler.imports,
        }))
    }

    /// Returns an entry that the caller may see. A hidden entry counts as missing.
    fn visible_entry(&self, id: &str) -> Option<&Arc<RegistryEntry>> {
        self.snapshot.entries.get(id).filter(|entry| self.snapshot.is_visible(entry, &self.info.caller))
    }

    /// Calls another function entry, as part of this request.
    pub(super) fn call_function(&self, arguments: &Value) -> Result<OperationAnswer, Abort> {
        let id = match text_argument(arguments, "id") {
            Ok(id) => id,
            Err(why) => return Ok(Err(why)),
        };
        let Some(entry) = self.visible_entry(id) else {
            let message = format!("there is no entry {}", wardroom_service::escape_and_truncate(id));
            return Ok(Ok(error_of_kind("NOT_FOUND", message)));
        };
        let mut given = arguments.get("arguments").and_then(Value::as_array).cloned().unwrap_or_default();
        // A handler without arguments gets an empty table, as a tool does.
        match given.first_mut() {
            None => given.push(Map::new().into()),
            Some(first) if first.is_null() => *first = Map::new().into(),
            Some(_) => {}
        }
        Ok(Ok(match self.run_handler(entry, given)? {
            Ok(value) => json!({"value": value}),
            Err(trouble) => json!({"error": trouble.to_json()}),
        }))
    }

    pub(super) fn entry_for_handler(&self, arguments: &Value) -> OperationAnswer {
        let entry = self.visible_entry(text_argument(arguments, "id")?);
        Ok(entry.map_or(Value::Null, |entry| entry_to_json(entry)))
    }

    /// Returns the entries that meet every condition. `.kind`, `.name`, `.ns`, `.id` and `meta.x` compare exactly;
    /// before `meta.x`, `~` means a pattern, `*` a part, `^` a beginning, and `$` an end.
    pub(super) fn find_entries(&self, arguments: &Value) -> OperationAnswer {
        let conditions = match EntryCondition::parse_all(arguments.get("filter")) {
            Ok(conditions) => conditions,
            Err(message) => return Ok(error_of_kind("INVALID", message)),
        };
        let seen = self.snapshot.entries.values().filter(|entry| self.snapshot.is_visible(entry, &self.info.caller));
        let mut found = Vec::new();
        for entry in seen {
            if self.time_left().is_zero() || self.info.cancellation.is_cancelled() {
                return Err("the time of the call is over".to_owned());
            }
            if conditions.iter().all(|condition| condition.matches(entry)) {
                found.push(entry_to_json(entry));
            }
        }
        Ok(found.into())
    }
}

/// Converts an entry to the form that handlers get.
fn entry_to_json(entry: &RegistryEntry) -> Value {
    let mut fields = entry.raw.as_object().cloned().unwrap_or_default();
    // The location of its source means nothing to a handler.
    fields.remove("source");
    fields.insert("id".to_owned(), entry.id.clone().into());
    fields.insert("ns".to_owned(), entry.namespace.clone().into());
    fields.into()
}

enum EntryCondition<'w> {
    Field(&'w str, &'w Value),
    Meta(&'w str, MatchOperator<'w>),
}

enum MatchOperator<'w> {
    Equals(&'w Value),
    Contains(&'w str),
    StartsWith(&'w str),
    EndsWith(&'w str),
    Matches(Box<Regex>),
}

impl<'w> EntryCondition<'w> {
    fn parse_all(filter: Option<&'w Value>) -> Result<Vec<Self>, String> {
        match filter {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) if items.is_empty() => Ok(Vec::new()),
            Some(Value::Object(fields)) if fields.len() > MAX_FIND_CONDITIONS => {
                Err(format!("filter has more than {MAX_FIND_CONDITIONS} conditions"))
            }
            Some(Value::Object(fields)) => fields.iter().map(|(key, wanted)| Self::parse(key, wanted)).collect(),
            Some(_) => Err("filter must be a table of conditions".to_owned()),
        }
    }

    fn parse(key: &'w str, wanted: &'w Value) -> Result<Self, String> {
        if matches!(key, ".kind" | ".name" | ".ns" | ".id" | "kind") {
            return Ok(Self::Field(key.trim_start_matches('.'), wanted));
        }
        let unknown = || {
            format!(
                "unknown condition {}: use .kind, .name, .ns, .id or meta.KEY",
                wardroom_service::escape_and_truncate(key)
            )
        };
        let (sign, name) = match key.strip_prefix("meta.") {
            Some(name) => ("", name),
            None => {
                let (sign, rest) = key.split_at_checked(1).ok_or_else(unknown)?;
                (sign, rest.strip_prefix("meta.").ok_or_else(unknown)?)
            }
        };
        let words = || wanted.as_str().ok_or_else(|| format!("{key} must be compared with text"));
        let how = match sign {
            "" => MatchOperator::Equals(wanted),
            "*" => MatchOperator::Contains(words()?),
            "^" => MatchOperator::StartsWith(words()?),
            "$" => MatchOperator::EndsWith(words()?),
            "~" => {
                let pattern = words()?;
                if pattern.len() > MAX_FIND_PATTERN_BYTES {
                    return Err(format!("{key} is longer than {MAX_FIND_PATTERN_BYTES} bytes"));
                }
                let built = Regex::builder()
                    .configure(Config::new().nfa_size_limit(Some(MAX_FIND_COMPILED_BYTES)))
                    .build(pattern);
                MatchOperator::Matches(Box::new(
                    built.map_err(|_| format!("{key} is not a valid pattern, or too large a one"))?,
                ))
            }
            _ => return Err(unknown()),
        };
        Ok(Self::Meta(name, how))
    }

    fn matches(&self, entry: &RegistryEntry) -> bool {
        match self {
            Self::Field(name, wanted) => {
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
                    MatchOperator::Equals(wanted) => own == *wanted,
                    MatchOperator::Contains(part) => text.is_some_and(|text| text.contains(part)),
                    MatchOperator::StartsWith(part) => text.is_some_and(|text| text.starts_with(part)),
                    MatchOperator::EndsWith(part) => text.is_some_and(|text| text.ends_with(part)),
                    MatchOperator::Matches(pattern) => {
                        let beginning = text.and_then(|text| text.get(..text.floor_char_boundary(MAX_FIND_TEXT_BYTES)));
                        beginning.is_some_and(|beginning| pattern.is_match(beginning))
                    }
                }
            }
        }
    }
}
