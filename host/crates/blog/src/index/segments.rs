//! The segments of the index: written by commits, merged, and opened.
//!
//! Owns: how many segments are merged and left, and what a reader keeps in memory.
//! Never: knows what a document says.

use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergePolicy};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy};

use super::error::IndexError;
use super::queue::QueuedDocument;

/// Segments of a new index that are merged at once. Their dictionaries are in memory then.
pub(super) const MERGED_SEGMENTS: usize = 20;
/// Segments up to which none are merged unless something else changes. Tests reach it with a few.
pub(super) const MAX_UNMERGED_SEGMENTS: usize = if cfg!(test) { 8 } else { 32 };
/// Segments from which on large ones are merged although the index is in use. Below that number only the smallest ones are, because
/// the answer to each accepted change waits for the lock.
pub(super) const MAX_SEGMENTS_IN_USE: usize = 64;
/// Segments from which on even an answer waits for the merging. Tests reach it with a few.
pub(super) const MAX_SEGMENTS: usize = if cfg!(test) { 16 } else { 96 };
/// Segments of a new index that are left.
const FINAL_SEGMENTS: usize = 3;

pub(super) fn commit(writer: &mut IndexWriter<QueuedDocument>, digest: &str) -> Result<(), IndexError> {
    let mut prepared = writer.prepare_commit()?;
    prepared.set_payload(digest);
    prepared.commit()?;
    Ok(())
}

/// Merges the smallest segments of a new index, so that few are left: each has a dictionary of its own, which takes memory,
/// and a look-up.
pub(super) fn merge_smallest(
    index: &Index,
    writer: IndexWriter<QueuedDocument>,
    options: IndexWriterOptions,
) -> Result<IndexWriter<QueuedDocument>, IndexError> {
    // What is merged already must end first.
    writer.wait_merging_threads()?;
    let mut writer: IndexWriter<QueuedDocument> = index.writer_with_options(options)?;
    let mut segments = index.searchable_segment_metas()?;
    segments.sort_by_key(SegmentMeta::num_docs);
    let merged: Vec<SegmentId> =
        segments.iter().map(SegmentMeta::id).take((segments.len() + 1).saturating_sub(FINAL_SEGMENTS)).collect();
    // Files are kept as long as someone may read them.
    drop(segments);
    if merged.len() > 1 {
        writer.merge(&merged).wait()?;
        writer.garbage_collect_files().wait()?;
    }
    Ok(writer)
}

/// Which segments an update of an index merges that others wait for: those of about one size. By default, all segments up to 10,000
/// documents count as equally small, so that eight changed posts would rewrite thousands of others, which takes a second.
pub(super) fn small_update_policy() -> Box<dyn MergePolicy> {
    const MIN_LAYER_DOCUMENTS: u32 = 64;
    let mut policy = LogMergePolicy::default();
    policy.set_min_layer_size(MIN_LAYER_DOCUMENTS);
    Box::new(policy)
}

/// Returns which segments are merged while the index is in use: those of a few posts. Each further segment costs every update the
/// time to open it.
pub(super) fn policy_in_use() -> Box<dyn MergePolicy> {
    const MAX_DOCUMENTS: usize = 32;
    const MIN_SEGMENTS: usize = 12;
    let mut policy = LogMergePolicy::default();
    policy.set_max_docs_before_merge(MAX_DOCUMENTS);
    policy.set_min_num_segments(MIN_SEGMENTS);
    Box::new(policy)
}

pub(super) fn open_index_reader(index: &Index) -> Result<IndexReader, IndexError> {
    const CACHED_BLOCKS: usize = 64;
    let builder = index.reader_builder().reload_policy(ReloadPolicy::Manual).num_warming_threads(0);
    Ok(builder.doc_store_cache_num_blocks(CACHED_BLOCKS).try_into()?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::time::SystemTime;

    use tantivy::TantivyDocument;
    use tantivy::schema::Schema;

    use super::*;
    use crate::index::crash_tests::{ScratchBlog, index_files};
    use crate::index::{IN_USE_TIME, META_FILE, UpdateScope};

    #[test]
    fn changed_posts_are_merged_without_others() -> tantivy::Result<()> {
        const BUFFER_BYTES: usize = 15_000_000;
        let index = Index::create_in_ram(Schema::builder().build());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, BUFFER_BYTES)?;
        writer.set_merge_policy(small_update_policy());
        for count in [5_000, 1, 1, 1, 1, 1, 1, 1, 1] {
            for _ in 0..count {
                writer.add_document(TantivyDocument::default())?;
            }
            writer.commit()?;
        }
        writer.wait_merging_threads()?;
        let mut sizes: Vec<u32> = index.searchable_segment_metas()?.iter().map(SegmentMeta::num_docs).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [8, 5_000]);
        Ok(())
    }

    /// An update of single files leaves its segment to a look at the folders after the index was in use.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "gives a file of a real folder another time")]
    fn look_at_unchanged_folders_merges_what_single_files_left() {
        let blog = ScratchBlog::new();
        blog.write_post("one", "first");
        blog.update(&UpdateScope::Everything);
        let n_segments = || {
            index_files(&blog.app()).iter().filter(|file| file.extension().is_some_and(|end| end == "store")).count()
        };
        for number in 0..=MAX_UNMERGED_SEGMENTS {
            blog.write_post("one", &format!("post{number}"));
            blog.update(&UpdateScope::Files(BTreeSet::from([format!("posts/one/post{number}.md")])));
        }
        assert!(n_segments() >= MAX_UNMERGED_SEGMENTS, "{}", n_segments());
        let folders = UpdateScope::Folders(BTreeSet::from(["posts/one".to_owned()]));
        blog.update(&folders);
        assert!(n_segments() >= MAX_UNMERGED_SEGMENTS, "{}", n_segments());
        let files = index_files(&blog.app());
        let meta = files.iter().find(|file| file.ends_with(META_FILE)).unwrap();
        fs::File::options().write(true).open(meta).unwrap().set_modified(SystemTime::now() - 2 * IN_USE_TIME).unwrap();
        blog.update(&folders);
        assert!(n_segments() < MAX_UNMERGED_SEGMENTS / 2, "{}", n_segments());
    }
}
