//! The locks, counters and threads of the standard library, for the table of runs.
//!
//! Owns: the name by which `tests/models` gives the same file the locks of a scheduler.
//! Never: adds anything.

pub(crate) use std::sync::*;
pub(crate) use std::thread;
