//! How long a test waits for what must happen.

use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes, on the slowest machine.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until it holds: servers and other processes take their time.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TEST_TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}
