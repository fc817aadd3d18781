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
/// Segments up to which none are merged but by an update of many files.
pub(super) const MAX_UNMERGED_SEGMENTS: usize = 32;
/// Segments up to which an update of single files leaves merging to the next look at the folders: a person who accepts a
/// change waits for the former.
pub(super) const MAX_SEGMENTS_OF_FILES: usize = 48;
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

pub(super) fn open_index_reader(index: &Index) -> Result<IndexReader, IndexError> {
    const CACHED_BLOCKS: usize = 64;
    let builder = index.reader_builder().reload_policy(ReloadPolicy::Manual).num_warming_threads(0);
    Ok(builder.doc_store_cache_num_blocks(CACHED_BLOCKS).try_into()?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tantivy::TantivyDocument;
    use tantivy::schema::Schema;

    use super::*;
    use crate::index::UpdateScope;
    use crate::index::crash_tests::{ScratchBlog, index_files};

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

    /// Updates of single files leave their segments to the next look at the folders, which has nothing else to do.
    #[test]
    fn look_at_unchanged_folders_merges_what_single_files_left() {
        let blog = ScratchBlog::new();
        blog.write_post("one", "first");
        blog.update(&UpdateScope::Everything);
        let n_segments = || {
            index_files(&blog.app()).iter().filter(|file| file.extension().is_some_and(|end| end == "store")).count()
        };
        for number in 0..MAX_UNMERGED_SEGMENTS {
            blog.write_post("one", &format!("post{number}"));
            blog.update(&UpdateScope::Files(BTreeSet::from([format!("posts/one/post{number}.md")])));
        }
        assert!(n_segments() >= MAX_UNMERGED_SEGMENTS, "{}", n_segments());
        blog.update(&UpdateScope::Folders(BTreeSet::from(["posts/one".to_owned()])));
        assert!(n_segments() < MAX_UNMERGED_SEGMENTS / 2, "{}", n_segments());
    }
}
