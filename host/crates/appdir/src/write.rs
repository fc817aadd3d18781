//! Writing: a file appears whole, or not at all.
//!
//! Owns: the temporary file and its cleanup, the order of flushes, and what a second writer sees.
//! Never: writes in place.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, OpenOptions};

use super::folder::trim_trailing_slash;
use super::{Access, AppDirError, Folder, failpoint, fence};

/// Who may read the written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    /// Everyone that the process's umask allows; below an AppDir the owner only.
    Shared,
    /// The owner only: transcripts and configuration may hold secrets.
    Owner,
    /// As the file that it replaces, within the umask; a new file as [`Self::Shared`].
    Preserve,
}

impl Folder {
    /// Replaces or creates a file. A reader, or a crash at any moment, sees the old content or the new.
    ///
    /// # Errors
    /// When this handle is read-only or the write fails; the previous content stays. If only the last flush fails, the
    /// new content is there, and may be lost in a power failure.
    pub fn write(&self, name: &str, bytes: &[u8], privacy: Privacy) -> Result<(), AppDirError> {
        self.with_parent(name, |parent, base| {
            let temporary = parent.write_temporary(base, bytes, privacy)?;
            let renamed = fence::commit("rename").and_then(|()| parent.dir.rename(&temporary, &parent.dir, base));
            parent.finish_rename(&temporary, renamed)
        })
    }

    /// Creates a file that must not exist. One of two concurrent writers succeeds, and no reader sees a part of the
    /// file.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`], or as [`Self::write`].
    pub fn create_file(&self, name: &str, bytes: &[u8], privacy: Privacy) -> Result<(), AppDirError> {
        self.with_parent(name, |parent, base| {
            let temporary = parent.write_temporary(base, bytes, privacy)?;
            parent.persist_noreplace(&temporary, base)
        })
    }

    /// Creates a file as [`Self::create_file`] does, without a flush: for content that is regenerated when missing.
    /// After a loss of power the file may be empty or missing.
    ///
    /// # Errors
    /// As [`Self::create_file`].
    pub fn create_unflushed(&self, name: &str, bytes: &[u8], privacy: Privacy) -> Result<(), AppDirError> {
        self.with_parent(name, |parent, base| {
            let (temporary, mut file) = parent.create_temporary(base, OpenOptions::new().write(true), privacy)?;
            let written = failpoint::hit("write").and_then(|()| file.write_all(bytes));
            let named = written.and_then(|()| parent.move_noreplace(&temporary, base));
            named.inspect_err(|_| drop(parent.dir.remove_file(&temporary)))
        })
    }

    /// Writes a file as [`Self::write`] does, without a flush: for short-lived content. After a loss of power the file
    /// may be empty, or have its old content.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_unflushed(&self, name: &str, bytes: &[u8], privacy: Privacy) -> Result<(), AppDirError> {
        self.with_parent(name, |parent, base| {
            let (temporary, mut file) = parent.create_temporary(base, OpenOptions::new().write(true), privacy)?;
            let written = failpoint::hit("write").and_then(|()| file.write_all(bytes));
            let rename = || fence::commit("rename").and_then(|()| parent.dir.rename(&temporary, &parent.dir, base));
            let named = written.and_then(|()| rename());
            named.inspect_err(|_| drop(parent.dir.remove_file(&temporary)))
        })
    }

    pub(super) fn persist_noreplace(&self, temporary: &str, base: &str) -> io::Result<()> {
        let named = self.move_noreplace(temporary, base);
        self.finish_rename(temporary, named)
    }

    /// Moves a temporary file to a name that must be free.
    pub(super) fn move_noreplace(&self, temporary: &str, base: &str) -> io::Result<()> {
        self.try_rename_noreplace(temporary, base).unwrap_or_else(|| self.link_noreplace(temporary, base))
    }

    /// Renames a file to a name that must be free, in one operation; `None` if the system cannot, or `base` is not a
    /// plain name.
    #[cfg(target_os = "linux")]
    fn try_rename_noreplace(&self, temporary: &str, base: &str) -> Option<io::Result<()>> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        if base.contains('/') || matches!(base, "" | "." | "..") {
            return None;
        }
        let rename = || Ok(renameat_with(&*self.dir, temporary, &*self.dir, base, RenameFlags::NOREPLACE)?);
        let renamed = fence::commit("rename to a free name").and_then(|()| rename());
        match renamed.as_ref().map_err(Errno::from_io_error) {
            // An older kernel, or a file system without the flag.
            Err(Some(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)) => None,
            _ => Some(renamed),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "as on Linux")]
    fn try_rename_noreplace(&self, _temporary: &str, _base: &str) -> Option<io::Result<()>> {
        None
    }

    /// Takes a free name with a hard link, which fails if the name is taken; a plain rename would not. For a moment the
    /// file has two names, and the file system must support links.
    fn link_noreplace(&self, temporary: &str, base: &str) -> io::Result<()> {
        fence::commit("link")?;
        self.dir.hard_link(temporary, &self.dir, base)?;
        // The file has its name: failing to remove the second one leaves a stale file and is no error.
        let _ = failpoint::hit("unlink").and_then(|()| self.dir.remove_file(temporary));
        Ok(())
    }

    /// Creates a directory and its parents, and opens it. Their names are on the disk with the next flush of what is created
    /// in it: every file system of docs/SCALING.md orders changes of names.
    ///
    /// # Errors
    /// When this handle is read-only, or something that is not a directory has the name.
    pub fn create_folder(&self, name: &str) -> Result<Self, AppDirError> {
        self.ensure_writable(name)?;
        match failpoint::hit("create folders").and_then(|()| self.create_all_dirs(trim_trailing_slash(name))) {
            Ok(()) => {
                failpoint::hit("open folder").map_err(|error| AppDirError::from_io(name, error))?;
                self.open_folder(name)
            }
            // A link to a directory inside counts as a directory.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let dir = self
                    .dir
                    .open_dir(trim_trailing_slash(name))
                    .map_err(|error| AppDirError::from_folder_io(name, error))?;
                Ok(self.child(dir))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.lookup_error(name, error)),
            Err(error) => Err(AppDirError::from_folder_io(name, error)),
        }
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When this handle is read-only, or the file does not exist.
    pub fn remove_file(&self, name: &str) -> Result<(), AppDirError> {
        self.ensure_writable(name)?;
        let removed = fence::commit("remove").and_then(|()| self.dir.remove_file(trim_trailing_slash(name)));
        removed.map_err(|error| self.lookup_error(name, error))
    }

    pub(super) fn ensure_writable(&self, name: &str) -> Result<(), AppDirError> {
        match self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(AppDirError::ReadOnly(name.into())),
        }
    }

    pub(super) fn with_parent<T>(
        &self,
        name: &str,
        write: impl FnOnce(&Self, &str) -> io::Result<T>,
    ) -> Result<T, AppDirError> {
        self.ensure_writable(name)?;
        let (parent, base) = self.open_parent(name)?;
        write(&parent, base).map_err(|error| parent.lookup_error(name, error))
    }

    /// Returns the folder that contains an entry, and the entry's name in it.
    pub(super) fn open_parent<'n>(&self, name: &'n str) -> Result<(Self, &'n str), AppDirError> {
        let name = trim_trailing_slash(name);
        match name.rsplit_once('/') {
            Some((parent, base)) => Ok((self.open_folder(parent)?, base)),
            None => Ok((self.clone(), name)),
        }
    }

    fn write_temporary(&self, base: &str, bytes: &[u8], privacy: Privacy) -> io::Result<String> {
        self.write_temporary_with(base, privacy, |file| file.write_all(bytes))
    }

    /// Writes and flushes a new temporary file beside its destination, and returns its name.
    pub(super) fn write_temporary_with(
        &self,
        base: &str,
        privacy: Privacy,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<String> {
        let (temporary, mut file) = self.create_temporary(base, OpenOptions::new().write(true), privacy)?;
        let write = || {
            failpoint::hit("write")?;
            fill(&mut file)?;
            failpoint::hit("flush")?;
            file.sync_all()
        };
        match write() {
            Ok(()) => Ok(temporary),
            Err(error) => {
                let _ = self.dir.remove_file(&temporary);
                Err(error)
            }
        }
    }

    /// Creates an empty temporary file beside its destination. The name is unique across processes.
    pub(super) fn create_temporary(
        &self,
        base: &str,
        options: &mut OpenOptions,
        privacy: Privacy,
    ) -> io::Result<(String, File)> {
        let temporary = format!(".{base}.{:016x}.tmp", unique_id());
        options.create_new(true);
        let existing = if privacy == Privacy::Preserve { self.existing_mode(base) } else { None };
        self.set_file_mode(options, privacy, existing);
        failpoint::hit("create temporary")?;
        let file = self.dir.open_with(&temporary, options)?;
        Ok((temporary, file))
    }

    /// Returns the permission bits of a file directly in this directory.
    #[cfg(unix)]
    fn existing_mode(&self, base: &str) -> Option<u32> {
        use cap_std::fs::MetadataExt as _;
        let metadata = self.dir.symlink_metadata(base).ok().filter(cap_std::fs::Metadata::is_file)?;
        // The owner may always write to the file, as its replacer does; setuid, setgid and the sticky bit are dropped.
        Some(metadata.mode() & 0o777 | 0o200)
    }

    /// Flushes the directory after a successful rename, or removes the temporary file after a failed one.
    pub(super) fn finish_rename(&self, temporary: &str, changed: io::Result<()>) -> io::Result<()> {
        if let Err(error) = changed {
            let _ = self.dir.remove_file(temporary);
            return Err(error);
        }
        failpoint::hit("flush names")?;
        self.sync_dir()
    }

    #[cfg(unix)]
    pub(super) fn sync_dir(&self) -> io::Result<()> {
        use rustix::fs::{Mode, OFlags, fsync, openat};
        // The handle itself may be opened with `O_PATH`, which does not allow a flush.
        let readable = openat(&*self.dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        match fsync(readable) {
            // Some file systems cannot flush a directory; they order name changes themselves.
            Err(rustix::io::Errno::INVAL) => Ok(()),
            flushed => Ok(flushed?),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn sync_dir(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a name has exactly the form that [`Folder::write_temporary`] gives.
pub(super) fn is_temporary_name(name: &str) -> bool {
    let parts =
        name.strip_prefix('.').and_then(|rest| rest.strip_suffix(".tmp")).and_then(|rest| rest.rsplit_once('.'));
    parts.is_some_and(|(base, unique)| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        !base.is_empty() && unique.len() == 16 && unique.bytes().all(is_digit)
    })
}

/// Returns a number that no other write uses, in this process or another. Process ids are not enough: containers that
/// share a folder have the same ones.
pub(super) fn unique_id() -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    KEY.hash_one(SERIAL.fetch_add(1, Ordering::Relaxed))
}
