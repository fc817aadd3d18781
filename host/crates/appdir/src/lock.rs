//! Advisory locks between processes on one AppDir.
//!
//! Never: waits without an end, or leaves a lock behind: the system drops it with the process.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::OpenOptions;

use super::{AppDirError, Folder, fault};
use wardroom_base::limits::LOCK_TIME;

/// A held lock. It ends when this value is dropped, or with the process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Folder {
    /// Takes the lock whose file is `name`, which is created when missing and stays empty.
    ///
    /// # Errors
    /// [`AppDirError::Locked`] when another process keeps it for longer than [`LOCK_TIME`].
    pub fn lock(&self, name: &str) -> Result<Lock, AppDirError> {
        self.writable(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let opened = fault::point("open lock").and_then(|()| self.dir.open_with(name, &options));
        let file = opened.map_err(|error| AppDirError::of(name, error))?.into_std();
        fault::point("lock").map_err(|error| AppDirError::of(name, error))?;
        wait_for(file).map_err(|error| match error {
            TryLockError::WouldBlock => AppDirError::Locked(name.into()),
            TryLockError::Error(error) => AppDirError::of(name, error),
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

/// Waits for the lock of a file or a folder, for [`LOCK_TIME`] at most.
pub(super) fn wait_for(file: File) -> Result<Lock, TryLockError> {
    // Most holders are done in less than a millisecond; one that is not costs its waiters little.
    const FIRST_PAUSE: Duration = Duration::from_micros(50);
    const LONGEST_PAUSE: Duration = Duration::from_millis(5);
    let (deadline, mut pause) = (Instant::now() + LOCK_TIME, FIRST_PAUSE);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(pause);
                pause = LONGEST_PAUSE.min(pause * 2);
            }
            Err(error) => return Err(error),
        }
    }
}
