//! The end of a process that this one started and that nobody needs any more.
//!
//! Never: waits without a bound.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// Waits for the end of a process whose input has ended, and kills it where that takes longer than `time`.
pub fn wait_or_kill(child: &mut Child, time: Duration) {
    if exits_within(child, time) {
        return;
    }
    // A confined server may not. Then nobody waits for what may never end.
    if let Err(error) = child.kill() {
        return tracing::warn!(%error, "a helper does not end");
    }
    // One that waits for a disk that is gone does not end by that either.
    if !exits_within(child, KILL_TIMEOUT) {
        tracing::warn!("a helper does not end");
    }
}

/// Until a process that was killed is gone.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Reaps it, where it ends in that time.
fn exits_within(child: &mut Child, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}
