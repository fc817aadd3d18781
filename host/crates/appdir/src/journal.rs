//! Append-only files with one writer at a time: the journals of runs.
//!
//! Owns: the lock, which is on the file itself and held as long as the value lives, except between
//! [`JournalFile::unlock`] and [`JournalFile::relock`]; the end of the last complete line; and when lines, and the
//! file's name, are on the disk.
//! Never: changes an existing line, or takes a line that a crash or a full disk cut short for a whole one.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use cap_std::fs::{File, FileExt as _, Metadata, OpenOptions};
use rustix::fs::{FlockOperation, flock};

use super::fence::HeldFences;
use super::{AppDirError, FileId, Folder, Privacy, Stat, failpoint};
use crate::limits::{JOURNAL_READ_CHUNK_BYTES, MAX_FAILED_FLUSHES, MAX_JOURNAL_BYTES};

/// How often a journal is opened whose name leads to another file once it is locked.
const MAX_LOCK_ATTEMPTS: usize = 3;

/// An open journal. While its lock is held, no other process and no other value in this one has it open.
#[derive(Debug)]
pub struct JournalFile {
    /// The folder that contains the file; `name` is relative to it.
    folder: Folder,
    name: String,
    file: File,
    /// The offset at which the last whole line ends.
    len: u64,
    /// The length of the file, with what a killed writer left behind the last whole line.
    end: u64,
    /// Whether bytes may follow after `len`. They are cut off before the next line is appended.
    has_torn_tail: bool,
    /// Whether the file's name is on the disk.
    is_name_durable: bool,
    /// Whether other machines may open the journal while this one believes that it holds the lock.
    is_shared: bool,
    /// Whether another process may have the journal since: nothing is appended any more.
    is_lost: bool,
    /// Whether a flush failed, of this value or of one before it.
    must_copy: bool,
    /// The locks under which the journal was opened.
    fences: HeldFences,
}

impl Folder {
    /// Creates a journal that must not exist. Its lock is taken before it gets its name, so no other opener can get the
    /// lock first.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`], or as [`Folder::create_file`].
    pub fn create_journal(&self, name: &str, privacy: Privacy) -> Result<JournalFile, AppDirError> {
        self.with_parent(name, |parent, base| {
            // Before the journal has its name: where this fails, there is none.
            let is_shared = parent.is_shared().map_err(io::Error::other)?;
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
                end: 0,
                has_torn_tail: false,
                is_name_durable: false,
                is_shared,
                is_lost: false,
                must_copy: false,
                fences: HeldFences::of_thread(),
            })
        })
    }

    /// Opens an existing journal for appending. The file is not changed before the next line is appended.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] after a short wait when the journal is open elsewhere, [`AppDirError::TooLarge`] for a
    /// file larger than any journal of ours, or as [`Folder::read`].
    pub fn open_journal(&self, name: &str) -> Result<JournalFile, AppDirError> {
        self.ensure_writable(name)?;
        let failed = |error| AppDirError::from_io(name, error);
        let (folder, base) = self.open_parent(name)?;
        failpoint::hit("open journal").map_err(failed)?;
        let mut attempts_left = MAX_LOCK_ATTEMPTS;
        let file = loop {
            let (file, opened) = folder.open_regular(base, OpenOptions::new().read(true).append(true))?;
            failpoint::hit("lock").map_err(failed)?;
            acquire_lock(&file, name)?;
            // The previous holder of the lock may have removed the file, or given its name to a copy.
            if folder.stat_nofollow(base)?.file_id == opened.file_id {
                break file;
            }
            attempts_left -= 1;
            if attempts_left == 0 {
                return Err(AppDirError::Locked(name.to_owned()));
            }
        };
        let metadata = file.metadata().map_err(failed)?;
        let end = Stat::from_metadata(&metadata).len;
        if end > MAX_JOURNAL_BYTES {
            return Err(AppDirError::TooLarge { name: name.to_owned(), len: end, limit: MAX_JOURNAL_BYTES });
        }
        let len = find_last_line_end(&file, end).map_err(failed)?;
        Ok(JournalFile {
            is_shared: folder.is_shared()?,
            folder,
            name: base.to_owned(),
            file,
            len,
            end,
            has_torn_tail: len < end,
            is_name_durable: false,
            is_lost: false,
            must_copy: FailedFlushes::contains(&metadata),
            fences: HeldFences::of_thread(),
        })
    }
}

/// The files of which a flush failed in this process. The system reports that once, and takes what it could not write for
/// written: another value that opened such a file would hear of nothing.
struct FailedFlushes;

/// With the time of its creation, since another file may get its number.
type FailedFile = (FileId, Option<SystemTime>);

/// The oldest first.
static FAILED_FLUSHES: Mutex<VecDeque<FailedFile>> = Mutex::new(VecDeque::new());

impl FailedFlushes {
    fn insert(metadata: &Metadata) {
        let mut failed = FAILED_FLUSHES.lock().unwrap_or_else(PoisonError::into_inner);
        let file = Self::file_of(metadata);
        if failed.contains(&file) {
            return;
        }
        if failed.len() >= MAX_FAILED_FLUSHES {
            failed.pop_front();
        }
        failed.push_back(file);
    }

    fn contains(metadata: &Metadata) -> bool {
        FAILED_FLUSHES.lock().unwrap_or_else(PoisonError::into_inner).contains(&Self::file_of(metadata))
    }

    fn file_of(metadata: &Metadata) -> FailedFile {
        (Stat::from_metadata(metadata).file_id, metadata.created().ok().map(cap_std::time::SystemTime::into_std))
    }
}

impl JournalFile {
    /// Appends whole lines, each with its newline, in one write. They survive the death of this process;
    /// [`Self::flush`] makes them survive a loss of power. If the process dies during the write, only the first of
    /// several lines may be there.
    ///
    /// # Errors
    /// When the write fails: then none of the lines is there. [`AppDirError::TooLarge`] when the journal would be, and
    /// [`AppDirError::Locked`] when another process took it over, which only a file system that other machines use makes
    /// possible.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), AppDirError> {
        if !lines.ends_with(b"\n") {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "the text does not end with a newline");
            return Err(AppDirError::Io { name: self.name.clone(), source });
        }
        let len = self.len + lines.len() as u64;
        if len > MAX_JOURNAL_BYTES {
            return Err(AppDirError::TooLarge { name: self.name.clone(), len, limit: MAX_JOURNAL_BYTES });
        }
        self.ensure_held()?;
        self.truncate_torn_tail()?;
        self.has_torn_tail = true;
        match failpoint::hit("write").and_then(|()| self.file.write_all(lines)) {
            Ok(()) => {
                (self.len, self.end, self.has_torn_tail) = (len, len, false);
                Ok(())
            }
            // A cut could take what another machine has appended by now.
            Err(error) if self.is_shared => {
                self.is_lost = true;
                Err(self.io_error(error))
            }
            Err(error) => {
                // If this fails too, the next append retries it before it writes.
                let _ = self.truncate_torn_tail();
                Err(self.io_error(error))
            }
        }
    }

    /// Waits until every line, and the file's name, is on the disk.
    ///
    /// # Errors
    /// When the disk fails. Lines appended since the last flush may then be lost in a power failure.
    pub fn flush(&mut self) -> Result<(), AppDirError> {
        if self.must_copy {
            self.copy_to_new_file()?;
        }
        if let Err(error) = failpoint::hit("flush").and_then(|()| self.file.sync_data()) {
            // A client that keeps writes back fails here.
            self.is_lost |= self.is_shared;
            self.must_copy = true;
            if let Ok(metadata) = self.file.metadata() {
                FailedFlushes::insert(&metadata);
            }
            return Err(self.io_error(error));
        }
        if !self.is_name_durable {
            let flushed = failpoint::hit("flush names").and_then(|()| self.folder.sync_dir());
            flushed.map_err(|error| self.io_error(error))?;
            self.is_name_durable = true;
        }
        Ok(())
    }

    /// Gives the journal's name to a new file with the same lines, which are written once more.
    fn copy_to_new_file(&mut self) -> Result<(), AppDirError> {
        self.ensure_held()?;
        let lines = self.read(MAX_JOURNAL_BYTES)?;
        let mut options = OpenOptions::new();
        let made = self.folder.create_temporary(&self.name, options.read(true).append(true), Privacy::Owner);
        let (temporary, mut file) = made.map_err(|error| self.io_error(error))?;
        let mut fill = || {
            failpoint::hit("write")?;
            file.write_all(&lines)?;
            failpoint::hit("flush")?;
            file.sync_data()?;
            flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)
        };
        let replaced = fill().map_err(|error| self.io_error(error)).and_then(|()| {
            // Another machine may have taken over while all of it was flushed.
            self.ensure_held()?;
            let renamed = failpoint::hit("rename")
                .and_then(|()| self.folder.dir.rename(&temporary, &self.folder.dir, &self.name));
            renamed.map_err(|error| self.io_error(error))
        });
        if let Err(error) = replaced {
            drop(self.folder.dir.remove_file(&temporary));
            return Err(error);
        }
        // A process that waits for the lock of the old file finds that this file has no name any more.
        (self.file, self.end, self.has_torn_tail) = (file, self.len, false);
        (self.is_name_durable, self.must_copy) = (false, false);
        Ok(())
    }

    /// Whether bytes follow the last whole line: one that was being written, or that a loss of power damaged.
    #[must_use]
    pub const fn has_torn_tail(&self) -> bool {
        self.has_torn_tail
    }

    /// Returns the length of all whole lines in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns all whole lines, if they have at most `limit` bytes.
    ///
    /// # Errors
    /// [`AppDirError::TooLarge`] when they have more, or an I/O error.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, AppDirError> {
        let too_large = || AppDirError::TooLarge { name: self.name.clone(), len: self.len, limit };
        let len = usize::try_from(self.len).ok().filter(|_| self.len <= limit).ok_or_else(too_large)?;
        let mut lines = vec![0; len];
        self.file.read_exact_at(&mut lines, 0).map_err(|error| self.io_error(error))?;
        Ok(lines)
    }

    /// Renames the file within its folder, replacing any file of that name.
    ///
    /// # Errors
    /// When the rename fails: then the file keeps its name.
    pub fn rename(&mut self, name: &str) -> Result<(), AppDirError> {
        self.ensure_held()?;
        let renamed =
            failpoint::hit("rename").and_then(|()| self.folder.dir.rename(&self.name, &self.folder.dir, name));
        renamed.map_err(|error| self.io_error(error))?;
        (self.name, self.is_name_durable) = (name.to_owned(), false);
        Ok(())
    }

    /// Releases the lock: others may append to the journal, until [`Self::relock`].
    ///
    /// # Errors
    /// When the system call fails.
    pub fn unlock(&mut self) -> Result<(), AppDirError> {
        flock(&self.file, FlockOperation::Unlock).map_err(|error| self.io_error(error.into()))
    }

    /// Takes the lock again, and returns whether the journal is unchanged since [`Self::unlock`]. If not, this value
    /// must not be used any more.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] after a short wait when the journal is open elsewhere, or an I/O error.
    pub fn relock(&mut self) -> Result<bool, AppDirError> {
        acquire_lock(&self.file, &self.name)?;
        if self.is_lost {
            return Ok(false);
        }
        let ours = Stat::from_metadata(&self.file.metadata().map_err(|error| self.io_error(error))?);
        match self.folder.stat_nofollow(&self.name) {
            // Lines are only ever appended, and a finished journal has another name.
            Ok(found) => Ok(found.file_id == ours.file_id && ours.len == self.len),
            Err(AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Fails where another process may have the journal although this value holds its lock, or where a lock was lost under
    /// which it was opened. The length of the file is compared: of two processes that change one journal, the second one finds
    /// another length.
    fn ensure_held(&mut self) -> Result<(), AppDirError> {
        if !self.is_shared {
            return Ok(());
        }
        let ours = Stat::from_metadata(&self.file.metadata().map_err(|error| self.io_error(error))?);
        let is_named = match self.folder.stat_nofollow(&self.name) {
            Ok(found) => found.file_id == ours.file_id && found.len == self.end,
            Err(AppDirError::NotFound(_)) => false,
            Err(error) => return Err(error),
        };
        self.is_lost |= !is_named;
        self.fences.check().map_err(|error| self.io_error(error))?;
        if self.is_lost { Err(AppDirError::Locked(self.name.clone())) } else { Ok(()) }
    }

    /// Whether its name is no longer that of this file, so that no reader finds what is appended.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        let Ok(own) = self.file.metadata() else { return false };
        match self.folder.stat_nofollow(&self.name) {
            Ok(found) => found.file_id != Stat::from_metadata(&own).file_id,
            Err(error) => matches!(error, AppDirError::NotFound(_)),
        }
    }

    /// Removes the file, and releases the lock only then.
    ///
    /// # Errors
    /// As [`Folder::remove_file`].
    pub fn remove(mut self) -> Result<(), AppDirError> {
        self.ensure_held()?;
        self.folder.remove_file(&self.name)
    }

    /// Removes the file as [`Self::remove`] does, if it still has the length that a listing showed: lines are only ever
    /// appended. Returns whether it had.
    ///
    /// # Errors
    /// As [`Self::remove`].
    pub fn remove_if_unchanged(self, listed_len: u64) -> Result<bool, AppDirError> {
        if self.end != listed_len {
            return Ok(false);
        }
        self.remove().map(|()| true)
    }

    /// Removes a file that this value created and that no other process was told of, whatever became of its lines.
    ///
    /// # Errors
    /// As [`Folder::remove_file`].
    pub fn discard(self) -> Result<(), AppDirError> {
        self.folder.remove_file(&self.name)
    }

    /// Cuts off the bytes after the last whole line.
    fn truncate_torn_tail(&mut self) -> Result<(), AppDirError> {
        if self.has_torn_tail {
            let cut = failpoint::hit("cut").and_then(|()| self.file.set_len(self.len));
            cut.map_err(|error| self.io_error(error))?;
            (self.end, self.has_torn_tail) = (self.len, false);
        }
        Ok(())
    }

    fn io_error(&self, error: io::Error) -> AppDirError {
        AppDirError::from_io(&self.name, error)
    }
}

/// Releases the lock even if another process still has the descriptor, as a process that is just being started does.
impl Drop for JournalFile {
    fn drop(&mut self) {
        drop(self.unlock());
    }
}

/// Takes the lock, with a few retries: [`Folder::is_locked`] holds it for a moment while it checks.
fn acquire_lock(file: impl AsFd, name: &str) -> Result<(), AppDirError> {
    const MAX_LOCK_RETRIES: u32 = 10;
    const LOCK_RETRY_DELAY: Duration = Duration::from_millis(2);
    for attempt in 0..=MAX_LOCK_RETRIES {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if attempt < MAX_LOCK_RETRIES => thread::sleep(LOCK_RETRY_DELAY),
            Err(rustix::io::Errno::WOULDBLOCK) => break,
            taken => return taken.map_err(|error| AppDirError::from_io(name, error.into())),
        }
    }
    Err(AppDirError::Locked(name.to_owned()))
}

/// Returns the offset after the last newline within the first `end` bytes. The tail that a killed writer left may be as
/// long as any line.
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
