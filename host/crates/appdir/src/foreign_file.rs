//! Changing files that belong to other programs, which take no lock of ours and may write at any moment.
//!
//! Owns: that such a file keeps its owner, its rights and its attributes, and that nothing is lost that somebody else wrote
//! meanwhile.
//! Never: leaves anything beside it but a copy that was asked for.

use std::fs::TryLockError;
use std::io::{self, Write as _};

use cap_std::fs::{File, Permissions};
use rustix::fs::{Mode, OFlags, openat};

use super::lock::{FileLock, lock_with_timeout};
use super::{AppDirError, Folder, Privacy, failpoint};

impl Folder {
    /// Locks this folder for all who lock it so, without a file of its own; nothing where its file system knows no locks of
    /// folders.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub fn lock_self(&self) -> Result<Option<FileLock>, AppDirError> {
        const SELF: &str = ".";
        // The handle itself may be good for look-ups only.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = failpoint::hit("open lock").and_then(|()| Ok(openat(&*self.dir, SELF, flags, Mode::empty())?));
        match lock_with_timeout(opened.map_err(|error| AppDirError::from_io(SELF, error))?.into()) {
            Ok(lock) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(AppDirError::Locked(SELF.into())),
            // Over a network a lock takes a file that is written to.
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    /// Creates a copy of a file, for its owner alone, that must not exist.
    ///
    /// # Errors
    /// [`AppDirError::Exists`], or as [`Self::read`] and [`Self::write`].
    pub fn create_copy(&self, name: &str, copy: &str, bytes: &[u8]) -> Result<(), AppDirError> {
        let own = self.open_file(name)?.0.metadata().map_err(|error| AppDirError::from_io(name, error))?;
        self.with_parent(copy, |parent, base| {
            let temporary = parent.write_temporary_with(base, Privacy::Owner, |file| {
                file.write_all(bytes)?;
                // Its rights are its owner's alone, whatever group it has.
                copy_ownership(file, &own).map(drop)
            })?;
            parent.persist_noreplace(&temporary, base)
        })
    }

    /// Replaces a file unless it holds anything but `before` by now: whether it did. Where the system can exchange two names,
    /// somebody else's file that comes at the last moment is seen, and put back.
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
                // While it may be written to. The rights come last: they are what an access list grants at most.
                let has_list = xattrs::copy_xattrs(&original, file)?;
                file.set_permissions(replacement_permissions(&own, group, has_list))
            })?;
            let is_same = failpoint::hit("rename").and_then(|()| parent.has_content(base, before));
            if !matches!(is_same, Ok(true)) {
                drop(parent.dir.remove_file(&temporary));
                return is_same;
            }
            if !parent.exchange_into_place(&temporary, base, bytes, before)? {
                return Ok(false);
            }
            failpoint::hit("flush names")?;
            parent.sync_dir().map(|()| true)
        })
    }

    /// Whether a file of this very directory holds exactly this.
    fn has_content(&self, base: &str, bytes: &[u8]) -> io::Result<bool> {
        match self.read(base, bytes.len() as u64) {
            Ok(now) => Ok(now.bytes == bytes),
            // Longer than it was, or gone.
            Err(AppDirError::TooLarge { .. } | AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Gives the name to the temporary file, whose content is `bytes`, and removes what is ours of both.
    fn exchange_into_place(&self, temporary: &str, base: &str, bytes: &[u8], before: &[u8]) -> io::Result<bool> {
        let taken = failpoint::hit("exchange").and_then(|()| match self.try_exchange(temporary, base) {
            Some(exchanged) => exchanged.map(|()| true),
            None => self.dir.rename(temporary, &self.dir, base).map(|()| false),
        });
        match taken {
            // It has its name, and nothing has the other one.
            Ok(false) => return Ok(true),
            Ok(true) => {}
            Err(error) => {
                drop(self.dir.remove_file(temporary));
                return if error.kind() == io::ErrorKind::NotFound { Ok(false) } else { Err(error) };
            }
        }
        if matches!(self.has_content(temporary, before), Ok(true)) {
            // An old file that stays is a leftover, and no failure.
            drop(self.dir.remove_file(temporary));
            return Ok(true);
        }
        // Somebody else was quicker. What has the temporary name is removed only where it is ours for certain.
        self.try_exchange(temporary, base).unwrap_or(Ok(()))?;
        if matches!(self.has_content(temporary, bytes), Ok(true)) {
            drop(self.dir.remove_file(temporary));
        } else {
            // And was again: that is the last word.
            self.try_exchange(temporary, base).unwrap_or(Ok(()))?;
        }
        Ok(false)
    }

    /// Exchanges two names; nothing when the system cannot.
    #[cfg(target_os = "linux")]
    pub(super) fn try_exchange(&self, one: &str, other: &str) -> Option<io::Result<()>> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(&*self.dir, one, &*self.dir, other, RenameFlags::EXCHANGE) {
            // An older kernel, or a file system that does not know the flag.
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

/// Whether a file has the group of the one that it replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupOwnership {
    Preserved,
    /// The system lets nobody give a file to a group that they are not in.
    OwnGroup,
}

/// Gives a file to whoever the other one belongs to. Another user's file that we may not give back is not replaced.
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
        // The second of a group that this part of the system has no number for.
        Err(Errno::PERM | Errno::INVAL) if own.uid() == other.uid() => Ok(GroupOwnership::OwnGroup),
        given => Ok(given.map(|()| GroupOwnership::Preserved)?),
    }
}

#[cfg(not(unix))]
fn copy_ownership(_: &File, _: &cap_std::fs::Metadata) -> io::Result<GroupOwnership> {
    Ok(GroupOwnership::Preserved)
}

/// What may be done with a file that replaces another one. In a group of its own no group may do more than everybody, and
/// everybody no more than the old group, whose members are among them now; what that could where there is an access list, the
/// bits do not say.
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

/// What a file carries beside its content: access lists, labels, and what its owner noted.
mod xattrs {
    use std::io;

    use cap_std::fs::File;

    /// Whether there is an access list among them.
    #[cfg(target_os = "linux")]
    pub(super) fn copy_xattrs(from: &File, to: &File) -> io::Result<bool> {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
        use rustix::io::Errno;
        // The system allows no more of either.
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
        // What the folder gives to new files, such as rights for others.
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
                // The labels of the system are given by the system.
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
