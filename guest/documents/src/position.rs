//! Positions in a document, in any order of their offsets.
//!
//! Owns: an index of the lines, which finds positions in any order; a `Locator` finds those of ascending offsets alone.
//! Never: reads the source again after the first time.

use wardroom_lua_syntax::position::Position;

/// Where the lines of a source begin. A line ends with LF, CR LF or CR, as in YAML and in Markdown.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) fn new(source: &[u8]) -> Self {
        let mut starts = vec![0];
        let mut bytes = source.iter().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            let pair = *byte == b'\r' && bytes.peek().is_some_and(|(_, next)| **next == b'\n');
            if matches!(byte, b'\n' | b'\r') && !pair {
                starts.push(to_u32(at + 1));
            }
        }
        Self { starts }
    }

    pub(crate) fn locate(&self, offset: usize) -> Position {
        let offset = to_u32(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        Position { line: to_u32(line), column: offset.saturating_sub(start).saturating_add(1) }
    }

    pub(crate) fn line(&self, offset: usize) -> u32 {
        self.locate(offset).line
    }
}

pub(crate) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_break_and_columns_count_bytes() {
        let source = "a\nb\r\nc\rd é x".as_bytes();
        let place = |offset| {
            let Position { line, column } = Lines::new(source).locate(offset);
            (line, column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(2), (2, 1));
        assert_eq!(place(3), (2, 2));
        assert_eq!(place(5), (3, 1));
        assert_eq!(place(7), (4, 1));
        assert_eq!(place(12), (4, 6));
    }

    #[test]
    fn offset_behind_the_end_is_on_the_last_line() {
        assert_eq!(Lines::new(b"a\nb").locate(99).line, 2);
        assert_eq!(Lines::new(b"").locate(0), Position { line: 1, column: 1 });
    }
}
