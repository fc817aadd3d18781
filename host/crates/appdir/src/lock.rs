//! Advisory locks between processes on one AppDir.
//!
//! Never: waits without a timeout, or leaves a lock behind: the system drops it with the process.

use std::fs::{File, TryLockError};
use std::marker::PhantomData;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::OpenOptions;

use super::fence::Fence;
use super::{AppDirError, Folder, Privacy, failpoint};
use crate::limits::LOCK_TIMEOUT;

/// A held lock. It is released when this value is dropped, or when the process ends. What its thread commits meanwhile is
/// refused once the lock is lost, which happens only on a file system that other machines use.
#[derive(Debug)]
pub struct FileLock {
    _fence: Option<Arc<Fence>>,
    _lock: UnfencedLock,
    /// Another thread would commit without that check.
    _stays_in_thread: PhantomData<*const ()>,
}

/// A held lock under which nothing is committed that another holder could contradict: it says that its holder is there, or
/// lasts for one append.
#[derive(Debug)]
pub struct UnfencedLock {
    file: File,
}

impl Folder {
    /// Takes the lock whose file is `name`, which is created when missing.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] when another process holds it for longer than [`LOCK_TIMEOUT`].
    pub fn lock(&self, name: &str) -> Result<FileLock, AppDirError> {
        let lock = self.lock_unfenced(name)?;
        let fence = Fence::raise(self, name, &lock.file)?;
        Ok(FileLock { _fence: fence, _lock: lock, _stays_in_thread: PhantomData })
    }

    /// Takes a lock as [`Self::lock`] does, under which nothing is committed.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub fn lock_unfenced(&self, name: &str) -> Result<UnfencedLock, AppDirError> {
        self.ensure_writable(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        self.set_file_mode(&mut options, Privacy::Shared, None);
        let opened = failpoint::hit("open lock").and_then(|()| self.dir.open_with(name, &options));
        let file = opened.map_err(|error| self.lookup_error(name, error))?.into_std();
        failpoint::hit("lock").map_err(|error| AppDirError::from_io(name, error))?;
        lock_with_timeout(file).map_err(|error| match error {
            TryLockError::WouldBlock => AppDirError::Locked(name.into()),
            TryLockError::Error(error) => AppDirError::from_io(name, error),
        })
    }

    /// Whether a process holds the lock whose file is `name`. Without such a file no process does. A lock that cannot
    /// be checked, such as when no further file can be opened, counts as held, so that its holder is left alone.
    #[must_use]
    pub fn is_locked(&self, name: &str) -> bool {
        // The open does not block on a pipe. A lock that this check gets is released at once. It is a shared one: NFS gives
        // an exclusive one only to who may write, and two checks at once would see each other.
        match self.open_file(name) {
            Ok((file, _)) => file.into_std().try_lock_shared().is_err(),
            Err(AppDirError::NotFound(_)) => false,
            Err(_) => true,
        }
    }
}

/// Waits for the lock of a file or a folder, for at most [`LOCK_TIMEOUT`].
pub(super) fn lock_with_timeout(file: File) -> Result<UnfencedLock, TryLockError> {
    lock_within(file, LOCK_TIMEOUT)
}

/// Waits for the lock of a file or a folder, for at most as long.
pub(super) fn lock_within(file: File, timeout: Duration) -> Result<UnfencedLock, TryLockError> {
    // Most holders are done in less than a millisecond; a slow one costs its waiters little.
    const INITIAL_BACKOFF: Duration = Duration::from_micros(50);
    const MAX_BACKOFF: Duration = Duration::from_millis(5);
    let (deadline, mut pause) = (Instant::now() + timeout, INITIAL_BACKOFF);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(UnfencedLock { file }),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(pause);
                pause = MAX_BACKOFF.min(pause * 2);
            }
            Err(error) => return Err(error),
        }
    }
}
