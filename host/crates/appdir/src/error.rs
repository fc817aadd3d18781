//! The errors of file access, sorted by how a caller can react.

use std::io;

use rustix::io::Errno;

use super::fence::is_lost_lock;
use wardroom_base::byte_size::ByteSize;

#[derive(Debug, thiserror::Error)]
pub enum AppDirError {
    #[error("not found: {0}")]
    NotFound(String),
    /// The folder in which it was looked up was removed; another one may have its name by now.
    #[error("its folder was removed: {0}")]
    FolderRemoved(String),
    /// A file has the name of a directory that is to be opened or created.
    #[error("not a folder: {0}")]
    NotAFolder(String),
    /// A link that the operator named is dangling. A missing file is another error, since it may be intended.
    #[error("dangling link: {0}")]
    DanglingLink(String),
    /// A link or a name leads out of the directory.
    #[error("leads outside its folder: {0}")]
    OutsideRoot(String),
    /// A directory, pipe, socket or device has the name of an expected file.
    #[error("not a regular file: {0}")]
    NotRegularFile(String),
    #[error("{name}: {} is over the limit of {}", ByteSize(*len), ByteSize(*limit))]
    TooLarge { name: String, len: u64, limit: u64 },
    #[error("not UTF-8: {0}")]
    NotUtf8(String),
    #[error("exists already: {0}")]
    AlreadyExists(String),
    /// The system denies access: ownership, permissions, or the confinement of this process.
    #[error("not permitted: {0}")]
    PermissionDenied(String),
    #[error("opened read-only: {0}")]
    ReadOnly(String),
    #[error("on a disk that is mounted read-only: {0}")]
    ReadOnlyDisk(String),
    /// Another process held the lock for longer than a writer waits.
    #[error("locked by another process: {0}")]
    Locked(String),
    /// No space on the disk, or none within a quota.
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// This process, or the whole system, has reached its limit of open files.
    #[error("too many files are open: {0}")]
    TooManyOpenFiles(String),
    #[error("changed while being read: {0}")]
    ChangedDuringRead(String),
    /// The caller cancelled the read.
    #[error("reading was cancelled: {0}")]
    Cancelled(String),
    #[error("{name}: {source}")]
    Io { name: String, source: io::Error },
}

impl AppDirError {
    /// Whether the same attempt may succeed a moment later, so that the error says nothing about the file.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            // A link to itself stays one.
            Self::Io { source, .. } => source.raw_os_error() != Some(Errno::LOOP.raw_os_error()),
            Self::ChangedDuringRead(_) | Self::TooManyOpenFiles(_) => true,
            _ => false,
        }
    }

    /// What is wrong with the file or directory, for the caller that named it: a predicate that follows the name, and
    /// holds no other name.
    #[must_use]
    pub fn predicate(&self) -> String {
        let predicate = match self {
            Self::NotFound(_) => "is not there",
            Self::FolderRemoved(_) => "cannot be used: its folder was removed since it was opened",
            Self::NotAFolder(_) => "is not a folder",
            Self::DanglingLink(_) => "is a link to a missing file",
            Self::OutsideRoot(_) => "leads outside its folder",
            Self::NotRegularFile(_) => "is not a regular file",
            Self::TooLarge { len, limit, .. } => {
                return format!("has {}, the limit is {}", ByteSize(*len), ByteSize(*limit));
            }
            Self::NotUtf8(_) => "is not UTF-8 text",
            Self::AlreadyExists(_) => "exists already",
            Self::PermissionDenied(_) => "cannot be used: the system refuses it to this server",
            Self::ReadOnly(_) => "cannot be written: its folder was granted read-only",
            Self::ReadOnlyDisk(_) => "cannot be written: its disk is mounted read-only",
            Self::Locked(_) => "is in use now, try again",
            Self::DiskFull(_) => "cannot be written: the disk or a quota is full; nothing was changed",
            Self::TooManyOpenFiles(_) => "cannot be read while too many files are open, try again",
            Self::ChangedDuringRead(_) => "changed while it was read, try again",
            Self::Cancelled(_) => "was not read: the call was cancelled",
            Self::Io { .. } => "cannot be used",
        };
        predicate.to_owned()
    }

    /// The file or directory that the error is about.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::NotFound(name)
            | Self::FolderRemoved(name)
            | Self::NotAFolder(name)
            | Self::DanglingLink(name)
            | Self::OutsideRoot(name)
            | Self::NotRegularFile(name)
            | Self::TooLarge { name, .. }
            | Self::NotUtf8(name)
            | Self::AlreadyExists(name)
            | Self::PermissionDenied(name)
            | Self::ReadOnly(name)
            | Self::ReadOnlyDisk(name)
            | Self::Locked(name)
            | Self::DiskFull(name)
            | Self::TooManyOpenFiles(name)
            | Self::ChangedDuringRead(name)
            | Self::Cancelled(name)
            | Self::Io { name, .. } => name,
        }
    }

    /// The reason without the name, for a message that names the file itself.
    #[must_use]
    pub fn reason(&self) -> String {
        let (text, name) = (self.to_string(), self.name());
        let reason = text.strip_suffix(&format!(": {name}")).or_else(|| text.strip_prefix(&format!("{name}: ")));
        reason.unwrap_or(&text).to_owned()
    }

    /// Converts an I/O error on `name`.
    pub(super) fn from_io(name: &str, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let name = name.to_owned();
        match source.kind() {
            // Another machine took the lock.
            _ if is_lost_lock(&source) => Self::Locked(name),
            // A name that no file can have does not exist, nor does a name below a file.
            Kind::NotFound | Kind::NotADirectory | Kind::InvalidFilename => Self::NotFound(name),
            Kind::InvalidInput if name.contains('\0') => Self::NotFound(name),
            // `cap-std` reports an escape with its own error, without an errno.
            Kind::PermissionDenied if source.raw_os_error().is_none() => Self::OutsideRoot(name),
            Kind::PermissionDenied => Self::PermissionDenied(name),
            Kind::AlreadyExists => Self::AlreadyExists(name),
            Kind::StorageFull | Kind::QuotaExceeded => Self::DiskFull(name),
            Kind::ReadOnlyFilesystem => Self::ReadOnlyDisk(name),
            // Another machine replaced the file during each attempt.
            Kind::StaleNetworkFileHandle => Self::ChangedDuringRead(name),
            Kind::IsADirectory => Self::NotRegularFile(name),
            _ if is_too_many_open_files(&source) => Self::TooManyOpenFiles(name),
            _ => Self::Io { name, source },
        }
    }

    /// Converts an I/O error on a directory `name` that is created or required.
    pub(super) fn from_folder_io(name: &str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Self::NotAFolder(name.to_owned()),
            _ => Self::from_io(name, source),
        }
    }
}

fn is_too_many_open_files(error: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
