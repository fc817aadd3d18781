//! Tests of the service `ace`, with the program itself: what agents record, what is learned from it, and what stays as
//! it is.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod arguments;
mod budget;
mod commands;
mod crashes;
mod documented_examples;
mod exchange;
mod feedback;
mod files;
mod historical_files;
mod hostile_messages;
mod lost_writes;
mod many_processes;
mod projects;
mod prompts;
mod proposals;
mod resources;
mod running;
mod search;
mod sequences;
mod steps;
mod test_log;
