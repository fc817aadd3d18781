//! JSON Lines files: reads any page of rows at a cost that depends on the page, not on the file, visits rows one after
//! the other, follows files that grow, and appends rows.
//!
//! Owns: which lines are rows (those that are not blank), where they begin, and the cache of line indexes.
//! Never: parses a row, or reads on after the caller cancelled.

mod append;
mod chunk_reader;
mod follow;
mod index;
mod index_file;
mod page;
mod visit;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use self::chunk_reader::ChunkReader;
use self::index::LineIndex;
use super::{AppDirError, FileId, Folder, Stat};
use crate::limits::{LINE_INDEX_FILE_MIN_BYTES, MAX_CACHED_LINE_INDEXES, MAX_INLINE_SCAN_BYTES, MAX_JSONL_FILE_BYTES};

pub use self::follow::{FollowedRow, RowFollower};
pub use self::page::{RowPage, RowPageRequest};
pub use self::visit::VisitedRow;

/// The line indexes of recently read files, in memory and as files in a cache folder.
pub struct LineIndexCache {
    /// Stores the indexes between processes. Without it, a new process scans each large file once.
    cache: Option<Folder>,
    entries: Mutex<HashMap<FileId, CachedIndex>>,
}

struct CachedIndex {
    index: Arc<LineIndex>,
    /// Grows with each use of any index: the lowest is the least recently used.
    last_used: u64,
}

impl LineIndexCache {
    #[must_use]
    pub fn new(cache: Option<Folder>) -> Self {
        Self { cache, entries: Mutex::new(HashMap::new()) }
    }

    /// Reads rows of `name`, and calls `stop` before each chunk that is read.
    ///
    /// # Errors
    /// When the file does not exist or is larger than [`MAX_JSONL_FILE_BYTES`], or a row is too long, and
    /// [`AppDirError::Cancelled`] once `stop` returns true.
    pub fn read_page(
        &self,
        folder: &Folder,
        name: &str,
        request: RowPageRequest,
        stop: &dyn Fn() -> bool,
    ) -> Result<RowPage, AppDirError> {
        let (file, stat) = open_jsonl_file(folder, name, stop)?;
        let index = self.current_index(&file, stat)?;
        match page::read_page(&file, &index, request) {
            // The index does not fit, or the file was truncated since it was opened. The current file decides.
            Err(AppDirError::ChangedDuringRead(_)) => {
                let (file, stat) = open_jsonl_file(folder, name, stop)?;
                let index = self.rebuild_index(&file, stat)?;
                page::read_page(&file, &index, request)
            }
            read => read,
        }
    }

    /// Reads a page as [`Self::read_page`] does, but only if that takes no more than reading the page, and all of its
    /// rows fit; else `None`.
    ///
    /// # Errors
    /// As [`Self::read_page`].
    pub fn read_page_if_indexed(
        &self,
        folder: &Folder,
        name: &str,
        request: RowPageRequest,
    ) -> Result<Option<RowPage>, AppDirError> {
        let (file, stat) = open_jsonl_file(folder, name, &|| false)?;
        let Some(index) = self.cached_index(stat.file_id).filter(|known| known.is_current(stat)) else {
            return Ok(None);
        };
        let RowPageRequest { offset, limit, max_bytes } = request;
        let last_span = if index.is_unterminated { index.span_bytes(index.rows.saturating_sub(1), 1) } else { 0 };
        if index.span_bytes(offset, limit as u64).max(last_span) > MAX_INLINE_SCAN_BYTES {
            return Ok(None);
        }
        let page = match page::read_page(&file, &index, request) {
            Err(AppDirError::ChangedDuringRead(_)) => return Ok(None),
            read => read?,
        };
        let whole = index.rows.saturating_sub(offset).min(limit as u64);
        let is_light = page.unterminated_row.as_ref().is_none_or(|last| last.len() <= max_bytes);
        Ok(Some(page).filter(|page| is_light && page.rows.len() as u64 == whole))
    }

    /// Returns the index of an open file: the cached one if it still fits, extended if the file grew, else a new one.
    fn current_index(&self, file: &ChunkReader<'_>, stat: Stat) -> Result<Arc<LineIndex>, AppDirError> {
        let known = self.cached_index(stat.file_id).or_else(|| self.load_index(stat));
        if let Some(known) = &known
            && known.is_current(stat)
        {
            self.cache_index(stat.file_id, known);
            return Ok(Arc::clone(known));
        }
        let index = match known.map(|known| known.try_extend(file, stat)).transpose()?.flatten() {
            Some(extended) => extended,
            None => LineIndex::build(file, stat)?,
        };
        Ok(self.store_index(index, stat))
    }

    /// Builds a new index of an open file, ignoring cached ones.
    fn rebuild_index(&self, file: &ChunkReader<'_>, stat: Stat) -> Result<Arc<LineIndex>, AppDirError> {
        Ok(self.store_index(LineIndex::build(file, stat)?, stat))
    }

    fn store_index(&self, index: LineIndex, stat: Stat) -> Arc<LineIndex> {
        let index = Arc::new(index);
        self.cache_index(stat.file_id, &index);
        self.save_index(&index, stat);
        index
    }

    fn cached_index(&self, identity: FileId) -> Option<Arc<LineIndex>> {
        let known = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&identity).map(|known| Arc::clone(&known.index))
    }

    fn cache_index(&self, identity: FileId, index: &Arc<LineIndex>) {
        let mut known = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let used = known.values().map(|known| known.last_used).max().unwrap_or(0) + 1;
        known.insert(identity, CachedIndex { index: Arc::clone(index), last_used: used });
        if known.len() > MAX_CACHED_LINE_INDEXES
            && let Some(oldest) = known.iter().min_by_key(|(_, known)| known.last_used).map(|(identity, _)| *identity)
        {
            known.remove(&oldest);
        }
    }

    fn load_index(&self, stat: Stat) -> Option<Arc<LineIndex>> {
        if stat.len < LINE_INDEX_FILE_MIN_BYTES {
            return None;
        }
        index_file::load(self.cache.as_ref()?, stat).map(Arc::new)
    }

    /// Saves an index if it is large. A failure only costs time later.
    fn save_index(&self, index: &LineIndex, stat: Stat) {
        if stat.len < LINE_INDEX_FILE_MIN_BYTES {
            return;
        }
        if let Some(cache) = &self.cache
            && let Err(error) = index_file::save(cache, stat.file_id, index)
        {
            tracing::debug!(%error, "cannot save the line index");
        }
    }
}

/// Opens a JSON Lines file within the size limit.
fn open_jsonl_file<'s>(
    folder: &Folder,
    name: &str,
    stop: &'s dyn Fn() -> bool,
) -> Result<(ChunkReader<'s>, Stat), AppDirError> {
    let (file, stat) = folder.open_file(name)?;
    if stat.len > MAX_JSONL_FILE_BYTES {
        return Err(AppDirError::TooLarge { name: name.into(), len: stat.len, limit: MAX_JSONL_FILE_BYTES });
    }
    Ok((ChunkReader::new(file, name, stop), stat))
}
