//! Append-only files with one writer at a time: the journals of runs.
//!
//! Owns: the lock, which is on the file itself and lasts as long as the value, but for the time that it rests; where the
//! last whole line ends; and when lines, and the file's name, are on the disk.
//! Never: changes a line that is there, or takes for a line what a death or a full disk left of one.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use cap_std::fs::{File, FileExt as _, OpenOptions};
use rustix::fs::{FlockOperation, flock};

use super::folder::trim_trailing_slash;
use super::{AppDirError, Folder, Privacy, Stat, failpoint};
use crate::limits::{JOURNAL_READ_CHUNK_BYTES, MAX_JOURNAL_BYTES};

/// An open journal. No other process, and nobody else in this one, has it open meanwhile, unless it rests.
#[derive(Debug)]
pub struct JournalFile {
    /// The folder that it lies in, and its name there.
    folder: Folder,
    name: String,
    file: File,
    /// Where the last whole line ends.
    len: u64,
    /// Whether something may follow there, which is cut off before the next line.
    has_torn_tail: bool,
    /// Whether its name is on the disk.
    is_name_durable: bool,
}

impl Folder {
    /// Creates a journal that must not exist, and takes its lock before it has its name: nobody can come in between.
    ///
    /// # Errors
    /// [`AppDirError::Exists`], or as [`Folder::create_journal_file`].
    pub fn create_journal(&self, name: &str, privacy: Privacy) -> Result<JournalFile, AppDirError> {
        self.with_parent(name, |parent, base| {
            let mut options = OpenOptions::new();
            let (temporary, file) = parent.create_temporary(base, options.read(true).append(true), privacy)?;
            let take = || {
                failpoint::hit("lock")?;
                flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                parent.move_noreplace(&temporary, base)
            };
            take().inspect_err(|_: &io::Error| {
                let _ = parent.dir.remove_file(&temporary);
            })?;
            Ok(JournalFile {
                folder: parent.clone(),
                name: base.to_owned(),
                file,
                len: 0,
                has_torn_tail: false,
                is_name_durable: false,
            })
        })
    }

    /// Opens a journal to go on with it. Nothing is changed before the next line is appended.
    ///
    /// # Errors
    /// [`AppDirError::LockedPackage`] soon when somebody else has it open, [`AppDirError::TooLarge`] for one that no journal
    /// of ours can be, or as [`Folder::read`].
    pub fn open_journal(&self, name: &str) -> Result<JournalFile, AppDirError> {
        self.ensure_writable(name)?;
        let failed = |error| AppDirError::from_io(name, error);
        let (folder, base) = match trim_trailing_slash(name).rsplit_once('/') {
            Some((parent, base)) => (self.open_folder(parent)?, base),
            None => (self.clone(), trim_trailing_slash(name)),
        };
        failpoint::hit("open journal").map_err(failed)?;
        let (file, opened) = folder.open_regular(base, OpenOptions::new().read(true).append(true))?;
        failpoint::hit("lock").map_err(failed)?;
        acquire_lock(&file, name)?;
        // Who had the lock until now may have removed the file, and somebody else created another one.
        if folder.stat_nofollow(base)?.file_id != opened.file_id {
            return Err(AppDirError::NotFound(name.to_owned()));
        }
        let end = Stat::from_metadata(&file.metadata().map_err(failed)?).len;
        if end > MAX_JOURNAL_BYTES {
            return Err(AppDirError::TooLarge { name: name.to_owned(), len: end, limit: MAX_JOURNAL_BYTES });
        }
        let len = find_last_line_end(&file, end).map_err(failed)?;
        Ok(JournalFile { folder, name: base.to_owned(), file, len, has_torn_tail: len < end, is_name_durable: false })
    }
}

impl JournalFile {
    /// Appends whole lines, each with its end, in one write. They survive the death of this process; for the loss of power
    /// there is [`Self::flush`]. Of several lines the first may be there when the process dies in the middle.
    ///
    /// # Errors
    /// When the disk does not take them: then none of them is there. [`AppDirError::TooLarge`] when the journal would be.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), AppDirError> {
        if !lines.ends_with(b"\n") {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "a journal takes whole lines");
            return Err(AppDirError::Io { name: self.name.clone(), source });
        }
        let len = self.len + lines.len() as u64;
        if len > MAX_JOURNAL_BYTES {
            return Err(AppDirError::TooLarge { name: self.name.clone(), len, limit: MAX_JOURNAL_BYTES });
        }
        self.truncate_torn_tail()?;
        self.has_torn_tail = true;
        match failpoint::hit("write").and_then(|()| self.file.write_all(lines)) {
            Ok(()) => {
                (self.len, self.has_torn_tail) = (len, false);
                Ok(())
            }
            Err(error) => {
                // Where this fails too, the next line is not written before it was done.
                let _ = self.truncate_torn_tail();
                Err(self.io_error(error))
            }
        }
    }

    /// Waits until every line, and the file's name, is on the disk.
    ///
    /// # Errors
    /// When the disk fails. What was appended since the last flush may then not outlast a loss of power.
    pub fn flush(&mut self) -> Result<(), AppDirError> {
        failpoint::hit("flush").and_then(|()| self.file.sync_data()).map_err(|error| self.io_error(error))?;
        if !self.is_name_durable {
            let flushed = failpoint::hit("flush names").and_then(|()| self.folder.sync_dir());
            flushed.map_err(|error| self.io_error(error))?;
            self.is_name_durable = true;
        }
        Ok(())
    }

    /// The bytes of all whole lines.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All whole lines, when they have at most `limit` bytes.
    ///
    /// # Errors
    /// [`AppDirError::TooLarge`] when they have more, or when the disk fails.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, AppDirError> {
        let too_large = || AppDirError::TooLarge { name: self.name.clone(), len: self.len, limit };
        let len = usize::try_from(self.len).ok().filter(|_| self.len <= limit).ok_or_else(too_large)?;
        let mut lines = vec![0; len];
        self.file.read_exact_at(&mut lines, 0).map_err(|error| self.io_error(error))?;
        Ok(lines)
    }

    /// Gives the file another name in its folder, in place of whatever has that name.
    ///
    /// # Errors
    /// When the disk does not take it: then it keeps its name.
    pub fn rename(&mut self, name: &str) -> Result<(), AppDirError> {
        let renamed =
            failpoint::hit("rename").and_then(|()| self.folder.dir.rename(&self.name, &self.folder.dir, name));
        renamed.map_err(|error| self.io_error(error))?;
        (self.name, self.is_name_durable) = (name.to_owned(), false);
        Ok(())
    }

    /// Lets go of the lock: others may go on with the journal, until [`Self::wake`].
    ///
    /// # Errors
    /// When the system keeps it.
    pub fn unlock(&mut self) -> Result<(), AppDirError> {
        flock(&self.file, FlockOperation::Unlock).map_err(|error| self.io_error(error.into()))
    }

    /// Takes the lock again; whether everything is as it was when it was let go of. Else this value is of no use any more.
    ///
    /// # Errors
    /// [`AppDirError::LockedPackage`] soon when somebody else has it open, or when the disk fails.
    pub fn relock(&mut self) -> Result<bool, AppDirError> {
        acquire_lock(&self.file, &self.name)?;
        let ours = Stat::from_metadata(&self.file.metadata().map_err(|error| self.io_error(error))?);
        match self.folder.stat_nofollow(&self.name) {
            // Lines are only ever added, and a journal that is over has another name.
            Ok(found) => Ok(found.file_id == ours.file_id && ours.len == self.len),
            Err(AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the file, and lets go of the lock only then.
    ///
    /// # Errors
    /// As [`Folder::remove`].
    pub fn remove(self) -> Result<(), AppDirError> {
        self.folder.remove_file(&self.name)
    }

    /// Cuts off what follows the last whole line.
    fn truncate_torn_tail(&mut self) -> Result<(), AppDirError> {
        if self.has_torn_tail {
            let cut = failpoint::hit("cut").and_then(|()| self.file.set_len(self.len));
            cut.map_err(|error| self.io_error(error))?;
            self.has_torn_tail = false;
        }
        Ok(())
    }

    fn io_error(&self, error: io::Error) -> AppDirError {
        AppDirError::from_io(&self.name, error)
    }
}

/// Lets go of the lock whoever else still has the descriptor, as a process does that is just being started.
impl Drop for JournalFile {
    fn drop(&mut self) {
        drop(self.unlock());
    }
}

/// Takes the lock. Who only looks whether it is taken ([`Folder::is_locked`]) has it for a moment.
fn acquire_lock(file: impl AsFd, name: &str) -> Result<(), AppDirError> {
    const MAX_LOCK_RETRIES: u32 = 10;
    const LOCK_RETRY_DELAY: Duration = Duration::from_millis(2);
    for look in 0..=MAX_LOCK_RETRIES {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if look < MAX_LOCK_RETRIES => thread::sleep(LOCK_RETRY_DELAY),
            Err(rustix::io::Errno::WOULDBLOCK) => break,
            taken => return taken.map_err(|error| AppDirError::from_io(name, error.into())),
        }
    }
    Err(AppDirError::Locked(name.to_owned()))
}

/// Where the last line end of the first `end` bytes is over; what a killed writer left may be as long as any line.
fn find_last_line_end(file: &File, end: u64) -> io::Result<u64> {
    let mut buffer = vec![0; JOURNAL_READ_CHUNK_BYTES];
    let mut end = end;
    while end > 0 {
        let start = end.saturating_sub(JOURNAL_READ_CHUNK_BYTES as u64);
        let chunk = usize::try_from(end - start).ok().and_then(|len| buffer.get_mut(..len)).unwrap_or_default();
        file.read_exact_at(chunk, start)?;
        if let Some(at) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
