//! Files that are written once, from start to end, and read at any position: those of an index.
//!
//! Owns: the checks of [`Folder`] on both opens, and reads that fail where the file is shorter than it was.
//! Never: flushes: an index is a cache, and is rebuilt where a loss of power tore it.

use std::io::{self, Write};

use cap_std::fs::{File, FileExt as _, OpenOptions};

use super::{AppDirError, Folder, Privacy, failpoint};

/// An open file that is read in parts.
#[derive(Debug)]
pub struct PositionedFile {
    name: String,
    file: File,
    len: u64,
}

/// A new file that is written in parts. A process that ends before its last part leaves a shorter file.
#[derive(Debug)]
pub struct NewFile(File);

impl Folder {
    /// Opens a regular file for reads at any position.
    ///
    /// # Errors
    /// When the file does not exist or is not a regular file.
    pub fn open_positioned(&self, name: &str) -> Result<PositionedFile, AppDirError> {
        let (file, stat) = self.open_file(name)?;
        Ok(PositionedFile { name: name.to_owned(), file, len: stat.len })
    }

    /// Creates a file that must not exist, under its final name.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`], and when this handle is read-only or the file cannot be created.
    pub fn create_new(&self, name: &str, privacy: Privacy) -> Result<NewFile, AppDirError> {
        self.ensure_writable(name)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        self.set_file_mode(&mut options, privacy, None);
        let created = failpoint::hit("create").and_then(|()| self.dir.open_with(name, &options));
        created.map(NewFile).map_err(|error| AppDirError::from_io(name, error))
    }
}

impl PositionedFile {
    /// Returns the length when the file was opened, in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fills `bytes` from a position on.
    ///
    /// # Errors
    /// When the read fails, or the file ends before.
    pub fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), AppDirError> {
        self.file.read_exact_at(bytes, position).map_err(|error| AppDirError::from_io(&self.name, error))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        failpoint::hit("write")?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
