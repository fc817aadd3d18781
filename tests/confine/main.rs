//! Confinement: each wall alone, in a process of its own, and the binary with all walls.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]
#![cfg(target_os = "linux")]

mod attempts;
mod canaries;
mod fetcher;
mod roles;
mod server;
mod spawner;
mod worker;
