//! How the index is brought up to date: looks that change nothing, and updates under the lock.
//!
//! Owns: the lock under which one process at a time writes; which files an update compares; what is committed when; and when
//! segments are merged.
//! Never: takes the lock to find that nothing changed, because other processes wait for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::thread;

use tantivy::IndexWriter;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};

use super::batches::{read_ahead, split_batches};
use super::compare::Comparison;
use super::directory::IndexDirectory;
use super::document::DocumentBuilder;
use super::error::IndexError;
use super::queue::QueuedDocument;
use super::scan::Scan;
use super::segments::{
    MAX_SEGMENTS, MAX_SEGMENTS_IN_USE, MAX_UNMERGED_SEGMENTS, MERGED_SEGMENTS, commit, merge_smallest,
    open_index_reader, policy_in_use, small_update_policy,
};
use super::stored::StoredBlog;
use super::tokenizer::{BlogTokenizer, TOKENIZER};
use super::update::UpdateSession;
use super::{BlogIndex, LOCK_FILE, PARTIAL, directory_of, guarded, settings_digest};
use crate::content::project::BlogSettings;
use crate::content::read_file::FileReader;
use crate::limits::{INDEX_BATCH_FILES, INDEX_BUFFER_BYTES, INDEX_COMMIT_FILES};
use wardroom_appdir::{AppDirError, Folder, UnfencedLock};

/// Which files an update compares with the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpdateScope {
    Everything,
    /// Everything, and each file is read whether it changed or not.
    Rebuild,
    /// These folders, and what is below them.
    Folders(BTreeSet<String>),
    /// These files, whether they changed or are gone. An answer waits for this update.
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

/// Files after which a first index is committed. Tests reach it with one.
const COMMIT_FILES: usize = if cfg!(test) { 1 } else { INDEX_COMMIT_FILES };
/// Threads that index the documents of a large update.
const INDEX_THREADS: usize = 2;
/// Files up to which an update needs little memory.
const SMALL_UPDATE_FILES: usize = 1_000;
/// The smallest buffer that the index's library accepts.
const SMALL_BUFFER_BYTES: usize = 15_000_000;

impl BlogIndex {
    /// Compares files with the index, and brings it up to date. `visit` gets each folder before it is listed.
    pub(crate) fn update(
        &self,
        scope: &UpdateScope,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Result<UpdateSummary, IndexError> {
        let (summary, merging) = self.update_and_merge(scope, visit)?;
        merging.map_or(Ok(()), Merging::finish)?;
        if matches!(scope, UpdateScope::Everything | UpdateScope::Rebuild)
            && let Err(error) = self.remove_old_versions()
        {
            tracing::warn!(%error, "indexes of older versions stay");
        }
        Ok(summary)
    }

    /// Brings the index up to date with some files before an answer, which does not wait for the merging. Another process that
    /// updates the index at this moment sees these files too.
    pub(crate) fn update_files(&self, files: impl IntoIterator<Item = String>) {
        let files: BTreeSet<String> = files.into_iter().collect();
        if files.is_empty() {
            return;
        }
        match self.update_and_merge(&UpdateScope::Files(files), &mut |_, _| {}) {
            Ok((_, None)) => {}
            Ok((_, Some(merging))) if merging.is_overdue => {
                if let Err(error) = merging.finish() {
                    tracing::debug!(%error, "segments of the blog's index are merged later");
                }
            }
            Ok((_, Some(merging))) => merging.finish_later(),
            Err(error) => tracing::debug!(%error, "the index of the blog is brought up to date later"),
        }
    }

    fn update_and_merge(
        &self,
        scope: &UpdateScope,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Result<(UpdateSummary, Option<Merging>), IndexError> {
        let updated = match guarded(|| self.try_update(scope, visit)) {
            Err(IndexError::Damaged(_) | IndexError::Failed(_)) if self.remove_if_damaged()? => {
                guarded(|| self.try_update(&UpdateScope::Everything, visit))
            }
            updated => updated,
        }?;
        if *scope == UpdateScope::Everything {
            self.is_compared.store(true, Ordering::Release);
            self.set_failure(None);
        }
        Ok(updated)
    }

    fn try_update(
        &self,
        scope: &UpdateScope,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Result<(UpdateSummary, Option<Merging>), IndexError> {
        let folder = match self.cache.create_folder(&self.path) {
            Err(AppDirError::ReadOnly(_) | AppDirError::ReadOnlyDisk(_)) => return Err(IndexError::Missing),
            created => created?,
        };
        let settings = BlogSettings::read_all(&self.source.folder, &self.source.defaults);
        let settings = settings.map_err(IndexError::Settings)?;
        let digest = settings_digest(&settings);
        let is_in_use = matches!(scope, UpdateScope::Files(_)) || self.is_in_use();
        let mut scan = self.scan(scope, visit);
        if let Some(summary) = self.find_nothing(scope, &scan, &digest, is_in_use)? {
            return Ok((summary, None));
        }
        let lock = lock(&folder)?;
        let id = folder.stat_self()?.file_id;
        let directory = directory_of(self.lock_opened().as_ref(), folder.clone(), id);
        let mut index = self.open_or_create(directory.for_update())?;
        let payload = index.load_metas()?.payload.unwrap_or_default();
        let was_partial = payload.ends_with(PARTIAL);
        let is_same = payload.trim_end_matches(PARTIAL) == digest && *scope != UpdateScope::Rebuild;
        let before = open_index_reader(&index)?.searcher();
        let n_documents = before.num_docs();
        let n_segments = before.segment_readers().len();
        let is_scattered = has_too_many_segments(n_segments, is_in_use);
        let before = Some(before).filter(|_| is_same && n_documents > 0);
        let mut scope = scope;
        if before.is_none() && !matches!(scope, UpdateScope::Everything | UpdateScope::Rebuild) {
            // Without an index there is nothing to compare a part with.
            scope = &UpdateScope::Everything;
            scan = self.scan(scope, visit);
        }
        let stored = before.clone().map(|searcher| StoredBlog::new(searcher, self.fields)).transpose()?;
        let comparison = self.compare(scope, &scan, stored.as_ref())?;
        let is_whole_scope = matches!(scope, UpdateScope::Everything | UpdateScope::Rebuild);
        let is_unchanged = comparison.is_empty() && is_same && !(was_partial && is_whole_scope);
        let mut summary = UpdateSummary::new(&scan, &comparison);
        if is_unchanged && (matches!(scope, UpdateScope::Files(_)) || !is_scattered) {
            return Ok((summary, None));
        }
        let Comparison { changed, gone, .. } = comparison;
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
        } else if is_in_use && !is_scattered {
            writer.set_merge_policy(policy_in_use());
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
        // Some files say nothing of the others, which an interrupted update has left out.
        let is_whole = !was_partial || is_whole_scope;
        commit(&mut writer, &if is_whole { digest } else { format!("{digest}{PARTIAL}") })?;
        if is_new {
            writer = merge_smallest(&index, writer, options)?;
        }
        Ok((summary, Some(Merging { writer, is_overdue: n_segments >= MAX_SEGMENTS, _lock: lock })))
    }

    /// Returns what a look found, if that is nothing for which the index has to change.
    fn find_nothing(
        &self,
        scope: &UpdateScope,
        scan: &Scan,
        digest: &str,
        is_in_use: bool,
    ) -> Result<Option<UpdateSummary>, IndexError> {
        if matches!(scope, UpdateScope::Rebuild | UpdateScope::Files(_)) {
            return Ok(None);
        }
        let (stored, payload) = match self.stored_with_payload() {
            // It is made under the lock.
            Err(IndexError::Missing) => return Ok(None),
            stored => stored?,
        };
        if payload != digest || has_too_many_segments(stored.n_segments(), is_in_use) {
            return Ok(None);
        }
        let comparison = self.compare(scope, scan, Some(&stored))?;
        Ok(comparison.is_empty().then(|| UpdateSummary::new(scan, &comparison)))
    }
}

/// The merging of segments that an update began, under its lock. A process that ends meanwhile leaves the segments as they were.
struct Merging {
    writer: IndexWriter<QueuedDocument>,
    /// Earlier mergings were given up, as those of commands that end after their answer.
    is_overdue: bool,
    _lock: UnfencedLock,
}

impl Merging {
    fn finish(self) -> Result<(), IndexError> {
        guarded(|| Ok(self.writer.wait_merging_threads()?))
    }

    fn finish_later(self) {
        let finish = || {
            if let Err(error) = self.finish() {
                tracing::debug!(%error, "segments of the blog's index are merged later");
            }
        };
        // Without a thread the merging ends with the writer.
        if let Err(error) = thread::Builder::new().name("blog-merging".into()).spawn(finish) {
            tracing::debug!(%error, "segments of the blog's index are merged later");
        }
    }
}

impl UpdateSummary {
    fn new(scan: &Scan, comparison: &Comparison) -> Self {
        Self {
            n_changed: comparison.changed.len(),
            n_files: scan.folders.values().map(Vec::len).sum(),
            unsettled: comparison.unsettled.clone(),
            failures: scan.failures.clone(),
        }
    }
}

/// Whether an index has so many segments that an update merges some. While it is in use, more of them may be left.
const fn has_too_many_segments(n_segments: usize, is_in_use: bool) -> bool {
    n_segments >= if is_in_use { MAX_SEGMENTS_IN_USE } else { MAX_UNMERGED_SEGMENTS }
}

/// Takes the lock of the index, without a fence: the library of the index commits in its own threads, and a torn index is made
/// again.
pub(super) fn lock(folder: &Folder) -> Result<UnfencedLock, IndexError> {
    folder.lock_unfenced(LOCK_FILE).map_err(|error| match error {
        AppDirError::Locked(_) => IndexError::Busy,
        error => error.into(),
    })
}
