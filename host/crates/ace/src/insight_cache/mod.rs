//! The insights of the log in memory: a line is parsed once, and what is appended later is added.
//!
//! Owns: which line counts where several have one id (the last one), which insights are held (the newest that fit), and
//! the indexes that are made of them when a call needs them.
//! Gives: a snapshot, which later calls leave as it is.
//! Never: changes a file, or takes a log that was replaced, cut short or edited for one that grew: see
//! [`RowFollower`].

mod origins;
mod stored_insight;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use self::origins::OriginIndex;
use crate::LearningLog;
use crate::error_code as code;
use crate::files::{LearningFiles, LineCounts, LogFile, parse_row};
use crate::insight::Insight;
use crate::limits::{MAX_CACHED_INSIGHT_BYTES, MAX_LOADED_INSIGHTS};
use crate::playbook::Bullet;
use crate::search::WordIndex;
use wardroom_appdir::{FollowedRow, RowFollower, VisitedRow};
use wardroom_service::ServiceError;

pub(crate) use self::stored_insight::{StoredInsight, TextPool};

/// The cache of one log.
#[derive(Debug, Default)]
pub(crate) struct InsightCache(Mutex<CachedInsights>);

#[derive(Debug, Default)]
struct CachedInsights {
    follower: RowFollower,
    known: Arc<KnownInsights>,
}

/// What a call needs beside the insights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsightIndexes {
    None,
    /// Which bullet came from which insight.
    Origins,
    /// And which insights have which words.
    Words,
}

/// Insights of the log, each once, in the order of the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownInsights {
    rows: Vec<StoredInsight>,
    n_superseded: usize,
    by_id: HashMap<Arc<str>, u32>,
    texts: TextPool,
    bytes: usize,
    pub(crate) counts: LineCounts,
    origins: OriginIndex,
    words: WordIndex,
}

impl InsightCache {
    /// Returns the insights as the log has them now.
    fn read(
        &self,
        files: &LearningFiles,
        indexes: InsightIndexes,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arc<KnownInsights>, ServiceError> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let CachedInsights { follower, known } = &mut *cache;
        // A snapshot that another call still reads is copied by the first change.
        let followed = files.follow(LogFile::Insights, follower, stop, |row| match row {
            FollowedRow::Restart => *known = Arc::default(),
            FollowedRow::Next(row) => Arc::make_mut(known).add_row(row),
        });
        if let Err(error) = followed {
            *known = Arc::default();
            return Err(error);
        }
        known.counts.check(LogFile::Insights)?;
        if !known.has(indexes) {
            Arc::make_mut(known).extend(indexes);
        }
        Ok(Arc::clone(known))
    }
}

#[cfg(feature = "fuzzing")]
impl InsightCache {
    /// Returns the insights, for a fuzz target.
    pub(crate) fn read_fuzzed(
        &self,
        files: &LearningFiles,
        indexes: InsightIndexes,
    ) -> Result<Arc<KnownInsights>, ServiceError> {
        self.read(files, indexes, &|| false)
    }
}

impl KnownInsights {
    /// Returns the insights, the last ones of the log last.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &StoredInsight> {
        self.rows.iter().filter(|insight| !insight.is_superseded)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len() - self.n_superseded
    }

    pub(crate) fn find(&self, id: &str) -> Option<&StoredInsight> {
        self.rows.get(*self.by_id.get(id)? as usize)
    }

    /// Returns the insight that a bullet came from: the first one with its text, else the first one with its id. Needs
    /// [`InsightIndexes::Origins`].
    pub(crate) fn find_origin(&self, bullet: &Bullet) -> Option<&StoredInsight> {
        self.origins.find(bullet, &self.rows)
    }

    /// The words of the insights. Needs [`InsightIndexes::Words`].
    pub(crate) const fn words(&self) -> &WordIndex {
        &self.words
    }

    /// Returns the insight that has a number in [`Self::words`]; `None` where a later line has its id.
    pub(crate) fn by_number(&self, number: usize) -> Option<&StoredInsight> {
        self.rows.get(number).filter(|insight| !insight.is_superseded)
    }

    fn add_row(&mut self, row: VisitedRow<'_>) {
        let parsed = match row {
            VisitedRow::Row(bytes) => parse_row::<Insight>(bytes),
            VisitedRow::TooLong => None,
        };
        match parsed {
            Some(insight) => {
                self.counts.read += 1;
                self.add(&insight);
            }
            None => self.counts.skipped += 1,
        }
    }

    fn add(&mut self, insight: &Insight) {
        let (stored, bytes) = self.texts.store(insight);
        self.bytes += bytes;
        self.push(stored);
        let is_mostly_superseded = self.n_superseded > self.rows.len() / 2 + 1_000;
        if is_mostly_superseded || self.len() > MAX_LOADED_INSIGHTS || self.bytes > MAX_CACHED_INSIGHT_BYTES {
            self.compact();
        }
    }

    fn push(&mut self, stored: StoredInsight) {
        // There are fewer than MAX_LOADED_INSIGHTS.
        let number = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        if let Some(earlier) = self.by_id.insert(Arc::clone(&stored.id), number)
            && let Some(earlier) = self.rows.get_mut(earlier as usize)
        {
            earlier.is_superseded = true;
            self.n_superseded += 1;
        }
        self.rows.push(stored);
    }

    /// Drops what is superseded, and of the rest the oldest quarter where it is too much. The indexes are made anew.
    fn compact(&mut self) {
        let is_over = self.len() > MAX_LOADED_INSIGHTS || self.bytes > MAX_CACHED_INSIGHT_BYTES;
        let n_dropped = if is_over { self.len() / 4 } else { 0 };
        let old = std::mem::take(self);
        self.counts = old.counts;
        for stored in old.rows.into_iter().filter(|insight| !insight.is_superseded).skip(n_dropped) {
            let (stored, bytes) = self.texts.store(&stored.to_insight());
            self.bytes += bytes;
            self.push(stored);
        }
    }

    fn has(&self, indexes: InsightIndexes) -> bool {
        let n_rows = self.rows.len();
        (indexes == InsightIndexes::None || self.origins.len() == n_rows)
            && (indexes != InsightIndexes::Words || self.words.len() == n_rows)
    }

    fn extend(&mut self, indexes: InsightIndexes) {
        if indexes != InsightIndexes::None {
            self.origins.extend(&self.rows);
        }
        if indexes == InsightIndexes::Words {
            let new = self.rows.get(self.words.len()..).unwrap_or_default();
            for insight in new {
                self.words.add(
                    [&*insight.pattern].into_iter().chain(insight.meta_tags.iter().map(|tag| &**tag)),
                    &insight.recommendation,
                );
            }
        }
    }
}

impl LearningLog {
    /// Returns the insights.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` and `PARSE_ERROR`.
    pub(crate) fn insights(
        &self,
        indexes: InsightIndexes,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arc<KnownInsights>, ServiceError> {
        self.insights.read(&self.files, indexes, stop)
    }

    /// Returns the insights as [`Self::insights`] does; none where there is no log of them yet.
    ///
    /// # Errors
    /// `PARSE_ERROR`.
    pub(crate) fn insights_if_any(
        &self,
        indexes: InsightIndexes,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arc<KnownInsights>, ServiceError> {
        match self.insights(indexes, stop) {
            Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => Ok(Arc::default()),
            known => known,
        }
    }
}

#[cfg(test)]
mod tests;
