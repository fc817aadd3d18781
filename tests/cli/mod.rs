//! The command line, in a home of its own.

mod agents;
mod agents_status;
mod completions;
mod doctor;
mod edits;
mod errors;
mod extract;
mod help;
mod init;
mod mounts;
mod output;
mod pkg;
mod places;
mod read;
mod readme;
mod sessions;
mod usage;
