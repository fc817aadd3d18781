//! What a resource depends on: the folders in which a change can show, and a fingerprint that differs after a change.
//!
//! Owns: how much of a path is watched, which fingerprints count as different, and what cannot be watched: the target
//! of a symlink can change in another folder.
//! Never: opens a file; a check costs the same whatever a file's size.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, SystemTime};

use crate::limits::MAX_WATCHED_DIRS_PER_RESOURCE;
use wardroom_appdir::{AppDirError, FileId, Folder, Stat};

/// Timestamps are as fine as the system's ticks: two changes within one tick leave the same fingerprint.
const TIMESTAMP_GRANULARITY: Duration = Duration::from_millis(20);
/// A change that is noticed longer than this after a fingerprint was taken happened after that fingerprint's last tick.
const TICK_AMBIGUITY_WINDOW: Duration = Duration::from_secs(1);

/// Collects what a resource depends on.
#[derive(Default)]
pub struct Dependencies {
    dirs: Vec<WatchedDir>,
    known_ids: HashSet<FileId>,
    is_partial: bool,
    is_complete: bool,
    digest: DefaultHasher,
    /// When a file last changed.
    last_file_change: Option<SystemTime>,
    /// When a file, or the names in a folder, last changed.
    last_change: Option<SystemTime>,
}

/// A folder in which a change can show.
#[derive(Debug, Clone)]
pub struct WatchedDir {
    root: Folder,
    /// The path below `root`; empty for `root` itself.
    relative_path: String,
    id: FileId,
}

/// The state of the dependencies at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    digest: u64,
    last_change: Option<SystemTime>,
    taken_at: SystemTime,
    /// Whether the last change is so long ago that a further change shows.
    is_settled: bool,
}

impl Dependencies {
    /// Adds a file below `root`, existing or not.
    pub fn add_file(&mut self, root: &Folder, name: &str) {
        let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
        let stat = self.add_dir_path(root, parent).and_then(|_| root.stat(name).ok());
        self.is_partial |= root.read_link(name).is_ok() || stat.is_some_and(|stat| stat.link_count > 1);
        self.add_stat(stat);
    }

    /// Adds the names in a folder below `root`, existing or not.
    pub fn add_dir_listing(&mut self, root: &Folder, path: &str) -> Option<Folder> {
        let folder = self.add_dir_path(root, path);
        self.add_stat(folder.as_ref().and_then(|folder| folder.stat_self().ok()));
        folder
    }

    /// Adds a folder below `root` and every folder on the path to it, because each can be replaced. Where the path
    /// breaks off, the rest may be created later.
    pub fn add_dir_path(&mut self, root: &Folder, path: &str) -> Option<Folder> {
        self.watch_dir(root);
        let mut last = root.clone();
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for part in ends.filter_map(|end| path.get(..end)).filter(|part| !part.is_empty()) {
            self.is_partial |= root.read_link(part).is_ok();
            // Each is opened from the root, as in reading: a symlink may lead up again.
            last = match root.open_folder(part) {
                Ok(folder) => folder,
                Err(AppDirError::NotFound(_) | AppDirError::OutsideRoot(_)) => return None,
                // The folder may exist and be impossible to open now.
                Err(_) => {
                    self.is_partial = true;
                    return None;
                }
            };
            self.watch_dir(&last);
        }
        Some(last)
    }

    /// Adds a folder below `root` in which a change can show, but not its state, which [`Self::add_digest`] adds. The
    /// folder is opened when it is watched.
    pub fn add_dir(&mut self, root: &Folder, path: &str, id: FileId) {
        if !self.known_ids.insert(id) {
            return;
        }
        if self.dirs.len() < MAX_WATCHED_DIRS_PER_RESOURCE {
            self.dirs.push(WatchedDir { root: root.clone(), relative_path: path.to_owned(), id });
        } else {
            self.is_partial = true;
        }
    }

    /// Adds the digest of something that was already examined, and when that last changed.
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

    /// Adds everything that `other` depends on.
    pub fn merge(&mut self, other: &Self) {
        // `other` knows when these folders changed, as far as it matters.
        other.dirs.iter().for_each(|dir| self.add_dir(&dir.root, &dir.relative_path, dir.id));
        self.is_partial |= other.is_partial;
        self.last_file_change = self.last_file_change.max(other.last_file_change);
        self.last_change = self.last_change.max(other.last_change);
        other.digest.finish().hash(&mut self.digest);
    }

    /// Says that what was read is not final: a file is being written, or could not be read. It shows later, with no change
    /// in any folder.
    pub fn declare_unsettled(&mut self) {
        self.is_partial = true;
    }

    /// Says that these files and folders alone decide the content: neither the time nor what the server remembers does.
    pub fn declare_complete(&mut self) {
        self.is_complete = true;
    }

    /// Whether nothing else decides the content.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
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
            .is_none_or(|changed| changed.checked_add(TIMESTAMP_GRANULARITY).is_some_and(|changed| changed < taken));
        Fingerprint {
            digest: self.digest.finish(),
            last_change: self.last_change,
            taken_at: taken,
            is_settled: settled,
        }
    }
}

impl WatchedDir {
    /// Opens the folder that exists there now.
    ///
    /// # Errors
    /// As [`Folder::open_folder`].
    pub fn open(&self) -> Result<Folder, AppDirError> {
        if self.relative_path.is_empty() { Ok(self.root.clone()) } else { self.root.open_folder(&self.relative_path) }
    }
}

impl Fingerprint {
    /// Whether something may have changed since `before` was taken. Called after a change was noticed nearby.
    #[must_use]
    pub fn may_differ(&self, before: &Self) -> bool {
        let is_later = self.taken_at.duration_since(before.taken_at).is_ok_and(|time| time > TICK_AMBIGUITY_WINDOW);
        self.digest != before.digest || !(before.is_settled || is_later)
    }

    /// Whether any of the dependencies may have changed since `time`.
    #[must_use]
    pub fn may_have_changed_since(&self, time: SystemTime) -> bool {
        self.last_change
            .is_some_and(|newest| newest.checked_add(TIMESTAMP_GRANULARITY).is_none_or(|newest| newest >= time))
    }
}
