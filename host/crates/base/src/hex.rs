//! Bytes in hexadecimal digits, for digests and for names that nobody may guess.

/// Two digits for each byte.
pub fn encode_hex<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}
