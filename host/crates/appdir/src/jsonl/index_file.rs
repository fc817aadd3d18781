//! Line indexes as files in a cache folder, so that the next process need not scan a large file again.
//!
//! Owns: the format: a magic word with a version, then little-endian numbers, then a checksum.
//! Never: uses an inconsistent file; the index is then rebuilt.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::index::{Checkpoint, LineIndex};
use crate::limits::LINE_INDEX_STRIDE_BYTES;
use crate::{AppDirError, FileId, Folder, Privacy, Stat};

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
    cache.write(&file_name(identity), &encode(index), Privacy::Owner)
}

fn file_name(FileId { device, inode }: FileId) -> String {
    format!("{device:x}-{inode:x}.lines")
}

fn encode(index: &LineIndex) -> Vec<u8> {
    let [modified, changed] = [index.modified, index.changed]
        .map(|time| time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default())
        .map(|time| [time.as_secs(), time.subsec_nanos().into()]);
    let head =
        [&[MAGIC, index.len][..], &modified, &changed, &[index.rows, index.is_unterminated.into(), index.tail_hash]]
            .concat();
    let checkpoints = index.checkpoints.iter().flat_map(|checkpoint| [checkpoint.row, checkpoint.offset]);
    let mut bytes: Vec<u8> = head.into_iter().chain(checkpoints).flat_map(u64::to_le_bytes).collect();
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Option<LineIndex> {
    let (body, sum) = bytes.split_last_chunk::<8>().map(|(body, sum)| (body, u64::from_le_bytes(*sum)))?;
    if checksum(body) != sum {
        return None;
    }
    let (words, rest) = body.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next();
    if !rest.is_empty() || next()? != MAGIC {
        return None;
    }
    let len = next()?;
    let modified = decode_time(next()?, next()?)?;
    let changed = decode_time(next()?, next()?)?;
    let (rows, unended, tail) = (next()?, next()?, next()?);
    let mut checkpoints = Vec::new();
    while let Some(row) = next() {
        checkpoints.push(Checkpoint { row, offset: next()? });
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

/// Decodes a saved time, which may be absent; the outer `None` marks an invalid one.
#[expect(clippy::option_option, reason = "the file has a time, has none, or is invalid")]
fn decode_time(seconds: u64, nanos: u64) -> Option<Option<SystemTime>> {
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    let since = Duration::new(seconds, nanos);
    if since.is_zero() { Some(None) } else { UNIX_EPOCH.checked_add(since).map(Some) }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
