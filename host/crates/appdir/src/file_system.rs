//! The file system of a folder: whether other machines may change what is in it.
//!
//! Owns: which file systems are known to be this machine's alone. One that is not known counts as shared.
//! Never: trusts what a file system says of its locks.

use super::{AppDirError, Folder};

/// Whose a file system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystemReach {
    /// This machine's alone.
    Local,
    /// Of a network, of FUSE, or not known: locks and caches have to be checked.
    Shared,
}

/// A mounted file system, as the system lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountedVolume {
    /// Such as `fuse.glusterfs`.
    pub file_system: String,
    /// What is mounted, such as `server:/volume`.
    pub source: String,
}

impl MountedVolume {
    /// Returns the name of the volume without the server that this machine reached it through.
    #[must_use]
    pub fn volume(&self) -> &str {
        self.source.rsplit_once(':').map_or(self.source.as_str(), |(_, volume)| volume)
    }
}

impl Folder {
    /// # Errors
    /// When the system does not say.
    #[cfg(target_os = "linux")]
    pub fn file_system_reach(&self) -> Result<FileSystemReach, AppDirError> {
        /// ext2 to ext4, XFS, btrfs, tmpfs and ramfs, overlayfs, ZFS, F2FS, bcachefs, EROFS and squashfs, FAT, exFAT, NTFS,
        /// HFS+, ISO 9660: `linux/magic.h`, and the headers of ZFS.
        const LOCAL: &[u64] = &[
            0xef53,
            0x5846_5342,
            0x9123_683e,
            0x0102_1994,
            0x8584_58f6,
            0x794c_7630,
            0x2fc1_2fc1,
            0xf2f5_2010,
            0xca45_1a4e,
            0xe0f5_e1e2,
            0x7371_7368,
            0x4d44,
            0x2011_bab0,
            0x5346_544e,
            0x7366_746e,
            0x482b,
            0x9660,
        ];
        use std::os::fd::AsFd as _;
        let found = rustix::fs::fstatfs(self.dir.as_fd()).map_err(|error| AppDirError::from_io(".", error.into()))?;
        // The field has a type of its own on each architecture.
        #[expect(clippy::cast_sign_loss, reason = "a number of 32 bits in a wider field")]
        let magic = found.f_type as u64 & 0xffff_ffff;
        Ok(if LOCAL.contains(&magic) { FileSystemReach::Local } else { FileSystemReach::Shared })
    }

    /// # Errors
    /// Never: other systems do not say.
    #[cfg(not(target_os = "linux"))]
    pub fn file_system_reach(&self) -> Result<FileSystemReach, AppDirError> {
        Ok(FileSystemReach::Local)
    }
}
