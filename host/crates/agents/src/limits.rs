//! The limits of editing other programs' configuration files, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Largest configuration file of another program that is edited, in bytes. Some agents also keep their history in this
/// file, which could fill memory: an edit holds the file several times.
pub const MAX_AGENT_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Longest line that a diff shows whole, in characters. A longer line is split: files that programs write may be one
/// line, which would be shown twice for each change.
pub const MAX_DIFF_LINE_CHARS: usize = 400;

/// Backups of a file that stay beside it, the newest ones. Each edit makes one, which would fill a folder.
pub const MAX_BACKUPS: usize = 3;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time that the helper has to edit the agents' files, including its wait for their lock. A helper that hangs would
/// hold a worker thread forever.
pub const AGENT_HELPER_TIMEOUT: Duration = Duration::from_secs(30);
