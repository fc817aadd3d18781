//! The sparse index of one file: about every 64 KiB, the number of the row that begins there.
//!
//! Owns: the definition of a row, when an index still fits its file, and how it is extended when the file grows.
//! Never: is used for a file that it does not fit: a file that is another one, is shorter, has other bytes just
//! before the last checkpoint, or has no line start where a page should begin is scanned again from the start.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::SystemTime;

use super::chunk_reader::ChunkReader;
use crate::limits::LINE_INDEX_STRIDE_BYTES;
use crate::{AppDirError, Stat};

/// Bytes before the last checkpoint whose hash is compared when the file grew.
const TAIL_HASH_BYTES: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineIndex {
    /// The file's length when the index was built; `modified` and `changed` are its times then.
    pub(super) len: u64,
    pub(super) modified: Option<SystemTime>,
    pub(super) changed: Option<SystemTime>,
    /// The number of rows in the whole file; a last line without its newline counts.
    pub(super) rows: u64,
    /// Whether the last row has no newline.
    pub(super) is_unterminated: bool,
    /// Hash of the bytes before the last checkpoint.
    pub(super) tail_hash: u64,
    /// In ascending order; the first is row 0 at byte 0.
    pub(super) checkpoints: Vec<Checkpoint>,
}

/// A line start: `row` rows begin before `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub(super) row: u64,
    pub(super) offset: u64,
}

const FIRST_CHECKPOINT: Checkpoint = Checkpoint { row: 0, offset: 0 };

impl LineIndex {
    /// Builds the index by scanning the whole file.
    pub(super) fn build(file: &ChunkReader<'_>, stat: Stat) -> Result<Self, AppDirError> {
        Self::scan(file, stat, vec![FIRST_CHECKPOINT])
    }

    pub(super) fn is_current(&self, stat: Stat) -> bool {
        self.len == stat.len && self.modified == stat.modified && self.changed == stat.changed
    }

    /// Returns the extended index of a file that grew; `None` if this index does not fit the file.
    pub(super) fn try_extend(&self, file: &ChunkReader<'_>, stat: Stat) -> Result<Option<Self>, AppDirError> {
        let last = self.last_checkpoint();
        if stat.len <= self.len || hash_tail(file, last.offset)? != self.tail_hash {
            return Ok(None);
        }
        Self::scan(file, stat, self.checkpoints.clone()).map(Some)
    }

    /// Returns the last checkpoint at or before a row.
    pub(super) fn checkpoint_before(&self, row: u64) -> Checkpoint {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.row <= row);
        after.checked_sub(1).and_then(|at| self.checkpoints.get(at)).copied().unwrap_or(FIRST_CHECKPOINT)
    }

    /// Returns the bytes between the checkpoints around some rows: the most that reading them takes.
    pub(super) fn span_bytes(&self, row: u64, rows: u64) -> u64 {
        let last = row.saturating_add(rows);
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.row < last);
        let end = self.checkpoints.get(after).map_or(self.len, |checkpoint| checkpoint.offset);
        end.saturating_sub(self.checkpoint_before(row).offset)
    }

    fn last_checkpoint(&self) -> Checkpoint {
        self.checkpoints.last().copied().unwrap_or(FIRST_CHECKPOINT)
    }

    /// Scans from the last of `checkpoints` to the end in `stat`.
    fn scan(file: &ChunkReader<'_>, stat: Stat, mut checkpoints: Vec<Checkpoint>) -> Result<Self, AppDirError> {
        let mut at = checkpoints.last().copied().unwrap_or(FIRST_CHECKPOINT);
        let mut stride = at.offset + LINE_INDEX_STRIDE_BYTES;
        let mut line = LineState::Blank;
        file.for_each_chunk(at.offset, stat.len, |chunk, chunk_offset| {
            let mut rest = chunk;
            let mut offset = chunk_offset;
            loop {
                // Runs of blank lines are skipped at once, so that they cost no more than other bytes.
                let mut taken = if line == LineState::Blank { blank_prefix_len(rest) } else { 0 };
                if taken == 0 {
                    let Some(end) = memchr::memchr(b'\n', rest) else { break };
                    at.row += u64::from(line.extend_with(rest.get(..end).unwrap_or_default()) == LineState::Row);
                    taken = end + 1;
                }
                line = LineState::Blank;
                offset += taken as u64;
                rest = rest.get(taken..).unwrap_or_default();
                if offset >= stride {
                    at.offset = offset;
                    checkpoints.push(at);
                    stride = offset + LINE_INDEX_STRIDE_BYTES;
                }
            }
            line = line.extend_with(rest);
        })?;
        let unended = line == LineState::Row;
        let rows = at.row + u64::from(unended);
        let last = checkpoints.last().copied().unwrap_or(FIRST_CHECKPOINT);
        let tail = hash_tail(file, last.offset)?;
        let Stat { len, modified, changed, .. } = stat;
        Ok(Self { len, modified, changed, rows, is_unterminated: unended, tail_hash: tail, checkpoints })
    }
}

/// Whether the line read so far has content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineState {
    Blank,
    Row,
}

impl LineState {
    fn extend_with(self, text: &[u8]) -> Self {
        if self == Self::Row || !is_blank(text) { Self::Row } else { Self::Blank }
    }
}

/// Whether a line has nothing but JSON's white space, and so is not a row.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Returns the length of the blank lines at the start of `text`, with their newlines. It is usually 0, which one
/// comparison shows.
pub(super) fn blank_prefix_len(text: &[u8]) -> usize {
    if !text.first().is_some_and(|first| is_blank(&[*first])) {
        return 0;
    }
    let blank = text.iter().position(|byte| !is_blank(&[*byte])).unwrap_or(text.len());
    memchr::memrchr(b'\n', text.get(..blank).unwrap_or_default()).map_or(0, |end| end + 1)
}

fn hash_tail(file: &ChunkReader<'_>, end: u64) -> Result<u64, AppDirError> {
    let mut hasher = DefaultHasher::new();
    file.for_each_chunk(end.saturating_sub(TAIL_HASH_BYTES), end, |chunk, _| hasher.write(chunk))?;
    Ok(hasher.finish())
}
