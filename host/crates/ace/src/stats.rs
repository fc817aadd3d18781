//! `ace://knowledge/stats`: numbers of everything, and what recurs.
//!
//! Owns: what counts as helping, harming and unused.
//! Never: fails where a file is missing: then there are none of its things.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::LearningLog;
use crate::analyze::confidence::ELIGIBLE;
use crate::budget::BulletSize;
use crate::error_code as code;
use crate::files::{LineCounts, LogFile};
use crate::insight_cache::InsightIndexes;
use crate::knowledge::score;
use crate::limits::MAX_RECURRING_PATTERNS;
use crate::playbook::Playbook;
use crate::timeline::TimelineDay;
use crate::trace::Trace;
use wardroom_service::ServiceError;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LearningStats {
    bullets: BulletStats,
    budget: BudgetStats,
    insights: InsightStats,
    traces: TraceStats,
    /// The last days.
    timeline: Vec<TimelineDay>,
    /// Lines of the logs that cannot be read.
    lines_skipped: usize,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct BulletStats {
    total: usize,
    by_section: BTreeMap<String, usize>,
    /// Bullets that helped more often than they harmed.
    helping: usize,
    /// Bullets that harmed more often.
    harming: usize,
    /// Bullets without any feedback.
    unused: usize,
    /// Bullets that came from an insight of the log.
    learned: usize,
}

/// How much the bullets take of what they may take.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BudgetStats {
    lines: usize,
    max_lines: usize,
    tokens: usize,
    max_tokens: usize,
    /// Bullets that gave way to others.
    archived: usize,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct InsightStats {
    total: usize,
    eligible: usize,
    recurring: Vec<RecurringPattern>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RecurringPattern {
    id: String,
    pattern: String,
    occurrences: usize,
    tasks: usize,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceStats {
    total: usize,
    executions: usize,
    failed_executions: usize,
    errors: usize,
}

impl LearningLog {
    /// Returns the statistics.
    ///
    /// # Errors
    /// When a file is there and cannot be read.
    pub(crate) fn stats(&self, stop: &dyn Fn() -> bool) -> Result<LearningStats, ServiceError> {
        let known = self.insights_if_any(InsightIndexes::Origins, stop)?;
        let mut traces = TraceStats::default();
        let counts = self.files.visit(LogFile::Traces, stop, |trace: Trace| {
            traces.total += 1;
            traces.executions += trace.execution_results.len();
            traces.failed_executions += trace.execution_results.iter().filter(|run| run.has_failed()).count();
            traces.errors += trace.execution_results.iter().map(|run| run.errors.len()).sum::<usize>();
            ControlFlow::Continue(())
        });
        let counts = or_none(counts)?.unwrap_or(LineCounts::default());
        let text = or_none(self.files.playbook())?.unwrap_or_default();
        let mut bullets = BulletStats::default();
        let playbook = Playbook::parse(&text);
        for bullet in playbook.bullets() {
            bullets.total += 1;
            *bullets.by_section.entry(bullet.section.clone()).or_default() += 1;
            bullets.helping += usize::from(score(bullet) > 0);
            bullets.harming += usize::from(score(bullet) < 0);
            bullets.unused += usize::from(bullet.helpful == 0 && bullet.harmful == 0);
            bullets.learned += usize::from(known.find_origin(bullet).is_some());
        }
        let mut recurring: Vec<RecurringPattern> = known
            .iter()
            .filter(|insight| insight.occurrences.is_some_and(|n| n > 1))
            .map(|insight| RecurringPattern {
                id: insight.id.to_string(),
                pattern: insight.pattern.to_string(),
                occurrences: insight.occurrences.unwrap_or_default(),
                tasks: insight.bead_ids.len(),
            })
            .collect();
        recurring.sort_by_key(|pattern| std::cmp::Reverse(pattern.occurrences));
        recurring.truncate(MAX_RECURRING_PATTERNS);
        let insights = InsightStats {
            total: known.len(),
            eligible: known.iter().filter(|insight| insight.hundredths() >= ELIGIBLE).count(),
            recurring,
        };
        let size = BulletSize::of_playbook(&playbook);
        let budget = BudgetStats {
            lines: size.lines,
            max_lines: self.options.budget.max_lines,
            tokens: size.tokens(),
            max_tokens: self.options.budget.max_tokens,
            archived: self.bullet_history(stop)?.archived().count(),
        };
        let timeline = self.timeline(&known, std::time::SystemTime::now().into(), stop)?;
        Ok(LearningStats {
            timeline,
            bullets,
            budget,
            insights,
            traces,
            lines_skipped: counts.skipped + known.counts.skipped,
        })
    }
}

fn or_none<T>(read: Result<T, ServiceError>) -> Result<Option<T>, ServiceError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
