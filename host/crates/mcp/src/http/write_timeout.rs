//! The minimum throughput of a client that is sent a reply.
//!
//! Owns: the time that writing was blocked, and the bytes written since that began.
//! Never: counts other time: only time blocked in `poll_write` counts.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{MIN_WRITE_PROGRESS_BYTES, WRITE_STALL_TIMEOUT};

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

    /// Records that writing is blocked with `left` bytes unsent, and returns the deadline; `None` when the client was
    /// too slow.
    pub(super) fn next_deadline(&mut self, left: usize, now: Instant) -> Option<Instant> {
        let since = *self.blocked_since.get_or_insert(now);
        let waited = self.blocked_time + now.saturating_duration_since(since);
        if waited < WRITE_STALL_TIMEOUT {
            return Some(now + (WRITE_STALL_TIMEOUT - waited));
        }
        if self.written_bytes < MIN_WRITE_PROGRESS_BYTES.min(left) {
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
    fn lasts(bytes: usize, pause: Duration, left: usize, seconds: u32) -> bool {
        let (mut patience, mut now) = (StallTimer::default(), Instant::now());
        for second in 0..seconds {
            let left = left.saturating_sub(bytes * second as usize);
            if patience.next_deadline(left, now).is_none() || patience.next_deadline(left, now + SECOND).is_none() {
                return false;
            }
            patience.record_written(bytes, now + SECOND);
            now += SECOND + pause;
        }
        true
    }

    #[test]
    fn whoever_takes_nothing_is_waited_for_once() {
        let (mut patience, now) = (StallTimer::default(), Instant::now());
        assert_eq!(patience.next_deadline(MUCH, now), Some(now + WRITE_STALL_TIMEOUT));
        // Bytes taken before the first wait do not count.
        assert_eq!(patience.next_deadline(MUCH, now + SECOND), Some(now + WRITE_STALL_TIMEOUT));
        assert_eq!(patience.next_deadline(MUCH, now + WRITE_STALL_TIMEOUT), None);
    }

    #[test]
    fn whoever_takes_enough_is_waited_for_again() {
        assert!(lasts(MIN_WRITE_PROGRESS_BYTES / 50, Duration::ZERO, MUCH, 200));
        assert!(!lasts(MIN_WRITE_PROGRESS_BYTES / 70, Duration::ZERO, MUCH, 200));
    }

    /// Time in which there is nothing to take does not count.
    #[test]
    fn time_without_waiting_is_nobodys() {
        assert!(lasts(1, 100 * SECOND, MUCH, 50));
        assert!(!lasts(1, 100 * SECOND, MUCH, 70));
        let (mut patience, mut now) = (StallTimer::default(), Instant::now());
        for _ in 0..1000 {
            assert!(patience.next_deadline(MUCH, now).is_some());
            now += SECOND;
            patience.record_written(1, now);
            patience.reset();
        }
    }

    /// At the end of an answer less than the minimum is enough.
    #[test]
    fn the_end_of_an_answer_is_taken_however_slowly() {
        assert!(lasts(MIN_WRITE_PROGRESS_BYTES / 100, Duration::ZERO, MIN_WRITE_PROGRESS_BYTES, 100));
    }
}
