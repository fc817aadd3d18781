//! Runs: scripts in their processes, answered by the client's model, over pauses, crashes and processes.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod answers;
mod bounds;
mod budget;
mod cancel;
mod durable;
mod effects;
mod evals;
mod forks;
mod hostile;
mod in_process;
mod logs;
mod memory;
mod pages;
mod replay;
mod requires;
mod restore;
mod sampling;
mod shortage;
mod starts;
mod status;
mod storing;
