//! Failures that were fixed: a command that failed and later passed in the same task.
//!
//! Owns: which failures wait for their command to pass, and what was reported to have fixed them.
//! Never: takes a fix of one task for that of another.

use std::collections::{BTreeMap, HashMap};

use super::error_kind::ErrorSignature;
use super::{NewInsight, Seen, confidence};
use crate::insight::{Insight, InsightScope};
use crate::limits::{MAX_EVIDENCE_CHARS, MAX_FIELD_CHARS, MAX_PENDING_FAILURES, MAX_RECOMMENDATION_CHARS};
use crate::sanitize::one_line;
use crate::trace::{Execution, Trace};

/// The failures of all tasks, followed trace by trace.
#[derive(Debug, Default)]
pub(super) struct Resolutions {
    pending: HashMap<String, Vec<PendingFailure>>,
    n_pending: usize,
    resolved: Vec<ResolvedFailure>,
    /// What fixed something, by task, with the number of the trace that says so.
    fixes: HashMap<String, Vec<(usize, String)>>,
    n_traces: usize,
}

#[derive(Debug)]
struct PendingFailure {
    command: String,
    signature: ErrorSignature,
}

#[derive(Debug)]
struct ResolvedFailure {
    bead: String,
    signature: ErrorSignature,
    command: String,
    at: usize,
    timestamp: String,
}

impl Resolutions {
    /// Begins a trace.
    pub(super) fn add_trace(&mut self, trace: &Trace) {
        self.n_traces += 1;
        let fix = one_line(&trace.fix, MAX_RECOMMENDATION_CHARS);
        if !fix.is_empty() {
            self.fixes.entry(trace.bead_id.clone()).or_default().push((self.n_traces, fix));
        }
    }

    pub(super) fn add_failure(&mut self, trace: &Trace, execution: &Execution, signature: &ErrorSignature) {
        if self.n_pending >= MAX_PENDING_FAILURES {
            return;
        }
        let command = command_of(execution);
        let waiting = self.pending.entry(trace.bead_id.clone()).or_default();
        let is_known =
            |failure: &PendingFailure| failure.command == command && failure.signature.key() == signature.key();
        if !waiting.iter().any(is_known) {
            waiting.push(PendingFailure { command, signature: signature.clone() });
            self.n_pending += 1;
        }
    }

    /// Ends the failures of a command that passed.
    pub(super) fn add_pass(&mut self, trace: &Trace, execution: &Execution) {
        let Some(waiting) = self.pending.get_mut(&trace.bead_id) else { return };
        let command = command_of(execution);
        let (fixed, rest): (Vec<_>, Vec<_>) = waiting.drain(..).partition(|failure| failure.command == command);
        *waiting = rest;
        self.n_pending -= fixed.len();
        let at = self.n_traces;
        self.resolved.extend(fixed.into_iter().map(|PendingFailure { command, signature }| ResolvedFailure {
            bead: trace.bead_id.clone(),
            signature,
            command,
            at,
            timestamp: trace.timestamp.clone(),
        }));
    }

    /// Returns an insight for each kind of error and fix.
    pub(super) fn into_insights(self) -> Vec<Insight> {
        let mut found: BTreeMap<(String, String), (ErrorSignature, String, Seen)> = BTreeMap::new();
        for failure in self.resolved {
            // A fix is reported with the trace that passes, or after it; else it is the last one before.
            let fixes = self.fixes.get(&failure.bead).map(Vec::as_slice).unwrap_or_default();
            let after = fixes.iter().find(|(at, _)| *at >= failure.at);
            let fix = after.or_else(|| fixes.last()).map(|(_, fix)| fix.clone()).unwrap_or_default();
            let key = (failure.signature.key(), fix.to_lowercase());
            let (_, _, seen) = found.entry(key).or_insert_with(|| (failure.signature.clone(), fix, Seen::default()));
            seen.add_at(&failure.bead, &failure.timestamp);
            let line = format!("{} failed and then passed in {}", failure.command, failure.bead);
            seen.add_evidence(one_line(&line, MAX_EVIDENCE_CHARS));
        }
        found
            .into_iter()
            .map(|((key, fix_key), (signature, fix, seen))| {
                let confidence = confidence::resolved(!fix.is_empty(), seen.beads.len());
                let recommendation = if fix.is_empty() {
                    "It was fixed within the task; what changed was not reported".to_owned()
                } else {
                    one_line(&format!("Fixed by: {fix}"), MAX_RECOMMENDATION_CHARS)
                };
                let mut tags = signature.tags();
                tags.push("resolved".to_owned());
                NewInsight {
                    key: format!("resolved\n{key}\n{fix_key}"),
                    pattern: signature.pattern(),
                    recommendation,
                    scope: InsightScope::default(),
                    runner: Some(signature.tool).filter(|tool| !tool.is_empty()),
                    confidence,
                    is_eligible: confidence >= confidence::ELIGIBLE,
                    tags,
                }
                .with(seen)
            })
            .collect()
    }
}

/// What has to pass: the same command. Earlier programs wrote none, and then it is the next execution.
fn command_of(execution: &Execution) -> String {
    let text = if execution.command.is_empty() { &execution.runner } else { &execution.command };
    one_line(text, MAX_FIELD_CHARS)
}
