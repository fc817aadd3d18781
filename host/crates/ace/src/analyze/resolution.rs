//! Failures that were fixed: a command that failed and later passed in the same task.
//!
//! Owns: which failures wait for their command to pass, what was reported to have fixed them, or which files changed, and
//! which tasks say the same: their errors are of one kind, and their reports are alike.
//! Never: takes a fix of one task for that of another, or a command that passed without any change for fixed.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::alike::{self, ComparedFix};
use super::confidence::{ErrorFate, FixEvidence};
use super::error_kind::{ErrorKind, ErrorSignature};
use super::{NewInsight, Seen, confidence};
use crate::insight::{Insight, InsightScope};
use crate::limits::{
    MAX_COUNTED_FILES, MAX_EVIDENCE_CHARS, MAX_FIELD_CHARS, MAX_FIXES_OF_KIND, MAX_INSIGHT_FILES, MAX_PENDING_FAILURES,
    MAX_PENDING_OF_TASK, MAX_RECOMMENDATION_CHARS,
};
use crate::sanitize::one_line;
use crate::trace::{Execution, Trace};

/// The failures of all tasks, followed trace by trace.
#[derive(Debug, Default)]
pub(super) struct Resolutions {
    /// By task.
    pending: HashMap<String, Vec<PendingFailure>>,
    n_pending: usize,
    commands: CommandNames,
    /// Kinds of errors that went without a change.
    flaky: HashSet<usize>,
    resolved: Vec<ResolvedFailure>,
    /// What fixed something, by task, with the number of the trace that says so.
    fixes: HashMap<String, Vec<(usize, String)>>,
    n_traces: usize,
}

/// Both by their numbers: many tasks fail in the same ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PendingFailure {
    command: usize,
    kind: usize,
}

/// The commands that failed, with numbers.
#[derive(Debug, Default)]
struct CommandNames {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl CommandNames {
    fn number(&mut self, execution: &Execution) -> usize {
        let text = command_of(execution);
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        self.names.push(one_line(text, MAX_FIELD_CHARS));
        self.numbers.insert(text.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

#[derive(Debug)]
struct ResolvedFailure {
    bead: String,
    kind: usize,
    command: usize,
    /// The files that changed, if that is known.
    changed: Vec<String>,
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

    pub(super) fn add_failure(&mut self, trace: &Trace, execution: &Execution, kind: usize) {
        if self.n_pending >= MAX_PENDING_FAILURES {
            return;
        }
        let failure = PendingFailure { command: self.commands.number(execution), kind };
        match self.pending.get_mut(&trace.bead_id) {
            Some(waiting) if waiting.len() >= MAX_PENDING_OF_TASK || waiting.contains(&failure) => return,
            Some(waiting) => waiting.push(failure),
            None => drop(self.pending.insert(trace.bead_id.clone(), vec![failure])),
        }
        self.n_pending += 1;
    }

    /// Ends the failures of a command that passed.
    pub(super) fn add_pass(&mut self, trace: &Trace, execution: &Execution) {
        let Some(waiting) = self.pending.get_mut(&trace.bead_id) else { return };
        let command = self.commands.number(execution);
        let (fixed, rest): (Vec<_>, Vec<_>) = waiting.drain(..).partition(|failure| failure.command == command);
        *waiting = rest;
        if waiting.is_empty() {
            self.pending.remove(&trace.bead_id);
        }
        self.n_pending -= fixed.len();
        // A failure that comes and goes teaches no fix.
        if execution.changed_files.as_ref().is_some_and(Vec::is_empty) {
            return self.flaky.extend(fixed.into_iter().map(|failure| failure.kind));
        }
        if self.resolved.len() >= MAX_PENDING_FAILURES {
            return;
        }
        let at = self.n_traces;
        self.resolved.extend(fixed.into_iter().map(|PendingFailure { command, kind }| ResolvedFailure {
            bead: trace.bead_id.clone(),
            kind,
            command,
            changed: execution.changed_files.clone().unwrap_or_default(),
            at,
            timestamp: trace.timestamp.clone(),
        }));
    }

    /// Returns an insight for each kind of error and fix, and what became of the kinds, by their numbers.
    pub(super) fn into_insights(self, kinds: &[ErrorKind]) -> (Vec<Insight>, HashMap<usize, ErrorFate>) {
        let mut lessons: Vec<FixLesson<'_>> = Vec::new();
        let mut fates: HashMap<usize, ErrorFate> =
            self.flaky.into_iter().map(|kind| (kind, ErrorFate::Flaky)).collect();
        let mut by_kind: HashMap<String, Vec<usize>> = HashMap::new();
        for failure in self.resolved {
            // A fix is reported with the trace that passes, or after it; else it is the last one before.
            let fixes = self.fixes.get(&failure.bead).map(Vec::as_slice).unwrap_or_default();
            let after = fixes.iter().find(|(at, _)| *at >= failure.at);
            let Some(signature) = kinds.get(failure.kind).map(|kind| &kind.signature) else { continue };
            let fix = after.or_else(|| fixes.last()).map(|(_, fix)| fix.as_str()).unwrap_or_default();
            let compared = ComparedFix::new(fix);
            // A report without a word of its own is none: a second task could confirm it without saying the same.
            let fix = if compared.is_empty() { "" } else { fix };
            let fate = if fix.is_empty() { ErrorFate::Open } else { ErrorFate::FixReported };
            let known = fates.entry(failure.kind).or_insert(fate);
            if *known != ErrorFate::FixReported {
                *known = fate;
            }
            // The first report of a lesson decides what is like it, so that a longer log does not change lessons.
            let own_kind = by_kind.entry(alike::kind_of(signature)).or_default();
            let is_same = |at: &&usize| {
                lessons.get(**at).is_some_and(|lesson| match (lesson.fix.is_empty(), fix.is_empty()) {
                    (true, true) => lesson.signature.key() == signature.key(),
                    (false, false) => lesson.compared.is_like(&compared),
                    _ => false,
                })
            };
            let at = match own_kind.iter().find(is_same) {
                Some(at) => *at,
                // Each failure is compared with all of them.
                None if own_kind.len() >= MAX_FIXES_OF_KIND => continue,
                None => {
                    own_kind.push(lessons.len());
                    lessons.push(FixLesson::new(signature, fix, compared));
                    lessons.len() - 1
                }
            };
            if let Some(lesson) = lessons.get_mut(at) {
                let command = self.commands.names.get(failure.command).map(String::as_str).unwrap_or_default();
                lesson.add(signature, &failure, command);
            }
        }
        // In the order of their first errors and fixes, whatever the log begins with.
        lessons.sort_by_cached_key(FixLesson::key);
        (lessons.into_iter().map(FixLesson::into_insight).collect(), fates)
    }
}

/// A fix, and the failures that it ended.
struct FixLesson<'k> {
    /// Of the first failure.
    signature: &'k ErrorSignature,
    /// The first report. Empty where none was made.
    fix: String,
    compared: ComparedFix,
    /// Whether a failure has other names in its message than the first one.
    has_other_names: bool,
    /// In how many failures a file changed.
    changed: BTreeMap<String, usize>,
    n_failures: usize,
    seen: Seen,
}

impl<'k> FixLesson<'k> {
    fn new(signature: &'k ErrorSignature, fix: &str, compared: ComparedFix) -> Self {
        Self {
            signature,
            fix: fix.to_owned(),
            compared,
            has_other_names: false,
            changed: BTreeMap::new(),
            n_failures: 0,
            seen: Seen::default(),
        }
    }

    fn add(&mut self, signature: &ErrorSignature, failure: &ResolvedFailure, command: &str) {
        self.has_other_names |= self.signature.key() != signature.key();
        self.n_failures += 1;
        for file in &failure.changed {
            let file = one_line(file, MAX_EVIDENCE_CHARS);
            if self.changed.len() < MAX_COUNTED_FILES || self.changed.contains_key(&file) {
                *self.changed.entry(file).or_default() += 1;
            }
        }
        self.seen.add_at(&failure.bead, &failure.timestamp);
        let line = format!("{command} failed and then passed in {}", failure.bead);
        self.seen.add_evidence(one_line(&line, MAX_EVIDENCE_CHARS));
    }

    fn key(&self) -> String {
        format!("resolved\n{}\n{}", self.signature.key(), self.fix.to_lowercase())
    }

    fn into_insight(self) -> Insight {
        let key = self.key();
        let files = self.usual_files();
        let (evidence, recommendation) = match (self.fix.is_empty(), files.is_empty()) {
            (false, _) => (FixEvidence::Reported, format!("Fixed by: {}", self.fix)),
            (true, false) => (FixEvidence::ChangedFiles, format!("Fixed by a change of {}", files.join(", "))),
            (true, true) => {
                (FixEvidence::None, "It was fixed within the task; what changed was not reported".to_owned())
            }
        };
        let confidence = confidence::resolved(evidence, self.seen.beads.len());
        let mut tags = self.signature.tags();
        tags.push("resolved".to_owned());
        let pattern = self.signature.pattern();
        NewInsight {
            key,
            pattern: if self.has_other_names { alike::without_names(&pattern) } else { pattern },
            recommendation: one_line(&recommendation, MAX_RECOMMENDATION_CHARS),
            scope: InsightScope::default(),
            runner: Some(self.signature.tool.clone()).filter(|tool| !tool.is_empty()),
            confidence,
            is_eligible: confidence >= confidence::ELIGIBLE,
            tags,
        }
        .with(self.seen)
    }

    /// Returns the files that changed in most of the failures, the most frequent ones first.
    fn usual_files(&self) -> Vec<&str> {
        let is_usual = |(_, n_changes): &(&String, &usize)| **n_changes * 2 > self.n_failures;
        let mut usual: Vec<_> = self.changed.iter().filter(is_usual).collect();
        usual.sort_by_key(|(_, n_changes)| std::cmp::Reverse(**n_changes));
        usual.truncate(MAX_INSIGHT_FILES);
        usual.into_iter().map(|(file, _)| file.as_str()).collect()
    }
}

/// What has to pass: the same command. Earlier programs wrote none, and then it is the next execution.
fn command_of(execution: &Execution) -> &str {
    if execution.command.is_empty() { &execution.runner } else { &execution.command }
}
