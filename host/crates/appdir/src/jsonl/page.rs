//! Reads pages of rows with an index.
//!
//! Never: reads more than the page, the last row if that may be incomplete, and the bytes from the checkpoint before
//! each.

use super::chunk_reader::ChunkReader;
use super::index::{LineIndex, blank_prefix_len, is_blank};
use crate::AppDirError;
use crate::limits::MAX_JSONL_LINE_BYTES;

/// Which rows to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPageRequest {
    pub offset: u64,
    pub limit: usize,
    /// The page ends early if its rows would exceed this many bytes, but has at least one row.
    pub max_bytes: usize,
}

/// Consecutive rows, as they are in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowPage {
    pub rows: Vec<Vec<u8>>,
    /// Rows in the whole file.
    pub total_rows: u64,
    /// The number of the row after this page, if there is one. The page may have ended at its row limit or at its byte
    /// limit.
    pub next_offset: Option<u64>,
    /// The last row of the whole file if it has no newline: a writer may be in the middle of it. Every page has it, so
    /// that all pages decide alike whether it counts.
    pub unterminated_row: Option<Vec<u8>>,
}

/// Reads the requested rows. A row over the length limit ends the page before it, and fails the page that begins with
/// it.
pub(super) fn read_page(
    file: &ChunkReader<'_>,
    index: &LineIndex,
    request: RowPageRequest,
) -> Result<RowPage, AppDirError> {
    let total = index.rows;
    let rows = collect_rows(file, index, request)?;
    let next = request.offset.saturating_add(rows.len() as u64);
    let unended = match rows.last() {
        _ if !index.is_unterminated => None,
        Some(last) if next == total => Some(last.clone()),
        _ => match collect_rows(
            file,
            index,
            RowPageRequest { offset: total - 1, limit: 1, max_bytes: MAX_JSONL_LINE_BYTES },
        ) {
            // The page that begins with this row reports the error.
            Err(AppDirError::TooLarge { .. }) => None,
            rows => rows?.pop(),
        },
    };
    Ok(RowPage { rows, total_rows: total, next_offset: (next < total).then_some(next), unterminated_row: unended })
}

fn collect_rows(
    file: &ChunkReader<'_>,
    index: &LineIndex,
    request: RowPageRequest,
) -> Result<Vec<Vec<u8>>, AppDirError> {
    let RowPageRequest { offset, limit, max_bytes } = request;
    let max_rows = index.rows.saturating_sub(offset).min(limit as u64);
    if max_rows == 0 {
        return Ok(Vec::new());
    }
    let start = index.checkpoint_before(offset);
    file.expect_line_start(start.offset)?;
    let mut collector = RowCollector {
        rows_to_skip: offset - start.row,
        max_rows,
        bytes_left: max_bytes,
        rows: Vec::new(),
        line: Vec::new(),
        is_blank: true,
        state: CollectState::Collecting,
    };
    file.for_each_chunk_while(start.offset, index.len, |chunk, _| collector.push_chunk(chunk))?;
    // The file may end without a newline.
    collector.end_line();
    match collector.state {
        CollectState::RowTooLong(len) => Err(file.row_too_long(len)),
        CollectState::Collecting | CollectState::Full => Ok(collector.rows),
    }
}

struct RowCollector {
    rows_to_skip: u64,
    max_rows: u64,
    bytes_left: usize,
    rows: Vec<Vec<u8>>,
    /// The unfinished line at the end of the last chunk; empty while rows are skipped.
    line: Vec<u8>,
    /// Whether that line is blank so far.
    is_blank: bool,
    state: CollectState,
}

#[derive(PartialEq, Eq)]
enum CollectState {
    Collecting,
    Full,
    RowTooLong(usize),
}

impl RowCollector {
    /// Adds the lines of a chunk; returns false when the page is complete.
    fn push_chunk(&mut self, chunk: &[u8]) -> bool {
        let mut rest = chunk;
        loop {
            let blank = if self.is_blank { blank_prefix_len(rest) } else { 0 };
            if blank > 0 {
                self.line.clear();
                rest = rest.get(blank..).unwrap_or_default();
            }
            let Some(end) = memchr::memchr(b'\n', rest) else { break };
            let (text, after) = (rest.get(..end).unwrap_or_default(), rest.get(end + 1..).unwrap_or_default());
            self.extend_line(text);
            self.end_line();
            if self.state != CollectState::Collecting {
                return false;
            }
            rest = after;
        }
        self.extend_line(rest);
        self.state == CollectState::Collecting
    }

    fn extend_line(&mut self, text: &[u8]) {
        self.is_blank = self.is_blank && is_blank(text);
        if self.rows_to_skip > 0 {
            return;
        }
        self.line.extend_from_slice(text);
        if self.line.len() > MAX_JSONL_LINE_BYTES {
            if self.is_blank {
                // White space alone is not a row, however long it is. With content after it, the row would be too long.
                self.line.truncate(MAX_JSONL_LINE_BYTES + 1);
                return;
            }
            let stands_first = self.rows.is_empty();
            self.state = if stands_first { CollectState::RowTooLong(self.line.len()) } else { CollectState::Full };
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::replace(&mut self.is_blank, true) || self.state != CollectState::Collecting {
            return;
        }
        if self.rows_to_skip > 0 {
            self.rows_to_skip -= 1;
            return;
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > self.bytes_left && !self.rows.is_empty() {
            self.state = CollectState::Full;
            return;
        }
        self.bytes_left = self.bytes_left.saturating_sub(line.len());
        self.rows.push(line);
        if self.rows.len() as u64 >= self.max_rows {
            self.state = CollectState::Full;
        }
    }
}
