//! `base64`: encoding and decoding with the standard alphabet.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mlua::Value;

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, param, returns};

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "base64.encode",
        "Encodes bytes as base64.",
        &[param("data", ParamKind::String, "string", "any bytes")],
        &[returns("string", "")],
        |call| {
            let data = call.next_bytes();
            Ok(call.create_string(&encode_base64(&data))?)
        },
    ),
    module_function(
        "base64.decode",
        "Decodes a text of base64.",
        &[param("text", ParamKind::String, "string", "")],
        &[returns("string", "")],
        decode,
    ),
];

fn decode(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let bytes = decode_base64(&call.next_bytes()).map_err(|message| call.format_error(&message))?;
    Ok(Value::String(call.lua.create_string(bytes)?))
}

/// Decodes base64, also in answers of the server that carry bytes.
pub(super) fn decode_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))
}

pub(super) fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
