//! Refusals, which outsiders can cause as often as they like: they are counted, and written with their number.

use std::collections::BTreeMap;
use std::time::Instant;

use super::AuditSource;
use crate::limits::{AUDIT_REFUSAL_INTERVAL, MAX_COUNTED_REFUSALS};

/// The counts, by who was refused what and why.
#[derive(Default)]
pub(super) struct RefusalCounts(BTreeMap<RefusalKind, RefusalCount>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RefusalKind {
    source: AuditSource,
    subject: String,
    reason: String,
}

#[derive(Default)]
struct RefusalCount {
    unwritten: u64,
    written: Option<Instant>,
}

/// A number of refusals to write.
pub(super) struct CountedRefusals {
    pub(super) source: AuditSource,
    pub(super) subject: String,
    pub(super) reason: String,
    pub(super) count: u64,
}

impl RefusalCount {
    fn is_due(&self) -> bool {
        self.unwritten > 0 && self.written.is_none_or(|written| written.elapsed() >= AUDIT_REFUSAL_INTERVAL)
    }
}

impl RefusalCounts {
    /// Counts one, and returns whether counts should be written.
    pub(super) fn count(&mut self, source: &AuditSource, subject: &str, reason: &str) -> bool {
        let kind = RefusalKind { source: source.clone(), subject: subject.to_owned(), reason: reason.to_owned() };
        if self.0.len() >= MAX_COUNTED_REFUSALS && !self.0.contains_key(&kind) {
            // What was written a while ago and has not come back makes room.
            self.0.retain(|_, count| {
                count.unwritten > 0 || count.written.is_some_and(|written| written.elapsed() < AUDIT_REFUSAL_INTERVAL)
            });
        }
        let kind = if self.0.len() >= MAX_COUNTED_REFUSALS && !self.0.contains_key(&kind) {
            let source = AuditSource { who: "several".to_owned(), through: source.through };
            RefusalKind { source, subject: "several".to_owned(), reason: "several".to_owned() }
        } else {
            kind
        };
        let count = self.0.entry(kind).or_default();
        count.unwritten += 1;
        count.is_due()
    }

    /// Takes the counts that are due, or all.
    pub(super) fn take_due(&mut self, all: bool) -> Vec<CountedRefusals> {
        let due = self.0.iter_mut().filter(|(_, count)| count.is_due() || all && count.unwritten > 0);
        due.map(|(kind, count)| {
            count.written = Some(Instant::now());
            let RefusalKind { source, subject, reason } = kind.clone();
            CountedRefusals { source, subject, reason, count: std::mem::take(&mut count.unwritten) }
        })
        .collect()
    }
}
