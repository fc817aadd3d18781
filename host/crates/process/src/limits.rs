//! The limits of IPC messages and child processes, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Processes -----------------------------------------------------------------------------------------------------

/// Largest message between the server and a worker, in bytes, in both directions. A script could make the server hold
/// any amount of memory.
pub const MAX_FRAME_BYTES: usize = if cfg!(fuzzing) { 1_000 } else { 16 * 1024 * 1024 };
/// Bytes of a frame that are read at a time. A sender that announces a large frame would make its reader allocate it at
/// once.
pub const FRAME_READ_CHUNK_BYTES: usize = 32 * 1024;
/// Bytes of a frame that are read before its length is known. Most frames are shorter, and allocators keep blocks of this size at hand.
pub const FIRST_FRAME_READ_BYTES: usize = 1024;
/// Time that a worker has to start, which usually takes some milliseconds. The run that needs it waits meanwhile.
pub const SPAWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that a started server or helper has to exit before it is killed. A child that hangs would hold up its parent.
pub const CHILD_EXIT_TIMEOUT: Duration = Duration::from_secs(1);
