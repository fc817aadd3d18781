//! When the stored documents of a kind were changed, as a cache file: so that the next process need not look at every file.
//!
//! Owns: which numbers and texts the file holds, in which order, and the version of that.
//! Never: trusts a file that is inconsistent, or saves a folder whose names may have changed since they were read.

use wardroom_appdir::{AppDirError, CacheDir, Privacy, SavedBytesReader, SavedBytesWriter};

use super::{KnownFile, KnownFolder};
use crate::limits::MAX_RECENT_FILE_BYTES_PER_DOCUMENT;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;

const MAGIC: u64 = u64::from_le_bytes(*b"WRRECNT1");
/// In place of the time of a file that cannot be looked at.
const NO_TIME: u64 = u64::MAX;
/// In place of the room for documents, where a folder has no more of them.
const NOT_CUT: u64 = u64::MAX;

pub(super) fn load(
    cache: &CacheDir,
    file: &str,
    max_documents: usize,
    is_document: fn(&str) -> bool,
) -> Option<Vec<KnownFolder>> {
    let limit = max_documents.saturating_mul(MAX_RECENT_FILE_BYTES_PER_DOCUMENT) as u64;
    let document = cache.open().ok()?.read(file, limit).ok()?;
    let folders = decode(&document.bytes, max_documents)?;
    // No other name is looked at.
    let mut files = folders.iter().flat_map(|folder| (0..).map_while(|number| folder.file(number)));
    files.all(|(name, _)| is_document(name)).then_some(folders)
}

pub(super) fn save(cache: &CacheDir, file: &str, folders: &[KnownFolder]) -> Result<(), AppDirError> {
    cache.create()?.write(file, &encode(folders), Privacy::Owner)
}

fn encode(folders: &[KnownFolder]) -> Vec<u8> {
    let settled: Vec<_> = folders.iter().filter(|folder| folder.is_settled()).collect();
    let bytes = settled.iter().map(|folder| folder.names.len() + 24 * folder.files.len()).sum();
    let mut writer = SavedBytesWriter::new(MAGIC, bytes);
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
    writer.finish()
}

fn decode(bytes: &[u8], max_documents: usize) -> Option<Vec<KnownFolder>> {
    let mut reader = SavedBytesReader::open(bytes, MAGIC)?;
    let folders = (0..reader.read_count(MAX_NAMES_SCANNED)?)
        .map(|_| read_folder(&mut reader, max_documents))
        .collect::<Option<_>>();
    folders.filter(|_| reader.is_at_end())
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
