//! Permissions of new files and folders.
//!
//! Owns: the choice by the handle: what is created below an AppDir is for its owner alone, whatever creates it.
//! Never: changes permissions of what exists, except where a person has an AppDir tightened.

use std::io;

use cap_std::fs::{DirBuilder, OpenOptions};

use super::{AppDirError, EntryKind, Folder, Privacy};
use crate::limits::MAX_NAMES_SCANNED;

/// Who may use the files and folders that are created below a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CreateMode {
    /// Everyone that the process's umask allows.
    Umask,
    /// The owner alone: files 0600, folders 0700.
    OwnerOnly,
}

/// What [`Folder::tighten`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TightenedEntries {
    pub changed: usize,
    pub failed: usize,
}

impl CreateMode {
    /// Returns these bits as far as the mode allows them.
    const fn limit(self, bits: u32) -> u32 {
        match self {
            Self::Umask => bits,
            Self::OwnerOnly => bits & 0o700,
        }
    }
}

impl Folder {
    /// Returns the handle so that everything that is created below it is for its owner alone.
    #[must_use]
    pub fn with_owner_only(self) -> Self {
        Self { create_mode: CreateMode::OwnerOnly, ..self }
    }

    /// Sets the permissions of a file that these options create. `existing` are the bits of the file that it replaces.
    pub(super) fn set_file_mode(&self, options: &mut OpenOptions, privacy: Privacy, existing: Option<u32>) {
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            let bits = match privacy {
                Privacy::Shared => 0o666,
                Privacy::Owner => 0o600,
                Privacy::Preserve => existing.unwrap_or(0o666),
            };
            options.mode(self.create_mode.limit(bits));
        }
        #[cfg(not(unix))]
        let _ = (options, privacy, existing);
    }

    /// Creates one directory that must not exist.
    pub(super) fn create_one_dir(&self, name: &str) -> io::Result<()> {
        self.dir.create_dir_with(name, &self.dir_builder(false))
    }

    /// Creates a directory and its missing parents.
    pub(super) fn create_all_dirs(&self, name: &str) -> io::Result<()> {
        self.dir.create_dir_with(name, &self.dir_builder(true))
    }

    fn dir_builder(&self, is_recursive: bool) -> DirBuilder {
        let mut builder = DirBuilder::new();
        builder.recursive(is_recursive);
        #[cfg(unix)]
        {
            use cap_std::fs::DirBuilderExt as _;
            builder.mode(self.create_mode.limit(0o777));
        }
        builder
    }

    /// Counts the files and folders, from this one down through `levels` levels, that others than the owner may use.
    /// Links and what they lead to are not counted, nor is a folder that cannot be opened. Below a folder that is the
    /// owner's alone, others reach nothing.
    #[must_use]
    pub fn count_accessible_to_others(&self, levels: usize) -> usize {
        if !self.is_accessible_to_others(".") {
            return 0;
        }
        let mut count = 0;
        let visited = self.visit_modes(levels, &mut |_, _| {
            count += 1;
            Ok(())
        });
        if let Err(error) = visited {
            tracing::debug!(%error, "cannot check all permissions");
        }
        count
    }

    /// Takes the permissions of others than the owner from what [`Self::count_accessible_to_others`] counts. A file with
    /// another name elsewhere keeps its permissions.
    ///
    /// # Errors
    /// When this handle is read-only, or a folder cannot be listed.
    pub fn tighten(&self, levels: usize) -> Result<TightenedEntries, AppDirError> {
        self.ensure_writable(".")?;
        let mut entries = TightenedEntries::default();
        self.visit_modes(levels, &mut |folder, name| {
            match folder.tighten_entry(name) {
                Ok(()) => entries.changed += 1,
                Err(error) => {
                    tracing::warn!(%error, name, "cannot change permissions");
                    entries.failed += 1;
                }
            }
            Ok(())
        })?;
        Ok(entries)
    }

    #[cfg(unix)]
    fn tighten_entry(&self, name: &str) -> io::Result<()> {
        use rustix::fs::{Mode, OFlags, fchmod, openat};
        // Neither a link nor a pipe that takes the place of the entry is followed or waits.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let entry = openat(&*self.dir, name, flags, Mode::empty())?;
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&entry)?.st_mode);
        Ok(fchmod(&entry, mode & Mode::RWXU)?)
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    fn tighten_entry(&self, _name: &str) -> io::Result<()> {
        Ok(())
    }

    fn visit_modes(
        &self,
        levels: usize,
        visit: &mut dyn FnMut(&Self, &str) -> Result<(), AppDirError>,
    ) -> Result<(), AppDirError> {
        if self.is_accessible_to_others(".") {
            visit(self, ".")?;
        }
        let Some(levels) = levels.checked_sub(1) else { return Ok(()) };
        for entry in self.entries(MAX_NAMES_SCANNED)? {
            match entry.kind {
                EntryKind::Folder => {
                    if let Ok(folder) = self.open_folder(&entry.name) {
                        folder.visit_modes(levels, visit)?;
                    }
                }
                EntryKind::File if self.is_accessible_to_others(&entry.name) => visit(self, &entry.name)?,
                EntryKind::File | EntryKind::Symlink | EntryKind::Other => {}
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn is_accessible_to_others(&self, name: &str) -> bool {
        use cap_std::fs::MetadataExt as _;
        let metadata = self.dir.symlink_metadata(name);
        metadata.is_ok_and(|metadata| metadata.mode() & 0o077 != 0 && (metadata.is_dir() || metadata.nlink() == 1))
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    fn is_accessible_to_others(&self, _name: &str) -> bool {
        false
    }
}
