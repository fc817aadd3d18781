//! Encoding of messages to clients.
//!
//! Owns: how the structured value of a result is written from the text that the result has of it anyway, so that a
//! large value is never built.
//! Never: changes another part of a message.

use std::io;
use std::sync::OnceLock;

use rmcp::model::{CallToolResult, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

use wardroom_base::hex::encode_hex;
use wardroom_base::random;

/// Returns the mark of a structured value as which the encoder writes the text of the first block of content. The mark is
/// random, so that no client can send it. `None` where the system gives no random bytes.
fn first_text_mark() -> Option<&'static str> {
    static MARK: OnceLock<Option<String>> = OnceLock::new();
    let name = MARK.get_or_init(|| {
        let mut bytes = [0; 16];
        random::fill(&mut bytes).ok()?;
        Some(format!("the first text {}", encode_hex(&bytes)))
    });
    name.as_deref()
}

/// Makes the text of the first block, which is JSON, the structured value of a result.
pub(crate) fn structure_first_text(result: &mut CallToolResult) {
    let text = result.content.first().and_then(|block| block.as_text());
    result.structured_content = match first_text_mark() {
        Some(mark) => Some(mark.into()),
        None => text.and_then(|text| serde_json::from_str(&text.text).ok()),
    };
}

/// Builds the structured value of a result that is not encoded as a message.
pub(crate) fn build_structured_value(result: &mut CallToolResult) {
    if is_mark(result.structured_content.as_ref()) {
        let text = result.content.first().and_then(|block| block.as_text());
        result.structured_content = text.and_then(|text| serde_json::from_str(&text.text).ok());
    }
}

/// Whether the first text of a result is its structured value.
pub(crate) fn is_structured_from_text(result: &CallToolResult) -> bool {
    is_mark(result.structured_content.as_ref())
}

fn is_mark(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::String(name)) if Some(name.as_str()) == first_text_mark())
}

/// Appends a message. If it cannot be encoded, `out` is unchanged.
pub(crate) fn append_message(out: &mut Vec<u8>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let start = out.len();
    let text = first_text(message);
    // The text is there twice: as content, and as the structured value. A vector that grows by itself is copied.
    out.reserve(text.map_or(0, |text| 2 * text.len()));
    if let Err(error) = serde_json::to_writer(&mut *out, message) {
        out.truncate(start);
        return Err(error.into());
    }
    let Some((text, mark)) = text.zip(first_text_mark()) else { return Ok(()) };
    let quoted = format!("\"{mark}\"");
    let Some(at) = memchr::memmem::rfind(out.get(start..).unwrap_or_default(), quoted.as_bytes()) else {
        return Ok(());
    };
    let at = start + at;
    let tail = out.split_off(at + quoted.len());
    out.truncate(at);
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(&tail);
    Ok(())
}

/// Returns the text that is also the structured value of a result.
fn first_text(message: &ServerJsonRpcMessage) -> Option<&str> {
    let ServerJsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &response.result else { return None };
    let text = result.content.first()?.as_text()?;
    is_mark(result.structured_content.as_ref()).then_some(text.text.as_str())
}
