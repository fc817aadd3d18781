//! Hexadecimal encoding, for digests and unguessable names.

/// Encodes each byte as two digits.
pub fn encode_hex<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}
