//! A directory handle, and reading through it.
//!
//! Owns: non-blocking opens, and the check that an opened file is a regular file.
//! Never: holds a path.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::create_mode::CreateMode;
use super::{AppDirError, FileContent, OpenFile};

/// The access that a handle grants. The kernel sandbox is set up for this much and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// An open directory. Names are relative to it, may have several segments, and never lead out of it.
#[derive(Debug, Clone)]
pub struct Folder {
    pub(super) dir: Arc<Dir>,
    pub(super) access: Access,
    pub(super) create_mode: CreateMode,
    /// Whether missing names are told from a removed directory. Only where the file system counts the names of directories.
    pub(super) reports_removal: bool,
}

/// The metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stat {
    pub len: u64,
    pub modified: Option<SystemTime>,
    /// When content, name or permissions last changed. Only the system sets this time; `modified` can be set by anyone.
    pub changed: Option<SystemTime>,
    pub file_id: FileId,
    /// The number of hard links.
    pub link_count: u64,
}

/// The identity of a file or folder, which is the same under any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    pub device: u64,
    pub inode: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    File,
    Folder,
    /// A link. Only following it shows whether it stays inside.
    Symlink,
    Other,
}

impl Folder {
    /// Wraps a directory that another process of ours opened and passed on.
    #[cfg(unix)]
    #[must_use]
    pub fn from_fd(handle: std::os::fd::OwnedFd) -> Self {
        let dir = Dir::from_std_file(std::fs::File::from(handle));
        Self::from_dir(dir, Access::ReadWrite)
    }

    pub(super) fn from_dir(dir: Dir, access: Access) -> Self {
        Self { dir: Arc::new(dir), access, create_mode: CreateMode::Umask, reports_removal: false }
    }

    /// Wraps a directory below this one, with the same rights.
    pub(super) fn child(&self, dir: Dir) -> Self {
        Self { dir: Arc::new(dir), reports_removal: false, ..*self }
    }

    /// Whether this handle forbids writing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.access == Access::ReadOnly
    }

    /// Opens a directory below this one.
    ///
    /// # Errors
    /// When it does not exist, or its path leads outside.
    pub fn open_folder(&self, name: &str) -> Result<Self, AppDirError> {
        let dir = retry_stale(|| self.dir.open_dir(trim_trailing_slash(name)));
        Ok(self.child(dir.map_err(|error| self.lookup_error(name, error))?))
    }

    /// Opens a regular file, to read it whole.
    ///
    /// # Errors
    /// When the file does not exist or is not a regular file.
    pub fn open(&self, name: &str) -> Result<OpenFile, AppDirError> {
        OpenFile::new(self, name)
    }

    /// Opens a regular file below this directory in one system call, if no part of its path is a link. `None` otherwise,
    /// and where the system has no such call: then the parts have to be opened one after the other.
    #[must_use]
    pub fn open_without_links(&self, name: &str) -> Option<OpenFile> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let opened = openat2(&*self.dir, trim_trailing_slash(name), flags, Mode::empty(), resolve).ok()?;
            let file = File::from_std(std::fs::File::from(opened));
            let stat = require_regular_file(name, &file.metadata().ok()?).ok()?;
            Some(OpenFile::from_parts(self, name, file, stat))
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = name;
            None
        }
    }

    /// Reads a whole file of at most `limit` bytes. The content is that of one moment: while the file is being
    /// replaced, the reader gets the old content or the new.
    ///
    /// # Errors
    /// When the file does not exist, is not a regular file, is larger than `limit`, or changes during each attempt.
    pub fn read(&self, name: &str, limit: u64) -> Result<FileContent, AppDirError> {
        self.open(name)?.read(limit)
    }

    /// Reads the first bytes of a file, at most `most`. If the file is being replaced, they are those of the old file
    /// or of the new one.
    ///
    /// # Errors
    /// When the file does not exist, or is not a regular file.
    pub fn read_prefix(&self, name: &str, most: u64) -> Result<Vec<u8>, AppDirError> {
        let read = || {
            let (file, _) = self.open_file(name)?;
            let mut bytes = Vec::new();
            file.take(most).read_to_end(&mut bytes).map_err(|error| AppDirError::from_io(name, error))?;
            Ok(bytes)
        };
        match read() {
            Err(AppDirError::ChangedDuringRead(_)) => read(),
            read => read,
        }
    }

    /// Reads a whole file as [`Self::read`] does, as text.
    ///
    /// # Errors
    /// As [`Self::read`], and when the bytes are not UTF-8.
    pub fn read_text(&self, name: &str, limit: u64) -> Result<(String, Option<SystemTime>), AppDirError> {
        self.open(name)?.read_text(limit)
    }

    /// Returns the metadata of a regular file without reading it.
    ///
    /// # Errors
    /// When the file does not exist, is not a regular file, or leads outside.
    pub fn stat(&self, name: &str) -> Result<Stat, AppDirError> {
        let metadata = retry_stale(|| self.dir.metadata(trim_trailing_slash(name)));
        require_regular_file(name, &metadata.map_err(|error| self.lookup_error(name, error))?)
    }

    /// Whether the folder belongs to the user of this process.
    #[cfg(unix)]
    #[must_use]
    pub fn is_own(&self) -> bool {
        use cap_std::fs::MetadataExt as _;
        self.dir.dir_metadata().is_ok_and(|metadata| Some(metadata.uid()) == crate::user_id())
    }

    /// Returns the metadata of this directory itself, which changes when a name in it does.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn stat_self(&self) -> Result<Stat, AppDirError> {
        self.dir
            .dir_metadata()
            .map(|metadata| Stat::from_metadata(&metadata))
            .map_err(|error| AppDirError::from_io(".", error))
    }

    /// Lists the entries of this directory whose names are UTF-8, sorted. At most `limit` entries are read.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn entries(&self, limit: usize) -> Result<Vec<DirEntry>, AppDirError> {
        self.entries_with_budget(&mut { limit })
    }

    /// Lists the entries as [`Self::entries`] does, with a limit that several directories share: `left` goes down with
    /// every entry.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn entries_with_budget(&self, left: &mut usize) -> Result<Vec<DirEntry>, AppDirError> {
        let io = |error| AppDirError::from_io(".", error);
        let mut entries = Vec::new();
        for entry in self.dir.entries().map_err(io)?.take(*left) {
            *left -= 1;
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let kind = self.listed_kind(&entry, &name);
            entries.push(DirEntry { name, kind });
        }
        if entries.is_empty() {
            self.check_removed()?;
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Visits the regular files of this directory, unordered and without collecting them: `visit` gets the result of
    /// `pick` for a name, and the file's metadata. Names for which `pick` returns `None` are skipped without a `stat`;
    /// `left` goes down with every name.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn visit_files<T>(
        &self,
        left: &mut usize,
        pick: impl Fn(&str) -> Option<T>,
        mut visit: impl FnMut(T, Stat),
    ) -> Result<(), AppDirError> {
        let io = |error| AppDirError::from_io(".", error);
        let most = *left;
        for entry in self.dir.entries().map_err(io)?.take(most) {
            *left -= 1;
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(picked) = pick(&name) else { continue };
            let stat = match self.listed_kind(&entry, &name) {
                // Relative to the directory's own handle, without path resolution: twice as fast.
                EntryKind::File => self.stat_nofollow(&name),
                EntryKind::Symlink => self.stat(&name),
                EntryKind::Folder | EntryKind::Other => continue,
            };
            // A file that is gone by now and a dangling link are no files.
            if let Ok(stat) = stat {
                visit(picked, stat);
            }
        }
        if *left == most { self.check_removed() } else { Ok(()) }
    }

    /// Returns the kind of an entry of this directory. Not every file system reports it with the names.
    pub(super) fn listed_kind(&self, entry: &cap_std::fs::DirEntry, name: &str) -> EntryKind {
        match entry.file_type().map_or(EntryKind::Other, EntryKind::from_file_type) {
            EntryKind::Other => self.entry_kind(name).unwrap_or(EntryKind::Other),
            kind => kind,
        }
    }

    /// Visits the names of this directory, unordered: each with its inode number and kind, without a `stat` where the file
    /// system reports the kind. A file that is replaced by a rename gets another inode number, which may be one that an earlier
    /// file had; a file that is changed in place keeps its own. `left` goes down with every name.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn visit_names(
        &self,
        left: &mut usize,
        mut visit: impl FnMut(&str, u64, EntryKind),
    ) -> Result<(), AppDirError> {
        use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
        let io = |error: rustix::io::Errno| AppDirError::from_io(".", error.into());
        let most = *left;
        // The handle itself may be opened with `O_PATH`, which does not allow reading.
        let readable = openat(&*self.dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        for entry in readable.and_then(Dir::new).map_err(io)? {
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { break };
            *left = rest;
            let kind = match entry.file_type() {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Symlink,
                FileType::Unknown => self.entry_kind(name).unwrap_or(EntryKind::Other),
                _ => EntryKind::Other,
            };
            visit(name, entry.ino(), kind);
        }
        if *left == most { self.check_removed() } else { Ok(()) }
    }

    /// Returns the metadata of a file directly in this directory, by the name that the directory gave: twice as fast as
    /// [`Self::stat`].
    ///
    /// # Errors
    /// When the file does not exist or is not a regular file; a link is not one.
    pub fn stat_nofollow(&self, name: &str) -> Result<Stat, AppDirError> {
        use rustix::fs::{AtFlags, FileType};
        let stat = retry_stale(|| Ok(rustix::fs::statat(&*self.dir, name, AtFlags::SYMLINK_NOFOLLOW)?));
        let stat = stat.map_err(|error| self.lookup_error(name, error))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(AppDirError::NotRegularFile(name.into()));
        }
        Ok(Stat {
            len: stat.st_size.try_into().unwrap_or(0),
            modified: system_time_from_unix(stat.st_mtime, stat.st_mtime_nsec.try_into().unwrap_or(0)),
            changed: system_time_from_unix(stat.st_ctime, stat.st_ctime_nsec.try_into().unwrap_or(0)),
            file_id: FileId { device: stat.st_dev, inode: stat.st_ino },
            link_count: stat.st_nlink,
        })
    }

    /// Returns the target of a link, without following it.
    ///
    /// # Errors
    /// When the file is not a link.
    pub fn read_link(&self, name: &str) -> Result<std::path::PathBuf, AppDirError> {
        self.dir.read_link_contents(trim_trailing_slash(name)).map_err(|error| AppDirError::from_io(name, error))
    }

    /// Opens a regular file for reading. A plain `open` of a pipe without a writer would block forever.
    pub(super) fn open_file(&self, name: &str) -> Result<(File, Stat), AppDirError> {
        self.open_regular(name, OpenOptions::new().read(true))
    }

    /// Opens a regular file with the given options.
    pub(super) fn open_regular(&self, name: &str, options: &mut OpenOptions) -> Result<(File, Stat), AppDirError> {
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let open = || {
            let file = self.dir.open_with(trim_trailing_slash(name), options)?;
            let metadata = file.metadata()?;
            Ok((file, metadata))
        };
        let (file, metadata) = retry_stale(open).map_err(|error: io::Error| match error.raw_os_error() {
            // The errno of opening a socket.
            Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => {
                AppDirError::NotRegularFile(name.into())
            }
            _ => self.lookup_error(name, error),
        })?;
        let stat = require_regular_file(name, &metadata)?;
        Ok((file, stat))
    }
}

/// Repeats an attempt that fails with `ESTALE`: another machine has replaced the file after its name was looked up. Local file
/// systems do not return this error.
fn retry_stale<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    const MAX_RETRIES: usize = 8;
    let is_stale = |error: &io::Error| error.kind() == io::ErrorKind::StaleNetworkFileHandle;
    let mut tried = attempt();
    for _ in 0..MAX_RETRIES {
        if !tried.as_ref().is_err_and(is_stale) {
            break;
        }
        tried = attempt();
    }
    tried
}

/// For the kernel's sandbox rules, which take handles.
#[cfg(unix)]
impl std::os::fd::AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl Stat {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        use cap_std::fs::MetadataExt as _;
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            changed: system_time_from_unix(metadata.ctime(), metadata.ctime_nsec()),
            file_id: FileId { device: metadata.dev(), inode: metadata.ino() },
            link_count: metadata.nlink(),
        }
    }

    /// Whether the last change is long enough ago that a further change would show: two changes within a short time can
    /// leave the same time stamp.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        const SETTLE_TIME: Duration = Duration::from_secs(2);
        // The modification time can be set to any value, the change time cannot.
        let age = self.modified.max(self.changed).and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age >= SETTLE_TIME)
    }

    /// Whether the file was modified within the last second. A writer that works in place may not be done with it.
    #[must_use]
    pub fn is_recently_modified(&self) -> bool {
        const MAX_RECENT_AGE: Duration = Duration::from_secs(1);
        // A time in the future comes from another clock, or from one that was set back.
        let age = |modified: SystemTime| modified.elapsed().unwrap_or_else(|ahead| ahead.duration());
        self.modified.is_some_and(|modified| age(modified) < MAX_RECENT_AGE)
    }

    /// Whether the content is the same, as far as an open handle can show.
    pub(super) fn has_same_content(&self, before: &Self) -> bool {
        Self { changed: before.changed, link_count: before.link_count, ..*self } == *before
    }
}

impl EntryKind {
    pub(super) fn from_file_type(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Symlink
        } else {
            Self::Other
        }
    }
}

/// Converts a time stamp of the system; `None` for one that is out of range.
fn system_time_from_unix(seconds: i64, nanos: i64) -> Option<SystemTime> {
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(u64::try_from(seconds).ok()?, nanos))
}

fn require_regular_file(name: &str, metadata: &Metadata) -> Result<Stat, AppDirError> {
    if metadata.is_file() { Ok(Stat::from_metadata(metadata)) } else { Err(AppDirError::NotRegularFile(name.into())) }
}

/// A trailing slash requires a directory and, through a link, has led outside in the past. It carries no meaning here.
pub(super) fn trim_trailing_slash(name: &str) -> &str {
    name.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn stale_handle_is_looked_up_again() {
        let stale = || io::Error::from_raw_os_error(rustix::io::Errno::STALE.raw_os_error());
        let left = Cell::new(3);
        let attempt = || if left.replace(left.get() - 1) == 0 { Ok("new") } else { Err(stale()) };
        assert_eq!(retry_stale(attempt).unwrap(), "new");
        let tried = Cell::new(0);
        let error = retry_stale::<()>(|| {
            tried.set(tried.get() + 1);
            Err(stale())
        });
        assert!(
            tried.get() > 1
                && matches!(AppDirError::from_io("a", error.unwrap_err()), AppDirError::ChangedDuringRead(_))
        );
        // No other error is.
        tried.set(0);
        let missing = retry_stale::<()>(|| {
            tried.set(tried.get() + 1);
            Err(io::ErrorKind::NotFound.into())
        });
        assert!(missing.is_err() && tried.get() == 1);
    }
}
