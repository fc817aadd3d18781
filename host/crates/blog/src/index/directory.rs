//! The files of the index, through a directory handle.
//!
//! Owns: which files are held in memory (those that every search needs: columns, lengths of fields) and which are read in
//! parts; the temporary name of each atomic write, because several threads write at once.
//! Never: locks: one process writes at a time, under a lock of ours that ends with the process.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::footer::Footer;
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, FileSlice, Lock, OwnedBytes, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};
use tantivy::index::{SegmentComponent, SegmentMeta};

#[cfg(test)]
use super::crash_tests::StepHook;
use super::error::IndexError;
use crate::limits::MAX_INDEX_META_BYTES;
use wardroom_appdir::{AppDirError, Folder, NewFile, PositionedFile, Privacy};

/// The folder of an index. Its files never change once they are complete, so each is opened once for all its readers.
#[derive(Debug, Clone)]
pub(super) struct IndexDirectory {
    folder: Folder,
    reads_ahead: bool,
    open_files: Arc<Mutex<HashMap<String, Weak<IndexFile>>>>,
    steps: StepHook,
}

/// Where a test stops a change of the folder, in whichever thread it is made. Here nothing does.
#[cfg(not(test))]
#[derive(Debug, Clone)]
struct StepHook;

#[cfg(not(test))]
impl StepHook {
    const fn of_thread() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "as in tests")]
    fn run<T>(&self, change: impl FnOnce() -> T) -> T {
        change()
    }
}

impl IndexDirectory {
    /// A folder that is read here and there.
    pub(super) fn new(folder: Folder) -> Self {
        Self { folder, reads_ahead: false, open_files: Arc::default(), steps: StepHook::of_thread() }
    }

    /// A folder whose files are read from start to end, to be merged.
    pub(super) fn for_writing(folder: Folder) -> Self {
        Self { reads_ahead: true, ..Self::new(folder) }
    }

    /// The same folder with its open files, for changes by this thread.
    pub(super) fn for_update(&self) -> Self {
        Self { steps: StepHook::of_thread(), ..self.clone() }
    }

    /// Compares the checksums of the files of a segment, reading a piece at a time.
    pub(super) fn verify_checksums(&self, segment: &SegmentMeta) -> Result<(), IndexError> {
        use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
        // A later commit may be writing other deletions.
        let deletions = segment.delete_opstamp().map(|_| Delete);
        let parts = [Postings, Positions, Terms, Store, FastFields, FieldNorms].into_iter().chain(deletions);
        for path in parts.map(|part| segment.relative_path(part)) {
            let file = FileSlice::new(self.open(&path)?);
            let (footer, content) = Footer::extract_footer(file)?;
            let mut checksum = crc32fast::Hasher::new();
            for start in (0..content.len()).step_by(CHECKED_BYTES) {
                let end = content.len().min(start + CHECKED_BYTES);
                checksum.update(&content.read_bytes_slice(start..end)?);
            }
            if checksum.finalize() != footer.crc || footer.version != *tantivy::version() {
                return Err(IndexError::Damaged(format!("the checksum of {} does not match", path.display())));
            }
        }
        Ok(())
    }

    fn open(&self, path: &Path) -> Result<Arc<IndexFile>, AppDirError> {
        let name = name_of(path)?;
        let mut files = self.open_files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(name).and_then(Weak::upgrade) {
            return Ok(file);
        }
        let file = Arc::new(IndexFile::open(&self.folder, name, self.reads_ahead)?);
        files.retain(|_, file| file.strong_count() > 0);
        files.insert(name.to_owned(), Arc::downgrade(&file));
        Ok(file)
    }
}

/// An open file of the index.
#[derive(Debug)]
enum IndexFile {
    InMemory(OwnedBytes),
    OnDisk {
        file: PositionedFile,
        len: usize,
        /// The part that was read last, with its place: a merge reads millions of neighbouring pieces.
        ahead: Option<Mutex<(usize, OwnedBytes)>>,
    },
}

impl IndexFile {
    fn open(folder: &Folder, name: &str, reads_ahead: bool) -> Result<Self, AppDirError> {
        let file = folder.open_positioned(name)?;
        let len = usize::try_from(file.len()).unwrap_or(usize::MAX);
        let ahead = reads_ahead.then(|| Mutex::new((0, OwnedBytes::empty())));
        let opened = Self::OnDisk { file, len, ahead };
        if !matches!(name.rsplit_once('.'), Some((_, "fast" | "fieldnorm"))) {
            return Ok(opened);
        }
        let bytes = opened.read(0..len).map_err(|source| AppDirError::Io { name: name.to_owned(), source })?;
        Ok(Self::InMemory(bytes))
    }

    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        match self {
            Self::InMemory(bytes) if range.end <= bytes.len() && range.start <= range.end => Ok(bytes.slice(range)),
            Self::InMemory(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Self::OnDisk { file, len, ahead } => {
                // A damaged file may name a length that no memory has.
                if range.end > *len || range.start > range.end {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                match ahead {
                    Some(ahead) if range.len() < READ_AHEAD_BYTES / 2 => read_ahead(file, *len, ahead, range),
                    _ => read_exactly(file, range),
                }
            }
        }
    }
}

const READ_AHEAD_BYTES: usize = 256 * 1024;
/// Bytes of a file whose checksum is compared that are in memory at once.
const CHECKED_BYTES: usize = 1024 * 1024;

fn read_exactly(file: &PositionedFile, range: Range<usize>) -> io::Result<OwnedBytes> {
    let mut bytes = vec![0; range.len()];
    file.read_at(&mut bytes, range.start as u64).map_err(io::Error::other)?;
    Ok(OwnedBytes::new(bytes))
}

fn read_ahead(
    file: &PositionedFile,
    len: usize,
    ahead: &Mutex<(usize, OwnedBytes)>,
    range: Range<usize>,
) -> io::Result<OwnedBytes> {
    let mut ahead = ahead.lock().unwrap_or_else(PoisonError::into_inner);
    let is_inside = ahead.0 <= range.start && range.end <= ahead.0 + ahead.1.len();
    if !is_inside {
        let end = len.min(range.start + READ_AHEAD_BYTES);
        *ahead = (range.start, read_exactly(file, range.start..end)?);
    }
    let (start, bytes) = &*ahead;
    // A copy: what is held for long is small, and would keep the whole part in memory.
    Ok(OwnedBytes::new(bytes.slice(range.start - start..range.end - start).to_vec()))
}

impl HasLen for IndexFile {
    fn len(&self) -> usize {
        match self {
            Self::InMemory(bytes) => bytes.len(),
            Self::OnDisk { len, .. } => *len,
        }
    }
}

impl FileHandle for IndexFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        self.read(range)
    }
}

/// A file of the index that is being written.
struct IndexFileWriter {
    file: BufWriter<NewFile>,
    steps: StepHook,
}

impl Write for IndexFileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { file, steps } = self;
        steps.run(|| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Self { file, steps } = self;
        steps.run(|| file.flush())
    }
}

impl TerminatingWrite for IndexFileWriter {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.flush()
    }
}

impl Directory for IndexDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let opened = self.open(path);
        opened.map(|file| file as Arc<dyn FileHandle>).map_err(|error| read_error(path, error))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let removed = name_of(path).and_then(|name| self.steps.run(|| self.folder.remove_file(name)));
        removed.map_err(|error| match error {
            AppDirError::NotFound(_) => DeleteError::FileDoesNotExist(path.to_owned()),
            error => DeleteError::IoError { io_error: Arc::new(io_error(error)), filepath: path.to_owned() },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        match name_of(path).and_then(|name| self.folder.stat(name)) {
            Ok(_) => Ok(true),
            Err(AppDirError::NotFound(_)) => Ok(false),
            Err(error) => Err(read_error(path, error)),
        }
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let create = |name: &str| match self.folder.create_new(name, Privacy::Owner) {
            // Left behind by a writer that was killed: no commit names it.
            Err(AppDirError::AlreadyExists(_)) => {
                self.folder.remove_file(name)?;
                self.folder.create_new(name, Privacy::Owner)
            }
            created => created,
        };
        let created = name_of(path).and_then(|name| self.steps.run(|| create(name)));
        let file = created.map_err(|error| OpenWriteError::wrap_io_error(io_error(error), path.to_owned()))?;
        let file = IndexFileWriter { file: BufWriter::new(file), steps: self.steps.clone() };
        Ok(BufWriter::new(Box::new(file)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let read = name_of(path).and_then(|name| self.folder.read(name, MAX_INDEX_META_BYTES));
        read.map(|content| content.bytes).map_err(|error| read_error(path, error))
    }

    /// Each write has a temporary file of its own.
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let write = |name: &str| self.folder.write_unflushed(name, data, Privacy::Owner);
        let written = name_of(path).and_then(|name| self.steps.run(|| write(name)));
        written.map_err(io_error)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// Returns the name of a file of the index, which is a plain one.
fn name_of(path: &Path) -> Result<&str, AppDirError> {
    let name = path.to_str().filter(|name| !name.contains('/'));
    name.ok_or_else(|| AppDirError::OutsideRoot(path.display().to_string()))
}

/// Converts an error for the library, so that what people are told about keeps its kind.
fn io_error(error: AppDirError) -> io::Error {
    match error {
        AppDirError::DiskFull(_) => io::Error::new(io::ErrorKind::StorageFull, error),
        AppDirError::ReadOnlyDisk(_) => io::Error::new(io::ErrorKind::ReadOnlyFilesystem, error),
        error => io::Error::other(error),
    }
}

fn read_error(path: &Path, error: AppDirError) -> OpenReadError {
    match error {
        AppDirError::NotFound(_) => OpenReadError::FileDoesNotExist(path.to_owned()),
        error => OpenReadError::wrap_io_error(io_error(error), path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use wardroom_appdir::{Access, ambient};

    use super::*;

    /// Two writes into one temporary file would mix their bytes, or one would take the file away from the other.
    #[test]
    fn concurrent_atomic_writes_are_whole() {
        const WRITES: usize = 100;
        let dir = tempfile::tempdir().unwrap();
        let folder = ambient::open_folder(dir.path(), Access::ReadWrite).unwrap();
        let directory = IndexDirectory::for_writing(folder.clone());
        let path = Path::new("meta.json");
        // Different lengths, so that a mixture shows.
        let content = |letter: u8| vec![letter; 1000 + usize::from(letter) * 100];
        directory.atomic_write(path, &content(b'a')).unwrap();
        thread::scope(|threads| {
            let writers: Vec<_> = (b'a'..b'e')
                .map(|letter| {
                    let (directory, text) = (&directory, content(letter));
                    threads.spawn(move || (0..WRITES).for_each(|_| directory.atomic_write(path, &text).unwrap()))
                })
                .collect();
            while !writers.iter().all(thread::ScopedJoinHandle::is_finished) {
                let read = directory.atomic_read(path).unwrap();
                let letter = *read.first().unwrap();
                assert!(read == content(letter), "{} bytes of {letter}", read.len());
            }
        });
        // None is left behind.
        let names: Vec<String> = folder.entries(100).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["meta.json"]);
    }
}
