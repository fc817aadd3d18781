//! JSON of checked size and depth.
//!
//! Owns: the type in which JSON passes between crates, as text where nothing on the way has to read it, and the checks
//! on text from outside.
//! Never: interprets its content.

use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::baseline_search::find_either;
use crate::byte_size::ByteSize;
use crate::json_scan::{self, CanonicalDigest};
use crate::limits::{MAX_JSON_DEPTH, MAX_QUOTED_INPUT_BYTES};

/// A JSON value within the limits.
///
/// A payload that was received is text until something needs its value: a value takes up to a hundred times the memory
/// of its text.
#[derive(Debug, Clone)]
pub struct Payload(Form);

#[derive(Debug, Clone)]
enum Form {
    Value(Value),
    /// Checked text, and the bytes that its value would take.
    Text {
        text: Box<RawValue>,
        value_bytes: usize,
    },
}

/// What a field takes in a value beside its texts, at most.
const FIELD_BYTES: usize = 1024;

/// A payload in the form in which it is held.
pub enum PayloadView<'p> {
    Value(&'p Value),
    Text(&'p str),
}

#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    #[error("JSON is nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
    #[error("JSON is {} long, the limit is {}", ByteSize(*len as u64), ByteSize(*limit as u64))]
    TooLarge { len: usize, limit: usize },
    /// Only the position: the parser's message may quote the text. The log gets it as the source.
    #[error("not JSON at line {} column {}", .0.line(), .0.column())]
    Malformed(#[from] serde_json::Error),
    /// JSON that does not have the requested type. Its author knows it by its fields, not by its position.
    #[error("{}", without_position(.0))]
    WrongType(serde_json::Error),
}

impl Payload {
    /// Wraps a value that is within the limits already.
    #[must_use]
    pub const fn from_value(value: Value) -> Self {
        Self(Form::Value(value))
    }

    /// Parses text from outside.
    ///
    /// # Errors
    /// When it is too large, too deep, or not JSON.
    pub fn parse(text: &str, max_bytes: usize) -> Result<Self, PayloadError> {
        check_bounds(text, max_bytes)?;
        Ok(Self(Form::Value(serde_json::from_str(text)?)))
    }

    /// Keeps text from outside as text, on one line.
    ///
    /// # Errors
    /// When it is too deep, or no JSON that can become a value, such as a string with half a character.
    pub fn from_text(text: Box<RawValue>) -> Result<Self, PayloadError> {
        let value_bytes = json_scan::value_bytes(text.get())?;
        Ok(Self(Form::Text { text: on_one_line(text)?, value_bytes }))
    }

    /// Keeps text from outside as text, if it has at most `max_bytes`.
    ///
    /// # Errors
    /// As [`Self::from_text`], and when it is too large.
    pub fn parse_text(text: &str, max_bytes: usize) -> Result<Self, PayloadError> {
        check_bounds(text, max_bytes)?;
        Self::from_text(RawValue::from_string(text.to_owned())?)
    }

    /// Keeps text that this process wrote. The payload counts no memory for its value, because this process never builds that value.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn from_own_text(text: String) -> Result<Self, PayloadError> {
        Ok(Self(Form::Text { text: RawValue::from_string(text)?, value_bytes: 0 }))
    }

    /// Turns one of our own types into JSON.
    ///
    /// # Errors
    /// When the type cannot be JSON, such as a map whose keys are not strings.
    pub fn from_typed(value: &impl Serialize) -> Result<Self, PayloadError> {
        Ok(Self(Form::Value(serde_json::to_value(value)?)))
    }

    /// Turns one of our own types, which may hold other payloads, into the text of JSON.
    ///
    /// # Errors
    /// As [`Self::from_typed`], and when it is too deep.
    pub fn text_of(value: &impl Serialize) -> Result<Self, PayloadError> {
        Self::from_text(serde_json::value::to_raw_value(value)?)
    }

    /// Reads this JSON as one of our own types.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn into_typed<T: DeserializeOwned>(self) -> Result<T, PayloadError> {
        match self.0 {
            Form::Value(value) => serde_json::from_value(value).map_err(PayloadError::WrongType),
            Form::Text { text, .. } => serde_json::from_str(text.get()).map_err(PayloadError::WrongType),
        }
    }

    /// Reads this JSON as one of our own types, and keeps the payload.
    ///
    /// # Errors
    /// As [`Self::into_typed`].
    pub fn to_typed<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        match &self.0 {
            Form::Value(value) => T::deserialize(value).map_err(PayloadError::WrongType),
            Form::Text { text, .. } => serde_json::from_str(text.get()).map_err(PayloadError::WrongType),
        }
    }

    #[must_use]
    pub fn into_value(self) -> Value {
        match self.0 {
            Form::Value(value) => value,
            Form::Text { text, .. } => {
                let value = serde_json::from_str(text.get());
                debug_assert!(value.is_ok(), "the text was checked");
                value.unwrap_or_default()
            }
        }
    }

    /// Builds the value, and keeps the payload.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.0 {
            Form::Value(value) => value.clone(),
            Form::Text { text, .. } => serde_json::from_str(text.get()).unwrap_or_default(),
        }
    }

    /// Returns this object with one more field, which takes the place of one with the same name.
    #[must_use]
    pub fn with_field(self, name: &str, field: Value) -> Self {
        match self.0 {
            Form::Value(Value::Object(mut fields)) => {
                fields.insert(name.to_owned(), field);
                Self::from_value(fields.into())
            }
            Form::Value(value) => Self::from_value(value),
            Form::Text { text, value_bytes } => {
                let added = format!("{}:{field}}}", Value::from(name));
                let body = text.get().trim_end().strip_suffix('}').unwrap_or_default();
                let comma = if body.trim_end().ends_with('{') { "" } else { "," };
                // Of two fields with one name every reader takes the last.
                match RawValue::from_string([body, comma, &added].concat()) {
                    Ok(longer) => {
                        let value_bytes = value_bytes + longer.get().len() - text.get().len() + FIELD_BYTES;
                        Self(Form::Text { text: longer, value_bytes })
                    }
                    Err(_) => Self(Form::Text { text, value_bytes }),
                }
            }
        }
    }

    /// Returns the text of this JSON.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.0 {
            Form::Value(value) => value.to_string(),
            Form::Text { text, .. } => Box::<str>::from(text).into_string(),
        }
    }

    /// Returns the memory that [`Self::into_value`] takes beside the text: none for what is a value already.
    #[must_use]
    pub const fn value_bytes(&self) -> usize {
        match self.0 {
            Form::Value(_) => 0,
            Form::Text { value_bytes, .. } => value_bytes,
        }
    }

    /// Returns the length of the text; 0 for what is a value already.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        match &self.0 {
            Form::Value(_) => 0,
            Form::Text { text, .. } => text.get().len(),
        }
    }

    /// Returns a field of an object, without building the others.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Self> {
        match &self.0 {
            Form::Value(value) => value.get(name).cloned().map(Self::from_value),
            Form::Text { text, .. } => {
                let field = json_scan::field(text.get(), name)?.to_owned();
                Self::from_text(field).ok()
            }
        }
    }

    /// Returns this JSON in the form in which it is held.
    #[must_use]
    pub fn view(&self) -> PayloadView<'_> {
        match &self.0 {
            Form::Value(value) => PayloadView::Value(value),
            Form::Text { text, .. } => PayloadView::Text(text.get()),
        }
    }

    #[must_use]
    pub fn is_list(&self) -> bool {
        match &self.0 {
            Form::Value(value) => value.is_array(),
            Form::Text { text, .. } => text.get().trim_start().starts_with('['),
        }
    }

    #[must_use]
    pub fn is_object(&self) -> bool {
        match &self.0 {
            Form::Value(value) => value.is_object(),
            Form::Text { text, .. } => text.get().trim_start().starts_with('{'),
        }
    }

    /// Returns a digest that does not depend on the order of keys, the blanks and the escapes of the text.
    #[must_use]
    pub fn canonical_digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        match &self.0 {
            Form::Value(value) => CanonicalDigest::add(value, &mut digest),
            Form::Text { text, .. } => {
                let mut parser = serde_json::Deserializer::from_str(text.get());
                CanonicalDigest::add(&mut parser, &mut digest);
            }
        }
        digest.finalize().into()
    }
}

impl Default for Payload {
    fn default() -> Self {
        Self(Form::Value(Value::Null))
    }
}

impl From<Value> for Payload {
    fn from(value: Value) -> Self {
        Self::from_value(value)
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Value(one), Form::Value(other)) => one == other,
            _ => self.clone().into_value() == other.clone().into_value(),
        }
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Value(value) => value.fmt(f),
            Form::Text { text, .. } => text.fmt(f),
        }
    }
}

/// Into JSON only, as which the text is copied unread.
impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Value(value) => value.serialize(serializer),
            Form::Text { text, .. } => text.serialize(serializer),
        }
    }
}

/// From JSON only, of which the text is kept.
impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_text(Box::<RawValue>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Replaces line breaks, which are blanks between the tokens of JSON: the text becomes a part of messages and of files whose
/// lines have a meaning.
fn on_one_line(text: Box<RawValue>) -> Result<Box<RawValue>, serde_json::Error> {
    if find_either(b'\n', b'\r', text.get().as_bytes()).is_none() {
        return Ok(text);
    }
    RawValue::from_string(text.get().replace(['\n', '\r'], " "))
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

/// What the keys begin with to which `serde_json` gives a meaning of its own: where it builds a value, it parses the text
/// behind such a key once more, as deep and as large as that is.
pub(crate) const RESERVED_KEY_START: &str = "$serde_json::private::";

/// Whether a string, from after its quotation mark on, begins as a reserved key, in any spelling.
fn begins_reserved(json: &[u8]) -> bool {
    let mut rest = json;
    for expected in RESERVED_KEY_START.bytes() {
        rest = match rest {
            [byte, rest @ ..] if *byte == expected => rest,
            [b'\\', b'u', digits @ ..] => {
                let code = digits.get(..4).and_then(|code| std::str::from_utf8(code).ok());
                if code.and_then(|code| u32::from_str_radix(code, 16).ok()) != Some(u32::from(expected)) {
                    return false;
                }
                digits.get(4..).unwrap_or_default()
            }
            _ => return false,
        };
    }
    true
}

/// Whether a document has a key that begins as one of `serde_json`'s own: building its value could take any stack and
/// memory.
#[must_use]
pub fn has_reserved_text(json: &[u8]) -> bool {
    find_either(b'$', b'\\', json).is_some() && json_depth(json) == usize::MAX
}

/// The deepest nesting of brackets outside strings; exact for well-formed JSON. A document with a key that begins as one of
/// `serde_json`'s own counts as infinitely deep.
#[must_use]
pub fn json_depth(json: &[u8]) -> usize {
    let (mut deepest, mut now, mut rest) = (0usize, 0usize, json);
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'"' => {
                let Some(end) = string_end(rest) else { break };
                let (text, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                let may_be_reserved = matches!(text, [b'$' | b'\\', ..]);
                if may_be_reserved && begins_reserved(text) && rest.trim_ascii_start().starts_with(b":") {
                    return usize::MAX;
                }
            }
            b'[' | b'{' => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns where a string ends, given what follows its first quotation mark.
fn string_end(json: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += find_either(b'"', b'\\', json.get(at..)?)?;
        if json.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Parses a file of the `AppDir`, which anybody may have changed.
///
/// # Errors
/// When it is not JSON of this type, or too deep.
pub fn parse_stored<T: DeserializeOwned>(json: &[u8]) -> Result<T, PayloadError> {
    if has_reserved_text(json) {
        return Err(PayloadError::TooDeep);
    }
    Ok(serde_json::from_slice(json)?)
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

/// The parser's message, which ends with a position where it parsed text.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).map_or_else(|| message.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_text(text: &str) -> Result<Payload, PayloadError> {
        Payload::from_text(RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn nesting_is_limited_and_brackets_in_strings_do_not_count() {
        let nested = |levels: usize| [r#"{"a":["#.repeat(levels / 2), "]}".repeat(levels / 2)].concat();
        assert!(from_text(&nested(MAX_JSON_DEPTH)).is_ok());
        assert!(matches!(from_text(&nested(MAX_JSON_DEPTH + 2)), Err(PayloadError::TooDeep)));
        assert_eq!(json_depth(nested(MAX_JSON_DEPTH + 2).as_bytes()), MAX_JSON_DEPTH + 2);
        let text = format!(r#"["{0}", "\"{0}", "\\", []]"#, "[".repeat(200));
        assert_eq!(json_depth(text.as_bytes()), 2);
        assert!(from_text(&text).is_ok());
        assert_eq!(json_depth(br#"["[[[[ \"#), 1);
    }

    #[test]
    fn kept_text_has_one_line() {
        let kept = from_text("{\n  \"a\":\r\n [1,\n2], \"b\": \"x\\ny\"}").unwrap();
        assert!(!kept.to_string().contains(['\n', '\r']), "{kept}");
        assert_eq!(kept.into_value(), serde_json::json!({"a": [1, 2], "b": "x\ny"}));
    }

    #[test]
    fn reserved_key_is_refused_in_every_spelling_and_other_text_is_not() {
        for key in
            [r"$serde_json::private::RawValue", r"\u0024serde_json::private::Number", r"$serde_json::privat\u0065::x"]
        {
            assert!(from_text(&format!(r#"{{"{key}": "1"}}"#)).is_err(), "{key}");
            assert!(from_text(&format!("{{\"{key}\" \t: 1}}")).is_err(), "{key}");
            assert!(from_text(&format!(r#"["{key}", {{"a": "{key}"}}]"#)).is_ok(), "{key}");
        }
    }
}
