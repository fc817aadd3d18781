//! The analysis: from traces to insights.
//!
//! Owns: what counts as an insight: kinds of errors, failures that were fixed, chains of discovered issues, and
//! bullets that did harm. Traces are added one after the other, and none is kept.
//! Gives: the same insights for the same traces, with the same ids.
//! Never: reads a file or a clock.

mod abstraction;
mod alike;
pub(crate) mod confidence;
mod error_kind;
mod known_errors;
mod resolution;
mod text_table;

use std::borrow::Cow;
use std::collections::HashMap;

use uuid::Uuid;

use self::confidence::ErrorFate;
use self::error_kind::{AbstractedError, ErrorKind};
use self::resolution::{ResolutionFindings, Resolutions};
use crate::hundredths::Hundredths;
use crate::insight::{Insight, InsightScope, InsightSignal, InsightSource};
use crate::limits::{
    MAX_DISCOVERY_CHAINS, MAX_ERROR_KINDS, MAX_EVIDENCE_CHARS, MAX_EVIDENCE_LINES, MAX_ID_CHARS, MAX_INSIGHT_TASKS,
    MAX_PATTERN_CHARS, MAX_RECOMMENDATION_CHARS,
};
use crate::sanitize::{as_one_line, one_line};
use crate::trace::Trace;

pub(crate) use self::abstraction::abstract_message;

/// The namespace of the ids of insights.
const INSIGHT_NAMESPACE: Uuid = Uuid::from_u128(0x5d8e_2f64_0b1c_5e7a_9c31_4a6f_d2b7_8e90);

/// Longest time of a trace.
const MAX_TIMESTAMP_CHARS: usize = 40;

/// Collects what traces show.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    errors: HashMap<String, usize>,
    /// The key of the last error.
    key: String,
    kinds: Vec<ErrorKind>,
    resolutions: Resolutions,
    chains: Vec<Insight>,
    /// By bullet, in the order in which they were first seen.
    harmful: Vec<(String, Seen)>,
    n_traces: usize,
    /// Errors, chains and bullets beyond the bounds.
    n_omitted: usize,
}

/// What an analysis found.
#[derive(Debug)]
pub(crate) struct AnalysisFindings {
    /// The most confident first.
    pub(crate) insights: Vec<Insight>,
    /// Errors, fixes, chains and reports about bullets that were left out, since they are beyond what one analysis holds.
    pub(crate) n_omitted: usize,
}

/// What is kept of the occurrences of one insight.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    occurrences: usize,
    beads: Vec<String>,
    evidence: Vec<String>,
    timestamp: String,
}

impl Seen {
    fn add(&mut self, trace: &Trace) {
        self.add_at(&trace.bead_id, &trace.timestamp);
    }

    fn add_at(&mut self, bead: &str, timestamp: &str) {
        self.occurrences += 1;
        if self.beads.len() < MAX_INSIGHT_TASKS && !bead.is_empty() {
            let bead = one_line(bead, MAX_ID_CHARS);
            if !self.beads.contains(&bead) {
                self.beads.push(bead);
            }
        }
        // Times in UTC with one format sort as texts; of others one is as good as another.
        if *timestamp > *self.timestamp {
            self.timestamp.clear();
            self.timestamp.push_str(&shown_time(timestamp));
        }
    }

    const fn takes_evidence(&self) -> bool {
        self.evidence.len() < MAX_EVIDENCE_LINES
    }

    fn add_evidence(&mut self, line: String) {
        if self.takes_evidence() && !self.evidence.contains(&line) {
            self.evidence.push(line);
        }
    }
}

/// Returns a time as an insight shows it. One in the usual form hides nothing, and is most of them.
fn shown_time(timestamp: &str) -> Cow<'_, str> {
    let is_usual = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z' | b'+');
    if timestamp.len() <= MAX_TIMESTAMP_CHARS && timestamp.bytes().all(is_usual) {
        return Cow::Borrowed(timestamp);
    }
    as_one_line(timestamp, MAX_TIMESTAMP_CHARS)
}

/// An insight without its occurrences.
struct NewInsight {
    /// Two insights with one key are one insight.
    key: String,
    pattern: String,
    recommendation: String,
    scope: InsightScope,
    runner: Option<String>,
    confidence: Hundredths,
    is_eligible: bool,
    tags: Vec<String>,
}

impl NewInsight {
    fn with(self, seen: Seen) -> Insight {
        let Seen { occurrences, beads, evidence, timestamp } = seen;
        Insight {
            id: Uuid::new_v5(&INSIGHT_NAMESPACE, self.key.as_bytes()).to_string(),
            timestamp,
            task_id: beads.first().cloned().unwrap_or_default(),
            source: InsightSource { runner: self.runner, bead_ids: beads },
            signal: InsightSignal { pattern: self.pattern, evidence },
            recommendation: self.recommendation,
            scope: self.scope,
            confidence: self.confidence.fraction(),
            online_eligible: self.is_eligible,
            meta_tags: self.tags,
            occurrences: Some(occurrences),
        }
    }
}

impl Analysis {
    pub(crate) fn add(&mut self, trace: &Trace) {
        self.n_traces += 1;
        self.resolutions.add_trace(trace);
        for execution in &trace.execution_results {
            if execution.has_passed() {
                self.resolutions.add_pass(trace, execution);
            }
            if !execution.has_failed() {
                continue;
            }
            let mut place = None;
            for error in execution.errors.iter().filter(|error| !error.message.trim().is_empty()) {
                let abstracted = AbstractedError::new(error);
                abstracted.write_key(&mut self.key);
                let next = self.kinds.len();
                let at = match self.errors.get(&self.key) {
                    Some(at) => *at,
                    None if next >= MAX_ERROR_KINDS => {
                        self.n_omitted += 1;
                        continue;
                    }
                    None => {
                        self.errors.insert(self.key.clone(), next);
                        self.kinds.push(ErrorKind::new(abstracted.into_signature(&self.key, error)));
                        next
                    }
                };
                let place = *place.get_or_insert_with(|| self.resolutions.place_of(trace, execution));
                self.resolutions.add_failure(place, at);
                if let Some(kind) = self.kinds.get_mut(at) {
                    kind.add(trace, error);
                }
            }
        }
        self.add_chain(trace);
        self.add_harmful_feedback(trace);
    }

    pub(crate) const fn n_traces(&self) -> usize {
        self.n_traces
    }

    /// Returns the insights, the most confident first. A kind of error counts if it occurred at least `min_frequency`
    /// times.
    pub(crate) fn finish(self, min_frequency: usize, min_confidence: Hundredths) -> AnalysisFindings {
        let ResolutionFindings { insights: fixes, fates, n_omitted } = self.resolutions.finish(&self.kinds);
        let kinds = self.kinds.into_iter().enumerate().filter(|(_, kind)| kind.seen.occurrences >= min_frequency);
        let fate_of = |number| fates.get(&number).copied().unwrap_or(ErrorFate::Open);
        let mut insights: Vec<Insight> = kinds.map(|(number, kind)| kind.into_insight(fate_of(number))).collect();
        insights.extend(fixes);
        let mut ids = std::collections::HashSet::new();
        insights.extend(self.chains.into_iter().filter(|chain| ids.insert(chain.id.clone())));
        insights.extend(self.harmful.into_iter().map(|(id, seen)| harmful_bullet(&id, seen)));
        insights.retain(|insight| insight.hundredths() >= min_confidence);
        // Stable: the order of equals is that of the log.
        insights.sort_by_key(|insight| {
            (std::cmp::Reverse(insight.hundredths()), std::cmp::Reverse(insight.occurrences.unwrap_or_default()))
        });
        AnalysisFindings { insights, n_omitted: self.n_omitted + n_omitted }
    }

    /// A task in which other issues were found.
    fn add_chain(&mut self, trace: &Trace) {
        let mut issues: Vec<String> = Vec::new();
        for issue in &trace.discovered_issues {
            let issue = one_line(issue, MAX_ID_CHARS);
            if !issue.is_empty() && !issues.contains(&issue) && issues.len() < MAX_INSIGHT_TASKS {
                issues.push(issue);
            }
        }
        if issues.is_empty() {
            return;
        }
        if self.chains.len() >= MAX_DISCOVERY_CHAINS {
            self.n_omitted += 1;
            return;
        }
        let mut sorted = issues.clone();
        sorted.sort_unstable();
        let mut seen = Seen::default();
        seen.add(trace);
        issues.iter().for_each(|issue| seen.add_evidence(format!("Discovered issue: {issue}")));
        seen.beads.extend(issues.iter().cloned());
        let is_long = issues.len() >= 3;
        let bead = one_line(&trace.bead_id, MAX_ID_CHARS);
        let list = issues.join(", ");
        let insight = NewInsight {
            key: format!("chain\n{bead}\n{}", sorted.join("\n")),
            pattern: one_line(&format!("Work on {bead} uncovered {list}"), MAX_PATTERN_CHARS),
            recommendation: one_line(
                &format!("When working on similar tasks, consider: {list}"),
                MAX_RECOMMENDATION_CHARS,
            ),
            scope: InsightScope::default(),
            runner: None,
            confidence: if is_long { confidence::LONG_CHAIN } else { confidence::SHORT_CHAIN },
            is_eligible: is_long,
            tags: ["discovery", "meta-pattern"].map(str::to_owned).to_vec(),
        };
        self.chains.push(insight.with(seen));
    }

    fn add_harmful_feedback(&mut self, trace: &Trace) {
        for bullet in trace.bullets_consulted.iter().filter(|bullet| bullet.feedback == "harmful") {
            let id = one_line(&bullet.bullet_id, MAX_ID_CHARS);
            let at = match self.harmful.iter().position(|(known, _)| *known == id) {
                Some(at) => at,
                None if self.harmful.len() >= MAX_ERROR_KINDS => {
                    self.n_omitted += 1;
                    continue;
                }
                None => {
                    self.harmful.push((id.clone(), Seen::default()));
                    self.harmful.len() - 1
                }
            };
            if let Some((_, seen)) = self.harmful.get_mut(at) {
                seen.add(trace);
                seen.add_evidence(one_line(&format!("{id}: {}", bullet.reason), MAX_EVIDENCE_CHARS));
            }
        }
    }
}

fn harmful_bullet(id: &str, seen: Seen) -> Insight {
    NewInsight {
        key: format!("harmful\n{id}"),
        pattern: one_line(&format!("Bullet {id} was reported as harmful"), MAX_PATTERN_CHARS),
        recommendation: "Review this bullet: correct it or remove it".to_owned(),
        scope: InsightScope::default(),
        runner: None,
        confidence: confidence::HARMFUL_FEEDBACK,
        is_eligible: false,
        tags: ["bullet-feedback", "review-needed"].map(str::to_owned).to_vec(),
    }
    .with(seen)
}

#[cfg(test)]
mod tests;
