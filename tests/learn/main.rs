//! Whether the learning log learns: faults with the real outputs of real tools happen to a scripted agent, and a judge
//! of its own says which lessons are right. `make learn` prints the tables of `docs/BENCHMARKS.md`.
//!
//! Owns: the seeds. Those of the report come from the hash of the commit that is reported, so that they were not known
//! before.
//! Never: shows the half of the report unless it is asked for.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod evaluation;
mod judge;
mod material;
mod parsed_runs;
mod players;
mod random;
mod ranking;
mod report;
mod scenario;
mod trial;
