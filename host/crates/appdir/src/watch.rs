//! Being told that something in a folder changed.
//!
//! Owns: the watches of the kernel. A folder is watched through its handle, so what is watched is what was opened,
//! whatever its name leads to by now.
//! Never: reports what was only read, or says what has changed: that is found out by looking.
//!
//! The crate `notify` also asks for an event whenever a file is opened. Every read of a watched file would then wake
//! another thread.

use std::collections::HashSet;

use super::{AppDirError, Folder};

/// Device and inode of a folder.
pub type FileId = (u64, u64);

/// Where there may have been a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderChanges {
    Folders(HashSet<FileId>),
    /// More than could be told apart.
    Overflow,
}

impl FolderChanges {
    #[must_use]
    pub fn empty() -> Self {
        Self::Folders(HashSet::new())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Folders(folders) if folders.is_empty())
    }

    pub fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Folders(folders), Self::Folders(more)) => folders.extend(more),
            (all, _) => *all = Self::Overflow,
        }
    }

    /// Whether one of `folders` may have changed.
    #[must_use]
    pub fn affects_any(&self, folders: &HashSet<FileId>) -> bool {
        match self {
            Self::Folders(changed) => !changed.is_disjoint(folders),
            Self::Overflow => true,
        }
    }
}

#[cfg(target_os = "linux")]
pub use self::linux::FolderWatcher;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{AppDirError, FileId, Folder, FolderChanges};

    /// The watched folders.
    #[derive(Debug)]
    pub struct FolderWatcher {
        inotify: OwnedFd,
        wake_event: OwnedFd,
        watches: Mutex<HashMap<i32, FileId>>,
    }

    impl FolderWatcher {
        /// # Errors
        /// When the system has no more queues to give.
        pub fn new() -> io::Result<Self> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let woken = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
            Ok(Self { inotify: queue, wake_event: woken, watches: Mutex::default() })
        }

        /// Waits until there are changes, somebody calls [`Self::wake`], or the time is over: only then it is false.
        pub fn wait(&self, time: Option<Duration>) -> bool {
            let time = time.and_then(|time| time.try_into().ok());
            let mut ends = [&self.inotify, &self.wake_event].map(|end| PollFd::new(end, PollFlags::IN));
            let timed_out = poll(&mut ends, time.as_ref()) == Ok(0);
            let _ = rustix::io::read(&self.wake_event, &mut [0; 8]);
            !timed_out
        }

        /// Ends a [`Self::wait`], the next one if none goes on.
        pub fn wake(&self) {
            let _ = rustix::io::write(&self.wake_event, &1u64.to_ne_bytes());
        }

        /// Watches a folder, which may be watched already.
        ///
        /// # Errors
        /// When the system's number of watches is used up, or the folder is on a file system that cannot be watched.
        pub fn watch(&self, folder: &Folder) -> Result<FileId, AppDirError> {
            let id = folder.stat_self()?.file_id;
            let handle = format!("/proc/self/fd/{}", folder.dir.as_fd().as_raw_fd());
            let what = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            // The lock is held meanwhile: the first event may be there before the watch is noted.
            let mut watches = self.lock_watches();
            let watch = inotify::add_watch(&self.inotify, handle, what);
            watches.insert(watch.map_err(|error| AppDirError::from_io(".", error.into()))?, id);
            Ok(id)
        }

        /// Gives up every watch on other folders than these.
        pub fn retain(&self, wanted: &HashSet<FileId>) {
            self.lock_watches().retain(|watch, id| {
                let kept = wanted.contains(id);
                if !kept {
                    // It may have ended with its folder.
                    let _ = inotify::remove_watch(&self.inotify, *watch);
                }
                kept
            });
        }

        /// Where there were changes since this was asked last; with very many of them, the rest is left for the next time.
        pub fn take_changes(&self) -> FolderChanges {
            const MAX_EVENTS: usize = 32 * 1024;
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(&self.inotify, &mut buffer);
            let mut changed = FolderChanges::empty();
            let mut seen = 0;
            // What is in the buffer has left the queue.
            while seen < MAX_EVENTS || !events.is_buffer_empty() {
                seen += 1;
                match events.next() {
                    Ok(event) => changed.merge(self.resolve_event(event.wd(), event.events())),
                    Err(Errno::INTR) => {}
                    Err(_) => break,
                }
            }
            changed
        }

        fn resolve_event(&self, watch: i32, what: ReadFlags) -> FolderChanges {
            if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                return FolderChanges::Overflow;
            }
            let mut watches = self.lock_watches();
            // The watch ended, with its folder or because it was given up.
            let id =
                if what.contains(ReadFlags::IGNORED) { watches.remove(&watch) } else { watches.get(&watch).copied() };
            FolderChanges::Folders(id.into_iter().collect())
        }

        fn lock_watches(&self) -> MutexGuard<'_, HashMap<i32, FileId>> {
            self.watches.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use self::unsupported::FolderWatcher;

#[cfg(not(target_os = "linux"))]
mod unsupported {
    use std::collections::HashSet;
    use std::io;
    use std::time::Duration;

    use super::{AppDirError, FileId, Folder, FolderChanges};

    /// There is none here: whoever wants to know looks again from time to time.
    #[derive(Debug)]
    pub enum FolderWatcher {}

    impl FolderWatcher {
        /// # Errors
        /// Always.
        pub fn new() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// # Errors
        /// Never, as there is none.
        pub fn watch(&self, _folder: &Folder) -> Result<FileId, AppDirError> {
            match *self {}
        }

        pub fn wait(&self, _time: Option<Duration>) -> bool {
            match *self {}
        }

        pub fn wake(&self) {
            match *self {}
        }

        pub fn retain(&self, _wanted: &HashSet<FileId>) {
            match *self {}
        }

        pub fn take_changes(&self) -> FolderChanges {
            match *self {}
        }
    }
}
