//! The minimum throughput of a client that is sent a reply.
//!
//! Owns: the time that writing was blocked, and the bytes written since that began.
//! Never: counts other time: only time blocked in `poll_write` counts.

use std::time::Duration;

use tokio::time::Instant;

use crate::http::limits::{MIN_WRITE_PROGRESS_BYTES, WRITE_STALL_TIMEOUT};

#[derive(Default)]
pub(super) struct StallTimer {
    /// Since when writing is blocked.
    blocked_since: Option<Instant>,
    /// How long writing was blocked before that.
    blocked_time: Duration,
    /// The bytes that were written in between.
    written_bytes: usize,
}

impl StallTimer {
    /// Records that the client took `bytes`.
    pub(super) fn record_written(&mut self, bytes: usize, now: Instant) {
        if let Some(since) = self.blocked_since.take() {
            self.blocked_time += now.saturating_duration_since(since);
        }
        if !self.blocked_time.is_zero() {
            self.written_bytes += bytes;
        }
    }

    /// Records that the client took everything.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Records that writing is blocked with `unsent` bytes left, and returns the deadline; `None` when the client was
    /// too slow.
    pub(super) fn next_deadline(&mut self, unsent: usize, now: Instant) -> Option<Instant> {
        let since = *self.blocked_since.get_or_insert(now);
        let waited = self.blocked_time + now.saturating_duration_since(since);
        if waited < WRITE_STALL_TIMEOUT {
            return Some(now + (WRITE_STALL_TIMEOUT - waited));
        }
        if self.written_bytes < MIN_WRITE_PROGRESS_BYTES.min(unsent) {
            return None;
        }
        *self = Self { blocked_since: Some(now), ..Self::default() };
        Some(now + WRITE_STALL_TIMEOUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    /// More than any client takes here.
    const MUCH: usize = 64 * 1024 * 1024;

    /// Whether a client is still waited for after `seconds` that takes `bytes` after each second of waiting, and then
    /// has nothing to take for `pause`.
    fn lasts(bytes: usize, pause: Duration, unsent: usize, seconds: u32) -> bool {
        let (mut timer, mut now) = (StallTimer::default(), Instant::now());
        for second in 0..seconds {
            let unsent = unsent.saturating_sub(bytes * second as usize);
            if timer.next_deadline(unsent, now).is_none() || timer.next_deadline(unsent, now + SECOND).is_none() {
                return false;
            }
            timer.record_written(bytes, now + SECOND);
            now += SECOND + pause;
        }
        true
    }

    #[test]
    fn stalled_client_times_out() {
        let (mut timer, now) = (StallTimer::default(), Instant::now());
        assert_eq!(timer.next_deadline(MUCH, now), Some(now + WRITE_STALL_TIMEOUT));
        // A second blocked write does not move the deadline.
        assert_eq!(timer.next_deadline(MUCH, now + SECOND), Some(now + WRITE_STALL_TIMEOUT));
        assert_eq!(timer.next_deadline(MUCH, now + WRITE_STALL_TIMEOUT), None);
    }

    #[test]
    fn client_above_minimum_throughput_stays() {
        assert!(lasts(MIN_WRITE_PROGRESS_BYTES / 50, Duration::ZERO, MUCH, 200));
        assert!(!lasts(MIN_WRITE_PROGRESS_BYTES / 70, Duration::ZERO, MUCH, 200));
    }

    /// Time in which there is nothing to take does not count.
    #[test]
    fn idle_time_is_not_counted() {
        assert!(lasts(1, 100 * SECOND, MUCH, 50));
        assert!(!lasts(1, 100 * SECOND, MUCH, 70));
        let (mut timer, mut now) = (StallTimer::default(), Instant::now());
        for _ in 0..1000 {
            assert!(timer.next_deadline(MUCH, now).is_some());
            now += SECOND;
            timer.record_written(1, now);
            timer.reset();
        }
    }

    /// At the end of an answer less than the minimum is enough.
    #[test]
    fn slow_end_of_answer_does_not_time_out() {
        assert!(lasts(MIN_WRITE_PROGRESS_BYTES / 100, Duration::ZERO, MIN_WRITE_PROGRESS_BYTES, 100));
    }
}
