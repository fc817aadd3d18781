//! The processor time of a run, in all its processes and over all its pauses.
//!
//! Owns: what counts. Waiting does not; a replay counts apart, with the same limit, because the run does not choose it.
//! Never: measures a worker itself.

use std::time::{Duration, Instant};

use super::error::RunError;
use crate::limits::RUN_PROCESSOR_TIME_INTERVAL;

/// The processor time of a run.
#[derive(Debug)]
pub(super) struct ProcessorTime {
    limit: Duration,
    /// Of earlier processes, as the journal has it.
    before: Duration,
    /// Of workers of this process that have ended.
    ended: Duration,
    /// What this process spent on the replay.
    replayed: Duration,
    checked_at: Instant,
}

impl ProcessorTime {
    pub(super) fn new(limit: Duration) -> Self {
        let checked_at = Instant::now();
        Self { limit, before: Duration::ZERO, ended: Duration::ZERO, replayed: Duration::ZERO, checked_at }
    }

    pub(super) const fn resume_from(&mut self, before: Duration) {
        self.before = before;
    }

    pub(super) fn add_ended(&mut self, time: Duration) {
        self.ended += time;
    }

    /// Whether the time should be measured again.
    pub(super) fn is_due(&self) -> bool {
        self.checked_at.elapsed() >= RUN_PROCESSOR_TIME_INTERVAL
    }

    /// Returns what counts, where the workers that live have spent `live`.
    pub(super) fn total(&self, live: Duration) -> Duration {
        self.before + (self.ended + live).saturating_sub(self.replayed)
    }

    /// Whether the run has taken more than it has, where the workers that live have spent `live`.
    pub(super) fn is_over(&self, live: Duration) -> bool {
        self.total(live) > self.limit
    }

    /// Checks the limits. A replay that exceeds its own may succeed on a machine that is faster.
    pub(super) fn check(&mut self, live: Duration, is_replaying: bool) -> Result<(), RunError> {
        self.checked_at = Instant::now();
        let limit = self.limit.as_secs();
        if is_replaying {
            self.replayed = self.ended + live;
            if self.replayed > self.limit {
                let message = format!("the replay of the run took more than {limit} s of processor time");
                return Err(RunError::Retryable(message));
            }
        } else if self.is_over(live) {
            return Err(RunError::Script(format!("the run took more than {limit} s of processor time, its limit")));
        }
        Ok(())
    }
}
