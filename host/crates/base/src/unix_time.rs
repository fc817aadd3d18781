//! Moments and durations as whole numbers, as files and answers have them: since 1970 in UTC.
//!
//! Owns: what becomes of a moment that does not fit: one before 1970 is 0, and one too far ahead the greatest number.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the time in milliseconds.
#[must_use]
pub fn now_ms() -> u64 {
    to_ms(SystemTime::now())
}

/// Returns the time in seconds.
#[must_use]
pub fn now_seconds() -> u64 {
    to_seconds(SystemTime::now())
}

/// Returns a moment in milliseconds.
#[must_use]
pub fn to_ms(time: SystemTime) -> u64 {
    whole_ms(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// Returns a moment in seconds.
#[must_use]
pub fn to_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns a moment in seconds with their fraction, as Lua has them.
#[must_use]
pub fn to_fractional_seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Returns a duration in milliseconds.
#[must_use]
pub fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_do_not_fit_are_at_the_ends() {
        let before = UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!((to_ms(before), to_seconds(before)), (0, 0));
        assert_eq!(to_ms(UNIX_EPOCH + Duration::from_micros(1_999)), 1);
        assert_eq!(whole_ms(Duration::MAX), u64::MAX);
    }
}
