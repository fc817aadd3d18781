//! The stored documents of a kind, the last changed first: for the list of what is stored.
//!
//! Owns: when what it remembers of a folder, or what an earlier process saved, is current. A folder whose stat is unchanged since a
//! settled snapshot has the same names; otherwise they are read again, and each file is looked at. Besides, every page looks at up to
//! 4000 files (`MAX_CARD_RECHECKS_PER_QUERY`), for 50 ms, and continues where the last page stopped. So with up to 4000 files on a local
//! file system each page is exact; with more, a file that was changed in place gets its new place some pages later.
//! Never: opens a document.

mod saved;

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use wardroom_appdir::{AppDirError, CacheDir, EntryKind, Folder, FolderSnapshot};

use crate::limits::{MAX_CARD_RECHECK_TIME, MAX_CARD_RECHECKS_PER_QUERY, RECENT_FILE_MIN_DOCUMENTS};
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
    /// Returns the id of the document in a file; `None` for another file.
    pub(super) id_of: fn(&str) -> Option<String>,
}

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
    /// Files that were looked at since the state was saved.
    unsaved: usize,
    hasher: RandomState,
}

#[derive(Default)]
struct KnownFolder {
    name: Arc<str>,
    snapshot: Option<FolderSnapshot>,
    /// The names of the files behind one another.
    names: String,
    files: Vec<KnownFile>,
}

#[derive(Clone, Copy, PartialEq)]
struct KnownFile {
    /// `None` where the file cannot be looked at, or is no regular file.
    modified: Option<u64>,
    name_start: u32,
    name_len: u16,
}

/// The position of a document: when it was changed, the number of its folder, and its number there.
type DocumentPosition = (Reverse<u64>, u32, u32);

/// Files that a thread looks at before it takes the next ones.
const FILES_PER_TASK: u32 = 256;

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
    ) -> Result<Vec<RecentDocument>, AppDirError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_loaded {
            state.is_loaded = true;
            state.folders = saved::load(&self.cache, self.file, self.max_documents).unwrap_or_default();
        }
        state.refresh(kind, self.max_documents, stop)?;
        self.save_if_stale(&mut state);
        if !state.is_ordered {
            state.sort(kind.id_of);
        }
        let id_of = |position: &DocumentPosition| state.name(position).and_then(kind.id_of).unwrap_or_default();
        let is_before = |position: &DocumentPosition| {
            after.is_some_and(|(modified, id)| {
                position.0.cmp(&modified).then_with(|| id_of(position).as_str().cmp(id)).is_le()
            })
        };
        let rest = state.order.get(state.order.partition_point(is_before)..).unwrap_or_default();
        let documents = rest.iter().map(|position| (position.0, id_of(position)));
        Ok(documents.filter(|(_, id)| is_wanted(id)).take(most).collect())
    }

    /// Saves the times for the next process, once enough files were looked at since the last save.
    fn save_if_stale(&self, state: &mut RecentState) {
        let files = state.folders.iter().map(|folder| folder.files.len()).sum::<usize>();
        if self.cache.is_read_only() || state.unsaved < RECENT_FILE_MIN_DOCUMENTS.max(files / 10) {
            return;
        }
        state.unsaved = 0;
        // Without the file, the next process only takes longer.
        if let Err(error) = saved::save(&self.cache, self.file, &state.folders) {
            tracing::debug!(%error, "cannot save when stored documents were changed");
        }
    }
}

impl RecentState {
    fn refresh(
        &mut self,
        kind: &DocumentFolders<'_>,
        max_documents: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), AppDirError> {
        let mut known: HashMap<Arc<str>, KnownFolder> =
            self.folders.drain(..).map(|folder| (Arc::clone(&folder.name), folder)).collect();
        let resume_at = self.next_check.take();
        let mut left = max_documents;
        // The folders whose names were read, and what was known of them before.
        let (mut unread, mut before_reading) = (Vec::new(), Vec::new());
        for (at, name) in kind.names.iter().enumerate() {
            self.is_ordered &= known.contains_key(name);
            let before = known.remove(name).unwrap_or_default();
            let opened =
                (kind.open)(name).and_then(|folder| Ok((FolderSnapshot::from_stat(folder.stat_self()?), folder)));
            let is_unchanged = |now: &FolderSnapshot| before.snapshot.is_some_and(|then| then.is_unchanged(now.stat()));
            match opened {
                Ok((now, _)) if is_unchanged(&now) => {
                    left = left.saturating_sub(before.files.len());
                    self.folders.push(before);
                }
                Ok((now, folder)) => {
                    let read = KnownFolder::read_names(name, &folder, kind.id_of, &mut left, now);
                    // What cannot be compared later is not worth a file.
                    self.unsaved += if read.is_settled() { read.files.len() } else { 0 };
                    self.folders.push(read);
                    unread.push(at);
                    before_reading.push(before);
                }
                // As in reads, a folder that cannot be read hides no document of the others.
                Err(error) => {
                    tracing::debug!(%error, "cannot list a folder, skipped");
                    self.is_ordered &= before.files.is_empty();
                    self.folders.push(KnownFolder { name: Arc::clone(name), ..KnownFolder::default() });
                }
            }
        }
        self.is_ordered &= known.is_empty();
        if let Err(error) = self.look_at_new(kind, &unread, stop) {
            // What was not looked at is read again.
            self.folders.clear();
            return Err(error);
        }
        let read = unread.iter().filter_map(|at| self.folders.get(*at));
        self.is_ordered &= read.zip(&before_reading).all(|(now, before)| now.has_same_files(before));
        self.look_again(kind, &unread, resume_at.as_ref());
        Ok(())
    }

    /// Looks at the files of the folders whose names were read, with several threads.
    fn look_at_new(
        &mut self,
        kind: &DocumentFolders<'_>,
        unread: &[usize],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), AppDirError> {
        let tasks: Vec<(usize, u32)> = unread
            .iter()
            .filter_map(|at| Some((*at, u32::try_from(self.folders.get(*at)?.files.len()).ok()?)))
            .flat_map(|(at, files)| (0..files).step_by(FILES_PER_TASK as usize).map(move |first| (at, first)))
            .collect();
        let folders = &self.folders;
        let looked = parallel::map_items(&tasks, stop, |(at, first)| {
            let known = folders.get(*at)?;
            let folder = (kind.open)(&known.name).ok()?;
            let files = (*first..).take(FILES_PER_TASK as usize).map_while(|number| known.file(number));
            Some(files.map(|(file, _)| modified_of(&folder, file)).collect::<Vec<_>>())
        });
        for ((at, first), looked) in tasks.into_iter().zip(looked) {
            let Some(times) = looked else { return Err(AppDirError::Cancelled("the list".to_owned())) };
            let files = self.folders.get_mut(at).and_then(|known| known.files.get_mut(first as usize..));
            for (file, modified) in files.unwrap_or_default().iter_mut().zip(times.unwrap_or_default()) {
                file.modified = modified;
            }
        }
        Ok(())
    }

    /// Looks again at some files of the other folders, from where the last page stopped.
    fn look_again(&mut self, kind: &DocumentFolders<'_>, unread: &[usize], resume_at: Option<&(Arc<str>, u32)>) {
        /// Each page looks at as many files.
        const FILES_PER_CLOCK: usize = 32;
        let (began, mut looked) = (Instant::now(), 0);
        for (at, known) in self.folders.iter_mut().enumerate() {
            if known.files.is_empty() || unread.binary_search(&at).is_ok() {
                continue;
            }
            let from = match resume_at {
                Some((name, _)) if *name > known.name => continue,
                Some((name, number)) if *name == known.name => *number,
                _ => 0,
            };
            let Ok(folder) = (kind.open)(&known.name) else { continue };
            for number in from.. {
                let Some((name, modified)) = known.file(number) else { break };
                let is_late = looked >= FILES_PER_CLOCK
                    && looked.is_multiple_of(FILES_PER_CLOCK)
                    && began.elapsed() >= MAX_CARD_RECHECK_TIME;
                if looked == MAX_CARD_RECHECKS_PER_QUERY || is_late {
                    self.next_check = Some((Arc::clone(&known.name), number));
                    return;
                }
                looked += 1;
                let now = modified_of(&folder, name);
                if now != modified
                    && let Some(file) = known.files.get_mut(number as usize)
                {
                    file.modified = now;
                    self.unsaved += 1;
                    self.is_ordered = false;
                }
            }
        }
    }

    /// Puts the documents into their order. Of several files with an id, the one that was changed last counts.
    fn sort(&mut self, id_of: fn(&str) -> Option<String>) {
        let files = self.folders.iter().map(|folder| folder.files.len()).sum();
        // In the order in which the names lie in memory: in the order of the list, each name would be far from the one before.
        let mut newest: HashTable<(u64, DocumentPosition)> = HashTable::with_capacity(files);
        for (at, folder) in (0u32..).zip(&self.folders) {
            for number in 0.. {
                let Some((name, modified)) = folder.file(number) else { break };
                let Some((modified, id)) = modified.zip(id_of(name)) else { continue };
                let (hash, position) = (self.hasher.hash_one(id), (Reverse(modified), at, number));
                match newest.entry(hash, |(known, _)| *known == hash, |(known, _)| *known) {
                    Entry::Occupied(mut known) => known.get_mut().1 = known.get().1.min(position),
                    Entry::Vacant(place) => drop(place.insert((hash, position))),
                }
            }
        }
        let mut order: Vec<DocumentPosition> = newest.into_iter().map(|(_, position)| position).collect();
        let id = |position: &DocumentPosition| self.name(position).and_then(id_of);
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

    fn read_names(
        name: &Arc<str>,
        folder: &Folder,
        id_of: fn(&str) -> Option<String>,
        left: &mut usize,
        snapshot: FolderSnapshot,
    ) -> Self {
        let mut known = Self { name: Arc::clone(name), ..Self::default() };
        let read = folder.visit_names(left, |file, _, kind| {
            let is_file = matches!(kind, EntryKind::File | EntryKind::Symlink);
            let place = u32::try_from(known.names.len()).ok().zip(u16::try_from(file.len()).ok());
            if let Some((name_start, name_len)) = place.filter(|_| is_file && id_of(file).is_some()) {
                known.names.push_str(file);
                known.files.push(KnownFile { modified: None, name_start, name_len });
            }
        });
        match read {
            // A folder that was not read to its end is read again.
            Ok(()) => known.snapshot = Some(snapshot).filter(|_| *left > 0),
            Err(error) => {
                tracing::debug!(%error, "cannot list a folder, skipped");
                (known.names, known.files) = Default::default();
            }
        }
        known.names.shrink_to_fit();
        known.files.shrink_to_fit();
        known
    }

    /// Returns the name of a file, and when it was changed.
    fn file(&self, number: u32) -> Option<(&str, Option<u64>)> {
        let file = self.files.get(number as usize)?;
        let start = file.name_start as usize;
        Some((self.names.get(start..start + usize::from(file.name_len))?, file.modified))
    }
}

/// Returns when a file was changed; `None` for one that is gone, and for what is no file.
fn modified_of(folder: &Folder, name: &str) -> Option<u64> {
    // `stat_nofollow` refuses a symlink, which the slower `stat` follows.
    let stat = folder.stat_nofollow(name).or_else(|_| folder.stat(name)).ok()?;
    Some(unix_nanos(stat.modified))
}

fn unix_nanos(time: Option<SystemTime>) -> u64 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
