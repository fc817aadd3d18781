//! The end of child processes that are no longer needed.
//!
//! Never: waits without a timeout.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// Waits until a child whose input was closed exits, and kills it after `time`.
pub fn wait_or_kill(child: &mut Child, time: Duration) {
    if exits_within(child, time) {
        return;
    }
    // A confined server may not kill; then it does not wait for a child that may never exit.
    if let Err(error) = child.kill() {
        return tracing::warn!(%error, "a helper process does not exit");
    }
    // A child in uninterruptible I/O does not exit when killed either.
    if !exits_within(child, KILL_TIMEOUT) {
        tracing::warn!("a helper process does not exit");
    }
}

/// Time that a killed process has to exit.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Reaps the child if it exits in this time.
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
