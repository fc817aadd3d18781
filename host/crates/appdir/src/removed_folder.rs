//! Whether a directory that is open was removed: it has a status still, and an empty list.
//!
//! Owns: how a removed directory is told from an empty one, where a process keeps it open.
//! Never: notices that a directory got another name.

use std::io;

use super::{AppDirError, Folder};

impl Folder {
    /// Makes the handle of a directory that a process keeps open report [`AppDirError::FolderRemoved`] once that was removed, where it
    /// would find nothing in it. A directory that got another name is still there.
    #[must_use]
    pub fn reporting_removal(self) -> Self {
        Self { reports_removal: self.count_names() > Some(0), ..self }
    }

    /// Checks that the directory was not removed since it was opened.
    ///
    /// # Errors
    /// [`AppDirError::FolderRemoved`], if this handle [reports it](Self::reporting_removal).
    pub fn check_removed(&self) -> Result<(), AppDirError> {
        if self.is_removed() { Err(AppDirError::FolderRemoved(".".to_owned())) } else { Ok(()) }
    }

    fn is_removed(&self) -> bool {
        self.reports_removal && self.count_names() == Some(0)
    }

    /// Returns how many names the file system counts for this directory; `None` if it cannot be asked.
    fn count_names(&self) -> Option<u64> {
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt as _;
            self.dir.dir_metadata().ok().map(|metadata| metadata.nlink())
        }
        #[cfg(not(unix))]
        None
    }

    /// Converts the error of looking up `name`.
    pub(super) fn lookup_error(&self, name: &str, error: io::Error) -> AppDirError {
        match AppDirError::from_io(name, error) {
            AppDirError::NotFound(name) if self.is_removed() => AppDirError::FolderRemoved(name),
            error => error,
        }
    }

    /// Whether this directory can be reached, and was not removed.
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        #[cfg(unix)]
        // Some file systems count the names of no directory.
        return self.count_names().is_some_and(|count| count > 0 || self.has_entry());
        #[cfg(not(unix))]
        self.stat_self().is_ok()
    }

    #[cfg(unix)]
    fn has_entry(&self) -> bool {
        self.dir.entries().is_ok_and(|mut entries| entries.next().is_some())
    }
}
