//! An open file that is read whole.
//!
//! Owns: that the content is that of one moment, and that a file which is read repeatedly comes from the cache.
//! Never: reads more than the caller allows.

use std::io::{self, Read as _};
use std::time::{Instant, SystemTime};

use cap_std::fs::File;

use super::{AppDirError, Folder, Stat, read_cache};

/// An open regular file. Its metadata are known before a byte of it is read.
#[derive(Debug)]
pub struct OpenFile {
    folder: Folder,
    name: String,
    file: File,
    stat: Stat,
    opened_at: Instant,
    /// Whether its content may be kept for the next reader.
    is_cached: bool,
}

/// The whole content of a file at one moment.
#[derive(Debug)]
pub struct FileContent {
    pub bytes: Vec<u8>,
    /// The metadata of the file at that moment.
    pub stat: Stat,
}

impl OpenFile {
    pub(super) fn new(folder: &Folder, name: &str) -> Result<Self, AppDirError> {
        let opened_at = Instant::now();
        let (file, stat) = folder.open_file(name)?;
        Ok(Self { folder: folder.clone(), name: name.to_owned(), file, stat, opened_at, is_cached: true })
    }

    pub(super) fn from_parts(folder: &Folder, name: &str, file: File, stat: Stat) -> Self {
        Self { folder: folder.clone(), name: name.to_owned(), file, stat, opened_at: Instant::now(), is_cached: true }
    }

    /// Returns the same file, whose content is not cached: for readers of many files, each of which is read once.
    #[must_use]
    pub fn uncached(self) -> Self {
        Self { is_cached: false, ..self }
    }

    /// Returns the metadata as of the opening.
    #[must_use]
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// Reads the whole file, of at most `limit` bytes. The content is that of one moment: a file that is overwritten in
    /// place meanwhile is opened and read again.
    ///
    /// # Errors
    /// When the file is larger than `limit`, or changes during each attempt.
    pub fn read(self, limit: u64) -> Result<FileContent, AppDirError> {
        self.read_within(limit)?.map_err(|Self { name, stat, .. }| AppDirError::TooLarge { name, len: stat.len, limit })
    }

    /// Reads the whole file as [`Self::read`] does; returns it unread where it is larger than `limit`, as of its opening
    /// or by now.
    ///
    /// # Errors
    /// When the file changes during each attempt.
    pub fn read_within(mut self, limit: u64) -> Result<Result<FileContent, Self>, AppDirError> {
        // Another machine that replaces the file all the time makes several attempts fail.
        const MAX_READ_ATTEMPTS: usize = 8;
        for attempt in 1.. {
            if self.stat.len > limit {
                return Ok(Err(self));
            }
            if let Some(bytes) = read_cache::get(&self.stat) {
                return Ok(Ok(FileContent { bytes: bytes.to_vec(), stat: self.stat }));
            }
            if let Some(content) = self.read_once()? {
                return Ok(Ok(content));
            }
            if attempt == MAX_READ_ATTEMPTS {
                break;
            }
            self = Self { is_cached: self.is_cached, ..Self::new(&self.folder, &self.name)? };
        }
        Err(AppDirError::ChangedDuringRead(self.name))
    }

    /// Reads the whole file as [`Self::read`] does, as text.
    ///
    /// # Errors
    /// As [`Self::read`], and when the bytes are not UTF-8.
    pub fn read_text(self, limit: u64) -> Result<(String, Option<SystemTime>), AppDirError> {
        let name = self.name.clone();
        let FileContent { bytes, stat } = self.read(limit)?;
        String::from_utf8(bytes).map(|text| (text, stat.modified)).map_err(|_| AppDirError::NotUtf8(name))
    }

    /// Reads the file; `None` if it changed meanwhile.
    fn read_once(&mut self) -> Result<Option<FileContent>, AppDirError> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.stat.len).unwrap_or(0));
        let read = (&self.file).take(self.stat.len).read_to_end(&mut bytes);
        // Replacing by rename leaves this handle's content alone, but not its change time. Only a writer that
        // overwrites in place shows here. On a network file system, the handle of a replaced file is stale.
        let after = match read.and_then(|_| self.file.metadata()) {
            Ok(after) => after,
            Err(error) if error.kind() == io::ErrorKind::StaleNetworkFileHandle => return Ok(None),
            Err(error) => return Err(AppDirError::from_io(&self.name, error)),
        };
        if !Stat::from_metadata(&after).has_same_content(&self.stat) || bytes.len() as u64 != self.stat.len {
            return Ok(None);
        }
        if self.is_cached {
            read_cache::insert(self.stat, &bytes, self.opened_at);
        }
        Ok(Some(FileContent { bytes, stat: self.stat }))
    }
}
