//! Traces and insights by day, as a plot and `ace://knowledge/stats` show them.
//!
//! Owns: which days are shown: the last ones until today, in UTC, with those on which nothing happened.
//! Never: reads a log to its start: rows far older than the first day end the reading.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize, Serializer};

use crate::LearningLog;
use crate::error_code as code;
use crate::files::LogFile;
use crate::insight_cache::KnownInsights;
use crate::limits::{MAX_OLD_ROWS, TIMELINE_DAYS};
use crate::trace::or_default;
use wardroom_service::ServiceError;

/// A day, and what happened on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TimelineDay {
    #[serde(serialize_with = "as_text")]
    pub(crate) day: NaiveDate,
    pub(crate) traces: usize,
    /// Traces in which an execution failed.
    pub(crate) failed: usize,
    /// Insights that were last seen on this day.
    pub(crate) insights: usize,
}

/// The part of a trace that a plot needs.
#[derive(Deserialize)]
struct TracedDay {
    #[serde(default, deserialize_with = "or_default")]
    timestamp: String,
    #[serde(default, deserialize_with = "or_default")]
    execution_results: Vec<TracedStatus>,
}

#[derive(Deserialize)]
struct TracedStatus {
    #[serde(default, deserialize_with = "or_default")]
    status: String,
}

impl LearningLog {
    /// Returns the last days, the first one first.
    ///
    /// # Errors
    /// When a log is there and cannot be read.
    pub(crate) fn timeline(
        &self,
        known: &KnownInsights,
        now: DateTime<Utc>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<TimelineDay>, ServiceError> {
        let mut timeline = Timeline::new(now.date_naive());
        known.iter().filter_map(|insight| insight.time).for_each(|time| timeline.add_insight(time));
        let mut n_old = 0;
        let visited = self.files.visit_backwards(LogFile::Traces, stop, |trace: TracedDay| {
            let has_failed = trace.execution_results.iter().any(|run| crate::trace::is_failure(&run.status));
            let time = DateTime::parse_from_rfc3339(&trace.timestamp);
            // Programs may have added older traces later.
            n_old = if time.is_ok_and(|time| timeline.add_trace(time.to_utc(), has_failed)) { 0 } else { n_old + 1 };
            if n_old < MAX_OLD_ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match visited {
            Ok(_) | Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => Ok(timeline.into_days()),
            Err(error) => Err(error),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn as_text<S: Serializer>(day: &NaiveDate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

struct Timeline {
    days: BTreeMap<NaiveDate, TimelineDay>,
}

impl Timeline {
    fn new(today: NaiveDate) -> Self {
        let day = |back: i64| {
            let day = today.checked_sub_signed(TimeDelta::days(back))?;
            Some((day, TimelineDay { day, traces: 0, failed: 0, insights: 0 }))
        };
        Self { days: (0..TIMELINE_DAYS).filter_map(day).collect() }
    }

    fn add_insight(&mut self, time: DateTime<Utc>) {
        if let Some(day) = self.days.get_mut(&time.date_naive()) {
            day.insights += 1;
        }
    }

    /// Returns whether the day is shown.
    fn add_trace(&mut self, time: DateTime<Utc>, has_failed: bool) -> bool {
        let Some(day) = self.days.get_mut(&time.date_naive()) else { return false };
        day.traces += 1;
        day.failed += usize::from(has_failed);
        true
    }

    fn into_days(self) -> Vec<TimelineDay> {
        self.days.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_days_are_shown_with_the_empty_ones() {
        let time = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().to_utc();
        let mut timeline = Timeline::new(time("2026-03-01T12:00:00Z").date_naive());
        assert!(timeline.add_trace(time("2026-03-01T23:59:59Z"), true));
        // A day is one of UTC.
        assert!(timeline.add_trace(time("2026-03-01T01:00:00+02:00"), false));
        assert!(
            !timeline.add_trace(time("2026-01-30T00:00:00Z"), true)
                && !timeline.add_trace(time("2027-01-01T00:00:00Z"), true)
        );
        timeline.add_insight(time("2026-01-31T00:00:00Z"));
        let days = timeline.into_days();
        assert_eq!((days.len(), days[0].day.to_string(), days[0].insights), (30, "2026-01-31".to_owned(), 1));
        let counts = |day: &TimelineDay| (day.traces, day.failed, day.insights);
        assert_eq!((counts(&days[28]), counts(&days[29])), ((1, 0, 0), (1, 1, 0)));
    }
}
