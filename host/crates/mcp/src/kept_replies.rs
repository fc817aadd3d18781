//! Results of reads, kept encoded while the system reports no change in the folders that they come from.
//!
//! Owns: which results are kept and for how long, and that the system was asked for changes before one is given.
//! Never: opens a file of a read, gives a result to another caller or for other params than it was made for, or trusts a
//! file system that other machines may change.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::HashTable;

use crate::limits::{MAX_KEPT_RESULT_AGE, MAX_KEPT_RESULT_BYTES, MAX_KEPT_RESULTS, MAX_KEPT_RESULTS_BYTES};
use wardroom_appdir::{FileId, FileSystemReach, FolderChanges, FolderWatcher};
use wardroom_config::WatchMode;
use wardroom_service::{Caller, Dependencies, WatchedDir};

/// The longest params of a read whose result is kept.
const MAX_KEPT_PARAMS_BYTES: usize = 8 * 1024;
/// How long it takes until a result is tried again that could not be kept: too long, or of folders that are not watched.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// What decides the result of a read, beside files: who reads, in a session or not, and the params as the client wrote
/// them.
#[derive(Clone, Copy)]
pub(super) struct ReadKey<'a> {
    pub(super) caller: &'a Arc<Caller>,
    pub(super) in_session: bool,
    pub(super) params: &'a str,
}

/// The result of a read.
pub(super) struct ReadResult {
    pub(super) uri: String,
    pub(super) json: Vec<u8>,
}

/// What is known of a read.
pub(super) enum KeptRead {
    Result(Arc<ReadResult>),
    /// It came twice within [`MAX_KEPT_RESULT_AGE`], so that its result is worth keeping.
    IsRepeated,
    Unknown,
}

/// The kept results of one catalogue, for all of its callers.
pub(super) struct KeptReplies(Mutex<ReplyTable>);

#[derive(Default)]
struct ReplyTable {
    watcher: WatcherState,
    hasher: RandomState,
    results: HashTable<KeptResult>,
    bytes: usize,
    /// The reads whose results are not kept, by their hashes. Two reads with one hash only make a result be kept too early.
    seen: HashMap<u64, Sighting>,
    /// When the system was last asked for changes.
    asked_at: Option<Instant>,
    /// Counts the times at which something changed, or folders were watched no longer.
    generation: u64,
}

#[derive(Default)]
enum WatcherState {
    #[default]
    NotStarted,
    Started(FolderWatcher),
    /// The operator wants none: nothing is kept.
    Off,
}

/// What is known of a read without a kept result.
enum Sighting {
    Came(Instant),
    /// Its result cannot be kept.
    GivenUp(Instant),
}

struct KeptResult {
    hash: u64,
    caller: Arc<Caller>,
    in_session: bool,
    params: Box<str>,
    result: Arc<ReadResult>,
    folders: Vec<FileId>,
    made_at: Instant,
}

/// A read that is about to run, whose folders are watched already, until this is dropped.
pub(super) struct WatchedRead<'a> {
    replies: &'a KeptReplies,
    generation: u64,
    folders: Vec<FileId>,
    begun_at: Instant,
}

impl KeptReplies {
    /// Creates a table that keeps results if the system reports changes, as the operator says.
    pub(super) fn new(watch_mode: WatchMode) -> Self {
        let watcher = if watch_mode == WatchMode::Events { WatcherState::NotStarted } else { WatcherState::Off };
        Self(Mutex::new(ReplyTable { watcher, ..ReplyTable::default() }))
    }

    /// Returns what is known of a read that was received at this time.
    pub(super) fn find(&self, key: ReadKey<'_>, received_at: Instant) -> KeptRead {
        let table = &mut *self.lock();
        if matches!(table.watcher, WatcherState::Off) || key.params.len() > MAX_KEPT_PARAMS_BYTES {
            return KeptRead::Unknown;
        }
        table.take_changes(received_at);
        let hash = table.hash(key);
        let is_fresh = |made_at: Instant| received_at.saturating_duration_since(made_at) < MAX_KEPT_RESULT_AGE;
        if let Ok(entry) = table.results.find_entry(hash, |kept| kept.is_of(key)) {
            if is_fresh(entry.get().made_at) {
                return KeptRead::Result(Arc::clone(&entry.get().result));
            }
            let (expired, _) = entry.remove();
            table.bytes -= expired.bytes();
        }
        let is_repeated = match table.seen.get(&hash) {
            Some(Sighting::GivenUp(at)) if received_at.saturating_duration_since(*at) < RETRY_INTERVAL => {
                return KeptRead::Unknown;
            }
            Some(Sighting::Came(at)) => is_fresh(*at),
            Some(Sighting::GivenUp(_)) | None => false,
        };
        table.note(hash, Sighting::Came(received_at));
        if is_repeated { KeptRead::IsRepeated } else { KeptRead::Unknown }
    }

    /// Notes that the result of a read cannot be kept, so that this is not tried again at once.
    pub(super) fn give_up(&self, key: ReadKey<'_>) {
        let mut table = self.lock();
        let hash = table.hash(key);
        table.note(hash, Sighting::GivenUp(Instant::now()));
    }

    /// Watches the folders that a read depends on, before it is run. `None` where a change could go unnoticed.
    pub(super) fn watch(&self, dependencies: impl Fn() -> Option<Dependencies>) -> Option<WatchedRead<'_>> {
        let mut read = WatchedRead { replies: self, generation: 0, folders: Vec::new(), begun_at: Instant::now() };
        let found = dependencies()?;
        (read.generation, read.folders) = self.lock().watch_all(&found)?;
        // What was replaced before its folder was watched shows now.
        let found = dependencies()?;
        let (generation, again) = self.lock().watch_all(&found)?;
        (read.generation == generation && read.folders == again).then_some(read)
    }

    fn lock(&self) -> MutexGuard<'_, ReplyTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReplyTable {
    /// Watches the folders of `dependencies`, and returns the present generation.
    fn watch_all(&mut self, dependencies: &Dependencies) -> Option<(u64, Vec<FileId>)> {
        if !dependencies.is_complete() || dependencies.is_partial() {
            return None;
        }
        if matches!(self.watcher, WatcherState::NotStarted) {
            self.watcher = WatcherState::Started(FolderWatcher::new().ok()?);
        }
        let WatcherState::Started(watcher) = &self.watcher else { return None };
        let watch = |dir: &WatchedDir| {
            let folder = dir.open().ok()?;
            let is_local = folder.file_system_reach().ok()? == FileSystemReach::Local;
            is_local.then(|| watcher.watch(&folder).ok())?
        };
        let folders = dependencies.dirs().iter().map(watch).collect::<Option<_>>()?;
        Some((self.generation, folders))
    }

    fn hash(&self, key: ReadKey<'_>) -> u64 {
        self.hasher.hash_one((key.in_session, key.params))
    }

    fn note(&mut self, hash: u64, sighting: Sighting) {
        if self.seen.len() >= MAX_KEPT_RESULTS {
            self.seen.clear();
        }
        self.seen.insert(hash, sighting);
    }

    /// Asks the system for changes, unless it was asked since `received_at`, and drops what they may concern.
    fn take_changes(&mut self, received_at: Instant) {
        let WatcherState::Started(watcher) = &self.watcher else { return };
        if self.asked_at.is_some_and(|asked_at| asked_at > received_at) {
            return;
        }
        self.asked_at = Some(Instant::now());
        match watcher.take_changes() {
            changes if changes.is_empty() => return,
            FolderChanges::Folders(changed) => {
                self.remove_where(|kept| kept.folders.iter().any(|folder| changed.contains(folder)));
            }
            FolderChanges::Overflow => self.remove_where(|_| true),
        }
        self.generation += 1;
        self.watch_used_folders();
    }

    fn remove_where(&mut self, is_removed: impl Fn(&KeptResult) -> bool) {
        self.results.retain(|kept| !is_removed(kept));
        self.bytes = self.results.iter().map(KeptResult::bytes).sum();
    }

    /// Ends the watches of folders that no kept result comes from. A read that has begun may have watched one of them.
    fn watch_used_folders(&mut self) {
        let used: HashSet<_> = self.results.iter().flat_map(|kept| kept.folders.iter().copied()).collect();
        if let WatcherState::Started(watcher) = &self.watcher
            && watcher.retain(&used)
        {
            self.generation += 1;
        }
    }
}

impl WatchedRead<'_> {
    /// Keeps the result of the read, unless something has changed since its folders were watched. Returns whether it is short
    /// enough ever to be kept.
    pub(super) fn keep(mut self, key: ReadKey<'_>, result: ReadResult) -> bool {
        let mut table = self.replies.lock();
        table.take_changes(Instant::now());
        let hash = table.hash(key);
        let kept = KeptResult {
            hash,
            caller: Arc::clone(key.caller),
            in_session: key.in_session,
            params: key.params.into(),
            result: Arc::new(result),
            folders: std::mem::take(&mut self.folders),
            made_at: self.begun_at,
        };
        if kept.bytes() > MAX_KEPT_RESULT_BYTES {
            return false;
        }
        if table.generation != self.generation {
            return true;
        }
        table.seen.remove(&hash);
        table.remove_where(|other| other.hash == hash && other.is_of(key));
        // What is in use is soon kept again, and no insertion costs more than another.
        if table.results.len() >= MAX_KEPT_RESULTS || table.bytes + kept.bytes() > MAX_KEPT_RESULTS_BYTES {
            table.remove_where(|_| true);
        }
        table.bytes += kept.bytes();
        table.results.insert_unique(hash, kept, |kept| kept.hash);
        true
    }
}

impl Drop for WatchedRead<'_> {
    /// Ends the watches of folders that no kept result comes from.
    fn drop(&mut self) {
        self.replies.lock().watch_used_folders();
    }
}

impl KeptResult {
    fn is_of(&self, key: ReadKey<'_>) -> bool {
        self.in_session == key.in_session
            && *self.params == *key.params
            && (Arc::ptr_eq(&self.caller, key.caller) || self.caller == *key.caller)
    }

    fn bytes(&self) -> usize {
        let texts = self.params.len() + self.result.uri.len() + self.result.json.len();
        texts + size_of_val(self.folders.as_slice()) + size_of::<Self>() + size_of::<ReadResult>()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests change real files")]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use wardroom_appdir::{Access, Folder, ambient};

    /// A folder with one file, and the replies that come from it.
    struct Fixture {
        dir: tempfile::TempDir,
        folder: Folder,
        replies: KeptReplies,
        caller: Arc<Caller>,
    }

    impl Fixture {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("file"), "text").unwrap();
            let folder = ambient::open_folder(dir.path(), Access::ReadOnly).unwrap();
            Self { dir, folder, replies: KeptReplies::new(WatchMode::Events), caller: Arc::default() }
        }

        fn path(&self) -> &Path {
            self.dir.path()
        }

        fn key<'a>(&'a self, params: &'a str) -> ReadKey<'a> {
            ReadKey { caller: &self.caller, in_session: false, params }
        }

        fn watch(&self) -> Option<WatchedRead<'_>> {
            self.replies.watch(|| {
                let mut dependencies = Dependencies::default();
                dependencies.declare_complete();
                dependencies.add_file(&self.folder, "file");
                Some(dependencies)
            })
        }

        fn keep(&self, params: &str, json: &[u8]) {
            self.watch().unwrap().keep(self.key(params), ReadResult { uri: "uri".into(), json: json.to_vec() });
        }

        fn kept(&self, key: ReadKey<'_>) -> Option<Vec<u8>> {
            match self.replies.find(key, Instant::now()) {
                KeptRead::Result(result) => Some(result.json.clone()),
                KeptRead::IsRepeated | KeptRead::Unknown => None,
            }
        }

        fn sizes(&self) -> (usize, usize) {
            let table = self.replies.lock();
            (table.results.len(), table.bytes)
        }
    }

    #[test]
    fn result_is_given_for_its_caller_and_params_alone() {
        let fixture = Fixture::new();
        fixture.keep("{}", b"result");
        assert_eq!(fixture.kept(fixture.key("{}")).unwrap(), b"result");
        assert_eq!(fixture.kept(fixture.key("{ }")), None);
        assert_eq!(fixture.kept(ReadKey { in_session: true, ..fixture.key("{}") }), None);
        let other = Arc::new(Caller { scope: Some("other".into()), ..Caller::default() });
        assert_eq!(fixture.kept(ReadKey { caller: &other, ..fixture.key("{}") }), None);
        let same = Arc::new(Caller::default());
        assert_eq!(fixture.kept(ReadKey { caller: &same, ..fixture.key("{}") }).unwrap(), b"result");
    }

    #[test]
    fn change_ends_a_result_and_a_read_that_has_begun() {
        let fixture = Fixture::new();
        fixture.keep("{}", b"result");
        let begun = fixture.watch().unwrap();
        fs::write(fixture.path().join("file"), "other").unwrap();
        assert_eq!(fixture.kept(fixture.key("{}")), None);
        begun.keep(fixture.key("{}"), ReadResult { uri: String::new(), json: b"old".to_vec() });
        assert_eq!(fixture.kept(fixture.key("{}")), None);
        fixture.keep("{}", b"new");
        assert_eq!(fixture.kept(fixture.key("{}")).unwrap(), b"new");
    }

    #[test]
    fn result_ends_by_its_age() {
        let fixture = Fixture::new();
        fixture.keep("{}", b"result");
        let later = Instant::now() + MAX_KEPT_RESULT_AGE;
        assert!(matches!(fixture.replies.find(fixture.key("{}"), later), KeptRead::Unknown));
        assert_eq!(fixture.sizes(), (0, 0));
    }

    #[test]
    fn read_is_repeated_when_it_comes_twice_soon() {
        let (fixture, now) = (Fixture::new(), Instant::now());
        let repeated = |at: Instant| matches!(fixture.replies.find(fixture.key("{}"), at), KeptRead::IsRepeated);
        assert_eq!([now, now + MAX_KEPT_RESULT_AGE].map(repeated), [false, false]);
        assert!(repeated(now + MAX_KEPT_RESULT_AGE));
        let given_up = Instant::now();
        fixture.replies.give_up(fixture.key("{}"));
        let later = given_up + 2 * RETRY_INTERVAL;
        assert_eq!([given_up, given_up, later, later].map(repeated), [false, false, false, true]);
        let long = " ".repeat(MAX_KEPT_PARAMS_BYTES + 1);
        for _ in 0..3 {
            assert!(matches!(fixture.replies.find(fixture.key(&long), now), KeptRead::Unknown));
        }
    }

    #[test]
    fn what_can_change_unseen_is_not_watched() {
        let fixture = Fixture::new();
        let watched = |change: fn(&mut Dependencies, &Folder)| {
            fixture.replies.watch(|| {
                let mut dependencies = Dependencies::default();
                change(&mut dependencies, &fixture.folder);
                Some(dependencies)
            })
        };
        assert!(watched(|dependencies, folder| dependencies.add_file(folder, "file")).is_none());
        assert!(watched(|dependencies, _| dependencies.declare_complete()).is_some());
        fs::hard_link(fixture.path().join("file"), fixture.path().join("another")).unwrap();
        assert!(fixture.watch().is_none());
    }

    #[test]
    fn results_are_bounded_in_number_and_bytes() {
        let fixture = Fixture::new();
        for number in 0..=MAX_KEPT_RESULTS {
            fixture.keep(&number.to_string(), b"result");
            assert!((1..=MAX_KEPT_RESULTS).contains(&fixture.sizes().0));
        }
        assert_eq!(fixture.sizes().0, 1);
        fixture.keep("too long", &vec![b' '; MAX_KEPT_RESULT_BYTES]);
        assert_eq!(fixture.kept(fixture.key("too long")), None);
        for number in 0..100 {
            fixture.keep(&number.to_string(), &vec![b' '; MAX_KEPT_RESULT_BYTES / 2]);
            assert!(fixture.sizes().1 <= MAX_KEPT_RESULTS_BYTES);
        }
        for number in 0..=2 * MAX_KEPT_RESULTS {
            fixture.replies.find(fixture.key(&format!("once {number}")), Instant::now());
        }
        assert!(fixture.replies.lock().seen.len() <= MAX_KEPT_RESULTS);
    }

    #[test]
    fn folders_of_a_read_that_is_not_kept_are_watched_no_longer() {
        let fixture = Fixture::new();
        let is_reported = |fixture: &Fixture| {
            let generation = fixture.replies.lock().generation;
            fs::write(fixture.path().join("file"), "other").unwrap();
            fixture.kept(fixture.key("{}"));
            fixture.replies.lock().generation != generation
        };
        let watched = fixture.watch().unwrap();
        assert!(is_reported(&fixture));
        drop(watched);
        assert!(!is_reported(&fixture));
        fixture.keep("too long", &vec![b' '; MAX_KEPT_RESULT_BYTES]);
        assert!(!is_reported(&fixture));
    }

    #[test]
    fn folders_of_no_result_are_watched_no_longer() {
        let fixture = Fixture::new();
        fixture.keep("{}", b"result");
        fs::write(fixture.path().join("file"), "other").unwrap();
        assert_eq!(fixture.kept(fixture.key("{}")), None);
        let generation = fixture.replies.lock().generation;
        // Nothing is watched, so that nothing is reported.
        fs::write(fixture.path().join("file"), "third").unwrap();
        assert_eq!(fixture.kept(fixture.key("{}")), None);
        assert_eq!(fixture.replies.lock().generation, generation);
    }
}
