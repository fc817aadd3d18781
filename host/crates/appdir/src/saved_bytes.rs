//! The bytes of a cache that one process saves for the next: a magic word, little-endian numbers and length-prefixed texts, then a
//! checksum of all of it.
//!
//! Owns: how numbers, texts and the state of a folder are written, and the check of the whole.
//! Never: knows what they mean, or trusts a file that is inconsistent: its reader begins anew.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{FileId, FolderSnapshot, Stat};

/// Writes the bytes of a cache.
pub struct SavedBytesWriter(Vec<u8>);

impl SavedBytesWriter {
    pub fn new(magic: u64, capacity: usize) -> Self {
        let mut writer = Self(Vec::with_capacity(capacity));
        writer.write_u64(magic);
        writer
    }

    pub fn write_byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub fn write_u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub fn write_bytes(&mut self, text: &[u8]) {
        self.write_u64(text.len() as u64);
        self.0.extend(text);
    }

    /// Writes a snapshot. An unsettled one is left out, because a later comparison with it proves nothing.
    pub fn write_snapshot(&mut self, snapshot: Option<FolderSnapshot>) {
        let Some(stat) = snapshot.and_then(FolderSnapshot::settled) else {
            self.write_byte(0);
            return;
        };
        self.write_byte(1);
        [stat.modified, stat.changed].into_iter().for_each(|time| self.write_time(time));
        let FileId { device, inode } = stat.file_id;
        [stat.len, device, inode, stat.link_count].into_iter().for_each(|field| self.write_u64(field));
    }

    pub(crate) fn write_time(&mut self, time: Option<SystemTime>) {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        self.write_u64(since.as_secs());
        self.write_u64(since.subsec_nanos().into());
    }

    /// Returns all bytes, with their checksum.
    pub fn finish(mut self) -> Vec<u8> {
        self.write_u64(checksum(&self.0));
        self.0
    }
}

/// The bytes of a cache that are still unread.
pub struct SavedBytesReader<'a>(&'a [u8]);

impl<'a> SavedBytesReader<'a> {
    /// Opens a cache; `None` for bytes that are damaged, or begin with another magic word.
    pub fn open(bytes: &'a [u8], magic: u64) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        let mut reader = Self(body);
        (checksum(body) == u64::from_le_bytes(*sum) && reader.read_u64()? == magic).then_some(reader)
    }

    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub fn read_byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub fn read_u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// Reads a number of things, of which there may be at most `most`.
    pub fn read_count(&mut self, most: usize) -> Option<usize> {
        usize::try_from(self.read_u64()?).ok().filter(|count| *count <= most)
    }

    pub fn read_bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.read_u64()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn read_text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.read_bytes()?).ok()
    }

    /// Reads a snapshot, which may be absent; the outer `None` marks a malformed file.
    pub fn read_snapshot(&mut self) -> Option<Option<FolderSnapshot>> {
        match self.read_byte()? {
            0 => return Some(None),
            1 => {}
            _ => return None,
        }
        let [modified, changed] = [self.read_time()?, self.read_time()?];
        let len = self.read_u64()?;
        let file_id = FileId { device: self.read_u64()?, inode: self.read_u64()? };
        let stat = Stat { len, modified, changed, file_id, link_count: self.read_u64()? };
        Some(Some(FolderSnapshot::from_settled(stat)))
    }

    #[expect(clippy::option_option, reason = "the outer `None` is a malformed file, the inner one an absent value")]
    pub(crate) fn read_time(&mut self) -> Option<Option<SystemTime>> {
        let (seconds, nanos) = (self.read_u64()?, u32::try_from(self.read_u64()?).ok()?);
        if nanos >= 1_000_000_000 {
            return None;
        }
        let since = Duration::new(seconds, nanos);
        if since.is_zero() { Some(None) } else { UNIX_EPOCH.checked_add(since).map(Some) }
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
