//! What can go wrong with a file, sorted by what the caller can do about it.

use std::io;

use rustix::io::Errno;

#[derive(Debug, thiserror::Error)]
pub enum AppDirError {
    #[error("not found: {0}")]
    NotFound(String),
    /// A file stands where a directory is to be opened or made.
    #[error("not a folder: {0}")]
    NotAFolder(String),
    /// A link of the operator's has nothing at its end. Not the same as a file that is missing, which may be meant.
    #[error("a link that leads nowhere: {0}")]
    DanglingLink(String),
    /// A link or a name leads out of the directory.
    #[error("leads outside its folder: {0}")]
    OutsideRoot(String),
    /// A directory, pipe, socket or device stands where a file is expected.
    #[error("not a regular file: {0}")]
    NotRegular(String),
    #[error("{name} has {len} bytes, the limit is {limit}")]
    TooLarge { name: String, len: u64, limit: u64 },
    #[error("not UTF-8: {0}")]
    NotUtf8(String),
    #[error("exists already: {0}")]
    Exists(String),
    /// The system refuses: who owns it, its rights, or the confinement of this process.
    #[error("not permitted: {0}")]
    PermissionDenied(String),
    #[error("opened read-only: {0}")]
    ReadOnly(String),
    /// Another process kept the lock for as long as a writer waits.
    #[error("locked by another process: {0}")]
    Locked(String),
    /// No room on the disk, or none within a quota.
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// This process, or the whole system, may not open any more files at the moment.
    #[error("too many files are open: {0}")]
    TooManyOpenFiles(String),
    /// Where its rows begin is not known, and was not to be found out now.
    #[error("not indexed yet: {0}")]
    NotIndexed(String),
    #[error("changed while being read: {0}")]
    ChangedDuringRead(String),
    /// Who asked does not want to know any more.
    #[error("reading was stopped: {0}")]
    Cancelled(String),
    #[error("{name}: {source}")]
    Io { name: String, source: io::Error },
}

impl AppDirError {
    /// Sorts an I/O error on `name`.
    pub(super) fn from_io(name: &str, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let name = name.to_owned();
        match source.kind() {
            // A name that no file can have is the name of no file, and below a file there is none.
            Kind::NotFound | Kind::NotADirectory | Kind::InvalidFilename => Self::NotFound(name),
            Kind::InvalidInput if name.contains('\0') => Self::NotFound(name),
            // The capability layer answers in its own words, without an error number of the system.
            Kind::PermissionDenied if source.raw_os_error().is_none() => Self::OutsideRoot(name),
            Kind::PermissionDenied => Self::PermissionDenied(name),
            Kind::AlreadyExists => Self::Exists(name),
            Kind::StorageFull | Kind::QuotaExceeded => Self::DiskFull(name),
            Kind::ReadOnlyFilesystem => Self::ReadOnly(name),
            Kind::IsADirectory => Self::NotRegular(name),
            _ if is_too_many_open_files(&source) => Self::TooManyOpenFiles(name),
            _ => Self::Io { name, source },
        }
    }

    /// The same for a directory `name` that is made, or that has to be there.
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
