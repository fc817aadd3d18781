//! Advisory locks between processes on one AppDir.
//!
//! Never: waits without an end, or leaves a lock behind: the system drops it with the process.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::OpenOptions;

use super::{AppDirError, Folder, failpoint};
use crate::limits::LOCK_TIMEOUT;

/// A held lock. It ends when this value is dropped, or with the process.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl Folder {
    /// Takes the lock whose file is `name`, which is created when missing and stays empty.
    ///
    /// # Errors
    /// [`AppDirError::LockedPackage`] when another process keeps it for longer than [`LOCK_TIMEOUT`].
    pub fn lock(&self, name: &str) -> Result<FileLock, AppDirError> {
        self.ensure_writable(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let opened = failpoint::hit("open lock").and_then(|()| self.dir.open_with(name, &options));
        let file = opened.map_err(|error| AppDirError::from_io(name, error))?.into_std();
        failpoint::hit("lock").map_err(|error| AppDirError::from_io(name, error))?;
        lock_with_timeout(file).map_err(|error| match error {
            TryLockError::WouldBlock => AppDirError::Locked(name.into()),
            TryLockError::Error(error) => AppDirError::from_io(name, error),
        })
    }

    /// Whether a process holds the lock whose file is `name`. Where there is no such file, none does; what cannot be found
    /// out, as where no further file can be opened, counts as held: whoever holds it is left alone.
    #[must_use]
    pub fn is_locked(&self, name: &str) -> bool {
        // Never one that waits for a writer. Whoever gets it lets go of it at once.
        match self.open_file(name) {
            Ok((file, _)) => file.into_std().try_lock().is_err(),
            Err(AppDirError::NotFound(_)) => false,
            Err(_) => true,
        }
    }
}

/// Waits for the lock of a file or a folder, for [`LOCK_TIMEOUT`] at most.
pub(super) fn lock_with_timeout(file: File) -> Result<FileLock, TryLockError> {
    // Most holders are done in less than a millisecond; one that is not costs its waiters little.
    const INITIAL_BACKOFF: Duration = Duration::from_micros(50);
    const MAX_BACKOFF: Duration = Duration::from_millis(5);
    let (deadline, mut pause) = (Instant::now() + LOCK_TIMEOUT, INITIAL_BACKOFF);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(FileLock { _file: file }),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(pause);
                pause = MAX_BACKOFF.min(pause * 2);
            }
            Err(error) => return Err(error),
        }
    }
}
