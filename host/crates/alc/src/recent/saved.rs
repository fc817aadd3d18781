//! When the stored documents of a kind were changed, and their order, as a cache file: so that the next process need not look at every
//! file, nor sort them.
//!
//! Owns: which numbers and texts the file holds, in which order, and the version of that.
//! Never: trusts a file that is inconsistent, or saves a folder whose names may have changed since they were read.

use std::cmp::Reverse;

use wardroom_appdir::{AppDirError, CacheDir, Privacy, SavedBytesReader, SavedBytesWriter};

use super::{DocumentPosition, KnownFile, KnownFolder};
use crate::limits::MAX_RECENT_FILE_BYTES_PER_DOCUMENT;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;

/// Another one is needed when a name becomes another id, or ids are ordered otherwise: the saved order is not checked against them.
const MAGIC: u64 = u64::from_le_bytes(*b"WRRECNT2");
/// In place of the time of a file that cannot be looked at.
const NO_TIME: u64 = u64::MAX;
/// In place of the room for documents, where a folder has no more of them.
const NOT_CUT: u64 = u64::MAX;

/// Returns the folders, and the order of their documents where it was saved.
pub(super) fn load(
    cache: &CacheDir,
    file: &str,
    max_documents: usize,
    is_document: fn(&str) -> bool,
) -> Option<(Vec<KnownFolder>, Vec<DocumentPosition>)> {
    let limit = max_documents.saturating_mul(MAX_RECENT_FILE_BYTES_PER_DOCUMENT) as u64;
    let document = cache.open().ok()?.read(file, limit).ok()?;
    let (folders, order) = decode(&document.bytes, max_documents)?;
    // No other name is looked at.
    let mut files = folders.iter().flat_map(|folder| (0..).map_while(|number| folder.file(number)));
    files.all(|(name, _)| is_document(name)).then_some((folders, order))
}

pub(super) fn save(
    cache: &CacheDir,
    file: &str,
    folders: &[KnownFolder],
    order: &[DocumentPosition],
) -> Result<(), AppDirError> {
    cache.create()?.write(file, &encode(folders, order), Privacy::Owner)
}

fn encode(folders: &[KnownFolder], order: &[DocumentPosition]) -> Vec<u8> {
    let settled: Vec<_> = folders.iter().filter(|folder| folder.is_settled()).collect();
    // A position has the number of its folder, which is another one where a folder is left out.
    let order = if settled.len() == folders.len() { order } else { &[] };
    let bytes = settled.iter().map(|folder| folder.names.len() + 24 * folder.files.len()).sum::<usize>();
    let mut writer = SavedBytesWriter::new(MAGIC, bytes + 8 * order.len());
    writer.write_u64(settled.len() as u64);
    for folder in settled {
        writer.write_bytes(folder.name.as_bytes());
        writer.write_snapshot(folder.snapshot);
        writer.write_u64(folder.cut_at.map_or(NOT_CUT, |room| room as u64));
        writer.write_bytes(folder.names.as_bytes());
        writer.write_u64(folder.files.len() as u64);
        for file in &folder.files {
            writer.write_u64(file.inode);
            writer.write_u64(file.modified.unwrap_or(NO_TIME));
            writer.write_u64(file.name_len.into());
        }
    }
    writer.write_u64(order.len() as u64);
    for (_, folder, number) in order {
        writer.write_u64(u64::from(*folder) << u32::BITS | u64::from(*number));
    }
    writer.finish()
}

fn decode(bytes: &[u8], max_documents: usize) -> Option<(Vec<KnownFolder>, Vec<DocumentPosition>)> {
    let mut reader = SavedBytesReader::open(bytes, MAGIC)?;
    let folders = (0..reader.read_count(MAX_NAMES_SCANNED)?)
        .map(|_| read_folder(&mut reader, max_documents))
        .collect::<Option<Vec<_>>>()?;
    let order = read_order(&mut reader, &folders)?;
    (reader.is_at_end() && folders.is_sorted_by(|a, b| a.name < b.name)).then_some((folders, order))
}

/// Reads the positions of the documents, each once, whose times are those of their files.
fn read_order(reader: &mut SavedBytesReader<'_>, folders: &[KnownFolder]) -> Option<Vec<DocumentPosition>> {
    let mut unseen: Vec<Vec<bool>> = folders.iter().map(|folder| vec![true; folder.files.len()]).collect();
    let positions = (0..reader.read_count(unseen.iter().map(Vec::len).sum())?).map(|_| {
        let position = reader.read_u64()?;
        let (folder, number) = (position >> u32::BITS, position & u64::from(u32::MAX));
        let (at, file) = (usize::try_from(folder).ok()?, usize::try_from(number).ok()?);
        let is_first = std::mem::take(unseen.get_mut(at)?.get_mut(file)?);
        let file = folders.get(at)?.files.get(file).filter(|_| is_first)?;
        Some((Reverse(file.modified?), u32::try_from(folder).ok()?, u32::try_from(number).ok()?))
    });
    positions.collect::<Option<Vec<_>>>().filter(|order| order.is_sorted_by_key(|(modified, ..)| *modified))
}

fn read_folder(reader: &mut SavedBytesReader<'_>, max_documents: usize) -> Option<KnownFolder> {
    let (name, snapshot) = (reader.read_text()?.into(), reader.read_snapshot()?);
    let cut_at = Some(reader.read_u64()?).filter(|room| *room != NOT_CUT);
    let cut_at = cut_at.map(usize::try_from).transpose().ok()?;
    let names = reader.read_text()?.to_owned();
    let mut name_start = 0u32;
    let files = (0..reader.read_count(max_documents)?).map(|_| {
        let inode = reader.read_u64()?;
        let modified = Some(reader.read_u64()?).filter(|time| *time != NO_TIME);
        let name_len = u16::try_from(reader.read_u64()?).ok()?;
        let file = KnownFile { inode, modified, name_start, name_len };
        name_start = name_start.checked_add(name_len.into())?;
        Some(file)
    });
    let files = files.collect::<Option<Vec<_>>>()?;
    (name_start as usize == names.len()).then_some(KnownFolder { name, snapshot, cut_at, names, files })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use wardroom_appdir::{FileId, FolderSnapshot, Stat};

    use super::*;

    fn folder(name: &str, times: &[Option<u64>]) -> KnownFolder {
        let changed = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1));
        let file_id = FileId { device: 1, inode: 2 };
        let stat = Stat { len: 3, modified: changed, changed, file_id, link_count: 1 };
        let files =
            (0..).zip(times).map(|(n, time)| KnownFile { inode: 7, modified: *time, name_start: n, name_len: 1 });
        let (files, names) = (files.collect::<Vec<_>>(), "x".repeat(times.len()));
        KnownFolder {
            name: name.into(),
            snapshot: Some(FolderSnapshot::from_settled(stat)),
            cut_at: None,
            names,
            files,
        }
    }

    /// Decodes; returns the order.
    fn order_of(bytes: &[u8]) -> Option<Vec<DocumentPosition>> {
        decode(bytes, 10).map(|(_, order)| order)
    }

    #[test]
    fn order_is_saved_with_folders_that_are_settled() {
        let mut folders = [folder("a", &[Some(5), None]), folder("b", &[Some(9), Some(5)])];
        let order = [(Reverse(9), 1, 0), (Reverse(5), 1, 1), (Reverse(5), 0, 0)];
        assert_eq!(order_of(&encode(&folders, &order)).as_deref(), Some(&order[..]));
        folders[0].snapshot = None;
        let (left, order) = decode(&encode(&folders, &order), 10).unwrap();
        assert_eq!((left.len(), order), (1, Vec::new()));
    }

    #[test]
    fn inconsistent_order_is_refused() {
        let folders = [folder("a", &[Some(5), None]), folder("b", &[Some(9), Some(5)])];
        let of_times = |positions: &[(u32, u32)]| {
            let order: Vec<_> = positions.iter().map(|(folder, number)| (Reverse(0), *folder, *number)).collect();
            order_of(&encode(&folders, &order))
        };
        assert!(of_times(&[(1, 0), (0, 0)]).is_some());
        for positions in [&[(0, 0), (1, 0)][..], &[(0, 1)], &[(0, 2)], &[(2, 0)], &[(1, 0); 2], &[(1, 0); 5]] {
            assert_eq!(of_times(positions), None, "{positions:?}");
        }
        let [a, b] = folders;
        assert_eq!(order_of(&encode(&[b, a], &[])), None);
    }

    #[test]
    fn time_beyond_all_others_is_saved() {
        let far = crate::recent::unix_nanos(SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1 << 36)));
        let folders = [folder("a", &[Some(far), Some(5)])];
        let order = [(Reverse(far), 0, 0), (Reverse(5), 0, 1)];
        assert_eq!(order_of(&encode(&folders, &order)).as_deref(), Some(&order[..]));
    }
}
