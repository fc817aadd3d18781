//! The bounds of JSON, TOML and schemas, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Bytes of a client's own words that an error repeats. A client could otherwise be sent back as much as it sends. URIs have
/// a bound of their own.
pub const MAX_QUOTED_INPUT_BYTES: usize = 200;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// One value of it, as it is written, in bytes.
pub const MAX_STATE_VALUE_BYTES: usize = 1024 * 1024;
/// A key of it, in bytes.
pub const MAX_STATE_KEY_BYTES: usize = 1024;
/// Depth of JSON that is passed on to a client, and of TOML that is parsed for one: whatever walks a deeper document
/// could be made to overflow its stack, which ends the process.
pub const MAX_JSON_DEPTH: usize = 100;

// ---- What is declared ----------------------------------------------------------------------------------------------

/// A JSON Schema, in bytes of JSON. A small one may refer to itself at will, but never to anything outside.
pub const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// Its patterns, and all of them compiled, in bytes.
pub const MAX_SCHEMA_PATTERNS: usize = 256;
pub const MAX_SCHEMA_COMPILED_PATTERN_BYTES: usize = 16 * 1024 * 1024;
/// Levels of it with each reference followed once, which whoever compiles it goes down; and those that are gone down for one
/// value. Each is a place on a thread's stack.
pub const MAX_SCHEMA_NESTING: usize = 1_000;
pub const MAX_SCHEMA_VALIDATION_DEPTH: usize = 400;
/// Subschemas that are tried on one value, and all that is tried for a whole one, in steps of some tens of nanoseconds. Nobody can
/// stop it meanwhile.
pub const MAX_SUBSCHEMAS_PER_VALUE: u64 = 100_000;
pub const MAX_SCHEMA_VALIDATION_STEPS: u64 = 50_000_000;

// ---- Declared handlers ---------------------------------------------------------------------------------------------

/// A regular expression of a script or a schema, compiled, in bytes.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 4 * 1024 * 1024;

// ---- Waiting -------------------------------------------------------------------------------------------------------

/// How often blocking work checks whether it was cancelled.
pub const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(20);
