//! The state that all indices share in one scan.
//!
//! Owns: the totals, and the files that entries name: each is read once, however many entries name it. A file that does
//! not fit is refused before it is read.

use std::collections::HashMap;
use std::sync::Arc;

use super::report::SchemaCache;
use crate::limits::{MAX_REGISTRY_ENTRIES, MAX_REGISTRY_SOURCE_BYTES, MAX_REGISTRY_VALUES};
use wardroom_appdir::{AppDirError, FileId, Folder, Stat};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::limits::MAX_SOURCE_BYTES;

/// The state of the current scan, and the parts of the last scan that can be reused.
pub(super) struct ScanCache {
    pub(super) schemas: SchemaCache,
    pub(super) sources: SourceCache,
    /// How many more entries, and values of YAML, are allowed.
    pub(super) remaining_entries: usize,
    pub(super) remaining_values: usize,
    /// Whether something was not read because too many files were open.
    pub(super) has_hit_file_limit: bool,
}

#[derive(Default)]
pub(super) struct SourceCache {
    previous: HashMap<FileId, CachedSource>,
    current: HashMap<FileId, CachedSource>,
    /// The size of all used files, in bytes.
    used_bytes: usize,
}

/// A file that an entry names, as it was read.
#[derive(Debug, Clone)]
pub(super) struct CachedSource {
    pub(super) stat: Stat,
    /// Whether a further change shows.
    pub(super) is_settled: bool,
    pub(super) text: Option<Arc<str>>,
}

impl Default for ScanCache {
    fn default() -> Self {
        Self {
            schemas: SchemaCache::default(),
            sources: SourceCache::default(),
            remaining_entries: MAX_REGISTRY_ENTRIES,
            remaining_values: MAX_REGISTRY_VALUES,
            has_hit_file_limit: false,
        }
    }
}

impl ScanCache {
    /// Ends a scan: what it used can be reused in the next one.
    pub(super) fn next_generation(&mut self) {
        let mut schemas = std::mem::take(&mut self.schemas);
        schemas.next_generation();
        let known = std::mem::take(&mut self.sources.current);
        *self = Self { schemas, sources: SourceCache { previous: known, ..SourceCache::default() }, ..Self::default() };
    }
}

impl SourceCache {
    /// Whether a file fits beside the used ones. A used file fits.
    pub(super) fn has_capacity_for(&self, stat: &Stat) -> bool {
        let is_used = self.current.get(&stat.file_id).is_some_and(|kept| kept.stat == *stat);
        is_used
            || usize::try_from(stat.len)
                .is_ok_and(|len| len <= MAX_REGISTRY_SOURCE_BYTES.saturating_sub(self.used_bytes))
    }

    /// Reuses a text. Returns whether it fits.
    pub(super) fn retain(&mut self, kept: &CachedSource) -> bool {
        let Some(text) = &kept.text else { return true };
        let fits = self.has_capacity_for(&kept.stat);
        if fits && !self.current.get(&kept.stat.file_id).is_some_and(|used| used.stat == kept.stat) {
            self.used_bytes += text.len();
            self.current.insert(kept.stat.file_id, kept.clone());
        }
        fits
    }

    /// Returns the text of a file that has this status, as far as known.
    pub(super) fn load_text(
        &mut self,
        folder: &Folder,
        path: &str,
        stat: Option<Stat>,
    ) -> Result<Arc<str>, AppDirError> {
        let Some(stat) = stat else {
            // The read returns the reason.
            return folder.read_text(path, MAX_SOURCE_BYTES).map(|(text, _)| text.into());
        };
        let used = self.current.get(&stat.file_id).filter(|kept| kept.stat == stat);
        let known = self.previous.get(&stat.file_id).filter(|kept| kept.is_settled && kept.stat == stat);
        if let Some(text) = used.and_then(|kept| kept.text.clone()) {
            return Ok(text);
        }
        let text: Arc<str> = match known.and_then(|kept| kept.text.clone()) {
            Some(text) => text,
            None => folder.read_text(path, MAX_SOURCE_BYTES)?.0.into(),
        };
        self.retain(&CachedSource { stat, is_settled: stat.is_settled(), text: Some(Arc::clone(&text)) });
        Ok(text)
    }
}

/// Returns why an existing file is refused.
pub(super) fn source_limit_message() -> String {
    format!("is left out: all sources together are larger than {}", ByteSize(MAX_REGISTRY_SOURCE_BYTES as u64))
}
