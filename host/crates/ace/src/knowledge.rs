//! What the log knows: its insights, the bullets of the playbook, and which bullet came from which insight.
//!
//! Owns: which line counts where several have one id: the last one.
//! Never: changes a file.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::LearningLog;
use crate::error_code as code;
use crate::files::{LineCounts, LogFile};
use crate::insight::Insight;
use crate::limits::MAX_LOADED_INSIGHTS;
use crate::playbook::Bullet;
use crate::sanitize::unescape_markdown;
use crate::update::{bullet_content, is_id_of};
use wardroom_service::ServiceError;

/// Insights of the log, each once, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct KnownInsights {
    pub(crate) insights: Vec<Insight>,
    pub(crate) counts: LineCounts,
}

impl LearningLog {
    /// Reads the insights without their evidence, which few readers need and which takes most of their memory.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` and `PARSE_ERROR`.
    pub(crate) fn insights(&self, stop: &dyn Fn() -> bool) -> Result<KnownInsights, ServiceError> {
        let mut known = KnownInsights::default();
        let mut ids = HashSet::new();
        known.counts = self.files.visit_backwards(LogFile::Insights, stop, |mut insight: Insight| {
            if !ids.contains(&insight.id) {
                ids.insert(insight.id.clone());
                insight.signal.evidence = Vec::new();
                insight.scope = crate::insight::InsightScope::default();
                known.insights.push(insight);
            }
            if known.insights.len() < MAX_LOADED_INSIGHTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        known.insights.reverse();
        Ok(known)
    }

    /// Reads the insights as [`Self::insights`] does; none where there is no log of them yet.
    ///
    /// # Errors
    /// `PARSE_ERROR`.
    pub(crate) fn insights_if_any(&self, stop: &dyn Fn() -> bool) -> Result<KnownInsights, ServiceError> {
        match self.insights(stop) {
            Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => Ok(KnownInsights::default()),
            known => known,
        }
    }
}

/// The insights by the bullets that may have come from them.
pub(crate) struct BulletOrigins<'i> {
    by_id: HashMap<String, Vec<&'i Insight>>,
    by_content: HashMap<String, &'i Insight>,
}

impl<'i> BulletOrigins<'i> {
    pub(crate) fn new(insights: &'i [Insight]) -> Self {
        let mut by_id: HashMap<String, Vec<&Insight>> = HashMap::new();
        let mut by_content = HashMap::new();
        for insight in insights {
            if let Some(start) = insight.id.get(..8) {
                by_id.entry(start.to_lowercase()).or_default().push(insight);
            }
            // Earlier programs gave bullets ids of their own.
            by_content.entry(comparable(&bullet_content(insight))).or_insert(insight);
        }
        Self { by_id, by_content }
    }

    /// Returns the insight that a bullet came from: the one with its text, else the one with its id.
    pub(crate) fn find(&self, bullet: &Bullet) -> Option<&'i Insight> {
        self.by_content.get(&comparable(&bullet.content)).copied().or_else(|| {
            let same_id = self.by_id.get(bullet.id.get(..8)?)?;
            same_id.iter().find(|insight| is_id_of(insight, &bullet.id)).copied()
        })
    }
}

fn comparable(content: &str) -> String {
    unescape_markdown(content).split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A bullet as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct BulletItem {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) helpful: u64,
    pub(crate) harmful: u64,
    pub(crate) section: String,
    /// helpful - harmful.
    pub(crate) score: i64,
}

impl BulletItem {
    pub(crate) fn new(bullet: &Bullet) -> Self {
        Self {
            id: bullet.id.clone(),
            content: bullet.content.clone(),
            helpful: bullet.helpful,
            harmful: bullet.harmful,
            section: bullet.section.clone(),
            score: score(bullet),
        }
    }
}

/// A counter has at most 18 digits.
pub(crate) fn score(bullet: &Bullet) -> i64 {
    let counter = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    counter(bullet.helpful) - counter(bullet.harmful)
}
