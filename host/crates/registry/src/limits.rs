//! The bounds of user-defined tools, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What is declared ----------------------------------------------------------------------------------------------

/// An index of declared things, in bytes, its nesting and its values, those that aliases repeat included. Whoever writes one
/// could otherwise fill memory at every change.
pub const MAX_YAML_BYTES: usize = 4 * 1024 * 1024;
pub const MAX_YAML_DEPTH: usize = 64;
pub const MAX_YAML_NODES: usize = 500_000;
/// Indices below one folder, and the folders and names that are looked at to find them. Each folder is watched: the system has
/// a limited number of watches for each user.
pub const MAX_REGISTRY_INDICES: usize = 1_000;
pub const MAX_REGISTRY_DIRS: usize = 5_000;
pub const MAX_REGISTRY_NAMES_SCANNED: usize = 50_000;
/// How deep indices may lie.
pub const MAX_REGISTRY_DEPTH: usize = 12;
/// The entries of all indices together, their values, and the sources of their handlers, in bytes: each file once, however many
/// entries name it. They are kept in memory, so what goes beyond is not read.
pub const MAX_REGISTRY_ENTRIES: usize = 20_000;
pub const MAX_REGISTRY_VALUES: usize = 2_000_000;
pub const MAX_REGISTRY_SOURCE_BYTES: usize = 64 * 1024 * 1024;
/// Findings that are kept: an index of nothing but mistakes has one a line.
pub const MAX_REGISTRY_PROBLEMS: usize = 1_000;
/// One of them, in bytes.
pub const MAX_REGISTRY_PROBLEM_BYTES: usize = 1_000;
/// A name under which a tool or a prompt is offered, in bytes.
pub const MAX_DECLARED_NAME_BYTES: usize = 128;
/// How far a prompt's ancestors go up. Each level is a place on a thread's stack.
pub const MAX_PROMPT_ANCESTORS: usize = 64;
/// Messages of a prompt with those of all its ancestors, and their text, in bytes. Each ancestor is rendered once.
pub const MAX_PROMPT_MESSAGES: usize = 1_000;
pub const MAX_PROMPT_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Items of a handler's answer.
pub const MAX_HANDLER_RESULT_ITEMS: usize = 1_000;
/// How long a handler may take when its entry says nothing, and at most.
pub const DEFAULT_HANDLER_TIMEOUT: Duration = Duration::from_secs(30);
pub const MAX_HANDLER_TIMEOUT: Duration = Duration::from_secs(600);
/// What a handler asked before it asks its client, where the client carries it until it calls again, in bytes.
pub const MAX_REQUEST_STATE_JOURNAL_BYTES: usize = 64 * 1024;
/// Questions that a handler may ask its client at once.
pub const MAX_CONCURRENT_INPUT_REQUESTS: usize = 32;
/// A value that handlers store, as JSON, its key, and keys of one namespace.
pub const MAX_HANDLER_STORE_VALUE_BYTES: usize = 1024 * 1024;
pub const MAX_HANDLER_STORE_KEY_BYTES: usize = 512;
pub const MAX_HANDLER_STORE_KEYS: usize = 10_000;
/// A file that a handler reads or writes in a mount.
pub const MAX_HANDLER_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Names that a handler gets of one folder.
pub const MAX_HANDLER_DIR_NAMES: usize = 10_000;

// ---- Declared handlers ---------------------------------------------------------------------------------------------

/// How deep handlers may call each other, through tools and functions. Each level keeps a worker, and a place on a thread's
/// stack.
pub const MAX_HANDLER_CALL_DEPTH: usize = 24;
/// Random bytes that a script gets at once.
pub const MAX_RANDOM_BYTES: u64 = 64 * 1024;
