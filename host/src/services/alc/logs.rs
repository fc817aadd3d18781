//! `alc://logs/{session_id}`: a transcript, cut to what was asked for.
//!
//! Owns: which rounds are kept (the newest, in their order), and how one round that is too long is cut.
//! Never: answers with more than `max_chars` Unicode characters, or with anything but valid JSON.

use serde_json::{Map, Value};

use super::Alc;
use crate::limits::MAX_LOG_BYTES;
use crate::services::{Content, ServiceError, mime};
use crate::uri::SessionId;

const ROUNDS: &str = "transcript";

impl Alc {
    pub(super) fn log(
        &self,
        session: &SessionId,
        limit: usize,
        max_chars: usize,
        uri: &str,
    ) -> Result<Content, ServiceError> {
        let name = format!("{session}.json");
        let read = match &self.folders.logs {
            Some(logs) => logs.read_text(&name, MAX_LOG_BYTES),
            None => self.folders.app.read_text(&format!("logs/{name}"), MAX_LOG_BYTES),
        };
        let (text, modified) = read.map_err(|error| ServiceError::reading(uri, error))?;
        let log: Value = serde_json::from_str(&text).map_err(|error| ServiceError::Internal {
            public: format!("Failed to parse log '{session}': {error}"),
            cause: None,
        })?;
        let cut = cut(log, &text, limit, max_chars).map_err(|needed| {
            ServiceError::Invalid(format!("nothing of {uri} fits max_chars={max_chars}: it takes at least {needed}"))
        })?;
        Ok(Content::new(mime::JSON, cut.unwrap_or(text), modified))
    }
}

/// The log as new text, or nothing when the stored text will do. The error is the number of characters it would take.
fn cut(log: Value, stored: &str, limit: usize, max_chars: usize) -> Result<Option<String>, usize> {
    let rounds = log.get(ROUNDS).and_then(Value::as_array).map_or(0, Vec::len);
    if rounds <= limit && fits(stored, max_chars) {
        return Ok(None);
    }
    let compact = log.to_string();
    if rounds <= limit && fits(&compact, max_chars) {
        return Ok(Some(compact));
    }
    match log {
        Value::Object(mut log) => match log.remove(ROUNDS) {
            Some(Value::Array(rounds)) => keep_newest(log, rounds, limit, max_chars).map(Some),
            _ => Err(chars(&compact)),
        },
        _ => Err(chars(&compact)),
    }
}

fn keep_newest(
    mut log: Map<String, Value>,
    mut rounds: Vec<Value>,
    limit: usize,
    max_chars: usize,
) -> Result<String, usize> {
    let original = rounds.len();
    log.insert("truncated".into(), true.into());
    log.insert("original_rounds".into(), original.into());
    let render = |kept: Vec<Value>| {
        let mut log = log.clone();
        log.insert("returned_rounds".into(), kept.len().into());
        log.insert(ROUNDS.into(), kept.into());
        Value::Object(log).to_string()
    };
    // The number of rounds has at most as many digits as this one.
    let frame = chars(&render(Vec::new())) - 1 + original.to_string().len();
    let Some(space) = max_chars.checked_sub(frame) else { return Err(frame) };
    let kept = rounds.split_off(original - fitting(&rounds, limit, space));
    if !kept.is_empty() || limit == 0 || rounds.is_empty() {
        return Ok(render(kept));
    }
    // Not even the newest round fits: its strings are cut.
    let newest = rounds.pop().unwrap_or_default();
    let shortest = shortened(&newest, 0);
    match longest_fitting(&newest, space) {
        Some(cut) => Ok(render(vec![cut])),
        None => Err(frame + chars(&shortest.to_string())),
    }
}

/// How many of the newest rounds fit, commas included.
fn fitting(rounds: &[Value], limit: usize, space: usize) -> usize {
    let mut left = space + 1;
    let newest_first = rounds.iter().rev().take(limit);
    newest_first
        .take_while(|round| match left.checked_sub(chars(&round.to_string()) + 1) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count()
}

/// The round with its strings cut as little as it takes to fit.
fn longest_fitting(round: &Value, space: usize) -> Option<Value> {
    let fits_with = |keep: usize| Some(shortened(round, keep)).filter(|cut| fits(&cut.to_string(), space));
    let (mut fitting, mut best) = (0, fits_with(0)?);
    let mut too_long = space;
    while too_long - fitting > 1 {
        let middle = fitting + (too_long - fitting) / 2;
        match fits_with(middle) {
            Some(cut) => (fitting, best) = (middle, cut),
            None => too_long = middle,
        }
    }
    Some(best)
}

/// A value with every string cut to `keep` characters and marked with how many are gone.
fn shortened(value: &Value, keep: usize) -> Value {
    match value {
        Value::String(text) => {
            let len = text.chars().count();
            if len <= keep {
                return value.clone();
            }
            let kept: String = text.chars().take(keep).collect();
            let marked = format!("{kept}… [{} characters cut]", len - keep);
            // A short string is not made longer by its mark.
            if marked.chars().count() < len { Value::String(marked) } else { value.clone() }
        }
        Value::Array(items) => items.iter().map(|item| shortened(item, keep)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, item)| (key.clone(), shortened(item, keep))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A text of so few bytes has no more characters either.
fn fits(text: &str, max_chars: usize) -> bool {
    text.len() <= max_chars || chars(text) <= max_chars
}
