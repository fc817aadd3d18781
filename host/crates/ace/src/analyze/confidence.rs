//! How sure an insight is, in hundredths.
//!
//! Owns: the formula, which `docs/ACE.md` documents.
//! Never: reads a clock: the same traces give the same confidence.

use crate::hundredths::Hundredths;

/// From this on an insight becomes a bullet unless a call says otherwise.
pub(crate) const ELIGIBLE: Hundredths = Hundredths::new(80);
/// Of a discovery chain with at least three issues, and with fewer.
pub(super) const LONG_CHAIN: Hundredths = Hundredths::new(85);
pub(super) const SHORT_CHAIN: Hundredths = Hundredths::new(65);
/// Of bullets that were reported as harmful: a person decides on them.
pub(super) const HARMFUL_FEEDBACK: Hundredths = Hundredths::new(75);

/// Most of an error for which a fix was reported, which says more than advice for everything of its kind, and of one that
/// goes without a change.
const SETTLED_ERROR: u8 = 75;

/// What became of the errors of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorFate {
    Open,
    /// A task reported what fixed it.
    FixReported,
    /// The command passed without any change, each time.
    Flaky,
}

/// What is known of a kind of error.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorFacts {
    /// It has a code, or a message that is known.
    pub(super) is_recognised: bool,
    /// Every occurrence has the severity `error`.
    pub(super) is_severe: bool,
    pub(super) fate: ErrorFate,
    pub(super) n_tasks: usize,
    pub(super) n_files: usize,
}

impl ErrorFacts {
    /// A recognised error starts at 0.80 and another one at 0.60, a warning 0.10 below; 0.20 more for three tasks,
    /// 0.10 more for five, 0.10 more for three files; at most 0.75 where its fix is known, or
    /// where it goes without a change.
    pub(super) fn confidence(self) -> Hundredths {
        let start = if self.is_recognised { 80 } else { 60 };
        let severity = if self.is_severe { 0 } else { 10 };
        let tasks = if self.n_tasks >= 3 { 20 } else { 0 } + if self.n_tasks >= 5 { 10 } else { 0 };
        let files = if self.n_files >= 3 { 10 } else { 0 };
        let most = if self.fate == ErrorFate::Open { 100 } else { SETTLED_ERROR };
        Hundredths::new((start - severity + tasks + files).min(most))
    }
}

/// What is known of the fix of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FixEvidence {
    /// A person or an agent reported it.
    Reported,
    /// The files that changed in most of the failures.
    ChangedFiles,
    None,
}

/// Of a failure after which the same command passed in the same task. With what fixed it: 0.75 in one task, which may be
/// a coincidence, 0.85 in two, and 0.05 more for each of two further ones. With the files that changed: 0.70, and without
/// both 0.60; 0.05 more for each of three further tasks.
pub(super) fn resolved(evidence: FixEvidence, n_tasks: usize) -> Hundredths {
    let further = u8::try_from(n_tasks.saturating_sub(1).min(3)).unwrap_or(3);
    let start = match evidence {
        FixEvidence::Reported if further > 0 => 80,
        FixEvidence::Reported => 75,
        FixEvidence::ChangedFiles => 70,
        FixEvidence::None => 60,
    };
    Hundredths::new(start + 5 * further)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognised_errors_are_eligible_at_once_and_others_by_repetition() {
        let facts = ErrorFacts { is_recognised: true, is_severe: true, fate: ErrorFate::Open, n_tasks: 1, n_files: 1 };
        let at = |facts: ErrorFacts| facts.confidence().fraction();
        assert_eq!(at(facts), 0.8);
        assert_eq!(at(ErrorFacts { is_severe: false, ..facts }), 0.7);
        assert_eq!(at(ErrorFacts { n_tasks: 5, n_files: 3, ..facts }), 1.0);
        for fate in [ErrorFate::FixReported, ErrorFate::Flaky] {
            assert_eq!(at(ErrorFacts { fate, n_tasks: 5, n_files: 3, ..facts }), 0.75);
        }
        let other = ErrorFacts { is_recognised: false, ..facts };
        assert_eq!(at(ErrorFacts { fate: ErrorFate::Flaky, ..other }), 0.6);
        assert_eq!(at(other), 0.6);
        assert_eq!(at(ErrorFacts { n_files: 3, ..other }), 0.7);
        assert_eq!(at(ErrorFacts { n_tasks: 3, ..other }), 0.8);
        assert_eq!(at(ErrorFacts { n_tasks: 5, ..other }), 0.9);
        let of = |evidence, n_tasks| resolved(evidence, n_tasks).fraction();
        assert_eq!([1, 2, 3, 4, 100].map(|n| of(FixEvidence::Reported, n)), [0.75, 0.85, 0.9, 0.95, 0.95]);
        assert_eq!([1, 2, 3, 100].map(|n| of(FixEvidence::ChangedFiles, n)), [0.7, 0.75, 0.8, 0.85]);
        assert!(resolved(FixEvidence::None, 100) < ELIGIBLE);
    }
}
