//! JSON Lines files: any page of rows at a cost that depends on the page, not on the file.
//!
//! Owns: which rows there are (lines that are not blank), where they begin, and the cache of that knowledge.
//! Never: parses a row, or goes on reading for somebody who stopped asking.

mod index;
mod page;
mod saved;
mod source;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use self::index::LineIndex;
use self::source::Source;
use super::{AppDirError, Folder, Stat};
use wardroom_base::limits::{INDEX_FILE_FROM_BYTES, LIGHT_SPAN_BYTES, MAX_CACHED_INDEXES, MAX_ROWS_FILE_BYTES};

pub use self::page::{Page, Wanted};

/// The line indexes of the files that were read lately, in memory and as files in a cache folder.
pub struct LineIndexes {
    /// Where they are kept between processes. Without one, a new process reads each large file once.
    cache: Option<Folder>,
    known: Mutex<HashMap<FileId, Known>>,
}

/// Device and inode.
type FileId = (u64, u64);

struct Known {
    index: Arc<LineIndex>,
    /// Grows with each use of any index: the lowest one was not used for longest.
    used: u64,
}

impl LineIndexes {
    #[must_use]
    pub fn new(cache: Option<Folder>) -> Self {
        Self { cache, known: Mutex::new(HashMap::new()) }
    }

    /// Reads rows of `name`, looking at `stop` before each piece of the file that is read.
    ///
    /// # Errors
    /// When the file is not there or larger than any may be, or a row is longer than any row may be, and
    /// [`AppDirError::Stopped`] once `stop` says so.
    pub fn page(
        &self,
        folder: &Folder,
        name: &str,
        wanted: Wanted,
        stop: &dyn Fn() -> bool,
    ) -> Result<Page, AppDirError> {
        let (file, stat) = open(folder, name, stop)?;
        let index = self.index(&file, stat)?;
        match page::read(&file, &index, wanted) {
            // The index does not fit, or the file was cut since it was opened. What is there now decides.
            Err(AppDirError::Unsteady(_)) => {
                let (file, stat) = open(folder, name, stop)?;
                let index = self.renewed(&file, stat)?;
                page::read(&file, &index, wanted)
            }
            read => read,
        }
    }

    /// As [`Self::page`], but only when that takes no more than reading the page, and all of it fits.
    ///
    /// # Errors
    /// [`AppDirError::NotIndexed`] when it would take more.
    pub fn page_if_known(&self, folder: &Folder, name: &str, wanted: Wanted) -> Result<Page, AppDirError> {
        let (file, stat) = open(folder, name, &|| false)?;
        let not_indexed = || AppDirError::NotIndexed(name.to_owned());
        let index = self.known(stat.identity).filter(|known| known.is_current(stat)).ok_or_else(not_indexed)?;
        let Wanted { offset, limit, max_bytes } = wanted;
        let last_span = if index.unended { index.span(index.rows.saturating_sub(1), 1) } else { 0 };
        if index.span(offset, limit as u64).max(last_span) > LIGHT_SPAN_BYTES {
            return Err(not_indexed());
        }
        let page = match page::read(&file, &index, wanted) {
            Err(AppDirError::Unsteady(_)) => return Err(not_indexed()),
            read => read?,
        };
        let whole = index.rows.saturating_sub(offset).min(limit as u64);
        let is_light = page.unended.as_ref().is_none_or(|last| last.len() <= max_bytes);
        if is_light && page.rows.len() as u64 == whole { Ok(page) } else { Err(not_indexed()) }
    }

    /// The index of an open file: the known one when it still fits, extended when the file grew, else a new one.
    fn index(&self, file: &Source<'_>, stat: Stat) -> Result<Arc<LineIndex>, AppDirError> {
        let known = self.known(stat.identity).or_else(|| self.load(stat));
        if let Some(known) = &known
            && known.is_current(stat)
        {
            self.remember(stat.identity, known);
            return Ok(Arc::clone(known));
        }
        let index = match known.map(|known| known.extended(file, stat)).transpose()?.flatten() {
            Some(extended) => extended,
            None => LineIndex::build(file, stat)?,
        };
        Ok(self.kept(index, stat))
    }

    /// A new index of an open file, whatever was known before.
    fn renewed(&self, file: &Source<'_>, stat: Stat) -> Result<Arc<LineIndex>, AppDirError> {
        Ok(self.kept(LineIndex::build(file, stat)?, stat))
    }

    fn kept(&self, index: LineIndex, stat: Stat) -> Arc<LineIndex> {
        let index = Arc::new(index);
        self.remember(stat.identity, &index);
        self.save(&index, stat);
        index
    }

    fn known(&self, identity: FileId) -> Option<Arc<LineIndex>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&identity).map(|known| Arc::clone(&known.index))
    }

    fn remember(&self, identity: FileId, index: &Arc<LineIndex>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let used = known.values().map(|known| known.used).max().unwrap_or(0) + 1;
        known.insert(identity, Known { index: Arc::clone(index), used });
        if known.len() > MAX_CACHED_INDEXES
            && let Some(oldest) = known.iter().min_by_key(|(_, known)| known.used).map(|(identity, _)| *identity)
        {
            known.remove(&oldest);
        }
    }

    fn load(&self, stat: Stat) -> Option<Arc<LineIndex>> {
        if stat.len < INDEX_FILE_FROM_BYTES {
            return None;
        }
        saved::load(self.cache.as_ref()?, stat).map(Arc::new)
    }

    /// A cache that cannot be written costs time later, and nothing else.
    fn save(&self, index: &LineIndex, stat: Stat) {
        if stat.len < INDEX_FILE_FROM_BYTES {
            return;
        }
        if let Some(cache) = &self.cache
            && let Err(error) = saved::save(cache, stat.identity, index)
        {
            tracing::debug!(%error, "line index not saved");
        }
    }
}

/// Opens a file of rows that is not too large to be one.
fn open<'s>(folder: &Folder, name: &str, stop: &'s dyn Fn() -> bool) -> Result<(Source<'s>, Stat), AppDirError> {
    let (file, stat) = folder.open_file(name)?;
    if stat.len > MAX_ROWS_FILE_BYTES {
        return Err(AppDirError::TooLarge { name: name.into(), len: stat.len, limit: MAX_ROWS_FILE_BYTES });
    }
    Ok((Source::new(file, name, stop), stat))
}
