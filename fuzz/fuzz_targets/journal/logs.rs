//! The lines of a run's log, the file of its crate itself.

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../../host/crates/alc/src/logs/entry.rs"]
mod entry;

pub use self::entry::LogEntry;
