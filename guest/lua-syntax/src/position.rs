//! Positions in a source.
//!
//! Owns: the conversion of an offset to a line and a column; both count from 1, the column counts bytes.
//! Never: reads the source again for a position after the last one.

/// A position in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    /// Returns the position of the byte at `offset`.
    #[must_use]
    pub fn of(source: &[u8], offset: usize) -> Self {
        Locator::new(source).locate(offset)
    }
}

/// Finds the positions of ascending offsets in one pass over the source.
#[derive(Debug)]
pub struct Locator<'s> {
    source: &'s [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'s> Locator<'s> {
    #[must_use]
    pub const fn new(source: &'s [u8]) -> Self {
        Self { source, at: 0, line: 1, line_start: 0 }
    }

    /// Returns the position of `offset`, which must not be less than the one before.
    pub fn locate(&mut self, offset: usize) -> Position {
        while self.at < offset
            && let Some(&byte) = self.source.get(self.at)
        {
            self.at += 1;
            let pair = byte == b'\r' && self.source.get(self.at) == Some(&b'\n');
            if matches!(byte, b'\n' | b'\r') && !pair {
                self.line = self.line.saturating_add(1);
                self.line_start = self.at;
            }
        }
        let column = offset.saturating_sub(self.line_start).saturating_add(1);
        Position { line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locator_counts_all_line_breaks_and_byte_columns() {
        let source = "a\nb\r\nc\rd é x".as_bytes();
        let place = |offset| {
            let Position { line, column } = Position::of(source, offset);
            (line, column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(2), (2, 1));
        assert_eq!(place(5), (3, 1));
        assert_eq!(place(7), (4, 1));
        assert_eq!(place(12), (4, 6));
        // Within a break of two bytes, before and after it.
        let mut locator = Locator::new(b"a\r\nb");
        let places = [1, 2, 3].map(|offset| locator.locate(offset));
        assert_eq!(places.map(|place| (place.line, place.column)), [(1, 2), (1, 3), (2, 1)]);
    }
}
