//! Sizes in bytes, as messages show them to people.

use std::fmt;

/// A number of bytes. It is displayed in the largest unit that is not larger: `512 bytes`, `1 MiB`, `2.1 MiB`.
///
/// A number that is no multiple of its unit is rounded up to a tenth, so that a size above a limit of whole units is
/// also displayed as larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        let units = [(1_u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units.into_iter().find(|(unit, _)| bytes >= *unit) {
            Some((unit, name)) if bytes.is_multiple_of(unit) => write!(f, "{} {name}", bytes / unit),
            Some((unit, name)) => {
                let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(unit));
                write!(f, "{}.{} {name}", tenths / 10, tenths % 10)
            }
            None if bytes == 1 => f.write_str("1 byte"),
            None => write!(f, "{bytes} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSize;

    #[test]
    fn byte_size_is_exact_or_rounded_up() {
        let cases = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1025, "1.1 KiB"),
            (64 * 1024, "64 KiB"),
            (1024 * 1024 - 1, "1024.0 KiB"),
            (1024 * 1024, "1 MiB"),
            (1024 * 1024 + 1, "1.1 MiB"),
            (2 * 1024 * 1024, "2 MiB"),
            (8 << 30, "8 GiB"),
            (1 << 40, "1 TiB"),
            (u64::MAX, "16777216.0 TiB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(ByteSize(bytes).to_string(), expected);
        }
    }
}
