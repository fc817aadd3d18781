//! Edits of files that belong to other programs, which take no lock of ours and may write at any moment.
//!
//! Owns: keeping such a file's owner, permissions and attributes, and detecting writes of other programs in the
//! meantime, so that none is lost.
//! Never: leaves a file beside it, except a backup that the caller requested, and one that it cannot compare, which is swept
//! later.

use std::fs::TryLockError;
use std::io::{self, Write as _};

use cap_std::fs::{File, Permissions};
use rustix::fs::{Mode, OFlags, openat};

use super::lock::{UnfencedLock, lock_with_timeout};
use super::{AppDirError, Folder, Privacy, failpoint, fence};

impl Folder {
    /// Locks this folder itself, without a lock file; `None` if its file system does not support locks of folders.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub fn lock_self(&self) -> Result<Option<UnfencedLock>, AppDirError> {
        const SELF: &str = ".";
        // The handle itself may be opened with `O_PATH`, which does not allow a lock.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = failpoint::hit("open lock").and_then(|()| Ok(openat(&*self.dir, SELF, flags, Mode::empty())?));
        match lock_with_timeout(opened.map_err(|error| AppDirError::from_io(SELF, error))?.into()) {
            Ok(lock) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(AppDirError::Locked(SELF.into())),
            // On a network file system, a lock needs a file that is open for writing.
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    /// Creates a backup of a file that must not exist, readable for its owner only.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`], or as [`Self::read`] and [`Self::write`].
    pub fn create_copy(&self, name: &str, copy: &str, bytes: &[u8]) -> Result<(), AppDirError> {
        let own = self.open_file(name)?.0.metadata().map_err(|error| AppDirError::from_io(name, error))?;
        self.with_parent(copy, |parent, base| {
            let temporary = parent.write_temporary_with(base, Privacy::Owner, |file| {
                file.write_all(bytes)?;
                // Only the owner gets permissions, so the result for the group does not matter.
                copy_ownership(file, &own).map(drop)
            })?;
            parent.persist_noreplace(&temporary, base)
        })
    }

    /// Replaces a file if its content is still `before`, and returns whether it did. If the system can exchange two
    /// names, a concurrent write at the last moment is detected, and its file is put back.
    ///
    /// # Errors
    /// As [`Self::read`] and [`Self::write`]; the previous content stays.
    pub fn replace_if_unchanged(&self, name: &str, bytes: &[u8], before: &[u8]) -> Result<bool, AppDirError> {
        self.ensure_writable(name)?;
        let (original, _) = self.open_file(name)?;
        let own = original.metadata().map_err(|error| AppDirError::from_io(name, error))?;
        self.with_parent(name, |parent, base| {
            let temporary = parent.write_temporary_with(base, Privacy::Owner, |file| {
                file.write_all(bytes)?;
                let group = copy_ownership(file, &own)?;
                // The attributes are set while the file is writable. The permissions come last: they are the mask of an
                // access list.
                let has_list = xattrs::copy_xattrs(&original, file)?;
                file.set_permissions(replacement_permissions(&own, group, has_list))
            })?;
            parent.put_in_place(&temporary, base, bytes, before)
        })
    }

    /// Replaces a file as [`Self::replace_if_unchanged`] does, but keeps of its metadata the permission bits alone: a
    /// confined server may set neither owners nor attributes.
    ///
    /// # Errors
    /// As [`Self::read`] and [`Self::write`]; the previous content stays.
    pub fn write_if_unchanged(&self, name: &str, bytes: &[u8], before: &[u8]) -> Result<bool, AppDirError> {
        self.write_if_wanted(name, bytes, before, &|| true)
    }

    /// As [`Self::write_if_unchanged`], unless `is_wanted` says no at the last moment: a slow disk may have taken longer than the
    /// caller waits.
    ///
    /// # Errors
    /// As [`Self::write_if_unchanged`].
    pub fn write_if_wanted(
        &self,
        name: &str,
        bytes: &[u8],
        before: &[u8],
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<bool, AppDirError> {
        self.with_parent(name, |parent, base| {
            let temporary = parent.write_temporary_with(base, Privacy::Preserve, |file| file.write_all(bytes))?;
            if !is_wanted() {
                drop(parent.dir.remove_file(&temporary));
                return Ok(false);
            }
            parent.put_in_place(&temporary, base, bytes, before)
        })
    }

    /// Removes a file of at most `limit` bytes if its content is still an expected one, and returns whether it is gone. The
    /// file is moved aside to a hidden name first, so that a concurrent write at the last moment is detected, and its file
    /// is put back. After a crash in between, the same call goes on with the file that was moved.
    ///
    /// # Errors
    /// As [`Self::read`] and [`Self::remove_file`].
    pub fn remove_if(&self, name: &str, limit: u64, is_expected: impl Fn(&[u8]) -> bool) -> Result<bool, AppDirError> {
        self.with_parent(name, |parent, base| {
            let aside = format!(".{base}.removed");
            let compare = |name: &str| parent.compare(name, limit, &is_expected);
            // What a crash left.
            if !parent.finish_removal(&aside, base, compare(&aside)?)? {
                return Ok(false);
            }
            match compare(base)? {
                Comparison::Same => {}
                Comparison::Missing => return Ok(true),
                Comparison::Different => return Ok(false),
            }
            match parent.move_noreplace(base, &aside) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
                // Another process removes it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                Err(error) => return Err(error),
            }
            parent.finish_removal(&aside, base, compare(&aside)?)
        })
    }

    fn compare(&self, base: &str, limit: u64, is_expected: impl Fn(&[u8]) -> bool) -> io::Result<Comparison> {
        match self.read(base, limit) {
            Ok(now) if is_expected(&now.bytes) => Ok(Comparison::Same),
            Err(AppDirError::NotFound(_)) => Ok(Comparison::Missing),
            Ok(_)
            | Err(
                AppDirError::TooLarge { .. }
                | AppDirError::NotRegularFile(_)
                | AppDirError::OutsideRoot(_)
                | AppDirError::DanglingLink(_),
            ) => Ok(Comparison::Different),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Removes a file that was moved aside, or gives it its name back if another program wrote it. Returns whether nothing
    /// of it is left. If another file has taken the name since, both stay.
    fn finish_removal(&self, aside: &str, base: &str, found: Comparison) -> io::Result<bool> {
        match found {
            Comparison::Missing => return Ok(true),
            Comparison::Same => fence::commit("remove").and_then(|()| self.dir.remove_file(aside))?,
            Comparison::Different => match self.move_noreplace(aside, base) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            },
        }
        failpoint::hit("flush names")?;
        self.sync_dir()?;
        Ok(found == Comparison::Same)
    }

    /// Gives a temporary file with `bytes` the name of one directly in this directory, if that still has the content
    /// `before`. Returns whether it did.
    fn put_in_place(&self, temporary: &str, base: &str, bytes: &[u8], before: &[u8]) -> io::Result<bool> {
        let is_same = failpoint::hit("rename").and_then(|()| self.has_content(base, before));
        if !matches!(is_same, Ok(true)) {
            drop(self.dir.remove_file(temporary));
            return is_same;
        }
        if !self.exchange_into_place(temporary, base, bytes, before)? {
            return Ok(false);
        }
        failpoint::hit("flush names")?;
        self.sync_dir().map(|()| true)
    }

    /// Whether a file directly in this directory has exactly this content.
    fn has_content(&self, base: &str, bytes: &[u8]) -> io::Result<bool> {
        failpoint::hit("compare")?;
        match self.read(base, bytes.len() as u64) {
            Ok(now) => Ok(now.bytes == bytes),
            // It is longer than before, or gone.
            Err(AppDirError::TooLarge { .. } | AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Moves the temporary file, whose content is `bytes`, to its name, and removes the file of ours that is left over.
    fn exchange_into_place(&self, temporary: &str, base: &str, bytes: &[u8], before: &[u8]) -> io::Result<bool> {
        let taken = fence::commit("exchange").and_then(|()| match self.try_exchange(temporary, base) {
            Some(exchanged) => exchanged.map(|()| true),
            None => self.dir.rename(temporary, &self.dir, base).map(|()| false),
        });
        match taken {
            // The rename succeeded, and the temporary name is free.
            Ok(false) => return Ok(true),
            Ok(true) => {}
            Err(error) => {
                drop(self.dir.remove_file(temporary));
                return if error.kind() == io::ErrorKind::NotFound { Ok(false) } else { Err(error) };
            }
        }
        let is_unchanged = self.has_content(temporary, before);
        if matches!(is_unchanged, Ok(true)) {
            // An old file that cannot be removed is swept later, and is no error.
            drop(self.dir.remove_file(temporary));
            return Ok(true);
        }
        // Another program wrote in between, or may have written. The file under the temporary name is removed only if it
        // is certainly ours.
        self.try_exchange(temporary, base).unwrap_or(Ok(()))?;
        match self.has_content(temporary, bytes) {
            Ok(true) => drop(self.dir.remove_file(temporary)),
            // It wrote again, so its last write stays.
            Ok(false) => self.try_exchange(temporary, base).unwrap_or(Ok(()))?,
            Err(error) => return Err(error),
        }
        is_unchanged.map(|_| false)
    }

    /// Exchanges two names; `None` if the system cannot.
    #[cfg(target_os = "linux")]
    pub(super) fn try_exchange(&self, one: &str, other: &str) -> Option<io::Result<()>> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        if failpoint::hit("exchange names").is_err() {
            return None;
        }
        match renameat_with(&*self.dir, one, &*self.dir, other, RenameFlags::EXCHANGE) {
            // An older kernel, or a file system without the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => None,
            exchanged => Some(exchanged.map_err(io::Error::from)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn try_exchange(&self, _one: &str, _other: &str) -> Option<io::Result<()>> {
        None
    }
}

/// A file beside what is expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Same,
    Different,
    Missing,
}

/// Whether a file has the group of the file that it replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupOwnership {
    Preserved,
    /// The system does not let a user give a file to a group that the user is not in.
    OwnGroup,
}

/// Gives a file the owner and group of another. Another user's file whose owner cannot be kept is not replaced.
#[cfg(unix)]
fn copy_ownership(file: &File, other: &cap_std::fs::Metadata) -> io::Result<GroupOwnership> {
    use cap_std::fs::MetadataExt as _;
    use rustix::fs::{Gid, Uid, fchown};
    use rustix::io::Errno;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (other.uid(), other.gid()) {
        return Ok(GroupOwnership::Preserved);
    }
    match fchown(file, Some(Uid::from_raw(other.uid())), Some(Gid::from_raw(other.gid()))) {
        // `EINVAL`: a group that this user namespace does not map.
        Err(Errno::PERM | Errno::INVAL) if own.uid() == other.uid() => Ok(GroupOwnership::OwnGroup),
        given => Ok(given.map(|()| GroupOwnership::Preserved)?),
    }
}

#[cfg(not(unix))]
fn copy_ownership(_: &File, _: &cap_std::fs::Metadata) -> io::Result<GroupOwnership> {
    Ok(GroupOwnership::Preserved)
}

/// Returns the permissions of a file that replaces another. If the group could not be kept, the new group and everyone
/// else get only what both the old group and everyone else had, because the old group's members now count among
/// everyone else. With an access list the bits do not show the old group's permissions, so neither gets any.
#[cfg(unix)]
fn replacement_permissions(other: &cap_std::fs::Metadata, group: GroupOwnership, has_list: bool) -> Permissions {
    use cap_std::fs::PermissionsExt as _;
    let rights = other.permissions();
    if group == GroupOwnership::Preserved {
        return rights;
    }
    let mode = rights.mode();
    let everybody = if has_list { 0 } else { mode & (mode >> 3) & 0o7 };
    Permissions::from_mode((mode & 0o700) | (everybody << 3) | everybody)
}

#[cfg(not(unix))]
fn replacement_permissions(other: &cap_std::fs::Metadata, _: GroupOwnership, _: bool) -> Permissions {
    other.permissions()
}

/// Extended attributes: access lists, labels, and user attributes.
mod xattrs {
    use std::io;

    use cap_std::fs::File;

    /// Copies all extended attributes, and returns whether an access list is among them.
    #[cfg(target_os = "linux")]
    pub(super) fn copy_xattrs(from: &File, to: &File) -> io::Result<bool> {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
        use rustix::io::Errno;
        // The kernel's limit for one value and for the list of names.
        const MAX_XATTR_BYTES: usize = 64 * 1024;
        let list = |file: &File| -> io::Result<Vec<Vec<u8>>> {
            let mut names = Vec::with_capacity(MAX_XATTR_BYTES);
            match flistxattr(file, rustix::buffer::spare_capacity(&mut names)) {
                Err(Errno::NOTSUP) => {}
                listed => drop(listed?),
            }
            Ok(names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
        };
        let (names, given) = (list(from)?, list(to)?);
        // Attributes that a new file gets from its folder, such as default access lists.
        for name in given.iter().filter(|name| !names.contains(name)) {
            match fremovexattr(to, name.as_slice()) {
                Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NODATA) if !name.starts_with(b"system.") => {}
                removed => removed?,
            }
        }
        for name in &names {
            let mut value = Vec::with_capacity(MAX_XATTR_BYTES);
            fgetxattr(from, name.as_slice(), rustix::buffer::spare_capacity(&mut value))?;
            match fsetxattr(to, name.as_slice(), &value, XattrFlags::empty()) {
                // Labels of the system are set by the system only.
                Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) if !name.starts_with(b"user.") => {}
                set => set?,
            }
        }
        Ok(names.iter().any(|name| name == b"system.posix_acl_access"))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
    pub(super) fn copy_xattrs(_: &File, _: &File) -> io::Result<bool> {
        Ok(false)
    }
}
