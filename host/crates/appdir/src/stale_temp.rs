//! Stale files of killed writers: temporary files, and trees whose staging was not finished.
//!
//! Owns: the definition of stale: the name has the form of our temporary names, and the entry was not written to for
//! the given time.
//! Never: removes an entry that a writer may still be using.

use std::io;
use std::time::{Duration, SystemTime};

use super::tree::REPLACED_SUFFIX;
use super::write::is_temporary_name;
use super::{AppDirError, EntryKind, Folder, failpoint};
use crate::limits::MAX_NAMES_SCANNED;

impl Folder {
    /// Lists the stale temporary files of this directory: those not written to for `idle`.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn stale_temp_files(&self, idle: Duration) -> Result<Vec<String>, AppDirError> {
        let is_idle = |name: &String| is_stale(self.stat(name).ok().and_then(|stat| stat.modified), idle);
        Ok(self.temporary_entries(EntryKind::File)?.into_iter().filter(is_idle).collect())
    }

    /// Removes the stale temporary files of one file, and no others.
    ///
    /// # Errors
    /// As [`Self::stale_temp_files`] and [`Self::remove_file`].
    pub fn sweep_temp_files_of(&self, name: &str, idle: Duration) -> Result<(), AppDirError> {
        let start = format!(".{name}.");
        self.stale_temp_files(idle)?
            .iter()
            .filter(|leftover| leftover.starts_with(&start))
            .try_for_each(|leftover| self.remove_file(leftover))
    }

    /// Removes the [stale temporary files](Self::stale_temp_files), and returns how many were removed.
    ///
    /// # Errors
    /// As [`Self::stale_temp_files`] and [`Self::remove_file`].
    pub fn sweep_temp_files(&self, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        for name in self.stale_temp_files(idle)? {
            match self.remove_file(&name) {
                Ok(()) => removed += 1,
                // Another process sweeps too.
                Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }

    /// Removes the stale staged trees of this directory, and returns how many are there no more. A tree that a killed process
    /// took the name from gets it back, where no other tree has it by now.
    ///
    /// # Errors
    /// When the directory cannot be read, or a tree cannot be removed.
    pub fn sweep_staged_trees(&self, idle: Duration) -> Result<usize, AppDirError> {
        let (mut removed, mut failure) = (0, None);
        // A tree that cannot be removed does not stop the sweep.
        let mut settle = |name: &str, finished: io::Result<()>| match finished {
            Ok(()) => removed += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => failure = Some(AppDirError::from_io(name, error)),
        };
        for (name, old) in self.stale_replaced_trees(idle)? {
            match self.entry_kind(&name) {
                Ok(_) => settle(&old, self.dir.remove_dir_all(&old)),
                Err(AppDirError::NotFound(_)) => settle(&old, self.dir.rename(&old, &self.dir, &name)),
                Err(_) => {}
            }
        }
        for name in self.stale_staged_trees(idle)? {
            settle(&name, failpoint::hit("remove").and_then(|()| self.dir.remove_dir_all(&name)));
        }
        failure.map_or(Ok(removed), Err)
    }

    /// Counts the stale entries of both kinds here and in `levels` levels of folders below. Unreadable folders
    /// count as empty.
    #[must_use]
    pub fn count_stale_recursive(&self, levels: usize, idle: Duration) -> usize {
        let mut count = 0;
        let counted = self.visit_folders(levels, &mut |folder| {
            count += folder.stale_temp_files(idle).map_or(0, |found| found.len());
            count += folder.stale_staged_trees(idle).map_or(0, |found| found.len());
            count += folder.stale_replaced_trees(idle).map_or(0, |found| found.len());
            Ok(())
        });
        if let Err(error) = counted {
            tracing::debug!(%error, "cannot count all stale temporary files");
        }
        count
    }

    /// Removes the stale temporary files here and in `levels` levels of folders below, and returns how many were removed.
    ///
    /// # Errors
    /// As [`Self::sweep_temp_files`], after the folders that can be swept were.
    pub fn sweep_temp_files_recursive(&self, levels: usize, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        self.visit_folders(levels, &mut |folder| {
            removed += folder.sweep_temp_files(idle)?;
            Ok(())
        })?;
        Ok(removed)
    }

    /// Removes the stale entries of both kinds here and in `levels` levels of folders below, and returns how many
    /// were removed.
    ///
    /// # Errors
    /// As [`Self::sweep_temp_files`] and [`Self::sweep_staged_trees`], after the folders that can be swept were.
    pub fn sweep_stale_recursive(&self, levels: usize, idle: Duration) -> Result<usize, AppDirError> {
        let mut removed = 0;
        self.visit_folders(levels, &mut |folder| {
            removed += folder.sweep_temp_files(idle)? + folder.sweep_staged_trees(idle)?;
            Ok(())
        })?;
        Ok(removed)
    }

    fn stale_staged_trees(&self, idle: Duration) -> Result<Vec<String>, AppDirError> {
        let is_staged = |name: &String| self.is_stale_tree(name, idle);
        Ok(self.temporary_entries(EntryKind::Folder)?.into_iter().filter(is_staged).collect())
    }

    fn stale_replaced_trees(&self, idle: Duration) -> Result<Vec<(String, String)>, AppDirError> {
        let is_old = |(_, old): &(String, String)| self.is_stale_tree(old, idle);
        Ok(self.all_replaced_trees()?.into_iter().filter(is_old).collect())
    }

    fn is_stale_tree(&self, name: &str, idle: Duration) -> bool {
        let stat = self.open_folder(name).ok().and_then(|folder| folder.stat_self().ok());
        is_stale(stat.and_then(|stat| stat.modified.max(stat.changed)), idle)
    }

    /// Lists what a tree took the place of, where the process was killed before it removed that.
    pub(super) fn replaced_trees(&self, name: &str) -> Result<Vec<String>, AppDirError> {
        Ok(self.all_replaced_trees()?.into_iter().filter(|(known, _)| known == name).map(|(_, old)| old).collect())
    }

    /// Lists the trees that lost their names to others: each with that name.
    fn all_replaced_trees(&self) -> Result<Vec<(String, String)>, AppDirError> {
        let mut found = Vec::new();
        self.visit_names(&mut { MAX_NAMES_SCANNED }, |old, _, kind| {
            if let Some(name) = replaced_name(old).filter(|_| kind == EntryKind::Folder) {
                found.push((name.to_owned(), old.to_owned()));
            }
        })?;
        Ok(found)
    }

    /// Lists the entries of one kind whose names have the form of our temporary names.
    fn temporary_entries(&self, expected: EntryKind) -> Result<Vec<String>, AppDirError> {
        let mut found = Vec::new();
        self.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == expected && is_temporary_name(name) {
                found.push(name.to_owned());
            }
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// Visits this folder, and the folders below it that can be opened.
    fn visit_folders(
        &self,
        levels: usize,
        visit: &mut dyn FnMut(&Self) -> Result<(), AppDirError>,
    ) -> Result<(), AppDirError> {
        let mut result = visit(self);
        let Some(levels) = levels.checked_sub(1) else { return result };
        let mut below = Vec::new();
        let listed = self.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == EntryKind::Folder {
                below.push(name.to_owned());
            }
        });
        result = result.and(listed);
        for folder in below.iter().filter_map(|name| self.open_folder(name).ok()) {
            result = result.and(folder.visit_folders(levels, visit));
        }
        result
    }
}

/// Returns the name that a tree had before another one took it.
fn replaced_name(name: &str) -> Option<&str> {
    let (base, unique) = name.strip_prefix('.')?.strip_suffix(REPLACED_SUFFIX)?.rsplit_once('.')?;
    let is_ours = unique.len() == 16 && unique.bytes().all(|byte| byte.is_ascii_hexdigit()) && !base.is_empty();
    is_ours.then_some(base)
}

fn is_stale(written: Option<SystemTime>, idle: Duration) -> bool {
    written.and_then(|written| SystemTime::now().duration_since(written).ok()).is_some_and(|age| age >= idle)
}
