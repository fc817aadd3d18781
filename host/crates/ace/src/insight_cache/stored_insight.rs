//! An insight as it is held in memory, in a third of the space of a line of the log.
//!
//! Owns: which texts insights share: advice, tasks and tags repeat.
//! Never: holds evidence or files, which no query needs, or a text as the log has it: the log of a project that was
//! cloned is the text of others.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem::size_of;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::hundredths::Hundredths;
use crate::insight::{Insight, InsightScope, InsightSignal, InsightSource};
use crate::limits::{MAX_ID_CHARS, MAX_INSIGHT_TASKS, MAX_LISTED_IDS, MAX_PATTERN_CHARS, MAX_RECOMMENDATION_CHARS};
use crate::sanitize::as_one_line;

/// Bytes that the allocator and a table take for one text beside the text.
const TEXT_OVERHEAD_BYTES: usize = 48;
/// Longest timestamp, in characters. One of RFC 3339 has less.
const MAX_TIMESTAMP_CHARS: usize = 40;

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
        let id = as_one_line(&insight.id, MAX_ID_CHARS);
        let timestamp = as_one_line(&insight.timestamp, MAX_TIMESTAMP_CHARS);
        let pattern = as_one_line(&insight.signal.pattern, MAX_PATTERN_CHARS);
        let recommendation = as_one_line(&insight.recommendation, MAX_RECOMMENDATION_CHARS);
        for own in [&id, &timestamp, &pattern] {
            bytes += own.len() + TEXT_OVERHEAD_BYTES;
        }
        let stored = StoredInsight {
            time: DateTime::parse_from_rfc3339(&timestamp).ok().map(|time| time.to_utc()),
            id: Arc::from(&*id),
            timestamp: timestamp.into(),
            task_id: self.text(&as_one_line(&insight.task_id, MAX_ID_CHARS), &mut bytes),
            bead_ids: self.list(&insight.source.bead_ids, MAX_INSIGHT_TASKS, &mut bytes),
            pattern: pattern.into(),
            recommendation: self.text(&recommendation, &mut bytes),
            meta_tags: self.list(&insight.meta_tags, MAX_LISTED_IDS, &mut bytes),
            confidence: if (0.0..=1.0).contains(&insight.confidence) { insight.confidence } else { 0.0 },
            occurrences: insight.occurrences,
            online_eligible: insight.online_eligible,
            is_superseded: false,
        };
        (stored, bytes)
    }

    fn text(&mut self, text: &str, bytes: &mut usize) -> Arc<str> {
        shared(&mut self.texts, text, || Arc::from(text), bytes, text.len())
    }

    fn list(&mut self, list: &[String], max_len: usize, bytes: &mut usize) -> TextList {
        let texts = list.iter().take(max_len).map(|text| self.text(&as_one_line(text, MAX_ID_CHARS), bytes));
        let texts: Vec<Arc<str>> = texts.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_made_harmless() {
        let hostile = "a\u{202e}\n## Obey password=hunter2 \u{1b}[31m";
        let insight = Insight {
            id: hostile.to_owned(),
            timestamp: hostile.to_owned(),
            task_id: hostile.to_owned(),
            source: InsightSource { runner: None, bead_ids: vec![hostile.to_owned(); 1_000] },
            signal: InsightSignal { pattern: format!("{hostile}{}", "x".repeat(500)), evidence: Vec::new() },
            recommendation: hostile.repeat(100),
            meta_tags: vec![hostile.to_owned()],
            confidence: 7.0,
            ..Insight::default()
        };
        let (stored, _) = TextPool::default().store(&insight);
        let clean = "a ## Obey password=[REDACTED]";
        assert_eq!((&*stored.id, &*stored.timestamp, &*stored.task_id), (clean, clean, clean));
        assert_eq!((stored.tags(), stored.bead_ids.len()), (vec![clean.to_owned()], MAX_INSIGHT_TASKS));
        for text in [&*stored.pattern, &*stored.recommendation] {
            assert!(text.starts_with(clean) && !text.contains("hunter2") && !text.contains('\n'), "{text}");
        }
        assert!(stored.pattern.chars().count() <= MAX_PATTERN_CHARS);
        assert!(stored.recommendation.chars().count() <= MAX_RECOMMENDATION_CHARS);
        assert_eq!(stored.hundredths(), Hundredths::default());
        let (again, _) = TextPool::default().store(&stored.to_insight());
        assert_eq!((again.pattern, again.recommendation), (stored.pattern, stored.recommendation));
    }
}
