//! Visits the rows of a JSON Lines file, from its first row on or from its last row back, in constant memory.
//!
//! Owns: what counts as a row: a line that is not blank. One that is too long is visited without its bytes.
//! Never: parses a row, fails for one, or reads on after the caller cancelled.

use std::ops::{ControlFlow, Range};

use super::chunk_reader::ChunkReader;
use super::index::is_blank;
use super::open_jsonl_file;
use crate::limits::{FILE_READ_CHUNK_BYTES, MAX_JSONL_LINE_BYTES};
use crate::{AppDirError, Folder};

/// A row of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitedRow<'r> {
    /// Its bytes, without the newline.
    Row(&'r [u8]),
    /// It is longer than any row that is read.
    TooLong,
}

impl Folder {
    /// Visits the rows from the first one on, until `visit` breaks. The last row may lack its newline. Calls `stop`
    /// before each chunk that is read.
    ///
    /// # Errors
    /// When the file does not exist, is too large, or is cut short meanwhile, and [`AppDirError::Cancelled`] once
    /// `stop` returns true.
    pub fn visit_rows(
        &self,
        name: &str,
        stop: &dyn Fn() -> bool,
        mut visit: impl FnMut(VisitedRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), AppDirError> {
        let (file, stat) = open_jsonl_file(self, name, stop)?;
        visit_range(&file, 0..stat.len, |_| (), &mut visit)
    }

    /// Visits the rows from the last one back, until `visit` breaks.
    ///
    /// # Errors
    /// As [`Self::visit_rows`].
    pub fn visit_rows_backwards(
        &self,
        name: &str,
        stop: &dyn Fn() -> bool,
        mut visit: impl FnMut(VisitedRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), AppDirError> {
        let (file, stat) = open_jsonl_file(self, name, stop)?;
        let (mut tail, mut block, mut end) = (LineTail::default(), Vec::new(), stat.len);
        while end > 0 {
            let start = end.saturating_sub(FILE_READ_CHUNK_BYTES as u64);
            block.clear();
            file.for_each_chunk(start, end, |chunk, _| block.extend_from_slice(chunk))?;
            let mut unread = block.as_slice();
            while let Some(at) = memchr::memrchr(b'\n', unread) {
                let (before, text) = (unread.get(..at).unwrap_or_default(), unread.get(at + 1..).unwrap_or_default());
                if tail.begin_with(text, &mut visit).is_break() {
                    return Ok(());
                }
                unread = before;
            }
            tail.prepend(unread);
            end = start;
        }
        let _ = tail.begin_with(b"", &mut visit);
        Ok(())
    }
}

/// Visits the rows between two offsets, of which the first begins a line. Calls `each_chunk` with all bytes that are
/// read.
pub(super) fn visit_range(
    file: &ChunkReader<'_>,
    range: Range<u64>,
    mut each_chunk: impl FnMut(&[u8]),
    mut visit: impl FnMut(VisitedRow<'_>) -> ControlFlow<()>,
) -> Result<(), AppDirError> {
    let (mut line, mut is_ended) = (PartialLine::default(), false);
    file.for_each_chunk_while(range.start, range.end, |chunk, _| {
        each_chunk(chunk);
        let mut rest = chunk;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (text, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
            is_ended = line.end_with(text, &mut visit).is_break();
            if is_ended {
                return false;
            }
            rest = after;
        }
        line.push(rest);
        true
    })?;
    if !is_ended {
        let _ = line.end_with(b"", &mut visit);
    }
    Ok(())
}

/// The start of a line whose end was not read yet.
#[derive(Default)]
struct PartialLine {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl PartialLine {
    fn push(&mut self, text: &[u8]) {
        if self.is_too_long {
            return;
        }
        self.bytes.extend_from_slice(text);
        if self.bytes.len() > MAX_JSONL_LINE_BYTES {
            self.is_too_long = true;
            self.bytes = Vec::new();
        }
    }

    fn end_with(&mut self, text: &[u8], visit: &mut impl FnMut(VisitedRow<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        // Most lines lie within one chunk and are not copied.
        if self.bytes.is_empty() && !self.is_too_long {
            return visit_line(text, false, visit);
        }
        self.push(text);
        let visited = visit_line(&self.bytes, self.is_too_long, visit);
        self.bytes.clear();
        self.is_too_long = false;
        visited
    }
}

/// The end of a line whose start was not read yet.
#[derive(Default)]
struct LineTail {
    /// Its pieces, from the last one back.
    pieces: Vec<Vec<u8>>,
    len: usize,
    is_too_long: bool,
}

impl LineTail {
    fn prepend(&mut self, text: &[u8]) {
        if self.is_too_long || text.is_empty() {
            return;
        }
        self.len += text.len();
        if self.len > MAX_JSONL_LINE_BYTES {
            *self = Self { is_too_long: true, ..Self::default() };
        } else {
            self.pieces.push(text.to_vec());
        }
    }

    fn begin_with(
        &mut self,
        text: &[u8],
        visit: &mut impl FnMut(VisitedRow<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Most lines lie within one chunk and are not copied.
        if self.pieces.is_empty() && !self.is_too_long {
            return visit_line(text, false, visit);
        }
        self.prepend(text);
        let Self { mut pieces, is_too_long, .. } = std::mem::take(self);
        pieces.reverse();
        visit_line(&pieces.concat(), is_too_long, visit)
    }
}

fn visit_line(
    line: &[u8],
    is_too_long: bool,
    visit: &mut impl FnMut(VisitedRow<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if is_too_long || line.len() > MAX_JSONL_LINE_BYTES {
        return visit(VisitedRow::TooLong);
    }
    if is_blank(line) {
        return ControlFlow::Continue(());
    }
    visit(VisitedRow::Row(line.strip_suffix(b"\r").unwrap_or(line)))
}
