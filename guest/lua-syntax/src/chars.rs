//! Which bytes belong to a name.

#[expect(clippy::indexing_slicing, reason = "the index is below the length of the table")]
const IS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// A table, since this is asked of most bytes of a source.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
pub(crate) const fn is_name_byte(byte: u8) -> bool {
    IS_NAME[byte as usize]
}
