//! Tests of the crate that touches files, without any check above it.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod changes;
mod containment;
mod create_modes;
mod disk_full;
mod faults;
mod fences;
mod file_cache;
mod follow;
mod journal;
mod jsonl;
mod link_resolution;
mod no_free_fds;
mod races;
mod read_cache;
mod roles;
mod rows;
mod trees;
mod untyped_names;
mod watch;
mod writes;

use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the threads beside a test, even when the test fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
