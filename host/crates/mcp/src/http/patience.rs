//! How long a client may take little of what it is sent.
//!
//! Owns: the time in which it was waited for, and what it took since that began.
//! Never: counts the time in which there was nothing for it, or none of it was refused.

use std::time::Duration;

use tokio::time::Instant;

use wardroom_base::limits::{LEAST_TAKEN_BYTES, UNREAD_TIME};

#[derive(Default)]
pub(super) struct Patience {
    /// Since when it takes nothing.
    since: Option<Instant>,
    /// How long it took nothing before that.
    waited: Duration,
    /// What it took in between, in bytes.
    bytes: usize,
}

impl Patience {
    /// It took so much.
    pub(super) fn took(&mut self, bytes: usize, now: Instant) {
        if let Some(since) = self.since.take() {
            self.waited += now.saturating_duration_since(since);
        }
        if !self.waited.is_zero() {
            self.bytes += bytes;
        }
    }

    /// It took all that there is.
    pub(super) fn took_all(&mut self) {
        *self = Self::default();
    }

    /// It takes nothing now, of `left` bytes: until when it may do so. Nothing when it has for too long.
    pub(super) fn wait(&mut self, left: usize, now: Instant) -> Option<Instant> {
        let since = *self.since.get_or_insert(now);
        let waited = self.waited + now.saturating_duration_since(since);
        if waited < UNREAD_TIME {
            return Some(now + (UNREAD_TIME - waited));
        }
        if self.bytes < LEAST_TAKEN_BYTES.min(left) {
            return None;
        }
        *self = Self { since: Some(now), ..Self::default() };
        Some(now + UNREAD_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    /// More than anybody takes here.
    const MUCH: usize = 64 * 1024 * 1024;

    /// A client that takes `bytes` after each second of waiting, and then nothing for as long as `pause`: whether it is
    /// still waited for after `seconds`.
    fn lasts(bytes: usize, pause: Duration, left: usize, seconds: u32) -> bool {
        let (mut patience, mut now) = (Patience::default(), Instant::now());
        for second in 0..seconds {
            let left = left.saturating_sub(bytes * second as usize);
            if patience.wait(left, now).is_none() || patience.wait(left, now + SECOND).is_none() {
                return false;
            }
            patience.took(bytes, now + SECOND);
            now += SECOND + pause;
        }
        true
    }

    #[test]
    fn whoever_takes_nothing_is_waited_for_once() {
        let (mut patience, now) = (Patience::default(), Instant::now());
        assert_eq!(patience.wait(MUCH, now), Some(now + UNREAD_TIME));
        // Whatever it took before it had to be waited for counts for nothing.
        assert_eq!(patience.wait(MUCH, now + SECOND), Some(now + UNREAD_TIME));
        assert_eq!(patience.wait(MUCH, now + UNREAD_TIME), None);
    }

    #[test]
    fn whoever_takes_enough_is_waited_for_again() {
        assert!(lasts(LEAST_TAKEN_BYTES / 50, Duration::ZERO, MUCH, 200));
        assert!(!lasts(LEAST_TAKEN_BYTES / 70, Duration::ZERO, MUCH, 200));
    }

    /// Only the time counts in which it takes nothing, not that in which there is nothing for it.
    #[test]
    fn time_without_waiting_is_nobodys() {
        assert!(lasts(1, 100 * SECOND, MUCH, 50));
        assert!(!lasts(1, 100 * SECOND, MUCH, 70));
        let (mut patience, mut now) = (Patience::default(), Instant::now());
        for _ in 0..1000 {
            assert!(patience.wait(MUCH, now).is_some());
            now += SECOND;
            patience.took(1, now);
            patience.took_all();
        }
    }

    /// Nobody takes more than there is.
    #[test]
    fn the_end_of_an_answer_is_taken_however_slowly() {
        assert!(lasts(LEAST_TAKEN_BYTES / 100, Duration::ZERO, LEAST_TAKEN_BYTES, 100));
    }
}
