//! What `alc.state` takes: the names of namespaces, keys, and values as they are written.
//!
//! Owns: those rules, for the process in which a script runs and for the server alike: a script is told where it is wrong,
//! and the server believes nobody.
//! Never: knows what is stored.

use serde_json::Value;
use wardroom_rules::id;

use crate::limits::{MAX_JSON_DEPTH, MAX_STATE_KEY_BYTES, MAX_STATE_VALUE_BYTES};
use crate::payload::{escape_and_truncate, json_depth};

/// As the original refuses them, and by the rules of ids: it becomes the name of a file.
///
/// # Errors
/// The original's sentence, and after it which character is the trouble.
pub fn check_namespace(name: &str) -> Result<(), String> {
    let invalid = |why: &str| format!("Invalid namespace: '{}'{why}", escape_and_truncate(name));
    if name.is_empty() || name.contains("..") || name.contains(['/', '\\', '\0']) {
        return Err(invalid(""));
    }
    id::check_alphabet(name).map_err(|error| invalid(&format!(" ({error})")))
}

/// # Errors
/// When it is too long.
pub fn check_key(key: &str) -> Result<(), String> {
    if key.len() <= MAX_STATE_KEY_BYTES {
        return Ok(());
    }
    Err(format!(
        "a state key has {} bytes, the limit is {MAX_STATE_KEY_BYTES}: {}",
        key.len(),
        escape_and_truncate(key)
    ))
}

/// A value as it stands in the file, one level in. No string of JSON holds a line end.
///
/// # Errors
/// When it is too long or nested too deep.
pub fn encode_value(key: &str, value: &Value) -> Result<String, String> {
    let refused = |why: String| format!("the value of state key '{}' {why}", escape_and_truncate(key));
    let text = format!("{value:#}").replace('\n', "\n  ");
    if text.len() > MAX_STATE_VALUE_BYTES {
        return Err(refused(format!("has {} bytes as JSON, the limit is {MAX_STATE_VALUE_BYTES}", text.len())));
    }
    // The namespace around it is a level of its own.
    if json_depth(text.as_bytes()) >= MAX_JSON_DEPTH {
        return Err(refused(format!("is nested deeper than {}", MAX_JSON_DEPTH - 1)));
    }
    Ok(text)
}
