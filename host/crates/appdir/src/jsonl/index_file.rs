//! Line indexes as files in a cache folder, so that the next process need not scan a large file again.
//!
//! Owns: the format, as [`SavedBytesWriter`] writes numbers.
//! Never: uses an inconsistent file; the index is then rebuilt.

use super::index::{Checkpoint, LineIndex};
use crate::limits::{LINE_INDEX_STRIDE_BYTES, MAX_NAMES_SCANNED, MAX_SAVED_LINE_INDEXES};
use crate::{AppDirError, FileId, Folder, Privacy, SavedBytesReader, SavedBytesWriter, Stat};

const FILE_SUFFIX: &str = ".lines";
const MAGIC: u64 = u64::from_le_bytes(*b"WRLINES3");
/// The words of the header, and the checksum.
const HEADER_AND_CHECKSUM_WORDS: u64 = 10;

pub(super) fn load(cache: &Folder, stat: Stat) -> Option<LineIndex> {
    // No index of such a file needs more checkpoints, so a larger index file is not read.
    let checkpoints = stat.len / LINE_INDEX_STRIDE_BYTES + 1;
    let document = cache.read(&file_name(stat.file_id), (HEADER_AND_CHECKSUM_WORDS + 2 * checkpoints) * 8).ok()?;
    decode(&document.bytes)
}

pub(super) fn save(cache: &Folder, identity: FileId, index: &LineIndex) -> Result<(), AppDirError> {
    cache.write(&file_name(identity), &encode(index), Privacy::Owner)?;
    remove_oldest(cache)
}

/// Removes what was written longest ago, beyond the limit: the files that it is of may be gone.
fn remove_oldest(cache: &Folder) -> Result<(), AppDirError> {
    let mut saved = Vec::new();
    let is_index = |name: &str| name.ends_with(FILE_SUFFIX).then(|| name.to_owned());
    cache.visit_files(&mut MAX_NAMES_SCANNED.clone(), is_index, |name, stat| saved.push((stat.modified, name)))?;
    saved.sort_unstable_by(|one, other| other.cmp(one));
    for (_, name) in saved.iter().skip(MAX_SAVED_LINE_INDEXES) {
        match cache.remove_file(name) {
            // Another process removes them too.
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn file_name(FileId { device, inode }: FileId) -> String {
    format!("{device:x}-{inode:x}{FILE_SUFFIX}")
}

fn encode(index: &LineIndex) -> Vec<u8> {
    let words = HEADER_AND_CHECKSUM_WORDS as usize + 2 * index.checkpoints.len();
    let mut bytes = SavedBytesWriter::new(MAGIC, words * 8);
    bytes.write_u64(index.len);
    bytes.write_time(index.modified);
    bytes.write_time(index.changed);
    [index.rows, index.is_unterminated.into(), index.tail_hash].into_iter().for_each(|word| bytes.write_u64(word));
    for Checkpoint { row, offset } in &index.checkpoints {
        [*row, *offset].into_iter().for_each(|word| bytes.write_u64(word));
    }
    bytes.finish()
}

fn decode(bytes: &[u8]) -> Option<LineIndex> {
    let mut bytes = SavedBytesReader::open(bytes, MAGIC)?;
    let len = bytes.read_u64()?;
    let (modified, changed) = (bytes.read_time()?, bytes.read_time()?);
    let (rows, unended, tail) = (bytes.read_u64()?, bytes.read_u64()?, bytes.read_u64()?);
    let mut checkpoints = Vec::new();
    while !bytes.is_at_end() {
        checkpoints.push(Checkpoint { row: bytes.read_u64()?, offset: bytes.read_u64()? });
    }
    let ascending = checkpoints.is_sorted_by(|a, b| a.row <= b.row && a.offset < b.offset);
    // A row takes at least one byte.
    let possible = rows <= len
        && unended <= rows.min(1)
        && checkpoints.iter().all(|checkpoint| checkpoint.row <= checkpoint.offset);
    let fits = checkpoints.first() == Some(&Checkpoint { row: 0, offset: 0 })
        && checkpoints.last().is_some_and(|last| last.offset <= len && last.row <= rows);
    let index = LineIndex { len, modified, changed, rows, is_unterminated: unended == 1, tail_hash: tail, checkpoints };
    (ascending && possible && fits).then_some(index)
}
