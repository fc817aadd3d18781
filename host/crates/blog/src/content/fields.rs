//! The fields of a front matter, in every spelling that programs write.
//!
//! Owns: which names are the same field, and how a value that has another type than expected is read.
//! Never: knows which fields a document has.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::problem::FileProblem;
use super::time::parse_time;
use crate::limits::{MAX_FIELD_CHARS, MAX_NAME_CHARS, MAX_NAMES};
use wardroom_sandbox::FrontMatterField;

/// The fields of one file, by their name without case and `_` or `-`: `createdAt` is `created_at`.
pub(crate) struct Fields<'p> {
    path: &'p str,
    by_name: BTreeMap<String, FrontMatterField>,
    pub(crate) problems: Vec<FileProblem>,
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

    /// Returns a time, in milliseconds since 1970.
    pub(crate) fn time(&mut self, names: &[&str]) -> Option<i64> {
        let text = self.text(names)?;
        let time = parse_time(&text);
        if time.is_none() {
            let name = self.get(names).map(|field| field.name.clone()).unwrap_or_default();
            let message = format!("{name}: not a date; write it as 2024-03-09T10:30:00.000Z. It is passed over");
            self.problems.push(FileProblem::minor(self.path, self.line(names), message));
        }
        time
    }

    /// Returns a list of names: of a list its texts and numbers, of a text its parts between commas, or between spaces too.
    /// Each is there once, whatever its case.
    pub(crate) fn list(&mut self, names: &[&str], has_spaces: bool) -> Option<Vec<String>> {
        let field = self.get(names)?;
        let (name, line) = (field.name.clone(), field.line);
        let parts: Vec<String> = match serde_json::from_str(&field.json) {
            Ok(Value::Array(items)) => items.iter().filter_map(value_text).collect(),
            _ => {
                let separators: &[char] = if has_spaces { &[',', ' '] } else { &[','] };
                scalar_text(field)?.split(separators).map(str::to_owned).collect()
            }
        };
        let (mut list, mut known, mut is_cut) = (Vec::new(), HashSet::new(), false);
        for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
            if list.len() >= MAX_NAMES || part.chars().count() > MAX_NAME_CHARS {
                is_cut = true;
            } else if known.insert(part.to_lowercase()) {
                list.push(part.to_owned());
            }
        }
        if is_cut {
            let message = format!(
                "{name}: more than {MAX_NAMES} names, or one of more than {MAX_NAME_CHARS} characters; those are passed over"
            );
            self.problems.push(FileProblem::minor(self.path, line, message));
        }
        Some(list)
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

/// Returns a language in lower case with hyphens, if a text is one.
pub(crate) fn normalize_language(text: &str) -> Option<String> {
    let language = text.trim().to_lowercase().replace('_', "-");
    let mut parts = language.split('-');
    let is_first = |part: &str| matches!(part.len(), 2..=3) && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_other = |part: &str| matches!(part.len(), 2..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language = parts.next().is_some_and(is_first) && parts.all(is_other) && language.len() <= 20;
    is_language.then_some(language)
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

fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
