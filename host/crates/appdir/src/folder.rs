//! A directory handle, and reading through it.
//!
//! Owns: opening without waiting, and the check that what was opened is a regular file.
//! Never: holds a path.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::{AppDirError, read_cache};

/// What a handle may be used for. The sandbox of the kernel is asked for no more than this.
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
}

/// A whole file, as it was at one moment.
#[derive(Debug)]
pub struct FileContent {
    pub bytes: Vec<u8>,
    pub modified: Option<SystemTime>,
}

/// What a file is, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stat {
    pub len: u64,
    pub modified: Option<SystemTime>,
    /// When content, name or rights last changed. The system keeps it; unlike `modified` nobody can set it.
    pub changed: Option<SystemTime>,
    /// Device and inode: the same file under any name.
    pub file_id: (u64, u64),
    /// How many names it has.
    pub link_count: u64,
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
    /// A link. Whether it stays inside is found out by following it.
    Symlink,
    Other,
}

impl Folder {
    /// A directory that another of our processes opened and handed over.
    #[cfg(unix)]
    #[must_use]
    pub fn from_fd(handle: std::os::fd::OwnedFd) -> Self {
        let dir = Dir::from_std_file(std::fs::File::from(handle));
        Self { dir: Arc::new(dir), access: Access::ReadWrite }
    }

    /// Whether nothing can be written through this handle.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.access == Access::ReadOnly
    }

    /// Opens a directory below this one.
    ///
    /// # Errors
    /// When there is none, or the way to it leads outside.
    pub fn open_folder(&self, name: &str) -> Result<Self, AppDirError> {
        let dir = self.dir.open_dir(trim_trailing_slash(name)).map_err(|error| AppDirError::from_io(name, error))?;
        Ok(Self { dir: Arc::new(dir), access: self.access })
    }

    /// Reads a whole file of at most `limit` bytes. The content is what the file held at one moment: a reader of a
    /// file that is being replaced gets the old one or the new one.
    ///
    /// # Errors
    /// When it is not there, is no regular file, is larger, or never holds still.
    pub fn read(&self, name: &str, limit: u64) -> Result<FileContent, AppDirError> {
        const MAX_READ_ATTEMPTS: usize = 3;
        if let Some(document) = self.read_cached(name, limit) {
            return Ok(document);
        }
        for _ in 0..MAX_READ_ATTEMPTS {
            let since = Instant::now();
            let (mut file, before) = self.open_file(name)?;
            if before.len > limit {
                return Err(AppDirError::TooLarge { name: name.into(), len: before.len, limit });
            }
            let mut bytes = Vec::with_capacity(usize::try_from(before.len).unwrap_or(0) + 1);
            let read = (&mut file).take(limit + 1).read_to_end(&mut bytes);
            read.map_err(|error| AppDirError::from_io(name, error))?;
            // Replacing by rename leaves this handle's content alone, though not its time of change. Only a writer that
            // overwrites in place shows here.
            let after = file.metadata().map_err(|error| AppDirError::from_io(name, error))?;
            if Stat::from_metadata(&after).has_same_content(&before) && bytes.len() as u64 == before.len {
                read_cache::insert(before, &bytes, since);
                return Ok(FileContent { bytes, modified: before.modified });
            }
        }
        Err(AppDirError::ChangedDuringRead(name.into()))
    }

    /// The first bytes of a file, at most `most`, of what it holds now. Of one that is replaced meanwhile they are the old
    /// file's or the new one's.
    ///
    /// # Errors
    /// When it is not there, or is no regular file.
    pub fn read_prefix(&self, name: &str, most: u64) -> Result<Vec<u8>, AppDirError> {
        let (file, _) = self.open_file(name)?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).map_err(|error| AppDirError::from_io(name, error))?;
        Ok(bytes)
    }

    /// What was read a moment ago, of a file that is still there and still the same. A look costs half of reading.
    fn read_cached(&self, name: &str, limit: u64) -> Option<FileContent> {
        if read_cache::is_empty() {
            return None;
        }
        let stat = self.stat(name).ok().filter(|stat| stat.len <= limit)?;
        Some(FileContent { bytes: read_cache::get(&stat)?.to_vec(), modified: stat.modified })
    }

    /// As [`Self::read`], for text.
    ///
    /// # Errors
    /// As [`Self::read`], and when the bytes are not UTF-8.
    pub fn read_text(&self, name: &str, limit: u64) -> Result<(String, Option<SystemTime>), AppDirError> {
        let FileContent { bytes, modified } = self.read(name, limit)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok((text, modified)),
            Err(_) => Err(AppDirError::NotUtf8(name.into())),
        }
    }

    /// Looks at a regular file without reading it.
    ///
    /// # Errors
    /// When it is not there, is no regular file, or leads outside.
    pub fn stat(&self, name: &str) -> Result<Stat, AppDirError> {
        let metadata =
            self.dir.metadata(trim_trailing_slash(name)).map_err(|error| AppDirError::from_io(name, error))?;
        stat_regular(name, &metadata)
    }

    /// Looks at this directory itself. It changes with the names in it.
    ///
    /// # Errors
    /// When the system cannot tell.
    pub fn stat_self(&self) -> Result<Stat, AppDirError> {
        self.dir
            .dir_metadata()
            .map(|metadata| Stat::from_metadata(&metadata))
            .map_err(|error| AppDirError::from_io(".", error))
    }

    /// The entries of this directory whose names are UTF-8, sorted, and at most `limit` of them looked at.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn entries(&self, limit: usize) -> Result<Vec<DirEntry>, AppDirError> {
        self.entries_with_budget(&mut { limit })
    }

    /// The same, where several directories share what may be looked at: `left` goes down with every entry.
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
            let kind = entry.file_type().map_or(EntryKind::Other, EntryKind::from_file_type);
            entries.push(DirEntry { name, kind });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Visits the regular files of this directory, in no order and keeping nothing of them: what `pick` makes of a name,
    /// and the file's state. What it makes nothing of is not looked at further; `left` goes down with every name.
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
        for entry in self.dir.entries().map_err(io)?.take(*left) {
            *left -= 1;
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(picked) = pick(&name) else { continue };
            let stat = match entry.file_type().map_or(EntryKind::Other, EntryKind::from_file_type) {
                // By the directory's own handle, without the way there: twice as fast.
                EntryKind::File => self.stat_nofollow(&name),
                EntryKind::Symlink => self.stat(&name),
                EntryKind::Folder | EntryKind::Other => continue,
            };
            // What is gone by now, or leads nowhere, is no file.
            if let Ok(stat) = stat {
                visit(picked, stat);
            }
        }
        Ok(())
    }

    /// Visits the names of this directory, in no order and looking at nothing but the directory: each with the number that
    /// the file system gives the file (its inode). A file that is replaced by a rename gets another number, though in the
    /// end perhaps one that it had before; one that is changed in place keeps its own. `left` goes down with every name.
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
        // The handle itself may be good for look-ups only.
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
                // Some file systems do not say; opening it will.
                FileType::RegularFile | FileType::Unknown => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Symlink,
                _ => EntryKind::Other,
            };
            visit(name, entry.ino(), kind);
        }
        Ok(())
    }

    /// Looks at a file of this very directory, by the name that the directory gave: twice as fast as [`Self::stat`].
    ///
    /// # Errors
    /// When it is not there or no regular file; a link is none.
    pub fn stat_nofollow(&self, name: &str) -> Result<Stat, AppDirError> {
        use rustix::fs::{AtFlags, FileType};
        let stat = rustix::fs::statat(&*self.dir, name, AtFlags::SYMLINK_NOFOLLOW);
        let stat = stat.map_err(|error| AppDirError::from_io(name, error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(AppDirError::NotRegular(name.into()));
        }
        Ok(Stat {
            len: stat.st_size.try_into().unwrap_or(0),
            modified: system_time(stat.st_mtime, stat.st_mtime_nsec.try_into().unwrap_or(0)),
            changed: system_time(stat.st_ctime, stat.st_ctime_nsec.try_into().unwrap_or(0)),
            file_id: (stat.st_dev, stat.st_ino),
            link_count: stat.st_nlink,
        })
    }

    /// The text of a link, without following it.
    ///
    /// # Errors
    /// When it is not a link.
    pub fn read_link(&self, name: &str) -> Result<std::path::PathBuf, AppDirError> {
        self.dir.read_link_contents(trim_trailing_slash(name)).map_err(|error| AppDirError::from_io(name, error))
    }

    /// Opens a regular file for reading. A pipe without a writer would make a plain `open` wait for ever.
    pub(super) fn open_file(&self, name: &str) -> Result<(File, Stat), AppDirError> {
        self.open_regular(name, OpenOptions::new().read(true))
    }

    /// The same, for what `options` say.
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
        let (file, metadata) = open().map_err(|error: io::Error| match error.raw_os_error() {
            // A socket.
            Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => AppDirError::NotRegular(name.into()),
            _ => AppDirError::from_io(name, error),
        })?;
        let stat = stat_regular(name, &metadata)?;
        Ok((file, stat))
    }
}

/// For the rules of the kernel, which take handles.
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
            changed: system_time(metadata.ctime(), metadata.ctime_nsec()),
            file_id: (metadata.dev(), metadata.ino()),
            link_count: metadata.nlink(),
        }
    }

    /// Whether this is old enough that a further change would show: two changes within a short time can leave the same
    /// time stamp behind.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        const SETTLE_TIME: Duration = Duration::from_secs(2);
        // The time of modification can be set to any, the time of change cannot.
        let age = self.modified.max(self.changed).and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age >= SETTLE_TIME)
    }

    /// Whether it was changed within the last second. A writer that works in place may not be done with it.
    #[must_use]
    pub fn is_recently_modified(&self) -> bool {
        const RECENT_AGE: Duration = Duration::from_secs(1);
        let age = self.modified.and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age < RECENT_AGE)
    }

    /// Whether the content is the same, as far as can be told while the file is open.
    fn has_same_content(&self, before: &Self) -> bool {
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

/// A time as the system counts it. What no clock of this century says is no time.
fn system_time(seconds: i64, nanos: i64) -> Option<SystemTime> {
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(u64::try_from(seconds).ok()?, nanos))
}

fn stat_regular(name: &str, metadata: &Metadata) -> Result<Stat, AppDirError> {
    if metadata.is_file() { Ok(Stat::from_metadata(metadata)) } else { Err(AppDirError::NotRegular(name.into())) }
}

/// A trailing slash asks for a directory and, through a link, has led outside in the past. It carries no meaning here.
pub(super) fn trim_trailing_slash(name: &str) -> &str {
    name.trim_end_matches('/')
}
