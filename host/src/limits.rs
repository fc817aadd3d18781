//! The bounds of the command line, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Servers that `wardroom status` looks at. Each that was killed leaves a file until the next one starts.
pub const MAX_SERVER_FILES: usize = 10_000;
/// What is known of one, in bytes.
pub const MAX_SERVER_FILE_BYTES: u64 = 16 * 1024;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// How long one that waits keeps its processes.
pub const WARM_RUN_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Characters of a prompt that `alc_status` shows as its preview, unless the environment says otherwise.
pub const DEFAULT_PROMPT_PREVIEW_CHARS: usize = 200;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// What a program says that is asked whether it is a server, in bytes, before it counts as none.
pub const MAX_HANDSHAKE_OUTPUT_BYTES: u64 = 1024 * 1024;

// ---- Where Lua runs ------------------------------------------------------------------------------------------------

/// Address space of a worker's process, in bytes: its Lua state, the binary, and a message while it is converted.
pub const WORKER_ADDRESS_SPACE_BYTES: u64 = 768 * 1024 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long a server that is started for a look may take to answer its first request, and to end afterwards.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
