//! Everything that an input can make grow, and how far.
//!
//! Owns: the numbers, each with who could exhaust what.
//! Never: decides what happens at a limit; that is an `ExtractError`, or a value that counts as unresolved.

/// The longest source that is read at all. A package author could otherwise fill the guest's memory with one file.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The deepest nesting of tables and parentheses in a constant. Both folding and writing recurse once a level, so an
/// author could otherwise exhaust the stack with a file of brackets. Code outside constants is tracked without recursion.
pub const MAX_DEPTH: u32 = 64;

/// The most bytes of JSON, documentation and unresolved entries together. A table that is named many times over is
/// written each time, so a short source could otherwise ask for an answer of any size.
pub const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// The most unresolved entries. Each repeats the whole path that leads to it.
pub const MAX_UNRESOLVED: usize = 1_000;

/// The most bytes that all concatenations of one source may build. `local b = a .. a` doubles with each line.
pub const MAX_CONCAT_BYTES: usize = 4 * 1024 * 1024;

/// The most tables and fields that are kept in memory. A source of `{},{},…` would need some fifty times its own size.
pub const MAX_NODES: usize = 256 * 1024;
