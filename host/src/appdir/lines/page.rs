//! Reading rows from an open file, in chunks.
//!
//! Never: reads more than the page and the way to it from the checkpoint before.

use cap_std::fs::File;

use super::index::{LineIndex, blank_lines, is_blank};
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

/// An open file that is read at offsets, for as long as somebody wants to know.
pub(super) struct Source<'s> {
    file: File,
    name: String,
    stop: &'s dyn Fn() -> bool,
}

const CHUNK_BYTES: usize = 64 * 1024;

impl<'s> Source<'s> {
    pub(super) fn new(file: File, name: &str, stop: &'s dyn Fn() -> bool) -> Self {
        Self { file, name: name.to_owned(), stop }
    }

    /// Calls `each` with the bytes `from..to` in pieces, and the offset of each piece.
    pub(super) fn chunks(&self, from: u64, to: u64, mut each: impl FnMut(&[u8], u64)) -> Result<(), AppDirError> {
        self.chunks_while(from, to, |chunk, offset| {
            each(chunk, offset);
            true
        })
    }

    /// As [`Self::chunks`], until `each` returns false.
    fn chunks_while(&self, from: u64, to: u64, mut each: impl FnMut(&[u8], u64) -> bool) -> Result<(), AppDirError> {
        use cap_std::fs::FileExt as _;
        let mut buffer = vec![0; CHUNK_BYTES.min(usize::try_from(to.saturating_sub(from)).unwrap_or(CHUNK_BYTES))];
        let mut offset = from;
        while offset < to {
            if (self.stop)() {
                return Err(AppDirError::Stopped(self.name.clone()));
            }
            let wanted = usize::try_from(to - offset).map_or(buffer.len(), |left| left.min(buffer.len()));
            let space = buffer.get_mut(..wanted).unwrap_or_default();
            let read = self.file.read_at(space, offset).map_err(|error| AppDirError::of(&self.name, error))?;
            if read == 0 {
                return Err(AppDirError::Unsteady(self.name.clone()));
            }
            if !each(space.get(..read).unwrap_or_default(), offset) {
                return Ok(());
            }
            offset += read as u64;
        }
        Ok(())
    }

    /// An index that does not fit the file any more must not be believed.
    fn expect_line_start(&self, offset: u64) -> Result<(), AppDirError> {
        let mut fits = offset == 0;
        self.chunks(offset.saturating_sub(1), offset, |byte, _| fits = byte == b"\n")?;
        if fits { Ok(()) } else { Err(AppDirError::Unsteady(self.name.clone())) }
    }

    fn too_long(&self, len: usize) -> AppDirError {
        AppDirError::TooLarge { name: self.name.clone(), len: len as u64, limit: MAX_ROW_BYTES as u64 }
    }
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
