//! The limits of a script's check.
//!
//! Owns: the numbers, each with the resource that a script could exhaust.
//! Never: decides what happens at a limit; that is a problem of the script.

/// The longest script that is checked. Real ones have a few KiB; the limit of packages is the same.
pub(crate) const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The deepest nesting of statements and expressions, counted as Lua counts it. The parser recurses once per level, as
/// Lua's does, which ends below 200 (`LUAI_MAXCCALLS`, of which its callers take a few).
pub(crate) const MAX_DEPTH: u32 = 190;

/// The most local variables of one function that are in scope at a time (`MAXVARS`). Lua refuses more.
pub(crate) const MAX_LOCALS: usize = 200;
