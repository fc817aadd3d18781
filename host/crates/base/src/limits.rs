//! The limits of JSON, schemas and quoted input, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Client input that an error message quotes, in bytes; URIs have a limit of their own. A client could make the server
/// send as much as it receives.
pub const MAX_QUOTED_INPUT_BYTES: usize = 200;

/// Bytes that a server holds because of what its clients and their scripts sent (default of `[server] memory`).
/// Without a common limit, the limits of all calls together would be gigabytes.
pub const DEFAULT_MEMORY_BYTES: usize = 256 * 1024 * 1024;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Largest state value as JSON, in bytes. A script could fill its namespace with one value.
pub const MAX_STATE_VALUE_BYTES: usize = 1024 * 1024;
/// Longest state key, in bytes. A script could fill its namespace with keys.
pub const MAX_STATE_KEY_BYTES: usize = 1024;
/// Nesting of JSON that is passed to a client, and of TOML that is parsed for one. A deeper document could overflow the
/// stack of a recursive function, which ends the process.
pub const MAX_JSON_DEPTH: usize = 100;

// ---- Registry and schemas ------------------------------------------------------------------------------------------

/// Largest JSON Schema, in bytes of JSON. A small one may refer to itself at will, but never to anything outside.
pub const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// Regular expressions in one schema. Each takes time and memory to compile.
pub const MAX_SCHEMA_PATTERNS: usize = 256;
/// All compiled patterns of one schema together, in bytes. A short pattern can compile to megabytes.
pub const MAX_SCHEMA_COMPILED_PATTERN_BYTES: usize = 16 * 1024 * 1024;
/// Levels of a schema with each reference followed once. Compiling descends them recursively and could overflow its
/// stack.
pub const MAX_SCHEMA_NESTING: usize = 1_000;
/// Levels of a schema that validation descends for one value. Each takes stack space of its thread.
pub const MAX_SCHEMA_VALIDATION_DEPTH: usize = 400;
/// Subschemas that are tried on one value. A few references to the same subschema multiply to any number.
pub const MAX_SUBSCHEMAS_PER_VALUE: u64 = 100_000;
/// Targets of all references of a schema together. Each dynamic one leads to every anchor of its name.
pub const MAX_SCHEMA_REFERENCE_TARGETS: usize = 100_000;
/// Steps to validate one document, of some tens of nanoseconds each. Validation cannot be cancelled, and would hold its
/// thread.
pub const MAX_SCHEMA_VALIDATION_STEPS: u64 = 50_000_000;
/// Violations of a schema that one message lists; the rest are counted. They would fill the context of a model.
pub const MAX_LISTED_VIOLATIONS: usize = 20;
/// All violations of one value, in bytes, as far as they can be foreseen. Beyond that, only the first one is listed:
/// all are built at once, each with the whole path to its value.
pub const MAX_VIOLATIONS_BYTES: usize = 32 * 1024 * 1024;

// ---- Handlers ------------------------------------------------------------------------------------------------------

/// Largest compiled regular expression of a script or a schema, in bytes. A short pattern can compile to megabytes.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 4 * 1024 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Interval at which blocking work checks whether it was cancelled. Cancelled work holds its thread until then.
pub const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(20);
