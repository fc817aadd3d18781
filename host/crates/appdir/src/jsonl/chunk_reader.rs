//! Reads an open file in chunks at offsets.
//!
//! Never: reads on after the caller cancelled.

use cap_std::fs::File;

use crate::AppDirError;
use crate::limits::{FILE_READ_CHUNK_BYTES, MAX_JSONL_LINE_BYTES};

/// An open file that is read at offsets, until the caller cancels.
pub(super) struct ChunkReader<'s> {
    file: File,
    name: String,
    is_cancelled: &'s dyn Fn() -> bool,
}

impl<'s> ChunkReader<'s> {
    pub(super) fn new(file: File, name: &str, stop: &'s dyn Fn() -> bool) -> Self {
        Self { file, name: name.to_owned(), is_cancelled: stop }
    }

    /// Calls `each` with the bytes `from..to` in chunks, and the offset of each chunk.
    pub(super) fn for_each_chunk(
        &self,
        from: u64,
        to: u64,
        mut each: impl FnMut(&[u8], u64),
    ) -> Result<(), AppDirError> {
        self.for_each_chunk_while(from, to, |chunk, offset| {
            each(chunk, offset);
            true
        })
    }

    /// Calls `each` as [`Self::for_each_chunk`] does, until it returns false.
    pub(super) fn for_each_chunk_while(
        &self,
        from: u64,
        to: u64,
        mut each: impl FnMut(&[u8], u64) -> bool,
    ) -> Result<(), AppDirError> {
        use cap_std::fs::FileExt as _;
        let mut buffer = vec![
            0;
            FILE_READ_CHUNK_BYTES
                .min(usize::try_from(to.saturating_sub(from)).unwrap_or(FILE_READ_CHUNK_BYTES))
        ];
        let mut offset = from;
        while offset < to {
            if (self.is_cancelled)() {
                return Err(AppDirError::Cancelled(self.name.clone()));
            }
            let length = usize::try_from(to - offset).map_or(buffer.len(), |left| left.min(buffer.len()));
            let space = buffer.get_mut(..length).unwrap_or_default();
            let read = self.file.read_at(space, offset).map_err(|error| AppDirError::from_io(&self.name, error))?;
            if read == 0 {
                return Err(AppDirError::ChangedDuringRead(self.name.clone()));
            }
            if !each(space.get(..read).unwrap_or_default(), offset) {
                return Ok(());
            }
            offset += read as u64;
        }
        Ok(())
    }

    /// Checks that a line starts at `offset`; if not, the index does not fit the file any more.
    pub(super) fn expect_line_start(&self, offset: u64) -> Result<(), AppDirError> {
        let mut fits = offset == 0;
        self.for_each_chunk(offset.saturating_sub(1), offset, |byte, _| fits = byte == b"\n")?;
        if fits { Ok(()) } else { Err(AppDirError::ChangedDuringRead(self.name.clone())) }
    }

    pub(super) fn row_too_long(&self, len: usize) -> AppDirError {
        AppDirError::TooLarge { name: self.name.clone(), len: len as u64, limit: MAX_JSONL_LINE_BYTES as u64 }
    }
}
