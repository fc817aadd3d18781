//! JSON of checked size and depth.
//!
//! Owns: the type in which JSON passes between crates, and both checks on text from outside.
//! Never: interprets its content.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::byte_size::ByteSize;
use crate::limits::{MAX_JSON_DEPTH, MAX_QUOTED_INPUT_BYTES};

/// A JSON value within the limits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Payload(Value);

#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    #[error("JSON is nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
    #[error("JSON is {} long, the limit is {}", ByteSize(*len as u64), ByteSize(*limit as u64))]
    TooLarge { len: usize, limit: usize },
    /// Only the position: the parser's message may quote the text. The log gets it as the source.
    #[error("not JSON at line {} column {}", .0.line(), .0.column())]
    Malformed(#[from] serde_json::Error),
    /// JSON that does not have the requested type.
    #[error("{0}")]
    WrongType(serde_json::Error),
}

impl Payload {
    /// Wraps a value that is within the limits already.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        Self(value)
    }

    /// Parses text from outside.
    ///
    /// # Errors
    /// When it is too large, too deep, or not JSON.
    pub fn parse(text: &str, max_bytes: usize) -> Result<Self, PayloadError> {
        check_bounds(text, max_bytes)?;
        Ok(Self(serde_json::from_str(text)?))
    }

    /// Turns one of our own types into JSON.
    ///
    /// # Errors
    /// When the type cannot be JSON, such as a map whose keys are not strings.
    pub fn from_typed(value: &impl Serialize) -> Result<Self, PayloadError> {
        Ok(Self(serde_json::to_value(value)?))
    }

    /// Reads this JSON as one of our own types.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn into_typed<T: DeserializeOwned>(self) -> Result<T, PayloadError> {
        serde_json::from_value(self.0).map_err(PayloadError::WrongType)
    }

    #[must_use]
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// Checks that `text` is one JSON value within the limits, without building it.
///
/// # Errors
/// When it is too large, too deep, or not JSON.
pub fn check_json_text(text: &str, max_bytes: usize) -> Result<(), PayloadError> {
    check_bounds(text, max_bytes)?;
    serde_json::from_str::<&RawValue>(text)?;
    Ok(())
}

/// Checks size and depth alone, for text that is parsed afterwards.
///
/// # Errors
/// When it is too large or too deep.
pub fn check_bounds(text: &str, max_bytes: usize) -> Result<(), PayloadError> {
    if text.len() > max_bytes {
        return Err(PayloadError::TooLarge { len: text.len(), limit: max_bytes });
    }
    if json_depth(text.as_bytes()) > MAX_JSON_DEPTH {
        return Err(PayloadError::TooDeep);
    }
    Ok(())
}

/// The deepest nesting of brackets outside strings; exact for well-formed JSON.
#[must_use]
pub fn json_depth(json: &[u8]) -> usize {
    let (mut deepest, mut now, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Client input as errors quote it: escaped, on one line, and truncated.
#[must_use]
pub fn escape_and_truncate(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        let end = shown.len();
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
        if shown.len() > MAX_QUOTED_INPUT_BYTES {
            shown.truncate(end);
            shown.push_str("...");
            break;
        }
    }
    shown
}
