//! The fields of a front matter, in every spelling that programs write.
//!
//! Owns: which names are the same field, and how a value that has another type than expected is read.
//! Never: knows which fields a document has.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;
use unicode_normalization::UnicodeNormalization as _;

use super::language::normalize_language;
use super::problem::FileProblem;
use super::time::parse_time;
use crate::limits::{MAX_FIELD_CHARS, MAX_LINKED_POSTS, MAX_NAME_CHARS, MAX_NAMES};
use wardroom_sandbox::FrontMatterField;

/// What is wrong with a date, and what to do about it.
const NO_DATE: &str = "not a date; write it as 2024-03-09T10:30:00.000Z";

/// The fields of one file, by their name without case and `_` or `-`: `createdAt` is `created_at`.
pub(crate) struct Fields<'p> {
    path: &'p str,
    by_name: BTreeMap<String, FrontMatterField>,
    pub(crate) problems: Vec<FileProblem>,
}

/// What separates the names of a field that is a text and no list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Commas,
    Spaces,
    /// The text is one name.
    Nothing,
}

impl<'p> Fields<'p> {
    pub(crate) fn new(path: &'p str, fields: Vec<FrontMatterField>) -> Self {
        let by_name = fields.into_iter().map(|field| (normalize(&field.name), field)).collect();
        Self { path, by_name, problems: Vec::new() }
    }

    /// Returns the first of these fields that has a value.
    fn get(&self, names: &[&str]) -> Option<&FrontMatterField> {
        names.iter().filter_map(|name| self.by_name.get(*name)).find(|field| field.json != "null")
    }

    /// Returns the line of a field, or 1.
    pub(crate) fn line(&self, names: &[&str]) -> u32 {
        self.get(names).map_or(1, |field| field.line)
    }

    /// Returns the problem of a field because of which the file is left out.
    pub(crate) fn hiding(&self, names: &[&str], message: &str) -> FileProblem {
        FileProblem::hiding(self.path, self.line(names), message)
    }

    /// Notes the problem of a field that is passed over.
    pub(crate) fn pass_over(&mut self, names: &[&str], message: &str) {
        self.problems.push(FileProblem::minor(self.path, self.line(names), message));
    }

    /// Returns a field as text: a number or a bool is its characters. An empty text counts as missing.
    pub(crate) fn text(&mut self, names: &[&str]) -> Option<String> {
        let field = self.get(names)?;
        let (name, line) = (field.name.clone(), field.line);
        let text = scalar_text(field);
        if text.is_none() {
            let message = format!("{name}: expected a text, and found a list or a table; it is passed over");
            self.problems.push(FileProblem::minor(self.path, line, message));
        }
        let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())?;
        Some(match text.char_indices().nth(MAX_FIELD_CHARS) {
            None => text,
            Some((end, _)) => {
                let message = format!("{name}: longer than {MAX_FIELD_CHARS} characters; the rest is passed over");
                self.problems.push(FileProblem::minor(self.path, line, message));
                text.get(..end).unwrap_or_default().to_owned()
            }
        })
    }

    pub(crate) fn flag(&mut self, names: &[&str]) -> Option<bool> {
        match self.text(names)?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => {
                let message = format!("{}: expected true or false; it is passed over", names.first().unwrap_or(&""));
                self.problems.push(FileProblem::minor(self.path, self.line(names), message));
                None
            }
        }
    }

    /// Returns a time, in milliseconds since 1970. One that cannot be read is passed over.
    pub(crate) fn time(&mut self, names: &[&str]) -> Option<i64> {
        let text = self.text(names)?;
        let time = parse_time(&text);
        if time.is_none() {
            let message = format!("{}: {NO_DATE}. It is passed over", self.name(names));
            self.problems.push(FileProblem::minor(self.path, self.line(names), message));
        }
        time
    }

    /// Returns the time at which a document was created, in milliseconds since 1970. Lists are in this order.
    ///
    /// # Errors
    /// A time that cannot be read: any other in its place would be wrong in every list and count.
    pub(crate) fn creation_time(&self, names: &[&str]) -> Result<Option<i64>, FileProblem> {
        let Some(field) = self.get(names) else { return Ok(None) };
        let text = scalar_text(field);
        match text.as_deref().map(str::trim) {
            Some("") => Ok(None),
            text => text
                .and_then(parse_time)
                .map(Some)
                .ok_or_else(|| FileProblem::hiding(self.path, field.line, format!("{}: {NO_DATE}", field.name))),
        }
    }

    /// Returns a list of names: of a list its texts and numbers, of a text its parts. Each is there once, whatever its case.
    pub(crate) fn list(&mut self, names: &[&str], separator: Separator) -> Option<Vec<String>> {
        let parts = self.items(names, separator)?;
        let (mut list, mut known, mut is_cut) = (Vec::new(), HashSet::new(), false);
        for part in parts {
            if list.len() >= MAX_NAMES || part.chars().count() > MAX_NAME_CHARS {
                is_cut = true;
            } else if known.insert(part.to_lowercase()) {
                list.push(part);
            }
        }
        if is_cut {
            let message = format!(
                "{}: more than {MAX_NAMES} names, or one of more than {MAX_NAME_CHARS} characters; those are passed over",
                self.name(names)
            );
            self.problems.push(FileProblem::minor(self.path, self.line(names), message));
        }
        Some(list)
    }

    /// Returns a list of ids. Each is there once.
    pub(crate) fn ids(&mut self, names: &[&str]) -> Vec<String> {
        let mut known = HashSet::new();
        let mut ids = self.items(names, Separator::Commas).unwrap_or_default();
        ids.retain(|id| id.chars().count() <= MAX_NAME_CHARS && known.insert(id.clone()));
        if ids.len() > MAX_LINKED_POSTS {
            ids.truncate(MAX_LINKED_POSTS);
            let message = format!("{}: more than {MAX_LINKED_POSTS} ids; the rest is passed over", self.name(names));
            self.problems.push(FileProblem::minor(self.path, self.line(names), message));
        }
        ids
    }

    /// Returns the texts and numbers of a list, or the parts of a text.
    fn items(&mut self, names: &[&str], separator: Separator) -> Option<Vec<String>> {
        let field = self.get(names)?;
        let parts: Vec<String> = match serde_json::from_str::<Vec<&RawValue>>(&field.json) {
            Ok(items) => {
                let texts = items.iter().copied().filter_map(item_text).collect();
                if items.iter().any(|item| item.get().starts_with(['[', '{'])) {
                    let message = format!("{}: an item is a list or a table; it is passed over", field.name);
                    self.pass_over(names, &message);
                }
                texts
            }
            Err(_) => {
                let Some(text) = scalar_text(field) else {
                    let message = format!("{}: expected a list, and found a table; it is passed over", field.name);
                    self.pass_over(names, &message);
                    return None;
                };
                match separator {
                    Separator::Commas => text.split(',').map(str::to_owned).collect(),
                    Separator::Spaces => {
                        text.split_whitespace().map(|name| name.trim_end_matches(',').to_owned()).collect()
                    }
                    Separator::Nothing => vec![text],
                }
            }
        };
        let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        Some(parts.map(|part| part.nfc().collect()).collect())
    }

    /// Returns the name of a field as the file spells it.
    fn name(&self, names: &[&str]) -> &str {
        self.get(names).map_or("", |field| &field.name)
    }

    /// Returns a language such as `de` or `pt-br`, in lower case.
    pub(crate) fn language(&mut self, names: &[&str]) -> Option<String> {
        let text = self.text(names)?;
        let language = normalize_language(&text);
        if language.is_none() {
            let message = format!(
                "{}: expected a language, such as de or pt-BR; it is passed over",
                names.first().unwrap_or(&"")
            );
            self.problems.push(FileProblem::minor(self.path, self.line(names), message));
        }
        language
    }
}

/// Returns the name as which a field is found.
fn normalize(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn scalar_text(field: &FrontMatterField) -> Option<String> {
    match &field.text {
        // A quoted text has its escapes resolved in the value.
        Some(text) => Some(match serde_json::from_str(&field.json) {
            Ok(Value::String(value)) => value,
            _ => text.clone(),
        }),
        None => serde_json::from_str(&field.json).ok().as_ref().and_then(value_text),
    }
}

/// Returns an item of a list as text. Numbers keep the characters that they have in the file: `1.10` is a version.
fn item_text(item: &RawValue) -> Option<String> {
    match serde_json::from_str(item.get()).ok()? {
        Value::Number(_) => Some(item.get().to_owned()),
        value => value_text(&value),
    }
}

fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
