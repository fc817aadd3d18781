//! Hexadecimal encoding, for digests and unguessable names.

/// Encodes each byte as two digits.
pub fn encode_hex<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> String {
    let digits = bytes.into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// Decodes as many bytes from twice as many digits.
#[must_use]
pub fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| pair.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_and_decoded() {
        let bytes = [0, 1, 0xab, 0xff];
        assert_eq!(encode_hex(&bytes), "0001abff");
        assert_eq!(decode_hex("0001abff"), Some(bytes));
        for text in ["0001abf", "0001abfg", "0001abff00", ""] {
            assert_eq!(decode_hex::<4>(text), None, "{text}");
        }
    }
}
