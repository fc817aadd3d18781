//! The sparse index of one file: after about every 64 KiB, the number of the row that begins there.
//!
//! Owns: what a row is, when an index still fits its file, and how it grows with it.
//! Never: is trusted where it does not fit: a file with another identity, a shorter one, or one whose bytes before the
//! last checkpoint changed is read again from its beginning, and so is one without a line where a page is to begin.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::SystemTime;

use super::chunk_reader::ChunkReader;
use crate::limits::LINE_INDEX_STRIDE_BYTES;
use crate::{AppDirError, Stat};

/// Bytes before the last checkpoint that are compared when a file grew.
const TAIL_HASH_BYTES: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineIndex {
    /// What the file was when the index was made.
    pub(super) len: u64,
    pub(super) modified: Option<SystemTime>,
    pub(super) changed: Option<SystemTime>,
    /// The rows of the whole file; a last line without its newline counts.
    pub(super) rows: u64,
    /// Whether the last row is such a line.
    pub(super) is_unterminated: bool,
    /// Hash of the bytes before the last checkpoint.
    pub(super) tail_hash: u64,
    /// In ascending order; the first is row 0 at byte 0.
    pub(super) checkpoints: Vec<Checkpoint>,
}

/// `row` rows begin before `offset`, and a line begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub(super) row: u64,
    pub(super) offset: u64,
}

const FIRST_CHECKPOINT: Checkpoint = Checkpoint { row: 0, offset: 0 };

impl LineIndex {
    /// Reads the whole file once.
    pub(super) fn build(file: &ChunkReader<'_>, stat: Stat) -> Result<Self, AppDirError> {
        Self::scan(file, stat, vec![FIRST_CHECKPOINT])
    }

    pub(super) fn is_current(&self, stat: Stat) -> bool {
        self.len == stat.len && self.modified == stat.modified && self.changed == stat.changed
    }

    /// The index of a file that grew, or nothing when this one does not fit it.
    pub(super) fn try_extend(&self, file: &ChunkReader<'_>, stat: Stat) -> Result<Option<Self>, AppDirError> {
        let last = self.last_checkpoint();
        if stat.len <= self.len || hash_tail(file, last.offset)? != self.tail_hash {
            return Ok(None);
        }
        Self::scan(file, stat, self.checkpoints.clone()).map(Some)
    }

    /// The last checkpoint at or before a row.
    pub(super) fn checkpoint_before(&self, row: u64) -> Checkpoint {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.row <= row);
        after.checked_sub(1).and_then(|at| self.checkpoints.get(at)).copied().unwrap_or(FIRST_CHECKPOINT)
    }

    /// Bytes between the checkpoints around some rows: the most that is read to get them.
    pub(super) fn span_bytes(&self, row: u64, rows: u64) -> u64 {
        let last = row.saturating_add(rows);
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.row < last);
        let end = self.checkpoints.get(after).map_or(self.len, |checkpoint| checkpoint.offset);
        end.saturating_sub(self.checkpoint_before(row).offset)
    }

    fn last_checkpoint(&self) -> Checkpoint {
        self.checkpoints.last().copied().unwrap_or(FIRST_CHECKPOINT)
    }

    /// Scans from the last of `checkpoints` to the end that `stat` names.
    fn scan(file: &ChunkReader<'_>, stat: Stat, mut checkpoints: Vec<Checkpoint>) -> Result<Self, AppDirError> {
        let mut at = checkpoints.last().copied().unwrap_or(FIRST_CHECKPOINT);
        let mut stride = at.offset + LINE_INDEX_STRIDE_BYTES;
        let mut line = LineState::Blank;
        file.for_each_chunk(at.offset, stat.len, |chunk, chunk_offset| {
            let mut rest = chunk;
            let mut offset = chunk_offset;
            loop {
                // Nothing but line ends costs no more than anything else: they are taken in runs.
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

/// Whether the line so far holds anything.
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

/// A line of nothing but JSON's white space is not a row.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The length of the blank lines, with their ends, that `text` begins with. Most often none, which takes one look.
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
