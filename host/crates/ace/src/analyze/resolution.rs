//! Failures that were fixed: a command that failed and later passed in the same task.
//!
//! Owns: which failures wait for their command to pass, what was reported to have fixed them, or which files changed, and
//! which tasks say the same: their errors are of one kind, and their reports are alike.
//! Never: takes a fix of one task for that of another, or a command that passed without any change for fixed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{self, ComparedFix};
use super::confidence::{ErrorFate, FixEvidence};
use super::error_kind::{ErrorKind, ErrorSignature};
use super::text_table::{TextId, TextTable};
use super::{MAX_TIMESTAMP_CHARS, NewInsight, Seen, confidence};
use crate::insight::{Insight, InsightScope};
use crate::limits::{
    MAX_CHANGED_FILES, MAX_COUNTED_FILES, MAX_EVIDENCE_CHARS, MAX_FIELD_CHARS, MAX_FIXES_OF_KIND, MAX_ID_CHARS,
    MAX_INSIGHT_FILES, MAX_PENDING_FAILURES, MAX_PENDING_OF_TASK, MAX_RECOMMENDATION_CHARS, MAX_REPORTED_FIXES,
    MAX_RESOLVED_FAILURES, MAX_RESOLVED_FILES,
};
use crate::sanitize::{as_one_line, one_line};
use crate::trace::{Execution, Trace};

/// The failures of all tasks, followed trace by trace. Maps by numbers of ours need no hash that withstands chosen keys.
#[derive(Debug, Default)]
pub(super) struct Resolutions {
    texts: TextTable,
    /// By task.
    pending: FxHashMap<TextId, Vec<PendingFailure>>,
    n_pending: usize,
    /// Kinds of errors that went without a change.
    flaky: FxHashSet<usize>,
    resolved: Vec<ResolvedFailure>,
    /// The changed files of all resolved failures.
    n_changed: usize,
    /// What fixed something, by task, with the number of the trace that says so.
    fixes: FxHashMap<TextId, Vec<(usize, TextId)>>,
    n_fixes: usize,
    n_traces: usize,
    /// Failures and fixes beyond the bounds.
    n_omitted: usize,
}

/// The task and the command of a failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailurePlace {
    bead: TextId,
    command: TextId,
}

/// Both by their numbers: many tasks fail in the same ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PendingFailure {
    command: TextId,
    kind: usize,
}

#[derive(Debug)]
struct ResolvedFailure {
    bead: TextId,
    kind: usize,
    command: TextId,
    /// The files that changed, if that is known.
    changed: Rc<[TextId]>,
    at: usize,
    timestamp: TextId,
}

/// What became of all failures.
pub(super) struct ResolutionFindings {
    /// One for each kind of error and fix.
    pub(super) insights: Vec<Insight>,
    /// Of kinds of errors, by their numbers.
    pub(super) fates: FxHashMap<usize, ErrorFate>,
    pub(super) n_omitted: usize,
}

impl Resolutions {
    /// Begins a trace.
    pub(super) fn add_trace(&mut self, trace: &Trace) {
        self.n_traces += 1;
        let fix = one_line(&trace.fix, MAX_RECOMMENDATION_CHARS);
        if !fix.is_empty() && self.add_fix(&trace.bead_id, &fix).is_none() {
            self.n_omitted += 1;
        }
    }

    fn add_fix(&mut self, bead: &str, fix: &str) -> Option<()> {
        if self.n_fixes >= MAX_REPORTED_FIXES {
            return None;
        }
        let bead = self.texts.insert(bead, MAX_ID_CHARS)?;
        let fix = self.texts.insert(fix, MAX_RECOMMENDATION_CHARS)?;
        self.fixes.entry(bead).or_default().push((self.n_traces, fix));
        self.n_fixes += 1;
        Some(())
    }

    /// Returns where the errors of an execution occurred; `None` if there is no room for another place.
    pub(super) fn place_of(&mut self, trace: &Trace, execution: &Execution) -> Option<FailurePlace> {
        let bead = self.texts.insert(&trace.bead_id, MAX_ID_CHARS)?;
        let command = self.texts.insert(command_of(execution), MAX_FIELD_CHARS)?;
        Some(FailurePlace { bead, command })
    }

    pub(super) fn add_failure(&mut self, place: Option<FailurePlace>, kind: usize) {
        if place.and_then(|place| self.try_add_failure(place, kind)).is_none() {
            self.n_omitted += 1;
        }
    }

    fn try_add_failure(&mut self, FailurePlace { bead, command }: FailurePlace, kind: usize) -> Option<()> {
        let failure = PendingFailure { command, kind };
        let waiting = self.pending.get(&bead).map(Vec::as_slice).unwrap_or_default();
        if waiting.contains(&failure) {
            return Some(());
        }
        if self.n_pending >= MAX_PENDING_FAILURES || waiting.len() >= MAX_PENDING_OF_TASK {
            return None;
        }
        self.pending.entry(bead).or_default().push(failure);
        self.n_pending += 1;
        Some(())
    }

    /// Ends the failures of a command that passed.
    pub(super) fn add_pass(&mut self, trace: &Trace, execution: &Execution) {
        let Some(bead) = self.texts.find(&trace.bead_id, MAX_ID_CHARS) else { return };
        let Some(command) = self.texts.find(command_of(execution), MAX_FIELD_CHARS) else { return };
        let Some(waiting) = self.pending.get_mut(&bead) else { return };
        let (fixed, rest): (Vec<_>, Vec<_>) = waiting.drain(..).partition(|failure| failure.command == command);
        *waiting = rest;
        if waiting.is_empty() {
            self.pending.remove(&bead);
        }
        self.n_pending -= fixed.len();
        // A failure that comes and goes teaches no fix.
        if execution.changed_files.as_ref().is_some_and(Vec::is_empty) {
            return self.flaky.extend(fixed.into_iter().map(|failure| failure.kind));
        }
        let n_fixed = fixed.len();
        if n_fixed > 0 && self.add_resolved(trace, execution, bead, fixed).is_none() {
            self.n_omitted += n_fixed;
        }
    }

    fn add_resolved(
        &mut self,
        trace: &Trace,
        execution: &Execution,
        bead: TextId,
        fixed: Vec<PendingFailure>,
    ) -> Option<()> {
        let changed = execution.changed_files.as_deref().unwrap_or_default();
        let changed = changed.get(..MAX_CHANGED_FILES).unwrap_or(changed);
        let n_changed = self.n_changed + changed.len();
        if self.resolved.len() + fixed.len() > MAX_RESOLVED_FAILURES || n_changed > MAX_RESOLVED_FILES {
            return None;
        }
        let timestamp = self.texts.insert(&trace.timestamp, MAX_TIMESTAMP_CHARS)?;
        let changed: Rc<[TextId]> = changed.iter().map(|file| self.changed_file(file)).collect::<Option<_>>()?;
        self.n_changed = n_changed;
        let at = self.n_traces;
        self.resolved.extend(fixed.into_iter().map(|PendingFailure { command, kind }| ResolvedFailure {
            bead,
            kind,
            command,
            changed: Rc::clone(&changed),
            at,
            timestamp,
        }));
        Some(())
    }

    /// Returns the number of a file. Most were named before, as they are shown.
    fn changed_file(&mut self, file: &str) -> Option<TextId> {
        let known = Some(file).filter(|file| file.len() <= MAX_EVIDENCE_CHARS);
        let known = known.and_then(|file| self.texts.find(file, MAX_EVIDENCE_CHARS));
        known.or_else(|| self.texts.insert(&as_one_line(file, MAX_EVIDENCE_CHARS), MAX_EVIDENCE_CHARS))
    }

    /// Returns what became of all failures.
    pub(super) fn finish(mut self, kinds: &[ErrorKind]) -> ResolutionFindings {
        let mut lessons: Vec<FixLesson<'_>> = Vec::new();
        let mut fates: FxHashMap<usize, ErrorFate> = self.flaky.drain().map(|kind| (kind, ErrorFate::Flaky)).collect();
        let mut by_kind: HashMap<String, Vec<usize>> = HashMap::new();
        // The lesson of a kind of error and a report is found once, since neither changes.
        let mut found: FxHashMap<(usize, Option<TextId>), FoundLesson> = FxHashMap::default();
        for failure in &self.resolved {
            let Some(signature) = kinds.get(failure.kind).map(|kind| &kind.signature) else { continue };
            let fix = self.fix_of(failure);
            let lesson = *found.entry((failure.kind, fix)).or_insert_with(|| {
                let fix = fix.map(|fix| self.texts.text(fix)).unwrap_or_default();
                find_lesson(
                    (failure.kind, signature),
                    fix,
                    &mut lessons,
                    by_kind.entry(alike::kind_of(signature)).or_default(),
                )
            });
            let known = fates.entry(failure.kind).or_insert(lesson.fate);
            if *known != ErrorFate::FixReported {
                *known = lesson.fate;
            }
            match lesson.number.and_then(|number| lessons.get_mut(number)) {
                Some(lesson) => lesson.add(failure, &self.texts),
                None => self.n_omitted += 1,
            }
        }
        // In the order of their first errors and fixes, whatever the log begins with.
        lessons.sort_by_cached_key(FixLesson::key);
        let insights = lessons.into_iter().map(|lesson| lesson.into_insight(&self.texts)).collect();
        ResolutionFindings { insights, fates, n_omitted: self.n_omitted }
    }

    /// Returns the report of what fixed a failure. It is made with the trace that passes, or after it; else it is the last
    /// one before.
    fn fix_of(&self, failure: &ResolvedFailure) -> Option<TextId> {
        let fixes = self.fixes.get(&failure.bead)?;
        let after = fixes.get(fixes.partition_point(|(at, _)| *at < failure.at));
        after.or_else(|| fixes.last()).map(|(_, fix)| *fix)
    }
}

/// The lesson of a kind of error and a report.
#[derive(Debug, Clone, Copy)]
struct FoundLesson {
    fate: ErrorFate,
    /// `None` beyond the bound of a kind.
    number: Option<usize>,
}

/// Finds the lesson among those of errors of its kind, or makes it.
fn find_lesson<'k>(
    (kind, signature): (usize, &'k ErrorSignature),
    fix: &str,
    lessons: &mut Vec<FixLesson<'k>>,
    own_kind: &mut Vec<usize>,
) -> FoundLesson {
    let compared = ComparedFix::new(fix);
    // A report without a word of its own is none: a second task could confirm it without saying the same.
    let fix = if compared.is_empty() { "" } else { fix };
    let fate = if fix.is_empty() { ErrorFate::Open } else { ErrorFate::FixReported };
    // The first report of a lesson decides what is like it, so that a longer log does not change lessons.
    let is_same = |at: &&usize| {
        lessons.get(**at).is_some_and(|lesson| match (lesson.fix.is_empty(), fix.is_empty()) {
            (true, true) => lesson.kind == kind,
            (false, false) => lesson.compared.is_like(&compared),
            _ => false,
        })
    };
    let number = match own_kind.iter().find(is_same) {
        Some(number) => Some(*number),
        // Each report is compared with all of them.
        None if own_kind.len() >= MAX_FIXES_OF_KIND => None,
        None => {
            own_kind.push(lessons.len());
            lessons.push(FixLesson::new((kind, signature), fix, compared));
            Some(lessons.len() - 1)
        }
    };
    FoundLesson { fate, number }
}

/// A fix, and the failures that it ended.
struct FixLesson<'k> {
    /// Of the first failure, as is its signature.
    kind: usize,
    signature: &'k ErrorSignature,
    /// The first report. Empty where none was made.
    fix: String,
    compared: ComparedFix,
    /// Whether a failure has other names in its message than the first one.
    has_other_names: bool,
    /// In how many failures a file changed.
    changed: FxHashMap<TextId, usize>,
    n_failures: usize,
    seen: Seen,
}

impl<'k> FixLesson<'k> {
    fn new((kind, signature): (usize, &'k ErrorSignature), fix: &str, compared: ComparedFix) -> Self {
        Self {
            kind,
            signature,
            fix: fix.to_owned(),
            compared,
            has_other_names: false,
            changed: FxHashMap::default(),
            n_failures: 0,
            seen: Seen::default(),
        }
    }

    fn add(&mut self, failure: &ResolvedFailure, texts: &TextTable) {
        self.has_other_names |= self.kind != failure.kind;
        self.n_failures += 1;
        for file in failure.changed.iter() {
            if self.changed.len() < MAX_COUNTED_FILES || self.changed.contains_key(file) {
                *self.changed.entry(*file).or_default() += 1;
            }
        }
        let bead = texts.text(failure.bead);
        self.seen.add_at(bead, texts.text(failure.timestamp));
        if self.seen.takes_evidence() {
            let line = format!("{} failed and then passed in {bead}", texts.text(failure.command));
            self.seen.add_evidence(one_line(&line, MAX_EVIDENCE_CHARS));
        }
    }

    fn key(&self) -> String {
        format!("resolved\n{}\n{}", self.signature.key(), self.fix.to_lowercase())
    }

    fn into_insight(self, texts: &TextTable) -> Insight {
        let key = self.key();
        let files = self.usual_files(texts);
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
    fn usual_files<'t>(&self, texts: &'t TextTable) -> Vec<&'t str> {
        let is_usual = |(_, n_changes): &(&TextId, &usize)| **n_changes * 2 > self.n_failures;
        let usual = self.changed.iter().filter(is_usual);
        let mut usual: Vec<_> = usual.map(|(file, n_changes)| (Reverse(*n_changes), texts.text(*file))).collect();
        usual.sort_unstable();
        usual.truncate(MAX_INSIGHT_FILES);
        usual.into_iter().map(|(_, file)| file).collect()
    }
}

/// What has to pass: the same command. Earlier programs wrote none, and then it is the next execution.
fn command_of(execution: &Execution) -> &str {
    if execution.command.is_empty() { &execution.runner } else { &execution.command }
}
