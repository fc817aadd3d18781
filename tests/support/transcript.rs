//! Conversations as text, for snapshots.

use std::fmt::Write as _;

use serde_json::Value;

use super::StdioClient;

/// Sends requests one after another; returns requests and responses, without values that differ between runs.
pub fn record_transcript(client: &mut StdioClient, requests: &[(&str, Value)]) -> String {
    let mut text = String::new();
    for (method, params) in requests {
        let answer = client.call(method, params.clone());
        writeln!(text, "> {method} {params}\n{}\n", snapshot_message(answer)).unwrap();
    }
    text
}

/// Renders a message for a snapshot: times, sizes and this build's version are replaced, and long texts truncated.
pub fn snapshot_message(mut message: Value) -> String {
    redact(&mut message);
    serde_json::to_string_pretty(&message).unwrap()
}

fn redact(value: &mut Value) {
    const MAX_SNAPSHOT_CHARS: usize = 120;
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), &*field) {
                    ("size", Value::Number(_)) => *field = "<size>".into(),
                    ("lastModified", Value::String(_)) => *field = "<time>".into(),
                    ("version", Value::String(version)) if version == env!("CARGO_PKG_VERSION") => {
                        *field = "<version>".into();
                    }
                    _ => redact(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::String(text) if text.chars().nth(MAX_SNAPSHOT_CHARS).is_some() && text.contains(['\n', '{']) => {
            let shown: String = text.chars().take(MAX_SNAPSHOT_CHARS).collect();
            *text = format!("{shown}…");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
