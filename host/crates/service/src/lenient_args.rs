//! Arguments that clients send in more than one form.

use serde::{Deserialize as _, Deserializer};
use serde_json::{Map, Value};

use crate::limits::MAX_LENIENT_ARGUMENT_BYTES;
use wardroom_base::payload::Payload;

/// Accepts an object or its JSON text: some clients send every free-form argument as a string.
///
/// # Errors
/// For anything else.
pub fn deserialize_object<'de, D: Deserializer<'de>>(argument: D) -> Result<Option<Map<String, Value>>, D::Error> {
    let other = || serde::de::Error::custom("expected an object");
    match Value::deserialize(argument)? {
        Value::Null => Ok(None),
        Value::Object(object) => Ok(Some(object)),
        Value::String(text) => match Payload::parse(&text, MAX_LENIENT_ARGUMENT_BYTES).map(Payload::into_value) {
            Ok(Value::Object(object)) => Ok(Some(object)),
            Ok(Value::Null) => Ok(None),
            Ok(_) | Err(_) => Err(other()),
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(other()),
    }
}
