//! Types and rules that all other crates use.
//!
//! Owns: URIs and typed ids, JSON of checked size and depth, the ledger of memory, the table of calls at work, threads beside calls, the comparison of secrets, JSON Schemas with their limits, the nesting check of TOML
//! documents, sizes in messages, characters that a person cannot see, the beginnings of long texts, hexadecimal and percent-encoding, moments as numbers, and the system's random bytes.
//! Gives: types whose constructors validate.
//! Never: touches a file, a socket or a process.

pub mod activity;
pub mod background_thread;
pub mod baseline_search;
pub mod byte_size;
pub mod constant_time;
pub mod hex;
pub mod hidden_chars;
mod json_scan;
pub mod json_schema;
pub mod limits;
pub mod memory;
pub mod payload;
pub mod percent;
pub mod permits;
pub mod random;
pub mod state_rules;
mod sync;
pub mod toml_text;
pub mod truncate;
pub mod unix_time;
pub mod uri;

/// The target of log lines that contain code, prompts or arguments. They are written only where `RUST_LOG` names it.
pub const CONTENT_TARGET: &str = "wardroom_content";
