//! The command line, each test in its own home folder.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod agents;
mod agents_status;
mod at_terminal;
mod audit;
mod caches;
mod calls;
mod completions;
mod display;
mod doctor;
mod edits;
mod errors;
mod extract;
mod help;
mod init;
mod locations;
mod logs;
mod mounts;
mod new;
mod output;
mod pkg;
mod proposals;
mod read;
mod readme;
mod records;
mod registry_watch;
mod removed_folders;
mod runs;
mod schemas;
mod sessions;
mod shared;
mod terminal;
mod top;
mod usage;
mod verify;
