//! Reading rows by way of an index.
//!
//! Never: reads more than the page and the way to it from the checkpoint before.

use super::index::{LineIndex, blank_lines, is_blank};
use super::source::Source;
use crate::appdir::AppDirError;
use crate::limits::MAX_ROW_BYTES;

/// Consecutive rows, as they stand in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    pub rows: Vec<Vec<u8>>,
    /// Rows in the whole file.
    pub total: u64,
    /// The row after the last one here, when there is one: because the page is full, or because of its size.
    pub next: Option<u64>,
    /// Whether the last row here ends with the file and not with its line: a writer may be in the middle of it.
    pub unterminated: bool,
}

/// Reads the rows `offset..offset + limit`, as many as fit into `max_bytes` and at least one. A row that is longer than
/// any may be ends the page before it, and fails the page that begins with it.
pub(super) fn read(
    file: &Source<'_>,
    index: &LineIndex,
    offset: u64,
    limit: usize,
    max_bytes: usize,
) -> Result<Page, AppDirError> {
    let total = index.rows;
    let wanted = total.saturating_sub(offset).min(limit as u64);
    let mut collector =
        Collector { skip: 0, wanted, bytes_left: max_bytes, rows: Vec::new(), line: Vec::new(), state: State::Going };
    let mut unterminated = false;
    if wanted > 0 {
        let start = index.before(offset);
        file.expect_line_start(start.offset)?;
        collector.skip = offset - start.row;
        file.chunks_while(start.offset, index.len, |chunk, _| collector.take(chunk))?;
        unterminated = collector.finish();
    }
    if let State::TooLong(len) = collector.state {
        return Err(file.too_long(len));
    }
    let next = offset + collector.rows.len() as u64;
    Ok(Page { rows: collector.rows, total, next: (next < total).then_some(next), unterminated })
}

struct Collector {
    skip: u64,
    wanted: u64,
    bytes_left: usize,
    rows: Vec<Vec<u8>>,
    /// The line that the last chunk ended in.
    line: Vec<u8>,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Going,
    Full,
    TooLong(usize),
}

impl Collector {
    /// Takes the lines of a chunk; false when the page is complete.
    fn take(&mut self, chunk: &[u8]) -> bool {
        let mut rest = chunk;
        loop {
            if self.line.is_empty() {
                rest = rest.get(blank_lines(rest)..).unwrap_or_default();
            }
            let Some(end) = memchr::memchr(b'\n', rest) else { break };
            let (text, after) = (rest.get(..end).unwrap_or_default(), rest.get(end + 1..).unwrap_or_default());
            self.extend(text);
            self.end_line();
            if self.state != State::Going {
                return false;
            }
            rest = after;
        }
        self.extend(rest);
        self.state == State::Going
    }

    /// A skipped line is not kept, only whether it is a row.
    fn extend(&mut self, text: &[u8]) {
        if self.skip == 0 {
            self.line.extend_from_slice(text);
            if self.line.len() > MAX_ROW_BYTES {
                let stands_first = self.rows.is_empty();
                self.state = if stands_first { State::TooLong(self.line.len()) } else { State::Full };
            }
        } else if is_blank(&self.line) {
            let first = text.iter().find(|byte| !is_blank(&[**byte]));
            self.line.extend(first);
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if is_blank(&line) || self.state != State::Going {
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > self.bytes_left && !self.rows.is_empty() {
            self.state = State::Full;
            return;
        }
        self.bytes_left = self.bytes_left.saturating_sub(line.len());
        self.rows.push(line);
        if self.rows.len() as u64 >= self.wanted {
            self.state = State::Full;
        }
    }

    /// The file may end without a newline; whether a row does.
    fn finish(&mut self) -> bool {
        let complete = self.rows.len();
        if self.state == State::Going {
            self.end_line();
        }
        self.rows.len() > complete
    }
}
