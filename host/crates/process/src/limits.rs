//! The bounds of messages and confined processes, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- Where Lua runs ------------------------------------------------------------------------------------------------

/// One message between the server and a worker, in bytes, either way. A script could otherwise make the server hold any
/// amount of memory.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a frame that are read at a time.
pub const FRAME_READ_CHUNK_BYTES: usize = 32 * 1024;
/// How long a worker may take to be started, which is some milliseconds. Whoever starts a run waits for it.
pub const SPAWN_TIMEOUT: Duration = Duration::from_secs(10);
