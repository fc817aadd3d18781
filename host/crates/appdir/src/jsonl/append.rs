//! Appends rows to a JSON Lines file to which other processes append as well.
//!
//! Owns: the lock, which is on the file itself and held during one append, and the newline that an earlier writer left
//! out.
//! Never: changes a byte that is there, or leaves a part of its own rows where a write fails.

use std::fs::TryLockError;
use std::io::{self, Write as _};
use std::time::Duration;

use cap_std::fs::{File, FileExt as _, OpenOptions};

use crate::limits::{LOCK_TIMEOUT, STALE_TEMP_FILE_AGE};
use crate::lock::{UnfencedLock, lock_within};
use crate::{AppDirError, Folder, Privacy, Stat, failpoint};

/// Attempts to lock a file that is moved away each time.
const MAX_OPEN_ATTEMPTS: usize = 5;

impl Folder {
    /// Appends whole rows, each with its newline, in one write, and waits until they are on the disk. The file is
    /// created when missing. A last row without a newline gets one first, so that it stays a row of its own.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] when another process appends for too long, [`AppDirError::TooLarge`] when the file
    /// would have more than `max_bytes`, or an I/O error. Then none of the rows is there, unless only the flush failed; on a file
    /// system that other machines use, a part of a row may be.
    pub fn append_rows(&self, name: &str, rows: &[u8], privacy: Privacy, max_bytes: u64) -> Result<(), AppDirError> {
        self.append_rows_within(LOCK_TIMEOUT, name, rows, privacy, max_bytes)
    }

    /// As [`Self::append_rows`], and waits for the lock for at most `timeout`.
    fn append_rows_within(
        &self,
        timeout: Duration,
        name: &str,
        rows: &[u8],
        privacy: Privacy,
        max_bytes: u64,
    ) -> Result<(), AppDirError> {
        self.ensure_writable(name)?;
        let failed = |error| AppDirError::from_io(name, error);
        let (parent, base) = self.open_parent(name)?;
        let (mut file, _lock, len) = parent.open_locked(base, privacy, timeout)?;
        let lead: &[u8] = if len > 0 && !ends_with_newline(&file, len).map_err(failed)? { b"\n" } else { b"" };
        let bytes = [lead, rows].concat();
        let new_len = len + bytes.len() as u64;
        if new_len > max_bytes {
            return Err(AppDirError::TooLarge { name: name.to_owned(), len: new_len, limit: max_bytes });
        }
        if let Err(error) = failpoint::hit("write").and_then(|()| file.write_all(&bytes)) {
            // A torn row that stays is skipped by readers, and gets its newline from the next append. Where the lock may be lost,
            // the cut could take another machine's rows.
            if !parent.is_shared().unwrap_or(true) {
                let _ = failpoint::hit("cut").and_then(|()| file.set_len(len));
            }
            return Err(failed(error));
        }
        failpoint::hit("flush").and_then(|()| file.sync_data()).map_err(failed)?;
        if len == 0 {
            failpoint::hit("flush names").and_then(|()| parent.sync_dir()).map_err(failed)?;
        }
        Ok(())
    }

    /// As [`Self::append_rows`]; where the file would have more than `max_bytes`, the older half of its rows goes. Waits for
    /// other processes that append for at most `timeout`.
    ///
    /// # Errors
    /// As [`Self::append_rows`], and [`AppDirError::TooLarge`] for rows that are too large by themselves.
    pub fn append_newest_rows(
        &self,
        name: &str,
        rows: &[u8],
        privacy: Privacy,
        max_bytes: u64,
        timeout: Duration,
    ) -> Result<(), AppDirError> {
        match self.append_rows_within(timeout, name, rows, privacy, max_bytes) {
            Err(AppDirError::TooLarge { .. }) if rows.len() as u64 <= max_bytes / 2 => {}
            done => return done,
        }
        let (parent, base) = self.open_parent(name)?;
        // Others who wait for this lock find another file at the name, and open that.
        let (file, _lock, len) = parent.open_locked(base, privacy, timeout)?;
        let mut kept = vec![0; usize::try_from(len.min(max_bytes / 2)).unwrap_or_default()];
        let start = len.saturating_sub(kept.len() as u64);
        file.read_exact_at(&mut kept, start).map_err(|error| AppDirError::from_io(name, error))?;
        if start > 0 {
            // The first row of the half is a part of one.
            let row_end = memchr::memchr(b'\n', &kept).map_or(kept.len(), |at| at + 1);
            kept.drain(..row_end);
        }
        if kept.last().is_some_and(|last| *last != b'\n') {
            kept.push(b'\n');
        }
        kept.extend_from_slice(rows);
        parent.write(base, &kept, privacy)?;
        // Only here does a killed process leave a temporary file of it.
        if let Err(error) = parent.sweep_temp_files_of(base, STALE_TEMP_FILE_AGE) {
            tracing::debug!(%error, "cannot remove temporary files of a log");
        }
        Ok(())
    }

    /// Opens a file directly in this directory for appending, and locks it; returns its length under the lock.
    fn open_locked(
        &self,
        base: &str,
        privacy: Privacy,
        timeout: Duration,
    ) -> Result<(File, UnfencedLock, u64), AppDirError> {
        let failed = |error| AppDirError::from_io(base, error);
        for _ in 0..MAX_OPEN_ATTEMPTS {
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true);
            self.set_file_mode(&mut options, privacy, None);
            failpoint::hit("open log").map_err(failed)?;
            let (file, opened) = self.open_regular(base, &mut options)?;
            failpoint::hit("lock").map_err(failed)?;
            let locked = file.try_clone().map_err(failed)?.into_std();
            let lock = lock_within(locked, timeout).map_err(|error| match error {
                TryLockError::WouldBlock => AppDirError::Locked(base.to_owned()),
                TryLockError::Error(error) => failed(error),
            })?;
            match self.stat(base) {
                Ok(now) if now.file_id == opened.file_id => {
                    let len = Stat::from_metadata(&file.metadata().map_err(failed)?).len;
                    return Ok((file, lock, len));
                }
                // A person moved the file away between the open and the lock.
                Ok(_) | Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(AppDirError::ChangedDuringRead(base.to_owned()))
    }
}

fn ends_with_newline(file: &File, len: u64) -> io::Result<bool> {
    let mut last = [0];
    file.read_exact_at(&mut last, len - 1)?;
    Ok(last == *b"\n")
}
