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
pub type FolderId = (u64, u64);

/// Where there may have been a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    In(HashSet<FolderId>),
    /// More than could be told apart.
    Anywhere,
}

impl Changed {
    #[must_use]
    pub fn nothing() -> Self {
        Self::In(HashSet::new())
    }

    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::In(folders) if folders.is_empty())
    }

    pub fn add(&mut self, other: Self) {
        match (self, other) {
            (Self::In(folders), Self::In(more)) => folders.extend(more),
            (all, _) => *all = Self::Anywhere,
        }
    }

    /// Whether one of `folders` may have changed.
    #[must_use]
    pub fn concerns(&self, folders: &HashSet<FolderId>) -> bool {
        match self {
            Self::In(changed) => !changed.is_disjoint(folders),
            Self::Anywhere => true,
        }
    }
}

#[cfg(target_os = "linux")]
pub use self::linux::Watcher;

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

    use super::{AppDirError, Changed, Folder, FolderId};

    /// The watched folders.
    #[derive(Debug)]
    pub struct Watcher {
        queue: OwnedFd,
        woken: OwnedFd,
        watches: Mutex<HashMap<i32, FolderId>>,
    }

    impl Watcher {
        /// # Errors
        /// When the system has no more queues to give.
        pub fn new() -> io::Result<Self> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let woken = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
            Ok(Self { queue, woken, watches: Mutex::default() })
        }

        /// Waits until there are changes, somebody calls [`Self::wake`], or the time is over: only then it is false.
        pub fn wait(&self, time: Option<Duration>) -> bool {
            let time = time.and_then(|time| time.try_into().ok());
            let mut ends = [&self.queue, &self.woken].map(|end| PollFd::new(end, PollFlags::IN));
            let timed_out = poll(&mut ends, time.as_ref()) == Ok(0);
            let _ = rustix::io::read(&self.woken, &mut [0; 8]);
            !timed_out
        }

        /// Ends a [`Self::wait`], the next one if none goes on.
        pub fn wake(&self) {
            let _ = rustix::io::write(&self.woken, &1u64.to_ne_bytes());
        }

        /// Watches a folder, which may be watched already.
        ///
        /// # Errors
        /// When the system's number of watches is used up, or the folder is on a file system that cannot be watched.
        pub fn watch(&self, folder: &Folder) -> Result<FolderId, AppDirError> {
            let id = folder.own_stat()?.identity;
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
            let mut watches = self.lock();
            let watch = inotify::add_watch(&self.queue, handle, what);
            watches.insert(watch.map_err(|error| AppDirError::of(".", error.into()))?, id);
            Ok(id)
        }

        /// Gives up every watch on other folders than these.
        pub fn keep(&self, wanted: &HashSet<FolderId>) {
            self.lock().retain(|watch, id| {
                let kept = wanted.contains(id);
                if !kept {
                    // It may have ended with its folder.
                    let _ = inotify::remove_watch(&self.queue, *watch);
                }
                kept
            });
        }

        /// Where there were changes since this was asked last; with very many of them, the rest is left for the next time.
        pub fn changes(&self) -> Changed {
            const MOST: usize = 32 * 1024;
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(&self.queue, &mut buffer);
            let mut changed = Changed::nothing();
            let mut seen = 0;
            // What is in the buffer has left the queue.
            while seen < MOST || !events.is_buffer_empty() {
                seen += 1;
                match events.next() {
                    Ok(event) => changed.add(self.meaning(event.wd(), event.events())),
                    Err(Errno::INTR) => {}
                    Err(_) => break,
                }
            }
            changed
        }

        fn meaning(&self, watch: i32, what: ReadFlags) -> Changed {
            if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                return Changed::Anywhere;
            }
            let mut watches = self.lock();
            // The watch ended, with its folder or because it was given up.
            let id =
                if what.contains(ReadFlags::IGNORED) { watches.remove(&watch) } else { watches.get(&watch).copied() };
            Changed::In(id.into_iter().collect())
        }

        fn lock(&self) -> MutexGuard<'_, HashMap<i32, FolderId>> {
            self.watches.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use self::other::Watcher;

#[cfg(not(target_os = "linux"))]
mod other {
    use std::collections::HashSet;
    use std::io;
    use std::time::Duration;

    use super::{AppDirError, Changed, Folder, FolderId};

    /// There is none here: whoever wants to know looks again from time to time.
    #[derive(Debug)]
    pub enum Watcher {}

    impl Watcher {
        /// # Errors
        /// Always.
        pub fn new() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// # Errors
        /// Never, as there is none.
        pub fn watch(&self, _folder: &Folder) -> Result<FolderId, AppDirError> {
            match *self {}
        }

        pub fn wait(&self, _time: Option<Duration>) -> bool {
            match *self {}
        }

        pub fn wake(&self) {
            match *self {}
        }

        pub fn keep(&self, _wanted: &HashSet<FolderId>) {
            match *self {}
        }

        pub fn changes(&self) -> Changed {
            match *self {}
        }
    }
}
