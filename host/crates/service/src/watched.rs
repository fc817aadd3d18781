//! What a resource depends on: the folders in which a change can show, and a mark that differs after one.
//!
//! Owns: how much of a path is watched, which marks are taken for different, and what cannot be watched: where a link is
//! on the way, what it leads to can change in another folder.
//! Never: opens a file; a look at it costs the same however large it is.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, SystemTime};

use wardroom_appdir::{AppDirError, Folder, FolderId, Stat};
use wardroom_base::limits::MAX_WATCHED_FOLDERS;

/// Times of change are as fine as the system's ticks: two changes within one leave the same mark behind.
const TICK: Duration = Duration::from_millis(20);
/// Whoever looks longer than this after a mark was taken looks at something that happened later than its last tick.
const LATER: Duration = Duration::from_secs(1);

/// Gathers what a resource depends on.
#[derive(Default)]
pub struct Watched {
    folders: Vec<Near>,
    known: HashSet<FolderId>,
    is_partial: bool,
    state: DefaultHasher,
    /// The last change of a file.
    noted: Option<SystemTime>,
    /// The last change of a file or of the names in a folder.
    newest: Option<SystemTime>,
}

/// A folder in which a change can show.
#[derive(Debug, Clone)]
pub struct Near {
    root: Folder,
    /// Below that; empty for itself.
    way: String,
    id: FolderId,
}

/// What was there when somebody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    state: u64,
    newest: Option<SystemTime>,
    taken: SystemTime,
    /// Nothing had changed for so long that a further change shows.
    settled: bool,
}

impl Watched {
    /// A file below `root`, there or not.
    pub fn file(&mut self, root: &Folder, name: &str) {
        let way = name.rsplit_once('/').map_or("", |(way, _)| way);
        let stat = self.folder(root, way).and_then(|_| root.stat(name).ok());
        self.is_partial |= root.link_text(name).is_ok() || stat.is_some_and(|stat| stat.links > 1);
        self.note(stat);
    }

    /// The names in a folder below `root`, there or not.
    pub fn names(&mut self, root: &Folder, way: &str) -> Option<Folder> {
        let folder = self.folder(root, way);
        self.note(folder.as_ref().and_then(|folder| folder.own_stat().ok()));
        folder
    }

    /// A folder below `root`, with those on the way to it: each of them can be replaced. Where the way breaks off, it may
    /// go on one day.
    pub fn folder(&mut self, root: &Folder, way: &str) -> Option<Folder> {
        self.watch(root);
        let mut last = root.clone();
        let ends = way.match_indices('/').map(|(at, _)| at).chain([way.len()]);
        for part in ends.filter_map(|end| way.get(..end)).filter(|part| !part.is_empty()) {
            self.is_partial |= root.link_text(part).is_ok();
            // Each from the root, as in reading: a link may lead up again.
            last = match root.folder(part) {
                Ok(folder) => folder,
                Err(AppDirError::NotFound(_) | AppDirError::Escapes(_)) => return None,
                // Perhaps it is there, and cannot be opened now.
                Err(_) => {
                    self.is_partial = true;
                    return None;
                }
            };
            self.watch(&last);
        }
        Some(last)
    }

    /// A folder below `root` in which a change can show, whatever is there: what it is about is said by [`Self::state`]. It is
    /// opened when somebody watches it.
    pub fn place(&mut self, root: &Folder, way: &str, id: FolderId) {
        if !self.known.insert(id) {
            return;
        }
        if self.folders.len() < MAX_WATCHED_FOLDERS {
            self.folders.push(Near { root: root.clone(), way: way.to_owned(), id });
        } else {
            self.is_partial = true;
        }
    }

    /// Something that was looked at already, in short, and when it became that.
    pub fn state(&mut self, digest: u64, since: Option<SystemTime>) {
        digest.hash(&mut self.state);
        self.newest = self.newest.max(since);
    }

    fn watch(&mut self, folder: &Folder) {
        let Ok(stat) = folder.own_stat() else {
            self.is_partial = true;
            return;
        };
        self.newest = self.newest.max(stat.changed);
        self.place(folder, "", stat.identity);
    }

    fn note(&mut self, stat: Option<Stat>) {
        self.noted = self.noted.max(stat.and_then(|stat| stat.changed));
        self.newest = self.newest.max(self.noted);
        stat.hash(&mut self.state);
    }

    /// All of `other` too.
    pub fn add(&mut self, other: &Self) {
        // When those changed, the other one knows, as far as it matters.
        other.folders.iter().for_each(|near| self.place(&near.root, &near.way, near.id));
        self.is_partial |= other.is_partial;
        self.noted = self.noted.max(other.noted);
        self.newest = self.newest.max(other.newest);
        other.state.finish().hash(&mut self.state);
    }

    /// Whether a change may show in none of the folders.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    #[must_use]
    pub fn folders(&self) -> &[Near] {
        &self.folders
    }

    #[must_use]
    pub fn mark(&self) -> Mark {
        let taken = SystemTime::now();
        let settled = self.noted.is_none_or(|noted| noted.checked_add(TICK).is_some_and(|noted| noted < taken));
        Mark { state: self.state.finish(), newest: self.newest, taken, settled }
    }
}

impl Near {
    /// Opens what is there by now.
    ///
    /// # Errors
    /// As [`Folder::folder`].
    pub fn opened(&self) -> Result<Folder, AppDirError> {
        if self.way.is_empty() { Ok(self.root.clone()) } else { self.root.folder(&self.way) }
    }
}

impl Mark {
    /// Whether something may have changed since `before` was taken. Asked when there was a change nearby.
    #[must_use]
    pub fn may_differ(&self, before: &Self) -> bool {
        let is_later = self.taken.duration_since(before.taken).is_ok_and(|time| time > LATER);
        self.state != before.state || !(before.settled || is_later)
    }

    /// Whether anything of it may have changed since `time`.
    #[must_use]
    pub fn may_be_since(&self, time: SystemTime) -> bool {
        self.newest.is_some_and(|newest| newest.checked_add(TICK).is_none_or(|newest| newest >= time))
    }
}
