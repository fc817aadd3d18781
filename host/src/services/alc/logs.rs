//! `alc://logs/{session_id}`: a transcript, cut to what was asked for.
//!
//! Owns: which rounds are kept (the newest, in their order), and how one round that is too long is cut.
//! Never: answers with more than `max_chars` Unicode characters, or with anything but valid JSON.

use serde_json::{Map, Value};

use super::{Alc, Ask};
use crate::limits::MAX_LOG_BYTES;
use crate::payload::Payload;
use crate::services::{Content, ServiceError, mime};
use crate::uri::SessionId;

const ROUNDS: &str = "transcript";

impl Alc {
    pub(super) fn log(
        &self,
        session: &SessionId,
        limit: usize,
        max_chars: usize,
        ask: &Ask,
    ) -> Result<Content, ServiceError> {
        let uri = ask.uri;
        ask.context.needs_full()?;
        let name = format!("{session}.json");
        let read = match &self.folders.logs {
            Some(logs) => logs.read_text(&name, MAX_LOG_BYTES),
            None => self.folders.app.read_text(&format!("logs/{name}"), MAX_LOG_BYTES),
        };
        let (text, modified) = read.map_err(|error| ServiceError::reading(uri, error))?;
        let log = Payload::parse(&text, text.len()).map_err(|error| ServiceError::Internal {
            public: format!("Failed to parse log '{session}': {error}"),
            cause: None,
        })?;
        let cut = cut(log.into_value(), &text, limit, max_chars).map_err(|needed| {
            ServiceError::Invalid(format!("nothing of {uri} fits max_chars={max_chars}: it takes at least {needed}"))
        })?;
        Ok(Content::new(mime::JSON, cut.unwrap_or(text), modified))
    }
}

/// The log as new text, or nothing when the stored text will do. The error is the number of characters it would take.
fn cut(log: Value, stored: &str, limit: usize, max_chars: usize) -> Result<Option<String>, usize> {
    let rounds = log.get(ROUNDS).and_then(Value::as_array).map_or(0, Vec::len);
    let mut whole = usize::MAX;
    if rounds <= limit {
        if fits(stored, max_chars) {
            return Ok(None);
        }
        let compact = log.to_string();
        if fits(&compact, max_chars) {
            return Ok(Some(compact));
        }
        whole = chars(stored).min(chars(&compact));
    }
    let Value::Object(mut log) = log else { return Err(whole) };
    match log.remove(ROUNDS) {
        Some(Value::Array(rounds)) => {
            keep_newest(log, rounds, limit, max_chars).map(Some).map_err(|needed| needed.min(whole))
        }
        _ => Err(whole),
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
    let empty = render(Vec::new());
    // All but the rounds and the digits of their number.
    let frame = chars(&empty) - 1;
    let fitting = fitting(&rounds, limit, max_chars.saturating_sub(frame));
    if fitting > 0 {
        return Ok(render(rounds.split_off(original - fitting)));
    }
    let Some(newest) = rounds.pop().filter(|_| limit > 0) else {
        return if fits(&empty, max_chars) { Ok(empty) } else { Err(chars(&empty)) };
    };
    // Not even the newest round fits: its strings are cut.
    match longest_fitting(&newest, max_chars.saturating_sub(frame + 1)) {
        Some(cut) => Ok(render(vec![cut])),
        None => Err(frame + 1 + chars(&shortened(&newest, 0).to_string())),
    }
}

/// How many of the newest rounds fit, with the commas between them and the digits of their number.
fn fitting(rounds: &[Value], limit: usize, space: usize) -> usize {
    let (mut fitting, mut used) = (0, 0);
    for round in rounds.iter().rev().take(limit) {
        used += chars(&round.to_string()) + usize::from(fitting > 0);
        if used + (fitting + 1).to_string().len() > space {
            break;
        }
        fitting += 1;
    }
    fitting
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
