//! Small files that are overwritten in place, whose content always has the same length.
//!
//! Owns: that a process which dies leaves the old content or the new: one write of a few bytes.
//! Never: changes the length of such a file, or flushes it.

use cap_std::fs::{File, FileExt as _, OpenOptions};

use super::{AppDirError, Folder, Privacy, failpoint};

/// An open record.
#[derive(Debug)]
pub struct FixedRecord {
    name: String,
    file: File,
}

impl Folder {
    /// Opens a record for writing, and creates its file unless it exists.
    ///
    /// # Errors
    /// As [`Folder::create_file`].
    pub fn open_fixed_record(&self, name: &str, privacy: Privacy) -> Result<FixedRecord, AppDirError> {
        self.ensure_writable(name)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        self.set_file_mode(&mut options, privacy, None);
        let (file, _) = self.open_regular(name, &mut options)?;
        Ok(FixedRecord { name: name.to_owned(), file })
    }
}

impl FixedRecord {
    /// Replaces the content by as many bytes.
    ///
    /// # Errors
    /// When the write fails.
    pub fn write(&self, bytes: &[u8]) -> Result<(), AppDirError> {
        let written = failpoint::hit("write record").and_then(|()| self.file.write_all_at(bytes, 0));
        written.map_err(|error| AppDirError::from_io(&self.name, error))
    }
}
