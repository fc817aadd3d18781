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

use super::folder::plain;
use super::{AppDirError, Folder, Privacy, Stat, fault};
use wardroom_base::limits::{JOURNAL_CHUNK_BYTES, MAX_JOURNAL_BYTES};

/// An open journal. No other process, and nobody else in this one, has it open meanwhile, unless it rests.
#[derive(Debug)]
pub struct Journal {
    /// The folder that it lies in, and its name there.
    folder: Folder,
    name: String,
    file: File,
    /// Where the last whole line ends.
    len: u64,
    /// Whether something may follow there, which is cut off before the next line.
    torn: bool,
    /// Whether its name is on the disk.
    named: bool,
}

impl Folder {
    /// Creates a journal that must not exist, and takes its lock before it has its name: nobody can come in between.
    ///
    /// # Errors
    /// [`AppDirError::Exists`], or as [`Folder::create`].
    pub fn create_journal(&self, name: &str, privacy: Privacy) -> Result<Journal, AppDirError> {
        self.in_parent(name, |parent, base| {
            let mut options = OpenOptions::new();
            let (temporary, file) = parent.create_temporary(base, options.read(true).append(true), privacy)?;
            let take = || {
                fault::point("lock")?;
                flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                parent.take_name(&temporary, base)
            };
            take().inspect_err(|_: &io::Error| {
                let _ = parent.dir.remove_file(&temporary);
            })?;
            Ok(Journal { folder: parent.clone(), name: base.to_owned(), file, len: 0, torn: false, named: false })
        })
    }

    /// Opens a journal to go on with it. Nothing is changed before the next line is appended.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] soon when somebody else has it open, [`AppDirError::TooLarge`] for one that no journal
    /// of ours can be, or as [`Folder::read`].
    pub fn open_journal(&self, name: &str) -> Result<Journal, AppDirError> {
        self.writable(name)?;
        let failed = |error| AppDirError::of(name, error);
        let (folder, base) = match plain(name).rsplit_once('/') {
            Some((parent, base)) => (self.folder(parent)?, base),
            None => (self.clone(), plain(name)),
        };
        fault::point("open journal").map_err(failed)?;
        let (file, opened) = folder.open_regular(base, OpenOptions::new().read(true).append(true))?;
        fault::point("lock").map_err(failed)?;
        take(&file, name)?;
        // Who had the lock until now may have removed the file, and somebody else created another one.
        if folder.stat_here(base)?.identity != opened.identity {
            return Err(AppDirError::NotFound(name.to_owned()));
        }
        let end = Stat::of(&file.metadata().map_err(failed)?).len;
        if end > MAX_JOURNAL_BYTES {
            return Err(AppDirError::TooLarge { name: name.to_owned(), len: end, limit: MAX_JOURNAL_BYTES });
        }
        let len = end_of_lines(&file, end).map_err(failed)?;
        Ok(Journal { folder, name: base.to_owned(), file, len, torn: len < end, named: false })
    }
}

impl Journal {
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
        self.cut()?;
        self.torn = true;
        match fault::point("write").and_then(|()| self.file.write_all(lines)) {
            Ok(()) => {
                (self.len, self.torn) = (len, false);
                Ok(())
            }
            Err(error) => {
                // Where this fails too, the next line is not written before it was done.
                let _ = self.cut();
                Err(self.failed(error))
            }
        }
    }

    /// Waits until every line, and the file's name, is on the disk.
    ///
    /// # Errors
    /// When the disk fails. What was appended since the last flush may then not outlast a loss of power.
    pub fn flush(&mut self) -> Result<(), AppDirError> {
        fault::point("flush").and_then(|()| self.file.sync_data()).map_err(|error| self.failed(error))?;
        if !self.named {
            let flushed = fault::point("flush names").and_then(|()| self.folder.flush_names());
            flushed.map_err(|error| self.failed(error))?;
            self.named = true;
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
        self.file.read_exact_at(&mut lines, 0).map_err(|error| self.failed(error))?;
        Ok(lines)
    }

    /// Gives the file another name in its folder, in place of whatever has that name.
    ///
    /// # Errors
    /// When the disk does not take it: then it keeps its name.
    pub fn rename(&mut self, name: &str) -> Result<(), AppDirError> {
        let renamed = fault::point("rename").and_then(|()| self.folder.dir.rename(&self.name, &self.folder.dir, name));
        renamed.map_err(|error| self.failed(error))?;
        (self.name, self.named) = (name.to_owned(), false);
        Ok(())
    }

    /// Lets go of the lock: others may go on with the journal, until [`Self::wake`].
    ///
    /// # Errors
    /// When the system keeps it.
    pub fn rest(&mut self) -> Result<(), AppDirError> {
        flock(&self.file, FlockOperation::Unlock).map_err(|error| self.failed(error.into()))
    }

    /// Takes the lock again; whether everything is as it was when it was let go of. Else this value is of no use any more.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] soon when somebody else has it open, or when the disk fails.
    pub fn wake(&mut self) -> Result<bool, AppDirError> {
        take(&self.file, &self.name)?;
        let ours = Stat::of(&self.file.metadata().map_err(|error| self.failed(error))?);
        match self.folder.stat_here(&self.name) {
            // Lines are only ever added, and a journal that is over has another name.
            Ok(found) => Ok(found.identity == ours.identity && ours.len == self.len),
            Err(AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the file, and lets go of the lock only then.
    ///
    /// # Errors
    /// As [`Folder::remove`].
    pub fn remove(self) -> Result<(), AppDirError> {
        self.folder.remove(&self.name)
    }

    /// Cuts off what follows the last whole line.
    fn cut(&mut self) -> Result<(), AppDirError> {
        if self.torn {
            let cut = fault::point("cut").and_then(|()| self.file.set_len(self.len));
            cut.map_err(|error| self.failed(error))?;
            self.torn = false;
        }
        Ok(())
    }

    fn failed(&self, error: io::Error) -> AppDirError {
        AppDirError::of(&self.name, error)
    }
}

/// Lets go of the lock whoever else still has the descriptor, as a process does that is just being started.
impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.rest());
    }
}

/// Takes the lock. Who only looks whether it is taken ([`Folder::is_locked`]) has it for a moment.
fn take(file: impl AsFd, name: &str) -> Result<(), AppDirError> {
    const LOOKS: u32 = 10;
    const PAUSE: Duration = Duration::from_millis(2);
    for look in 0..=LOOKS {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if look < LOOKS => thread::sleep(PAUSE),
            Err(rustix::io::Errno::WOULDBLOCK) => break,
            taken => return taken.map_err(|error| AppDirError::of(name, error.into())),
        }
    }
    Err(AppDirError::Locked(name.to_owned()))
}

/// Where the last line end of the first `end` bytes is over; what a killed writer left may be as long as any line.
fn end_of_lines(file: &File, end: u64) -> io::Result<u64> {
    let mut buffer = vec![0; JOURNAL_CHUNK_BYTES];
    let mut end = end;
    while end > 0 {
        let start = end.saturating_sub(JOURNAL_CHUNK_BYTES as u64);
        let chunk = usize::try_from(end - start).ok().and_then(|len| buffer.get_mut(..len)).unwrap_or_default();
        file.read_exact_at(chunk, start)?;
        if let Some(at) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
