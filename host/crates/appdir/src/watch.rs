//! Change notifications for folders.
//!
//! Owns: the kernel's watches. A folder is watched through its handle, so the watched folder is the opened one, even if
//! its name leads elsewhere by now.
//! Never: reports reads, or says how something has changed: the caller finds out by reading.
//!
//! The crate `notify` also subscribes to an event for every opened file. Every read of a watched file would then wake
//! another thread.

use std::collections::HashSet;

use super::{AppDirError, FileId, Folder};

/// The folders that may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderChanges {
    Folders(HashSet<FileId>),
    /// Too many changes to be told apart: any folder may have changed.
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
        /// When the system's limit of inotify instances is reached.
        pub fn new() -> io::Result<Self> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let woken = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
            Ok(Self { inotify: queue, wake_event: woken, watches: Mutex::default() })
        }

        /// Waits until there are changes or a call of [`Self::wake`], and returns true; false after the timeout.
        pub fn wait(&self, time: Option<Duration>) -> bool {
            let time = time.and_then(|time| time.try_into().ok());
            let mut ends = [&self.inotify, &self.wake_event].map(|end| PollFd::new(end, PollFlags::IN));
            let timed_out = poll(&mut ends, time.as_ref()) == Ok(0);
            let _ = rustix::io::read(&self.wake_event, &mut [0; 8]);
            !timed_out
        }

        /// Ends the current [`Self::wait`], or else the next one.
        pub fn wake(&self) {
            let _ = rustix::io::write(&self.wake_event, &1u64.to_ne_bytes());
        }

        /// Watches a folder, which may be watched already.
        ///
        /// # Errors
        /// When the system's limit of watches is reached, or the folder's file system does not support watches.
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
            // The lock is held, because the first event may arrive before the watch is recorded.
            let mut watches = self.lock_watches();
            let watch = inotify::add_watch(&self.inotify, handle, what);
            watches.insert(watch.map_err(|error| AppDirError::from_io(".", error.into()))?, id);
            Ok(id)
        }

        /// Removes the watches of all folders except these, and returns whether there were any.
        pub fn retain(&self, ids: &HashSet<FileId>) -> bool {
            let mut watches = self.lock_watches();
            let before = watches.len();
            watches.retain(|watch, id| {
                let kept = ids.contains(id);
                if !kept {
                    // The watch may have ended with its folder.
                    let _ = inotify::remove_watch(&self.inotify, *watch);
                }
                kept
            });
            watches.len() < before
        }

        /// Returns the folders that changed since the last call. After [`Self::visit_changes`] left some, any may have.
        pub fn take_changes(&self) -> FolderChanges {
            let mut changed = HashSet::new();
            let is_whole = self.visit_changes(|folder, _| {
                changed.insert(folder);
            });
            if is_whole { FolderChanges::Folders(changed) } else { FolderChanges::Overflow }
        }

        /// Calls `visit` for each change since the last call: with the folder, and the name in it that changed; `None` where the
        /// folder itself changed, which may have ended its watch, or the name is not text. Returns whether these are all changes
        /// up to now. Otherwise there were too many: any folder may have changed, and after `MAX_EVENTS_PER_CALL` events the
        /// rest is left for the next call.
        #[must_use]
        pub fn visit_changes(&self, mut visit: impl FnMut(FileId, Option<&str>)) -> bool {
            const MAX_EVENTS_PER_CALL: usize = 32 * 1024;
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(&self.inotify, &mut buffer);
            let mut is_whole = true;
            let mut seen = 0;
            // Buffered events have left the kernel's queue.
            while seen < MAX_EVENTS_PER_CALL || !events.is_buffer_empty() {
                seen += 1;
                match events.next() {
                    Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => is_whole = false,
                    Ok(event) => {
                        if let Some(folder) = self.folder_of(event.wd(), event.events()) {
                            visit(folder, event.file_name().and_then(|name| name.to_str().ok()));
                        }
                    }
                    Err(Errno::INTR) => {}
                    Err(_) => return is_whole,
                }
            }
            false
        }

        fn folder_of(&self, watch: i32, what: ReadFlags) -> Option<FileId> {
            let mut watches = self.lock_watches();
            // The watch ended, because its folder is gone or the watch was removed.
            if what.contains(ReadFlags::IGNORED) { watches.remove(&watch) } else { watches.get(&watch).copied() }
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

    /// No implementation on this platform: callers poll instead.
    #[derive(Debug)]
    pub enum FolderWatcher {}

    impl FolderWatcher {
        /// # Errors
        /// Always.
        pub fn new() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// # Errors
        /// Never, as no value of this type exists.
        pub fn watch(&self, _folder: &Folder) -> Result<FileId, AppDirError> {
            match *self {}
        }

        pub fn wait(&self, _time: Option<Duration>) -> bool {
            match *self {}
        }

        pub fn wake(&self) {
            match *self {}
        }

        pub fn retain(&self, _ids: &HashSet<FileId>) -> bool {
            match *self {}
        }

        pub fn take_changes(&self) -> FolderChanges {
            match *self {}
        }

        pub fn visit_changes(&self, _visit: impl FnMut(FileId, Option<&str>)) -> bool {
            match *self {}
        }
    }
}
