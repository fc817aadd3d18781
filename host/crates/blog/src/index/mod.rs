//! The index of a blog: a cache of what its files say, which every process on the AppDir may use and bring up to date.
//!
//! Owns: a folder below `cache/`, whose files are made again whenever they are missing, damaged or of another version.
//! Gives: [`StoredBlog`], one state of the index.
//! Never: is the truth: files are.

mod batches;
mod compare;
pub(crate) mod counts;
#[cfg(test)]
mod crash_tests;
mod directory;
mod document;
mod error;
mod group;
mod post_names;
mod queue;
mod repair;
pub(crate) mod row;
mod scan;
pub(crate) mod schema;
mod segments;
pub(crate) mod stored;
mod tokenizer;
mod update;
#[cfg(test)]
mod wall_tests;
mod writing;
mod written;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Schema};
use tantivy::{Index, IndexReader, IndexSettings};

use self::directory::IndexDirectory;
use self::schema::{BlogFields, INDEX_VERSION, PROBLEM_KIND, term};
use self::segments::open_index_reader;
use self::stored::StoredBlog;
use crate::content::project::{BlogSettings, SETTINGS_FILES};
use crate::content::read_file::{hash64, stat_hash};
use crate::content::{BlogDefaults, BlogLayout, FileProblem};
use crate::proposals::decided_cache::DecidedCache;
use crate::proposals::pending_cache::PendingCache;
use wardroom_appdir::{AppDirError, CacheDir, FileId, Folder};
use wardroom_sandbox::{DOCUMENTS_COMPONENT_ID, DocumentSandbox};
use wardroom_service::Dependencies;

pub(crate) use self::error::IndexError;
pub(crate) use self::group::{media_key, post_key};
pub(crate) use self::writing::{UpdateScope, UpdateSummary};

/// The blog whose files are in the index.
pub(crate) struct BlogSource {
    pub(crate) folder: Folder,
    pub(crate) layout: BlogLayout,
    pub(crate) defaults: BlogDefaults,
    pub(crate) sandbox: Arc<DocumentSandbox>,
    pub(crate) decided: DecidedCache,
    pub(crate) pending: PendingCache,
}

/// The index of a blog.
pub(crate) struct BlogIndex {
    source: Arc<BlogSource>,
    /// Where the index is, and its path there.
    cache: CacheDir,
    path: String,
    /// The beginning of its name, which all versions share, and its name.
    blog: String,
    version: String,
    schema: Schema,
    fields: BlogFields,
    opened: Mutex<Option<OpenedIndex>>,
    progress: UpdateProgress,
    /// Whether this process has compared the index with all files.
    is_compared: AtomicBool,
    /// Why it is not brought up to date at present, in words for clients.
    failure: Mutex<Option<String>>,
}

/// How far an update is.
#[derive(Debug, Default)]
pub(crate) struct UpdateProgress {
    pub(crate) files_done: AtomicUsize,
    pub(crate) files_total: AtomicUsize,
}

impl UpdateProgress {
    /// Returns how many files are read, and how many there are to read.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.files_done.load(Ordering::Relaxed), self.files_total.load(Ordering::Relaxed))
    }
}

struct OpenedIndex {
    /// The folder: another one may take its name.
    folder: FileId,
    /// The state of `meta.json`, which each commit replaces.
    meta: u64,
    /// What the last commit says of itself.
    payload: String,
    directory: IndexDirectory,
    stored: StoredBlog,
}

/// The folder of all indexes, among the caches.
const INDEXES_DIR: &str = "blog";
const META_FILE: &str = "meta.json";
/// How long after a change an index counts as in use: longer than a person takes from one proposal to the next.
const IN_USE_TIME: Duration = Duration::from_secs(3);
const LOCK_FILE: &str = "update.lock";
/// What the payload of a commit ends with while the first index is made.
const PARTIAL: &str = ":partial";

impl BlogIndex {
    /// The index of a blog, whose identity is the path of its folder on this machine.
    pub(crate) fn new(source: Arc<BlogSource>, cache: CacheDir, identity: &str) -> Self {
        let (schema, fields) = BlogFields::build();
        let layout = if source.layout == BlogLayout::Bds { "bds" } else { "markdown" };
        let blog = format!("{:016x}", hash64(format!("{layout}:{identity}").as_bytes()));
        // Programs of several versions do not undo each other's work.
        let maker = hash64(format!("{DOCUMENTS_COMPONENT_ID} {}", tantivy::version_string()).as_bytes());
        // A folder that took the place of another one has other files under the same names, and a server with other settings
        // other documents: each has an index of its own.
        let inode = source.folder.stat_self().map_or(0, |stat| stat.file_id.inode);
        let defaults = (&source.defaults.language, &source.defaults.public_url);
        let content = hash64(format!("{inode} {defaults:?}").as_bytes());
        let version = format!("{blog}-v{INDEX_VERSION}-{maker:016x}-{content:016x}");
        Self {
            source,
            cache,
            path: format!("{INDEXES_DIR}/{version}"),
            blog,
            version,
            schema,
            fields,
            opened: Mutex::default(),
            progress: UpdateProgress::default(),
            is_compared: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    pub(crate) fn source(&self) -> &Arc<BlogSource> {
        &self.source
    }

    /// Returns what the folder of all indexes is called in messages.
    pub(crate) fn describe_indexes(&self) -> String {
        self.cache.describe(INDEXES_DIR)
    }

    /// Whether this process may write the index.
    pub(crate) fn is_read_only(&self) -> bool {
        self.cache.is_read_only()
    }

    pub(crate) const fn progress(&self) -> &UpdateProgress {
        &self.progress
    }

    /// Whether this process has compared the index with all files.
    pub(crate) fn is_compared(&self) -> bool {
        self.is_compared.load(Ordering::Acquire)
    }

    /// Returns why changes of files are not found at present, in words for clients; `None` where they are.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_failure(&self, reason: Option<String>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// Returns the state of the index at this moment, and whether that was ever complete.
    pub(crate) fn stored(&self) -> Result<(StoredBlog, bool), IndexError> {
        let (stored, payload) = self.stored_with_payload()?;
        Ok((stored, !payload.ends_with(PARTIAL)))
    }

    /// Returns the state of the index at this moment, and what its commit says of itself.
    fn stored_with_payload(&self) -> Result<(StoredBlog, String), IndexError> {
        let folder = self.open_store()?.ok_or(IndexError::Missing)?;
        let id = folder.stat_self()?.file_id;
        let meta = match folder.stat(META_FILE) {
            Ok(stat) => stat_hash(&stat),
            Err(AppDirError::NotFound(_)) => return Err(IndexError::Missing),
            Err(error) => return Err(error.into()),
        };
        let mut opened = self.lock_opened();
        if let Some(current) = opened.as_ref().filter(|opened| opened.meta == meta && opened.folder == id) {
            return Ok((current.stored.clone(), current.payload.clone()));
        }
        let directory = directory_of(opened.as_ref(), folder, id);
        let (reader, payload) = guarded(|| self.open_reader(&directory))?;
        // A new index has no payload before its first commit.
        let payload = payload.ok_or(IndexError::Missing)?;
        let stored = guarded(|| StoredBlog::new(reader.searcher(), self.fields))?;
        *opened = Some(OpenedIndex { folder: id, meta, payload: payload.clone(), directory, stored: stored.clone() });
        Ok((stored, payload))
    }

    /// Returns a number that differs once the index is another one, by a look at one file.
    pub(crate) fn version(&self) -> u64 {
        let stat = self.open_store().ok().flatten().and_then(|folder| folder.stat(META_FILE).ok());
        stat.map_or(0, |stat| stat_hash(&stat))
    }

    /// Adds what shows that the index changed: a digest of the documents that matter, or any commit.
    pub(crate) fn add_dependencies(&self, dependencies: &mut Dependencies, digest: Option<u64>) {
        let (root, path) = self.cache.locate(&self.path);
        match digest {
            Some(digest) => {
                dependencies.add_dir_path(root, &path);
                dependencies.add_digest(digest, None);
            }
            // Each commit replaces this file.
            None => dependencies.add_file(root, &format!("{path}/{META_FILE}")),
        }
        for file in SETTINGS_FILES {
            dependencies.add_file(&self.source.folder, file);
        }
    }

    /// Whether a process changed the index a moment ago, so that a further change is likely to come soon.
    pub(crate) fn is_in_use(&self) -> bool {
        let stat = self.open_store().ok().flatten().and_then(|folder| folder.stat(META_FILE).ok());
        let age = stat.and_then(|stat| stat.modified).and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age < IN_USE_TIME)
    }

    /// Returns the problems of all files, sorted.
    pub(crate) fn problems(&self) -> Result<Vec<FileProblem>, IndexError> {
        let (stored, _) = self.stored()?;
        let query = TermQuery::new(term(self.fields.kind, PROBLEM_KIND), IndexRecordOption::Basic);
        let mut problems: Vec<FileProblem> =
            guarded(|| stored.all(&query))?.into_iter().flat_map(|row| row.problems).collect();
        problems.sort();
        Ok(problems)
    }

    fn open_or_create(&self, directory: IndexDirectory) -> Result<Index, IndexError> {
        match Index::open(directory.clone()).map_err(IndexError::from) {
            Ok(index) if index.schema() == self.schema => Ok(index),
            Ok(_) => Err(IndexError::Damaged("it has other fields".to_owned())),
            Err(IndexError::Missing) => {
                // Small blocks: an answer reads the rows of fifty documents.
                let settings = IndexSettings { docstore_blocksize: 4096, ..IndexSettings::default() };
                Ok(Index::create(directory, self.schema.clone(), settings)?)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the reader of a commit. A writer may remove files of an older one meanwhile.
    fn open_reader(&self, directory: &IndexDirectory) -> Result<(IndexReader, Option<String>), IndexError> {
        const ATTEMPTS: usize = 5;
        let mut last = IndexError::Missing;
        for _ in 0..ATTEMPTS {
            let opened = Index::open(directory.clone()).map_err(IndexError::from).and_then(|index| {
                if index.schema() != self.schema {
                    return Err(IndexError::Damaged("it has other fields".to_owned()));
                }
                // The state may be that of a later commit, whose payload says the same.
                let reader = open_index_reader(&index)?;
                Ok((reader, index.load_metas()?.payload))
            });
            match opened {
                Ok(reader) => return Ok(reader),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn open_store(&self) -> Result<Option<Folder>, AppDirError> {
        match self.cache.open_folder(&self.path) {
            Ok(folder) => Ok(Some(folder)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn lock_opened(&self) -> MutexGuard<'_, Option<OpenedIndex>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs code that reads files which may be damaged: the library may panic then.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    let failed = |_| Err(IndexError::Damaged("its library failed".to_owned()));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(failed)
}

/// Returns the folder of the index, with the files that this process has open.
fn directory_of(opened: Option<&OpenedIndex>, folder: Folder, id: FileId) -> IndexDirectory {
    let known = opened.filter(|opened| opened.folder == id).map(|opened| opened.directory.clone());
    known.unwrap_or_else(|| IndexDirectory::new(folder))
}

/// Returns what documents depend on besides their files.
fn settings_digest(settings: &BlogSettings) -> String {
    let parts = BTreeMap::from([
        ("main_language", settings.main_language().unwrap_or_default()),
        ("public_url", settings.project.public_url.as_deref().unwrap_or_default()),
    ]);
    format!("{:016x}", hash64(format!("{parts:?}").as_bytes()))
}
