//! What writers that were killed left behind: temporary files, and trees that were not whole yet.
//!
//! Owns: what counts as one: it is called as only ours are, and was not written to for as long as is said.
//! Never: takes away what a writer may still be at.

use std::io;
use std::time::{Duration, SystemTime};

use super::write::is_temporary;
use super::{AppDirError, EntryKind, Folder, fault};
use wardroom_base::limits::MAX_NAMES_SCANNED;

impl Folder {
    /// The temporary files of this directory that no writer works on any more: those not written to for `idle`.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn leftovers(&self, idle: Duration) -> Result<Vec<String>, AppDirError> {
        let is_idle = |name: &String| is_idle(self.stat(name).ok().and_then(|stat| stat.modified), idle);
        Ok(self.called_temporary(EntryKind::File)?.into_iter().filter(is_idle).collect())
    }

    /// Removes what killed writers of one file left beside it, and nothing of anybody else's.
    ///
    /// # Errors
    /// As [`Self::leftovers`] and [`Self::remove`].
    pub fn sweep_of(&self, name: &str, idle: Duration) -> Result<(), AppDirError> {
        let start = format!(".{name}.");
        self.leftovers(idle)?
            .iter()
            .filter(|leftover| leftover.starts_with(&start))
            .try_for_each(|leftover| self.remove(leftover))
    }

    /// Removes the [leftovers](Self::leftovers); how many there were.
    ///
    /// # Errors
    /// As [`Self::leftovers`] and [`Self::remove`].
    pub fn sweep(&self, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        for name in self.leftovers(idle)? {
            match self.remove(&name) {
                Ok(()) => removed += 1,
                // Somebody else sweeps too.
                Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }

    /// Removes the trees that were staged here and never published; how many there were.
    ///
    /// # Errors
    /// When the directory cannot be read, or one cannot be removed.
    pub fn sweep_staged(&self, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        for name in self.staged(idle)? {
            match fault::point("remove").and_then(|()| self.dir.remove_dir_all(&name)) {
                Ok(()) => removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(AppDirError::of(&name, error)),
            }
        }
        Ok(removed)
    }

    /// How many there are of both kinds here and in the folders below, so many levels deep. What cannot be read has none.
    #[must_use]
    pub fn leftovers_below(&self, levels: usize, idle: Duration) -> usize {
        let mut count = 0;
        let counted = self.each_folder(levels, &mut |folder| {
            count += folder.leftovers(idle).map_or(0, |found| found.len());
            count += folder.staged(idle).map_or(0, |found| found.len());
            Ok(())
        });
        if let Err(error) = counted {
            tracing::debug!(%error, "not all leftovers are counted");
        }
        count
    }

    /// Removes both kinds here and in the folders below, so many levels deep; how many there were.
    ///
    /// # Errors
    /// As [`Self::sweep`] and [`Self::sweep_staged`].
    pub fn sweep_below(&self, levels: usize, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        self.each_folder(levels, &mut |folder| {
            removed += folder.sweep(idle)? + folder.sweep_staged(idle)?;
            Ok(())
        })?;
        Ok(removed)
    }

    fn staged(&self, idle: Duration) -> Result<Vec<String>, AppDirError> {
        let is_staged = |name: &String| {
            let stat = self.folder(name).ok().and_then(|folder| folder.own_stat().ok());
            is_idle(stat.and_then(|stat| stat.modified.max(stat.changed)), idle)
        };
        Ok(self.called_temporary(EntryKind::Folder)?.into_iter().filter(is_staged).collect())
    }

    /// The entries of that kind that are called as only ours are.
    fn called_temporary(&self, wanted: EntryKind) -> Result<Vec<String>, AppDirError> {
        let mut found = Vec::new();
        self.each_name_within(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == wanted && is_temporary(name) {
                found.push(name.to_owned());
            }
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// Itself, and those below that can be opened.
    fn each_folder(
        &self,
        levels: usize,
        visit: &mut dyn FnMut(&Self) -> Result<(), AppDirError>,
    ) -> Result<(), AppDirError> {
        visit(self)?;
        let Some(levels) = levels.checked_sub(1) else { return Ok(()) };
        let mut below = Vec::new();
        self.each_name_within(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == EntryKind::Folder {
                below.push(name.to_owned());
            }
        })?;
        below.iter().filter_map(|name| self.folder(name).ok()).try_for_each(|folder| folder.each_folder(levels, visit))
    }
}

fn is_idle(written: Option<SystemTime>, idle: Duration) -> bool {
    written.and_then(|written| SystemTime::now().duration_since(written).ok()).is_some_and(|age| age >= idle)
}
