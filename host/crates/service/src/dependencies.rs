//! What a resource depends on: the folders in which a change can show, and a mark that differs after one.
//!
//! Owns: how much of a path is watched, which marks are taken for different, and what cannot be watched: where a link is
//! on the way, what it leads to can change in another folder.
//! Never: opens a file; a look at it costs the same however large it is.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, SystemTime};

use crate::limits::MAX_WATCHED_DIRS_PER_RESOURCE;
use wardroom_appdir::{AppDirError, FileId, Folder, Stat};

/// Times of change are as fine as the system's ticks: two changes within one leave the same mark behind.
const TIMESTAMP_GRANULARITY: Duration = Duration::from_millis(20);
/// Whoever looks longer than this after a mark was taken looks at something that happened later than its last tick.
const TICK_AMBIGUITY_WINDOW: Duration = Duration::from_secs(1);

/// Gathers what a resource depends on.
#[derive(Default)]
pub struct Dependencies {
    dirs: Vec<WatchedDir>,
    known_ids: HashSet<FileId>,
    is_partial: bool,
    digest: DefaultHasher,
    /// The last change of a file.
    last_file_change: Option<SystemTime>,
    /// The last change of a file or of the names in a folder.
    last_change: Option<SystemTime>,
}

/// A folder in which a change can show.
#[derive(Debug, Clone)]
pub struct WatchedDir {
    root: Folder,
    /// Below that; empty for itself.
    relative_path: String,
    id: FileId,
}

/// What was there when somebody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    digest: u64,
    last_change: Option<SystemTime>,
    taken_at: SystemTime,
    /// Nothing had changed for so long that a further change shows.
    is_settled: bool,
}

impl Dependencies {
    /// A file below `root`, there or not.
    pub fn add_file(&mut self, root: &Folder, name: &str) {
        let way = name.rsplit_once('/').map_or("", |(way, _)| way);
        let stat = self.add_dir_path(root, way).and_then(|_| root.stat(name).ok());
        self.is_partial |= root.read_link(name).is_ok() || stat.is_some_and(|stat| stat.link_count > 1);
        self.add_stat(stat);
    }

    /// The names in a folder below `root`, there or not.
    pub fn add_dir_listing(&mut self, root: &Folder, way: &str) -> Option<Folder> {
        let folder = self.add_dir_path(root, way);
        self.add_stat(folder.as_ref().and_then(|folder| folder.stat_self().ok()));
        folder
    }

    /// A folder below `root`, with those on the way to it: each of them can be replaced. Where the way breaks off, it may
    /// go on one day.
    pub fn add_dir_path(&mut self, root: &Folder, way: &str) -> Option<Folder> {
        self.watch_dir(root);
        let mut last = root.clone();
        let ends = way.match_indices('/').map(|(at, _)| at).chain([way.len()]);
        for part in ends.filter_map(|end| way.get(..end)).filter(|part| !part.is_empty()) {
            self.is_partial |= root.read_link(part).is_ok();
            // Each from the root, as in reading: a link may lead up again.
            last = match root.open_folder(part) {
                Ok(folder) => folder,
                Err(AppDirError::NotFound(_) | AppDirError::OutsideRoot(_)) => return None,
                // Perhaps it is there, and cannot be opened now.
                Err(_) => {
                    self.is_partial = true;
                    return None;
                }
            };
            self.watch_dir(&last);
        }
        Some(last)
    }

    /// A folder below `root` in which a change can show, whatever is there: what it is about is said by [`Self::state`]. It is
    /// opened when somebody watches it.
    pub fn add_dir(&mut self, root: &Folder, way: &str, id: FileId) {
        if !self.known_ids.insert(id) {
            return;
        }
        if self.dirs.len() < MAX_WATCHED_DIRS_PER_RESOURCE {
            self.dirs.push(WatchedDir { root: root.clone(), relative_path: way.to_owned(), id });
        } else {
            self.is_partial = true;
        }
    }

    /// Something that was looked at already, in short, and when it became that.
    pub fn add_digest(&mut self, digest: u64, since: Option<SystemTime>) {
        digest.hash(&mut self.digest);
        self.last_change = self.last_change.max(since);
    }

    fn watch_dir(&mut self, folder: &Folder) {
        let Ok(stat) = folder.stat_self() else {
            self.is_partial = true;
            return;
        };
        self.last_change = self.last_change.max(stat.changed);
        self.add_dir(folder, "", stat.file_id);
    }

    fn add_stat(&mut self, stat: Option<Stat>) {
        self.last_file_change = self.last_file_change.max(stat.and_then(|stat| stat.changed));
        self.last_change = self.last_change.max(self.last_file_change);
        stat.hash(&mut self.digest);
    }

    /// All of `other` too.
    pub fn merge(&mut self, other: &Self) {
        // When those changed, the other one knows, as far as it matters.
        other.dirs.iter().for_each(|near| self.add_dir(&near.root, &near.relative_path, near.id));
        self.is_partial |= other.is_partial;
        self.last_file_change = self.last_file_change.max(other.last_file_change);
        self.last_change = self.last_change.max(other.last_change);
        other.digest.finish().hash(&mut self.digest);
    }

    /// Whether a change may show in none of the folders.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    #[must_use]
    pub fn dirs(&self) -> &[WatchedDir] {
        &self.dirs
    }

    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let taken = SystemTime::now();
        let settled = self
            .last_file_change
            .is_none_or(|noted| noted.checked_add(TIMESTAMP_GRANULARITY).is_some_and(|noted| noted < taken));
        Fingerprint {
            digest: self.digest.finish(),
            last_change: self.last_change,
            taken_at: taken,
            is_settled: settled,
        }
    }
}

impl WatchedDir {
    /// Opens what is there by now.
    ///
    /// # Errors
    /// As [`Folder::folder`].
    pub fn open(&self) -> Result<Folder, AppDirError> {
        if self.relative_path.is_empty() { Ok(self.root.clone()) } else { self.root.open_folder(&self.relative_path) }
    }
}

impl Fingerprint {
    /// Whether something may have changed since `before` was taken. Asked when there was a change nearby.
    #[must_use]
    pub fn may_differ(&self, before: &Self) -> bool {
        let is_later = self.taken_at.duration_since(before.taken_at).is_ok_and(|time| time > TICK_AMBIGUITY_WINDOW);
        self.digest != before.digest || !(before.is_settled || is_later)
    }

    /// Whether anything of it may have changed since `time`.
    #[must_use]
    pub fn may_have_changed_since(&self, time: SystemTime) -> bool {
        self.last_change
            .is_some_and(|newest| newest.checked_add(TIMESTAMP_GRANULARITY).is_none_or(|newest| newest >= time))
    }
}
