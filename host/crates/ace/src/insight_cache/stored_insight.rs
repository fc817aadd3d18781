//! An insight as it is held in memory, in a third of the space of a line of the log.
//!
//! Owns: which texts insights share: advice, tasks and tags repeat.
//! Never: holds evidence or files, which no query needs.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem::size_of;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::hundredths::Hundredths;
use crate::insight::{Insight, InsightScope, InsightSignal, InsightSource};

/// Bytes that the allocator and a table take for one text beside the text.
const TEXT_OVERHEAD_BYTES: usize = 48;

/// An insight of the log.
#[derive(Debug, Clone)]
pub(crate) struct StoredInsight {
    pub(crate) id: Arc<str>,
    pub(crate) timestamp: Box<str>,
    /// The timestamp; `None` where another program wrote no time.
    pub(crate) time: Option<DateTime<Utc>>,
    pub(crate) task_id: Arc<str>,
    pub(crate) bead_ids: TextList,
    pub(crate) pattern: Box<str>,
    pub(crate) recommendation: Arc<str>,
    pub(crate) meta_tags: TextList,
    pub(crate) confidence: f64,
    pub(crate) occurrences: Option<usize>,
    pub(crate) online_eligible: bool,
    /// Whether a later line has the same id.
    pub(super) is_superseded: bool,
}

pub(crate) type TextList = Arc<[Arc<str>]>;

impl StoredInsight {
    /// The confidence; none where another program wrote no number between 0 and 1.
    pub(crate) fn hundredths(&self) -> Hundredths {
        Hundredths::from_fraction(self.confidence).unwrap_or_default()
    }

    /// Whether the insight is about one of these tasks.
    pub(crate) fn is_of_tasks(&self, beads: &[String]) -> bool {
        let is_of = |bead: &String| **bead == *self.task_id || self.bead_ids.iter().any(|own| **own == **bead);
        beads.iter().any(is_of)
    }

    /// Returns the lesson: the pattern, and after ` - ` the recommendation.
    pub(crate) fn plain_text(&self) -> String {
        let parts = [self.pattern.trim(), self.recommendation.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" - ")
    }

    /// Returns what is held of the line of the log.
    pub(super) fn to_insight(&self) -> Insight {
        Insight {
            id: self.id.to_string(),
            timestamp: self.timestamp.to_string(),
            task_id: self.task_id.to_string(),
            source: InsightSource { runner: None, bead_ids: self.bead_ids.iter().map(ToString::to_string).collect() },
            signal: InsightSignal { pattern: self.pattern.to_string(), evidence: Vec::new() },
            recommendation: self.recommendation.to_string(),
            scope: InsightScope::default(),
            confidence: self.confidence,
            online_eligible: self.online_eligible,
            meta_tags: self.tags(),
            occurrences: self.occurrences,
        }
    }

    pub(crate) fn tags(&self) -> Vec<String> {
        self.meta_tags.iter().map(ToString::to_string).collect()
    }

    /// Whether it says what fixed an error.
    pub(crate) fn has_fix(&self) -> bool {
        self.has_tag("resolved") && self.recommendation.starts_with("Fixed by: ")
    }

    pub(crate) fn has_tag(&self, tag: &str) -> bool {
        self.meta_tags.iter().any(|own| **own == *tag)
    }
}

/// Texts and lists of texts, each held once.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextPool {
    texts: HashSet<Arc<str>>,
    lists: HashSet<TextList>,
}

impl TextPool {
    /// Stores an insight, and returns how many bytes that takes.
    pub(crate) fn store(&mut self, insight: &Insight) -> (StoredInsight, usize) {
        let mut bytes = size_of::<StoredInsight>() + 2 * size_of::<Arc<str>>();
        for own in [&insight.id, &insight.timestamp, &insight.signal.pattern] {
            bytes += own.len() + TEXT_OVERHEAD_BYTES;
        }
        let stored = StoredInsight {
            id: Arc::from(insight.id.as_str()),
            timestamp: insight.timestamp.as_str().into(),
            time: DateTime::parse_from_rfc3339(&insight.timestamp).ok().map(|time| time.to_utc()),
            task_id: self.text(&insight.task_id, &mut bytes),
            bead_ids: self.list(&insight.source.bead_ids, &mut bytes),
            pattern: insight.signal.pattern.as_str().into(),
            recommendation: self.text(&insight.recommendation, &mut bytes),
            meta_tags: self.list(&insight.meta_tags, &mut bytes),
            confidence: insight.confidence,
            occurrences: insight.occurrences,
            online_eligible: insight.online_eligible,
            is_superseded: false,
        };
        (stored, bytes)
    }

    fn text(&mut self, text: &str, bytes: &mut usize) -> Arc<str> {
        shared(&mut self.texts, text, || Arc::from(text), bytes, text.len())
    }

    fn list(&mut self, list: &[String], bytes: &mut usize) -> TextList {
        let texts: Vec<Arc<str>> = list.iter().map(|text| self.text(text, bytes)).collect();
        let len = texts.len() * size_of::<Arc<str>>();
        shared(&mut self.lists, texts.as_slice(), || Arc::from(texts.clone()), bytes, len)
    }
}

/// Returns the value of a set that equals `key`, which is made when missing.
fn shared<K: Eq + Hash + ?Sized>(
    known: &mut HashSet<Arc<K>>,
    key: &K,
    make: impl FnOnce() -> Arc<K>,
    bytes: &mut usize,
    len: usize,
) -> Arc<K> {
    if let Some(known) = known.get(key) {
        return Arc::clone(known);
    }
    let new = make();
    *bytes += len + TEXT_OVERHEAD_BYTES;
    known.insert(Arc::clone(&new));
    new
}
