//! The room that touches files, without any check above it.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod changes;
mod faults;
mod few;
mod full;
mod journal;
mod kept;
mod lines;
mod races;
mod roles;
mod walls;
mod watch;
mod writes;

use std::sync::atomic::{AtomicBool, Ordering};

/// Ends what runs beside a test, when the test fails too.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
