//! Timeouts of tests.

use std::thread;
use std::time::{Duration, Instant};

/// Longer than any operation of a test takes, on the slowest machine.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until a condition holds, since servers and other processes take time.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}
