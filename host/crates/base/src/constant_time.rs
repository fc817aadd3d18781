//! The comparison of secrets.

use std::hint::black_box;

/// Compares texts of a length that is known to everyone, in a time that does not depend on where they differ.
#[must_use]
pub fn is_equal_constant_time(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |differing, (one, other)| black_box(differing | (one ^ other)));
    one.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_as_a_whole_only() {
        assert!(is_equal_constant_time(b"secret", b"secret") && is_equal_constant_time(b"", b""));
        for other in [&b"secreT"[..], b"Secret", b"secre", b"secrets", b""] {
            assert!(!is_equal_constant_time(b"secret", other), "{other:?}");
        }
    }
}
