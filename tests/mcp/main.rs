//! The protocol, as a client on a pipe sees it.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod additions;
mod changes;
mod discovery;
mod ending;
mod ends;
mod flow;
mod hostile;
mod ids;
mod lines;
mod panics;
mod times;
mod wire;
