//! The index of a blog: a cache of what its files say, which every process on the AppDir may use and bring up to date.
//!
//! Owns: a folder below `cache/`, whose files are made again whenever they are missing, damaged or of another version; the
//! lock under which one process at a time writes; and the comparison of the index with the files.
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
mod written;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Schema};
use tantivy::{Index, IndexReader, IndexSettings, IndexWriter};

use self::batches::{read_ahead, split_batches};
use self::compare::Comparison;
use self::directory::IndexDirectory;
use self::document::DocumentBuilder;
use self::queue::QueuedDocument;
use self::schema::{BlogFields, INDEX_VERSION, PROBLEM_KIND, term};
use self::segments::{
    MAX_SEGMENTS_OF_FILES, MAX_UNMERGED_SEGMENTS, MERGED_SEGMENTS, commit, merge_smallest, open_index_reader,
    small_update_policy,
};
use self::stored::StoredBlog;
use self::tokenizer::{BlogTokenizer, TOKENIZER};
use self::update::UpdateSession;
use crate::content::project::{BlogSettings, SETTINGS_FILES};
use crate::content::read_file::{FileReader, hash64, stat_hash};
use crate::content::{BlogDefaults, BlogLayout, FileProblem};
use crate::limits::{INDEX_BATCH_FILES, INDEX_BUFFER_BYTES, INDEX_COMMIT_FILES};
use crate::proposals::decided_cache::DecidedCache;
use crate::proposals::pending_cache::PendingCache;
use wardroom_appdir::{AppDirError, CacheDir, FileId, Folder};
use wardroom_sandbox::{DOCUMENTS_COMPONENT_ID, DocumentSandbox};
use wardroom_service::Dependencies;

pub(crate) use self::error::IndexError;
pub(crate) use self::group::{media_key, post_key};

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
    is_complete: bool,
    directory: IndexDirectory,
    stored: StoredBlog,
}

/// Which files an update compares with the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpdateScope {
    Everything,
    /// Everything, and each file is read whether it changed or not.
    Rebuild,
    /// These folders, and what is below them.
    Folders(BTreeSet<String>),
    /// These files, whether they changed or are gone.
    Files(BTreeSet<String>),
}

/// What an update found.
#[derive(Debug, Default)]
pub(crate) struct UpdateSummary {
    /// Files that were read.
    pub(crate) n_changed: usize,
    /// All files that were compared.
    pub(crate) n_files: usize,
    /// The folders with files that changed a moment ago: they may change again without a trace.
    pub(crate) unsettled: BTreeSet<String>,
    /// Folders that could not be listed.
    pub(crate) failures: Vec<(String, String)>,
}

/// The folder of all indexes, among the caches.
const INDEXES_DIR: &str = "blog";
const META_FILE: &str = "meta.json";
const LOCK_FILE: &str = "update.lock";
/// What the payload of a commit ends with while the first index is made.
const PARTIAL: &str = ":partial";
/// Files after which a first index is committed. Tests reach it with one.
const COMMIT_FILES: usize = if cfg!(test) { 1 } else { INDEX_COMMIT_FILES };
/// Threads that index the documents of a large update.
const INDEX_THREADS: usize = 2;
/// Files up to which an update needs little memory.
const SMALL_UPDATE_FILES: usize = 1_000;
/// The smallest buffer that the index's library accepts.
const SMALL_BUFFER_BYTES: usize = 15_000_000;

impl BlogIndex {
    /// The index of a blog, whose identity is the path of its folder on this machine.
    pub(crate) fn new(source: Arc<BlogSource>, cache: CacheDir, identity: &str) -> Self {
        let (schema, fields) = BlogFields::build();
        let layout = if source.layout == BlogLayout::Bds { "bds" } else { "markdown" };
        let blog = format!("{:016x}", hash64(format!("{layout}:{identity}").as_bytes()));
        // Programs of several versions do not undo each other's work.
        let maker = hash64(format!("{DOCUMENTS_COMPONENT_ID} {}", tantivy::version_string()).as_bytes());
        let version = format!("{blog}-v{INDEX_VERSION}-{maker:016x}");
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

    /// Returns the state of the index at this moment, and whether that was ever complete.
    pub(crate) fn stored(&self) -> Result<(StoredBlog, bool), IndexError> {
        let folder = self.open_store()?.ok_or(IndexError::Missing)?;
        let id = folder.stat_self()?.file_id;
        let meta = match folder.stat(META_FILE) {
            Ok(stat) => stat_hash(&stat),
            Err(AppDirError::NotFound(_)) => return Err(IndexError::Missing),
            Err(error) => return Err(error.into()),
        };
        let mut opened = self.lock_opened();
        if let Some(current) = opened.as_ref().filter(|opened| opened.meta == meta && opened.folder == id) {
            return Ok((current.stored.clone(), current.is_complete));
        }
        let directory = directory_of(opened.as_ref(), folder, id);
        let (reader, payload) = guarded(|| self.open_reader(&directory))?;
        // A new index has no payload before its first commit.
        let payload = payload.ok_or(IndexError::Missing)?;
        let is_complete = !payload.ends_with(PARTIAL);
        let stored = guarded(|| StoredBlog::new(reader.searcher(), self.fields))?;
        *opened = Some(OpenedIndex { folder: id, meta, is_complete, directory, stored: stored.clone() });
        Ok((stored, is_complete))
    }

    /// Returns a number that differs once the index is another one, by a look at one file.
    pub(crate) fn version(&self) -> u64 {
        let stat = self.open_store().ok().flatten().and_then(|folder| folder.stat(META_FILE).ok());
        stat.map_or(0, |stat| stat_hash(&stat))
    }

    /// Compares files with the index, and brings it up to date. `visit` gets each folder before it is listed.
    pub(crate) fn update(
        &self,
        scope: &UpdateScope,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Result<UpdateSummary, IndexError> {
        let updated = match guarded(|| self.try_update(scope, visit)) {
            Err(IndexError::Damaged(_) | IndexError::Failed(_)) if self.remove_if_damaged()? => {
                guarded(|| self.try_update(&UpdateScope::Everything, visit))
            }
            updated => updated,
        }?;
        if *scope != UpdateScope::Everything {
            return Ok(updated);
        }
        self.is_compared.store(true, Ordering::Release);
        Ok(updated)
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

    /// Returns the problems of all files, sorted.
    pub(crate) fn problems(&self) -> Result<Vec<FileProblem>, IndexError> {
        let (stored, _) = self.stored()?;
        let query = TermQuery::new(term(self.fields.kind, PROBLEM_KIND), IndexRecordOption::Basic);
        let mut problems: Vec<FileProblem> =
            guarded(|| stored.all(&query))?.into_iter().flat_map(|row| row.problems).collect();
        problems.sort();
        Ok(problems)
    }

    fn try_update(
        &self,
        scope: &UpdateScope,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Result<UpdateSummary, IndexError> {
        let folder = match self.cache.create_folder(&self.path) {
            Err(AppDirError::ReadOnly(_)) => return Err(IndexError::Missing),
            created => created?,
        };
        let _lock = lock(&folder)?;
        let settings = BlogSettings::read(&self.source.folder, &self.source.defaults);
        let digest = settings_digest(&settings);
        let id = folder.stat_self()?.file_id;
        let directory = directory_of(self.lock_opened().as_ref(), folder.clone(), id);
        let mut index = self.open_or_create(directory.for_update())?;
        let payload = index.load_metas()?.payload.unwrap_or_default();
        let was_partial = payload.ends_with(PARTIAL);
        let is_same = payload.trim_end_matches(PARTIAL) == digest && *scope != UpdateScope::Rebuild;
        let reader = open_index_reader(&index)?;
        let (n_documents, n_segments) = (reader.searcher().num_docs(), reader.searcher().segment_readers().len());
        let before = Some(reader.searcher()).filter(|_| is_same && n_documents > 0);
        // Without an index there is nothing to compare a part with.
        let scope = if before.is_none() { &UpdateScope::Everything } else { scope };
        let scan = self.scan(scope, visit);
        let mut summary = UpdateSummary {
            n_files: scan.folders.values().map(Vec::len).sum(),
            failures: scan.failures.clone(),
            ..UpdateSummary::default()
        };
        let Comparison { changed, gone, unsettled } = self.compare(scope, scan, before.as_ref())?;
        (summary.n_changed, summary.unsettled) = (changed.len(), unsettled);
        let is_of_files = matches!(scope, UpdateScope::Files(_));
        let is_scattered = n_segments >= if is_of_files { MAX_SEGMENTS_OF_FILES } else { MAX_UNMERGED_SEGMENTS };
        let is_unchanged = changed.is_empty() && gone.is_empty() && is_same && !was_partial;
        if is_unchanged && (is_of_files || !is_scattered) {
            return Ok(summary);
        }
        self.progress.files_total.store(changed.len(), Ordering::Relaxed);
        self.progress.files_done.store(0, Ordering::Relaxed);
        let (buffer, threads) = if changed.len() > SMALL_UPDATE_FILES {
            // Large segments are going to be merged.
            index = self.open_or_create(IndexDirectory::for_writing(folder))?;
            (INDEX_BUFFER_BYTES, INDEX_THREADS)
        } else {
            (SMALL_BUFFER_BYTES, 1)
        };
        index.tokenizers().register(TOKENIZER, BlogTokenizer::default());
        let options = IndexWriterOptions::builder().memory_budget_per_thread(buffer).num_worker_threads(threads);
        let options = options.num_merge_threads(1).build();
        let mut writer: IndexWriter<QueuedDocument> = index.writer_with_options(options.clone())?;
        if !is_same {
            writer.delete_all_documents()?;
        }
        let is_new = before.is_none();
        if is_new {
            // Each post is merged twice at most: many segments at once.
            let mut policy = LogMergePolicy::default();
            policy.set_min_num_segments(MERGED_SEGMENTS);
            writer.set_merge_policy(Box::new(policy));
        } else if is_of_files && !is_scattered {
            writer.set_merge_policy(Box::new(NoMergePolicy));
        } else {
            writer.set_merge_policy(small_update_policy());
        }
        let reader = FileReader {
            blog: &self.source.folder,
            layout: self.source.layout,
            sandbox: &self.source.sandbox,
            public_url: settings.project.public_url.as_deref(),
        };
        let builder = DocumentBuilder { fields: &self.fields, main_language: settings.main_language() };
        let mut session = UpdateSession::new(reader, builder, before);
        for batch in gone.chunks(INDEX_BATCH_FILES) {
            session.apply(&writer, batch, &HashMap::new())?;
        }
        // Others see a part only of an index that was never whole.
        let may_be_partial = was_partial || n_documents == 0;
        let mut uncommitted = 0;
        read_ahead(reader, split_batches(changed), |batch, read| {
            session.apply(&writer, batch, &read)?;
            self.progress.files_done.fetch_add(batch.len(), Ordering::Relaxed);
            uncommitted += batch.len();
            if may_be_partial && uncommitted >= COMMIT_FILES {
                commit(&mut writer, &format!("{digest}{PARTIAL}"))?;
                uncommitted = 0;
            }
            Ok(())
        })?;
        summary.unsettled.extend(session.unsettled_folders());
        commit(&mut writer, &digest)?;
        writer = if is_new { merge_smallest(&index, writer, options)? } else { writer };
        writer.wait_merging_threads()?;
        if let Err(error) = self.remove_old_versions() {
            tracing::warn!(%error, "indexes of older versions stay");
        }
        Ok(summary)
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

fn lock(folder: &Folder) -> Result<wardroom_appdir::FileLock, IndexError> {
    folder.lock(LOCK_FILE).map_err(|error| match error {
        AppDirError::Locked(_) => IndexError::Busy,
        error => error.into(),
    })
}

/// Returns what documents depend on besides their files.
fn settings_digest(settings: &BlogSettings) -> String {
    let parts = BTreeMap::from([
        ("main_language", settings.main_language().unwrap_or_default()),
        ("public_url", settings.project.public_url.as_deref().unwrap_or_default()),
    ]);
    format!("{:016x}", hash64(format!("{parts:?}").as_bytes()))
}
