//! What is counted instead of written line by line: refusals, which outsiders can cause as often as they like, and
//! whatever a caller does more often than it may fill the trail with.
//!
//! Owns: the counts, by who did what, and the lines that each caller has left.
//! Never: forgets that something happened: what has no count of its own counts as one of several.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{AuditAction, AuditEvent, AuditSource};
use crate::limits::{
    AUDIT_COUNT_INTERVAL, AUDIT_RECORD_BURST, AUDIT_RECORD_INTERVAL, MAX_COUNTED_KINDS, MAX_COUNTED_KINDS_PER_CALLER,
};

#[derive(Default)]
pub(super) struct EventCounts {
    counts: BTreeMap<EventKind, EventCount>,
    allowances: BTreeMap<AuditSource, RecordAllowance>,
    /// A caller of `count` was told to write the due counts, and `take_due` has not run yet.
    is_writing_asked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct EventKind {
    source: AuditSource,
    action: AuditAction,
    subject: String,
    outcome: String,
}

#[derive(Default)]
struct EventCount {
    unwritten: u64,
    written: Option<Instant>,
}

/// The lines that a caller may write now; they come back with time.
struct RecordAllowance {
    left: u32,
    counted_at: Instant,
}

/// A number of events to write.
pub(super) struct CountedEvents {
    pub(super) source: AuditSource,
    pub(super) action: AuditAction,
    pub(super) subject: String,
    pub(super) outcome: String,
    pub(super) count: u64,
}

/// Stands for what has no count of its own.
const SEVERAL: &str = "several";

impl EventKind {
    fn new(source: &AuditSource, event: &AuditEvent) -> Self {
        // The id of a run names one run, and a count is of many.
        let subject = match event.action {
            AuditAction::RunBegun | AuditAction::RunEnded => SEVERAL,
            _ => event.subject,
        };
        Self {
            source: source.clone(),
            action: event.action,
            subject: subject.to_owned(),
            outcome: event.outcome.to_owned(),
        }
    }

    fn is_several(&self) -> bool {
        self.outcome == SEVERAL
    }

    fn into_several(self) -> Self {
        Self { subject: SEVERAL.to_owned(), outcome: SEVERAL.to_owned(), ..self }
    }
}

impl EventCount {
    fn is_due(&self) -> bool {
        self.unwritten > 0 && self.written.is_none_or(|written| written.elapsed() >= AUDIT_COUNT_INTERVAL)
    }

    /// Whether it was written a while ago, and nothing came back.
    fn is_over(&self) -> bool {
        self.unwritten == 0 && self.written.is_none_or(|written| written.elapsed() >= AUDIT_COUNT_INTERVAL)
    }
}

impl RecordAllowance {
    const fn full(now: Instant) -> Self {
        Self { left: AUDIT_RECORD_BURST, counted_at: now }
    }

    fn take(&mut self, now: Instant) -> bool {
        let periods = now.duration_since(self.counted_at).as_nanos() / AUDIT_RECORD_INTERVAL.as_nanos();
        let returned = u32::try_from(periods).unwrap_or(AUDIT_RECORD_BURST).min(AUDIT_RECORD_BURST);
        if returned == AUDIT_RECORD_BURST {
            *self = Self::full(now);
        } else {
            self.left = (self.left + returned).min(AUDIT_RECORD_BURST);
            self.counted_at += AUDIT_RECORD_INTERVAL * returned;
        }
        let has_one = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has_one
    }
}

impl EventCounts {
    /// Whether the caller may write another line of its own.
    pub(super) fn take_record(&mut self, source: &AuditSource) -> bool {
        let now = Instant::now();
        self.allowances.entry(source.clone()).or_insert_with(|| RecordAllowance::full(now)).take(now)
    }

    /// Counts one, and returns whether counts should be written: true once, until they are.
    pub(super) fn count(&mut self, source: &AuditSource, event: &AuditEvent) -> bool {
        let kind = self.find_place(EventKind::new(source, event));
        let count = self.counts.entry(kind).or_default();
        count.unwritten += 1;
        count.is_due() && !std::mem::replace(&mut self.is_writing_asked, true)
    }

    /// Returns the kind as which something is counted: itself, while its caller and all callers have few.
    fn find_place(&mut self, kind: EventKind) -> EventKind {
        if self.counts.contains_key(&kind) {
            return kind;
        }
        let own = |counts: &BTreeMap<EventKind, EventCount>| {
            counts.keys().filter(|other| other.source == kind.source && !other.is_several()).count()
        };
        if self.counts.len() >= MAX_COUNTED_KINDS || own(&self.counts) >= MAX_COUNTED_KINDS_PER_CALLER {
            self.counts.retain(|_, count| !count.is_over());
        }
        if own(&self.counts) >= MAX_COUNTED_KINDS_PER_CALLER {
            return kind.into_several();
        }
        if self.counts.len() >= MAX_COUNTED_KINDS {
            let source = AuditSource { who: SEVERAL.to_owned(), through: kind.source.through };
            return EventKind { source, ..kind.into_several() };
        }
        kind
    }

    /// Takes the counts that are due, or all.
    pub(super) fn take_due(&mut self, all: bool) -> Vec<CountedEvents> {
        self.is_writing_asked = false;
        let due = self.counts.iter_mut().filter(|(_, count)| count.is_due() || all && count.unwritten > 0);
        due.map(|(kind, count)| {
            count.written = Some(Instant::now());
            let EventKind { source, action, subject, outcome } = kind.clone();
            CountedEvents { source, action, subject, outcome, count: std::mem::take(&mut count.unwritten) }
        })
        .collect()
    }
}
