//! What is kept of all indices together, for one look.
//!
//! Owns: the totals, and the files that entries name: each is read once, however many name it. What does not fit is
//! refused before it is read.

use std::collections::HashMap;
use std::sync::Arc;

use super::report::Schemas;
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::limits::{MAX_REGISTRY_ENTRIES, MAX_REGISTRY_SOURCES, MAX_REGISTRY_VALUES, MAX_SOURCE_BYTES};

/// What is taken up, and what of the last look can be used again.
pub(super) struct Stock {
    pub(super) schemas: Schemas,
    pub(super) sources: Sources,
    /// How many entries, and values of YAML, there may be yet.
    pub(super) entries: usize,
    pub(super) values: usize,
    /// Something was not read since too many files were open.
    pub(super) is_busy: bool,
}

#[derive(Default)]
pub(super) struct Sources {
    known: HashMap<(u64, u64), Kept>,
    used: HashMap<(u64, u64), Kept>,
    /// Of all that are used, in bytes.
    taken: usize,
}

/// A file that an entry names, as it was read.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) stat: Stat,
    /// Whether a further change shows.
    pub(super) is_settled: bool,
    pub(super) text: Option<Arc<str>>,
}

impl Default for Stock {
    fn default() -> Self {
        Self {
            schemas: Schemas::default(),
            sources: Sources::default(),
            entries: MAX_REGISTRY_ENTRIES,
            values: MAX_REGISTRY_VALUES,
            is_busy: false,
        }
    }
}

impl Stock {
    /// Ends a look: what was used in it is known in the next one.
    pub(super) fn turn(&mut self) {
        let mut schemas = std::mem::take(&mut self.schemas);
        schemas.turn();
        let known = std::mem::take(&mut self.sources.used);
        *self = Self { schemas, sources: Sources { known, ..Sources::default() }, ..Self::default() };
    }
}

impl Sources {
    /// Whether a file fits beside what is used already; one of those does.
    pub(super) fn has_room(&self, stat: &Stat) -> bool {
        let is_used = self.used.get(&stat.identity).is_some_and(|kept| kept.stat == *stat);
        is_used || usize::try_from(stat.len).is_ok_and(|len| len <= MAX_REGISTRY_SOURCES.saturating_sub(self.taken))
    }

    /// Uses a text again, where it fits.
    pub(super) fn keep(&mut self, kept: &Kept) -> bool {
        let Some(text) = &kept.text else { return true };
        let has_room = self.has_room(&kept.stat);
        if has_room && !self.used.get(&kept.stat.identity).is_some_and(|used| used.stat == kept.stat) {
            self.taken += text.len();
            self.used.insert(kept.stat.identity, kept.clone());
        }
        has_room
    }

    /// The text of a file that has this state, as far as anybody knows.
    pub(super) fn text(&mut self, folder: &Folder, path: &str, stat: Option<Stat>) -> Result<Arc<str>, AppDirError> {
        let Some(stat) = stat else {
            // It tells why there is none.
            return folder.read_text(path, MAX_SOURCE_BYTES).map(|(text, _)| text.into());
        };
        let used = self.used.get(&stat.identity).filter(|kept| kept.stat == stat);
        let known = self.known.get(&stat.identity).filter(|kept| kept.is_settled && kept.stat == stat);
        if let Some(text) = used.and_then(|kept| kept.text.clone()) {
            return Ok(text);
        }
        let text: Arc<str> = match known.and_then(|kept| kept.text.clone()) {
            Some(text) => text,
            None => folder.read_text(path, MAX_SOURCE_BYTES)?.0.into(),
        };
        self.keep(&Kept { stat, is_settled: stat.holds_still(), text: Some(Arc::clone(&text)) });
        Ok(text)
    }
}

/// Why a file is refused that is there.
pub(super) fn too_much() -> String {
    format!("does not fit: all sources together have more than {MAX_REGISTRY_SOURCES} bytes")
}
