//! A card as text: TOML in its file, JSON in answers, and the fingerprint and id that are derived from its content.
//!
//! Owns: the conversion of values that the other format lacks, and the original's hash.
//! Never: touches a file.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::limits::MAX_CARD_BYTES;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::toml_text;

/// Converts a card to JSON. Date-times become strings, numbers that JSON lacks become null.
pub(super) fn card_to_json(table: toml::Table) -> Value {
    Value::Object(table.into_iter().map(|(key, value)| (key, toml_to_json(value))).collect())
}

fn toml_to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(toml_to_json).collect(),
        toml::Value::Table(table) => card_to_json(table),
    }
}

/// Converts JSON to TOML; `None` for null, which TOML lacks. Nested nulls are left out.
pub(super) fn json_to_toml(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => toml::Value::Boolean(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => toml::Value::Integer(number),
            None => toml::Value::Float(number.as_f64()?),
        },
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(items) => toml::Value::Array(items.iter().filter_map(json_to_toml).collect()),
        Value::Object(fields) => toml::Value::Table(
            fields.iter().filter_map(|(key, value)| Some((key.clone(), json_to_toml(value)?))).collect(),
        ),
    })
}

/// Renders the text of a card's file, or returns why the card is refused: every written card must be readable.
pub(super) fn render_card_toml(card: &toml::Table) -> Result<String, String> {
    let text = toml::to_string_pretty(card).map_err(|_| "cannot be written as TOML".to_owned())?;
    if text.len() as u64 > MAX_CARD_BYTES {
        return Err(format!("would have {}, the limit is {}", ByteSize(text.len() as u64), ByteSize(MAX_CARD_BYTES)));
    }
    toml_text::parse(&text).map_err(|error| format!("could not be read again: {}", error.public_message()))?;
    Ok(text)
}

/// Returns the `param_fingerprint` of a run's parameters: 16 hexadecimal digits.
pub(super) fn fingerprint_params(params: &Value) -> String {
    format!("{:016x}", djb2(&to_stable_json(params)))
}

/// Returns `{pkg}_{model_short}_{YYYYMMDDTHHMMSS}_{hash6}`; the hash covers all fields that the card has so far,
/// and the salt.
pub(super) fn generate_card_id(package: &str, card: &Value, now: DateTime<Utc>, salt: &str) -> String {
    let model = shorten_model(card.pointer("/model/id").and_then(Value::as_str).unwrap_or_default());
    let hash = format!("{:016x}", djb2(&(to_stable_json(card) + salt)));
    let short = hash.get(hash.len() - 6..).unwrap_or_default();
    format!("{package}_{model}_{}_{short}", now.format("%Y%m%dT%H%M%S"))
}

/// Shortens a model's id: `claude-opus-4-6` becomes `opus46`.
fn shorten_model(id: &str) -> String {
    /// Leaves enough of a file name's length for the rest of an id.
    const MAX_MODEL_CHARS: usize = 64;
    let rest = id.strip_prefix("claude-").or_else(|| id.strip_prefix("gpt-")).unwrap_or(id);
    let short: String = rest.chars().filter(char::is_ascii_alphanumeric).take(MAX_MODEL_CHARS).collect();
    if short.is_empty() { "model".to_owned() } else { short }
}

pub(super) fn djb2(text: &str) -> u64 {
    text.bytes().fold(5381, |hash: u64, byte| hash.wrapping_mul(33).wrapping_add(byte.into()))
}

/// Renders JSON with sorted keys and, as the original does, without escapes: the text is hashed, not parsed.
fn to_stable_json(value: &Value) -> String {
    let mut text = String::new();
    write_stable_json(value, &mut text);
    text
}

fn write_stable_json(value: &Value, text: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let _ = write!(text, "{value}");
        }
        Value::String(string) => {
            let _ = write!(text, "\"{string}\"");
        }
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                write_stable_json(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (at, (key, value)) in fields.into_iter().enumerate() {
                let _ = write!(text, "{}\"{key}\":", if at > 0 { "," } else { "" });
                write_stable_json(value, text);
            }
            text.push('}');
        }
    }
}
