//! Follows a JSON Lines file to which rows are appended: what was read once is not parsed again.
//!
//! Owns: when the rows that were read still are those of the file: it has the metadata of before and was settled then,
//! or it begins with the same bytes.
//! Never: keeps a row, or takes a file that was replaced, cut short or edited for one that grew.

use std::ops::ControlFlow;

use crc32fast::Hasher;

use super::chunk_reader::ChunkReader;
use super::open_jsonl_file;
use super::visit::{VisitedRow, visit_range};
use crate::{AppDirError, Folder, Stat};

/// What a follower reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedRow<'r> {
    /// The rows of before are void: the file is read from its start.
    Restart,
    Next(VisitedRow<'r>),
}

/// How far a file was read.
#[derive(Debug, Clone, Default)]
pub struct RowFollower(Option<FollowedPart>);

#[derive(Debug, Clone)]
struct FollowedPart {
    /// The metadata with which the file was opened. Its length is how far it was read.
    stat: Stat,
    /// Whether any later change shows in the metadata.
    is_settled: bool,
    /// Of all bytes that were read.
    checksum: Hasher,
    /// Whether the last row has no newline.
    is_unterminated: bool,
}

impl RowFollower {
    /// Visits the rows that were appended since the last call, or all rows after a [`FollowedRow::Restart`]. After an
    /// error the next call begins from the start. Calls `stop` before each chunk that is read.
    ///
    /// # Errors
    /// As [`Folder::visit_rows`].
    pub fn visit_new(
        &mut self,
        folder: &Folder,
        name: &str,
        stop: &dyn Fn() -> bool,
        mut visit: impl FnMut(FollowedRow<'_>),
    ) -> Result<(), AppDirError> {
        let known = self.0.take();
        let (file, stat) = open_jsonl_file(folder, name, stop)?;
        // As of now: a change during the read is later than these metadata, and shows in the next ones.
        let is_settled = stat.is_settled();
        let (start, mut checksum, was_unterminated) = match known {
            Some(known) if known.stat == stat && known.is_settled => {
                self.0 = Some(known);
                return Ok(());
            }
            Some(known) if known.is_start_of(&file, stat)? => (known.stat.len, known.checksum, known.is_unterminated),
            _ => {
                visit(FollowedRow::Restart);
                (0, Hasher::new(), false)
            }
        };
        let mut last = if was_unterminated { b' ' } else { b'\n' };
        let each_chunk = |chunk: &[u8]| {
            checksum.update(chunk);
            last = chunk.last().copied().unwrap_or(last);
        };
        visit_range(&file, start..stat.len, each_chunk, |row| {
            visit(FollowedRow::Next(row));
            ControlFlow::Continue(())
        })?;
        self.0 = Some(FollowedPart { stat, is_settled, checksum, is_unterminated: last != b'\n' });
        Ok(())
    }
}

impl FollowedPart {
    /// Whether a file begins with the bytes that were read, and goes on with a new row.
    fn is_start_of(&self, file: &ChunkReader<'_>, stat: Stat) -> Result<bool, AppDirError> {
        if stat.file_id != self.stat.file_id || stat.len < self.stat.len {
            return Ok(false);
        }
        if self.is_unterminated && stat.len > self.stat.len {
            let mut next = 0;
            file.for_each_chunk(self.stat.len, self.stat.len + 1, |byte, _| next = byte.first().copied().unwrap_or(0))?;
            if next != b'\n' {
                return Ok(false);
            }
        }
        let mut checksum = Hasher::new();
        file.for_each_chunk(0, self.stat.len, |chunk, _| checksum.update(chunk))?;
        Ok(checksum.finalize() == self.checksum.clone().finalize())
    }
}
