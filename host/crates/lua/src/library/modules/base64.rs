//! `base64`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mlua::Value;

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, param, returns};

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "base64.encode",
        "Any bytes as base64.",
        &[param("data", Kind::String, "string", "any bytes")],
        &[returns("string", "")],
        |call| {
            let data = call.bytes();
            Ok(call.string(&encoded(&data))?)
        },
    ),
    of(
        "base64.decode",
        "The bytes that a text of base64 stands for.",
        &[param("text", Kind::String, "string", "")],
        &[returns("string", "")],
        decode,
    ),
];

fn decode(call: &mut Call) -> Result<Value, Fault> {
    let bytes = decoded(&call.bytes()).map_err(|message| call.blame(&message))?;
    Ok(Value::String(call.lua.create_string(bytes)?))
}

/// Also what the server sends as bytes.
pub(super) fn decoded(text: &[u8]) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))
}

pub(super) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
