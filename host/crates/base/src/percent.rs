//! Percent-encoding, for addresses.
//!
//! Never: passes over a `%` without two hexadecimal digits.

use std::fmt::Write as _;

/// Encodes every byte that RFC 3986 does not call unreserved.
#[must_use]
pub fn percent_encode(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            encoded.push(char::from(*byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Decodes bytes; `None` if a `%` has no two hexadecimal digits.
#[must_use]
pub fn percent_decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let ([high, low], after) = after.split_first_chunk::<2>()?;
            let digit = |byte: u8| char::from(byte).to_digit(16);
            bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    Some(bytes)
}

/// Decodes a text; `None` if the bytes are not UTF-8 as well.
#[must_use]
pub fn percent_decode_text(encoded: &str) -> Option<String> {
    String::from_utf8(percent_decode(encoded.as_bytes())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_and_decoded() {
        for (text, encoded) in [("", ""), ("a-b._~9", "a-b._~9"), ("ü /%+", "%C3%BC%20%2F%25%2B")] {
            assert_eq!(percent_encode(text.as_bytes()), encoded);
            assert_eq!(percent_decode_text(encoded).as_deref(), Some(text));
        }
        assert_eq!(percent_decode_text("a+ü%c3%bc"), Some("a+üü".to_owned()));
        for wrong in ["%", "%2", "%2g", "%+f", "a%%20", "%ü"] {
            assert_eq!(percent_decode(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(percent_decode_text("%ff"), None);
    }
}
