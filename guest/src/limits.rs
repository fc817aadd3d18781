//! The limits of everything that an input can make grow.
//!
//! Owns: the numbers, each with the resource that an input could exhaust.
//! Never: decides what happens at a limit; that is an `ExtractError`, or a value that counts as unresolved.

/// The longest source that is parsed. Otherwise one file of a package could fill the guest's memory.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The deepest nesting of tables and parentheses in a constant. Both folding and writing recurse once per level, so
/// that a file of brackets could otherwise exhaust the stack. Code outside constants is tracked without recursion.
pub const MAX_DEPTH: u32 = 64;

/// The most bytes of JSON, documentation and unresolved entries together. A table that is named repeatedly is written
/// each time, so that a short source could otherwise produce an answer of any size.
pub const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// The most unresolved entries. Each repeats its whole path.
pub const MAX_UNRESOLVED: usize = 1_000;

/// The most bytes that all concatenations of one source may build. `local b = a .. a` doubles with each line.
pub const MAX_CONCAT_BYTES: usize = 4 * 1024 * 1024;

/// The most tables and fields that are kept in memory. A source of `{},{},…` would need about fifty times its own size.
pub const MAX_NODES: usize = 256 * 1024;

/// How many fields the first field of a table counts as: a table makes room for eleven at once. A source of `{1},{1},…`
/// would need more than a hundred times its own size.
pub const FIRST_FIELD_NODES: usize = 12;

/// The most variables that one statement declares or assigns to. Lua itself has no more than 200.
pub const MAX_VARIABLES: usize = 255;

/// The most inputs that are found in one function `run`. A source could read fields of any number of names.
pub const MAX_INPUTS: usize = 200;

/// The longest name of an input, in bytes. A name may be as long as the source.
pub const MAX_INPUT_NAME_BYTES: usize = 200;
