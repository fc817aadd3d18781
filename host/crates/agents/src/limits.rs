//! The bounds of other programs' configuration files, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Another program's configuration, in which our entry is edited. Some agents keep what was said to them there, too.
pub const MAX_AGENT_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// A line of a difference that is shown whole, in characters. Files that programs write for themselves may be one line.
pub const MAX_DIFF_LINE_CHARS: usize = 400;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long a server that is started for a look may take to answer its first request, and to end afterwards.
pub const CHILD_EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the helper that edits files of agents may take, with the lock that it may wait for.
pub const AGENT_HELPER_TIMEOUT: Duration = Duration::from_secs(30);
