//! Stored JSON documents of our own types: reading small ones, and writing them with their fields in order.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::payload::Payload;
use wardroom_service::ServiceError;

/// Returns the value at a JSON pointer, or null if there is none.
pub(super) fn value_at<'a>(document: &'a Value, pointer: &str) -> &'a Value {
    document.pointer(pointer).unwrap_or(&Value::Null)
}

/// Reads a small file that holds a JSON object.
pub(super) fn read_json_object(folder: &Folder, name: &str, limit: u64) -> Result<Map<String, Value>, AppDirError> {
    let (text, _) = folder.read_text(name, limit)?;
    match Payload::parse(&text, text.len()).map(Payload::into_value) {
        Ok(Value::Object(object)) => Ok(object),
        _ => {
            let source = io::Error::new(io::ErrorKind::InvalidData, "not a JSON object");
            Err(AppDirError::Io { name: name.to_owned(), source })
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum JsonStyle {
    Pretty,
    Compact,
}

/// Serializes a value of our own types, its fields in their order.
pub(super) fn to_json(value: &impl Serialize, form: JsonStyle) -> Result<String, ServiceError> {
    let text = match form {
        JsonStyle::Pretty => serde_json::to_string_pretty(value),
        JsonStyle::Compact => serde_json::to_string(value),
    };
    text.map_err(|error| ServiceError::internal("cannot encode a record as JSON", error))
}
