//! The rules of `alc.state`: names of namespaces, keys, and encoded values.
//!
//! Owns: these rules, for the worker and the server alike. The worker reports an error at its line of the script; the
//! server trusts no worker and checks again.
//! Never: knows the stored values.

use serde_json::Value;
use wardroom_rules::id;

use crate::byte_size::ByteSize;
use crate::limits::{MAX_JSON_DEPTH, MAX_STATE_KEY_BYTES, MAX_STATE_VALUE_BYTES};
use crate::payload::{escape_and_truncate, json_depth};

/// Checks a namespace by the rules of the original, and by those of ids, since it becomes a file name.
///
/// # Errors
/// The original's sentence, followed by the offending character.
pub fn check_namespace(name: &str) -> Result<(), String> {
    let invalid = |why: &str| format!("Invalid namespace: '{}'{why}", escape_and_truncate(name));
    if name.is_empty() || name.contains("..") || name.contains(['/', '\\', '\0']) {
        return Err(invalid(""));
    }
    id::check_alphabet(name).map_err(|error| invalid(&format!(" ({error})")))
}

/// Checks the length of a key.
///
/// # Errors
/// When it is too long.
pub fn check_key(key: &str) -> Result<(), String> {
    if key.len() <= MAX_STATE_KEY_BYTES {
        return Ok(());
    }
    Err(format!(
        "a state key is {} long, the limit is {}: {}",
        ByteSize(key.len() as u64),
        ByteSize(MAX_STATE_KEY_BYTES as u64),
        escape_and_truncate(key)
    ))
}

/// Encodes a value as its file stores it, indented by one level. JSON strings contain no line ends.
///
/// # Errors
/// When it is too long or nested too deep.
pub fn encode_value(key: &str, value: &Value) -> Result<String, String> {
    let refused = |why: String| format!("the value of state key '{}' {why}", escape_and_truncate(key));
    let is_nested = matches!(value, Value::Array(_) | Value::Object(_));
    let text = if is_nested { format!("{value:#}").replace('\n', "\n  ") } else { value.to_string() };
    if text.len() > MAX_STATE_VALUE_BYTES {
        let (len, limit) = (ByteSize(text.len() as u64), ByteSize(MAX_STATE_VALUE_BYTES as u64));
        return Err(refused(format!("is {len} long as JSON, the limit is {limit}")));
    }
    // The enclosing namespace is a level, too.
    if is_nested && json_depth(text.as_bytes()) >= MAX_JSON_DEPTH {
        return Err(refused(format!("is nested deeper than {} levels", MAX_JSON_DEPTH - 1)));
    }
    Ok(text)
}
