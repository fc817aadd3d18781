//! The stored documents of a kind, the last changed first: for the list of what is stored.
//!
//! Owns: when what it remembers of a folder, or what an earlier process saved, is current. A folder whose stat is unchanged since a
//! settled snapshot has the same names; otherwise they are read again, and the files that are new or have another inode are looked at.
//! Besides, every page looks at up to 4000 files (`MAX_CARD_RECHECKS_PER_QUERY`), for 50 ms, and continues where the last page stopped.
//! So with up to 4000 files on a local file system each page is exact; with more, a file that was changed in place, or replaced several
//! times until it had its old inode again, gets its new place some pages later, which may be those of other processes.
//! Never: opens a document.

mod saved;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use wardroom_appdir::{AppDirError, CacheDir, EntryKind, Folder, FolderSnapshot};

use crate::limits::{
    MAX_CARD_RECHECK_TIME, MAX_CARD_RECHECKS_PER_QUERY, MAX_NAMES_SCANNED_PER_CARD, RECENT_FILE_MIN_DOCUMENTS,
};
use crate::parallel;

/// Documents of one kind, as their folders had them when a page was last asked for.
pub(super) struct RecentDocuments {
    max_documents: usize,
    /// Where they are saved for the next process, and the name of the file there.
    cache: CacheDir,
    file: &'static str,
    state: Mutex<RecentState>,
}

type OpenFolder<'f> = Box<dyn Fn(&str) -> Result<Folder, AppDirError> + Sync + 'f>;

/// The folders of a kind.
pub(super) struct DocumentFolders<'f> {
    /// Their names, sorted.
    pub(super) names: Vec<Arc<str>>,
    /// Opens one. There may be more of them than a process can hold open.
    pub(super) open: OpenFolder<'f>,
    /// Whether a file is a document, by its name.
    pub(super) is_document: fn(&str) -> bool,
    /// Returns the id of the document in a file.
    pub(super) id_of: IdOf,
}

type IdOf = fn(&str) -> Cow<'_, str>;

/// A document: when it was last changed, in nanoseconds since 1970, and its id.
pub(super) type RecentDocument = (Reverse<u64>, String);

#[derive(Default)]
struct RecentState {
    /// Whether what an earlier process saved was tried.
    is_loaded: bool,
    folders: Vec<KnownFolder>,
    /// The documents, the last changed first, each id once.
    order: Vec<DocumentPosition>,
    is_ordered: bool,
    /// The folder and number of the file from which the next page looks at files.
    next_check: Option<(Arc<str>, u32)>,
    /// New files that were looked at since the state was saved.
    unsaved: usize,
    /// Whether a file was changed that a next process may look at late.
    has_unsaved_change: bool,
    hasher: RandomState,
}

#[derive(Default)]
struct KnownFolder {
    name: Arc<str>,
    snapshot: Option<FolderSnapshot>,
    /// How many documents there was room for, if it has more: of those it is not known which are the newest.
    cut_at: Option<usize>,
    /// The names of the files behind one another.
    names: String,
    files: Vec<KnownFile>,
}

#[derive(Clone, Copy, PartialEq)]
struct KnownFile {
    /// A file that replaces another one has another inode.
    inode: u64,
    /// `None` where the file cannot be looked at, or is no regular file.
    modified: Option<u64>,
    name_start: u32,
    name_len: u16,
}

/// In place of the inode of a file that could not be looked at.
const NO_INODE: u64 = 0;

/// The position of a document: when it was changed, the number of its folder, and its number there.
type DocumentPosition = (Reverse<u64>, u32, u32);

/// Files that a thread looks at before it takes the next ones.
const FILES_PER_TASK: usize = 256;

/// The first documents of a list.
pub(super) struct RecentPage {
    pub(super) documents: Vec<RecentDocument>,
    /// Whether all documents are known: otherwise newer ones may be missing.
    pub(super) is_complete: bool,
}

impl RecentDocuments {
    /// Creates a list that knows of so many documents, and is kept in a file among the caches.
    pub(super) fn new(max_documents: usize, cache: CacheDir, file: &'static str) -> Self {
        Self { max_documents, cache, file, state: Mutex::default() }
    }

    /// Returns the documents after one, in the order of the list, at most `most` of those that `is_wanted`.
    ///
    /// # Errors
    /// [`AppDirError::Cancelled`] once `stop` returns true.
    pub(super) fn page(
        &self,
        kind: &DocumentFolders<'_>,
        after: Option<(Reverse<u64>, &str)>,
        most: usize,
        is_wanted: impl Fn(&str) -> bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RecentPage, AppDirError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_loaded {
            state.is_loaded = true;
            (state.folders, state.order) =
                saved::load(&self.cache, self.file, self.max_documents, kind.is_document).unwrap_or_default();
            state.is_ordered = !state.order.is_empty();
            state.next_check = state.any_file();
        }
        state.refresh(kind, self.max_documents, stop)?;
        if !state.is_ordered {
            state.sort(kind.id_of);
        }
        self.save_if_stale(&mut state);
        let id_of = |position: &DocumentPosition| state.name(position).map(kind.id_of).unwrap_or_default();
        let is_before = |position: &DocumentPosition| {
            after.is_some_and(|(modified, id)| {
                position.0.cmp(&modified).then_with(|| (*id_of(position)).cmp(id)).is_le()
            })
        };
        let rest = state.order.get(state.order.partition_point(is_before)..).unwrap_or_default();
        let wanted = rest.iter().map(|position| (position.0, id_of(position))).filter(|(_, id)| is_wanted(id));
        let documents = wanted.take(most).map(|(modified, id)| (modified, id.into_owned())).collect();
        Ok(RecentPage { documents, is_complete: state.folders.iter().all(|folder| folder.cut_at.is_none()) })
    }

    /// Saves the times for the next process, once enough files were looked at since the last save.
    fn save_if_stale(&self, state: &mut RecentState) {
        let files = state.folders.iter().map(|folder| folder.files.len()).sum::<usize>();
        let has_many = state.unsaved >= RECENT_FILE_MIN_DOCUMENTS.max(files / 10);
        let has_change = state.has_unsaved_change && files > MAX_CARD_RECHECKS_PER_QUERY;
        if self.cache.is_read_only() || !(has_many || has_change) {
            return;
        }
        (state.unsaved, state.has_unsaved_change) = (0, false);
        // Without the file, the next process only takes longer.
        if let Err(error) = saved::save(&self.cache, self.file, &state.folders, &state.order) {
            tracing::debug!(%error, "cannot save when stored documents were changed");
        }
    }
}

impl RecentState {
    /// Returns a file at random, unless a page looks at all of them. A process that begins there looks at others than the one before,
    /// however few pages each gives.
    fn any_file(&self) -> Option<(Arc<str>, u32)> {
        let files = self.folders.iter().map(|folder| folder.files.len()).sum::<usize>();
        let mut number = self.hasher.hash_one(files).checked_rem(files as u64)?;
        if files <= MAX_CARD_RECHECKS_PER_QUERY {
            return None;
        }
        for folder in &self.folders {
            match number.checked_sub(folder.files.len() as u64) {
                Some(behind) => number = behind,
                None => return Some((Arc::clone(&folder.name), u32::try_from(number).ok()?)),
            }
        }
        None
    }

    fn refresh(
        &mut self,
        kind: &DocumentFolders<'_>,
        max_documents: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), AppDirError> {
        let mut known: HashMap<Arc<str>, KnownFolder> =
            self.folders.drain(..).map(|folder| (Arc::clone(&folder.name), folder)).collect();
        let resume_at = self.next_check.take();
        let (mut room, mut names_left) = (max_documents, max_documents.saturating_mul(MAX_NAMES_SCANNED_PER_CARD));
        // Of folders whose names were read: what was known before, the files of which nothing is known, and those that have no others.
        let (mut before_reading, mut new_files, mut new_folders) = (Vec::new(), Vec::new(), Vec::new());
        for (at, name) in kind.names.iter().enumerate() {
            self.is_ordered &= known.contains_key(name);
            let before = known.remove(name).unwrap_or_default();
            let opened =
                (kind.open)(name).and_then(|folder| Ok((FolderSnapshot::from_stat(folder.stat_self()?), folder)));
            match opened {
                Ok((now, _)) if before.is_current(&now, room) => self.folders.push(before),
                Ok((now, folder)) => {
                    let mut read = KnownFolder::read_names(name, &folder, kind.is_document, room, &mut names_left, now);
                    let is_new = read.take_times(&before);
                    if is_new.len() == read.files.len() {
                        new_folders.push(at);
                    }
                    new_files.extend(is_new.into_iter().map(|number| (at, number)));
                    self.folders.push(read);
                    before_reading.push((at, before));
                }
                // It is read the next time.
                Err(error) if error.is_transient() => {
                    tracing::debug!(%error, "cannot list a folder, kept as it was");
                    self.folders.push(before);
                }
                // As in reads, a folder that cannot be read hides no document of the others.
                Err(error) => {
                    tracing::debug!(%error, "cannot list a folder, skipped");
                    self.is_ordered &= before.files.is_empty();
                    self.folders.push(KnownFolder { name: Arc::clone(name), ..KnownFolder::default() });
                }
            }
            room = room.saturating_sub(self.folders.last().map_or(0, |folder| folder.files.len()));
        }
        self.is_ordered &= known.is_empty();
        if let Err(error) = self.look_at_new(kind, &new_files, stop) {
            // What was not looked at is read again.
            self.folders.clear();
            self.is_ordered = false;
            return Err(error);
        }
        for (at, before) in before_reading {
            self.is_ordered &= self.folders.get(at).is_some_and(|now| now.has_same_files(&before));
        }
        self.look_again(kind, &new_folders, resume_at.as_ref());
        Ok(())
    }

    /// Looks at files of which nothing is known, with several threads.
    fn look_at_new(
        &mut self,
        kind: &DocumentFolders<'_>,
        new_files: &[(usize, u32)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), AppDirError> {
        let of_one_folder = new_files.chunk_by(|(a, _), (b, _)| a == b);
        let tasks: Vec<&[(usize, u32)]> = of_one_folder.flat_map(|files| files.chunks(FILES_PER_TASK)).collect();
        let folders = &self.folders;
        let looked = parallel::map_items(&tasks, stop, |files| {
            let known = folders.get(files.first()?.0)?;
            let folder = (kind.open)(&known.name).ok()?;
            let look = |number| known.file(number).map_or(Ok(None), |(name, _)| modified_of(&folder, name));
            Some(files.iter().map(|(_, number)| look(*number)).collect::<Vec<_>>())
        });
        for (files, looked) in tasks.into_iter().zip(looked) {
            let Some(times) = looked else { return Err(AppDirError::Cancelled("the list".to_owned())) };
            let Some(known) = files.first().and_then(|(at, _)| self.folders.get_mut(*at)) else { continue };
            // What cannot be compared later is not worth a file.
            self.unsaved += if known.is_settled() { files.len() } else { 0 };
            let times = times.into_iter().flatten().chain(iter::repeat_with(|| Err(CannotLook)));
            for ((_, number), modified) in files.iter().zip(times) {
                let Some(file) = known.files.get_mut(*number as usize) else { continue };
                match modified {
                    Ok(modified) => file.modified = modified,
                    // The next page looks again.
                    Err(CannotLook) => (file.inode, known.snapshot) = (NO_INODE, None),
                }
            }
        }
        Ok(())
    }

    /// Looks again at some files of the other folders, from where the last page stopped.
    fn look_again(&mut self, kind: &DocumentFolders<'_>, new_folders: &[usize], resume_at: Option<&(Arc<str>, u32)>) {
        /// Each page looks at as many files.
        const FILES_PER_CLOCK: usize = 32;
        let (began, mut looked) = (Instant::now(), 0);
        for (at, known) in self.folders.iter_mut().enumerate() {
            if known.files.is_empty() || new_folders.binary_search(&at).is_ok() {
                continue;
            }
            let from = match resume_at {
                Some((name, _)) if *name > known.name => continue,
                Some((name, number)) if *name == known.name => *number,
                _ => 0,
            };
            let Ok(folder) = (kind.open)(&known.name) else { continue };
            for number in from.. {
                let Some((name, file)) = known.file(number) else { break };
                let is_late = looked >= FILES_PER_CLOCK
                    && looked.is_multiple_of(FILES_PER_CLOCK)
                    && began.elapsed() >= MAX_CARD_RECHECK_TIME;
                if looked == MAX_CARD_RECHECKS_PER_QUERY || is_late {
                    self.next_check = Some((Arc::clone(&known.name), number));
                    return;
                }
                looked += 1;
                let Ok(now) = modified_of(&folder, name) else { continue };
                if now != file.modified
                    && let Some(file) = known.files.get_mut(number as usize)
                {
                    file.modified = now;
                    self.has_unsaved_change = true;
                    self.is_ordered = false;
                }
            }
        }
    }

    /// Puts the documents into their order. Of several files with an id, the one that was changed last counts.
    fn sort(&mut self, id_of: IdOf) {
        let files = self.folders.iter().map(|folder| folder.files.len()).sum();
        // In the order in which the names lie in memory: in the order of the list, each name would be far from the one before.
        let mut newest: HashTable<(u64, DocumentPosition)> = HashTable::with_capacity(files);
        for (at, folder) in (0u32..).zip(&self.folders) {
            for number in 0.. {
                let Some((name, file)) = folder.file(number) else { break };
                let Some(modified) = file.modified else { continue };
                let (hash, position) = (self.hasher.hash_one(id_of(name)), (Reverse(modified), at, number));
                match newest.entry(hash, |(known, _)| *known == hash, |(known, _)| *known) {
                    Entry::Occupied(mut known) => known.get_mut().1 = known.get().1.min(position),
                    Entry::Vacant(place) => drop(place.insert((hash, position))),
                }
            }
        }
        let mut order: Vec<DocumentPosition> = newest.into_iter().map(|(_, position)| position).collect();
        let id = |position: &DocumentPosition| self.name(position).map(id_of);
        order.sort_unstable_by(|a, b| match a.0.cmp(&b.0) {
            Ordering::Equal => id(a).cmp(&id(b)),
            different => different,
        });
        (self.order, self.is_ordered) = (order, true);
    }

    fn name(&self, (_, folder, number): &DocumentPosition) -> Option<&str> {
        Some(self.folders.get(*folder as usize)?.file(*number)?.0)
    }
}

impl KnownFolder {
    fn has_same_files(&self, other: &Self) -> bool {
        self.files == other.files && self.names == other.names
    }

    /// Returns whether a later look at the folder shows whether it still has the same names.
    fn is_settled(&self) -> bool {
        self.snapshot.and_then(FolderSnapshot::settled).is_some()
    }

    /// Whether a folder that looks like this still has the files that are known, as many as there is room for.
    fn is_current(&self, now: &FolderSnapshot, room: usize) -> bool {
        let fits = self.cut_at.map_or(self.files.len() <= room, |then| then == room);
        fits && self.snapshot.is_some_and(|then| then.is_unchanged(now.stat()))
    }

    fn read_names(
        name: &Arc<str>,
        folder: &Folder,
        is_document: fn(&str) -> bool,
        room: usize,
        names_left: &mut usize,
        snapshot: FolderSnapshot,
    ) -> Self {
        let mut known = Self { name: Arc::clone(name), ..Self::default() };
        let read = folder.visit_names(names_left, |file, inode, kind| {
            let is_file = matches!(kind, EntryKind::File | EntryKind::Symlink);
            let place = u32::try_from(known.names.len()).ok().zip(u16::try_from(file.len()).ok());
            if let Some((name_start, name_len)) = place.filter(|_| is_file && is_document(file)) {
                if known.files.len() == room {
                    known.cut_at = Some(room);
                    return;
                }
                known.names.push_str(file);
                known.files.push(KnownFile { inode, modified: None, name_start, name_len });
            }
        });
        match read {
            Ok(()) => known.snapshot = Some(snapshot),
            Err(error) => {
                tracing::debug!(%error, "cannot list a folder, skipped");
                (known.names, known.files) = Default::default();
            }
        }
        if *names_left == 0 {
            known.cut_at = Some(room);
        }
        known.names.shrink_to_fit();
        known.files.shrink_to_fit();
        known
    }

    /// Takes the times of files that are the same as before; returns the numbers of the others.
    fn take_times(&mut self, before: &Self) -> Vec<u32> {
        let known: HashMap<&str, KnownFile> =
            (0..).map_while(|number| before.file(number)).map(|(name, file)| (name, *file)).collect();
        let Self { names, files, .. } = self;
        let numbered = (0u32..).zip(files);
        let is_new = |(number, file): (u32, &mut KnownFile)| {
            let same = name_in(names, file).and_then(|name| known.get(name)).filter(|then| then.inode == file.inode);
            file.modified = same.and_then(|then| then.modified);
            same.is_none().then_some(number)
        };
        numbered.filter_map(is_new).collect()
    }

    /// Returns a file and its name.
    fn file(&self, number: u32) -> Option<(&str, &KnownFile)> {
        let file = self.files.get(number as usize)?;
        Some((name_in(&self.names, file)?, file))
    }
}

fn name_in<'n>(names: &'n str, file: &KnownFile) -> Option<&'n str> {
    let start = file.name_start as usize;
    names.get(start..start + usize::from(file.name_len))
}

/// The system cannot tell at the moment when a file was changed.
struct CannotLook;

/// Returns when a file was changed; `None` for one that is gone, and for what is no file.
fn modified_of(folder: &Folder, name: &str) -> Result<Option<u64>, CannotLook> {
    // `stat_nofollow` refuses a symlink, which the slower `stat` follows.
    match folder.stat_nofollow(name).or_else(|_| folder.stat(name)) {
        Ok(stat) => Ok(Some(unix_nanos(stat.modified))),
        Err(AppDirError::Io { .. } | AppDirError::TooManyOpenFiles(_) | AppDirError::ChangedDuringRead(_)) => {
            Err(CannotLook)
        }
        Err(_) => Ok(None),
    }
}

fn unix_nanos(time: Option<SystemTime>) -> u64 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    // The largest number stands for no time where times are saved.
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX).min(u64::MAX - 1)
}
