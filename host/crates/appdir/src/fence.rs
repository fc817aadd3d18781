//! Fences: what is committed under a lock that was lost is refused.
//!
//! A file system that several machines mount releases the locks of a machine that it does not reach any more. When the network is
//! back, that machine still believes that it holds them.
//! Owns: the mark of the holder in the file of a lock, and its comparison before each commit of the thread that holds the lock.
//! Never: does anything where the file system is this machine's alone: there a lock is lost with its process only.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Weak};

use cap_std::fs::Dir;

use super::file_system::FileSystemReach;
use super::uncached_read::read_past_caches;
use super::write::unique_id;
use super::{AppDirError, Folder, failpoint};

thread_local! {
    static HELD: RefCell<Vec<Weak<Fence>>> = const { RefCell::new(Vec::new()) };
    /// Whether a test has every file system count as shared.
    static COUNTS_AS_SHARED: Cell<bool> = const { Cell::new(false) };
}

/// A lock on a shared file system, for the thread that holds it.
#[derive(Debug)]
pub(super) struct Fence {
    dir: Arc<Dir>,
    name: String,
    mark: String,
}

/// The locks on shared file systems that a thread held at some moment. One that was released since protects nothing.
#[derive(Debug, Default)]
pub(super) struct HeldFences(Vec<Weak<Fence>>);

/// A lock that is held no more. It passes as an error of the system through what prepares a commit.
#[derive(Debug, thiserror::Error)]
#[error("its lock was lost")]
struct LostLock;

impl Fence {
    /// Leaves a mark in the file of a lock that was just taken; `None` where no other machine can take the lock.
    pub(super) fn raise(folder: &Folder, name: &str, file: &File) -> Result<Option<Arc<Self>>, AppDirError> {
        if !folder.is_shared()? {
            return Ok(None);
        }
        let mark = format!("{:016x}", unique_id());
        // A client that keeps writes back would show the mark to no other machine.
        let written = file.write_all_at(mark.as_bytes(), 0).and_then(|()| file.sync_data());
        written.map_err(|error| AppDirError::from_io(name, error))?;
        let fence = Arc::new(Self { dir: Arc::clone(&folder.dir), name: name.to_owned(), mark });
        HELD.with_borrow_mut(|held| {
            held.retain(|fence| fence.strong_count() > 0);
            held.push(Arc::downgrade(&fence));
        });
        Ok(Some(fence))
    }

    /// Fails unless the file of the lock, as the file system has it now, still has this mark.
    fn check(&self) -> io::Result<()> {
        match read_past_caches(&self.dir, &self.name) {
            Ok(found) if found == self.mark.as_bytes() => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Err(io::Error::other(LostLock)),
        }
    }
}

impl Folder {
    /// Whether other machines may take a lock here while this one believes that it holds it.
    pub(super) fn is_shared(&self) -> Result<bool, AppDirError> {
        Ok(COUNTS_AS_SHARED.get() || self.file_system_reach()? == FileSystemReach::Shared)
    }
}

impl HeldFences {
    /// Those of this thread.
    pub(super) fn of_thread() -> Self {
        Self(HELD.with_borrow(Clone::clone))
    }

    /// Fails where one of the locks was lost.
    pub(super) fn check(&self) -> io::Result<()> {
        self.0.iter().filter_map(Weak::upgrade).try_for_each(|fence| fence.check())
    }
}

/// Marks the step that commits a change, before it is made. It fails where this thread has lost a lock that it holds.
pub(super) fn commit(name: &'static str) -> io::Result<()> {
    failpoint::hit(name)?;
    HeldFences::of_thread().check()
}

pub(super) fn is_lost_lock(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<LostLock>())
}

/// Runs `work` as if its file system were shared with other machines.
#[doc(hidden)]
pub fn with_shared_file_system<T>(work: impl FnOnce() -> T) -> T {
    /// Ends it even if the work panics.
    struct Restore;

    impl Drop for Restore {
        fn drop(&mut self) {
            COUNTS_AS_SHARED.set(false);
        }
    }

    COUNTS_AS_SHARED.set(true);
    let _restore = Restore;
    work()
}
