//! The locks and counters of the standard library, for what threads share.
//!
//! Owns: the name by which `tests/models` gives the same files the locks of a scheduler.
//! Never: adds anything.

pub(crate) use std::sync::*;
